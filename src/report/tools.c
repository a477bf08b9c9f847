#include "report/tools.h"

#include "base/array.h"
#include "base/text.h"
#include "record/model.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_MAX_NODES = 64 };

/* A record, its path first, the outermost node first. */
struct reading {
	struct report_profile *profile;
	const struct record_model *model;
	struct record_pair pairs[PATH_MAX_NODES];
	size_t count;
};

static const char *keep_string(struct report_profile *profile, const char *text)
{
	uint32_t index = string_table_intern(&profile->strings, text);

	return profile->strings.strings[index];
}

static void read_path(struct reading *reading, record_node node)
{
	struct record_pair pair;

	if (!node)
		return;
	read_path(reading, record_node_parent(reading->model, node));
	pair = record_node_pair(reading->model, node);
	if (reading->count < PATH_MAX_NODES)
		reading->pairs[reading->count++] = pair;
}

/* A text of the path; NULL: it is not there. */
static const char *text_of(const struct reading *reading, const char *name)
{
	for (size_t i = 0; i < reading->count; i++)
		if (reading->pairs[i].value.type == RECORD_STRING &&
		    !strcmp(record_attribute_name(reading->model,
						  reading->pairs[i].attribute),
			    name))
			return reading->pairs[i].value.bytes;
	return NULL;
}

static uint32_t find_table(struct report_profile *profile, const char *tool,
			   const char *name)
{
	struct report_tool_table *table;

	for (uint32_t i = 0; i < profile->tool_tables.count; i++) {
		table = &profile->tool_tables.items[i];
		if (!strcmp(table->tool, tool) && !strcmp(table->name, name))
			return i;
	}
	table = vector_add(&profile->tool_tables);
	table->tool = keep_string(profile, tool);
	table->name = keep_string(profile, name);
	return (uint32_t)(profile->tool_tables.count - 1);
}

/* What of an attribute's name is behind "TOOL#"; of the region, all. NULL: it is none of
 * the tool's. */
static const char *own_name(const char *tool, const char *name)
{
	size_t length = strlen(tool);

	if (!strcmp(name, "region.path"))
		return name;
	return !strncmp(name, tool, length) && name[length] == '#' ? name + length + 1
								   : NULL;
}

static struct report_tool_column make_column(const struct reading *reading,
					     record_attribute attribute, const char *name)
{
	static const struct {
		const char *prefix, *word;
		enum report_tool_fold fold;
	} rows[] = {
		{"min#", "least ", REPORT_TOOL_LEAST},
		{"max#", "most ", REPORT_TOOL_MOST},
	};
	struct report_tool_column column = {
		.whole = keep_string(reading->profile,
				     record_attribute_name(reading->model, attribute)),
		.fold = record_attribute_properties(reading->model, attribute) &
					RECORD_AGGREGATABLE
				? REPORT_TOOL_SUM
				: REPORT_TOOL_KEY,
		.type = (uint8_t)record_attribute_type(reading->model, attribute),
	};
	struct text title = {0};

	for (size_t i = 0; i < array_count(rows); i++) {
		if (strncmp(name, rows[i].prefix, strlen(rows[i].prefix)) != 0)
			continue;
		column.fold = (uint8_t)rows[i].fold;
		name += strlen(rows[i].prefix);
		text_add(&title, rows[i].word);
	}
	text_add(&title, name);
	column.title = keep_string(reading->profile, title.data);
	text_deinit(&title);
	return column;
}

/* The column of an attribute; NULL: it is none of the tool's. */
static const struct report_tool_column *find_column(const struct reading *reading,
						    struct report_tool_table *table,
						    record_attribute attribute,
						    size_t *ret_index)
{
	const char *whole = record_attribute_name(reading->model, attribute);
	const char *name = own_name(table->tool, whole);

	if (!name)
		return NULL;
	for (size_t i = 0; i < table->columns.count; i++) {
		if (strcmp(table->columns.items[i].whole, whole) != 0)
			continue;
		*ret_index = i;
		return &table->columns.items[i];
	}
	*ret_index = table->columns.count;
	vector_push(&table->columns, make_column(reading, attribute, name));
	return &table->columns.items[*ret_index];
}

