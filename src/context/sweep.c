#include "context/sweep.h"

#include "base/path.h"
#include "context/channels.h"
#include "context/recover.h"
#include "wire/context_channel.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { AGE_MIN_S = 3600, MARK = 6 /* letters of mkdtemp(3) */ };

static bool channels_have_any(const struct context_process *process)
{
	struct context_channels channels = context_channels_of(process);
	bool any = false;

	vector_for_each (&channels, channel)
		any |= context_channel_has(process, (*channel)->head.channel);
	vector_deinit(&channels);
	return any;
}

bool context_has_any(const struct context_process *process)
{
	if (process->rows.count || process->head->fault_count)
		return true;
	vector_for_each (&process->threads, thread) {
		if (thread->events.count)
			return true;
		vector_for_each (&thread->paths, path)
			if (path->count)
				return true;
	}
	return channels_have_any(process);
}

/* A process that was killed while it made the file left one of holes. */
static bool is_hollow(int folder, const char *name)
{
	struct stat status;

	return !fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) &&
	       S_ISREG(status.st_mode) && !status.st_blocks;
}

static bool is_empty_spool(const char *path, int folder, const char *name)
{
	struct context_process process;
	struct text file = {0};
	struct trm_error *error;
	bool empty;

	text_format(&file, "%s/%s", path, name);
	error = context_process_init(&process, file.data);
	text_deinit(&file);
	if (error) {
		trm_error_destroy(error);
		return is_hollow(folder, name);
	}
	empty = !context_is_running(process.head) && !context_has_any(&process);
	context_process_deinit(&process);
	return empty;
}

static bool is_dot(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static bool is_empty(const char *path, DIR *folder)
{
	struct dirent *entry;
	bool empty = true;

	while (empty && (entry = readdir(folder)))
		empty = is_dot(entry->d_name) ||
			(context_is_spool(entry->d_name) &&
			 is_empty_spool(path, dirfd(folder), entry->d_name));
	return empty;
}

static bool is_ours(const char *path)
{
	const char *name = path_name(path);

	return !strncmp(name, "trammel-", 8) && strlen(name) == 8 + MARK;
}

/* It is old, and nobody holds it; the lock goes when the folder is closed. */
static bool is_forgotten(int folder)
{
	struct stat status;

	return !fstat(folder, &status) && status.st_mtime + AGE_MIN_S <= time(NULL) &&
	       !flock(folder, LOCK_EX | LOCK_NB);
}

bool context_sweep_folder(const char *path)
{
	DIR *folder = is_ours(path) ? opendir(path) : NULL;
	struct dirent *entry;
	bool empty = folder && is_forgotten(dirfd(folder)) && is_empty(path, folder);

	if (empty) {
		rewinddir(folder);
		while ((entry = readdir(folder)))
			if (!is_dot(entry->d_name))
				unlinkat(dirfd(folder), entry->d_name, 0);
	}
	if (folder)
		closedir(folder);
	return empty && !rmdir(path);
}
