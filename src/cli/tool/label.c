/* `trammel label`: see man/trammel-label.1.md. */
#include "cli/commands.h"
#include "cli/showing.h"

#include "base/path.h"
#include "base/vector.h"
#include "cli/script/script.h"
#include "tool/labels_read.h"
#include "tool/find.h"
#include "tool/mark.h"
#include "tool/pass.h"
#include "tool/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
	struct showing shown;
	int branches, switches, procedures, returns, entries, exits, blocks, loads,
		stores, jumps, cycles;
	char *unique, *output, *only, *pass;
} arguments;

#define LABEL_OPTION(name, variable, help)                                               \
	{                                                                                \
		name, 0, (int)(POPT_ARG_NONE | POPT_ARGFLAG_ONEDASH),                    \
			&arguments.variable, 0, help, NULL                               \
	}

static const struct poptOption option_table[] = {
	LABEL_OPTION("cbr", branches, "conditional branches"),
	LABEL_OPTION("mbr", switches, "jumps through tables, as of a switch"),
	LABEL_OPTION("proc", procedures, "functions: entries, and exits by the same id"),
	LABEL_OPTION("ret", returns, "exits of functions, with ids of their own"),
	LABEL_OPTION("entry", entries, "entries of functions alone"),
	LABEL_OPTION("exit", exits, "the same as --ret"),
	LABEL_OPTION("bb", blocks, "basic blocks"),
	LABEL_OPTION("load", loads, "reads of memory"),
	LABEL_OPTION("store", stores, "writes to memory"),
	LABEL_OPTION("setlongjmp", jumps, "calls of setjmp and longjmp, and the like"),
	LABEL_OPTION("cycle", cycles, "instructions that begin a cycle, by a model"),
	{"unique", 0, (int)(POPT_ARG_STRING | POPT_ARGFLAG_ONEDASH), &arguments.unique, 0,
	 "the first id", "N"},
	{"only", 0, POPT_ARG_STRING, &arguments.only, 0,
	 "only functions whose names match the shell pattern", "GLOB"},
	{"pass", 0, POPT_ARG_STRING, &arguments.pass, 0,
	 "have a tool, or a Python script, label the files", "TOOL"},
	{"output", 'o', POPT_ARG_STRING, &arguments.output, 0,
	 "the file of labels (FILE.labels, of the first FILE)", "LABELS"},
	SHOWING_HELP(arguments.shown),
	POPT_TABLEEND};

/* Labels that are there already stay. */
static struct trm_error *read_old(const char *path, struct labels *ret_labels)
{
	if (!access(path, F_OK))
		return labels_read(path, ret_labels);
	labels_init(ret_labels);
	return NULL;
}

static struct trm_error *mark_file(struct labels *labels, const char *file,
				   const struct mark_wishes *wishes)
{
	scoped_free char *path = realpath(file, NULL);
	struct tool_module *module;
	struct mark_sums sums;

	if (!path)
		return trm_error_system(errno, "'%s'", file);
	TRM_TRY(tool_module_open(path, &module));
	mark_module(labels, module, wishes, &sums);
	fprintf(stderr, "%s: %" PRIu64 " points in %u functions", file, sums.points,
		sums.functions - sums.not_understood);
	if (sums.not_understood)
		fprintf(stderr, "; %u more are not understood, and have none",
			sums.not_understood);
	fputs("\n", stderr);
	tool_module_close(module);
	return NULL;
}

/* By a tool's own pass. */
static struct trm_error *pass_file(struct labels *labels, struct tool *tool,
				   const char *file)
{
	scoped_free char *path = realpath(file, NULL);
	struct tool_module *module;
	struct trm_error *error;

	if (!path)
		return trm_error_system(errno, "'%s'", file);
	TRM_TRY(tool_module_open(path, &module));
	error = tool_label(tool, module, labels);
	tool_module_close(module);
	return error;
}

/* A tool, or who is at the other end of standard input and output. */
static struct trm_error *open_pass(struct tool **ret_tool)
{
	scoped_free char *path = NULL;

