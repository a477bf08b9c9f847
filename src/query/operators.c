#include "query/operators.h"

#include "query/tally.h"
#include "record/value.h"

#include <math.h>
#include <strings.h>

/* All states begin as zeros. Sizes are multiples of 16, for the 128-bit numbers in them.
 */

struct sums {
	struct query_sum x, y; /* `y` of ratios only */
	uint64_t count;        /* of numbers added to x */
};

static struct record_value input_number(const struct query_aggregate *aggregate,
					const struct record_value *fields, int which)
{
	return query_number(fields[aggregate->fields[which]]);
}

/* The operator's own result in a record, from an earlier query or run. */
static struct record_value again_number(const struct query_aggregate *aggregate,
					const struct record_value *fields)
{
	return aggregate->again == QUERY_NO_FIELD
		       ? query_nothing()
		       : query_number(fields[aggregate->again]);
}

static void add_count(void *state, const struct query_aggregate *aggregate,
		      const struct record_value *fields, struct query_keys *keys)
{
	struct record_value count = again_number(aggregate, fields);

	(void)keys;
	if (query_is_none(fields[aggregate->again]))
		count = record_uint(0);
	query_sum_add(state, query_is_there(count) ? count : record_uint(1));
}

static void add_sum(void *state, const struct query_aggregate *aggregate,
		    const struct record_value *fields, struct query_keys *keys)
{
	struct record_value x = input_number(aggregate, fields, 0);

	(void)keys;
	if (query_is_there(x))
		query_sum_add(state, x);
	x = again_number(aggregate, fields);
	if (query_is_there(x))
		query_sum_add(state, x);
}

static void merge_sum(void *state, const struct query_aggregate *aggregate,
		      const void *other, struct query_keys *keys)
{
	(void)aggregate;
	(void)keys;
	query_sum_merge(state, other);
}

/* Bytes of another process may be any. */
static void settle_sum(struct query_sum *sum)
{
	unsigned char any, real;

	memcpy(&any, &sum->any, sizeof(any));
	memcpy(&real, &sum->real, sizeof(real));
	sum->any = any != 0;
	sum->real = real != 0;
}

static void unpack_sum(void *state, struct query_unpack *unpack)
{
	query_unpack_bytes(unpack, state, sizeof(struct query_sum));
	settle_sum(state);
}

static const struct query_state_kind count_kind = {
	sizeof(struct query_sum), add_count, merge_sum, NULL, NULL, unpack_sum};
static const struct query_state_kind sum_kind = {
	sizeof(struct query_sum), add_sum, merge_sum, NULL, NULL, unpack_sum};

static struct record_value sum_value(const void *state, struct query_outcome *outcome)
{
	return query_sum_value(state, &outcome->rounded);
}

/* The sum, times the operator's number. Integers stay what they are. */
static struct record_value scale_value(const void *state, struct query_outcome *outcome)
{
	struct record_value sum = query_sum_value(state, &outcome->rounded);
	struct record_value factor = outcome->aggregate->number;
	__int128 product;

	if (!query_is_there(sum))
		return sum;
	if (sum.type != RECORD_DOUBLE && factor.type != RECORD_DOUBLE &&
	    !__builtin_mul_overflow(query_as_whole(sum), query_as_whole(factor),
				    &product))
		return query_whole(product, &outcome->rounded);
	return query_double(query_as_double(sum) * query_as_double(factor));
}

static struct record_value percent_value(const void *state, struct query_outcome *outcome)
{
	struct record_value part = query_sum_value(state, NULL);
	struct record_value total = query_sum_value(outcome->total, NULL);

	if (!query_is_there(part) || query_as_double(total) == 0)
		return query_nothing();
	return query_double(100 * query_as_double(part) / query_as_double(total));
}

static void add_average(void *state, const struct query_aggregate *aggregate,
			const struct record_value *fields, struct query_keys *keys)
{
	struct sums *sums = state;
	struct record_value x = input_number(aggregate, fields, 0);

	(void)keys;
	if (query_is_there(x)) {
		query_sum_add(&sums->x, x);
		sums->count++;
	}
	if (aggregate->again_count == QUERY_NO_FIELD)
		return;
	struct record_value count = query_number(fields[aggregate->again_count]);

	x = again_number(aggregate, fields);
	if (query_is_there(x) && count.type == RECORD_UINT) {
		query_sum_add(&sums->x, x);
		sums->count += count.u;
	}
}

