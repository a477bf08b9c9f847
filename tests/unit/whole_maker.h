/*
 * Functions made by chance, for running them bare and relocated: see whole_area.h.
 */
#ifndef TRAMMEL_TESTS_WHOLE_MAKER_H
#define TRAMMEL_TESTS_WHOLE_MAKER_H

#include "whole_area.h"

enum {
	FUNCTIONS = 220, /* in a batch */
	LEAVES = 4,      /* of them, the first ones: they call nothing */
	BLOCKS_MAX = 12,
	FIXUPS_MAX = 256,
	TEXT = 1 << 17,
	DATA = 1 << 15,
};

/* A displacement of `size` bytes at `at` that is to lead to a block; of a table's entry,
 * from the table's start. */
struct hole {
	uint32_t at, block, base;
	uint8_t size;
};

struct maker {
	uint32_t random;
	uint32_t count;      /* bytes of code */
	uint32_t data_count; /* bytes of tables */
	uint32_t starts[FUNCTIONS];
	uint32_t blocks[BLOCKS_MAX + 1]; /* of the function in the making */
	struct hole holes[FIXUPS_MAX];
	uint32_t hole_count, block_count, number;
	bool switches; /* the function may have some */
	uint8_t bytes[TEXT + DATA];
};

/* A number below a limit. */
uint32_t maker_draw(struct maker *maker, uint32_t below);

/* Makes all functions anew. */
void maker_make(struct maker *maker, uint32_t seed);

/* Opens an area of them, which is still to be planned. */
void maker_open(const struct maker *maker, struct whole_area *area);

#endif
