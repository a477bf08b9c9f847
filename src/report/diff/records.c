#include "report/diff/records.h"

#include "base/path.h"
#include "report/probes.h"
#include "report/tools.h"

#include <inttypes.h>
#include <string.h>

/* A comparison, while it is made. */
struct comparing {
	struct record_diff *diff;
	struct string_table keys; /* of the rows, in their order */
	struct text key, table, row;
	int side;
};

/* A number of a row. */
struct number {
	const char *name;
	uint32_t order;
	uint8_t fold; /* enum report_tool_fold */
	long double value;
};

static const char *text_of(const struct text *text)
{
	return text->length ? text->data : "";
}

/* Empties a text. */
static void empty_text(struct text *text)
{
	text->length = 0;
	text_add(text, "");
}

/* The row that comparing->table and ->row name, for a number; made if it is new. */
static struct record_diff_row *find_row(struct comparing *comparing,
					const struct number *number)
{
	struct record_diff *diff = comparing->diff;
	uint32_t index;

	empty_text(&comparing->key);
	text_format(&comparing->key, "%s\n%s\n%s", text_of(&comparing->table),
		    text_of(&comparing->row), number->name);
	index = string_table_intern(&comparing->keys, comparing->key.data);
	if (index == diff->rows.count)
		vector_push(&diff->rows,
			    ((struct record_diff_row){
				    memory_copy_string(text_of(&comparing->table)),
				    memory_copy_string(text_of(&comparing->row)),
				    memory_copy_string(number->name),
				    number->order,
				    number->fold,
				    {false, false},
				    {0, 0}}));
	return &diff->rows.items[index];
}

static void add_number(struct comparing *comparing, const struct number *number)
{
	struct record_diff_row *row = find_row(comparing, number);
	long double *value = &row->values[comparing->side];
	const bool first = !row->there[comparing->side];

	row->there[comparing->side] = true;
	if (first || (number->fold == REPORT_TOOL_LEAST && number->value < *value) ||
	    (number->fold == REPORT_TOOL_MOST && number->value > *value))
		*value = number->value;
	else if (number->fold == REPORT_TOOL_SUM)
		*value += number->value;
}

/* "app:main app.c:12", or the distance from the function's start; nothing for no code. */
static void add_code(struct text *out, const struct report_tool_code *code)
{
	if (!code->function)
		return;
	text_format(out, "%s:%s", code->module ? code->module : "", code->function);
	if (code->line)
		text_format(out, " %s:%" PRIu64, path_name(code->file), code->line);
	else if (code->has_offset && code->address > code->offset)
		text_format(out, "+0x%" PRIx64, code->address - code->offset);
}

static void add_key(struct text *out, const struct report_tool_column *column,
		    const struct report_tool_cell *cell)
{
	if (!cell->there)
		return;
	text_add(out, out->length ? ", " : "");
	if (column->type == RECORD_STRING)
		text_add(out, cell->text);
	else
		text_format(out, "%s %" PRId64, column->title, cell->i);
}

static void add_tool_row(struct comparing *comparing,
			 const struct report_tool_table *table,
			 const struct report_tool_sum *sum)
{
	empty_text(&comparing->row);
	add_code(&comparing->row, &sum->code);
	for (size_t i = 0; i < table->columns.count; i++)
		if (table->columns.items[i].fold == REPORT_TOOL_KEY)
			add_key(&comparing->row, &table->columns.items[i],
				&sum->cells[i]);
	for (size_t i = 0; i < table->columns.count; i++) {
		const struct report_tool_column *column = &table->columns.items[i];
		const struct report_tool_cell *cell = &sum->cells[i];

		if (column->fold != REPORT_TOOL_KEY && cell->there)
			add_number(comparing,
				   &(struct number){column->title, (uint32_t)i,
						    column->fold,
						    column->type == RECORD_DOUBLE
							    ? (long double)cell->d
							    : (long double)cell->i});
	}
}

static void add_tools(struct comparing *comparing, const struct report_profile *profile)
{
	for (uint32_t i = 0; i < profile->tool_tables.count; i++) {
		const struct report_tool_table *table = &profile->tool_tables.items[i];
		struct report_tool_sums sums = report_tools_sums(profile, i);

		empty_text(&comparing->table);
		text_format(&comparing->table, "%s: %s", table->tool, table->name);
		vector_for_each (&sums.rows, row)
			add_tool_row(comparing, table, row);
		report_tools_sums_deinit(&sums);
	}
}

/* What a probe's action found: of all, of a key, or of a row of a histogram. */
static void add_found(struct comparing *comparing, const struct report_probe *probe,
		      const struct report_probe_count *count)
{
	const bool extreme = report_probe_is_extreme(probe);

	if (!count->is_row && extreme && count->has_extreme)
		add_number(comparing, &(struct number){probe->kind, 0,
						       !strcmp(probe->kind, "min")
							       ? REPORT_TOOL_LEAST
							       : REPORT_TOOL_MOST,
						       (long double)count->extreme});
	if (!count->is_row && !extreme && count->sum)
		add_number(comparing, &(struct number){"sum", 0, REPORT_TOOL_SUM,
						       (long double)count->sum});
	add_number(comparing, &(struct number){"hits", 1, REPORT_TOOL_SUM,
					       (long double)count->hits});
	if (count->errors)
		add_number(comparing, &(struct number){"errors", 2, REPORT_TOOL_SUM,
						       (long double)count->errors});
	if (count->lost)
		add_number(comparing, &(struct number){"lost", 3, REPORT_TOOL_SUM,
						       (long double)count->lost});
}

