/*
 * The plan for a module: which bytes of its text change, and what its trampolines are.
 * Bytes in, bytes out: nothing here knows of processes. Everything is in link-time
 * addresses, so a plan is made once per file and kept; the arrays hold no pointers, so
 * that the cache can map them from a file.
 *
 * Each instrumented function entry is replaced by a jump to its trampoline:
 *
 *     probe               addq $1, %gs:slot   or   movb $1, %gs:slot
 *     [hook]              for the few functions whose calls the tracer must see
 *     displaced           the instructions the jump overwrote, relocated
 *     jump back           to the first instruction behind them
 *
 * A function that begins with a direct call, or has nothing but plain instructions before
 * it, keeps its entry: the call leads to a stub that has the probe and jumps on to the
 * callee. The processor's stack of return addresses stays in step, and no jump is added.
 */
#ifndef TRAMMEL_CODE_PLAN_PLAN_H
#define TRAMMEL_CODE_PLAN_PLAN_H

#include "base/error.h"
#include "base/vector.h"
#include "code/plan/call_sites.h"
#include "code/plan/map_row.h"
#include "image/image.h"

#include <stdbool.h>
#include <stdint.h>

/* What a probe does. Both leave all registers unchanged; flags are dead at a function's
 * entry by the ABI, and PROBE_FLAG does not touch them either. */
enum plan_probe {
	PLAN_PROBE_COUNT, /* addq $1, %gs:disp32; slots of 8 bytes */
	PLAN_PROBE_FLAG,  /* movb $1, %gs:disp32; slots of 1 byte */
};

enum { PLAN_NO_SLOT = UINT32_MAX };

/* Why a function is not instrumented. plan_reason_text() has a text for each. */
enum plan_reason {
	PLAN_INSTRUMENTED,
	PLAN_NOT_WANTED,        /* left out by --only or --skip */
	PLAN_NO_ROOM,           /* no five bytes, and no island in reach */
	PLAN_BRANCH_INTO_ENTRY, /* something branches into the bytes a jump would take */
	PLAN_UNDECODABLE,       /* the first instructions do not decode */
	PLAN_NOT_MOVABLE,       /* an instruction that works only where it is (rep string
				   operation, syscall, xbegin, ...) */
	PLAN_UNTOUCHABLE,       /* restartable sequence, signal return */
	PLAN_OUT_OF_REACH,      /* an operand that the trampoline cannot reach */
	PLAN_DOUBTFUL,          /* only a symbol says that it begins there, and nothing
				   leads to it, or it lies inside of an instruction */
	PLAN_NO_STACK,         /* flags may be alive at its entry, and a goroutine's stack
				  may have no room to keep them */
	PLAN_CHECKED,          /* see image.checked */
	PLAN_NO_RETURNS,       /* spans: not all of its returns can be seen */
	PLAN_COLD_PART_STAYS,  /* a cold part that is executed at its own place, uncounted
				*/
	PLAN_COLD_PART_UNREAD, /* see enum cold_part_left_reason */
	PLAN_COLD_PART_SHARED, /* likewise */
	PLAN_COLD_PART_UNREACHED, /* likewise */
	PLAN_NO_SPACE,            /* its code would be more than there is space for */
	PLAN_REASON_COUNT
};

enum { PLAN_LATER = UINT32_MAX };

