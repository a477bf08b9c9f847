#include "report/values.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/table.h"
#include "report/runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A table while it is read. */
struct reading {
	struct report_values *values;
	const struct report_tool_table *table;
	const struct report_values_choice *choice;
	struct table *by_key; /* number + 1, by a hash of what a row is of */
};

static const struct report_tool_cell *cell_of(const struct reading *reading,
					      const struct report_tool_sum *row,
					      const char *title)
{
	for (size_t i = 0; i < reading->table->columns.count; i++)
		if (!strcmp(reading->table->columns.items[i].title, title) &&
		    row->cells[i].there)
			return &row->cells[i];
	return NULL;
}

static uint64_t number_of(const struct reading *reading,
			  const struct report_tool_sum *row, const char *title)
{
	const struct report_tool_cell *cell = cell_of(reading, row, title);

	return cell ? (uint64_t)cell->i : 0;
}

static const char *text_of(const struct reading *reading,
			   const struct report_tool_sum *row, const char *title)
{
	const struct report_tool_cell *cell = cell_of(reading, row, title);

	return cell ? cell->text : NULL;
}

static bool is_in_list(const char *list, const char *word)
{
	scoped_free char *copy = memory_copy_string(list);
	char *rest = copy, *name;

	while ((name = strsep(&rest, ",")))
		if (!strcmp(name, word))
			return true;
	return false;
}

static bool is_chosen(const struct report_values_choice *choice,
		      const struct report_value *value)
{
	return (!choice->function ||
		(value->code.function &&
		 text_glob(choice->function, value->code.function))) &&
	       (!choice->kinds || is_in_list(choice->kinds, value->kind));
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	return text ? hash_bytes(text, strlen(text)) * 3 + hash * 5 : hash * 7;
}

static uint64_t hash_of(const struct report_value *value)
{
	uint64_t hash = hash_text(value->at, value->kind);

	hash = hash_text(hash, value->what);
	hash = hash_text(hash, value->region);
	return hash_text(hash, value->code.path);
}

/* What a row is of; NULL: it is not chosen. */
static struct report_value *find_value(const struct reading *reading,
				       const struct report_tool_sum *row)
{
	const struct report_value value = {
		.code = row->code,
		.at = number_of(reading, row, "at"),
		.kind = text_of(reading, row, "kind") ?: "?",
		.what = text_of(reading, row, "what") ?: "?",
		.region = text_of(reading, row, "region.path"),
	};
	uint64_t *number;

	if (!is_chosen(reading->choice, &value))
		return NULL;
	number = table_insert(reading->by_key, hash_of(&value), NULL);
	if (!*number) {
		vector_push(&reading->values->items, value);
		*number = reading->values->items.count;
	}
	return &reading->values->items.items[*number - 1];
}

static void take_totals(const struct reading *reading, const struct report_tool_sum *row)
{
	struct report_value *value = find_value(reading, row);

	if (!value)
		return;
	value->seen += number_of(reading, row, "seen");
	value->looked += number_of(reading, row, "seen") - number_of(reading, row, "off");
	value->zeros += number_of(reading, row, "zeros");
	value->pairs += number_of(reading, row, "pairs");
	value->same += number_of(reading, row, "same");
}

static void add_count(const struct reading *reading, const struct report_tool_sum *row,
		      struct report_value_counts *counts)
{
	const struct report_value_count count = {
		(int64_t)number_of(reading, row, "value"),
		number_of(reading, row, "times"),
	};

	vector_push(counts, count);
}

static void take_value(const struct reading *reading, const struct report_tool_sum *row)
{
	struct report_value *value = find_value(reading, row);

	if (value)
		add_count(reading, row, &value->top);
}

static void take_stride(const struct reading *reading, const struct report_tool_sum *row)
{
	struct report_value *value = find_value(reading, row);

	if (value)
		add_count(reading, row, &value->strides);
}

static int by_times(const void *left, const void *right)
{
	const struct report_value_count *a = left, *b = right;

	return compare_numbers(b->times, a->times) ?: compare_numbers(a->value, b->value);
}

static void sort_counts(struct report_value_counts *counts)
{
	if (counts->count)
		qsort(counts->items, counts->count, sizeof(*counts->items), by_times);
}

double report_value_invariance(const struct report_value *value)
{
	return value->top.count && value->looked
		       ? (double)value->top.items[0].times / (double)value->looked
		       : -1;
}

double report_value_zeros(const struct report_value *value)
{
	return value->looked ? (double)value->zeros / (double)value->looked : -1;
}