static void read_cell(const struct reading *reading, struct report_tool_table *table,
		      struct report_tool_row *row, const struct record_pair *pair)
{
	struct report_profile *profile = reading->profile;
	struct report_tool_cell cell = {.there = true};
	size_t index;
	const struct report_tool_column *column =
		find_column(reading, table, pair->attribute, &index);

	if (!column)
		return;
	while (row->cell_count <= index) {
		vector_push(&profile->tool_cells, ((struct report_tool_cell){0}));
		row->cell_count++;
	}
	if (column->type == RECORD_STRING)
		cell.text = keep_string(profile, pair->value.bytes);
	else if (column->type == RECORD_DOUBLE)
		cell.d = pair->value.d;
	else
		cell.i = pair->value.i;
	profile->tool_cells.items[row->first_cell + index] = cell;
}

/* What of a pair says which code the row is about. */
static void read_code(const struct reading *reading, const struct record_pair *pair,
		      struct report_tool_row *row)
{
	struct report_tool_code *code = &row->code;
	const struct {
		const char *name;
		const char **text;
		uint64_t *number;
	} rows[] = {
		{"module", &code->module, NULL},
		{"module.path", &code->path, NULL},
		{"function", &code->function, NULL},
		{"source.file", &code->file, NULL},
		{"source.line", NULL, &code->line},
		{"offset", NULL, &code->offset},
		{"code.address", NULL, &code->address},
		{"tool.records", NULL, &row->records},
	};
	const char *name = record_attribute_name(reading->model, pair->attribute);

	for (size_t i = 0; i < array_count(rows); i++) {
		if (strcmp(name, rows[i].name) != 0 ||
		    (pair->value.type == RECORD_STRING) != (rows[i].text != NULL))
			continue;
		if (rows[i].text)
			*rows[i].text = keep_string(reading->profile, pair->value.bytes);
		else
			*rows[i].number = pair->value.u;
		code->has_offset |= rows[i].number == &code->offset;
		return;
	}
}

void report_tools_add(struct report_profile *profile, const struct record_model *model,
		      record_node node, const struct record_pair *pairs, size_t count,
		      uint32_t image)
{
	struct reading reading = {.profile = profile, .model = model};
	struct report_tool_row row = {.image = image};
	const char *tool, *name;

	read_path(&reading, node);
	tool = text_of(&reading, "tool");
	name = text_of(&reading, "tool.table");
	if (!tool || !name)
		return;
	row.table = find_table(profile, tool, name);
	row.first_cell = (uint32_t)profile->tool_cells.count;

	struct report_tool_table *table = &profile->tool_tables.items[row.table];

	for (size_t i = 0; i < reading.count + count; i++) {
		const struct record_pair *pair =
			i < reading.count ? &reading.pairs[i] : &pairs[i - reading.count];

		read_code(&reading, pair, &row);
		read_cell(&reading, table, &row, pair);
	}
	table->has_code |= row.code.function != NULL;
	vector_push(&profile->tool_rows, row);
}

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

int report_tools_compare(const struct report_tool_column *column,
			 const struct report_tool_cell *a,
			 const struct report_tool_cell *b)
{
	if (a->there != b->there)
		return a->there - b->there;
	if (!a->there)
		return 0;
	if (column->type == RECORD_STRING)
		return strcmp(a->text, b->text);
	return column->type == RECORD_DOUBLE ? compare_numbers(a->d, b->d)
					     : compare_numbers(a->i, b->i);
}

static int compare_code(const struct report_tool_code *a,
			const struct report_tool_code *b)
{
	return compare_texts(a->path, b->path)
		       ?: compare_texts(a->function, b->function)
		       ?: compare_numbers(a->address, b->address);
}

static int by_keys(const void *left, const void *right, void *context)
{
	const struct report_tool_sum *a = left, *b = right;
	const struct report_tool_table *table = context;
	int result = compare_code(&a->code, &b->code);

	for (size_t i = 0; !result && i < table->columns.count; i++)
		if (table->columns.items[i].fold == REPORT_TOOL_KEY)
			result = report_tools_compare(&table->columns.items[i],
						      &a->cells[i], &b->cells[i]);
	return result;
}

