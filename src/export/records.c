#include "export/records.h"

#include "base/array.h"
#include "export/out.h"
#include "record/value.h"
#include "report/probes.h"
#include "report/runs.h"
#include "report/stacks/load.h"
#include "report/tools.h"

#include <string.h>

static void add_columns(struct export_records *records,
			const struct export_column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		vector_push(&records->columns, columns[i]);
}

static struct export_records *add_table(struct export_record_list *list, const char *name)
{
	struct export_records *records = vector_add(&list->tables);

	*records = (struct export_records){.name = name};
	return records;
}

static const char *keep_text(struct export_record_list *list, const char *text)
{
	const uint32_t number = string_table_intern(&list->texts, text);

	return list->texts.strings[number];
}

static void put_cell(struct export_records *records, struct export_cell cell)
{
	vector_push(&records->cells, cell);
}

/* NULL: there is none. */
static void put_text(struct export_records *records, const char *text)
{
	put_cell(records, (struct export_cell){.there = text != NULL, .text = text});
}

static void put_number(struct export_records *records, bool there, uint64_t number)
{
	put_cell(records, (struct export_cell){.there = there, .u = number});
}

static bool is_selected(const struct report_profile *profile, uint32_t image)
{
	return profile->images.items[image].selected;
}

/* --- tools ----------------------------------------------------------------------- */

static const struct export_column process_column[] = {{"process", EXPORT_UINT}};
static const struct export_column code_columns[] = {
	{"module.path", EXPORT_TEXT}, {"function", EXPORT_TEXT},
	{"offset", EXPORT_ADDRESS},   {"address", EXPORT_ADDRESS},
	{"file", EXPORT_TEXT},        {"line", EXPORT_UINT},
};
static const struct export_column records_column[] = {{"records", EXPORT_UINT}};

static uint8_t cell_type(const struct report_tool_column *column)
{
	return column->type == RECORD_STRING   ? EXPORT_TEXT
	       : column->type == RECORD_DOUBLE ? EXPORT_REAL
	       : column->type == RECORD_UINT   ? EXPORT_UINT
					       : EXPORT_INT;
}

/* The name of a column, without the tool's; not that of another column of ours. */
static const char *column_name(struct export_record_list *list,
			       const struct export_records *records,
			       const struct report_tool_table *table,
			       const struct report_tool_column *column)
{
	const size_t length = strlen(table->tool);
	const char *whole = column->whole;
	struct text other = {0};

	if (!strncmp(whole, table->tool, length) && whole[length] == '#')
		whole += length + 1;
	vector_for_each (&records->columns, known)
		if (!other.length && !strcmp(known->name, whole))
			text_add(&other, column->whole);
	if (other.length)
		whole = keep_text(list, other.data);
	text_deinit(&other);
	return whole;
}

static void put_code(struct export_records *records, const struct report_tool_code *code)
{
	put_text(records, code->path);
	put_text(records, code->function);
	put_number(records, code->has_offset, code->offset);
	put_number(records, code->address != 0, code->address);
	put_text(records, code->file);
	put_number(records, code->line != 0, code->line);
}

static void put_tool_row(struct export_records *records,
			 const struct report_profile *profile,
			 const struct report_tool_table *table,
			 const struct report_tool_row *row)
{
	put_number(records, true, profile->images.items[row->image].process);
	if (table->has_code)
		put_code(records, &row->code);
	for (uint32_t i = 0; i < table->columns.count; i++) {
		struct report_tool_cell cell = {0};

		if (i < row->cell_count)
			cell = profile->tool_cells.items[row->first_cell + i];
		put_cell(records, (struct export_cell){.there = cell.there, .i = cell.i});
	}
	put_number(records, true, row->records);
}

