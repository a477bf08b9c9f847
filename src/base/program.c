#include "base/program.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/vector.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *program_find(const char *name)
{
	const char *path = getenv("PATH");
	int why = ENOENT;

	if (strchr(name, '/'))
		return memory_copy_string(name);
	scoped_free char *copy = memory_copy_string(path ? path : "/bin:/usr/bin");
	char *rest = copy, *folder;

	while ((folder = strsep(&rest, ":"))) {
		struct text full = {0};
		struct stat status;

		text_format(&full, "%s/%s", *folder ? folder : ".", name);
		if (!stat(full.data, &status) && S_ISREG(status.st_mode)) {
			if (!access(full.data, X_OK))
				return full.data;
			why = EACCES;
		}
		text_deinit(&full);
	}
	errno = why;
	return NULL;
}
