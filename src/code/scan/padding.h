/*
 * Padding between functions: bytes that nothing executes, for jumps that have no room
 * else.
 */
#ifndef TRAMMEL_CODE_SCAN_PADDING_H
#define TRAMMEL_CODE_SCAN_PADDING_H

#include "code/scan/scan.h"

/* The bytes behind one function up to the next known thing, if they are proven padding.
 */
struct padding_gap {
	uint16_t size;        /* bytes; 0: none, or not proven */
	uint16_t front, back; /* bytes in use at either end */
	bool known;           /* the above is filled in */
	bool executed; /* control may run through it: nops before the next function */
};

/* Executed padding that now holds islands: a short jump over it is to lie at its start.
 */
struct padding_bridge {
	uint64_t address;
	uint32_t function; /* the one before the padding */
	uint8_t length;    /* bytes from the end of the jump to the end of the padding */
};

struct padding {
	const struct scan *scan;
	const struct image *image;
	struct padding_gap *gaps; /* by function */
	struct VECTOR(struct padding_bridge) bridges;
};

void padding_init(struct padding *padding, const struct scan *scan,
		  const struct image *image);
void padding_deinit(struct padding *padding);

/* Lets the function go on for `size` bytes into the padding behind it; false: no room. */
bool padding_extend(struct padding *padding, uint32_t function, size_t size);

/* Five bytes of padding that start in [low, high], looked for around the function. */
bool padding_take_island(struct padding *padding, uint32_t function, uint64_t low,
			 uint64_t high, uint64_t *ret_address);

#endif
