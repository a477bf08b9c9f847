#include "export/gcov.h"

#include "base/json_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct writing {
	const struct coverage *coverage;
	struct text *out;
	/* Where the next file's functions, lines and branches begin. */
	size_t function, line, branch;
};

static const char *name_at(const struct coverage *coverage, uint32_t number)
{
	return coverage->names.strings[number];
}

static void add_function(struct writing *writing, size_t index, uint64_t calls)
{
	const struct coverage *coverage = writing->coverage;
	const struct coverage_function *function = &coverage->functions.items[index];
	struct text *out = writing->out;

	json_begin_item(out);
	json_add_text(out, "name", name_at(coverage, function->linked));
	json_add_text(out, "demangled_name", name_at(coverage, function->name));
	json_add_number(out, "start_line", function->line);
	json_add_number(out, "start_column", 0);
	json_add_number(out, "end_line", function->line);
	json_add_number(out, "end_column", 0);
	/* Of blocks as the compiler knows them nothing is known: it is one. */
	json_add_number(out, "blocks", 1);
	json_add_number(out, "blocks_executed", calls > 0);
	json_add_number(out, "execution_count", calls);
	text_add(out, "}");
}

/* Functions of the file; of those without a line nothing says where they are. Returns the
 * index of the first one. */
static size_t add_functions(struct writing *writing, uint32_t file)
{
	const struct coverage *coverage = writing->coverage;
	size_t first = writing->function, next;
	uint64_t calls;

	text_add(writing->out, ", \"functions\": [");
	for (; writing->function < coverage->functions.count; writing->function = next) {
		const struct coverage_function *function =
			&coverage->functions.items[writing->function];

		if (function->file != file || !function->line)
			break;
		next = coverage_same(coverage, writing->function, &calls);
		add_function(writing, writing->function, calls);
	}
	text_add(writing->out, "]");
	return first;
}

/* Branches that a line has. */
static void add_branches(struct writing *writing, uint32_t file, uint32_t line)
{
	const struct coverage *coverage = writing->coverage;

	text_add(writing->out, ", \"branches\": [");
	for (; writing->branch < coverage->branches.count; writing->branch++) {
		const struct coverage_branch *branch =
			&coverage->branches.items[writing->branch];

		if (branch->file > file || (branch->file == file && branch->line > line))
			break;
		if (branch->file != file || branch->line != line)
			continue;
		json_begin_item(writing->out);
		json_add_number(writing->out, "count", branch->count);
		json_add_boolean(writing->out, "throw", false);
		json_add_boolean(writing->out, "fallthrough", false);
		text_add(writing->out, "}");
	}
	text_add(writing->out, "]");
}

/* The last function of the file that begins at or before a line; NULL: none. */
static const char *function_of(const struct writing *writing, size_t first, uint32_t line)
{
	const char *name = NULL;

	for (size_t i = first; i < writing->function; i++) {
		const struct coverage_function *function =
			&writing->coverage->functions.items[i];

		if (function->line <= line)
			name = name_at(writing->coverage, function->linked);
	}
	return name;
}

static void add_lines(struct writing *writing, uint32_t file, size_t first)
{
	const struct coverage *coverage = writing->coverage;

	text_add(writing->out, ",\n \"lines\": [");
	for (; writing->line < coverage->lines.count; writing->line++) {
		const struct coverage_line *line = &coverage->lines.items[writing->line];
		const char *function = function_of(writing, first, line->line);

		if (line->file != file)
			break;
		json_begin_item(writing->out);
		json_add_number(writing->out, "line_number", line->line);
		if (function)
			json_add_text(writing->out, "function_name", function);
		json_add_number(writing->out, "count", line->count);
		json_add_boolean(writing->out, "unexecuted_block", false);
		add_branches(writing, file, line->line);
		text_add(writing->out, "}");
	}
	text_add(writing->out, "]");
}

void export_gcov(const struct coverage *coverage, const char *data_file, struct text *out)
{
	struct writing writing = {.coverage = coverage, .out = out};
	char *folder = getcwd(NULL, 0);

	text_add(out, "{");
	json_add_text(out, "format_version", "1");
	json_add_text(out, "gcc_version", "trammel " TRAMMEL_VERSION);
	json_add_text(out, "current_working_directory", folder ? folder : "");
	json_add_text(out, "data_file", data_file);
	text_add(out, ", \"files\": [");
	for (uint32_t i = 0; i < coverage->files.count; i++) {
		json_begin_item(out);
		json_add_text(out, "file", coverage->files.items[i].path);
		size_t first = add_functions(&writing, i);

		add_lines(&writing, i, first);
		text_add(out, "}");
	}
	text_add(out, "]}\n");
	free(folder);
}
