/*
 * Relocating a whole function, with counters on blocks and edges.
 *
 * A function is executed in two places. Relocated code counts, branches and computes;
 * calls, system calls and traps are executed at their original addresses, so that their
 * return addresses are the original ones:
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
 * Instructions between two calls of one block also stay original. All other bytes of the
 * function are dead, and jumps back into relocated code overwrite them. Where other code
 * may enter (exposed blocks), there is a jump, too.
 *
 * Where there is no room for a jump in front of a direct call, the block stays original
 * up to the call, which is led to a stub that counts and jumps to the callee.
 */
#ifndef TRAMMEL_CODE_RELOCATE_WHOLE_H
#define TRAMMEL_CODE_RELOCATE_WHOLE_H

#include "code/emit/emit.h"
#include "code/emit/probe.h"
#include "code/relocate/cfg.h"
#include "code/relocate/point_places.h"

enum { WHOLE_NONE = UINT32_MAX }; /* no instruction, no slot */

/* A jump in the original that leads into relocated code. */
struct whole_patch {
	uint32_t offset;      /* in the function, of the 5 or 2 bytes */
	uint32_t instruction; /* its target */
	uint32_t island;      /* offset of a jump of 5 bytes to which one of 2 leads;
				 WHOLE_NONE: 5 are here */
	bool block_start;     /* leads to the counter of the block, not behind it */
	uint32_t spared; /* without it the original runs on to here, without harm; 0: it
			    is needed */
};

struct whole_block {
	uint32_t code; /* offset in plan.code */
	uint32_t stub; /* the call that is led to a stub; WHOLE_NONE: there is none */
	uint32_t stub_code;
	uint32_t stub_word; /* offset in plan.code of the word through which the call goes
			       instead of its own; 0: a direct call */
	bool jumped;        /* jumps in the original lead to the jump at its start */
	uint32_t slot; /* displacement of its counter; WHOLE_NONE: none. Set by the caller
			  before whole_emit, like `cold` */
	bool cold;   /* rarely runs, and is written behind the others. Not the first block
		      */
	bool turned; /* its condition is inverted: it falls through to its former target
			and branches to the next block, which is cold. Set by
			block_order_choose, like `next` */
	uint32_t next; /* the block written behind it; WHOLE_NONE: it is the last */
};

/* An edge of cfg.edges. */
struct whole_edge {
	uint32_t slot; /* displacement of its counter; WHOLE_NONE: none. Set by the caller
			  before whole_emit, like `hot` */
	uint32_t code; /* offset in plan.code of the piece of code that counts it and goes
			  on to its block; WHOLE_NONE: its counter, if any, needs no piece
			*/
	bool hot; /* of a condition: it is taken more often than not. Its piece follows
		     the branch, which is inverted and skips it */
};

/* The displacement of a branch in plan.code to a block, or to the piece of an edge. */
struct whole_fixup {
	uint32_t offset, to;
	bool edge;  /* `to` is the number of an edge */
	bool brief; /* the displacement has 1 byte */
};

/* The miss path of a call with an inline cache: the unchanged call. */
struct whole_miss {
	uint32_t instruction;
	uint32_t branch; /* offset in plan.code of the displacement that leads there */
	uint32_t back;   /* offset in plan.code behind the call with the cache */
};

/* Where a thread is away from a block: from its first call to its last. */
struct path_stretch {
	uint32_t first, end; /* instructions; equal: there is none */
	int32_t up;          /* bytes that rsp is higher behind it */
};

/* The part of a probe of paths that seldom runs, behind the blocks. */
struct whole_tail {
	uint32_t branch; /* offset in plan.code of the displacement that leads there */
	uint32_t start;  /* and of the probe */
	uint32_t site;   /* see path_probe_tail */
	bool keep;
};

