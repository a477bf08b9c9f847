#include "coverage/lcov.h"

#include "coverage/coverage.h"
#include "coverage/sources.h"

#include <inttypes.h>
#include <string.h>

/* The record of one source file. */
struct record {
	const struct coverage *coverage;
	struct source_file source;
	uint32_t file;      /* index in coverage.files */
	size_t first, end;  /* its functions */
	struct table lines; /* by linked name: the line of its functions; 0: several */
	size_t left_out;    /* lines behind the end of the source file */
	struct text *out;
};

/* Where the next file's lines and branches begin. */
struct position {
	size_t line, branch;
};

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

/* lcov calculates with floating-point numbers, and cannot read what it writes of larger
 * ones. */
static uint64_t bounded_count(uint64_t count)
{
	return count > INT64_MAX ? INT64_MAX : count;
}

static bool has_line(const struct record *record, uint32_t line)
{
	return line && line <= record->source.lines;
}

static const char *linked_name(const struct coverage *coverage, size_t index)
{
	uint32_t linked = coverage->functions.items[index].linked;

	return coverage->names.strings[linked];
}

/* lcov takes functions of one name in one file for the same: those at different lines get
 * names of their own, in the form that demanglers know of clones. */
static void add_name(const struct record *record, size_t index)
{
	const struct coverage_function *function =
		&record->coverage->functions.items[index];
	uint64_t line = 0;

	add_field(record->out, linked_name(record->coverage, index), false);
	if (table_find(&record->lines, function->linked, &line) && !line)
		text_format(record->out, ".%" PRIu32, function->line);
	text_add(record->out, "\n");
}

static void find_names(struct record *record)
{
	for (size_t i = record->first; i < record->end; i++) {
		const struct coverage_function *function =
			&record->coverage->functions.items[i];
		bool new;
		uint64_t *line = table_insert(&record->lines, function->linked, &new);

		if (new)
			*line = function->line;
		else if (*line != function->line)
			*line = 0;
	}
}

/* Adds FN for each function with its line, or FNDA with its calls; counts them. */
static void add_functions(const struct record *record, bool calls, size_t *ret_known,
			  size_t *ret_executed)
{
	const struct coverage *coverage = record->coverage;

	*ret_known = *ret_executed = 0;
	for (size_t i = record->first, next; i < record->end; i = next) {
		uint64_t number;
		uint32_t line = coverage->functions.items[i].line;

		next = coverage_same(coverage, i, &number);
		if (!has_line(record, line))
			continue;
		++*ret_known;
		*ret_executed += number > 0;
		text_format(record->out, "%s:%" PRIu64 ",", calls ? "FNDA" : "FN",
			    calls ? bounded_count(number) : line);
		add_name(record, i);
	}
}

/* A part that a compiler has split off is no execution of the function's first line. */
static bool is_part(const char *linked)
{
	return strstr(linked, ".part.") != NULL;
}

static void add_totals(struct record *record, const char *kind, size_t known,
		       size_t executed)
{
	text_format(record->out, "%sF:%zu\n%sH:%zu\n", kind, known, kind, executed);
}

/* A function's first line is executed as often as it is called; there can be several of
 * one line (templates). */
static void add_first_lines(struct record *record)
{
	const struct coverage *coverage = record->coverage;
	const struct coverage_function *items = coverage->functions.items;
	size_t lines = 0, executed = 0;

	for (size_t i = record->first; i < record->end;) {
		uint32_t line = items[i].line;
		uint64_t calls = 0, number;

		while (i < record->end && items[i].line == line) {
			bool part = is_part(linked_name(coverage, i));

			i = coverage_same(coverage, i, &number);
			if (coverage->profile->coverage)
				calls |= number;
			else
				calls += part ? 0 : number;
		}
		if (!has_line(record, line)) {
			record->left_out++;
			continue;
		}
		text_format(record->out, "DA:%" PRIu32 ",%" PRIu64 "\n", line,
			    bounded_count(calls));
		lines++;
		executed += calls > 0;
	}
	add_totals(record, "L", lines, executed);
}

