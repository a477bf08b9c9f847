#include "image/read/sort.h"

#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

/* Digits of 11 bits: a table of 16 KiB, and three or four passes over addresses. */
enum { DIGIT_BITS = 11, DIGIT_COUNT = 1 << DIGIT_BITS };

static size_t key_digit(uint64_t key, unsigned int shift)
{
	return (size_t)(key >> shift) & (DIGIT_COUNT - 1);
}

/* One pass of a radix sort by the digit at `shift`. */
static void distribute_items(const struct sort_item *from, struct sort_item *to,
			     size_t count, unsigned int shift)
{
	size_t places[DIGIT_COUNT] = {0}, sum = 0;

	for (size_t i = 0; i < count; i++)
		places[key_digit(from[i].key, shift)]++;
	for (size_t i = 0; i < DIGIT_COUNT; i++) {
		size_t here = places[i];

		places[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[places[key_digit(from[i].key, shift)]++] = from[i];
}

void image_sort(struct sort_item *items, size_t count)
{
	struct sort_item *spare, *from = items, *to;
	uint64_t differing = 0;

	for (size_t i = 1; i < count; i++)
		differing |= items[i].key ^ items[0].key;
	if (!differing)
		return;
	to = spare = memory_allocate(count * sizeof(*items));
	for (unsigned int shift = 0; shift < 64; shift += DIGIT_BITS) {
		struct sort_item *done = to;

		if (!key_digit(differing, shift))
			continue;
		distribute_items(from, to, count, shift);
		to = from;
		from = done;
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
	free(spare);
}

size_t image_sort_unique(uint64_t *numbers, size_t count)
{
	struct sort_item *items = memory_allocate(count * sizeof(*items));
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		items[i] = (struct sort_item){numbers[i], 0};
	image_sort(items, count);
	for (size_t i = 0; i < count; i++) {
		if (!kept || numbers[kept - 1] != items[i].key)
			numbers[kept++] = items[i].key;
	}
	free(items);
	return kept;
}
