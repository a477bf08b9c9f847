/*
 * The executable segments of an image with a few bits for each byte: where instructions
 * start, what something leads to, what a patch has taken.
 */
#ifndef TRAMMEL_CODE_MAP_H
#define TRAMMEL_CODE_MAP_H

#include "code/bits.h"
#include "image/image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CODE_SEGMENTS_MAX = 8 }; /* linkers make one; what is beyond is not instrumented */

struct code_segment {
	uint64_t address;
	size_t size; /* bytes that come from the file */
	const uint8_t *bytes;
	uint64_t *starts;  /* an instruction starts here, for certain */
	uint64_t *reached; /* a branch, an operand or a table leads here */
	uint64_t *exposed; /* the same, but for branches of the function around it */
	uint64_t *taken;   /* a patch covers it */
	uint64_t *entries; /* a function of the image begins here */
	uint32_t *ranks;   /* by word of `entries`: the index of its first function */
};

struct code_map {
	struct code_segment segments[CODE_SEGMENTS_MAX];
	size_t count;
	void *bits;         /* the memory of all bitmaps and ranks */
	size_t mapped_size; /* bytes, if it is a mapping of its own */
};

/* The map refers to the image's bytes. Without `exposed` that bitmap is the same as
 * `reached`, which saves time. */
void map_init(struct code_map *map, const struct image *image, bool exposed);
void map_deinit(struct code_map *map);

/* Whether any of `count` bits from `index` on is set. */
bool bits_any(const uint64_t *bits, size_t index, size_t count);

/* The segment that holds [address, address + size), NULL if none does. */
static inline const struct code_segment *map_find(const struct code_map *map,
						  uint64_t address, size_t size)
{
	for (size_t i = 0; i < map->count; i++) {
		const struct code_segment *segment = &map->segments[i];
		uint64_t offset = address - segment->address;

		if (offset < segment->size && size <= segment->size - offset)
			return segment;
	}
	return NULL;
}

/* Notes that something leads to `address`, wherever that is. */
static inline void map_reach(const struct code_map *map, uint64_t address)
{
	const struct code_segment *segment = map_find(map, address, 1);

	if (segment) {
		bit_set(segment->reached, address - segment->address);
		bit_set(segment->exposed, address - segment->address);
	}
}

/* The same for a branch or table of the function that `address` lies in. */
static inline void map_reach_inside(const struct code_map *map, uint64_t address)
{
	const struct code_segment *segment = map_find(map, address, 1);

	if (segment)
		bit_set(segment->reached, address - segment->address);
}

/* The index of the function that begins at `address`; -1: none does. */
static inline int64_t map_function_at(const struct code_map *map, uint64_t address)
{
	const struct code_segment *segment = map_find(map, address, 1);
	size_t offset, word;
	uint64_t bit;

	if (!segment)
		return -1;
	offset = address - segment->address;
	word = offset >> 6;
	bit = (uint64_t)1 << (offset & 63);
	if (!(segment->entries[word] & bit))
		return -1;
	return segment->ranks[word] +
	       __builtin_popcountll(segment->entries[word] & (bit - 1));
}

/* Whether something leads into [address, address + size). True outside of all segments.
 */
bool map_is_reached(const struct code_map *map, uint64_t address, size_t size);

/* Takes [address, address + size) for a patch; false if some of it is taken already. */
bool map_take(const struct code_map *map, uint64_t address, size_t size);

/* Gives it back. */
void map_release(const struct code_map *map, uint64_t address, size_t size);

/* The index of the first range in `ranges` that ends behind `address`; count if none
 * does. */
size_t ranges_find(const struct image_range *ranges, size_t count, uint64_t address);

/* Whether [start, end) meets a range. */
bool ranges_meet(const struct image_range *ranges, size_t count, uint64_t start,
		 uint64_t end);

#endif
