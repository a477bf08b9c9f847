#include "query/tally.h"

#include "base/array.h"
#include "record/value.h"

#include <inttypes.h>
#include <math.h>

void query_tally_add(struct query_tally *tally, struct record_value number,
		     uint64_t count)
{
	size_t which = number.type == RECORD_DOUBLE ? 2 : number.type == RECORD_INT;
	bool new;
	uint64_t *place = table_insert(&tally->places[which], number.u, &new);

	if (new) {
		*place = tally->items.count;
		vector_push(&tally->items, ((struct query_tally_item){number, 0}));
	}
	tally->items.items[*place].count += count;
}

void query_tally_merge(struct query_tally *tally, const struct query_tally *other)
{
	vector_for_each (&other->items, item)
		query_tally_add(tally, item->number, item->count);
}

void query_tally_deinit(struct query_tally *tally)
{
	for (size_t i = 0; i < array_count(tally->places); i++)
		table_deinit(&tally->places[i]);
	vector_deinit(&tally->items);
}

static int compare_items(const void *a, const void *b)
{
	const struct query_tally_item *x = a, *y = b;

	return query_compare(x->number, y->number);
}

/* A copy of the items, in order; free() it. */
static struct query_tally_item *sorted_items(const struct query_tally *tally)
{
	size_t size = tally->items.count * sizeof(tally->items.items[0]);
	struct query_tally_item *items = memory_allocate(size);

	if (size)
		memcpy(items, tally->items.items, size);
	qsort(items, tally->items.count, sizeof(*items), compare_items);
	return items;
}

struct record_value query_tally_percentile(const struct query_tally *tally,
					   double percent)
{
	struct record_value value = query_nothing();
	uint64_t all = 0, seen = 0;

	vector_for_each (&tally->items, item)
		all += query_is_nan(item->number) ? 0 : item->count;
	struct query_tally_item *items = sorted_items(tally);
	/* The product first: 30 % of 10 are 3, not the next above of 0.3 * 10. */
	long double rank = ceill((long double)percent * (long double)all / 100);

	for (size_t i = 0; i < tally->items.count; i++) {
		value = items[i].number;
		seen += items[i].count;
		if ((long double)seen >= rank)
			break;
	}
	free(items);
	return value;
}

void query_tally_text(const struct query_tally *tally, struct text *out)
{
	struct query_tally_item *items = sorted_items(tally);

	for (size_t i = 0; i < tally->items.count; i++) {
		text_add(out, i ? " " : "");
		record_value_text(out, items[i].number);
		text_format(out, ":%" PRIu64, items[i].count);
	}
	free(items);
}

/* Converts an integral double to an integer, so that buckets of both types are equal. */
static struct record_value whole_if_exact(double d)
{
	if (fabs(d) < 0x1p63 && d == floor(d))
		return query_whole((__int128)d, NULL);
	return query_double(d);
}

static struct record_value power_of_two(struct record_value number)
{
	if (number.type == RECORD_UINT)
		return number.u ? record_uint((uint64_t)1
					      << (63 - __builtin_clzll(number.u)))
				: number;
	int exponent;
	double d = query_as_double(number);

	if (!isfinite(d) || d == 0)
		return whole_if_exact(d);
	/* -2^63 is exact, and so are all other powers; what rounding would carry over to
	 * the next one is not. */
	if (number.type == RECORD_INT)
		return query_whole(-((__int128)1 << (63 - __builtin_clzll(-number.u))),
				   NULL);
	frexp(d, &exponent);
	return whole_if_exact(copysign(ldexp(1, exponent - 1), d));
}

struct record_value query_bucket(struct record_value number, struct record_value width)
{
	if (!query_is_there(width) || query_as_double(width) <= 0)
		return power_of_two(number);
	if (number.type != RECORD_DOUBLE && width.type != RECORD_DOUBLE) {
		__int128 x = query_as_whole(number), w = query_as_whole(width);
		__int128 rest = ((x % w) + w) % w;

		return query_whole(x - rest, NULL);
	}
	double w = query_as_double(width);

	return whole_if_exact(floor(query_as_double(number) / w) * w);
}
