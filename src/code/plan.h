/*
 * The plan for a module: which bytes of its text change, and what its trampolines are.
 * Bytes in, bytes out: nothing here knows of processes. Everything is in link-time
 * addresses, so a plan is made once per file and kept; the arrays hold no pointers, so
 * that the cache can map them from a file.
 *
 * Each instrumented function entry is replaced by a jump to its trampoline:
 *
 *     probe               addq $1, %gs:slot   or   movb $1, %gs:slot
 *     [hook]              for the few functions whose calls the controller must see
 *     displaced           the instructions the jump overwrote, relocated
 *     jump back           to the first instruction behind them
 *
 * A function that begins with a direct call, or has nothing but plain instructions before
 * it, keeps its entry: the call leads to a stub that has the probe and jumps on to the
 * callee. The processor's stack of return addresses stays in step, and no jump is added.
 */
#ifndef TRAMMEL_CODE_PLAN_H
#define TRAMMEL_CODE_PLAN_H

#include "base/error.h"
#include "base/vector.h"
#include "image/image.h"

#include <stdbool.h>
#include <stdint.h>

/* What a probe does. Both leave all registers unchanged; flags are dead at a function's
 * entry by the ABI, and PROBE_FLAG does not touch them either. */
enum plan_probe {
	PLAN_PROBE_COUNT, /* addq $1, %gs:disp32; slots of 8 bytes */
	PLAN_PROBE_FLAG,  /* movb $1, %gs:disp32; slots of 1 byte */
};

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
	PLAN_NO_STACK,    /* flags may be alive at its entry, and a goroutine's stack
			     may have no room to keep them */
	PLAN_CHECKED,     /* see image.checked */
	PLAN_NO_RETURNS,  /* spans: not all of its returns can be seen */
	PLAN_PART_STAYS,  /* a cold part that is executed at its own place, uncounted */
	PLAN_PART_UNREAD, /* see enum part_left_reason */
	PLAN_PART_SHARED, /* likewise */
	PLAN_PART_UNREACHED, /* likewise */
	PLAN_NO_SPACE,       /* its code would be more than there is space for */
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
	uint32_t first_step, step_count;   /* in plan.steps */
	uint32_t first_stub, stub_count;   /* in plan.stubs */
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
	uint8_t spare;    /* bytes of padding behind its end that home_make may take */
	bool in_front; /* earlier runs executed it, so its code and counters lie in front
			  of those of others */
};

/* Bytes to write over the text. Sorted by address; they never overlap. */
struct plan_patch {
	uint64_t address;
	uint32_t function; /* index in plan.functions that it serves */
	uint8_t size;
	uint8_t bytes[11];
};

/* What becomes of the instructions of a function that is relocated whole, one step after
 * the other in the order of the code, which is mostly that of the original: see
 * code/whole.h. */
enum plan_step_kind {
	PLAN_STEP_MOVED,    /* an instruction that the code stands for */
	PLAN_STEP_ORIGINAL, /* one that is executed at its own place; no code */
	PLAN_STEP_PROBE,    /* code alone */
	PLAN_STEP_JUMP,     /* code alone: to the original of the next step, or to the
			       block behind */
	PLAN_STEP_AWAY,     /* nothing: the original of the next step lies so far from the
			       end of the last one's. Several such rows add up */
};
struct plan_step {
	uint16_t kind : 3;
	uint16_t original : 4; /* bytes of the original */
	uint16_t code : 9;     /* bytes in plan.code. Of PLAN_STEP_AWAY these are the
				  upper bits of a number with a sign */
};
enum { PLAN_STEP_FAR = 4095 }; /* the largest distance of one PLAN_STEP_AWAY */

/* From the original of a step to that of the next one. */
static inline int32_t plan_step_original(struct plan_step step)
{
	int32_t distance = step.code << 4 | step.original;

	return step.kind == PLAN_STEP_AWAY ? (distance ^ 0x1000) - 0x1000 : step.original;
}

