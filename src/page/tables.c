#include "page/tables.h"

#include "base/json_write.h"
#include "coverage/coverage.h"
#include "export/records.h"
#include "report/json/values.h"
#include "report/values.h"

#include <inttypes.h>
#include <string.h>

static void add_file(const struct coverage_file *file, struct text *out)
{
	json_begin_item(out);
	json_add_text(out, "file", file->path);
	json_add_number(out, "functions.known", file->functions);
	json_add_number(out, "functions.executed", file->executed);
	if (file->lines) {
		json_add_number(out, "lines.known", file->lines);
		json_add_number(out, "lines.executed", file->executed_lines);
	}
	if (file->branches) {
		json_add_number(out, "branches.known", file->branches);
		json_add_number(out, "branches.taken", file->taken_branches);
	}
	json_add_boolean(out, "complete", file->complete);
	text_add(out, "}");
}

void page_add_coverage(const struct report_profile *profile, page_cover *cover,
		       struct text *out)
{
	struct coverage coverage;

	cover(&coverage, profile, NULL);
	json_begin_list(out, "coverage");
	vector_for_each (&coverage.files, file)
		add_file(file, out);
	text_add(out, "]");
	coverage_deinit(&coverage);
}

static void add_cell(const struct export_column *column, const struct export_cell *cell,
		     struct text *out)
{
	if (!cell->there)
		text_add(out, "null");
	else if (column->type == EXPORT_INT)
		text_format(out, "%" PRId64, cell->i);
	else if (column->type == EXPORT_UINT)
		text_format(out, "%" PRIu64, cell->u);
	else if (column->type == EXPORT_REAL)
		text_format(out, "%.17g", cell->d);
	else if (column->type == EXPORT_ADDRESS)
		text_format(out, "\"0x%" PRIx64 "\"", cell->u);
	else
		text_add_json(out, cell->text);
}

/* Adds a table with a list of cells for each row. */
static void add_table(const struct export_records *table, struct text *out)
{
	const size_t columns = table->columns.count;

	json_begin_item(out);
	json_add_text(out, "name", table->name);
	json_add_key(out, "columns");
	for (size_t i = 0; i < columns; i++) {
		text_add(out, i ? ", " : "[");
		text_add_json(out, table->columns.items[i].name);
	}
	text_add(out, "]");
	json_add_key(out, "rows");
	text_add(out, "[");
	for (size_t at = 0; columns && at < table->cells.count; at++) {
		const size_t column = at % columns;

		text_add(out, column ? "," : at ? ",\n[" : "\n[");
		add_cell(&table->columns.items[column], &table->cells.items[at], out);
		text_add(out, column + 1 == columns ? "]" : "");
	}
	text_add(out, "]}");
}

/* Values have a list of their own. */
static bool is_shown(const struct export_records *table)
{
	return table->columns.count && strncmp(table->name, "values/", 7) != 0;
}

struct trm_error *page_add_tables(const struct report_profile *profile, const char *path,
				  struct text *out)
{
	static const struct report_values_choice all = {.order = REPORT_VALUES_BY_SEEN};
	struct export_record_list list;
	struct report_values values;
	struct trm_error *error;

	report_values_init(&values, profile, &all);
	text_add(out, ",\n\"values\": ");
	report_values_json(out, &values);
	report_values_deinit(&values);
	error = export_records_init(&list, profile, path);
	json_begin_list(out, "tables");
	if (!error)
		vector_for_each (&list.tables, table)
			if (is_shown(table))
				add_table(table, out);
	text_add(out, "]");
	export_records_deinit(&list);
	return error;
}
