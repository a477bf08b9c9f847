#include "code/scan/code_map.h"

#include "base/search.h"
#include "image/contents.h"

enum { BITMAPS = 5 };

/* For rows that no call enters; no segment is as large. */
static const uint32_t NO_ENTRY = UINT32_MAX;

static size_t block_count(size_t size)
{
	return size / CODE_BLOCK + 2;
}

/* All that a segment needs, in words. */
static size_t words_of(size_t size)
{
	return BITMAPS * bit_words(size) + block_count(size) / 2 + 1;
}

/* Functions and segments are sorted. */
void code_map_index(struct code_map *map, const struct image *image)
{
	size_t count = image->functions.count;
	const struct image_function *functions = image->functions.items;
	size_t next = 0;

	free(map->entries);
	map->entries = memory_allocate_zeroed(count, sizeof(*map->entries));
	for (size_t i = 0; i < map->count; i++) {
		const struct code_segment *segment = &map->segments[i];
		size_t blocks = block_count(segment->size), block = 0;

		while (next < count && functions[next].address < segment->address)
			next++;
		for (; next < count; next++) {
			uint64_t offset = functions[next].address - segment->address;

			if (offset >= segment->size)
				break;
			map->entries[next] =
				functions[next].flags & IMAGE_FUNCTION_COLD_PART
					? NO_ENTRY
					: (uint32_t)offset;
			while (block <= offset / CODE_BLOCK)
				segment->first[block++] = (uint32_t)next;
		}
		while (block < blocks)
			segment->first[block++] = (uint32_t)next;
	}
}

void code_map_init(struct code_map *map, const struct image *image, bool exposed)
{
	uint64_t *next;
	size_t words = 0;

	*map = (struct code_map){0};
	vector_for_each (&image->segments, segment) {
		const uint8_t *bytes =
			image_bytes_at(image, segment->address, segment->file_size);

		if (!segment->executable || !segment->file_size || !bytes ||
		    segment->file_size > UINT32_MAX || map->count == CODE_SEGMENTS_MAX)
			continue;
		map->segments[map->count++] =
			(struct code_segment){.address = segment->address,
					      .size = segment->file_size,
					      .bytes = bytes};
		words += words_of(segment->file_size);
	}
	next = map->bits = memory_allocate_zeroed(words, sizeof(*next));
	for (size_t i = 0; i < map->count; i++) {
		struct code_segment *segment = &map->segments[i];

		words = bit_words(segment->size);
		segment->starts = next;
		segment->reached = next + words;
		segment->taken = next + 2 * words;
		segment->exposed = exposed ? next + 3 * words : segment->reached;
		segment->guessed = exposed ? next + 4 * words : segment->reached;
		segment->first = (uint32_t *)(void *)(next + BITMAPS * words);
		next += words_of(segment->size);
	}
	code_map_index(map, image);
}

void code_map_deinit(struct code_map *map)
{
	free(map->bits);
	free(map->entries);
	*map = (struct code_map){0};
}

bool code_map_is_reached(const struct code_map *map, uint64_t address, size_t size)
{
	const struct code_segment *segment = code_map_find(map, address, size);
	size_t at;

	if (!segment)
		return true;
	at = address - segment->address;
	return bits_any(segment->reached, at, at + size);
}

bool code_map_take(const struct code_map *map, uint64_t address, size_t size)
{
	const struct code_segment *segment = code_map_find(map, address, size);
	size_t at;

	if (!segment)
		return false;
	at = address - segment->address;
	if (bits_any(segment->taken, at, at + size))
		return false;
	bits_set(segment->taken, at, at + size);
	return true;
}

void code_map_release(const struct code_map *map, uint64_t address, size_t size)
{
	const struct code_segment *segment = code_map_find(map, address, size);
	size_t at;

	if (!segment)
		return;
	at = address - segment->address;
	bits_clear(segment->taken, at, at + size);
}

size_t ranges_find(const struct image_range *ranges, size_t count, uint64_t address)
{
	return search_first(count, middle, ranges[middle].end <= address);
}

bool ranges_meet(const struct image_range *ranges, size_t count, uint64_t start,
		 uint64_t end)
{
	size_t index = ranges_find(ranges, count, start);

	return index < count && ranges[index].start < end;
}