static inline uint32_t plan_step_code(struct plan_step step)
{
	return step.kind == PLAN_STEP_AWAY ? 0 : step.code;
}

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
	uint32_t first_term, term_count; /* its count is the sum of those of the blocks
					    whose indices these rows of plan.terms are;
					    of flags, see code/covers.h */
	uint16_t flags;                  /* enum plan_block_flag */
	uint16_t cost; /* of its counter, if it had one: see frequencies_weigh */
	uint32_t to;   /* the block that its branch leads to, by number in the function;
			  PLAN_EDGE_OUT: there is none */
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
/*
 * Where calls are counted by their sites, the first counters are those of gates, so many
 * for each of plan.functions: cells of two words, a return address and where in the bank
 * calls of the function by the call that returns there are counted (0: nowhere yet); then
 * how often it was called from sites for which there was no room, and nothing. Some bits
 * of the return address tell which cell it may have. In call graphs there are no cells,
 * but a place that stands for the function, and counts in the same way what has no room;
 * where calls are counted in both ways these places are in front of all cells.
 */
enum {
	PLAN_CELLS = 16,
	PLAN_CELL_MASK = (PLAN_CELLS - 1) * 16, /* in the return address: bytes from the
						   first cell */
	PLAN_GATE_SLOTS = PLAN_CELLS * 2 + 2,
	PLAN_GRAPH_SLOTS = 4,
	PLAN_GRAPH_CHILDREN = 32, /* that a node of a call graph knows, by the last bits
				    of their functions' numbers */
	/* Counters of modules begin at multiples of these, so that a node has one place
	 * for a child in all of them, and the lowest bits of a name are free. */
	PLAN_GRAPH_ROW = PLAN_GRAPH_CHILDREN * PLAN_GRAPH_SLOTS,
};

struct plan_fixup {
	uint32_t offset; /* in plan.code */
	uint32_t kind;   /* enum plan_fixup_kind */
};

/* A direct call, or a jump to another function, that is counted at its own stub: see
 * code/gates.h. */
struct plan_arc {
	uint64_t site;   /* link-time address of the instruction, which has 5 bytes */
	uint32_t callee; /* index in plan.functions */
	uint16_t jump;   /* not 0: a jump */
	uint16_t led;    /* not 0: it leads to the stub from its own place, too */
};

/* A call through the procedure linkage table: its own stub is behind those of arcs. If
 * there is an arc at its site it counts if the table's word leads to the callee, and else
 * goes on to the table; if there is none, as the callee is another module's, it has an
 * inline cache (code/inline_cache.h). */
struct plan_link {
	uint64_t site; /* of the instruction, which has 5 bytes */
	uint64_t plt;  /* link-time address that it leads to */
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
 * code/lazy.h. */
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
	struct VECTOR(struct plan_step) steps;
	struct VECTOR(struct plan_stub) stubs;
	struct VECTOR(struct plan_latch) latches; /* by code */
	uint32_t latches_size; /* bytes at the start of plan.code that these are; 0: all
				  functions are planned */
	uint32_t placed; /* with these: functions that are planned by now, which come
			    first in the order of the code */
	/* Where calls are counted by their sites: */
	uint32_t gates_size;   /* bytes of plan.code that are gates; 0: they are not */
	bool counts_entries;   /* trampolines count, too */
	bool sites;            /* gates tell callers apart: see code/gates.h */
	bool graph;            /* gates and returns tell the resident: see there */
	bool spans;            /* the same of calls that are spans: see code/spans.h */
	uint32_t cells_slot;   /* counter of the first cell; those of call graphs are in
				  front */
	uint32_t arc_code;     /* offset in plan.code of the stubs of arcs */
	uint32_t arc_slot;     /* counter of the first arc; the others follow */
	uint32_t link_code;    /* offset in plan.code of the stubs of links */
	uint32_t inline_slot;  /* counter of the first inline cache; the others follow */
	uint32_t inline_count; /* how many there are: see code/inline_cache.h */
	struct VECTOR(struct plan_arc) arcs;   /* by site */
	struct VECTOR(struct plan_link) links; /* by site */
	struct VECTOR(struct plan_left) left;  /* cold parts, by address */
	struct VECTOR(uint8_t) code;           /* trampolines and their constants */
	struct VECTOR(char) names;             /* as image.names */
};

