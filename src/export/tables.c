/*
 * Tables: a row for each place with counts, as comma-separated values (RFC 4180) or as a
 * JSON object a line. Columns: process, thread, module, function, its linked name and
 * offset, address, file, line, the callers, and a number of each type. Tables of tools,
 * probes and waits have columns of their own (export/records.h).
 */
#include "base/cleanup.h"
#include "base/json_write.h"
#include "export/formats.h"
#include "export/places.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row: counts of one place. */
struct table_row {
	const struct export_view *view;
	const struct export_node *node;
	const struct export_frame *frame;
	const struct export_count *count;
	const char *file;
	uint32_t line;
	uint64_t *values; /* by type */
	uint32_t nodes[EXPORT_DEPTH_MAX];
	size_t depth;
};

static void add_field(struct text *text, const char *field)
{
	if (!strpbrk(field, ",\"\r\n")) {
		text_add(text, field);
		return;
	}
	text_add(text, "\"");
	for (; *field; field++)
		text_add_bytes(text, *field == '"' ? "\"\"" : field,
			       *field == '"' ? 2 : 1);
	text_add(text, "\"");
}

static const struct export_frame *caller_of(const struct table_row *row, size_t i)
{
	return &row->view->frames.items[row->view->nodes.items[row->nodes[i]].frame];
}

static void add_address(struct text *text, uint64_t address)
{
	if (address)
		text_format(text, "0x%" PRIx64, address);
	text_add(text, ",");
}

static void add_comma_row(struct text *text, const struct table_row *row)
{
	const struct report_profile *profile = row->view->profile;
	struct text callers = {0};

	text_format(text, "%" PRIu64 ",",
		    profile->images.items[row->count->image].process);
	if (row->count->thread != EXPORT_NONE)
		text_format(text, "%" PRIu64,
			    profile->threads.items[row->count->thread].number);
	text_add(text, ",");
	add_field(text, export_module_path(row->view, row->frame));
	text_add(text, ",");
	add_field(text, row->frame->name);
	text_add(text, ",");
	add_field(text, row->frame->linked ? row->frame->linked : "");
	text_add(text, ",");
	add_address(text, row->frame->offset);
	add_address(text, row->node->address);
	add_field(text, row->file ? row->file : "");
	text_add(text, ",");
	if (row->line)
		text_format(text, "%" PRIu32, row->line);
	text_add(text, ",");
	for (size_t i = row->depth; i-- > 1;) {
		export_add_escaped(&callers, caller_of(row, i)->name, ";");
		text_add(&callers, i > 1 ? ";" : "");
	}
	add_field(text, callers.data ? callers.data : "");
	text_deinit(&callers);
	for (size_t i = 0; i < row->view->types.count; i++)
		text_format(text, ",%" PRIu64, row->values[i]);
	text_add(text, "\r\n");
}

static void add_callers(struct text *text, const struct table_row *row)
{
	if (row->depth < 2)
		return;
	text_add(text, ", \"callers\": [");
	for (size_t i = row->depth; i-- > 1;) {
		text_add_json(text, caller_of(row, i)->name);
		text_add(text, i > 1 ? ", " : "]");
	}
}

static void add_json_row(struct text *text, const struct table_row *row)
{
	const struct report_profile *profile = row->view->profile;

	text_add(text, "{");
	json_add_number(text, "process",
			profile->images.items[row->count->image].process);
	if (row->count->thread != EXPORT_NONE)
		json_add_number(text, "thread",
				profile->threads.items[row->count->thread].number);
	json_add_string(text, "module.path", export_module_path(row->view, row->frame));
	json_add_text(text, row->frame->module == EXPORT_NONE ? "region" : "function",
		      row->frame->name);
	json_add_string(text, "linked", row->frame->linked ? row->frame->linked : "");
	if (row->frame->offset)
		json_add_address(text, "offset", row->frame->offset);
	if (row->node->address)
		json_add_address(text, "address", row->node->address);
	json_add_string(text, "file", row->file ? row->file : "");
	if (row->line)
		json_add_number(text, "line", row->line);
	add_callers(text, row);
	for (size_t i = 0; i < row->view->types.count; i++)
		if (row->values[i])
			json_add_number(text, row->view->types.items[i].name,
					row->values[i]);
	text_add(text, "}\n");
}