static void add_ratio(void *state, const struct query_aggregate *aggregate,
		      const struct record_value *fields, struct query_keys *keys)
{
	struct sums *sums = state;
	struct record_value y = input_number(aggregate, fields, 1);

	add_average(state, aggregate, fields, keys);
	if (query_is_there(y))
		query_sum_add(&sums->y, y);
}

static void merge_sums(void *state, const struct query_aggregate *aggregate,
		       const void *other, struct query_keys *keys)
{
	struct sums *sums = state;
	const struct sums *more = other;

	(void)aggregate;
	(void)keys;
	query_sum_merge(&sums->x, &more->x);
	query_sum_merge(&sums->y, &more->y);
	sums->count += more->count;
}

static void unpack_sums(void *state, struct query_unpack *unpack)
{
	struct sums *sums = state;

	query_unpack_bytes(unpack, sums, sizeof(*sums));
	settle_sum(&sums->x);
	settle_sum(&sums->y);
}

static const struct query_state_kind average_kind = {
	sizeof(struct sums), add_average, merge_sums, NULL, NULL, unpack_sums};
static const struct query_state_kind ratio_kind = {
	sizeof(struct sums), add_ratio, merge_sums, NULL, NULL, unpack_sums};

static struct record_value average_value(const void *state, struct query_outcome *outcome)
{
	const struct sums *sums = state;

	(void)outcome;
	if (!sums->count)
		return query_nothing();
	return query_double(query_as_double(query_sum_value(&sums->x, NULL)) /
			    (double)sums->count);
}

static struct record_value ratio_value(const void *state, struct query_outcome *outcome)
{
	const struct sums *sums = state;
	struct record_value x = query_sum_value(&sums->x, NULL);
	struct record_value y = query_sum_value(&sums->y, NULL);
	struct record_value factor = outcome->aggregate->number;

	if (!query_is_there(x) || !query_is_there(y) || query_as_double(y) == 0)
		return query_nothing();
	double ratio = query_as_double(x) / query_as_double(y);

	return query_double(query_is_there(factor) ? ratio * query_as_double(factor)
						   : ratio);
}

/* With 113 bits, so that the difference of two large sums has digits left. */
struct moments {
	__float128 sum, squares;
	uint64_t count;
};

static __float128 as_float128(struct record_value number)
{
	return number.type == RECORD_DOUBLE ? (__float128)number.d
					    : (__float128)query_as_whole(number);
}

static void add_moments(void *state, const struct query_aggregate *aggregate,
			const struct record_value *fields, struct query_keys *keys)
{
	struct moments *moments = state;
	struct record_value x = input_number(aggregate, fields, 0);

	(void)keys;
	if (!query_is_there(x))
		return;
	__float128 number = as_float128(x);

	moments->sum += number;
	moments->squares += number * number;
	moments->count++;
}

static void merge_moments(void *state, const struct query_aggregate *aggregate,
			  const void *other, struct query_keys *keys)
{
	struct moments *moments = state;
	const struct moments *more = other;

	(void)aggregate;
	(void)keys;
	moments->sum += more->sum;
	moments->squares += more->squares;
	moments->count += more->count;
}

static const struct query_state_kind moments_kind = {
	sizeof(struct moments), add_moments, merge_moments, NULL, NULL, NULL};

static struct record_value variance_value(const void *state,
					  struct query_outcome *outcome)
{
	const struct moments *moments = state;
	__float128 n = (__float128)moments->count;

	(void)outcome;
	if (!moments->count)
		return query_nothing();
	double variance =
		(double)((moments->squares - moments->sum * moments->sum / n) / n);

	/* NaN stays. */
	return query_double(variance < 0 ? 0 : variance);
}

static struct record_value deviation_value(const void *state,
					   struct query_outcome *outcome)
{
	struct record_value variance = variance_value(state, outcome);

	if (query_is_there(variance))
		variance.d = sqrt(variance.d);
	return variance;
}

/* The least or the greatest, or the first value. */
struct single {
	struct record_value value;
	bool any;
} __attribute__((aligned(16)));

/* A NaN is a number that is missing: it is there only if nothing else is (minNum and
 * maxNum of IEEE 754-2008). */
static void take_if(struct single *single, struct record_value value, int sign)
{
	if (single->any && !query_is_nan(single->value) &&
	    (query_is_nan(value) || query_compare(value, single->value) * sign >= 0))
		return;
	single->value = value;
	single->any = true;
}

