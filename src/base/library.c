#include "base/array.h"
#include "base/library.h"

#include "base/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file of this name in a folder, which may be told from another one. */
static char *find_in(const char *from, const char *folder, const char *name)
{
	bool whole = *folder == '/';
	struct text path = {0};

	text_format(&path, "%s%s%s/%s", whole ? "" : from, whole ? "" : "/", folder,
		    name);
	char *found = realpath(path.data, NULL);

	text_deinit(&path);
	return found;
}

char *library_find(const char *folder, const char *name)
{
	char self[PATH_MAX], *found = NULL;
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct text built = {0};

	if (length <= 0)
		return NULL;
	self[length] = '\0';
	*strrchr(self, '/') = '\0';
	text_format(&built, "../%s", folder);

	const char *const folders[] = {built.data, TRAMMEL_LIBRARIES_FROM_PROGRAMS,
				       TRAMMEL_LIBDIR, TRAMMEL_HELPERS};

	for (size_t i = 0; i < array_count(folders) && !found; i++)
		found = find_in(self, folders[i], name);
	text_deinit(&built);
	return found;
}
