/*
 * Sorting of data that is mostly in order.
 */
#ifndef TRAMMEL_BASE_SORT_H
#define TRAMMEL_BASE_SORT_H

#include <stddef.h>

/*
 * Sorts `count` items of `size` bytes. Each begins with a uint32_t below `group_count`,
 * its group, which must be the first thing that `compare` looks at. Items of one group
 * are sorted by `compare`; equal items keep their order. Linear if each group is sorted
 * already (distribution counting: Knuth, TAOCP 3, 5.2, algorithm D).
 */
void sort_groups(void *items, size_t count, size_t size, size_t group_count,
		 int (*compare)(const void *left, const void *right));

#endif