static void add_extreme(void *state, const struct query_aggregate *aggregate,
			const struct record_value *fields, int sign)
{
	struct record_value x = input_number(aggregate, fields, 0);

	if (query_is_there(x))
		take_if(state, x, sign);
	x = again_number(aggregate, fields);
	if (query_is_there(x))
		take_if(state, x, sign);
}

static void add_least(void *state, const struct query_aggregate *aggregate,
		      const struct record_value *fields, struct query_keys *keys)
{
	(void)keys;
	add_extreme(state, aggregate, fields, 1);
}

static void add_greatest(void *state, const struct query_aggregate *aggregate,
			 const struct record_value *fields, struct query_keys *keys)
{
	(void)keys;
	add_extreme(state, aggregate, fields, -1);
}

static void merge_single(void *state, const void *other, int sign)
{
	const struct single *more = other;

	if (more->any)
		take_if(state, more->value, sign);
}

static void merge_least(void *state, const struct query_aggregate *aggregate,
			const void *other, struct query_keys *keys)
{
	(void)aggregate;
	(void)keys;
	merge_single(state, other, 1);
}

static void merge_greatest(void *state, const struct query_aggregate *aggregate,
			   const void *other, struct query_keys *keys)
{
	(void)aggregate;
	(void)keys;
	merge_single(state, other, -1);
}

static void take_first(struct single *single, struct record_value value,
		       struct query_keys *keys)
{
	if (single->any || !query_is_there(value))
		return;
	single->value = query_keys_keep(keys, value);
	single->any = true;
}

static void add_first(void *state, const struct query_aggregate *aggregate,
		      const struct record_value *fields, struct query_keys *keys)
{
	take_first(state, fields[aggregate->fields[0]], keys);
}

static void merge_first(void *state, const struct query_aggregate *aggregate,
			const void *other, struct query_keys *keys)
{
	const struct single *more = other;

	(void)aggregate;
	if (more->any)
		take_first(state, more->value, keys);
}

static void pack_single(const void *state, struct query_pack *pack)
{
	const struct single *single = state;

	query_pack_uint(pack, single->any);
	if (single->any)
		query_pack_value(pack, single->value);
}

static void unpack_single(void *state, struct query_unpack *unpack)
{
	struct single *single = state;

	single->any = query_unpack_uint(unpack) != 0;
	if (single->any)
		single->value = query_unpack_value(unpack);
}

static const struct query_state_kind least_kind = {
	sizeof(struct single), add_least, merge_least, NULL, pack_single, unpack_single};
static const struct query_state_kind greatest_kind = {
	sizeof(struct single), add_greatest, merge_greatest, NULL,
	pack_single,           unpack_single};
static const struct query_state_kind first_kind = {
	sizeof(struct single), add_first, merge_first, NULL, pack_single, unpack_single};

static struct record_value single_value(const void *state, struct query_outcome *outcome)
{
	const struct single *single = state;

	(void)outcome;
	return single->any ? single->value : query_nothing();
}

static struct record_value sum_partial(const void *state)
{
	return query_sum_value(state, NULL);
}

static void add_sum_partial(void *state, struct record_value number)
{
	query_sum_add(state, number);
}

static struct record_value y_partial(const void *state)
{
	return query_sum_value(&((const struct sums *)state)->y, NULL);
}

static void add_y_partial(void *state, struct record_value number)
{
	query_sum_add(&((struct sums *)state)->y, number);
}

static struct record_value count_partial(const void *state)
{
	return record_uint(((const struct sums *)state)->count);
}

static void add_count_partial(void *state, struct record_value number)
{
	((struct sums *)state)->count += (uint64_t)query_as_whole(number);
}

static struct record_value moment_partial(const void *state)
{
	return query_double((double)((const struct moments *)state)->sum);
}

static void add_moment_partial(void *state, struct record_value number)
{
	((struct moments *)state)->sum += as_float128(number);
}

static struct record_value square_partial(const void *state)
{
	return query_double((double)((const struct moments *)state)->squares);
}

static void add_square_partial(void *state, struct record_value number)
{
	((struct moments *)state)->squares += as_float128(number);
}

static struct record_value moment_count_partial(const void *state)
{
	return record_uint(((const struct moments *)state)->count);
}

static void add_moment_count_partial(void *state, struct record_value number)
{
	((struct moments *)state)->count += (uint64_t)query_as_whole(number);
}

/* Their names are Caliper's. */
static const struct query_partial average_partials[] = {
	{"avg.sum", 0, true, RECORD_DOUBLE, sum_partial, add_sum_partial},
	{"avg.count", 0, false, RECORD_UINT, count_partial, add_count_partial},
	{0}};
