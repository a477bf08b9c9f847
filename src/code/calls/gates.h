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
 * (code/relocate/inline_cache.h), which the tracer fills with the function that comes
 * through a gate from there.
 *
 * A function that begins with a call has its gate behind that call, in front of the stub
 * in its trampoline; there all callers are told apart by the return address, which is at
 * a known distance (entry_patch.call_depth).
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
 * (plan_position.untold), and is entered into the tree of calls by hand
 * (plan_position.enters).
 */
#ifndef TRAMMEL_CODE_CALLS_GATES_H
#define TRAMMEL_CODE_CALLS_GATES_H

#include "code/builder/plan_builder.h"

/* Makes room for the gates at the start of plan.code and for the cells in front of all
 * counters; nothing if calls are not to be counted so. */
void gates_reserve(struct plan_builder *builder);

/* Writes the gates; functions and trampolines are finished. */
void gates_write(struct plan_builder *builder);

/* Writes the stubs of plan.arcs and plan.links behind all else, and gives out their
 * counters. */
void gates_write_stubs(struct plan_builder *builder);

#endif
