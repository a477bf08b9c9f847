#include "whole_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { STEPS = 4 }; /* blocks that a call goes through at most, by its fuel in r15 */

uint32_t maker_draw(struct maker *maker, uint32_t below)
{
	maker->random = maker->random * 1664525u + 1013904223u;
	return (maker->random >> 8) % below;
}

static void put(struct maker *maker, const uint8_t *bytes, size_t size)
{
	assert_true(maker->count + size < TEXT);
	memcpy(maker->bytes + maker->count, bytes, size);
	maker->count += (uint32_t)size;
}

#define PUT(maker, ...)                                                                  \
	put(maker, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void put_word(struct maker *maker, uint32_t word)
{
	put(maker, (const uint8_t *)&word, sizeof(word));
}

/* A displacement in code, that ends where the instruction does. */
static void put_hole(struct maker *maker, uint32_t block, uint8_t size)
{
	assert_true(maker->hole_count < FIXUPS_MAX);
	maker->holes[maker->hole_count++] = (struct hole){.at = maker->count,
							  .block = block,
							  .base = maker->count + size,
							  .size = size};
	put(maker, (const uint8_t[4]){0}, size);
}

/* Of rax, rcx, rbx, rsi, rdi: what plain instructions may change. rdx is the memory. */
static uint8_t any_register(struct maker *maker)
{
	static const uint8_t registers[] = {0, 1, 3, 6, 7};

	return registers[maker_draw(maker, sizeof(registers))];
}

static void put_plain(struct maker *maker)
{
	static const uint8_t arithmetic[] = {0x01, 0x11, 0x19, 0x29,
					     0x21, 0x09, 0x31, 0x39};
	uint8_t a = any_register(maker), b = any_register(maker);
	uint8_t both = (uint8_t)(0xc0 | a << 3 | b);
	uint8_t offset = (uint8_t)(maker_draw(maker, 15) * 8);

	switch (maker_draw(maker, 14)) {
	case 0 ... 4:
		PUT(maker, 0x48, arithmetic[maker_draw(maker, 8)], both);
		return;
	case 5:
		PUT(maker, 0x48, 0x8d, (uint8_t)(0x40 | a << 3 | b), offset); /* lea */
		return;
	case 6:
		PUT(maker, 0xff,
		    (uint8_t)(0xc0 | maker_draw(maker, 2) << 3 | a)); /* inc, dec */
		return;
	case 7:
		PUT(maker, 0x48, 0xc1, (uint8_t)(0xe0 | a),
		    (uint8_t)maker_draw(maker, 34));
		return;
	case 8:
		PUT(maker, 0x48, 0xd1, (uint8_t)(0xd0 | a)); /* rcl */
		return;
	case 9:
		PUT(maker, 0x0f, (uint8_t)(0x90 | maker_draw(maker, 16)),
		    (uint8_t)(0xc0 | (a & 1))); /* setcc */
		return;
	case 10:
		PUT(maker, 0x48, 0x0f, (uint8_t)(0x40 | maker_draw(maker, 16)), both);
		return;
	case 11:
		PUT(maker, 0x48, 0x89, (uint8_t)(0x42 | a << 3), offset); /* to memory */
		return;
	case 12:
		PUT(maker, 0x48, 0x13, (uint8_t)(0x42 | a << 3), offset); /* adc from */
		return;
	default:
		PUT(maker, 0x9f); /* lahf */
	}
}

static void put_call(struct maker *maker)
{
	uint32_t callee = maker_draw(maker, LEAVES);

	if (maker_draw(maker, 4)) {
		PUT(maker, 0xe8);
		put_word(maker, maker->starts[callee] - (maker->count + 4));
		return;
	}
	/* Flags are dead there, by the ABI: lea callee(%rip), %rax; call *%rax; test
	 * %rax, %rax */
	PUT(maker, 0x48, 0x8d, 0x05);
	put_word(maker, maker->starts[0] - (maker->count + 4));
	PUT(maker, 0xff, 0xd0, 0x48, 0x85, 0xc0);
}

/* lea table(%rip), %r8; and $n, %ecx; movslq (%r8,%rcx,4), %r9; add %r8, %r9;
 * jmp *%r9. What names the table may be another block than what jumps. */
static void put_switch(struct maker *maker)
{
	uint32_t entries = 2u << maker_draw(maker, 3), table = TEXT + maker->data_count;

	PUT(maker, 0x4c, 0x8d, 0x05);
	put_word(maker, table - (maker->count + 4));
	if (!maker_draw(maker, 3)) {
		uint8_t skipped = (uint8_t)maker_draw(maker, 40);

		PUT(maker, 0xeb, skipped);
		maker->count += skipped;
	}
	PUT(maker, 0x83, 0xe1, (uint8_t)(entries - 1));
	PUT(maker, 0x4d, 0x63, 0x0c, 0x88, 0x4d, 0x01, 0xc1, 0x41, 0xff, 0xe1);
	for (uint32_t i = 0; i < entries; i++) {
		assert_true(maker->hole_count < FIXUPS_MAX &&
			    maker->data_count + 4 <= DATA);
		maker->holes[maker->hole_count++] =
			(struct hole){.at = table + 4 * i,
				      .block = 1 + maker_draw(maker, maker->block_count),
				      .base = table,
				      .size = 4};
		maker->data_count += 4;
	}
}

/* What all ways out of the function have in common: all registers and flags but those
 * that are dead go to memory. */
static void put_return(struct maker *maker)
{
	if (maker->number >= LEAVES) {
		PUT(maker, 0x48, 0x89, 0x42, 120);        /* mov %rax, 120(%rdx) */
		PUT(maker, 0x48, 0x89, 0x8a, 0, 1, 0, 0); /* mov %rcx, 256(%rdx) */
		PUT(maker, 0x48, 0x89, 0x9a, 8, 1, 0, 0);
		PUT(maker, 0x48, 0x89, 0xb2, 16, 1, 0, 0);
		PUT(maker, 0x48, 0x89, 0xba, 24, 1, 0, 0);
		PUT(maker, 0x5b, 0x41, 0x5f); /* pop %rbx; pop %r15 */
	}
	PUT(maker, 0xc3);
}

/* How a block ends. Each goes through the fuel check of those it leads to. */
static void put_end(struct maker *maker, uint32_t block)
{
	uint32_t target = 1 + maker_draw(maker, maker->block_count);
	uint8_t condition = (uint8_t)maker_draw(maker, 16);

	switch (maker_draw(maker, 9)) {
	case 0 ... 2:
		PUT(maker, 0x0f, 0x80 | condition);
		put_hole(maker, target, 4);
		return;
	case 3:
		/* A short one, over a few instructions. */
		PUT(maker, 0x70 | condition);
		put_hole(maker, block + 1, 1);
		put_plain(maker);
		return;
	case 4:
		PUT(maker, 0xe9);
		put_hole(maker, target, 4);
		return;
	case 5:
		if (maker->switches)
			put_switch(maker);
		return;
	case 6:
		PUT(maker, 0xe3); /* jrcxz */
		put_hole(maker, block + 1, 1);
		put_plain(maker);
		return;
	case 7:
		put_return(maker);
		return;
	default:
		return; /* falls */
	}
}

/* Every block of a function that is no leaf burns fuel, without a flag: lea -1(%r15),
 * %r15; xchg %rcx, %r15; jrcxz out; xchg %rcx, %r15. */
static void put_fuel(struct maker *maker)
{
	PUT(maker, 0x4d, 0x8d, 0x7f, 0xff, 0x4c, 0x87, 0xf9, 0xe3, 2, 0xeb, 5, 0xe9);
	put_hole(maker, 0, 4);
	PUT(maker, 0x4c, 0x87, 0xf9);
}

static void fill_holes(struct maker *maker)
{
	for (uint32_t i = 0; i < maker->hole_count; i++) {
		const struct hole *hole = &maker->holes[i];
		uint32_t distance = maker->blocks[hole->block] - hole->base;

		assert_true(hole->size == 4 || distance < 128);
		memcpy(maker->bytes + hole->at, &distance, hole->size);
	}
	maker->hole_count = 0;
}

/* Block 0 is where it ends without fuel, and lies last. */
static void make_function(struct maker *maker)
{
	bool leaf = maker->number < LEAVES;

	maker->starts[maker->number] = maker->count;
	maker->block_count = 1 + maker_draw(maker, BLOCKS_MAX - 1);
	maker->switches = maker_draw(maker, 2);
	if (!leaf)
		PUT(maker, 0x41, 0x57, 0x53, 0x41, 0xbf, STEPS, 0, 0, 0);
	else if (!maker->number)
		PUT(maker, 0x48, 0x85, 0xc0); /* called by registers */
	for (uint32_t b = 1; b <= maker->block_count; b++) {
		maker->blocks[b] = maker->count;
		/* Of the sum of a table's address and an entry, flags depend on where
		 * it lies: test %rsi, %rsi. */
		if (!leaf && maker->switches)
			PUT(maker, 0x48, 0x85, 0xf6);
		if (!leaf && maker_draw(maker, 3))
			put_call(maker);
		if (!leaf)
			put_fuel(maker);
		for (uint32_t i = maker_draw(maker, 6); i--;)
			put_plain(maker);
		if (!leaf && !maker_draw(maker, 3))
			put_call(maker);
		if (!leaf && !maker_draw(maker, 3))
			put_plain(maker);
		if (!leaf && b < maker->block_count)
			put_end(maker, b);
	}
	/* Flags may go into a call and come from it, but not pass it: add %rax, %rax. */
	if (leaf)
		PUT(maker, 0x48, 0x01, 0xc0);
	put_return(maker);
	maker->blocks[0] = maker->count;
	if (!leaf)
		put_return(maker);
	fill_holes(maker);
	maker->number++;
}

void maker_make(struct maker *maker, uint32_t seed)
{
	memset(maker, 0, sizeof(*maker));
	memset(maker->bytes, 0xcc, TEXT);
	maker->random = seed;
	while (maker->number < FUNCTIONS) {
		make_function(maker);
		if (maker_draw(maker, 2)) /* else the next follows at once */
			maker->count = (maker->count + 15) & ~15u;
	}
}

void maker_open(const struct maker *maker, struct whole_area *area)
{
	whole_area_open(area, maker->bytes, TEXT, TEXT + DATA, IMAGE_DYNAMIC);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		uint32_t end = i + 1 < FUNCTIONS ? maker->starts[i + 1] : maker->count;

		while (maker->bytes[end - 1] == 0xcc)
			end--;
		plan_image_add(&area->image, WHOLE_ADDRESS + maker->starts[i],
			       end - maker->starts[i], "made");
	}
}
