/* Sorting by numbers. */
#ifndef TRAMMEL_IMAGE_READ_SORT_H
#define TRAMMEL_IMAGE_READ_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sort_item {
	uint64_t key;
	uint64_t value;
};

/* Sorts by key, keeping the order of equal keys. Linear in the count. */
void image_sort(struct sort_item *items, size_t count);

/* Sorts numbers and takes out repeated ones; returns how many are left. */
size_t image_sort_unique(uint64_t *numbers, size_t count);

#endif
