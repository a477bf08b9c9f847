/*
 * Relocating a whole function, with counters on blocks and edges.
 *
 * A function is executed in two places. Relocated code counts, branches and computes;
 * calls, system calls and traps are executed where they always were, so that their return
 * addresses are the original ones:
 *
 *     original text                       relocated code
 *     entry:  jmp ------------------->    add $1, %gs:slot
 *                                         push %rbx
 *                                         mov %rdi, %rbx
 *     call f  <-------------------------- jmp
 *     jmp ---------------------------->   test %eax, %eax       behind the call
 *                                         jne ...
 *     call g  <-------------------------- jmp
 *     pop %rbx                            (nothing is left to count here, so the original
 *     ret                                 runs on to the end)
 *
 * What lies between two calls of one block also stays original. All other bytes of the
 * function are dead: jumps back into relocated code take them. Nothing leads there: where
 * other code may (exposed blocks), there is a jump, too.
 *
 * Where there is no room for a jump in front of a direct call, the block stays original
 * up to the call, which is led to a stub that counts and jumps to the callee.
 */
#ifndef TRAMMEL_CODE_RELOCATE_WHOLE_H
#define TRAMMEL_CODE_RELOCATE_WHOLE_H

#include "code/emit/emit.h"
#include "code/emit/probe.h"
#include "code/relocate/cfg.h"

enum { WHOLE_NONE = UINT32_MAX }; /* no instruction, no slot */

/* A jump in the original that leads into relocated code. */
struct whole_patch {
	uint32_t offset;      /* in the function, of the 5 or 2 bytes */
	uint32_t instruction; /* that it leads to */
	uint32_t island;  /* offset of 5 bytes that 2 lead to; WHOLE_NONE: 5 are here */
	bool block_start; /* it leads in front of the counter of the block */
	uint32_t spared;  /* without it the original runs on to here, which does no harm;
			     0: it is needed */
};

struct whole_block {
	uint32_t code; /* offset in plan.code */
	uint32_t stub; /* the call that is led to a stub; WHOLE_NONE: there is none */
	uint32_t stub_code;
	uint32_t stub_word; /* where in plan.code the word is that the call goes through
			       instead of its own; 0: it is a direct call */
	bool jumped;        /* jumps in the original lead to the jump at its start */
	uint32_t slot; /* displacement of its counter; WHOLE_NONE: it has none. Set by the
			  caller in front of whole_emit, as is `cold` */
	bool cold;     /* it hardly ever runs, and is written behind those that do. Not
			  the first one */
	bool turned;   /* its condition falls to where it led, and leads to the block
			  behind it, which is cold. Set by block_order_choose, as is `next`
			*/
	uint32_t next; /* the block that is written behind it; WHOLE_NONE: it is the last
			*/
};

/* An edge of cfg.edges. */
struct whole_edge {
	uint32_t slot; /* displacement of its counter; WHOLE_NONE: it has none. Set by the
			  caller in front of whole_emit, as is `hot` */
	uint32_t code; /* offset in plan.code of the piece of code that counts it and goes
			  on to its block; WHOLE_NONE: its counter, if it has one, lies in
			  its way */
	bool hot; /* of a condition: it is taken more often than not. Its piece follows
		     the branch, which is turned over and skips it */
};

/* The displacement of a branch in plan.code that is to lead to a block, or to the piece
 * of an edge. */
struct whole_fixup {
	uint32_t offset, to;
	bool edge;  /* `to` is the number of an edge */
	bool brief; /* the displacement has 1 byte */
};

/* A call with an inline cache, and where it is made that is none of the cache's target.
 */
struct whole_miss {
	uint32_t instruction;
	uint32_t branch; /* offset in plan.code of the displacement that leads there */
	uint32_t back;   /* the same of what lies behind the call */
};