struct whole {
	const struct cfg *cfg;
	struct VECTOR(uint8_t) bytes; /* enum whole_byte, by byte of the function */
	struct VECTOR(
		bool) original; /* by instruction: executed at its original address */
	struct VECTOR(
		bool) copied; /* by instruction: original, but in relocated code, too */
	struct VECTOR(bool) led; /* by block: see whole_is_led */
	struct VECTOR(struct whole_patch) patches;
	struct VECTOR(struct whole_block) blocks;
	struct VECTOR(struct whole_edge)
		edges; /* by edge of cfg.edges; empty: edges have no counters */
	struct VECTOR(uint32_t) codes; /* by instruction: offset in plan.code; of an
					  original one, of the jump to it */
	struct VECTOR(struct whole_fixup) fixups;
	struct VECTOR(struct whole_miss) misses;
	struct VECTOR(bool) brief;      /* by fixup: 1 byte is enough */
	struct VECTOR(uint32_t) clones; /* offset in plan.code, by table */
	bool flags; /* probes set flags instead of counting: PLAN_PROBE_FLAG */
	const struct plan_hook_layout *leave; /* probes report ends of calls for the call
						 graph; NULL: no graph */
	uint32_t span_end; /* probes report ends of spans by a call through this word of
			      the bank; 0: no spans */
	bool all_leave;    /* none of these probes may be skipped */
	bool follows; /* paths may be counted: all but calls and what lies between them
			 is relocated, and nothing is led to stubs. Set by the caller */
	bool live; /* switches use their original tables, and each target has a jump into
		      relocated code: see whole_is_led */
	bool entry_patched; /* a jump lies at the entry; else the first block has a stub
			     */
	uint32_t entry_island; /* offset of the jump of 5 bytes to which one of 2 at the
				  entry leads; WHOLE_NONE: the entry has 5, or the island
				  lies outside of the function */
	bool entry_short;      /* the jump at the entry has 2 bytes */
	const struct whole_calls *calls; /* of whole_fit */
	bool tells_edges;                /* it matters by which edge a block is entered */
	bool over_calls;     /* patches may overwrite calls that are copied into relocated
				code */
	uint32_t entry_slot; /* counter of calls; WHOLE_NONE: the counter of the first
				block */
	struct point_places *points; /* code of others; NULL: none */
	bool apart; /* between calls in place, instructions with points are relocated */
	const struct whole_paths
		*paths; /* paths are counted instead, see
			   code/relocate/path_emit.h; NULL: they are not */
	struct VECTOR(
		uint32_t) entrances; /* with paths, by block: offset in plan.code where
					other code enters it; WHOLE_NONE: it does not */
	struct VECTOR(struct whole_tail) tails;
	struct VECTOR(struct path_stretch) stretches; /* by block: path_emit_prepare */
	struct VECTOR(uint32_t) alone; /* by block: the only edge that leads there;
					  WHOLE_NONE: something else does, too */
};

/* Parameters of copying calls into relocated code; NULL: calls are not copied. */
struct whole_calls {
	const struct code_map *map;
	const uint8_t *readers; /* enum ra_reader, by function */
	/* If calls are counted by call site: */
	const struct image *image;
	bool *counted; /* by function: a counter lies in front of its calls; NULL: of no
			  function */
};

/* The jump at the entry. */
struct whole_entry {
	uint32_t offset; /* in the function */
	bool has_island; /* an island outside of the function is in reach of 2 bytes */
};

/*
 * Decides where each instruction is executed, and finds room for the jumps. With `calls`
 * (not NULL) calls are copied into relocated code as well, with all instructions between
 * them, except for calls of functions that read their return address and calls into the
 * function itself. False if there is no room: the function cannot be relocated. Storage
 * is reused for the next function (all-zero at first).
 */
bool whole_fit(struct whole *whole, const struct cfg *cfg,
	       const struct whole_entry *entry, const struct whole_calls *calls);

/* Whether a call ends at an instruction, so that a probe is in front of it: for the
 * graph, and for spans. */
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

/* Whether all probes at returns are executed, where calls return to relocated code. */
bool whole_sees_returns(const struct whole *whole);

/* Whether an edge needs code: it has a counter, or points. */
static inline bool whole_edge_has_code(const struct whole *whole, uint32_t edge)
{
	return (edge < whole->edges.count &&
		whole->edges.items[edge].slot != WHOLE_NONE) ||
	       (whole->points && whole->points->on_edges &&
		point_places_have(whole->points, POINT_EDGE, edge));
}

/* Whether relocated code jumps to the original instruction instead of executing it. */
static inline bool whole_in_place(const struct whole *whole, size_t i)
{
	return whole->original.items[i] && !whole->copied.items[i];
}

/* Whether a switch leads to the original start of the block, where there must be a jump:
 * only if whole.live is set. */
bool whole_is_led(const struct whole *whole, uint32_t block);

/* Whether calls and executions of the first block need different counters: a branch of
 * the function leads back to its start. */
bool whole_needs_entry_slot(const struct whole *whole);

/* The jump to a block that is taken only from the original code of the block in front,
 * which falls through to it; NULL if there is none. */
const struct whole_patch *whole_fall_patch(const struct whole *whole, uint32_t block);

void whole_deinit(struct whole *whole);

#endif