/* What gates know of the tree that the resident keeps where call graphs are measured
 * (struct wire_graph). */
struct plan_graph_layout {
	uint32_t top;      /* of the distance of the innermost frame from the first */
	uint32_t frames;   /* of the first frame: place, and node */
	uint32_t nodes;    /* of the first node: function, parent, calls, ... */
	uint32_t left;     /* from a node on: less as many calls as are not timed next */
	uint32_t children; /* from a node on: PLAN_GRAPH_CHILDREN of its children */
	uint32_t depth;    /* frames end here */
	uint32_t near;     /* bytes: what is nearer is on the same stack */
	uint32_t leaf;     /* more in the name of a function whose returns are not seen */
};

/* What hook code needs to know: it steps over the red zone, pushes the hook's number and
 * calls through this word. */
struct plan_hook_layout {
	uint32_t entry; /* offset in the bank (relative to %gs) of the address to call */
	uint32_t arc;   /* the same of the address that gates call */
	uint32_t returns; /* the same of the address that signal returns jump to, with
			     their own address in rbx; 0: they are left alone */
	uint32_t enter, leave, tally;  /* as `arc`, where call graphs are measured: of
					  calls, returns, and calls without returns */
	uint32_t span_begin, span_end; /* of calls and returns of spans */
	struct plan_graph_layout graph;
};

/* How much of a function is measured. */
enum plan_depth {
	PLAN_ENTRIES, /* its entry */
	PLAN_CALLS,   /* and its calls, which are made in relocated code (copy_calls), and
			 with plan_request.graph and spans its returns */
	PLAN_BLOCKS,  /* each of its basic blocks */
	PLAN_EDGES,   /* and each way from one to another; needs PLAN_PROBE_COUNT */
};

struct plan_request {
	struct image *image; /* gets the functions that no table knows */
	enum plan_probe probe;
	enum plan_depth depth;
	bool calls; /* calls are counted by their sites; needs PLAN_PROBE_COUNT */
	bool graph; /* they are counted by their contexts, with their time; needs it, too
		     */
	bool spans; /* gates tell functions' names, and that their calls end; needs it,
		       too: see is_span */
	uint64_t code_address; /* where the trampolines will lie, link-time; see
				  plan.code_address */
	/* Whether a function is wanted: name is demangled where it was mangled, or
	 * "sub_<offset>"; address is link-time. NULL: all are. */
	bool (*wanted)(void *context, const char *name, uint64_t address);
	/* With `spans`: the same, of calls of which functions gates tell, while others
	 * count, too. NULL: of all that are wanted, and nothing is counted. */
	bool (*is_span)(void *context, const char *name, uint64_t address);
	void *context;
	/* The hook number of a function by its linked name, or "sub_<offset>"; 0: none.
	 * NULL: no hooks. Hooked functions are instrumented even if not wanted, then
	 * without a probe. */
	uint8_t (*hook_of)(void *context, const char *name, uint64_t address);
	struct plan_hook_layout hook_layout;
	/* Calls are made in relocated code (PLAN_BLOCKS). Functions that look at return
	 * addresses get one of these hooks, which must put them right. */
	bool copy_calls;
	uint8_t hook_own, hook_stack;
	/* The same of functions that use what lies at their return addresses, where
	 * functions are relocated whole: see code/beyond.h. 0: they get none. */
	uint8_t hook_beyond;
	/* Functions that may set the GS base get one of these hooks: if they are called
	 * at all, if an argument is ARCH_SET_GS, if another one is SYS_arch_prctl
	 * besides. 0: they get none. */
	uint8_t hook_gs, hook_gs_code, hook_gs_call;
	/* What earlier runs executed; NULL: nothing is known. */
	const struct frequencies *frequencies;
	uint32_t batch; /* bytes of text that a thread writes at a time: see
			   code/batches.h. 0: what is good */
	/* Not 0: functions are planned when they are called first, as far as that can be,
	 * with this hook: see code/lazy.h. */
	uint8_t hook_lazy;
	/* The plan is put into a program that runs, and taken out of it again, while
	 * calls are under way (not with copy_calls): what these hold of the original must
	 * stay good, and nothing of the relocated code may be left with them. */
	bool live;
	/* Of flags: counting begins or ends while the program runs. */
	bool in_parts;
};