struct whole {
	const struct cfg *cfg;
	struct VECTOR(uint8_t) bytes; /* enum whole_byte of each byte of the function */
	struct VECTOR(bool) original; /* of each instruction: executed at its own place */
	struct VECTOR(bool) copied;   /* of each of those: in relocated code, too */
	struct VECTOR(bool) led;      /* of each block: see whole_is_led */
	struct VECTOR(struct whole_patch) patches;
	struct VECTOR(struct whole_block) blocks;
	struct VECTOR(struct whole_edge) edges; /* of cfg.edges; none: they have no
						   counters */
	struct VECTOR(uint32_t) codes; /* offset in plan.code of each instruction; of one
					  that is original, of the jump to it */
	struct VECTOR(struct whole_fixup) fixups;
	struct VECTOR(struct whole_miss) misses;
	struct VECTOR(bool) brief;      /* of each of these, whether 1 byte does */
	struct VECTOR(uint32_t) clones; /* offset in plan.code, by table */
	bool flags; /* probes set flags instead of counting: PLAN_PROBE_FLAG */
	const struct plan_hook_layout *leave; /* calls in the graph end; NULL: no graph */
	uint32_t span_end; /* calls that are spans end, which this word of the bank is
			      called for; 0: it is none */
	bool all_leave;    /* no such probe may be missed */
	bool live; /* switches go by their original tables, and each place that these lead
		      to has a jump into relocated code: see whole_is_led */
	bool entry_patched; /* a jump lies at the entry; else the first block has a stub
			     */
	uint32_t entry_island; /* offset of the 5 bytes that a jump of 2 at the entry
				  leads to; WHOLE_NONE: 5 are there, or the island lies
				  outside of the function */
	bool entry_short;      /* 2 bytes are there */
	const struct whole_calls *calls; /* of whole_fit */
	bool tells_edges;                /* which way a block is entered matters */
	bool over_calls; /* patches may lie over calls that are made in relocated code */
	uint32_t
		entry_slot; /* counter of calls; WHOLE_NONE: that of the first block is */
};

/* What calls must be known to be made in relocated code; NULL: none are. */
struct whole_calls {
	const struct code_map *map;
	const uint8_t *readers; /* enum ra_reader, by function */
	/* Where calls are counted by their sites: */
	const struct image *image;
	bool *counted; /* by function: a counter lies in front of its calls; NULL: of none
			*/
};

/* The jump at the entry. */
struct whole_entry {
	uint32_t offset; /* in the function */
	bool has_island; /* there is one outside of the function, which 2 bytes reach */
};

/*
 * Decides what is executed where, and finds room for the jumps. With `calls` (NULL: not
 * so) calls are made in relocated code as well, with all that lies between them; but
 * those of functions that look at their return address, and those into the function
 * itself. False if there is no room: the function cannot be relocated. Storage is used
 * again for the next function (all-zero at first).
 */
bool whole_fit(struct whole *whole, const struct cfg *cfg,
	       const struct whole_entry *entry, const struct whole_calls *calls);

/* Whether calls end at an instruction, so that it has a probe in front of it: in the
 * graph, and those of spans. */
static inline bool whole_ends_call(const struct whole *whole,
				   const struct cfg_instruction *row)
{
	return whole->leave && (row->kind == CFG_RETURN || row->tail);
}
static inline bool whole_ends_span(const struct whole *whole,
				   const struct cfg_instruction *row)
{
	return whole->span_end && (row->kind == CFG_RETURN || row->ends);
}

/* Whether all probes at returns are executed, where relocated code is returned to. */
bool whole_sees_returns(const struct whole *whole);

/* Whether relocated code leads to an instruction's own place, and does not execute it. */
static inline bool whole_in_place(const struct whole *whole, size_t i)
{
	return whole->original.items[i] && !whole->copied.items[i];
}

/* Whether a switch leads to the original start of the block, where a jump is therefore:
 * only if whole.live is set. */
bool whole_is_led(const struct whole *whole, uint32_t block);

/* Whether calls and executions of the first block are counted by different counters:
 * something in the function leads back to its start. */
bool whole_needs_entry_slot(const struct whole *whole);

/* The jump to a block that nothing takes but the original code of the block in front,
 * which falls to it; NULL if there is none. */
const struct whole_patch *whole_fall_patch(const struct whole *whole, uint32_t block);

void whole_deinit(struct whole *whole);

#endif