static void add_tool_table(struct export_record_list *list,
			   const struct report_profile *profile, uint32_t number)
{
	const struct report_tool_table *table = &profile->tool_tables.items[number];
	struct export_records *records;
	struct text name = {0};

	text_format(&name, "%s/%s", table->tool, table->name);
	records = add_table(list, keep_text(list, name.data));
	text_deinit(&name);
	add_columns(records, process_column, array_count(process_column));
	if (table->has_code)
		add_columns(records, code_columns, array_count(code_columns));
	vector_for_each (&table->columns, column) {
		const struct export_column own = {
			column_name(list, records, table, column), cell_type(column)};

		add_columns(records, &own, 1);
	}
	add_columns(records, records_column, array_count(records_column));
	vector_for_each (&profile->tool_rows, row)
		if (row->table == number && is_selected(profile, row->image))
			put_tool_row(records, profile, table, row);
}

/* --- probes ---------------------------------------------------------------------- */

static const struct export_column count_columns[] = {
	{"process", EXPORT_UINT}, {"probe", EXPORT_TEXT}, {"name", EXPORT_TEXT},
	{"kind", EXPORT_TEXT},    {"keys", EXPORT_TEXT},  {"key", EXPORT_TEXT},
	{"low", EXPORT_INT},      {"high", EXPORT_INT},   {"hits", EXPORT_UINT},
	{"errors", EXPORT_UINT},  {"lost", EXPORT_UINT},  {"sum", EXPORT_INT},
	{"extreme", EXPORT_INT},
};

static const struct export_column hit_columns[] = {
	{"process", EXPORT_UINT}, {"thread", EXPORT_UINT}, {"time.ns", EXPORT_UINT},
	{"probe", EXPORT_TEXT},   {"name", EXPORT_TEXT},   {"values", EXPORT_TEXT},
};

static void put_count(struct export_records *records,
		      const struct report_profile *profile,
		      const struct report_probe_count *count)
{
	const struct report_probe *probe = &profile->probes.items[count->probe];

	put_number(records, true, profile->images.items[count->image].process);
	put_text(records, probe->probe);
	put_text(records, probe->name);
	put_text(records, probe->kind);
	put_text(records, *probe->keys ? probe->keys : NULL);
	put_text(records, count->key);
	put_number(records, count->is_row, (uint64_t)count->low);
	put_number(records, count->is_row, (uint64_t)count->high);
	put_number(records, true, count->hits);
	put_number(records, true, count->errors);
	put_number(records, true, count->lost);
	put_number(records, !count->is_row, (uint64_t)count->sum);
	put_number(records, count->has_extreme, (uint64_t)count->extreme);
}

static void add_probes(struct export_record_list *list,
		       const struct report_profile *profile)
{
	struct export_records *records;

	if (profile->probes.count) {
		records = add_table(list, "probes");
		add_columns(records, count_columns, array_count(count_columns));
		vector_for_each (&profile->probe_counts, count)
			if (is_selected(profile, count->image) &&
			    (count->hits || count->errors || count->lost))
				put_count(records, profile, count);
	}
	if (!profile->probe_hits.count)
		return;
	records = add_table(list, "probe hits");
	add_columns(records, hit_columns, array_count(hit_columns));
	vector_for_each (&profile->probe_hits, hit) {
		const struct report_probe *probe = &profile->probes.items[hit->probe];

		if (!is_selected(profile, hit->image))
			continue;
		put_number(records, true, profile->images.items[hit->image].process);
		put_number(records, true, hit->thread);
		put_number(records, true, hit->ns);
		put_text(records, probe->probe);
		put_text(records, probe->name);
		put_text(records, hit->values);
	}
}

/* --- waits ----------------------------------------------------------------------- */

static const struct export_column wait_columns[] = {
	{"process", EXPORT_UINT},  {"thread", EXPORT_UINT},  {"state", EXPORT_TEXT},
	{"kind", EXPORT_TEXT},     {"on", EXPORT_TEXT},      {"holder", EXPORT_TEXT},
	{"times", EXPORT_UINT},    {"time.ns", EXPORT_UINT}, {"longest.ns", EXPORT_UINT},
	{"function", EXPORT_TEXT}, {"callers", EXPORT_TEXT},
};

