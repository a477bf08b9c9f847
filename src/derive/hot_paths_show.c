#include "derive/hot_paths_show.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "image/contents.h"
#include "image/open.h"
#include "image/lines.h"
#include "report/json/parts.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The code of a module, and its lines. */
struct code {
	const struct report_module *module;
	struct image *image; /* NULL: it cannot be read */
	struct image_rows rows;
	bool lines;
};

/* What all of a report looks at, opened when it is needed. */
struct codes {
	const struct report_profile *profile;
	struct code *items; /* by module; `module` NULL: not looked at yet */
};

static void codes_init(struct codes *codes, const struct report_profile *profile)
{
	*codes =
		(struct codes){profile, memory_allocate_zeroed(profile->modules.count + 1,
							       sizeof(*codes->items))};
}

static void codes_deinit(struct codes *codes)
{
	for (size_t i = 0; i < codes->profile->modules.count; i++) {
		if (codes->items[i].lines)
			image_rows_deinit(&codes->items[i].rows);
		if (codes->items[i].image)
			image_close(codes->items[i].image);
	}
	free(codes->items);
}

static const struct code *code_of(struct codes *codes, uint32_t module)
{
	struct code *code = &codes->items[module];
	struct trm_error *error;

	if (code->module)
		return code;
	code->module = &codes->profile->modules.items[module];
	error = annotation_open_image(code->module, &code->image);
	if (error) {
		trm_error_destroy(error);
		code->image = NULL;
		return code;
	}
	error = image_rows_init(&code->rows, code->image);
	code->lines = !error;
	trm_error_destroy(error);
	return code;
}

/* Takes the next block's distance from a path's list; false at its end. */
static bool next_block(const char **blocks, uint64_t *ret_distance)
{
	char *end;

	if (!**blocks)
		return false;
	*ret_distance = strtoull(*blocks, &end, 16);
	if (end == *blocks)
		return false;
	*blocks = *end ? end + 1 : end;
	return true;
}

/* The bytes of a block, by its address; 0: the profile does not have it. */
static uint64_t size_of(const struct report_profile *profile,
			const struct report_function *function, uint64_t address)
{
	for (uint32_t i = 0; i < function->block_count; i++) {
		const struct report_block *block =
			&profile->blocks.items[function->first_block + i];

		if (block->address == address)
			return block->size;
	}
	return 0;
}

/* Calls `see` for each line of the source of a path, in order; what follows itself, once.
 */
static void visit_lines(const struct hot_paths *paths, const struct code *code,
			const struct hot_path *row,
			void (*see)(struct text *out, const char *file, uint32_t line,
				    bool same),
			struct text *out)
{
	const char *blocks = row->path->blocks;
	struct image_place last = {0};
	uint64_t distance;
	bool first = true;

	while (code->lines && next_block(&blocks, &distance)) {
		uint64_t address = row->path->part + distance;
		uint64_t end = address + size_of(paths->profile, row->function, address);

		for (size_t i = image_rows_from(&code->rows, address);
		     i < code->rows.rows.count && code->rows.rows.items[i].start < end;
		     i++) {
			struct image_place place = code->rows.rows.items[i].place;

			if (!place.line || (!first && place.file == last.file &&
					    place.line == last.line))
				continue;
			see(out, code->rows.files.strings[place.file], place.line,
			    !first && place.file == last.file);
			last = place;
			first = false;
		}
	}
}

/* "file.c:12 13 20 other.h:7" */
static void add_line(struct text *out, const char *file, uint32_t line, bool same)
{
	text_add(out, out->length ? " " : "");
	if (!same)
		text_format(out, "%s:", path_name(file));
	text_format(out, "%" PRIu32, line);
}

static void add_json_line(struct text *out, const char *file, uint32_t line, bool same)
{
	(void)same;
	text_add(out, out->length ? ", {" : "{");
	json_add_string(out, "file", file);
	json_add_number(out, "line", line);
	text_add(out, "}");
}

/* "+0 +1a +2c", distances from the function; of a cold part from the part, whose address
 * comes first. */
static void add_blocks(const struct hot_path *row, struct text *out)
{
	const char *blocks = row->path->blocks;
	uint64_t distance;

	if (row->path->part != row->function->offset)
		text_format(out, "0x%" PRIx64, row->path->part);
	while (next_block(&blocks, &distance))
		text_format(out, "%s+%" PRIx64, out->length ? " " : "", distance);
}

