#include "cli/far/kept.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/vector.h"
#include "record/output.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUILDS_MAX = 4096 };
static const uint64_t bytes_max = 2ull << 30;

/* What a folder of a build id may have. */
static const char *const names[] = {"file", "debug", "from", "no-file", "no-debug"};

/* NULL: there is no folder of the user's. */
static char *find_folder(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct text path = {0};

	if (cache && *cache == '/')
		text_format(&path, "%s/trammel/modules", cache);
	else if (home && *home == '/')
		text_format(&path, "%s/.cache/trammel/modules", home);
	return path.data;
}

static char *path_of(const char *build_id, const char *name)
{
	scoped_free char *folder = find_folder();
	struct text path = {0};

	if (!folder)
		return NULL;
	text_format(&path, "%s/%s/%s", folder, build_id, name);
	return path.data;
}

static void make_folders(const char *path)
{
	scoped_free char *copy = memory_copy_string(path);

	for (char *at = copy + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		mkdir(copy, 0700);
		*at = '/';
	}
}

/* A word in a line of its own; one that cannot be is no way. */
static bool is_line(const char *word)
{
	return !word || !strpbrk(word, "\r\n");
}

void kept_note(const char *build_id, const struct kept_origin *origin)
{
	scoped_free char *path = path_of(build_id, "from");
	struct trm_output output;

	if (!path || !is_line(origin->host) || !is_line(origin->command) ||
	    !is_line(origin->path))
		return;
	make_folders(path);
	struct trm_error *error = trm_output_open(path, &output);

	if (!error) {
		dprintf(output.fd, "path %s\n", origin->path);
		if (origin->host)
			dprintf(output.fd, "host %s\n", origin->host);
		if (origin->command)
			dprintf(output.fd, "command %s\n", origin->command);
		error = trm_output_close(&output, NULL);
	}
	/* Then reports do without. */
	trm_error_destroy(error);
}

bool kept_origin(const char *build_id, struct kept_origin *ret_origin)
{
	const struct {
		const char *key;
		char **value;
	} keys[] = {{"path ", &ret_origin->path},
		    {"host ", &ret_origin->host},
		    {"command ", &ret_origin->command}};
	scoped_free char *path = path_of(build_id, "from");
	scoped_file FILE *file = path ? fopen(path, "re") : NULL;
	char *line = NULL;
	size_t capacity = 0;

	*ret_origin = (struct kept_origin){0};
	while (file && getline(&line, &capacity, file) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		for (size_t i = 0; i < array_count(keys); i++)
			if (!strncmp(line, keys[i].key, strlen(keys[i].key)) &&
			    !*keys[i].value)
				*keys[i].value =
					memory_copy_string(line + strlen(keys[i].key));
	}
	free(line);
	if (ret_origin->path && (ret_origin->host || ret_origin->command))
		return true;
	kept_origin_deinit(ret_origin);
	return false;
}

void kept_origin_deinit(struct kept_origin *origin)
{
	free(origin->host);
	free(origin->command);
	free(origin->path);
	*origin = (struct kept_origin){0};
}

char *kept_path(const char *build_id, bool debug)
{
	return path_of(build_id, debug ? "debug" : "file");
}

char *kept_find(const char *build_id, bool debug)
{
	char *path = kept_path(build_id, debug);

	if (!path || access(path, R_OK)) {
		free(path);
		return NULL;
	}
	/* When it was used: the folder's time. */
	char *slash = strrchr(path, '/');

	*slash = '\0';
	utimensat(AT_FDCWD, path, NULL, 0);
	*slash = '/';
	return path;
}

void kept_note_missing(const char *build_id, bool debug)
{
	scoped_free char *path = path_of(build_id, debug ? "no-debug" : "no-file");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;

	if (fd >= 0)
		close(fd);
}

bool kept_is_missing(const char *build_id, bool debug)
{
	scoped_free char *path = path_of(build_id, debug ? "no-debug" : "no-file");

	return path && !access(path, F_OK);
}

/* Of a build id. */
struct build {
	char *name;
	struct timespec used;
	uint64_t bytes;
};
struct builds VECTOR(struct build);

static void add_build(struct builds *builds, int folder, const char *name)
{
	scoped_fd int own = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct build build = {0};
	struct stat status;

	if (own < 0 || fstat(own, &status))
		return;
	build.used = status.st_mtim;
	for (size_t i = 0; i < array_count(names); i++)
		if (!fstatat(own, names[i], &status, AT_SYMLINK_NOFOLLOW))
			build.bytes += (uint64_t)status.st_size;
	build.name = memory_copy_string(name);
	vector_push(builds, build);
}

static int compare_builds(const void *left, const void *right)
{
	const struct timespec *a = &((const struct build *)left)->used;
	const struct timespec *b = &((const struct build *)right)->used;

	return a->tv_sec != b->tv_sec     ? (a->tv_sec < b->tv_sec ? -1 : 1)
	       : a->tv_nsec != b->tv_nsec ? (a->tv_nsec < b->tv_nsec ? -1 : 1)
					  : 0;
}

static void remove_build(int folder, const char *name)
{
	scoped_fd int own = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; i < array_count(names) && own >= 0; i++)
		unlinkat(own, names[i], 0);
	unlinkat(folder, name, AT_REMOVEDIR);
}

void kept_prune(void)
{
	scoped_free char *path = find_folder();
	DIR *folder = path ? opendir(path) : NULL;
	struct builds builds = {0};
	struct dirent *entry;
	uint64_t bytes = 0;

	if (!folder)
		return;
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			add_build(&builds, dirfd(folder), entry->d_name);
	if (builds.count)
		qsort(builds.items, builds.count, sizeof(*builds.items), compare_builds);
	vector_for_each (&builds, build)
		bytes += build->bytes;
	for (size_t i = 0;
	     i + 1 < builds.count && (bytes > bytes_max || builds.count - i > BUILDS_MAX);
	     i++) {
		remove_build(dirfd(folder), builds.items[i].name);
		bytes -= builds.items[i].bytes;
	}
	vector_for_each (&builds, build)
		free(build->name);
	vector_deinit(&builds);
	closedir(folder);
}
