#include "base/library.h"

#include "base/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *library_find(const char *folder, const char *name)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct text path = {0};
	char *found;

	if (length <= 0)
		return NULL;
	self[length] = '\0';
	*strrchr(self, '/') = '\0';
	text_format(&path, "%s/../%s/%s", self, folder, name);
	found = realpath(path.data, NULL);
	text_deinit(&path);
	if (found)
		return found;
	text_format(&path, "%s/%s", TRAMMEL_LIBDIR, name);
	found = realpath(path.data, NULL);
	text_deinit(&path);
	return found;
}
