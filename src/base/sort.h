/*
 * Sorting of what is mostly in order.
 */
#ifndef TRAMMEL_BASE_SORT_H
#define TRAMMEL_BASE_SORT_H

#include <stddef.h>

/*
 * Sorts `count` items of `size` bytes that begin with a uint32_t below `group_count`,
 * which must be what `compare` looks at first. Those with one number are in the order of
 * `compare`; equal ones stay in theirs. Linear if groups are in order in themselves
 * (distribution counting: Knuth, TAOCP 3, 5.2, algorithm D).
 */
void sort_groups(void *items, size_t count, size_t size, size_t group_count,
		 int (*compare)(const void *left, const void *right));

#endif
