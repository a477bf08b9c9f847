/*
 * The executable segments of an image, with a few bits for each byte: starts of
 * instructions, targets of branches, bytes taken by patches.
 */
#ifndef TRAMMEL_CODE_SCAN_CODE_MAP_H
#define TRAMMEL_CODE_SCAN_CODE_MAP_H

#include "base/bits.h"
#include "image/image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Linkers make one segment. Further ones, and those above 4 GiB, are not instrumented. */
enum { CODE_SEGMENTS_MAX = 8 };

/* Bytes of text for each entry of code_segment.first. */
enum { CODE_BLOCK = 128 };

struct code_segment {
	uint64_t address;
	size_t size; /* bytes that come from the file */
	const uint8_t *bytes;
	uint64_t *starts;  /* an instruction starts here, for certain */
	uint64_t *reached; /* a branch, an operand or a table leads here, branches of the
			      function itself and guesses left out */
	uint64_t *exposed; /* reached, other than by branches of the function around it or
			      by guesses alone */
	uint64_t *guessed; /* a number somewhere equals this address */
	uint64_t *taken;   /* a patch covers it */
	/* By block: the index in map.entries of the first function that begins in it or
	 * behind it. There is one more entry. */
	uint32_t *first;
};

struct code_map {
	struct code_segment segments[CODE_SEGMENTS_MAX];
	size_t count;
	/* Offsets of the image's functions from the address of their segment, in order; 0
	 * for functions in none. Compact, since it is looked up all the time. Without
	 * cold parts. */
	uint32_t *entries;
	void *bits; /* memory of all bitmaps */
};

/* Initialises a map, which refers to the image's bytes. Without `exposed` the bitmaps
 * `exposed` and `guessed` are that of `reached`, which saves time. */
void code_map_init(struct code_map *map, const struct image *image, bool exposed);
void code_map_deinit(struct code_map *map);

/* Updates the map when functions were added to the image or removed. */
void code_map_index(struct code_map *map, const struct image *image);

/* The segment that contains [address, address + size); NULL if there is none. */
static inline const struct code_segment *code_map_find(const struct code_map *map,
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

static inline void segment_reach(const struct code_segment *segment, uint64_t address)
{
	bit_set(segment->reached, address - segment->address);
	if (segment->exposed != segment->reached)
		bit_set(segment->exposed, address - segment->address);
}

/* Notes that something leads to `address`, which may be anywhere. */
static inline void code_map_reach(const struct code_map *map, uint64_t address)
{
	const struct code_segment *segment = code_map_find(map, address, 1);

	if (segment)
		segment_reach(segment, address);
}

/* Notes that a number, or the target of a possible branch or table, may be an address of
 * code. */
static inline void code_map_guess(const struct code_map *map, uint64_t number)
{
	const struct code_segment *segment = code_map_find(map, number, 1);

	if (!segment)
		return;
	bit_set(segment->reached, number - segment->address);
	bit_set(segment->guessed, number - segment->address);
}

/* Prefetches the code at `address`. */
static inline void code_map_prefetch(const struct code_map *map, uint64_t address)
{
	const struct code_segment *segment = code_map_find(map, address, 1);

	if (segment)
		__builtin_prefetch(segment->bytes + (address - segment->address));
}

/* The index of the function that begins at `address`; -1 if there is none. */
static inline int64_t code_map_function_at(const struct code_map *map, uint64_t address)
{
	const struct code_segment *segment = code_map_find(map, address, 1);
	uint32_t offset, last;

	if (!segment)
		return -1;
	offset = (uint32_t)(address - segment->address);
	last = segment->first[offset / CODE_BLOCK + 1];
	for (uint32_t i = segment->first[offset / CODE_BLOCK]; i < last; i++)
		if (map->entries[i] == offset)
			return i;
	return -1;
}

/* Whether something leads into [address, address + size). True outside of all segments.
 */
bool code_map_is_reached(const struct code_map *map, uint64_t address, size_t size);

/* Takes [address, address + size) for a patch; false if some of it is taken already. */
bool code_map_take(const struct code_map *map, uint64_t address, size_t size);

/* Releases bytes that code_map_take took. */
void code_map_release(const struct code_map *map, uint64_t address, size_t size);

/* The index of the first range in `ranges` that ends behind `address`; `count` if there
 * is none. */
size_t ranges_find(const struct image_range *ranges, size_t count, uint64_t address);

/* Whether [start, end) overlaps a range. */
bool ranges_meet(const struct image_range *ranges, size_t count, uint64_t start,
		 uint64_t end);

#endif
