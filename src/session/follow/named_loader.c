#include "session/follow/named_loader.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/vector.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static bool is_loader(const char *program)
{
	static const char *const patterns[] = {"ld-linux*", "ld-*.so*", "ld-musl*",
					       "ld.so"};
	const char *slash = strrchr(program, '/');

	for (size_t i = 0; i < array_count(patterns); i++)
		if (text_glob(patterns[i], slash ? slash + 1 : program))
			return true;
	return false;
}

/* How many words an option of the loader takes; 0: it is none, but the program. */
static unsigned words_of(const char *word)
{
	/* ld.so(8), and musl's ldso/dynlink.c */
	static const char *const with_value[] = {
		"--library-path",      "--inhibit-rpath", "--audit",
		"--preload",           "--argv0",         "--glibc-hwcaps-prepend",
		"--glibc-hwcaps-mask",
	};

	if (strncmp(word, "--", 2) != 0)
		return 0;
	for (size_t i = 0; i < array_count(with_value); i++)
		if (!strcmp(word, with_value[i]))
			return 2;
	return 1;
}

/* The same with links followed, as seen from the process. */
static char *resolve_path(pid_t pid, const char *path)
{
	char from[64 + PATH_MAX], *resolved;

	snprintf(from, sizeof(from), "/proc/%d/%s/%s", pid, *path == '/' ? "root" : "cwd",
		 path);
	resolved = realpath(from, NULL);
	return resolved ? resolved : memory_copy_string(path);
}

char *named_loader_program(pid_t pid, const char *program)
{
	char path[64], *word = NULL, *found = NULL;
	size_t size = 0;
	unsigned skip = 1;

	if (!is_loader(program))
		return NULL;
	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	scoped_file FILE *file = fopen(path, "re");

	while (file && !found && getdelim(&word, &size, '\0', file) > 0) {
		if (skip) {
			skip--;
			continue;
		}
		skip = words_of(word);
		if (skip)
			skip--;
		else
			found = resolve_path(pid, word);
	}
	free(word);
	return found;
}
