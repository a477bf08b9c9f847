#include "join/compare.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/table.h"
#include "join/join.h"
#include "query/names.h"
#include "query/parse.h"
#include "query/query.h"
#include "query/run.h"
#include "record/value.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What can be summed; without a wish the first that both profiles have. */
static const struct {
	const char *name, *expression;
	bool samples;
} numbers[] = {
	{"instructions", "count * block.instructions", false},
	{"samples", "samples * 1", true},
	{"calls", "calls * 1", false},
	{"time", "time.ns * 1", false},
};

/* A name as queries have it: `path` alone means the whole path. */
static void add_name(struct text *query, const char *name)
{
	bool plain = *name;

	for (const char *c = name; *c; c++)
		plain &= isalnum((unsigned char)*c) || strchr("._#", *c);
	if (plain) {
		text_add(query, name);
		return;
	}
	text_add(query, "\"");
	for (const char *c = name; *c; c++)
		text_format(query, "%s%c", strchr("\"\\", *c) ? "\\" : "", *c);
	text_add(query, "\"");
}

static void read_names(struct comparison *comparison, const char *by)
{
	for (const char *at = by;; at++) {
		const size_t length = strcspn(at, ",");
		char *name = strndup(at, length);

		if (name)
			vector_push(&comparison->names, name);
		at += length;
		if (!*at)
			return;
	}
}

static void make_query(const struct comparison *comparison, const char *expression,
		       struct text *query)
{
	text_add(query, "LET ");
	text_format(query, "compared.number = %s SELECT ", expression);
	vector_for_each (&comparison->names, name) {
		add_name(query, *name);
		text_add(query, ", ");
	}
	text_add(query, "sum(compared.number) WHERE compared.number GROUP BY ");
	vector_for_each (&comparison->names, name) {
		text_add(query, name == comparison->names.items ? "" : ", ");
		add_name(query, *name);
	}
}

/* Rows while they are put together. */
struct comparing {
	struct comparison *comparison;
	struct VECTOR(struct compare_row) rows;
	struct table by_keys; /* index, by hash of the keys */
};

static uint64_t hash_keys(char *const *keys, size_t count)
{
	struct text text = {0};
	uint64_t hash;

	for (size_t i = 0; i < count; i++) {
		text_add_bytes(&text, keys[i] ? "+" : "-", 1);
		if (keys[i])
			text_add_bytes(&text, keys[i], strlen(keys[i]) + 1);
	}
	hash = hash_bytes(text.data, text.length);
	text_deinit(&text);
	return hash;
}

static void free_keys(char **keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(keys[i]);
	free(keys);
}

/* Takes `keys` over. */
static struct compare_row *find_row(struct comparing *comparing, char **keys)
{
	const size_t count = comparing->comparison->names.count;
	bool made;
	uint64_t *index =
		table_insert(&comparing->by_keys, hash_keys(keys, count), &made);

	if (!made) {
		free_keys(keys, count);
		return &comparing->rows.items[*index];
	}
	*index = comparing->rows.count;
	vector_push(&comparing->rows, ((struct compare_row){.keys = keys}));
	return &comparing->rows.items[*index];
}

static void take_rows(struct comparing *comparing, struct query_result *result, int side)
{
	const size_t count = comparing->comparison->names.count;
	scoped_free struct record_value *cells =
		memory_allocate((result->columns.count + 1) * sizeof(*cells));

	vector_for_each (&result->rows, row) {
		char **keys = memory_allocate_zeroed(count + 1, sizeof(*keys));

		query_result_cells(result, row, cells);
		for (size_t i = 0; i < count; i++) {
			struct text text = {0};

			if (!query_is_there(cells[i]))
				continue;
			text_add(&text, "");
			record_value_text(&text, cells[i]);
			keys[i] = text.data;
		}
		struct compare_row *to = find_row(comparing, keys);
		const struct record_value sum = query_number(cells[count]);

		to->there[side] = true;
		if (query_is_there(sum))
			to->sums[side] += query_as_double(sum);
	}
}

/* Whether a profile has such numbers is written to `ret_any`. */
static struct trm_error *ask_side(struct comparing *comparing, const char *expression,
				  const struct compare_options *options, int side,
				  bool *ret_any)
{
	struct text words = {0}, warnings = {0};
	struct query_result *result;
	struct query *query;
	struct trm_error *error;
	size_t place;

	make_query(comparing->comparison, expression, &words);
	error = query_parse(words.data, &query, &place);
	text_deinit(&words);
	if (error)
		return error;
	join_attach(query);
	error = query_run(query, &options->files[side], 1, 1, &result, &warnings);
	if (!error) {
		*ret_any = result->rows.count;
		if (*ret_any)
			query_warn_of_names(result, &warnings);
		take_rows(comparing, result, side);
		query_result_destroy(result);
		if (*ret_any && warnings.length)
			text_add(&comparing->comparison->warnings, warnings.data);
	}
	text_deinit(&warnings);
	query_destroy(query);
	return error;
}

static void forget_rows(struct comparing *comparing)
{
	vector_for_each (&comparing->rows, row)
		free_keys(row->keys, comparing->comparison->names.count);
	vector_deinit(&comparing->rows);
	table_deinit(&comparing->by_keys);
	text_deinit(&comparing->comparison->warnings);
}

