/*
 * The plan for a module: patches of its text, and trampolines. Bytes in, bytes out:
 * nothing here knows of processes. All addresses are link-time, so a plan is made once
 * per file and kept; the arrays hold no pointers, so that the cache can map them from a
 * file.
 *
 * Each instrumented function entry is replaced by a jump to its trampoline:
 *
 *     probe               addq $1, %gs:slot   or   movb $1, %gs:slot
 *     [hook]              for the few functions whose calls the tracer must see
 *     displaced           the instructions that the jump overwrote, relocated
 *     jump back           to the first instruction behind them
 *
 * A function that begins with a direct call, or has only plain instructions before it,
 * keeps its entry: the call leads to a stub that has the probe and jumps on to the
 * callee. The processor's return-address predictor stays in step, and no jump is added.
 */
#ifndef TRAMMEL_CODE_PLAN_PLAN_H
#define TRAMMEL_CODE_PLAN_PLAN_H

#include "base/error.h"
#include "base/vector.h"
#include "code/plan/call_sites.h"
#include "code/plan/map_row.h"
#include "code/plan/plan_points.h"
#include "image/image.h"

#include <stdbool.h>
#include <stdint.h>

/* Kind of probe. Both leave all registers unchanged; flags are dead at a function's entry
 * by the ABI, and PLAN_PROBE_FLAG does not change them either. */
enum plan_probe {
	PLAN_PROBE_COUNT, /* addq $1, %gs:disp32; slots of 8 bytes */
	PLAN_PROBE_FLAG,  /* movb $1, %gs:disp32; slots of 1 byte */
};

enum { PLAN_NO_SLOT = UINT32_MAX };

/* Reasons why a function is not instrumented, each with a text: plan_reason_text(). */
enum plan_reason {
	PLAN_INSTRUMENTED,
	PLAN_NOT_WANTED,        /* left out by --only or --skip */
	PLAN_NO_ROOM,           /* no five bytes, and no island in reach */
	PLAN_BRANCH_INTO_ENTRY, /* a branch leads into the bytes that a jump would take */
	PLAN_UNDECODABLE,       /* the first instructions do not decode */
	PLAN_NOT_MOVABLE,       /* a position-dependent instruction (rep string operation,
				   syscall, xbegin, ...) */
	PLAN_UNTOUCHABLE,       /* restartable sequence, signal return */
	PLAN_OUT_OF_REACH,      /* an operand out of the trampoline's reach */
	PLAN_DOUBTFUL, /* only a symbol says that it begins there, and nothing leads to it
			  or it lies inside of an instruction */
	PLAN_NO_STACK, /* flags may be alive at its entry, and a goroutine's stack
			  may have no room to keep them */
	PLAN_CHECKED,  /* see image.checked */
	PLAN_NO_RETURNS,          /* spans: some of its returns cannot be seen */
	PLAN_COLD_PART_STAYS,     /* a cold part that is executed at its original address,
				     uncounted */
	PLAN_COLD_PART_UNREAD,    /* see enum cold_part_left_reason */
	PLAN_COLD_PART_SHARED,    /* likewise */
	PLAN_COLD_PART_UNREACHED, /* likewise */
	PLAN_NO_SPACE,            /* no space for its code */
	PLAN_REASON_COUNT
};

enum { PLAN_LATER = UINT32_MAX };

struct plan_function {
	uint64_t address;
	uint32_t size;
	uint32_t name;       /* offset in plan.names; 0: none */
	uint32_t trampoline; /* offset in plan.code of its trampoline; without one, where
				the next function's may start. PLAN_LATER: planned at its
				first call */
	uint32_t slot;     /* the counter of its calls, only if instrumented. If calls are
			      counted by call site without plan.counts_entries, the
			      word of its gate for unknown call sites */
	uint8_t reason;    /* enum plan_reason. PLAN_NOT_WANTED with a hook: it has a
			      trampoline, but neither probe nor slot */
	uint8_t displaced; /* bytes from `address` on that the trampoline replaces,
			      including an endbr64 left in place: the trampoline returns
			      to address + displaced, unless `copied` is more */
	uint8_t hook;      /* hook number, 0 for none (see plan_request.hook_of) */
	uint8_t copied;    /* bytes from `address` on that are in the trampoline: the
			      displaced ones, and a copy of the following ones, which may
			      still run at their original address */
	uint32_t first_block, block_count; /* in plan.blocks; 0: the function is not
					      relocated whole */
	uint32_t first_edge, edge_count;   /* in plan.edges; 0: its edges have no counts,
					      and blocks are counted by their terms */
	uint32_t first_map_row, map_row_count; /* in plan.map_rows */
	uint32_t first_stub, stub_count;       /* in plan.stubs */
	uint32_t slots,
		cold_slots; /* its first counter below plan.cold_slot, and its first from
			       there on: both in the order of the functions' code */
	uint32_t place;     /* index of its code in the order of all code */
	uint32_t by_code; /* index of the function whose `place` is the index of this row
			   */
	uint32_t paths;   /* number of its paths, whose counters follow `slot`:
			     code/count/path_counts.h. 0: they are not counted */
	uint32_t part_of; /* of a cold part: index of its function; else its own index */
	uint16_t flags;   /* enum image_function_flag */
	uint8_t call_end; /* bytes from `address` to the end of the call that leads to the
			     trampoline, which is a stub; `displaced` is 0 then. 0: the
			     entry leads there */
	uint8_t spare;    /* bytes of padding behind its end that unpatch_make may take */
	bool in_front; /* it ran in earlier runs, so its code and counters are in front of
			  others */
	uint8_t path_bar; /* enum path_bar; 0 with `paths`, or if nobody asked for them */
};

