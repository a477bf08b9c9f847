/*
 * Padding between functions: bytes that are never executed, for jumps that have no room
 * elsewhere.
 */
#ifndef TRAMMEL_CODE_SCAN_PADDING_H
#define TRAMMEL_CODE_SCAN_PADDING_H

#include "code/scan/scan.h"

/* The bytes behind a function up to the next known object, if they are proven padding. */
struct padding_gap {
	uint16_t size;        /* bytes; 0: none, or not proven */
	uint16_t front, back; /* bytes in use at either end */
	bool known;           /* the above is filled in */
	bool executed; /* control may run through it: nops before the next function */
};

/* Executed padding that now holds islands: a short jump over it must lie at its start. */
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

/* Extends a function by `size` bytes into the padding behind it; false without room. */
bool padding_extend(struct padding *padding, uint32_t function, size_t size);

/* Takes five bytes of padding that start in [low, high], searched around the function.
 * Writes their address. */
bool padding_take_island(struct padding *padding, uint32_t function, uint64_t low,
			 uint64_t high, uint64_t *ret_address);

#endif