/*
 * Makes the plan of a module. The image must outlive the call, not the plan. The only
 * errors are those of the request; whatever is odd about a function becomes its reason.
 */
struct trm_error *plan_create(const struct plan_request *request, struct plan **ret_plan);

/* Leads the probes in plan.code to counters at another displacement in the bank. */
void plan_move_counters(struct plan *plan, uint32_t to);

/* The same of probes that came since, those from plan.fixups[first] on. */
void plan_move_new_counters(struct plan *plan, size_t first);

/* The latch that an offset in plan.code is in, and that of a function, as both are in one
 * order; NULL: there is none. */
const struct plan_latch *plan_latch_at(const struct plan *plan, uint32_t code_offset);
const struct plan_latch *plan_latch_of(const struct plan *plan, uint32_t function);

/* Frees a plan made by plan_create; NULL is allowed. */
void plan_destroy(struct plan *plan);

const char *plan_reason_text(enum plan_reason reason);

/* One of the blocks that tell of a block. */
static inline const struct plan_block *
plan_term(const struct plan *plan, const struct plan_block *block, uint32_t number)
{
	return &plan->blocks.items[plan->terms.items[block->first_term + number]];
}

/* How often a block of the plan ran, by the counters of all slots; 1 or 0 with
 * PLAN_PROBE_FLAG. */
uint64_t plan_block_count(const struct plan *plan, const struct plan_block *block,
			  const uint64_t *counters);

/* The count of all blocks of a function; the caller frees it. */
uint64_t *plan_block_counts(const struct plan *plan, const struct plan_function *function,
			    const uint64_t *counters);

/* The same with PLAN_PROBE_FLAG, where threads also got to some blocks and stayed there.
 */
struct plan_stayed VECTOR(uint32_t); /* indices in plan.blocks */
uint64_t *plan_flag_counts(const struct plan *plan, const struct plan_function *function,
			   const uint64_t *counters, const struct plan_stayed *stayed);

/* Where in a trampoline a thread stands, and what that means for the program. */
enum plan_place_kind {
	PLAN_PLACE_PROBE,     /* before the probe has counted: as if at the entry */
	PLAN_PLACE_HOOK,      /* counted, in the rest of a probe, or inside the hook code,
				 before or after the resident */
	PLAN_PLACE_START,     /* counted, before the first displaced instruction */
	PLAN_PLACE_DISPLACED, /* between displaced instructions, or inside the expansion
				 of one (then `instruction` is that one) */
	PLAN_PLACE_BACK,      /* all displaced instructions are done */
	PLAN_PLACE_CALL_UNDO, /* in a stub, not counted yet: `original` is the call that
				 led there, whose return address is on the stack */
	PLAN_PLACE_CALL_DONE, /* in a stub, counted: `original` is where the call leads;
				 or on the way out of a function relocated whole */
	PLAN_PLACE_MOVED, /* in a function relocated whole. The bytes at `original` may be
			     those of a jump: a thread that is shown there goes on where
			     plan_way_back says */
	PLAN_PLACE_UNKNOWN, /* in plan.code, but no instruction starts there */
};
enum { PLAN_NO_SLOT = UINT32_MAX };
enum { PLAN_KEPT = 136 };
#define PLAN_ALL_COUNTED                                                                 \
	{                                                                                \
		PLAN_NO_SLOT, PLAN_NO_SLOT, PLAN_NO_SLOT                                 \
	}
