#include "query/format/json.h"

#include "base/json_write.h"
#include "record/value.h"
#include "query/format/output.h"

/* Adds a list of pairs as {"name": value, ...}. */
static void add_globals(struct text *out, const struct query_globals *globals)
{
	text_add(out, "{");
	vector_for_each (globals, global) {
		json_add_key(out, global->name);
		record_value_json(out, global->value);
	}
	text_add(out, "}");
}

static void add_rows(struct query_result *result, const struct query_style *style,
		     struct text *out)
{
	size_t count, *columns = query_result_visible(result, &count);
	struct record_value *cells =
		memory_allocate(result->columns.count * sizeof(*cells));

	text_add(out, style->continued ? "" : "[");
	vector_for_each (&result->rows, row) {
		text_add(out, row == result->rows.items && !style->continued ? "\n  {"
									     : ",\n  {");
		query_result_cells(result, row, cells);
		for (size_t i = 0; i < count; i++) {
			if (!query_is_there(cells[columns[i]]))
				continue;
			json_add_key(out, result->columns.items[columns[i]].title);
			record_value_json(out, cells[columns[i]]);
		}
		text_add(out, "}");
		query_give(style, out);
	}
	text_add(out, style->unfinished ? "" : "]");
	free(cells);
	free(columns);
}

static void add_runs(const struct query_result *result, struct text *out)
{
	static const struct query_globals none = {0};
	const struct query_globals *first =
		result->part->runs.count ? result->part->runs.items : &none;

	text_add(out, "{\"profile\": ");
	add_globals(out, first);
	if (result->part->runs.count > 1) {
		text_add(out, ",\n \"runs\": [");
		vector_for_each (&result->part->runs, run) {
			text_add(out, run == first ? "\n  " : ",\n  ");
			add_globals(out, run);
		}
		text_add(out, "]");
	}
}

void query_print_json(struct query_result *result, const struct query_style *style,
		      struct text *out)
{
	bool object = style->object || result->query->object;

	if (object) {
		add_runs(result, out);
		text_add(out, ",\n \"rows\": ");
	}
	add_rows(result, style, out);
	if (!style->unfinished)
		text_add(out, object ? "}\n" : "\n");
}
