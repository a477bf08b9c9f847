/* `trammel script`: see man/trammel-script.1.md. */
#include "base/array.h"
#include "base/error.h"
#include "base/text.h"
#include "base/vector.h"
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
	const char *const places[] = {"/../python", TRAMMEL_PYTHON_FROM_PROGRAMS};

	for (size_t i = 0; i < array_count(places); i++) {
		struct text path = {0};
		const bool whole = places[i][0] == '/' && i;

		text_format(&path, "%s%s", whole ? "" : folder, places[i]);
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

static int script_main(int argc, const char **argv)
{
	char program[PATH_MAX] = "trammel";
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	struct VECTOR(const char *) words = {0};

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
	program[length > 0 ? length : 0] = '\0';
	char *module = find_module(program);

	set_environment(program, module);
	free(module);
	vector_push(&words, TRAMMEL_PYTHON);
	vector_push(&words, "-m");
	vector_push(&words, "trammel.script");
	for (int i = 1; i < argc; i++)
		vector_push(&words, argv[i]);
	vector_push(&words, NULL);
	fflush(NULL);
	execvp(words.items[0], (char *const *)(uintptr_t)words.items);
	trm_error_print(trm_error_system(errno, "scripts are Python: cannot run '%s'",
					 words.items[0]));
	vector_deinit(&words);
	return EXIT_FAILED;
}

const struct command cmd_script = {
	.name = "script",
	.summary = "run a control file or a script, or a prompt for measurements",
	.usage = usage,
	.main = script_main,
};