double report_value_same(const struct report_value *value)
{
	return value->pairs ? (double)value->same / (double)value->pairs : -1;
}

static int compare_shares(double a, double b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static int by_place(const struct report_value *a, const struct report_value *b)
{
	const char *left = a->code.path ?: "", *right = b->code.path ?: "";

	return strcmp(left, right) ?: compare_numbers(a->at, b->at)
		       ?: strcmp(a->kind, b->kind) ?: strcmp(a->what, b->what)
		       ?: strcmp(a->region ?: "", b->region ?: "");
}

static int by_order(const void *left, const void *right, void *context)
{
	const struct report_value *a = left, *b = right;
	const enum report_value_order *order = context;
	int difference = 0;

	if (*order == REPORT_VALUES_BY_INVARIANCE)
		difference = compare_shares(report_value_invariance(a),
					    report_value_invariance(b));
	else if (*order == REPORT_VALUES_BY_ZEROS)
		difference = compare_shares(report_value_zeros(a), report_value_zeros(b));
	else if (*order == REPORT_VALUES_BY_SAME)
		difference = compare_shares(report_value_same(a), report_value_same(b));
	if (!difference && *order != REPORT_VALUES_BY_ADDRESS)
		difference = compare_numbers(b->seen, a->seen);
	return difference ?: by_place(a, b);
}

static void
read_table(struct reading *reading, const struct report_profile *profile, uint32_t number,
	   void (*take)(const struct reading *reading, const struct report_tool_sum *row))
{
	struct report_tool_sums sums = report_tools_sums(profile, number);

	vector_for_each (&sums.rows, row)
		take(reading, row);
	report_tools_sums_deinit(&sums);
}

void report_values_init(struct report_values *values,
			const struct report_profile *profile,
			const struct report_values_choice *choice)
{
	static const struct {
		const char *name;
		void (*take)(const struct reading *reading,
			     const struct report_tool_sum *row);
	} tables[] = {{"instructions", take_totals},
		      {"values", take_value},
		      {"strides", take_stride}};
	struct table by_key = {0};
	enum report_value_order order = choice->order;

	*values = (struct report_values){0};
	for (uint32_t i = 0; i < profile->tool_tables.count; i++) {
		const struct report_tool_table *table = &profile->tool_tables.items[i];
		struct reading reading = {values, table, choice, &by_key};

		if (strcmp(table->tool, "values") != 0)
			continue;
		values->any = true;
		for (size_t t = 0; t < array_count(tables); t++)
			if (!strcmp(table->name, tables[t].name))
				read_table(&reading, profile, i, tables[t].take);
	}
	vector_for_each (&values->items, value) {
		sort_counts(&value->top);
		sort_counts(&value->strides);
	}
	if (values->items.count)
		qsort_r(values->items.items, values->items.count,
			sizeof(*values->items.items), by_order, &order);
	table_deinit(&by_key);
}

void report_values_deinit(struct report_values *values)
{
	vector_for_each (&values->items, value) {
		vector_deinit(&value->top);
		vector_deinit(&value->strides);
	}
	vector_deinit(&values->items);
}

const char *report_value_replay(int64_t value)
{
	static const char *const names[] = {"free", "forwarded", "partial", "alias"};

	return value >= 0 && value < (int64_t)array_count(names) ? names[value] : "?";
}

static uint64_t sum_globals(const struct report_profile *profile, const char *name)
{
	uint64_t sum = 0;

	vector_for_each (&profile->runs, run) {
		const struct record_value *value = report_run_global(run, name);

		sum += value ? value->u : 0;
	}
	return sum;
}

static bool is_measured(const struct report_profile *profile, const char *measure)
{
	vector_for_each (&profile->runs, run)
		if (is_in_list(report_run_text(run, "run.measure"), measure))
			return true;
	return false;
}

bool report_values_explain(const struct report_profile *profile, struct text *out)
{
	const uint64_t elsewhere = sum_globals(profile, "values.elsewhere");

	if (is_measured(profile, "values:exact"))
		text_add(out, "no instruction of a chosen function was executed");
	else if (!is_measured(profile, "values"))
		return false;
	else if (!sum_globals(profile, "values.interrupts"))
		text_add(out, "the program used less processor time than a period, or "
			      "none outside of system calls");
	else if (elsewhere)
		text_format(out,
			    "threads were %" PRIu64
			    " times in code that is not copied, else in system calls",
			    elsewhere);
	else if (!sum_globals(profile, "values.stretches"))
		text_add(out, "threads were in system calls whenever they were to be "
			      "interrupted");
	else
		text_add(out, "none is of what was chosen");
	return true;
}
