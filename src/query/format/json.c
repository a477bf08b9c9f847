/* JSON: a list of rows, or an object with them and the run metadata. */
#include "record/value.h"
#include "query/format.h"
#include "query/format/output.h"

/* Adds a list of pairs as {"name": value, ...}. */
static void add_globals(struct text *out, const struct query_globals *globals)
{
	text_add(out, "{");
	vector_for_each (globals, global) {
		text_add(out, global == globals->items ? "" : ", ");
		text_add_json(out, global->name);
		text_add(out, ": ");
		record_value_json(out, global->value);
	}
	text_add(out, "}");
}

static void add_member(struct text *out, bool *first, const char *name,
		       struct record_value value)
{
	text_add(out, *first ? "" : ", ");
	*first = false;
	text_add_json(out, name);
	text_add(out, ": ");
	record_value_json(out, value);
}

static void add_rows(struct query_result *result, const struct query_style *style,
		     struct text *out)
{
	size_t count, *columns = query_result_visible(result, &count);
	struct record_value *cells =
		memory_allocate(result->columns.count * sizeof(*cells));

	text_add(out, style->continued ? "" : "[");
	vector_for_each (&result->rows, row) {
		bool first = true;

		text_add(out, row == result->rows.items && !style->continued ? "\n  {"
									     : ",\n  {");
		query_result_cells(result, row, cells);
		for (size_t i = 0; i < count; i++)
			if (query_is_there(cells[columns[i]]))
				add_member(out, &first,
					   result->columns.items[columns[i]].title,
					   cells[columns[i]]);
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
