#include "derive/hot_paths_json.h"

#include "derive/path_places.h"
#include "report/json/parts.h"

static void add_json_line(struct text *out, const char *file, uint32_t line, bool same)
{
	(void)same;
	text_add(out, out->length ? ", {" : "{");
	json_add_string(out, "file", file);
	json_add_number(out, "line", line);
	text_add(out, "}");
}

static void add_instruction(struct text *out, uint64_t address, const char *text,
			    bool first)
{
	text_add(out, first ? "{" : ", {");
	json_add_address(out, "address", address);
	json_add_string(out, "text", text);
	text_add(out, "}");
}

static void add_blocks(const struct hot_paths *paths, const struct path_code *code,
		       const struct hot_path *row,
		       const struct hot_paths_options *options, struct text *out)
{
	const char *blocks = row->path->blocks;
	uint64_t distance;
	bool first = true;

	json_add_key(out, "blocks");
	text_add(out, "[");
	for (; path_places_next(&blocks, &distance); first = false) {
		text_add(out, first ? "{" : ", {");
		json_add_address(out, "block", row->path->part + distance);
		if (options->disassemble) {
			json_add_key(out, "code");
			text_add(out, "[");
			path_places_code(paths, code, row, distance, options->syntax,
					 add_instruction, out);
			text_add(out, "]");
		}
		text_add(out, "}");
	}
	text_add(out, "]");
}

static void add_row(const struct hot_paths *paths, const struct path_code *code,
		    const struct hot_path *row, const struct hot_paths_options *options,
		    struct text *out)
{
	struct text lines = {0};

	json_begin_item(out);
	json_add_place(out, code->module->path, row->function);
	if (row->path->part != row->function->offset)
		json_add_address(out, "path.in", row->path->part);
	json_add_number(out, "path", row->path->number);
	json_add_number(out, "path.total", row->path->of);
	json_add_string(out, "path.end", row->path->end);
	json_add_number(out, "count", row->count);
	json_add_number(out, "path.instructions", row->path->instructions);
	json_add_number(out, "instructions", row->executed);
	add_blocks(paths, code, row, options, out);
	path_places_lines(paths, code, row, add_json_line, &lines);
	json_add_key(out, "lines");
	text_format(out, "[%s]}", lines.length ? lines.data : "");
	text_deinit(&lines);
}

void hot_paths_json(const struct hot_paths *paths,
		    const struct hot_paths_options *options, struct text *out)
{
	struct path_codes codes;

	path_codes_init(&codes, paths->profile);
	text_add(out, "{");
	json_add_number(out, "functions", paths->functions);
	json_add_number(out, "functions.split", paths->split);
	json_add_number(out, "functions.without.paths", paths->without);
	json_begin_list(out, "without.paths");
	vector_for_each (&paths->bars, bar) {
		json_begin_item(out);
		json_add_string(out, "path.reason", bar->reason);
		json_add_number(out, "functions", bar->functions);
		text_add(out, "}");
	}
	text_add(out, "]");
	json_add_number(out, "instructions", paths->executed);
	json_add_number(out, "left.in.calls", paths->left);
	json_begin_list(out, "rows");
	vector_for_each (&paths->rows, row)
		add_row(paths, path_codes_of(&codes, row->function->module), row, options,
			out);
	text_add(out, "]}\n");
	path_codes_deinit(&codes);
}
