#include "coverage/coverage.h"

#include <inttypes.h>
#include <string.h>

/* Fields end at commas, records at the end of the line. */
static void add_field(struct text *out, const char *field, bool comma)
{
	for (; *field; field++) {
		unsigned char byte = (unsigned char)*field;

		text_add_bytes(out,
			       byte < 0x20 || byte == 0x7f ? "?"
			       : byte == ',' && !comma     ? ";"
							   : field,
			       1);
	}
}

static const char *linked_name(const struct coverage *coverage, size_t index)
{
	uint32_t linked = coverage->functions.items[index].linked;

	return coverage->names.strings[linked];
}

/* Records of a kind, for each function of the range: FN has lines, FNDA calls. */
static void add_functions(const struct coverage *coverage, size_t first, size_t end,
			  bool calls, struct text *out)
{
	uint64_t number;

	for (size_t i = first; i < end;) {
		size_t next = coverage_same(coverage, i, &number);

		if (!calls)
			number = coverage->functions.items[i].line;
		text_format(out, "%s:%" PRIu64 ",", calls ? "FNDA" : "FN", number);
		add_field(out, linked_name(coverage, i), false);
		text_add(out, "\n");
		i = next;
	}
}

/* A part that a compiler has split off is no execution of the function's first line. */
static bool is_part(const char *linked)
{
	return strstr(linked, ".part.") != NULL;
}

/* A function's first line is executed as often as it is called; there can be several of
 * one line (templates). */
static void add_lines(const struct coverage *coverage, size_t first, size_t end,
		      struct text *out)
{
	const struct coverage_function *items = coverage->functions.items;
	size_t lines = 0, executed = 0;

	for (size_t i = first; i < end;) {
		uint32_t line = items[i].line;
		uint64_t calls = 0, number;

		while (i < end && items[i].line == line) {
			bool part = is_part(linked_name(coverage, i));

			i = coverage_same(coverage, i, &number);
			if (coverage->profile->coverage)
				calls |= number;
			else
				calls += part ? 0 : number;
		}
		text_format(out, "DA:%" PRIu32 ",%" PRIu64 "\n", line, calls);
		lines++;
		executed += calls > 0;
	}
	text_format(out, "LF:%zu\nLH:%zu\n", lines, executed);
}

/* All lines with code that the source file has. */
static void add_counted_lines(const struct coverage *coverage, uint32_t file,
			      size_t *line, struct text *out)
{
	const struct coverage_line *items = coverage->lines.items;

	for (; *line < coverage->lines.count && items[*line].file == file; ++*line)
		text_format(out, "DA:%" PRIu32 ",%" PRIu64 "\n", items[*line].line,
			    items[*line].count);
	text_format(out, "LF:%" PRIu32 "\nLH:%" PRIu32 "\n",
		    coverage->files.items[file].lines,
		    coverage->files.items[file].executed_lines);
}

/* Each branch of a line is one of its blocks, which lcov numbers from 0 on. */
static void add_branches(const struct coverage *coverage, uint32_t file, size_t *branch,
			 struct text *out)
{
	const struct coverage_branch *items = coverage->branches.items;
	uint32_t block = 0;

	if (!coverage->profile->edges.count)
		return;
	for (; *branch < coverage->branches.count && items[*branch].file == file;
	     ++*branch) {
		const struct coverage_branch *now = &items[*branch];

		if (!*branch || now[-1].file != file || now[-1].line != now->line)
			block = 0;
		else if (!now->way)
			block++;
		text_format(out, "BRDA:%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 "\n",
			    now->line, block, now->way, now->count);
	}
	text_format(out, "BRF:%" PRIu32 "\nBRH:%" PRIu32 "\n",
		    coverage->files.items[file].branches,
		    coverage->files.items[file].taken_branches);
}

size_t coverage_lcov(const struct coverage *coverage, struct text *out)
{
	const struct coverage_function *items = coverage->functions.items;
	size_t first = 0, end = 0, line = 0, branch = 0;

	text_add(out, "");
	for (uint32_t i = 0; i < coverage->files.count; i++, first = end) {
		const struct coverage_file *file = &coverage->files.items[i];

		while (end < coverage->functions.count && items[end].file == i)
			end++;
		text_add(out, "TN:\nSF:");
		add_field(out, file->path, true);
		text_add(out, "\n");
		add_functions(coverage, first, end, false, out);
		add_functions(coverage, first, end, true, out);
		text_format(out, "FNF:%" PRIu32 "\nFNH:%" PRIu32 "\n", file->functions,
			    file->executed);
		add_branches(coverage, i, &branch, out);
		if (coverage->profile->blocks.count)
			add_counted_lines(coverage, i, &line, out);
		else
			add_lines(coverage, first, end, out);
		text_add(out, "end_of_record\n");
	}
	return coverage->files.count;
}