static const char *text_of_end(const struct hot_path *row)
{
	static const struct {
		const char *end, *text;
	} rows[] = {{"leave", "out"},
		    {"back", "next round"},
		    {"call", "in a call"},
		    {"stop", "stop"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(row->path->end, rows[i].end))
			return rows[i].text;
	return row->path->end;
}

static void add_row(const struct hot_paths *paths, struct codes *codes,
		    const struct hot_path *row, struct grid *grid)
{
	struct text blocks = {0}, lines = {0};

	add_blocks(row, &blocks);
	text_add(&lines, "");
	visit_lines(paths, code_of(codes, row->function->module), row, add_line, &lines);
	grid_add_number(grid, row->count);
	grid_add_number(grid, row->executed);
	grid_add_share(grid, row->executed, row->function->instructions);
	grid_add_share(grid, row->executed, paths->profile->instructions);
	grid_add_text(grid, text_of_end(row));
	grid_add_text(grid, row->function->name);
	grid_add_text(grid, blocks.data);
	grid_add_text(grid, lines.data);
	text_deinit(&blocks);
	text_deinit(&lines);
}

/* The instructions of a block. */
static void add_code(const struct code *code, uint64_t address, uint64_t size,
		     enum disassemble_syntax syntax, struct text *out)
{
	const uint8_t *bytes = image_bytes_at(code->image, address, size);
	char line[DISASSEMBLE_TEXT_MAX];

	for (uint64_t at = 0; bytes && at < size;) {
		uint64_t here = address + at;

		at += disassemble(syntax, bytes + at, size - at, here, line);
		text_format(out, "  %8" PRIx64 "  %s\n", here, line);
	}
}

static void add_listing(const struct hot_paths *paths, struct codes *codes,
			const struct hot_path *row,
			const struct hot_paths_options *options, struct text *out)
{
	const struct code *code = code_of(codes, row->function->module);
	const char *blocks = row->path->blocks;
	uint64_t distance;

	text_format(out, "\n%s, path %" PRIu64 " of %" PRIu64 ", taken ",
		    row->function->name, row->path->number, row->path->of);
	text_add_grouped(out, row->count);
	text_format(out, row->count == 1 ? " time: %s\n" : " times: %s\n",
		    text_of_end(row));
	if (!code->image)
		text_add(out, "  its code cannot be read\n");
	while (code->image && next_block(&blocks, &distance)) {
		uint64_t address = row->path->part + distance;

		text_format(out, " block +%" PRIx64 "\n", distance);
		add_code(code, address, size_of(paths->profile, row->function, address),
			 options->syntax, out);
	}
}

static void add_head(const struct hot_paths *paths, struct text *out)
{
	report_add_count(out, paths->rows.count, "path", "paths");
	text_add(out, " taken in ");
	report_add_count(out, paths->functions, "function", "functions");
	if (paths->without) {
		text_add(out, "; edges were counted instead in ");
		report_add_count(out, paths->without, "function", "functions");
	}
	text_add(out, "\n\n");
}

void hot_paths_text(const struct hot_paths *paths,
		    const struct hot_paths_options *options, struct text *out)
{
	size_t shown = paths->rows.count < options->table.limit ? paths->rows.count
								: options->table.limit;
	struct grid grid = {0};
	struct codes codes;

	codes_init(&codes, paths->profile);
	add_head(paths, out);
	grid_add_column(&grid, "Count", true);
	grid_add_column(&grid, "Instructions", true);
	grid_add_column(&grid, "Function's", true);
	grid_add_column(&grid, "Program's", true);
	grid_add_column(&grid, "To", false);
	grid_add_column(&grid, "Function", false);
	grid_add_column(&grid, "Blocks", false);
	grid_add_column(&grid, "Lines", false);
	for (size_t i = 0; i < shown; i++)
		add_row(paths, &codes, &paths->rows.items[i], &grid);
	grid_print(&grid,
		   &(struct text_style){options->table.colour, options->table.width},
		   out);
	grid_deinit(&grid);
	if (paths->rows.count > shown)
		report_add_more(out, paths->rows.count - shown, "path", "paths");
	for (size_t i = 0; options->disassemble && i < shown; i++)
		add_listing(paths, &codes, &paths->rows.items[i], options, out);
	codes_deinit(&codes);
}

static void add_json_code(const struct code *code, uint64_t address, uint64_t size,
			  enum disassemble_syntax syntax, struct text *out)
{
	const uint8_t *bytes =
		code->image ? image_bytes_at(code->image, address, size) : NULL;
	char line[DISASSEMBLE_TEXT_MAX];

	json_add_key(out, "code");
	text_add(out, "[");
	for (uint64_t at = 0; bytes && at < size;) {
		uint64_t here = address + at;

		text_add(out, at ? ", {" : "{");
		at += disassemble(syntax, bytes + at, size - at, here, line);
		json_add_address(out, "address", here);
		json_add_string(out, "text", line);
		text_add(out, "}");
	}
	text_add(out, "]");
}

static void add_json_blocks(const struct hot_paths *paths, const struct code *code,
			    const struct hot_path *row,
			    const struct hot_paths_options *options, struct text *out)
{
	const char *blocks = row->path->blocks;
	uint64_t distance;
	bool first = true;

	json_add_key(out, "blocks");
	text_add(out, "[");
	for (; next_block(&blocks, &distance); first = false) {
		uint64_t address = row->path->part + distance;

		text_add(out, first ? "{" : ", {");
		json_add_address(out, "block", address);
		if (options->disassemble)
			add_json_code(code, address,
				      size_of(paths->profile, row->function, address),
				      options->syntax, out);
		text_add(out, "}");
	}
	text_add(out, "]");
}

void hot_paths_json(const struct hot_paths *paths,
		    const struct hot_paths_options *options, struct text *out)
{
	const struct report_module *modules = paths->profile->modules.items;
	struct codes codes;

	codes_init(&codes, paths->profile);
	text_add(out, "{");
	json_add_number(out, "functions", paths->functions);
	json_add_number(out, "functions.without.paths", paths->without);
	json_add_number(out, "instructions", paths->executed);
	json_begin_list(out, "rows");
	vector_for_each (&paths->rows, row) {
		const struct code *code = code_of(&codes, row->function->module);
		struct text lines = {0};

		json_begin_item(out);
		json_add_place(out, modules[row->function->module].path, row->function);
		if (row->path->part != row->function->offset)
			json_add_address(out, "path.in", row->path->part);
		json_add_number(out, "path", row->path->number);
		json_add_number(out, "path.total", row->path->of);
		json_add_string(out, "path.end", row->path->end);
		json_add_number(out, "count", row->count);
		json_add_number(out, "path.instructions", row->path->instructions);
		json_add_number(out, "instructions", row->executed);
		add_json_blocks(paths, code, row, options, out);
		visit_lines(paths, code, row, add_json_line, &lines);
		json_add_key(out, "lines");
		text_format(out, "[%s]}", lines.length ? lines.data : "");
		text_deinit(&lines);
	}
	text_add(out, "]}\n");
	codes_deinit(&codes);
}

static int by_number(const void *left, const void *right)
{
	const struct hot_path *a = left, *b = right;

	return compare_numbers(a->function, b->function)
		       ?: compare_numbers(a->path->part, b->path->part)
		       ?: compare_numbers(a->path->number, b->path->number)
		       ?: strcmp(a->path->end, b->path->end);
}

/* The file of the source with a function's first line; empty if it is not known. */
static const char *source_of(const struct code *code, uint64_t address)
{
	size_t index = code->lines ? image_rows_from(&code->rows, address) : 0;

	if (!code->lines || index == code->rows.rows.count ||
	    code->rows.rows.items[index].start > address ||
	    !code->rows.rows.items[index].place.line)
		return "-";
	return code->rows.files.strings[code->rows.rows.items[index].place.file];
}

void hot_paths_describe(const struct hot_paths *paths, struct text *out)
{
	const size_t count = paths->rows.count;
	struct hot_path *rows = memory_allocate((count + 1) * sizeof(*rows));
	const struct hot_path *last = NULL;
	struct codes codes;
	uint32_t id = 0;

	codes_init(&codes, paths->profile);
	if (count)
		memcpy(rows, paths->rows.items, count * sizeof(*rows));
	qsort(rows, count, sizeof(*rows), by_number);
	for (size_t i = 0; i < count; i++) {
		const struct hot_path *row = &rows[i];
		const struct code *code = code_of(&codes, row->function->module);
		struct text lines = {0};

		if (!last || last->function != row->function ||
		    last->path->part != row->path->part)
			text_format(out, "* %" PRIu32 " %" PRIu64 " %s %s\n", id++,
				    row->path->of, row->function->name,
				    source_of(code, row->path->part));
		visit_lines(paths, code, row, add_line, &lines);
		text_format(out, "%" PRIu64 "%s:%" PRIu64 ":%" PRIu64 " {%s} [%s]\n",
			    row->path->number,
			    strcmp(row->path->end, "call") != 0 ? "" : "...",
			    row->path->instructions, row->count,
			    lines.length ? lines.data : "", row->path->blocks);
		text_deinit(&lines);
		last = row;
	}
	free(rows);
	codes_deinit(&codes);
}