enum { PLAN_JUMP = 5 }; /* bytes of a jump that reaches 2 GiB */

/* Bytes to write over the text. Sorted by address; they never overlap. */
struct plan_patch {
	uint64_t address;
	uint32_t function; /* index in plan.functions that it serves */
	uint8_t size;
	uint8_t bytes[11];
};

/* A stub to which a direct call is led, to count the block of the call. */
struct plan_stub {
	uint64_t call;  /* link-time address of the call */
	uint32_t code;  /* offset in plan.code */
	int32_t callee; /* distance from the call to its original target */
};

enum { PLAN_EDGE_OUT = UINT32_MAX }; /* as a block's number: out of the function */

/* Flags of a basic block of a function that is relocated whole. */
enum plan_block_flag {
	PLAN_BLOCK_STAYS =
		1, /* a thread that enters it may never leave it: see cfg_may_stay */
	PLAN_BLOCK_ENTERED = 2, /* may be entered other than by the function's edges */
	PLAN_BLOCK_FREE = 4,    /* the first block: its count follows from other counts */
	PLAN_BLOCK_FALLS = 8,   /* may fall through to the next block */
	PLAN_BLOCK_LED = 16,    /* target of a switch */
	PLAN_BLOCK_NAMES = 32,  /* contains the address of a switch's table */
};
struct plan_block {
	uint32_t offset; /* from the function's address */
	uint32_t size;   /* bytes */
	uint32_t slot;   /* UINT32_MAX: no counter: it is unreachable, or has terms */
	uint32_t instructions;
	uint32_t first_term, term_count; /* its count is the sum of the counts of the
					    blocks in these rows of plan.terms; for flags,
					    see code/relocate/dominator_coverage.h */
	uint16_t flags;                  /* enum plan_block_flag */
	uint16_t cost;                   /* of a counter here: see frequencies_weigh */
	uint32_t to; /* the target block of its branch, by number in the function;
			PLAN_EDGE_OUT: none */
};

/* Kind of an edge. */
enum cfg_edge_kind {
	CFG_EDGE_TAKEN,  /* by a branch */
	CFG_EDGE_FALL,   /* fall-through to the next block */
	CFG_EDGE_SWITCH, /* by a jump through a table */
	CFG_EDGE_RETURN, /* out of the function by a return, a jump to what a register
			    has, or an end such as ud2 */
};
/* Flags of an edge between two blocks of a function. */
enum plan_edge_flag {
	PLAN_EDGE_FIXED = 1, /* has no counter: there is no room, or no need */
	PLAN_EDGE_JOINED =
		2, /* cannot be told apart from flow that is no edge: a call that does not
		      return, or another way into the block. It has no count */
	PLAN_EDGE_RETURNS = 4, /* leaves the function by a return instruction */
};
struct plan_edge {
	uint32_t from, to; /* numbers of blocks in the function */
	uint32_t slot;     /* UINT32_MAX: it has no counter */
	uint32_t piece;    /* offset in plan.code of the code that counts it and goes on;
			      UINT32_MAX: none */
	uint8_t kind;      /* enum cfg_edge_kind */
	uint8_t flags;     /* enum plan_edge_flag */
	uint8_t size;      /* bytes of the instruction at its start */
	uint8_t cost;      /* of a counter here: see frequencies_weigh */
};

/* An edge out of a function or cold part that leads to another part of the same function.
 */