struct plan_function {
	uint64_t address;
	uint32_t size;
	uint32_t name;       /* offset in plan.names; 0: none */
	uint32_t trampoline; /* offset in plan.code of its trampoline; without one, where
				the next function's may start. PLAN_LATER: it is planned
				when it is called first */
	uint32_t slot;       /* the counter of its calls; only if instrumented. Where
				calls are counted by their sites and plan.counts_entries
				is not set, the word of its gate for unknown ones */
	uint8_t reason;      /* enum plan_reason. PLAN_NOT_WANTED and a hook: it has a
				trampoline, but neither probe nor slot */
	uint8_t displaced;   /* bytes from `address` on that the trampoline stands for, an
				endbr64 that is left in place included: the trampoline goes
				back to address + displaced, unless `copied` is more */
	uint8_t hook;        /* hook number, 0 for none (see plan_request.hook_of) */
	uint8_t copied;      /* bytes from `address` on that are in the trampoline: the
				displaced ones, and a copy of what follows, which stays
				good to run at its place, too */
	uint32_t first_block, block_count; /* in plan.blocks; 0: the function is not
					      relocated whole */
	uint32_t first_edge, edge_count;   /* in plan.edges; 0: its edges have no counts,
					      and its blocks those of their terms */
	uint32_t first_map_row, map_row_count; /* in plan.map_rows */
	uint32_t first_stub, stub_count;       /* in plan.stubs */
	uint32_t slots, cold_slots; /* where its counters begin, below plan.cold_slot and
				       from there on: in both parts they are in the order
				       of their functions' code */
	uint32_t place;             /* of its code, among those of all */
	uint32_t by_code; /* index of the function whose code has the place that this one
			     has in plan.functions */
	uint32_t part_of; /* index of the function that a cold part is of; the function's
			     own if it is none */
	uint16_t flags;   /* enum image_function_flag */
	uint8_t call_end; /* bytes from `address` to the end of the call that leads to the
			     trampoline, which is a stub; `displaced` is 0 then. 0: the
			     entry leads there */
	uint8_t spare;    /* bytes of padding behind its end that unpatch_make may take */
	bool in_front; /* earlier runs executed it, so its code and counters lie in front
			  of those of others */
};

enum { PLAN_JUMP = 5 }; /* bytes of a jump that reaches 2 GiB */

/* Bytes to write over the text. Sorted by address; they never overlap. */
struct plan_patch {
	uint64_t address;
	uint32_t function; /* index in plan.functions that it serves */
	uint8_t size;
	uint8_t bytes[11];
};

/* Code that a direct call is led to, to count the block that it is in. */
struct plan_stub {
	uint64_t call;  /* link-time address of the call */
	uint32_t code;  /* offset in plan.code */
	int32_t callee; /* distance from the call to what it calls */
};

enum { PLAN_EDGE_OUT = UINT32_MAX }; /* as a block's number: out of the function */

/* A basic block of a function that is relocated whole. */
enum plan_block_flag {
	PLAN_BLOCK_STAYS = 1,   /* what enters it may never leave it: see cfg_may_stay */
	PLAN_BLOCK_ENTERED = 2, /* something beside the function's edges may lead here */
	PLAN_BLOCK_FREE = 4,   /* the first one: how often the function is entered follows
				  from other counts */
	PLAN_BLOCK_FALLS = 8,  /* it may go on to the block behind it */
	PLAN_BLOCK_LED = 16,   /* a switch leads here */
	PLAN_BLOCK_NAMES = 32, /* it names the table of a switch */
};
struct plan_block {
	uint32_t offset; /* from the function's address */
	uint32_t size;   /* bytes */
	uint32_t slot;   /* UINT32_MAX: it has no counter: nothing leads there, or */
	uint32_t instructions;
	uint32_t first_term,
		term_count; /* its count is the sum of those of the blocks
			       whose indices these rows of plan.terms are;
			       of flags, see code/relocate/dominator_coverage.h */
	uint16_t flags;     /* enum plan_block_flag */
	uint16_t cost;      /* of its counter, if it had one: see frequencies_weigh */
	uint32_t to; /* the block that its branch leads to, by number in the function;
			PLAN_EDGE_OUT: there is none */
};

/* How control goes along an edge. */
enum cfg_edge_kind {
	CFG_EDGE_TAKEN,  /* by a branch */
	CFG_EDGE_FALL,   /* to the block behind */
	CFG_EDGE_SWITCH, /* by a jump through a table */
	CFG_EDGE_RETURN, /* out of the function by a return, a jump to what a register
			    has, or an end such as ud2 */
};
/* A way from one block of a function to another. */
enum plan_edge_flag {
	PLAN_EDGE_FIXED = 1,  /* carries no counter: there is no place, or no need */
	PLAN_EDGE_JOINED = 2, /* is not told apart from what is no edge: from a call that
				 does not come back, or from what else leads to the
				 block. It has no count */
};
struct plan_edge {
	uint32_t from, to; /* numbers of blocks in the function */
	uint32_t slot;     /* UINT32_MAX: it has no counter */
	uint32_t piece;    /* offset in plan.code of the code that counts it and goes on;
			      UINT32_MAX: there is none */
	uint8_t kind;      /* enum cfg_edge_kind */
	uint8_t flags;     /* enum plan_edge_flag */
	uint8_t size;      /* bytes of the instruction that it leaves */
	uint8_t cost;      /* of its counter, if it had one: see frequencies_weigh */
};

