/*
 * Arrays, and the order of numbers.
 */
#ifndef TRAMMEL_BASE_ARRAY_H
#define TRAMMEL_BASE_ARRAY_H

/* The number of elements of an array (not of a pointer). */
#define array_count(array) (sizeof(array) / sizeof((array)[0]))

/* The order of two numbers, as comparison functions return it: below 0, 0 or above 0. */
#define compare_numbers(a, b) (((a) > (b)) - ((a) < (b)))

#endif
