/*
 * Cold parts of functions: code that compilers put elsewhere (gcc's and clang's `.cold`),
 * to which the rest of the function jumps. For counts of blocks and edges each is
 * relocated like a function, with a row of its own, but no call enters it: it has no
 * gate, no hook, and no count of calls. Jumps to it, and landing pads in it, lead to its
 * original address, and from there into relocated code, like jumps into the middle of
 * functions.
 */
#ifndef TRAMMEL_CODE_SCAN_COLD_PARTS_H
#define TRAMMEL_CODE_SCAN_COLD_PARTS_H
#include "code/scan/scan.h"
#include "image/find.h"

/* Reasons why a cold part is not relocated. */
enum cold_part_left_reason {
	COLD_PART_UNREAD,    /* it is not understood, or lies among other code */
	COLD_PART_SHARED,    /* several functions branch there, and none has its name */
	COLD_PART_UNREACHED, /* no branch that is understood leads there */
};

struct cold_part_left {
	uint64_t address;
	uint64_t owner; /* address of its function, or of one that branches there; 0: none
			 */
	uint32_t name;  /* offset in image.names; 0: none */
	enum cold_part_left_reason reason;
};
struct cold_parts_left VECTOR(struct cold_part_left);

/*
 * Adds cold parts to the functions of the image and of the scan, if their function is
 * certain: only one branches there, or one has the part's name. Adds the others to
 * `left`, if that is not NULL.
 */
void cold_parts_add(struct scan *scan, struct image *image, struct cold_parts_left *left);

/* Removes the cold parts from the image; the scan is invalid then. */
void cold_parts_remove(struct image *image);

/* The function of a cold part, or the row itself. */
static inline uint32_t cold_parts_owner(const struct image *image, uint32_t index)
{
	const struct image_function *row = &image->functions.items[index];

	return row->flags & IMAGE_FUNCTION_COLD_PART
		       ? (uint32_t)image_function_at(image, row->part_of)
		       : index;
}

#endif