/* All lines with code that the source file has. */
static void add_counted_lines(struct record *record, size_t line)
{
	const struct coverage *coverage = record->coverage;
	size_t lines = 0, executed = 0;

	for (; line < coverage->lines.count; line++) {
		const struct coverage_line *now = &coverage->lines.items[line];

		if (now->file != record->file)
			break;
		if (!has_line(record, now->line)) {
			record->left_out++;
			continue;
		}
		text_format(record->out, "DA:%" PRIu32 ",%" PRIu64 "\n", now->line,
			    bounded_count(now->count));
		lines++;
		executed += now->count > 0;
	}
	add_totals(record, "L", lines, executed);
}

/* Each branch of a line is one of its blocks, which lcov numbers from 0 on. */
static void add_branches(struct record *record, size_t first)
{
	const struct coverage *coverage = record->coverage;
	const struct coverage_branch *items = coverage->branches.items;
	size_t branches = 0, taken = 0;
	uint32_t block = 0;

	for (size_t i = first; i < coverage->branches.count; i++) {
		const struct coverage_branch *now = &items[i];

		if (now->file != record->file)
			break;
		if (!has_line(record, now->line))
			continue;
		if (i == first || now[-1].line != now->line)
			block = 0;
		else if (!now->way)
			block++;
		text_format(record->out,
			    "BRDA:%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 "\n",
			    now->line, block, now->way, bounded_count(now->count));
		branches++;
		taken += now->count > 0;
	}
	add_totals(record, "BR", branches, taken);
}

static void add_record(struct record *record, const struct position *at)
{
	const struct coverage *coverage = record->coverage;
	size_t known, executed;

	find_names(record);
	text_add(record->out, "TN:\nSF:");
	add_field(record->out, record->source.path, true);
	text_add(record->out, "\n");
	add_functions(record, false, &known, &executed);
	add_functions(record, true, &known, &executed);
	add_totals(record, "FN", known, executed);
	if (coverage->profile->edges.count)
		add_branches(record, at->branch);
	if (coverage->profile->blocks.count)
		add_counted_lines(record, at->line);
	else
		add_first_lines(record);
	text_add(record->out, "end_of_record\n");
	table_deinit(&record->lines);
}

/* Steps over the lines and branches of a file. */
static void step_over(const struct coverage *coverage, uint32_t file, struct position *at)
{
	while (at->line < coverage->lines.count &&
	       coverage->lines.items[at->line].file == file)
		at->line++;
	while (at->branch < coverage->branches.count &&
	       coverage->branches.items[at->branch].file == file)
		at->branch++;
}

/* Whether the file, with `path` in the coverage, is written. What is not is noted. */
static bool is_kept(const struct source_file *source, const char *path, bool missing,
		    struct coverage_left_out *left_out)
{
	if (source->kind == SOURCE_GENERATED) {
		left_out->generated++;
		return false;
	}
	if (source->kind != SOURCE_MISSING || missing)
		return true;
	if (!left_out->missing++)
		left_out->example = path;
	return false;
}

size_t coverage_lcov(const struct coverage *coverage, bool missing,
		     struct coverage_left_out *ret_left_out, struct text *out)
{
	struct position at = {0};
	size_t end = 0, count = 0;

	*ret_left_out = (struct coverage_left_out){0};
	text_add(out, "");
	for (uint32_t i = 0; i < coverage->files.count; i++) {
		struct record record = {
			.coverage = coverage, .file = i, .first = end, .out = out};

		while (end < coverage->functions.count &&
		       coverage->functions.items[end].file == i)
			end++;
		record.end = end;
		source_file_init(&record.source, coverage->files.items[i].path);
		if (is_kept(&record.source, coverage->files.items[i].path, missing,
			    ret_left_out)) {
			add_record(&record, &at);
			count++;
		}
		ret_left_out->lines += record.left_out;
		source_file_deinit(&record.source);
		step_over(coverage, i, &at);
	}
	return count;
}