struct plan_crossing {
	uint32_t edge;    /* index in plan.edges */
	int32_t distance; /* from the address of the function or cold part that it leaves
			   */
};

/* Bytes in plan.code that depend on addresses in one process. */
enum plan_fixup_kind {
	PLAN_FIXUP_SLOT,    /* 32 bits, += bank displacement of the module's slot 0, minus
			       plan.counters_at */
	PLAN_FIXUP_ADDRESS, /* 64 bits, += load bias of the module */
};

struct plan_fixup {
	uint32_t offset; /* in plan.code */
	uint32_t kind;   /* enum plan_fixup_kind */
};

struct plan_patches VECTOR(struct plan_patch);

/* A new displacement of 4 bytes for a call or jump. */
struct plan_call {
	uint64_t address; /* link-time, of the displacement */
	int32_t displacement;
};
struct plan_calls VECTOR(struct plan_call);

enum { PLAN_NO_FUNCTION = UINT32_MAX };

/* A cold part that may not be counted. */
struct plan_left {
	uint64_t address;
	uint32_t function; /* its function, or one that branches there: index in
			      plan.functions; PLAN_NO_FUNCTION: none */
	uint32_t name;     /* offset in plan.names; 0: none */
	uint32_t reason;   /* enum plan_reason */
	uint32_t unused;
};

/* The latch of a function that is planned at its first call: see code/planner/lazy.h. */
struct plan_latch {
	uint32_t code; /* offset in plan.code */
	uint32_t function;
};

struct plan {
	uint64_t code_address; /* link-time address of plan.code */
	uint32_t slot_count;   /* counters: of functions, blocks and edges */
	uint32_t slot_room; /* the largest slot_count that later planning may reach; 0: it
			       does not grow */
	uint32_t slot_size; /* 8 or 1 bytes */
	uint32_t cold_slot; /* counters from here on are of code that no earlier run
			       executed; slot_count if there are none */
	uint32_t counters_at; /* bank displacement of slot 0 in plan.code: 0 in a new
				 plan, see plan_move_counters */
	uint32_t part_count;  /* functions that are cold parts */
	bool uses_gs;         /* the module sets the GS base or selector itself */
	struct VECTOR(
		struct plan_function) functions; /* all known ones, sorted by address */
	struct plan_patches patches;
	struct plan_patches late; /* with latches: patches that were added later, in order
				     of addition; few */
	/* Displacements of calls and tail calls that lead to trampolines directly.
	 * Sorted; they overlap no other patch. They only save time and are not needed
	 * once applied: a plan from the cache has none. */
	struct plan_calls calls;
	struct VECTOR(struct plan_fixup) fixups;
	struct VECTOR(struct plan_block) blocks;
	struct VECTOR(uint32_t)
		terms; /* indices of blocks, with counters unless these are flags */
	struct VECTOR(struct plan_edge) edges;
	struct VECTOR(struct plan_crossing) crossings; /* by edge */
	struct VECTOR(struct map_row) map_rows;
	struct VECTOR(struct plan_stub) stubs;
	struct VECTOR(struct plan_latch) latches; /* by code */
	uint32_t latches_size; /* bytes of latches at the start of plan.code; 0: all
				  functions are planned */
	uint32_t placed; /* with latches: number of functions planned so far, which are
			    the first in the order of the code */
	/* If calls are counted by call site: */
	uint32_t gates_size; /* bytes of gates at the start of plan.code; 0: no gates */
	bool counts_entries; /* trampolines count, too */
	bool sites;          /* gates distinguish call sites: see code/calls/gates.h */
	bool graph; /* gates and returns report to the resident for call graphs: see
		       code/calls/gates.h */
	bool spans; /* gates and returns report spans: see code/calls/spans.h */
	uint32_t cells_slot;   /* first counter of cells; counters of call graphs are in
				  front */
	uint32_t arc_code;     /* offset in plan.code of the stubs of arcs */
	uint32_t arc_slot;     /* counter of the first arc; the others follow */
	uint32_t link_code;    /* offset in plan.code of the stubs of links */
	uint32_t inline_slot;  /* counter of the first inline cache; the others follow */
	uint32_t inline_count; /* number of inline caches: see
				  code/relocate/inline_cache.h */
	struct VECTOR(struct plan_arc) arcs;   /* by site */
	struct VECTOR(struct plan_link) links; /* by site */
	struct VECTOR(struct plan_left) left;  /* cold parts, by address */
	struct plan_points points;             /* code of others */
	struct VECTOR(uint8_t) code;           /* trampolines and their constants */
	struct VECTOR(char) names;             /* as image.names */
};

#endif