/* Sums an expression up in both; `ret_any` says whether both have it. */
static struct trm_error *ask_both(struct comparing *comparing, const char *expression,
				  const struct compare_options *options, bool *ret_any)
{
	bool any[COMPARE_SIDES];

	for (int side = COMPARE_A; side < COMPARE_SIDES; side++)
		TRM_TRY(ask_side(comparing, expression, options, side, &any[side]));
	*ret_any = any[COMPARE_A] && any[COMPARE_B];
	/* What was asked for may be new, or gone. */
	if (options->of)
		*ret_any = any[COMPARE_A] || any[COMPARE_B];
	return NULL;
}

static struct trm_error *ask_usual(struct comparing *comparing,
				   const struct compare_options *options, bool *ret_any)
{
	*ret_any = false;
	for (size_t i = 0; i < array_count(numbers); i++) {
		if (options->of && strcmp(options->of, numbers[i].name) != 0)
			continue;
		forget_rows(comparing);
		TRM_TRY(ask_both(comparing, numbers[i].expression, options, ret_any));
		comparing->comparison->of = numbers[i].name;
		comparing->comparison->samples = numbers[i].samples;
		if (*ret_any || options->of)
			return NULL;
	}
	return NULL;
}

/* Any other attribute. */
static struct trm_error *ask_attribute(struct comparing *comparing,
				       const struct compare_options *options,
				       bool *ret_any)
{
	struct text expression = {0};
	struct trm_error *error;

	add_name(&expression, options->of);
	text_add(&expression, " * 1");
	comparing->comparison->of = options->of;
	error = ask_both(comparing, expression.data, options, ret_any);
	text_deinit(&expression);
	return error;
}

static struct trm_error *ask_numbers(struct comparing *comparing,
				     const struct compare_options *options)
{
	bool usual = !options->of, any;

	for (size_t i = 0; options->of && i < array_count(numbers); i++)
		usual |= !strcmp(options->of, numbers[i].name);
	TRM_TRY(usual ? ask_usual(comparing, options, &any)
		      : ask_attribute(comparing, options, &any));
	if (any)
		return NULL;
	if (options->of)
		return trm_error_create(TRM_ERROR_USAGE,
					"no record of '%s' and '%s' has '%s'",
					options->files[COMPARE_A],
					options->files[COMPARE_B], options->of);
	return trm_error_create(
		TRM_ERROR_USAGE,
		"'%s' and '%s' do not both have instructions, samples, calls "
		"or times: say by --of what is compared",
		options->files[COMPARE_A], options->files[COMPARE_B]);
}

double compare_deviations(const struct compare_row *row)
{
	const double sum = row->sums[COMPARE_A] + row->sums[COMPARE_B];

	return sum > 0 ? fabs(row->sums[COMPARE_B] - row->sums[COMPARE_A]) / sqrt(sum)
		       : 0;
}

static bool row_differs(const struct comparison *comparison,
			const struct compare_options *options,
			const struct compare_row *row)
{
	const double a = row->sums[COMPARE_A], b = row->sums[COMPARE_B];

	if (comparison->samples && compare_deviations(row) < 2)
		return false;
	return fabs(b - a) > fabs(a) * options->threshold / 100;
}

static int compare_rows(const void *left, const void *right)
{
	const struct compare_row *a = left, *b = right;
	const double of_a = fabs(a->sums[COMPARE_B] - a->sums[COMPARE_A]);
	const double of_b = fabs(b->sums[COMPARE_B] - b->sums[COMPARE_A]);

	return compare_numbers(of_b, of_a) ?: strcmp(a->keys[0] ?: "", b->keys[0] ?: "");
}

static void keep_differing(struct comparing *comparing,
			   const struct compare_options *options)
{
	struct comparison *comparison = comparing->comparison;

	vector_for_each (&comparing->rows, row) {
		for (int side = COMPARE_A; side < COMPARE_SIDES; side++)
			comparison->sums[side] += row->sums[side];
		if (row_differs(comparison, options, row)) {
			vector_push(&comparison->rows, *row);
			continue;
		}
		comparison->equal++;
		free_keys(row->keys, comparison->names.count);
	}
	if (comparison->rows.count)
		qsort(comparison->rows.items, comparison->rows.count,
		      sizeof(*comparison->rows.items), compare_rows);
	vector_deinit(&comparing->rows);
	table_deinit(&comparing->by_keys);
}

struct trm_error *compare_profiles(struct comparison *comparison,
				   const struct compare_options *options)
{
	struct comparing comparing = {.comparison = comparison};
	struct trm_error *error;

	*comparison = (struct comparison){0};
	read_names(comparison, options->by);
	error = ask_numbers(&comparing, options);
	if (error)
		forget_rows(&comparing);
	else
		keep_differing(&comparing, options);
	return error;
}

void comparison_deinit(struct comparison *comparison)
{
	vector_for_each (&comparison->rows, row)
		free_keys(row->keys, comparison->names.count);
	vector_deinit(&comparison->rows);
	vector_for_each (&comparison->names, name)
		free(*name);
	vector_deinit(&comparison->names);
	text_deinit(&comparison->warnings);
}