	if (!strcmp(arguments.pass, "-")) {
		*ret_tool = pass_open(stdin, stdout);
		return NULL;
	}
	TRM_TRY(tool_find(arguments.pass, &path));
	return tool_open(path, NULL, 0, NULL, ret_tool);
}

static struct trm_error *pass_files(struct labels *labels)
{
	struct trm_error *error = NULL;
	struct tool *tool;

	TRM_TRY(open_pass(&tool));
	vector_for_each (&arguments.shown.words, file) {
		error = pass_file(labels, tool, *file);
		if (error)
			break;
	}
	tool_close(tool);
	return error;
}

static struct trm_error *mark_files(struct labels *labels)
{
	const struct mark_wishes wishes = {
		.branches = arguments.branches,
		.switches = arguments.switches,
		.blocks = arguments.blocks,
		.loads = arguments.loads,
		.stores = arguments.stores,
		.jumps = arguments.jumps,
		.cycles = arguments.cycles,
		.entries = arguments.entries,
		.exits = arguments.returns || arguments.exits,
		.procedures = arguments.procedures,
		.only = arguments.only,
	};
	uint64_t first;

	TRM_TRY(arguments_number("unique", arguments.unique, 0, &first));
	if (arguments.unique && first < labels->next && labels->modules.count)
		return trm_error_create(TRM_ERROR_USAGE,
					"--unique %" PRIu64 ": ids below %" PRIu64
					" are in use in '%s'",
					first, labels->next, arguments.output);
	if (arguments.unique)
		labels->next = first;
	if (arguments.pass)
		return pass_files(labels);
	vector_for_each (&arguments.shown.words, file)
		TRM_TRY(mark_file(labels, *file, &wishes));
	return NULL;
}

static bool is_script(const char *path)
{
	const size_t length = strlen(path);

	return length > 3 && !strcmp(path + length - 3, ".py");
}

/* Python runs the pass, and this command with `--pass -`. */
static struct trm_error *become_script(void)
{
	struct VECTOR(const char *) words = {0};

	vector_push(&words, arguments.pass);
	vector_push(&words, arguments.output);
	vector_push(&words, arguments.unique ? arguments.unique : "");
	vector_for_each (&arguments.shown.words, file)
		vector_push(&words, *file);
	vector_push(&words, NULL);
	struct trm_error *error = script_become("trammel.labels", words.items);

	vector_deinit(&words);
	return error;
}

static bool wants_nothing(void)
{
	return !(arguments.branches | arguments.switches | arguments.procedures |
		 arguments.returns | arguments.entries | arguments.exits |
		 arguments.blocks | arguments.loads | arguments.stores | arguments.jumps |
		 arguments.cycles);
}

static struct trm_error *write_labels(struct labels *labels)
{
	struct text text = {0};
	struct trm_error *error = mark_files(labels);

	if (!error) {
		labels_write(labels, &text);
		error = showing_write(arguments.output, &text);
	}
	text_deinit(&text);
	if (!error)
		printf("%" PRIu64 "\n", labels->next);
	return error;
}

static struct trm_error *run_label(int *ret_status)
{
	struct text output = {0};
	struct trm_error *error;
	struct labels labels;

	(void)ret_status;
	if (!arguments.shown.words.count || wants_nothing() == !arguments.pass)
		return trm_error_create(TRM_ERROR_USAGE,
					"%s. Try: trammel label -cbr -load -o "
					"prog.labels ./prog",
					arguments.shown.words.count
						? "either kinds of points, or --pass"
						: "no file to label");
	if (!arguments.output) {
		text_format(&output, "%s.labels",
			    path_name(arguments.shown.words.items[0]));
		arguments.output = output.data;
	}
	if (arguments.pass && is_script(arguments.pass))
		return become_script();
	TRM_TRY(read_old(arguments.output, &labels));
	error = write_labels(&labels);
	labels_deinit(&labels);
	return error;
}

const struct command cmd_label = {
	.name = "label",
	.summary = "mark points of programs, with ids, for analysis routines",
	.usage = "Usage: trammel label [OPTION]... FILE...\n"
		 "Marks points of programs, with ids, for analysis routines, and prints "
		 "the next\nunused id. All options can be written with one dash.\n",
	.options = option_table,
	.given = &arguments.shown,
	.run = run_label,
};