static void add_probe(struct comparing *comparing, const struct report_profile *profile,
		      uint32_t index)
{
	const struct report_probe *probe = &profile->probes.items[index];
	const struct report_probe_count all = {.hits = probe->hits,
					       .errors = probe->errors,
					       .lost = probe->lost,
					       .sum = probe->sum,
					       .has_extreme = probe->has_extreme,
					       .extreme = probe->extreme};
	size_t count;
	struct report_probe_count *counts = report_probe_counts(profile, index, &count);

	empty_text(&comparing->table);
	text_format(&comparing->table, "%s: %s", probe->probe, probe->name);
	empty_text(&comparing->row);
	add_found(comparing, probe, &all);
	for (size_t i = 0; i < count; i++) {
		empty_text(&comparing->row);
		text_add(&comparing->row, counts[i].key ? counts[i].key : "");
		if (counts[i].is_row)
			text_format(&comparing->row, "%s[%" PRId64 ", %" PRId64 "]",
				    counts[i].key ? " " : "", counts[i].low,
				    counts[i].high);
		add_found(comparing, probe, &counts[i]);
	}
	free(counts);
}

static bool row_differs(const struct record_diff_row *row, double threshold)
{
	const long double a = row->values[DIFF_A], b = row->values[DIFF_B];
	const long double distance = a < b ? b - a : a - b;

	if (row->there[DIFF_A] != row->there[DIFF_B])
		return row->values[row->there[DIFF_A] ? DIFF_A : DIFF_B] != 0;
	return distance > 0 && distance * 100 > (long double)threshold * (a < 0 ? -a : a);
}

static void free_row(const struct record_diff_row *row)
{
	free(row->table);
	free(row->row);
	free(row->number);
}

static void keep_different(struct record_diff *diff, double threshold)
{
	size_t kept = 0;

	vector_for_each (&diff->rows, row) {
		if (row_differs(row, threshold)) {
			diff->rows.items[kept++] = *row;
			continue;
		}
		diff->equal++;
		free_row(row);
	}
	diff->rows.count = kept;
}

static long double distance_of(const struct record_diff_row *row)
{
	const long double a = row->values[DIFF_A], b = row->values[DIFF_B];

	return a < b ? b - a : a - b;
}

/* How many times one side is the other one. */
static long double factor_of(const struct record_diff_row *row)
{
	const long double a = row->values[DIFF_A], b = row->values[DIFF_B];

	return a < b ? b / a : a / b;
}

static int by_order(const void *left, const void *right, void *context)
{
	const struct diff_options *options = context;
	const struct record_diff_row *a = left, *b = right;
	long double of_a = distance_of(a), of_b = distance_of(b);
	int result = strcmp(a->table, b->table);

	if (!result)
		result = (a->order > b->order) - (a->order < b->order);
	if (!result && options->sort == DIFF_SORT_RATIO) {
		of_a = factor_of(a);
		of_b = factor_of(b);
	}
	if (!result && options->sort != DIFF_SORT_NAME)
		result = (of_a < of_b) - (of_a > of_b);
	return result ? result : strcmp(a->row, b->row);
}

bool record_diff_has(const struct report_profile *profile, enum diff_by by)
{
	return by == DIFF_BY_TOOL ? profile->tool_tables.count : profile->probes.count;
}

static void add_side(struct comparing *comparing, const struct report_profile *profile,
		     enum diff_by by)
{
	if (by == DIFF_BY_TOOL)
		add_tools(comparing, profile);
	for (uint32_t i = 0; by == DIFF_BY_PROBE && i < profile->probes.count; i++)
		add_probe(comparing, profile, i);
}

struct trm_error *record_diff_make(const struct report_profile *a,
				   const struct report_profile *b,
				   const struct diff_options *options,
				   struct record_diff *ret_diff)
{
	const struct report_profile *sides[] = {a, b};
	struct record_diff diff = {0};
	struct comparing comparing = {.diff = &diff};

	for (int side = DIFF_A; side < DIFF_SIDES; side++)
		if (!record_diff_has(sides[side], options->by))
			return trm_error_create(
				TRM_ERROR_USAGE, "no records of %s in '%s'",
				options->by == DIFF_BY_TOOL ? "tools (run --tool)"
							    : "probes (run --probe)",
				options->files[side]);
	for (int side = DIFF_A; side < DIFF_SIDES; side++) {
		comparing.side = side;
		add_side(&comparing, sides[side], options->by);
	}
	string_table_deinit(&comparing.keys);
	text_deinit(&comparing.key);
	text_deinit(&comparing.table);
	text_deinit(&comparing.row);
	keep_different(&diff, options->threshold);
	if (diff.rows.count)
		qsort_r(diff.rows.items, diff.rows.count, sizeof(*diff.rows.items),
			by_order, (void *)(uintptr_t)options);
	*ret_diff = diff;
	return NULL;
}

void record_diff_deinit(struct record_diff *diff)
{
	vector_for_each (&diff->rows, row)
		free_row(row);
	vector_deinit(&diff->rows);
}
