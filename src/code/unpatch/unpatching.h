/*
 * What is known of a function that is to go home, and of one try to make its text: see
 * code/unpatch/unpatch.h. Shared by home.c, home_bars.c and
 * home_jumps.c.
 */
#ifndef TRAMMEL_CODE_UNPATCH_UNPATCHING_H
#define TRAMMEL_CODE_UNPATCH_UNPATCHING_H

#include "code/unpatch/unpatch.h"

#include <string.h>

enum { JUMP = PLAN_JUMP, SHORT_JUMP = 2, SHORT_REACH = 128 };

/* What becomes of a block. Where there is no room for a jump a short one leads to a jump
 * elsewhere: an island, in bytes that nobody comes to. */
enum block_state {
	BLOCK_CLOSED, /* nobody comes to its original but by jumps of the plan's */
	BLOCK_LED,    /* its original is come to, and leads into relocated code */
	BLOCK_OPEN,   /* its original runs */
};

/* What is known of a byte of the text. */
enum byte_flag {
	BYTE_OPEN = 1,
	BYTE_KEPT = 2,    /* of a jump that stays, or of what relocated code leads to */
	BYTE_ENTERED = 4, /* something may come here, beside what runs on */
	BYTE_LEADER = 8,  /* a block begins */
	BYTE_SEALED = 16, /* nobody comes here, whatever other pages have */
};

/* A patch of the plan in the function. */
struct home_patch {
	uint32_t offset, size;
	uint32_t from;  /* offset of what it leads out of; FOREIGN: another function's */
	uint32_t block; /* with `from` */
};
enum { FOREIGN = UINT32_MAX, NOWHERE = UINT32_MAX };

struct homing {
	const struct home_request *request;
	const struct plan_block *blocks;
	uint32_t count;
	uint32_t *fronts;  /* offset in plan.code of its probe, by block */
	uint32_t *numbers; /* all numbers by block or byte, to be freed; so is `known` */
	bool *led;         /* by block: the plan has a jump or a stub there */
	bool *kept;        /* by block: it never runs at home */
	uint32_t *barred; /* by block, a turn up to which it is barred: see home_bars.c */
	uint32_t *bars[2];   /* those of either order */
	uint32_t led_barred; /* the latest of blocks that a switch leads to */
	uint8_t *known;      /* enum byte_flag, whatever blocks are at home */
	struct VECTOR(struct home_patch) patches;
	bool pages;        /* it lies on several */
	uint64_t early;    /* which are written first: see home_turn_of */
	bool has_switch;   /* that leads to some of the blocks */
	bool *has_fired;   /* by block: its flag is set, or it has none */
	uint32_t *leaders; /* by byte with BYTE_LEADER: the block that begins there */
	/* Of one try: */
	uint8_t *states; /* enum block_state, by block */
	bool *no_room;   /* by block: nobody may come to it, as no jump leads away */
	uint32_t *queue; /* blocks that were come to; then those with short jumps */
	uint32_t short_count;
	bool *sealed;   /* by block: see seal_blocks */
	uint8_t *bytes; /* enum byte_flag */
	bool hopeless;  /* something leads from elsewhere to where nobody may come */
	bool shut;      /* there is no room where a switch's own table leads */
	/* Of all: */
	bool *pinned; /* by block: it is led, although it fired */
	bool more;    /* more blocks were pinned: all is to be done again */
};

/* The block with a byte, which lies behind what begins it. */
static inline uint32_t homing_block(const struct homing *homing, uint32_t offset)
{
	while (offset && !(homing->known[offset] & BYTE_LEADER))
		offset--;
	return homing->leaders[offset];
}

/* Where a block goes on to in the function: returns the number of blocks. */
static inline uint32_t homing_goes_on(const struct homing *homing, uint32_t block,
				      uint32_t ret_to[2])
{
	const struct plan_block *row = &homing->blocks[block];
	uint32_t count = 0;

	if (row->flags & PLAN_BLOCK_FALLS)
		ret_to[count++] = block + 1;
	if (row->to != PLAN_EDGE_OUT)
		ret_to[count++] = row->to;
	return count;
}

static inline void homing_mark(const struct homing *homing, uint8_t *bytes,
			       uint64_t offset, uint64_t size, enum byte_flag flag)
{
	const uint64_t limit = home_size(homing->request->function);
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

/* The number of an offset's page: that of the function's first byte is 0. */
static inline uint32_t homing_page(const struct homing *homing, uint32_t offset)
{
	uint32_t page = homing->request->page;
	uint64_t first = homing->request->function->address & (page - 1);

	return (uint32_t)((first + offset) >> __builtin_ctz(page));
}

static inline bool homing_on_one_page(const struct homing *homing, uint32_t offset,
				      uint32_t size)
{
	return homing_page(homing, offset) == homing_page(homing, offset + size - 1);
}

/* Of two pieces of the text. */
static inline bool homing_both_on_one_page(const struct homing *homing, uint32_t a,
					   uint32_t a_size, uint32_t b, uint32_t b_size)
{
	uint32_t low = a < b ? a : b, a_end = a + a_size, b_end = b + b_size;

	return homing_on_one_page(homing, low, (a_end > b_end ? a_end : b_end) - low);
}

/* The turn of the page that a block begins on. */
static inline uint32_t homing_turn(const struct homing *homing, uint32_t block)
{
	return home_turn_of(homing->early,
			    homing_page(homing, homing->blocks[block].offset));
}

/* Whether the branch at a block's end, to another one, has a displacement of four bytes,
 * which are written at once. */
enum { HOMING_WIDE = 4 };
static inline bool homing_has_wide_branch(const struct homing *homing,
					  const struct plan_block *block)
{
	uint32_t end = block->offset + block->size;
	int32_t own = (int32_t)(homing->blocks[block->to].offset - end);

	return own != (int8_t)own && block->size > HOMING_WIDE &&
	       !memcmp(homing->request->original + end - HOMING_WIDE, &own,
		       HOMING_WIDE) &&
	       homing_on_one_page(homing, end - HOMING_WIDE, HOMING_WIDE);
}

#endif