/* An edge out of a function, or a cold part, that leads to another part of the same
 * function. */
struct plan_crossing {
	uint32_t edge;    /* index in plan.edges */
	int32_t distance; /* from the address of the one that it leaves */
};

/* A place in plan.code that depends on where things lie in one process. */
enum plan_fixup_kind {
	PLAN_FIXUP_SLOT,    /* 32 bits, += bank displacement of the module's slot 0, less
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
	uint64_t address; /* of the displacement */
	int32_t displacement;
};
struct plan_calls VECTOR(struct plan_call);

enum { PLAN_NO_FUNCTION = UINT32_MAX };

/* A cold part of which it is not certain that it can be counted. */
struct plan_left {
	uint64_t address;
	uint32_t function; /* that it is of, or one that branches there: index in
			      plan.functions; PLAN_NO_FUNCTION: there is none */
	uint32_t name;     /* offset in plan.names; 0: none */
	uint32_t reason;   /* enum plan_reason */
	uint32_t unused;
};

/* Where the entry of a function leads that is planned at its first call: see
 * code/planner/lazy.h. */
struct plan_latch {
	uint32_t code; /* offset in plan.code */
	uint32_t function;
};

struct plan {
	uint64_t code_address; /* link-time address where plan.code is to lie */
	uint32_t slot_count;   /* counters: of functions, blocks and edges */
	uint32_t slot_room;    /* so many there may be some time; 0: no more than now */
	uint32_t slot_size;    /* 8 or 1 bytes */
	uint32_t cold_slot;    /* from here on are counters of what no earlier run
				  executed; slot_count if there are none */
	uint32_t counters_at;  /* displacement in the bank of slot 0 in plan.code: 0 in a
				  new plan, see plan_move_counters */
	uint32_t part_count;   /* functions that are cold parts */
	bool uses_gs;          /* the module sets the GS base or selector itself */
	struct VECTOR(
		struct plan_function) functions; /* all known ones, sorted by address */
	struct plan_patches patches;
	struct plan_patches late; /* with latches: more of them, as they came; few */
	/* Displacements of calls and tail calls that lead to trampolines directly.
	 * Sorted; they meet no other patch. They only save time, so nobody needs them
	 * once they are applied: a plan from the cache has none. */
	struct plan_calls calls;
	struct VECTOR(struct plan_fixup) fixups;
	struct VECTOR(struct plan_block) blocks;
	struct VECTOR(uint32_t) terms; /* indices of blocks; with counters, but where
					  these are flags */
	struct VECTOR(struct plan_edge) edges;
	struct VECTOR(struct plan_crossing) crossings; /* by edge */
	struct VECTOR(struct map_row) map_rows;
	struct VECTOR(struct plan_stub) stubs;
	struct VECTOR(struct plan_latch) latches; /* by code */
	uint32_t latches_size; /* bytes at the start of plan.code that these are; 0: all
				  functions are planned */
	uint32_t placed; /* with these: functions that are planned by now, which come
			    first in the order of the code */
	/* Where calls are counted by their sites: */
	uint32_t gates_size; /* bytes of plan.code that are gates; 0: they are not */
	bool counts_entries; /* trampolines count, too */
	bool sites;          /* gates tell callers apart: see code/calls/gates.h */
	bool graph;          /* gates and returns tell the resident: see there */
	bool spans; /* the same of calls that are spans: see code/calls/spans.h */
	uint32_t cells_slot;   /* counter of the first cell; those of call graphs are in
				  front */
	uint32_t arc_code;     /* offset in plan.code of the stubs of arcs */
	uint32_t arc_slot;     /* counter of the first arc; the others follow */
	uint32_t link_code;    /* offset in plan.code of the stubs of links */
	uint32_t inline_slot;  /* counter of the first inline cache; the others follow */
	uint32_t inline_count; /* how many there are: see code/relocate/inline_cache.h */
	struct VECTOR(struct plan_arc) arcs;   /* by site */
	struct VECTOR(struct plan_link) links; /* by site */
	struct VECTOR(struct plan_left) left;  /* cold parts, by address */
	struct VECTOR(uint8_t) code;           /* trampolines and their constants */
	struct VECTOR(char) names;             /* as image.names */
};

#endif