struct plan_place {
	enum plan_place_kind kind;
	uint32_t function;    /* index in plan.functions */
	uint32_t instruction; /* index of the displaced instruction that is next */
	uint64_t original;    /* link-time address of the original of that instruction */
	uint32_t stack;       /* PROBE, HOOK: bytes that rsp is lower than before */
	bool pushed;          /* rax is in the word at rsp */
	bool flags;           /* flags are in the word at rsp, and rax, if it is pushed,
				 in the next */
	uint8_t kept;         /* not 0: r11 is in the word PLAN_KEPT bytes below where rsp
				 was; 2: and rax in that below it */
	bool enters; /* START, CALL_DONE: the call of `function` is still to be told to
			the resident; its return address lies `depth` above where rsp was
		      */
	uint32_t depth;
	bool untold; /* START, CALL_DONE: the call of `function` is counted by its site,
			and still to be told of as a span */
	bool inside; /* in the middle of the expansion of `instruction` */
	bool word;   /* CALL_DONE: `original` is the address of a word, which holds the
			run-time address of where the call leads */
	/* MOVED, START, CALL_DONE: counters (displacements in the bank without the
	 * module's) of probes that the thread has not run, and will not; PLAN_NO_SLOT:
	 * none. */
	uint32_t uncounted[3];
	uint32_t recounted; /* MOVED, CALL_DONE: counter of a probe that the thread has
			       run, while its call will be counted again; 0: none, as the
			       first are those of gates */
};

/*
 * Finds what `code_offset` (in plan.code) is. `original_at` gives unpatched bytes of the
 * text at a link-time address, at most 255 and never beyond the function; NULL makes the
 * place unknown. Where place.original is at or behind address + displaced, the thread is
 * in a copy: it may just as well go on at place.original.
 */
struct plan_place
plan_locate(const struct plan *plan,
	    const uint8_t *(*original_at)(void *context, uint64_t address, size_t size),
	    void *context, uint32_t code_offset);

/*
 * Writes code that does what is left of a trampoline from `place` (START or DISPLACED, at
 * an instruction boundary) up to the next branch or the end of the displaced
 * instructions, and then jumps through the 8-byte word in front of it. `block` is that
 * word, which is left to the caller, and the code; it is to lie at link-time address
 * `address`. At most `capacity` bytes of it are used; returns the size, 0 if it does not
 * fit, the place is none of those, or a branch comes first (code/branch.h does branches).
 * `original` are the unpatched bytes of the function, plan_function.displaced of them.
 * `ret_next` is the offset in plan.code where the trampoline goes on behind that.
 */
size_t plan_finish(const struct plan *plan, const struct plan_place *place,
		   const uint8_t *original, uint64_t address, uint8_t *block,
		   size_t capacity, uint32_t *ret_next);

/* Whether plan.code has at this offset what a signal's return was led to, and where that
 * one is. */
bool plan_in_return(const struct plan *plan, uint32_t code_offset,
		    uint64_t *ret_restorer);

/* The first patch that ends behind a link-time address; NULL if there is none. */
const struct plan_patch *plan_patch_behind(const struct plan *plan, uint64_t address);

/*
 * Where in plan.code the trampoline of function `index` does what the original
 * instruction at link-time `address` does: a displaced one, or (an address behind those)
 * the jump back. `original` as for plan_finish. False if no displaced instruction starts
 * there.
 */
bool plan_offset_of(const struct plan *plan, uint32_t index, const uint8_t *original,
		    uint64_t address, uint32_t *ret_offset);

/*
 * Where in plan.code the instruction at a link-time address was moved to, in a function
 * relocated whole; with `counts` the probes in front of it. False if the original bytes
 * there are good to run: no such function has the address, or the instruction is executed
 * at its own place.
 */
bool plan_way_back(const struct plan *plan, uint64_t address, bool counts,
		   uint32_t *ret_offset);

/* Whether bytes that lie at a link-time address are a jump into plan.code, and where it
 * leads there. */
enum { PLAN_JUMP = 5 };
bool plan_jump_leads(const struct plan *plan, uint64_t address,
		     const uint8_t bytes[PLAN_JUMP], uint32_t *ret_offset);

/* Where in plan.code a patch leads that is a jump at a link-time address, be it by
 * another one; false if none begins there. */
bool plan_jump_at(const struct plan *plan, uint64_t address, uint32_t *ret_offset);

/* Whether a call that was copied into plan.code returns to this offset of it, and the
 * link-time address that the original of the call returns to. */
