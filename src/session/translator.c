#include "session/translator.h"

#include "base/cleanup.h"
#include "image/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What Valgrind's launcher tells its tools, and these do not tell the programs that they
 * run (coregrind/launcher-linux.c). */
#define LAUNCHER "VALGRIND_LAUNCHER="

static bool has_variable(pid_t pid, const char *assignment)
{
	char path[64];
	char *entry = NULL;
	size_t capacity = 0;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	scoped_file FILE *file = fopen(path, "re");

	while (file && !found && getdelim(&entry, &capacity, '\0', file) > 0)
		found = !strncmp(entry, assignment, strlen(assignment));
	free(entry);
	return found;
}

bool translator_is(pid_t pid, int exe)
{
	return image_is_static(exe) && has_variable(pid, LAUNCHER);
}
