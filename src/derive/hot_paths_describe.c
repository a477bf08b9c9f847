#include "derive/hot_paths_describe.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "derive/path_graph.h"
#include "derive/path_places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int by_number(const void *left, const void *right)
{
	const struct hot_path *a = left, *b = right;

	return compare_numbers(a->function, b->function)
		       ?: compare_numbers(a->path->part, b->path->part)
		       ?: compare_numbers(a->path->number, b->path->number)
		       ?: strcmp(a->path->end, b->path->end);
}

/* The file of the source with a function's first line; "-" if it is not known. */
static const char *source_of(const struct path_code *code, uint64_t address)
{
	size_t index = code->lines ? image_rows_from(&code->rows, address) : 0;

	if (!code->lines || index == code->rows.rows.count ||
	    code->rows.rows.items[index].start > address ||
	    !code->rows.rows.items[index].place.line)
		return "-";
	return code->rows.files.strings[code->rows.rows.items[index].place.file];
}

static void add_block(struct text *out, uint64_t block)
{
	if (block == PATH_GRAPH_NONE)
		text_add(out, " -");
	else
		text_format(out, " %" PRIx64, block);
}

static const char *kind_of(const struct path_graph_step *step)
{
	if (step->from == PATH_GRAPH_NONE)
		return "begin";
	switch (step->sign) {
	case '^':
		return "back";
	case '/':
		return "split";
	case '!':
		return "stop";
	default:
		return step->to == PATH_GRAPH_NONE ? "leave" : "pass";
	}
}

/* "> 1a 2f pass 3 -2": the edges of all of a function's paths. */
static void add_edges(const struct hot_paths *paths, const struct hot_path *row,
		      struct text *out)
{
	const struct report_path_graph *found =
		path_graph_find(paths->profile, row->path->function, row->path->part);
	struct path_graph graph;

	if (!found)
		return;
	path_graph_init(&graph, found);
	vector_for_each (&graph.steps, step) {
		text_add(out, ">");
		add_block(out, step->from);
		add_block(out, step->to);
		text_format(out, " %s %" PRIu64 " %" PRId64 "\n", kind_of(step),
			    step->value, step->increment);
	}
	path_graph_deinit(&graph);
}

static void add_line(struct text *out, const char *file, uint32_t line, bool same)
{
	text_add(out, out->length ? " " : "");
	if (!same)
		text_format(out, "%s:", path_name(file));
	text_format(out, "%" PRIu32, line);
}

static void add_path(const struct hot_paths *paths, const struct path_code *code,
		     const struct hot_path *row, struct text *out)
{
	struct text lines = {0};

	path_places_lines(paths, code, row, add_line, &lines);
	text_format(out, "%" PRIu64 "%s:%" PRIu64 ":%" PRIu64 " {%s} [%s]\n",
		    row->path->number, strcmp(row->path->end, "call") != 0 ? "" : "...",
		    row->path->instructions, row->count, lines.length ? lines.data : "",
		    row->path->blocks);
	text_deinit(&lines);
}

void hot_paths_describe(const struct hot_paths *paths, struct text *out)
{
	const size_t count = paths->rows.count;
	scoped_free struct hot_path *rows = memory_allocate((count + 1) * sizeof(*rows));
	const struct hot_path *last = NULL;
	struct path_codes codes;
	uint32_t id = 0;

	path_codes_init(&codes, paths->profile);
	if (count)
		memcpy(rows, paths->rows.items, count * sizeof(*rows));
	qsort(rows, count, sizeof(*rows), by_number);
	for (size_t i = 0; i < count; i++) {
		const struct hot_path *row = &rows[i];
		const struct path_code *code =
			path_codes_of(&codes, row->function->module);

		if (!last || last->function != row->function ||
		    last->path->part != row->path->part) {
			text_format(out, "* %" PRIu32 " %" PRIu64 " %s %s\n", id++,
				    row->path->of, row->function->name,
				    source_of(code, row->path->part));
			add_edges(paths, row, out);
		}
		add_path(paths, code, row, out);
		last = row;
	}
	path_codes_deinit(&codes);
}
