/*
 * Arrays, and the order of numbers.
 */
#ifndef TRAMMEL_BASE_ARRAY_H
#define TRAMMEL_BASE_ARRAY_H

/* The number of elements of an array (not of a pointer). */
#define array_count(array) (sizeof(array) / sizeof((array)[0]))

/* The order of two numbers, as comparison functions return it: below 0, 0 or above 0. */
#define compare_numbers(a, b) (((a) > (b)) - ((a) < (b)))

/* Defines a static comparison function for qsort(): of items of a type, by a field with
 * numbers; or by a first and, where that is equal, by a second one. */
#define COMPARE_BY(function, type, field)                                                \
	static int function(const void *left, const void *right)                         \
	{                                                                                \
		const type *a = left, *b = right;                                        \
                                                                                         \
		return compare_numbers(a->field, b->field);                              \
	}                                                                                \
	_Static_assert(sizeof(type), "takes the semicolon")
#define COMPARE_BY_TWO(function, type, first, second)                                    \
	static int function(const void *left, const void *right)                         \
	{                                                                                \
		const type *a = left, *b = right;                                        \
                                                                                         \
		return compare_numbers(a->first, b->first)                               \
			       ?: compare_numbers(a->second, b->second);                 \
	}                                                                                \
	_Static_assert(sizeof(type), "takes the semicolon")

#endif