static bool is_process_selected(const struct report_profile *profile, uint64_t process)
{
	vector_for_each (&profile->images, image)
		if (image->selected && image->process == process)
			return true;
	return false;
}

static void put_stack_string(struct export_record_list *list,
			     struct export_records *records,
			     const struct stack_list *stacks, uint32_t number)
{
	put_text(records, number == STACK_NONE
				  ? NULL
				  : keep_text(list, stack_list_string(stacks, number)));
}

/* The callers of a frame, the outermost first. */
static void add_callers(const struct stack_list *stacks, uint32_t frame,
			struct text *text)
{
	if (frame == STACK_NONE)
		return;
	add_callers(stacks, stacks->frames.items[frame].parent, text);
	if (text->length)
		text_add(text, ";");
	export_add_escaped(
		text, stack_list_string(stacks, stacks->frames.items[frame].function),
		";");
}

static void put_wait(struct export_record_list *list, struct export_records *records,
		     const struct stack_list *stacks, const struct stack_row *row)
{
	const struct stack_frame *frame =
		row->frame == STACK_NONE ? NULL : &stacks->frames.items[row->frame];
	struct text callers = {0};

	put_number(records, true, row->process);
	put_number(records, true, row->thread);
	put_stack_string(list, records, stacks, row->state);
	put_stack_string(list, records, stacks, row->kind);
	put_stack_string(list, records, stacks, row->on);
	put_stack_string(list, records, stacks, row->holder);
	put_number(records, true, row->times);
	put_number(records, true, row->ns);
	put_number(records, row->longest_ns != 0, row->longest_ns);
	put_stack_string(list, records, stacks, frame ? frame->function : STACK_NONE);
	if (frame)
		add_callers(stacks, frame->parent, &callers);
	put_text(records, callers.length ? keep_text(list, callers.data) : NULL);
	text_deinit(&callers);
}

/* Whether threads' waits were measured. */
static bool has_waits(const struct report_profile *profile)
{
	vector_for_each (&profile->runs, run) {
		const char *measure = report_run_text(run, "run.measure");

		if (strstr(measure, "waits") || strstr(measure, "stacks"))
			return true;
	}
	return false;
}

static struct trm_error *add_waits(struct export_record_list *list,
				   const struct report_profile *profile, const char *path)
{
	struct export_records *records;
	struct stack_list stacks;

	if (!has_waits(profile))
		return NULL;
	TRM_TRY(stack_list_load(path, &stacks));
	records = add_table(list, "waits");
	add_columns(records, wait_columns, array_count(wait_columns));
	vector_for_each (&stacks.rows, row)
		if (is_process_selected(profile, row->process))
			put_wait(list, records, &stacks, row);
	stack_list_deinit(&stacks);
	return NULL;
}

struct trm_error *export_records_init(struct export_record_list *list,
				      const struct report_profile *profile,
				      const char *path)
{
	*list = (struct export_record_list){0};
	for (uint32_t i = 0; i < profile->tool_tables.count; i++)
		add_tool_table(list, profile, i);
	add_probes(list, profile);
	return add_waits(list, profile, path);
}

void export_records_deinit(struct export_record_list *list)
{
	vector_for_each (&list->tables, records) {
		vector_deinit(&records->columns);
		vector_deinit(&records->cells);
	}
	vector_deinit(&list->tables);
	string_table_deinit(&list->texts);
}

const struct export_records *export_records_find(const struct export_record_list *list,
						 const char *name)
{
	vector_for_each (&list->tables, records)
		if (!strcmp(records->name, name))
			return records;
	return NULL;
}

void export_records_names(const struct export_record_list *list, struct text *text)
{
	vector_for_each (&list->tables, records)
		text_format(text, "%s'%s'", records == list->tables.items ? "" : ", ",
			    records->name);
}
