/* Ranges of addresses: sorting, look-ups. */
#ifndef TRAMMEL_IMAGE_RANGES_H
#define TRAMMEL_IMAGE_RANGES_H

#include "image/image.h"

/* Returns the range that holds the address, of sorted disjoint ranges; NULL if there is
 * none. */
const struct image_range *image_range_at(const struct image_ranges *ranges,
					 uint64_t address);

/* Sorts the ranges by start, then by end. */
void image_ranges_sort(struct image_ranges *ranges);

/* Sorts the ranges, and removes empty ones and ones that overlap an earlier range. */
void image_ranges_make_disjoint(struct image_ranges *ranges);

#endif
