/* Formats with a line for each row: CSV, attribute=value lists, folded stacks. */
#include "query/format/lines.h"

#include "query/format/cells.h"
#include "query/format/output.h"
#include "record/value.h"

#include <math.h>

/* The visible columns and the cells of a row. */
struct walk {
	struct query_result *result;
	size_t *columns;
	size_t count;
	struct record_value *cells;
	struct text cell;
};

static struct walk begin_walk(struct query_result *result)
{
	struct walk walk = {.result = result};

	walk.columns = query_result_visible(result, &walk.count);
	walk.cells = memory_allocate(result->columns.count * sizeof(*walk.cells));
	return walk;
}

static void end_walk(struct walk *walk)
{
	free(walk->columns);
	free(walk->cells);
	text_deinit(&walk->cell);
}

static const struct query_result_column *column_at(const struct walk *walk, size_t i)
{
	return &walk->result->columns.items[walk->columns[i]];
}

/* The cell as text, NULL where there is nothing. Valid until the next call. */
static const char *cell_at(struct walk *walk, size_t i)
{
	struct record_value value = walk->cells[walk->columns[i]];

	if (!query_is_there(value))
		return NULL;
	walk->cell.length = 0;
	text_add(&walk->cell, "");
	record_value_text(&walk->cell, value);
	return walk->cell.data;
}

/* Adds a field as RFC 4180 has it. */
static void add_field(struct text *out, const char *field)
{
	if (!strpbrk(field, ",\"\r\n")) {
		text_add(out, field);
		return;
	}
	text_add(out, "\"");
	for (; *field; field++)
		text_add_bytes(out, *field == '"' ? "\"\"" : field,
			       *field == '"' ? 2 : 1);
	text_add(out, "\"");
}

void query_print_csv(struct query_result *result, const struct query_style *style,
		     struct text *out)
{
	struct walk walk = begin_walk(result);

	for (size_t i = 0; i < walk.count && !style->continued; i++) {
		text_add(out, i ? "," : "");
		add_field(out, column_at(&walk, i)->title);
	}
	text_add(out, style->continued ? "" : "\n");
	vector_for_each (&result->rows, row) {
		query_result_cells(result, row, walk.cells);
		for (size_t i = 0; i < walk.count; i++) {
			const char *cell = cell_at(&walk, i);

			text_add(out, i ? "," : "");
			add_field(out, cell ? cell : "");
		}
		text_add(out, "\n");
		query_give(style, out);
	}
	end_walk(&walk);
}

void query_print_expand(struct query_result *result, const struct query_style *style,
			struct text *out)
{
	struct walk walk = begin_walk(result);

	vector_for_each (&result->rows, row) {
		bool first = true;

		query_result_cells(result, row, walk.cells);
		for (size_t i = 0; i < walk.count; i++) {
			const char *cell = cell_at(&walk, i);

			if (!cell)
				continue;
			text_add(out, first ? "" : ",");
			first = false;
			query_add_escaped(out, column_at(&walk, i)->title);
			text_add(out, "=");
			query_add_escaped(out, cell);
		}
		text_add(out, "\n");
		query_give(style, out);
	}
	end_walk(&walk);
}

/* Adds "a;b;c". What would end a word is shown as something else. */
static void add_stack(struct text *out, const struct query_keys *keys, uint32_t path)
{
	struct VECTOR(uint32_t) nodes = {0};
	struct text label = {0};

	for (; path; path = keys->nodes.items[path].parent)
		vector_push(&nodes, path);
	for (size_t i = nodes.count; i-- > 0;) {
		label.length = 0;
		text_add(&label, "");
		record_value_text(&label, keys->nodes.items[nodes.items[i]].value);
		for (char *c = label.data; *c; c++)
			*c = *c == ';' ? ':' : (unsigned char)*c < 0x20 ? ' ' : *c;
		text_add(out, label.data);
		text_add(out, i ? ";" : "");
	}
	text_deinit(&label);
	vector_deinit(&nodes);
}

/* The first column that has numbers, results before attributes. */
static size_t number_column(const struct walk *walk)
{
	size_t found = walk->count;

	for (size_t i = walk->count; i-- > 0;) {
		const struct query_result_column *column = column_at(walk, i);

		if (column->text || column->kind == QUERY_COLUMN_PATH)
			continue;
		if (column->kind == QUERY_COLUMN_AGGREGATE || found == walk->count ||
		    column_at(walk, found)->kind != QUERY_COLUMN_AGGREGATE)
			found = i;
	}
	return found;
}

/* Adds a number for flamegraph.pl and similar tools, without an exponent; false if they
 * cannot draw it. */
static bool add_weight(struct text *out, struct record_value value)
{
	struct record_value number = query_number(value);

	if (number.type == RECORD_UINT) {
		record_value_text(out, number);
		return true;
	}
	if (number.type != RECORD_DOUBLE || !isfinite(number.d) || number.d < 0)
		return false;
	text_format(out, "%.9f", number.d);
	while (out->data[out->length - 1] == '0')
		out->length--;
	out->length -= out->data[out->length - 1] == '.';
	out->data[out->length] = '\0';
	return true;
}

void query_print_folded(struct query_result *result, const struct query_style *style,
			struct text *out)
{
	struct walk walk = begin_walk(result);
	size_t number = number_column(&walk);

	for (size_t i = 0; i < walk.count; i++)
		if (i != number)
			result->columns.items[walk.columns[i]].unread = true;
	vector_for_each (&result->rows, row) {
		query_result_cells(result, row, walk.cells);
		walk.cell.length = 0;
		if (!row->path || number == walk.count ||
		    !add_weight(&walk.cell, walk.cells[walk.columns[number]]))
			continue;
		add_stack(out, &result->part->keys, row->path);
		text_format(out, " %s\n", walk.cell.data);
		query_give(style, out);
	}
	end_walk(&walk);
}