bool plan_return_of(const struct plan *plan, uint32_t code_offset, uint64_t *ret_address);

/* A walk over the steps of a function. */
struct plan_walk {
	const struct plan *plan;
	const struct plan_function *function;
	uint32_t index;    /* of the step, from the function's first */
	uint32_t code;     /* offset in plan.code */
	uint64_t original; /* link-time address */
};

/* The same for offsets in order, sooner: each function is walked over once. `walk` is all
 * 0 at first. */
bool plan_next_return_of(struct plan_walk *walk, const struct plan *plan,
			 uint32_t code_offset, uint64_t *ret_address);

/* Counters that have their place in banks. */
static inline uint32_t plan_slots(const struct plan *plan)
{
	return plan->slot_room ? plan->slot_room : plan->slot_count;
}

/* The counters of gates, see PLAN_CELLS: how many there are, which function one of them
 * belongs to, and which counts a function's calls from sites that are not known. */
static inline uint32_t plan_gate_slots(const struct plan *plan)
{
	uint32_t count = (uint32_t)plan->functions.count;

	if (plan->sites)
		return plan->cells_slot + count * PLAN_GATE_SLOTS;
	return plan->graph ? count * PLAN_GRAPH_SLOTS : 0;
}
static inline uint32_t plan_function_of_gate(const struct plan *plan, uint32_t slot)
{
	if (plan->sites && slot >= plan->cells_slot)
		return (slot - plan->cells_slot) / PLAN_GATE_SLOTS;
	return slot / PLAN_GRAPH_SLOTS;
}
static inline uint32_t plan_lost_slot(const struct plan *plan, uint32_t function)
{
	if (plan->sites)
		return plan->cells_slot + (function + 1) * PLAN_GATE_SLOTS - 2;
	return (function + 1) * PLAN_GRAPH_SLOTS - 2;
}

/* The arc at a site; NULL: it has none. And its row in plan.links. */
const struct plan_arc *plan_arc_at(const struct plan *plan, uint64_t site);
const struct plan_link *plan_link_at(const struct plan *plan, uint64_t site);

/* The last function that begins at or before a link-time address; NULL if none does. */
const struct plan_function *plan_function_at(const struct plan *plan, uint64_t address);

/* Whether a row of plan.functions is a cold part, and the function that it is of, or the
 * row itself. */
static inline bool plan_is_part(const struct plan_function *function)
{
	return function->flags & IMAGE_FUNCTION_PART;
}
static inline const struct plan_function *
plan_whole_of(const struct plan *plan, const struct plan_function *function)
{
	return &plan->functions.items[function->part_of];
}

/* The function whose code and counters come after those of `place` others. */
static inline const struct plan_function *plan_by_code(const struct plan *plan,
						       size_t place)
{
	return &plan->functions.items[plan->functions.items[place].by_code];
}

/* The one whose code and counters are behind a function's; NULL: there is none. */
static inline const struct plan_function *
plan_behind(const struct plan *plan, const struct plan_function *function)
{
	return function->place + 1 < plan->functions.count
		       ? plan_by_code(plan, function->place + 1)
		       : NULL;
}

/* The end of a function's code, as an offset in plan.code, if it has any. */
static inline size_t plan_code_end(const struct plan *plan,
				   const struct plan_function *function)
{
	const struct plan_function *behind = plan_behind(plan, function);

	return behind && behind->trampoline != PLAN_LATER ? behind->trampoline
							  : plan->code.count;
}

/* The function that a counter belongs to; NULL if none does. Not of those of gates and
 * arcs. */
const struct plan_function *plan_function_of_slot(const struct plan *plan, uint32_t slot);

/* The same for counters in order, sooner. `last`: what was found for the one before; NULL
 * at the first. */
const struct plan_function *plan_function_of_next_slot(const struct plan *plan,
						       const struct plan_function *last,
						       uint32_t slot);

/* How many counters from its `slots` on a function has, those from plan.cold_slot on left
 * out. */
uint32_t plan_slots_of(const struct plan *plan, const struct plan_function *function);

#endif
