/* `trammel tool`: see man/trammel-tool.1.md. */
#include "cli/commands.h"
#include "cli/showing.h"
#include "cli/tool/skeleton.h"

#include "base/array.h"
#include "base/path.h"
#include "tool/find.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	struct showing shown;
	char *output;
} arguments;

static const struct poptOption option_table[] = {
	{"output", 'o', POPT_ARG_STRING, &arguments.output, 0,
	 "build: the tool's file (FILE.so, of the first FILE)", "FILE"},
	SHOWING_HELP(arguments.shown),
	POPT_TABLEEND};

/* Whether a name can be that of a file, and of C. */
static bool is_name(const char *name)
{
	for (const char *s = name; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_')
			return false;
	return *name && !isdigit((unsigned char)*name) && strlen(name) < 64;
}

static struct trm_error *new_tool(const struct arguments_words *words)
{
	struct text path = {0}, text = {0};
	const char *name = words->items[1];
	struct trm_error *error = NULL;
	int fd;

	if (words->count != 2 || !is_name(name))
		return trm_error_create(
			TRM_ERROR_USAGE,
			"trammel tool new NAME: a name has letters, digits "
			"and _");
	text_format(&path, "%s.c", name);
	fd = open(path.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0) {
		error = trm_error_system(errno, "'%s'", path.data);
	} else {
		skeleton_write(name, &text);
		if (write(fd, text.data, text.length) != (ssize_t)text.length)
			error = trm_error_system(errno, "'%s'", path.data);
		close(fd);
	}
	if (!error)
		printf("%s\n\n"
		       "  trammel tool build %s.c\n"
		       "  trammel run --tool ./%s.so -- PROGRAM\n",
		       path.data, name, name);
	text_deinit(&path);
	text_deinit(&text);
	return error;
}

/* The folder with the headers: beside the sources, or where they are installed; NULL: the
 * compiler knows it. */
static const char *header_folder(void)
{
	static const char *const beside[] = {"../include", "../../../include"};
	static char folder[2 * PATH_MAX];
	char own[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (length <= 0)
		return NULL;
	own[length] = '\0';
	*strrchr(own, '/') = '\0';
	for (size_t i = 0; i < array_count(beside); i++) {
		snprintf(folder, sizeof(folder), "%s/%s/trammel/tool.h", own, beside[i]);
		if (access(folder, R_OK))
			continue;
		snprintf(folder, sizeof(folder), "%s/%s", own, beside[i]);
		return folder;
	}
	return NULL;
}

static bool is_cxx(const char *file)
{
	const char *dot = strrchr(path_name(file), '.');

	return dot && (!strcmp(dot, ".cc") || !strcmp(dot, ".cpp") ||
		       !strcmp(dot, ".cxx") || !strcmp(dot, ".C"));
}

/* Runs the compiler, and waits for it. */
static struct trm_error *run_compiler(const char *const *command, int *ret_status)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return trm_error_system(errno, "fork");
	if (!child) {
		execvp(command[0], (char *const *)(uintptr_t)command);
		fprintf(stderr, "trammel: '%s': %s\n", command[0], strerror(errno));
		_exit(127);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	*ret_status = WIFEXITED(status) && !WEXITSTATUS(status) ? EXIT_DONE : EXIT_FAILED;
	return NULL;
}

static char *default_output(const char *file)
{
	struct text output = {0};
	const char *name = path_name(file), *dot = strrchr(name, '.');

	text_add_bytes(&output, name, dot ? (size_t)(dot - name) : strlen(name));
	text_add(&output, ".so");
	return output.data;
}

static struct trm_error *build_tool(const struct arguments_words *words, int *ret_status)
{
	struct VECTOR(const char *) command = {0};
	const char *folder = header_folder();
	struct text include = {0};
	struct trm_error *error;
	bool cxx = false;

	if (words->count < 2)
		return trm_error_create(TRM_ERROR_USAGE,
					"trammel tool build FILE.c...: no file to build");
	for (size_t i = 1; i < words->count; i++)
		cxx |= is_cxx(words->items[i]);
	if (!arguments.output)
		arguments.output = default_output(words->items[1]);
	text_format(&include, "-I%s", folder ? folder : ".");
	vector_push(&command, getenv(cxx ? "CXX" : "CC") ?: cxx ? "c++" : "cc");
	for (const char *const *flag = (const char *const[]){"-O2", "-g", "-fPIC",
							     "-shared", "-Wall", NULL};
	     *flag; flag++)
		vector_push(&command, *flag);
	vector_push(&command, include.data);
	vector_push(&command, "-o");
	vector_push(&command, arguments.output);
	for (size_t i = 1; i < words->count; i++)
		vector_push(&command, words->items[i]);
	vector_push(&command, NULL);
	error = run_compiler(command.items, ret_status);
	if (!error && *ret_status == EXIT_DONE)
		printf("%s\n", arguments.output);
	vector_deinit(&command);
	text_deinit(&include);
	return error;
}

static struct trm_error *list_tools(void)
{
	struct text text = {0};

	tool_find_list(&text);
	return showing_print(&arguments.shown, &text, false);
}

static struct trm_error *run_tool_command(int *ret_status)
{
	const struct arguments_words *words = &arguments.shown.words;
	const char *action = words->count ? words->items[0] : "";

	if (!strcmp(action, "new") && words->count > 1)
		return new_tool(words);
	if (!strcmp(action, "build"))
		return build_tool(words, ret_status);
	if (!strcmp(action, "list") && words->count == 1)
		return list_tools();
	return trm_error_create(TRM_ERROR_USAGE,
				"say what: trammel tool new NAME, trammel tool build "
				"FILE.c..., or trammel tool list");
}

const struct command cmd_tool = {
	.name = "tool",
	.summary = "make tools: measurements of one's own",
	.usage = "Usage: trammel tool new NAME | build FILE.c... | list\n"
		 "Writes the skeleton of a tool, builds tools, or lists those that come "
		 "with trammel.\n",
	.options = option_table,
	.given = &arguments.shown,
	.run = run_tool_command,
};