static const struct query_partial variance_partials[] = {
	{"var.sum", 0, false, RECORD_DOUBLE, moment_partial, add_moment_partial},
	{"var.sqsum", 0, false, RECORD_DOUBLE, square_partial, add_square_partial},
	{"var.count", 0, false, RECORD_UINT, moment_count_partial,
	 add_moment_count_partial},
	{0}};
static const struct query_partial ratio_partials[] = {
	{"sr.sum", 0, true, RECORD_DOUBLE, sum_partial, add_sum_partial},
	{"sr.sum", 1, true, RECORD_DOUBLE, y_partial, add_y_partial},
	{0}};
static const struct query_partial inclusive_ratio_partials[] = {
	{"isr.sum", 0, true, RECORD_DOUBLE, sum_partial, add_sum_partial},
	{"isr.sum", 1, true, RECORD_DOUBLE, y_partial, add_y_partial},
	{0}};
static const struct query_partial scale_partials[] = {
	{"scsum", 0, true, RECORD_DOUBLE, sum_partial, add_sum_partial}, {0}};
static const struct query_partial inclusive_scale_partials[] = {
	{"iscsum", 0, true, RECORD_DOUBLE, sum_partial, add_sum_partial}, {0}};
static const struct query_partial percent_partials[] = {
	{"pct.sum", 0, true, RECORD_DOUBLE, sum_partial, add_sum_partial}, {0}};
static const struct query_partial inclusive_percent_partials[] = {
	{"ipct.sum", 0, true, RECORD_DOUBLE, sum_partial, add_sum_partial}, {0}};

struct tallies {
	struct query_tally tally;
} __attribute__((aligned(16)));

static void add_tally(void *state, const struct query_aggregate *aggregate,
		      const struct record_value *fields, struct query_keys *keys)
{
	struct tallies *tallies = state;
	struct record_value x = input_number(aggregate, fields, 0);

	(void)keys;
	if (query_is_there(x))
		query_tally_add(&tallies->tally, x, 1);
}

static void add_bucket(void *state, const struct query_aggregate *aggregate,
		       const struct record_value *fields, struct query_keys *keys)
{
	struct tallies *tallies = state;
	struct record_value x = input_number(aggregate, fields, 0);

	(void)keys;
	if (query_is_there(x))
		query_tally_add(&tallies->tally, query_bucket(x, aggregate->number), 1);
}

static void merge_tally(void *state, const struct query_aggregate *aggregate,
			const void *other, struct query_keys *keys)
{
	struct tallies *tallies = state;
	const struct tallies *more = other;

	(void)aggregate;
	(void)keys;
	query_tally_merge(&tallies->tally, &more->tally);
}

static void deinit_tally(void *state)
{
	struct tallies *tallies = state;

	query_tally_deinit(&tallies->tally);
}

static void pack_tally(const void *state, struct query_pack *pack)
{
	const struct tallies *tallies = state;

	query_pack_uint(pack, (uint32_t)tallies->tally.items.count);
	vector_for_each (&tallies->tally.items, item) {
		query_pack_value(pack, item->number);
		query_pack_bytes(pack, &item->count, sizeof(item->count));
	}
}

static void unpack_tally(void *state, struct query_unpack *unpack)
{
	struct tallies *tallies = state;

	for (uint32_t left = query_unpack_uint(unpack); left && !unpack->wrong; left--) {
		struct record_value number = query_unpack_value(unpack);
		uint64_t count;

		query_unpack_bytes(unpack, &count, sizeof(count));
		if (!unpack->wrong && query_is_there(query_number(number)))
			query_tally_add(&tallies->tally, number, count);
	}
}

static const struct query_state_kind tally_kind = {
	sizeof(struct tallies), add_tally,  merge_tally,
	deinit_tally,           pack_tally, unpack_tally};
static const struct query_state_kind bucket_kind = {
	sizeof(struct tallies), add_bucket, merge_tally,
	deinit_tally,           pack_tally, unpack_tally};

static struct record_value percentile_value(const void *state,
					    struct query_outcome *outcome)
{
	const struct tallies *tallies = state;
	struct record_value percent = outcome->aggregate->number;

	return query_tally_percentile(
		&tallies->tally, query_is_there(percent) ? query_as_double(percent) : 50);
}

static struct record_value histogram_value(const void *state,
					   struct query_outcome *outcome)
{
	const struct tallies *tallies = state;
	struct text text = {0};

