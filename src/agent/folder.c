#include "agent/folder.h"

#include "base/cleanup.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What an agent writes there. */
static bool is_profile(const char *name)
{
	const char *ending = strstr(name, ".trm");

	return ending && (!ending[4] || !strcmp(ending, ".trm.part"));
}

/* The last time that something in the folder changed. */
static time_t last_change(DIR *folder)
{
	struct stat status;
	time_t last = fstat(dirfd(folder), &status) ? time(NULL) : status.st_mtime;

	for (const struct dirent *entry; (entry = readdir(folder));)
		if (!fstatat(dirfd(folder), entry->d_name, &status,
			     AT_SYMLINK_NOFOLLOW) &&
		    is_profile(entry->d_name) && status.st_mtime > last)
			last = status.st_mtime;
	rewinddir(folder);
	return last;
}

/* Removes a session's folder if nobody uses it and it is old. */
static void sweep_session(int sessions_fd, const char *name)
{
	int fd = openat(sessions_fd, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);

	if (!folder) {
		if (fd >= 0)
			close(fd);
		return;
	}
	if (!flock(fd, LOCK_EX | LOCK_NB) &&
	    time(NULL) - last_change(folder) > FOLDER_DAYS * 24 * 60 * 60) {
		for (const struct dirent *entry; (entry = readdir(folder));)
			if (is_profile(entry->d_name))
				unlinkat(fd, entry->d_name, 0);
		/* Fails, and stays, with anything else in it. */
		unlinkat(sessions_fd, name, AT_REMOVEDIR);
	}
	closedir(folder);
}

static void sweep_sessions(const char *path)
{
	DIR *sessions = opendir(path);

	if (!sessions)
		return;
	for (const struct dirent *entry; (entry = readdir(sessions));)
		if (entry->d_name[0] != '.')
			sweep_session(dirfd(sessions), entry->d_name);
	closedir(sessions);
}

/* Makes the last folder of a path. */
static struct trm_error *make_folder(const char *path)
{
	return mkdir(path, 0700) && errno != EEXIST
		       ? trm_error_system(errno, "cannot make '%s'", path)
		       : NULL;
}

static struct trm_error *make_in(struct text *path, const char *session, int *ret_fd)
{
	static const char *const parts[] = {"", "/trammel", "/sessions"};
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache == '/')
		text_add(path, cache);
	else
		text_format(path, "%s/.cache", home && *home == '/' ? home : "/tmp");
	for (int i = 0; i < 3; i++) {
		text_add(path, parts[i]);
		TRM_TRY(make_folder(path->data));
	}
	sweep_sessions(path->data);
	text_format(path, "/%s", session);
	TRM_TRY(make_folder(path->data));
	*ret_fd = open(path->data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* A file system without locks has none that sweep, either. */
	if (*ret_fd >= 0)
		flock(*ret_fd, LOCK_SH);
	return *ret_fd < 0 ? trm_error_system(errno, "cannot open '%s'", path->data)
			   : NULL;
}

struct trm_error *folder_make(const char *session, char **ret_path, int *ret_fd)
{
	struct text path = {0};
	struct trm_error *error = make_in(&path, session, ret_fd);

	if (error)
		text_deinit(&path);
	else
		*ret_path = path.data;
	return error;
}
