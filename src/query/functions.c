#include "query/functions.h"

#include <math.h>
#include <strings.h>

typedef __int128 whole;

/* Integers stay integers as long as 64 bits hold the result; else doubles are taken. */
static struct record_value combine_numbers(struct record_value x, struct record_value y,
					   bool (*exact)(whole, whole, whole *),
					   double (*rounded)(double, double))
{
	bool is_rounded = false;
	whole result;

	x = query_number(x);
	y = query_number(y);
	if (!query_is_there(x) || !query_is_there(y))
		return query_nothing();
	if (x.type != RECORD_DOUBLE && y.type != RECORD_DOUBLE && exact &&
	    exact(query_as_whole(x), query_as_whole(y), &result)) {
		struct record_value value = query_whole(result, &is_rounded);

		if (!is_rounded)
			return value;
	}
	return query_double(rounded(query_as_double(x), query_as_double(y)));
}

static bool add_exactly(whole x, whole y, whole *ret)
{
	return !__builtin_add_overflow(x, y, ret);
}

static bool subtract_exactly(whole x, whole y, whole *ret)
{
	return !__builtin_sub_overflow(x, y, ret);
}

static bool multiply_exactly(whole x, whole y, whole *ret)
{
	return !__builtin_mul_overflow(x, y, ret);
}

static double add_rounded(double x, double y)
{
	return x + y;
}

static double subtract_rounded(double x, double y)
{
	return x - y;
}

static double multiply_rounded(double x, double y)
{
	return x * y;
}

static double divide_rounded(double x, double y)
{
	return x / y;
}

static struct record_value add_arguments(const struct record_value *arguments, int count)
{
	(void)count;
	return combine_numbers(arguments[0], arguments[1], add_exactly, add_rounded);
}

static struct record_value subtract_arguments(const struct record_value *arguments,
					      int count)
{
	if (count == 1)
		return combine_numbers(record_uint(0), arguments[0], subtract_exactly,
				       subtract_rounded);
	return combine_numbers(arguments[0], arguments[1], subtract_exactly,
			       subtract_rounded);
}

static struct record_value scale_argument(const struct record_value *arguments, int count)
{
	(void)count;
	return combine_numbers(arguments[0], arguments[1], multiply_exactly,
			       multiply_rounded);
}

/* x / y, times s. Nothing comes of a division by 0. */
static struct record_value ratio_of(const struct record_value *arguments, int count)
{
	struct record_value y = query_number(arguments[1]);

	if (!query_is_there(y) || query_as_double(y) == 0)
		return query_nothing();
	struct record_value value =
		combine_numbers(arguments[0], y, NULL, divide_rounded);

	if (count < 3 || !query_is_there(value))
		return value;
	return combine_numbers(value, arguments[2], NULL, multiply_rounded);
}

/* The multiple of s that x is not below. */
static struct record_value truncate_argument(const struct record_value *arguments,
					     int count)
{
	struct record_value x = query_number(arguments[0]);
	struct record_value s = count > 1 ? query_number(arguments[1]) : record_uint(1);

	if (!query_is_there(x) || !query_is_there(s) || query_as_double(s) == 0)
		return query_nothing();
	if (x.type != RECORD_DOUBLE && s.type != RECORD_DOUBLE) {
		whole number = query_as_whole(x), step = query_as_whole(s);

		return query_whole(number - number % step, NULL);
	}
	double d = query_as_double(x);

	return query_double(d - fmod(d, query_as_double(s)));
}

static struct record_value first_argument(const struct record_value *arguments, int count)
{
	for (int i = 0; i < count; i++)
		if (query_is_there(arguments[i]))
			return arguments[i];
	return query_nothing();
}

static struct record_value sum_arguments(const struct record_value *arguments, int count)
{
	struct query_sum all = {0};

	for (int i = 0; i < count; i++) {
		struct record_value number = query_number(arguments[i]);

		if (query_is_there(number))
			query_sum_add(&all, number);
	}
	return query_sum_value(&all, NULL);
}

const struct query_function query_functions[] = {
	{"ratio", 2, 3, ratio_of, true},
	{"scale", 2, 2, scale_argument, true},
	{"truncate", 1, 2, truncate_argument, false},
	{"first", 1, QUERY_ARGUMENTS_MAX, first_argument, false},
	{"sum", 1, QUERY_ARGUMENTS_MAX, sum_arguments, false},
	/* With one argument the parser takes its value, without one the path's. */
	{"leaf", 0, 1, first_argument, false},
	{"+", 2, 2, add_arguments, false},
	{"-", 1, 2, subtract_arguments, false},
	{"*", 2, 2, scale_argument, false},
	{"/", 2, 2, ratio_of, false},
	{0},
};

const struct query_function *query_function_find(const char *name)
{
	for (const struct query_function *f = query_functions; f->name; f++)
		if (!strcasecmp(f->name, name))
			return f;
	return NULL;
}

struct record_value query_evaluate(const struct query *query, int expression,
				   const struct record_value *fields)
{
	const struct query_expression *e = &query->expressions.items[expression];
	struct record_value arguments[QUERY_ARGUMENTS_MAX];

	if (!e->function)
		return e->field == QUERY_NO_FIELD ? e->value : fields[e->field];
	for (int i = 0; i < e->count; i++)
		arguments[i] = query_evaluate(query, query->arguments.items[e->first + i],
					      fields);
	return e->function->value(arguments, e->count);
}