	if (!tallies->tally.items.count)
		return query_nothing();
	query_tally_text(&tallies->tally, &text);
	struct record_value value =
		query_keys_keep(outcome->keys, record_string(text.data));

	text_deinit(&text);
	return value;
}

#define NUMBER(use) QUERY_NUMBER_##use

/* name, result, fields, number, again, kind, value, flags, partials */
const struct query_operator query_operators[] = {
	{"count", "count", 0, NUMBER(NONE), "count", &count_kind, sum_value, 0, NULL},
	{"sum", "sum", 1, NUMBER(NONE), "sum", &sum_kind, sum_value, QUERY_ALIKE, NULL},
	{"min", "min", 1, NUMBER(NONE), "min", &least_kind, single_value, QUERY_ALIKE,
	 NULL},
	{"max", "max", 1, NUMBER(NONE), "max", &greatest_kind, single_value, QUERY_ALIKE,
	 NULL},
	{"avg", "avg", 1, NUMBER(NONE), "sum", &average_kind, average_value,
	 QUERY_COUNTED | QUERY_ALIKE | QUERY_RESULT_FIRST, average_partials},
	{"any", "any", 1, NUMBER(NONE), NULL, &first_kind, single_value, QUERY_ALIKE,
	 NULL},
	{"first", "first", 1, NUMBER(NONE), NULL, &first_kind, single_value, QUERY_ALIKE,
	 NULL},
	{"variance", "variance", 1, NUMBER(NONE), NULL, &moments_kind, variance_value,
	 QUERY_RESULT_FIRST, variance_partials},
	{"stddev", "stddev", 1, NUMBER(NONE), NULL, &moments_kind, deviation_value,
	 QUERY_ALIKE, NULL},
	{"ratio", "ratio", 2, NUMBER(OPTIONAL), NULL, &ratio_kind, ratio_value, 0,
	 ratio_partials},
	{"scale", "scale", 1, NUMBER(NEEDED), "sum", &sum_kind, scale_value, QUERY_REAL,
	 scale_partials},
	{"scale_count", "scount", 0, NUMBER(NEEDED), "count", &count_kind, scale_value,
	 QUERY_REAL, NULL},
	{"percent_total", "percent_total", 1, NUMBER(NONE), "sum", &sum_kind,
	 percent_value, QUERY_OF_TOTAL, percent_partials},
	{"histogram", "histogram", 1, NUMBER(OPTIONAL), NULL, &bucket_kind,
	 histogram_value, 0, NULL},
	{"median", "median", 1, NUMBER(NONE), NULL, &tally_kind, percentile_value,
	 QUERY_ALIKE, NULL},
	{"percentile", "percentile", 1, NUMBER(PERCENT), NULL, &tally_kind,
	 percentile_value, QUERY_ALIKE, NULL},
	{"inclusive_count", "icount", 0, NUMBER(NONE), "count", &count_kind, sum_value,
	 QUERY_INCLUSIVE, NULL},
	{"inclusive_sum", "inclusive", 1, NUMBER(NONE), "sum", &sum_kind, sum_value,
	 QUERY_INCLUSIVE | QUERY_ALIKE, NULL},
	{"inclusive_min", "imin", 1, NUMBER(NONE), "min", &least_kind, single_value,
	 QUERY_INCLUSIVE | QUERY_ALIKE, NULL},
	{"inclusive_max", "imax", 1, NUMBER(NONE), "max", &greatest_kind, single_value,
	 QUERY_INCLUSIVE | QUERY_ALIKE, NULL},
	{"inclusive_scale", "iscale", 1, NUMBER(NEEDED), "sum", &sum_kind, scale_value,
	 QUERY_INCLUSIVE | QUERY_REAL, inclusive_scale_partials},
	{"inclusive_ratio", "iratio", 2, NUMBER(OPTIONAL), NULL, &ratio_kind, ratio_value,
	 QUERY_INCLUSIVE, inclusive_ratio_partials},
	{"inclusive_percent_total", "ipercent_total", 1, NUMBER(NONE), "sum", &sum_kind,
	 percent_value, QUERY_INCLUSIVE | QUERY_OF_TOTAL, inclusive_percent_partials},
	{0},
};

const struct query_operator *query_operator_find(const char *name)
{
	for (const struct query_operator *o = query_operators; o->name; o++)
		if (!strcasecmp(o->name, name))
			return o;
	return NULL;
}
