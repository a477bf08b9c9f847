/*
 * Counting calls by their sites.
 *
 *     original text                 gates                        trampolines
 *     f: jmp ------------------->   counts for the pair of
 *                                   return address and f
 *                                   jmp -------------------->    f's instructions
 *     call f ------------------->   stub: add $1, %gs:slot
 *                                   jmp -------------------->    f's instructions
 *
 * A call or jump whose displacement can be led elsewhere has a stub of its own, with a
 * counter. Where relocated code makes it the counter lies right in front of it, and it
 * leads to the callee's relocated code; the stub, which the original keeps, has the same
 * counter. All others come through the entry, and so through f's gate: indirect calls,
 * calls from other modules, and jumps that are none of these; what they will return to is
 * the site. So each call is counted once, and what a function was called is the sum.
 *
 * Calls through the procedure linkage table of functions of the same module have stubs,
 * too (plan.links): these look whether the table's word leads to that function now, and
 * otherwise go on to the table. r11 is the table's to change. Calls of other modules'
 * functions, made at their own places, have stubs with inline caches
 * (code/inline_cache.h), which the tracer fills with the function that comes through a
 * gate from there.
 *
 * A function that begins with a call has its gate behind that call, in front of the stub
 * in its trampoline; there all callers are told apart by the return address, which is at
 * a known distance (place_choice.call_depth).
 *
 * A gate compares the return address with that in one of the function's cells, which some
 * bits of it choose. The cell tells where the counter of that pair is, in the bank's
 * table of all (struct wire_arcs); where it is another's, the gate calls the resident,
 * which counts, and gives the cell to the pair (resident.S, arc). Gates need the stack,
 * below the red zone, since all registers may be alive and banks may come to be shared.
 * Goroutines' stacks have no room for that: gates of Go's functions do not tell callers
 * apart.
 *
 * Where the context-sensitive call graph is measured (plan.graph) all calls pass gates,
 * which tell the resident where the return address lies on the stack, and which function
 * it is (resident.S, enter); so do probes in front of returns, in functions relocated
 * whole. Those that are sooner over than the clock is read are counted alone (tally).
 * Where calls of some functions are spans (plan.spans) their gates tell of these, too.
 *
 * If more than one of these is measured, gates have parts, one behind the other: the
 * first tells callers apart, the next of a span, and the last of a call in its context.
 * Stubs lead behind the first one. What comes first tells what cannot be done by hand: a
 * thread that a signal finds between the parts goes on up to behind that of the span
 * (plan_place.untold), and is entered into the tree of calls by hand (plan_place.enters).
 */
#ifndef TRAMMEL_CODE_GATES_H
#define TRAMMEL_CODE_GATES_H

#include "code/making.h"

enum {
	/* Bytes of a gate's parts. Each function has a gate of what is measured, at the
	 * start. */
	GATES_SITE_SIZE = 112,
	GATES_SPAN_SIZE = 48,
	GATES_GRAPH_SIZE = 240,
	GATES_STUB_SIZE = 16, /* bytes of a stub; those of plan.arcs, at the end */
	GATES_LINK_SIZE = 48, /* the same of plan.links, behind them */
};

/* Whether functions have gates at all. */
static inline bool gates_wanted(const struct plan_request *request)
{
	return request->calls || request->graph || request->spans;
}

/* Makes room for the gates at the start of plan.code and for the cells in front of all
 * counters; nothing if calls are not to be counted so. */
void gates_reserve(struct making *making);

/* Whether a function begins with a call that leads to its gate. */
bool gates_in_call(const struct plan *plan, const struct plan_function *function);

/* Where in plan.code the entry of an instrumented function leads, or that call. */
uint32_t gates_entrance(const struct plan *plan, const struct plan_function *function);

/* The gate of a function as a link-time address; 0: it has none. */
uint64_t gates_of_hooked(const struct plan *plan, const struct plan_function *function);

/* Where a function that is called at its entry goes on behind the first part of its gate,
 * link-time, if that does nothing but to tell callers apart; 0: it does not. */
uint64_t gates_passed(const struct plan *plan, const struct plan_function *function);

/* Where in plan.code a function goes on that was counted as called from somewhere. */
uint32_t gates_body(const struct plan *plan, const struct plan_function *function);

/* The same as a link-time address, for what has counted the call by itself. */
uint64_t gates_counted(const struct plan *plan, const struct plan_function *function);

/* Writes the gates; functions and trampolines are finished. */
void gates_write(struct making *making);

/* Writes the stubs of plan.arcs and plan.links behind all else, and gives out their
 * counters. */
void gates_write_stubs(struct making *making);

/* The word through which a stub of the procedure linkage table jumps; 0: it is none that
 * is known. */
uint64_t gates_word_of_plt(const struct image *image, uint64_t address);

/* The function that the loader means by that word, as far as the module tells; 0: it does
 * not. */
uint64_t gates_function_of_plt(const struct image *image, uint64_t address);

/* Where in plan.code the stub of a link begins. */
uint32_t gates_stub_of_link(const struct plan *plan, const struct plan_link *link);

/* The first counter of the inline cache in the stub that leads on the call which returns
 * to a link-time address; false if there is none. And that of a cache whose target a
 * thread at an offset of plan.code has found, and by which it goes on. */
bool gates_cache_of(const struct plan *plan, uint64_t return_address, uint32_t *ret_slot);
bool gates_has_compared(const struct plan *plan, uint32_t code_offset,
			uint32_t *ret_slot);

/* What such a function calls first; `original` are its unpatched bytes. `ret_word`: it is
 * the address of a word that tells. */
uint64_t gates_callee(const struct plan_function *function, const uint8_t *original,
		      bool *ret_word);

/* As plan_locate, for an offset in a gate or a stub. False: it is in neither. */
bool gates_locate(const struct plan *plan,
		  const uint8_t *(*original_at)(void *context, uint64_t address,
						size_t size),
		  void *context, uint32_t code_offset, struct plan_place *ret_place);

#endif
