#include "image/ranges.h"

#include "base/array.h"

const struct image_range *image_range_at(const struct image_ranges *ranges,
					 uint64_t address)
{
	size_t low = 0, high = ranges->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct image_range *range = &ranges->items[middle];

		if (address < range->start)
			high = middle;
		else if (address >= range->end)
			low = middle + 1;
		else
			return range;
	}
	return NULL;
}

COMPARE_BY_TWO(compare_ranges, struct image_range, start, end);

void image_ranges_sort(struct image_ranges *ranges)
{
	if (ranges->count)
		qsort(ranges->items, ranges->count, sizeof(*ranges->items),
		      compare_ranges);
}

void image_ranges_make_disjoint(struct image_ranges *ranges)
{
	uint64_t end = 0;
	size_t kept = 0;

	image_ranges_sort(ranges);
	vector_for_each (ranges, range) {
		struct image_range rest = *range;

		rest.start = rest.start < end ? end : rest.start;
		if (rest.start >= rest.end)
			continue;
		end = rest.end;
		ranges->items[kept++] = rest;
	}
	ranges->count = kept;
}
