#include "derive/hot_paths_show.h"

#include "base/array.h"
#include "base/path.h"
#include "derive/path_places.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "file.c:12 13 20 other.h:7" */
static void add_line(struct text *out, const char *file, uint32_t line, bool same)
{
	text_add(out, out->length ? " " : "");
	if (!same)
		text_format(out, "%s:", path_name(file));
	text_format(out, "%" PRIu32, line);
}

/* "+0 +1a +2c", distances from the function; of a cold part from the part, whose address
 * comes first. */
static void add_blocks(const struct hot_path *row, struct text *out)
{
	const char *blocks = row->path->blocks;
	uint64_t distance;

	if (row->path->part != row->function->offset)
		text_format(out, "0x%" PRIx64, row->path->part);
	while (path_places_next(&blocks, &distance))
		text_format(out, "%s+%" PRIx64, out->length ? " " : "", distance);
}

static const char *text_of_end(const struct hot_path *row)
{
	static const struct {
		const char *end, *text;
	} rows[] = {{"leave", "out"},
		    {"back", "next round"},
		    {"split", "next part"},
		    {"call", "in a call"},
		    {"stop", "stop"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(row->path->end, rows[i].end))
			return rows[i].text;
	return row->path->end;
}

static void add_row(const struct hot_paths *paths, struct path_codes *codes,
		    const struct hot_path *row, uint64_t so_far, struct grid *grid)
{
	enum { HOT = 10 }; /* a row with more than a part of so many of all is red */
	struct text blocks = {0}, lines = {0};

	add_blocks(row, &blocks);
	text_add(&lines, "");
	path_places_lines(paths, path_codes_of(codes, row->function->module), row,
			  add_line, &lines);
	if (row->executed > paths->profile->instructions / HOT)
		grid_paint_row(grid, GRID_RED);
	grid_add_number(grid, row->count);
	grid_add_number(grid, row->executed);
	grid_add_share(grid, row->executed, row->function->instructions);
	grid_add_share(grid, row->executed, paths->profile->instructions);
	grid_add_share(grid, so_far, paths->profile->instructions);
	grid_add_text(grid, text_of_end(row));
	grid_add_text(grid, row->function->name);
	grid_add_number(grid, row->path->number);
	grid_add_text(grid, blocks.data);
	grid_add_text(grid, lines.data);
	text_deinit(&blocks);
	text_deinit(&lines);
}

static void add_instruction(struct text *out, uint64_t address, const char *text,
			    bool first)
{
	(void)first;
	text_format(out, "  %8" PRIx64 "  %s\n", address, text);
}

/* A line of a listing that is no instruction. */
static void add_title(struct text *out, const char *title, bool colour)
{
	text_format(out, colour ? "\033[1m%s\033[0m\n" : "%s\n", title);
}

/* "f, path 3 of 8, taken 1,128 times: next round" */
static void add_listing_head(const struct hot_path *row, bool colour, struct text *out)
{
	struct text head = {0};

	text_format(&head, "%s, path %" PRIu64 " of %" PRIu64 ", ", row->function->name,
		    row->path->number, row->path->of);
	if (row->count) {
		text_add(&head, "taken ");
		text_add_grouped(&head, row->count);
		text_add(&head, row->count == 1 ? " time" : " times");
	} else {
		text_add(&head, "never taken");
	}
	text_format(&head, ": %s", text_of_end(row));
	text_add(out, "\n");
	add_title(out, head.data, colour);
	text_deinit(&head);
}

static void add_listing(const struct hot_paths *paths, struct path_codes *codes,
			const struct hot_path *row,
			const struct hot_paths_options *options, struct text *out)
{
	const struct path_code *code = path_codes_of(codes, row->function->module);
	const char *blocks = row->path->blocks;
	uint64_t distance;

	add_listing_head(row, options->table.colour, out);
	if (!code->image)
		text_add(out, "  its code cannot be read\n");
	while (code->image && path_places_next(&blocks, &distance)) {
		text_format(out, " block +%" PRIx64 "\n", distance);
		path_places_code(paths, code, row, distance, options->syntax,
				 add_instruction, out);
	}
}

static void add_head(const struct hot_paths *paths, struct text *out)
{
	report_add_count(out, paths->rows.count, "path", "paths");
	text_add(out, " taken in ");
	report_add_count(out, paths->functions, "function", "functions");
	if (paths->split) {
		text_add(out, ", ");
		report_add_count(out, paths->split, "of which has", "of which have");
		text_add(out, " too many, and some edges cut");
	}
	if (paths->left) {
		text_add(out, "; ");
		report_add_count(out, paths->left, "path was", "paths were");
		text_add(out, " left in a call");
	}
	text_add(out, "\n");
	if (paths->without) {
		text_add(out, "no paths were counted in ");
		report_add_count(out, paths->without, "function", "functions");
	}
	vector_for_each (&paths->bars, bar)
		text_format(out, "%s%s (%zu)", bar == paths->bars.items ? ": " : ", ",
			    bar->reason, bar->functions);
	text_add(out, paths->without ? "\n\n" : "\n");
}

void hot_paths_text(const struct hot_paths *paths,
		    const struct hot_paths_options *options, struct text *out)
{
	size_t shown = paths->rows.count < options->table.limit ? paths->rows.count
								: options->table.limit;
	struct grid grid = {0};
	uint64_t so_far = 0;
	struct path_codes codes;

	path_codes_init(&codes, paths->profile);
	add_head(paths, out);
	grid_add_column(&grid, "Count", true);
	grid_add_column(&grid, "Instructions", true);
	grid_add_column(&grid, "Function's", true);
	grid_add_column(&grid, "Program's", true);
	grid_add_column(&grid, "Cumulative", true);
	grid_add_column(&grid, "To", false);
	grid_add_column(&grid, "Function", false);
	grid_add_column(&grid, "Path", true);
	grid_add_column(&grid, "Blocks", false);
	grid_add_column(&grid, "Lines", false);
	for (size_t i = 0; i < shown; i++) {
		so_far += paths->rows.items[i].executed;
		add_row(paths, &codes, &paths->rows.items[i], so_far, &grid);
	}
	grid_print(&grid,
		   &(struct text_style){options->table.colour, options->table.width},
		   out);
	grid_deinit(&grid);
	if (paths->rows.count > shown)
		report_add_more(out, paths->rows.count - shown, "path", "paths");
	for (size_t i = 0; options->disassemble && i < shown; i++)
		add_listing(paths, &codes, &paths->rows.items[i], options, out);
	path_codes_deinit(&codes);
}
