/*
 * State of unpatching a function: facts about it, and one attempt to make its text: see
 * code/unpatch/unpatch.h. Shared by unpatch.c, unpatch_bars.c and unpatch_jumps.c.
 */
#ifndef TRAMMEL_CODE_UNPATCH_UNPATCHING_H
#define TRAMMEL_CODE_UNPATCH_UNPATCHING_H

#include "code/unpatch/unpatch.h"

#include <string.h>

enum { JUMP = PLAN_JUMP, SHORT_JUMP = 2, SHORT_REACH = 128 };

/* State of a block. Without room for a jump a short one leads to an island: a jump in
 * bytes that are never reached. */
enum block_state {
	BLOCK_CLOSED, /* its original is reached only by jumps of the plan */
	BLOCK_LED,    /* its original is reached, and leads into relocated code */
	BLOCK_OPEN,   /* its original runs */
};

/* Facts about a byte of the text. */
enum byte_flag {
	BYTE_OPEN = 1,
	BYTE_KEPT = 2,    /* of a jump that stays, or a target of relocated code */
	BYTE_ENTERED = 4, /* may be entered, other than from the instruction before */
	BYTE_LEADER = 8,  /* a block begins */
	BYTE_SEALED = 16, /* never reached, whatever other pages hold */
};

/* A patch of the plan in the function. */
struct unpatch_patch {
	uint32_t offset, size;
	uint32_t from; /* offset of the code that it replaces; FOREIGN: another function's
			*/
	uint32_t block; /* with `from` */
};
enum { FOREIGN = UINT32_MAX, NOWHERE = UINT32_MAX };

struct unpatching {
	const struct unpatch_request *request;
	const struct plan_block *blocks;
	uint32_t count;
	uint32_t *fronts;    /* by block: offset in plan.code of its probe */
	uint32_t *numbers;   /* by block or byte, all numbers in one allocation; so is
				`known` */
	bool *led;           /* by block: the plan has a jump or a stub there */
	bool *kept;          /* by block: it never runs unpatched */
	uint32_t *barred;    /* by block: barred up to this turn: see unpatch_bars.c */
	uint32_t *bars[2];   /* `barred` for either order */
	uint32_t led_barred; /* the last turn of blocks that a switch leads to */
	uint8_t *known;      /* enum byte_flag that hold whichever blocks are unpatched */
	struct VECTOR(struct unpatch_patch) patches;
	bool pages;        /* it spans several pages */
	uint64_t early;    /* pages that are written first: see unpatch_turn_of */
	bool has_switch;   /* a switch that leads to some of the blocks */
	bool *has_fired;   /* by block: its flag is set, or it has none */
	uint32_t *leaders; /* by byte with BYTE_LEADER: the block that begins there */
	/* Of one attempt: */
	uint8_t *states; /* enum block_state, by block */
	bool *no_room; /* by block: it must not be reached, as there is no room for a jump
			*/
	uint32_t *queue; /* blocks that were reached; then those with short jumps */
	uint32_t short_count;
	bool *sealed;   /* by block: see seal_blocks */
	uint8_t *bytes; /* enum byte_flag */
	bool hopeless;  /* a block that must not be reached is reached from elsewhere */
	bool shut;      /* no room at a target of a switch's own table */
	/* Of all attempts: */
	bool *pinned; /* by block: it is led, although it fired */
	bool more;    /* more blocks were pinned: start again */
};

/* The block that contains a byte. */
static inline uint32_t unpatching_block(const struct unpatching *unpatching,
					uint32_t offset)
{
	while (offset && !(unpatching->known[offset] & BYTE_LEADER))
		offset--;
	return unpatching->leaders[offset];
}

/* Writes the successors of a block within the function to `ret_to`; returns their number.
 */
static inline uint32_t unpatching_goes_on(const struct unpatching *unpatching,
					  uint32_t block, uint32_t ret_to[2])
{
	const struct plan_block *row = &unpatching->blocks[block];
	uint32_t count = 0;

	if (row->flags & PLAN_BLOCK_FALLS)
		ret_to[count++] = block + 1;
	if (row->to != PLAN_EDGE_OUT)
		ret_to[count++] = row->to;
	return count;
}

static inline void unpatching_mark(const struct unpatching *unpatching, uint8_t *bytes,
				   uint64_t offset, uint64_t size, enum byte_flag flag)
{
	const uint64_t limit = unpatch_size(unpatching->request->function);
	uint64_t end = offset + size, flags = flag * 0x0101010101010101;

	end = end < limit ? end : limit;
	for (uint64_t some; offset + sizeof(some) <= end; offset += sizeof(some)) {
		memcpy(&some, bytes + offset, sizeof(some));
		some |= flags;
		memcpy(bytes + offset, &some, sizeof(some));
	}
	for (; offset < end; offset++)
		bytes[offset] = (uint8_t)(bytes[offset] | flag);
}

/* The number of an offset's page: 0 is the page of the function's first byte. */
static inline uint32_t unpatching_page(const struct unpatching *unpatching,
				       uint32_t offset)
{
	uint32_t page = unpatching->request->page;
	uint64_t first = unpatching->request->function->address & (page - 1);

	return (uint32_t)((first + offset) >> __builtin_ctz(page));
}

static inline bool unpatching_on_one_page(const struct unpatching *unpatching,
					  uint32_t offset, uint32_t size)
{
	return unpatching_page(unpatching, offset) ==
	       unpatching_page(unpatching, offset + size - 1);
}

/* Whether two pieces of the text lie together on one page. */
static inline bool unpatching_both_on_one_page(const struct unpatching *unpatching,
					       uint32_t a, uint32_t a_size, uint32_t b,
					       uint32_t b_size)
{
	uint32_t low = a < b ? a : b, a_end = a + a_size, b_end = b + b_size;

	return unpatching_on_one_page(unpatching, low,
				      (a_end > b_end ? a_end : b_end) - low);
}

/* The turn of the page that a block begins on. */
static inline uint32_t unpatching_turn(const struct unpatching *unpatching,
				       uint32_t block)
{
	return unpatch_turn_of(
		unpatching->early,
		unpatching_page(unpatching, unpatching->blocks[block].offset));
}

/* Whether the branch at a block's end, to another block, has a displacement of four bytes
 * that are written at once. */
enum { UNPATCHING_WIDE = 4 };
static inline bool unpatching_has_wide_branch(const struct unpatching *unpatching,
					      const struct plan_block *block)
{
	uint32_t end = block->offset + block->size;
	int32_t own = (int32_t)(unpatching->blocks[block->to].offset - end);

	return own != (int8_t)own && block->size > UNPATCHING_WIDE &&
	       !memcmp(unpatching->request->original + end - UNPATCHING_WIDE, &own,
		       UNPATCHING_WIDE) &&
	       unpatching_on_one_page(unpatching, end - UNPATCHING_WIDE, UNPATCHING_WIDE);
}

#endif
