#include "report/json/tools.h"

#include "record/value.h"
#include "report/json/parts.h"
#include "report/tools.h"

static void add_code(struct text *out, const struct report_tool_code *code)
{
	if (code->module)
		json_add_string(out, "module", code->module);
	if (code->path)
		json_add_string(out, "module.path", code->path);
	if (code->function) {
		json_add_string(out, "function", code->function);
		json_add_address(out, "code.address", code->address);
	}
	if (code->has_offset)
		json_add_address(out, "offset", code->offset);
	if (!code->line || !code->file)
		return;
	json_add_string(out, "source.file", code->file);
	json_add_number(out, "source.line", code->line);
}

static void add_cell(struct text *out, const struct report_tool_column *column,
		     const struct report_tool_cell *cell)
{
	struct record_value value = {.type = (enum record_type)column->type};

	if (column->type == RECORD_STRING) {
		json_add_string(out, column->whole, cell->text);
		return;
	}
	if (column->type == RECORD_DOUBLE)
		value.d = cell->d;
	else
		value.i = cell->i;
	json_add_key(out, column->whole);
	record_value_json(out, value);
}

static void add_row(struct text *out, const struct report_tool_table *table,
		    const struct report_tool_sum *row)
{
	json_begin_item(out);
	add_code(out, &row->code);
	json_add_number(out, "tool.records", row->records);
	for (size_t i = 0; i < table->columns.count; i++)
		if (row->cells[i].there)
			add_cell(out, &table->columns.items[i], &row->cells[i]);
	text_add(out, "}");
}

void json_add_tools(struct text *out, const struct report_profile *profile)
{
	for (uint32_t i = 0; i < profile->tool_tables.count; i++) {
		const struct report_tool_table *table = &profile->tool_tables.items[i];
		struct report_tool_sums sums = report_tools_sums(profile, i);

		json_begin_item(out);
		json_add_string(out, "tool", table->tool);
		json_add_string(out, "tool.table", table->name);
		json_begin_list(out, "rows");
		vector_for_each (&sums.rows, row)
			add_row(out, table, row);
		text_add(out, "]}");
		report_tools_sums_deinit(&sums);
	}
}