/* Largest first number first. */
static int by_number(const void *left, const void *right, void *context)
{
	const struct report_tool_sum *a = left, *b = right;
	const struct report_tool_table *table = context;

	for (size_t i = 0; i < table->columns.count; i++) {
		const struct report_tool_column *column = &table->columns.items[i];
		int result = column->fold == REPORT_TOOL_KEY
				     ? 0
				     : report_tools_compare(column, &b->cells[i],
							    &a->cells[i]);

		if (result)
			return result;
	}
	return by_keys(left, right, context);
}

static void fold_cell(const struct report_tool_column *column,
		      struct report_tool_cell *to, const struct report_tool_cell *from)
{
	int order = report_tools_compare(column, from, to);

	if (!from->there)
		return;
	if (!to->there)
		*to = *from;
	else if (column->fold == REPORT_TOOL_SUM && column->type == RECORD_DOUBLE)
		to->d += from->d;
	else if (column->fold == REPORT_TOOL_SUM)
		to->i = (int64_t)((uint64_t)to->i + (uint64_t)from->i);
	else if (column->fold == REPORT_TOOL_LEAST ? order < 0 : order > 0)
		*to = *from;
}

/* Adds up rows with equal keys, which stand together. */
static void merge_rows(const struct report_tool_table *table,
		       struct report_tool_sums *sums)
{
	size_t kept = 0;

	for (size_t i = 0; i < sums->rows.count; i++) {
		const struct report_tool_sum *from = &sums->rows.items[i];
		struct report_tool_sum *to = kept ? &sums->rows.items[kept - 1] : NULL;

		if (!to || by_keys(to, from, (void *)(uintptr_t)table)) {
			sums->rows.items[kept++] = *from;
			continue;
		}
		to->records += from->records;
		for (size_t k = 0; k < table->columns.count; k++)
			if (table->columns.items[k].fold != REPORT_TOOL_KEY)
				fold_cell(&table->columns.items[k], &to->cells[k],
					  &from->cells[k]);
	}
	sums->rows.count = kept;
}

static bool is_selected(const struct report_profile *profile,
			const struct report_tool_row *row, uint32_t table)
{
	return row->table == table && profile->images.items[row->image].selected;
}

struct report_tool_sums report_tools_sums(const struct report_profile *profile,
					  uint32_t number)
{
	struct report_tool_table *table = &profile->tool_tables.items[number];
	const size_t columns = table->columns.count;
	struct report_tool_sums sums = {0};
	size_t count = 0;

	vector_for_each (&profile->tool_rows, row)
		count += is_selected(profile, row, number);
	sums.cells = memory_allocate_zeroed(count * columns + 1, sizeof(*sums.cells));
	vector_for_each (&profile->tool_rows, row) {
		struct report_tool_cell *cells = sums.cells + sums.rows.count * columns;

		if (!is_selected(profile, row, number))
			continue;
		for (uint32_t i = 0; i < row->cell_count; i++)
			cells[i] = profile->tool_cells.items[row->first_cell + i];
		vector_push(&sums.rows,
			    ((struct report_tool_sum){row->code, row->records, cells}));
	}
	if (!sums.rows.count)
		return sums;
	qsort_r(sums.rows.items, sums.rows.count, sizeof(*sums.rows.items), by_keys,
		table);
	merge_rows(table, &sums);
	qsort_r(sums.rows.items, sums.rows.count, sizeof(*sums.rows.items), by_number,
		table);
	return sums;
}

void report_tools_sums_deinit(struct report_tool_sums *sums)
{
	vector_deinit(&sums->rows);
	free(sums->cells);
}

void report_tools_deinit(struct report_profile *profile)
{
	vector_for_each (&profile->tool_tables, table)
		vector_deinit(&table->columns);
	vector_deinit(&profile->tool_tables);
	vector_deinit(&profile->tool_rows);
	vector_deinit(&profile->tool_cells);
}