/* Calls `add` for each row. */
static void each_row(const struct export_view *view, struct export_out *out,
		     void (*add)(struct text *text, const struct table_row *row))
{
	const struct export_count *counts = view->counts.items;
	size_t total = view->counts.count;
	struct table_row row = {.view = view};

	row.values = memory_allocate_zeroed(view->types.count + 1, sizeof(*row.values));
	for (size_t i = 0, end; i < total; i = end) {
		for (end = i; end < total && counts[end].node == counts[i].node &&
			      counts[end].image == counts[i].image &&
			      counts[end].thread == counts[i].thread;
		     end++)
			row.values[counts[end].type] = export_sum(
				row.values[counts[end].type], counts[end].value);
		row.count = &counts[i];
		row.node = &view->nodes.items[counts[i].node];
		row.frame = &view->frames.items[row.node->frame];
		row.depth = export_stack(view, counts[i].node, row.nodes);
		export_line_of(view, row.node, &row.file, &row.line);
		add(&out->text, &row);
		export_out_drain(out);
		memset(row.values, 0, view->types.count * sizeof(*row.values));
	}
	free(row.values);
}

static const struct export_cell *cell_of(const struct export_records *records, size_t row,
					 size_t column)
{
	return &records->cells.items[row * records->columns.count + column];
}

static size_t row_count(const struct export_records *records)
{
	return records->cells.count / records->columns.count;
}

/* A value as CSV has it, and JSON, but for texts. */
static void add_value(struct text *text, uint8_t type, const struct export_cell *cell)
{
	switch (type) {
	case EXPORT_INT:
		text_format(text, "%" PRId64, cell->i);
		break;
	case EXPORT_UINT:
		text_format(text, "%" PRIu64, cell->u);
		break;
	case EXPORT_REAL:
		text_format(text, "%.17g", cell->d);
		break;
	case EXPORT_ADDRESS:
		text_format(text, "0x%" PRIx64, cell->u);
		break;
	default:
		add_field(text, cell->text);
	}
}

static void write_records(const struct export_records *records, struct export_out *out)
{
	const size_t columns = records->columns.count, rows = row_count(records);

	for (size_t i = 0; i < columns; i++) {
		text_add(&out->text, i ? "," : "");
		add_field(&out->text, records->columns.items[i].name);
	}
	text_add(&out->text, "\r\n");
	for (size_t row = 0; row < rows; row++) {
		for (size_t i = 0; i < columns; i++) {
			const struct export_cell *cell = cell_of(records, row, i);

			text_add(&out->text, i ? "," : "");
			if (cell->there)
				add_value(&out->text, records->columns.items[i].type,
					  cell);
		}
		text_add(&out->text, "\r\n");
		export_out_drain(out);
	}
}

static void add_member(struct text *text, const struct export_column *column,
		       const struct export_cell *cell)
{
	if (column->type == EXPORT_TEXT) {
		json_add_text(text, column->name, cell->text);
	} else if (column->type == EXPORT_ADDRESS) {
		json_add_address(text, column->name, cell->u);
	} else if (column->type == EXPORT_REAL && !isfinite(cell->d)) {
		json_add_key(text, column->name);
		text_add(text, "null");
	} else {
		json_add_key(text, column->name);
		add_value(text, column->type, cell);
	}
}

/* An object for each row, with the name of its table. */
static void write_objects(const struct export_records *records, struct export_out *out)
{
	const size_t rows = row_count(records);

	for (size_t row = 0; row < rows; row++) {
		text_add(&out->text, "{");
		json_add_text(&out->text, "table", records->name);
		for (size_t i = 0; i < records->columns.count; i++)
			if (cell_of(records, row, i)->there)
				add_member(&out->text, &records->columns.items[i],
					   cell_of(records, row, i));
		text_add(&out->text, "}\n");
		export_out_drain(out);
	}
}

struct trm_error *export_csv(struct export_view *view,
			     const struct export_options *options, struct export_out *out)
{
	if (options->table) {
		write_records(options->table, out);
		return NULL;
	}
	text_add(&out->text,
		 "process,thread,module,function,linked,offset,address,file,line,"
		 "callers");
	vector_for_each (&view->types, type) {
		text_add(&out->text, ",");
		add_field(&out->text, type->name);
	}
	text_add(&out->text, "\r\n");
	each_row(view, out, add_comma_row);
	return NULL;
}

struct trm_error *export_json_lines(struct export_view *view,
				    const struct export_options *options,
				    struct export_out *out)
{
	if (options->table) {
		write_objects(options->table, out);
		return NULL;
	}
	each_row(view, out, add_json_row);
	if (options->records)
		vector_for_each (&options->records->tables, records)
			write_objects(records, out);
	return NULL;
}
