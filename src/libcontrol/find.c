#include "libcontrol/find.h"

#include "base/array.h"
#include "base/program.h"
#include "base/text.h"
#include "base/vector.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Libraries have a folder of that name beside them. */
static bool is_program(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

/* Beside the file that this function is in. */
static char *find_beside(void)
{
	/* In the build folder, beside the program itself, and where both are installed.
	 */
	static const char *const places[] = {"../cli/trammel", "trammel",
					     TRAMMEL_PROGRAM_FROM_LIBRARIES,
					     "../../cli/trammel"};
	char *file = NULL, *found = NULL;
	Dl_info info;

	if (dladdr((const void *)&find_beside, &info) && info.dli_fname)
		file = realpath(info.dli_fname, NULL);
	char *slash = file ? strrchr(file, '/') : NULL;

	if (slash)
		*slash = '\0';
	for (size_t i = 0; slash && i < array_count(places) && !found; i++) {
		struct text path = {0};

		text_format(&path, "%s/%s", file, places[i]);
		if (is_program(path.data))
			found = realpath(path.data, NULL);
		text_deinit(&path);
	}
	free(file);
	return found;
}

struct trm_error *find_program(char **ret_program)
{
	const char *named = getenv("TRAMMEL_PROGRAM");
	char *found = named && *named ? memory_copy_string(named) : find_beside();

	if (!found)
		found = program_find("trammel");
	if (!found)
		return trm_error_create(TRM_ERROR_SYSTEM,
					"there is no program 'trammel' beside "
					"libtrammel-control or in PATH: install it, or "
					"name it by TRAMMEL_PROGRAM");
	*ret_program = found;
	return NULL;
}
