/*
 * Values in queries: exact numbers, and a total order of all values. Integers are
 * RECORD_UINT, or RECORD_INT if negative; QUERY_NOTHING is no value.
 */
#ifndef TRAMMEL_QUERY_VALUE_H
#define TRAMMEL_QUERY_VALUE_H

#include "record/record.h"

/* The type of a missing value. */
#define QUERY_NOTHING RECORD_TYPE_COUNT

static inline struct record_value query_nothing(void)
{
	return (struct record_value){.type = QUERY_NOTHING};
}

/* A missing value, in a record that must not be counted. */
static inline struct record_value query_none(void)
{
	return (struct record_value){.type = QUERY_NOTHING, .u = 1};
}

static inline bool query_is_none(struct record_value value)
{
	return value.type == QUERY_NOTHING && value.u;
}

static inline bool query_is_there(struct record_value value)
{
	return value.type != QUERY_NOTHING;
}

static inline struct record_value query_double(double d)
{
	return (struct record_value){.type = RECORD_DOUBLE, .d = d};
}

static inline bool query_is_nan(struct record_value value)
{
	return value.type == RECORD_DOUBLE && value.d != value.d;
}

/* The value as a number: RECORD_UINT, negative RECORD_INT or RECORD_DOUBLE; nothing for
 * strings. */
struct record_value query_number(struct record_value value);

/* The canonical form of a value: equal values have one, so that they make one group. */
struct record_value query_canonical(struct record_value value);

/* A number as a double, or as an integer (RECORD_UINT and RECORD_INT only). */
double query_as_double(struct record_value number);
__int128 query_as_whole(struct record_value number);

/* An integer as a value; if it does not fit 64 bits, a double, and `ret_rounded` (may be
 * NULL) is set. */
struct record_value query_whole(__int128 whole, bool *ret_rounded);

/* Parses "12", "-3", "0x1f", "1.5e3"; nothing if the text is not a number as a whole. */
struct record_value query_parse_number(const char *text);

/*
 * Compares two values (result < 0, 0, > 0): numbers by value, whatever their types, then
 * strings by bytes, then nothing. NaN comes behind all other numbers.
 */
int query_compare(struct record_value a, struct record_value b);

/* A sum without loss: exact for integers, with double the digits for doubles. All-zero is
 * the sum of no values. */
struct query_sum {
	__int128 whole;
	double high, low; /* the sum of the doubles is high + low */
	bool any, real;   /* any value was added; a double was added */
};

void query_sum_real(struct query_sum *sum, double d);
void query_sum_merge(struct query_sum *sum, const struct query_sum *other);

static inline void query_sum_add(struct query_sum *sum, struct record_value number)
{
	sum->any = true;
	if (number.type == RECORD_UINT)
		sum->whole += number.u;
	else if (number.type == RECORD_INT)
		sum->whole += number.i;
	else
		query_sum_real(sum, number.d);
}

/* The value of a sum: nothing, an integer, or a double. */
struct record_value query_sum_value(const struct query_sum *sum, bool *ret_rounded);

#endif
