/* `trammel script`: see man/trammel-script.1.md. */
#include "base/array.h"
#include "base/error.h"
#include "base/text.h"
#include "base/vector.h"
#include "cli/script/script.h"

#include "cli/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"Usage: trammel script [FILE [ARGUMENT]...]\n\n"
	"Runs a control file, which only assigns values to names (application,\n"
	"arguments, measurement, output, ...), or a Python script with the classes of\n"
	"trammel.control. Without a file: a prompt.\n";

/* The folder of the Python module, built or installed; NULL: it is in neither. */
static char *find_module(const char *program)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s", program);
	char *slash = strrchr(folder, '/');

	if (!slash)
		return NULL;
	*slash = '\0';
	const char *const places[] = {"../python", TRAMMEL_PYTHON_FROM_PROGRAMS};

	for (size_t i = 0; i < array_count(places); i++) {
		struct text path = {0};

		text_format(&path, "%s/%s", folder, places[i]);
		struct text file = {0};

		text_format(&file, "%s/trammel/script.py", path.data);
		bool there = !access(file.data, R_OK);

		text_deinit(&file);
		if (there)
			return path.data;
		text_deinit(&path);
	}
	return NULL;
}

static void set_environment(const char *program, const char *module)
{
	const char *before = getenv("PYTHONPATH");
	struct text path = {0};

	setenv("TRAMMEL_PROGRAM", program, 1);
	if (!module)
		return;
	text_format(&path, "%s%s%s", module, before ? ":" : "", before ? before : "");
	setenv("PYTHONPATH", path.data, 1);
	text_deinit(&path);
}

struct trm_error *script_become(const char *module, const char *const *arguments)
{
	char program[PATH_MAX] = "trammel";
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	struct VECTOR(const char *) words = {0};
	const char *python = getenv("TRAMMEL_PYTHON");

	program[length > 0 ? length : 0] = '\0';
	char *folder = find_module(program);
	struct text code = {0};

	set_environment(program, folder);
	free(folder);
	/* Python's own modules are not those of the folder that the user is in. */
	text_format(&code,
		    "import sys; del sys.path[0]; import runpy; "
		    "runpy.run_module('%s', run_name='__main__', alter_sys=True)",
		    module);
	vector_push(&words, python && *python ? python : TRAMMEL_PYTHON);
	vector_push(&words, "-c");
	vector_push(&words, code.data);
	for (; *arguments; arguments++)
		vector_push(&words, *arguments);
	vector_push(&words, NULL);
	fflush(NULL);
	execvp(words.items[0], (char *const *)(uintptr_t)words.items);
	struct trm_error *error = trm_error_system(
		errno, "scripts are Python: cannot run '%s'", words.items[0]);

	text_deinit(&code);
	vector_deinit(&words);
	return error;
}

static int script_main(int argc, const char **argv)
{
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return EXIT_DONE;
	}
	if (argc > 1 && argv[1][0] == '-') {
		trm_error_print(trm_error_create(TRM_ERROR_USAGE,
						 "%s: there are no options. See 'trammel "
						 "help script'.",
						 argv[1]));
		return EXIT_USAGE;
	}
	trm_error_print(script_become("trammel.script", argv + (argc > 0)));
	return EXIT_FAILED;
}

const struct command cmd_script = {
	.name = "script",
	.summary = "run a control file or a script, or a prompt for measurements",
	.usage = usage,
	.main = script_main,
};
