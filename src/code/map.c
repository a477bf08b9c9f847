#include "code/map.h"

#include <sys/mman.h>

/* Five bitmaps, and ranks of half the size, which are rounded up. */
enum { WORDS_PER_WORD = 6 };

#define HUGE_PAGE (2u << 20)

/*
 * Memory for the bitmaps, all zero. They are touched here and there: those of large texts
 * are in huge pages where there are any, since taking small ones in takes longer than
 * what is done with them.
 */
static void *take_bits(struct code_map *map, size_t size)
{
	size_t whole = (size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
	void *bytes = MAP_FAILED;

	if (size >= HUGE_PAGE)
		bytes = mmap(NULL, whole + HUGE_PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (bytes == MAP_FAILED)
		return map->bits = memory_allocate_zeroed(size, 1);
	map->bits = bytes;
	map->mapped_size = whole + HUGE_PAGE;
	bytes = (char *)bytes + (-(uintptr_t)bytes & (HUGE_PAGE - 1));
	madvise(bytes, whole, MADV_HUGEPAGE);
	return bytes;
}

static void index_functions(const struct code_map *map, const struct image *image)
{
	for (size_t i = image->functions.count; i--;) {
		uint64_t address = image->functions.items[i].address;
		const struct code_segment *segment = map_find(map, address, 1);

		if (!segment)
			continue;
		bit_set(segment->entries, address - segment->address);
		segment->ranks[(address - segment->address) >> 6] = (uint32_t)i;
	}
}

void map_init(struct code_map *map, const struct image *image, bool exposed)
{
	uint64_t *next;
	size_t words = 0;

	*map = (struct code_map){0};
	vector_for_each (&image->segments, segment) {
		const uint8_t *bytes =
			image_bytes_at(image, segment->address, segment->file_size);

		if (!segment->executable || !segment->file_size || !bytes ||
		    map->count == CODE_SEGMENTS_MAX)
			continue;
		map->segments[map->count++] =
			(struct code_segment){.address = segment->address,
					      .size = segment->file_size,
					      .bytes = bytes};
		words += WORDS_PER_WORD * bit_words(segment->file_size);
	}
	next = take_bits(map, words * sizeof(*next));
	for (size_t i = 0; i < map->count; i++) {
		struct code_segment *segment = &map->segments[i];

		words = bit_words(segment->size);
		segment->starts = next;
		segment->reached = next + words;
		segment->taken = next + 2 * words;
		segment->entries = next + 3 * words;
		segment->exposed = exposed ? next + 4 * words : segment->reached;
		segment->ranks = (uint32_t *)(void *)(next + 5 * words);
		next += WORDS_PER_WORD * words;
	}
	index_functions(map, image);
}

void map_deinit(struct code_map *map)
{
	if (map->mapped_size)
		munmap(map->bits, map->mapped_size);
	else
		free(map->bits);
	*map = (struct code_map){0};
}

bool bits_any(const uint64_t *bits, size_t index, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bit_test(bits, index + i))
			return true;
	return false;
}

bool map_is_reached(const struct code_map *map, uint64_t address, size_t size)
{
	const struct code_segment *segment = map_find(map, address, size);

	return !segment || bits_any(segment->reached, address - segment->address, size);
}

bool map_take(const struct code_map *map, uint64_t address, size_t size)
{
	const struct code_segment *segment = map_find(map, address, size);

	if (!segment || bits_any(segment->taken, address - segment->address, size))
		return false;
	for (size_t i = 0; i < size; i++)
		bit_set(segment->taken, address - segment->address + i);
	return true;
}

void map_release(const struct code_map *map, uint64_t address, size_t size)
{
	const struct code_segment *segment = map_find(map, address, size);

	for (size_t i = 0; segment && i < size; i++)
		bit_clear(segment->taken, address - segment->address + i);
}

size_t ranges_find(const struct image_range *ranges, size_t count, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool ranges_meet(const struct image_range *ranges, size_t count, uint64_t start,
		 uint64_t end)
{
	size_t index = ranges_find(ranges, count, start);

	return index < count && ranges[index].start < end;
}
