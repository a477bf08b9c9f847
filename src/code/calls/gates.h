/*
 * Counting calls by call site.
 *
 *     original text                 gates                        trampolines
 *     f: jmp ------------------->   counts for the pair of
 *                                   return address and f
 *                                   jmp -------------------->    f's instructions
 *     call f ------------------->   stub: add $1, %gs:slot
 *                                   jmp -------------------->    f's instructions
 *
 * A call or jump whose displacement can be changed has a stub of its own, with a counter.
 * If it is made in relocated code its counter lies right in front of it, and it leads to
 * the callee's relocated code; the stub, for the original call, has the same counter. All
 * others come through f's entry and so through its gate: indirect calls, calls from other
 * modules, and jumps of neither kind; their call site is the address to which they
 * return. So each call is counted once, and the calls of a function are the sum.
 *
 * Calls of functions of the same module through the procedure linkage table have stubs,
 * too (plan.links): a stub checks whether the table's word leads to that function now,
 * and otherwise goes on to the table. r11 may be changed there. Calls of other modules'
 * functions, if they are made at their original addresses, have stubs with inline caches
 * (code/relocate/inline_cache.h), which the tracer fills with the function that comes
 * through a gate from there.
 *
 * A function that begins with a call has its gate behind that call, in front of the stub
 * in its trampoline; there all callers are told apart by the return address, which is at
 * a known distance (entry_patch.call_depth).
 *
 * A gate compares the return address with one of the function's cells, chosen by some
 * bits of it. The cell says where the counter of that pair is, in the bank's table of
 * pairs (struct wire_arcs). If the cell belongs to another pair, the gate calls the
 * resident, which counts and gives the cell to this pair (resident.S, arc). Gates need
 * the stack below the red zone, since all registers may be alive and banks may come to be
 * shared. Goroutines' stacks have no room for that: gates of Go's functions do not
 * distinguish callers.
 *
 * Where the context-sensitive call graph is measured (plan.graph) all calls pass gates,
 * which tell the resident where on the stack the return address lies and which function
 * is called (resident.S, enter); so do probes in front of returns, in functions relocated
 * whole. Functions that take less time than reading the clock are only counted (tally).
 * Gates of functions whose calls are spans (plan.spans) report spans, too.
 *
 * If several of these are measured, gates have parts, one behind the other: first call
 * sites, then spans, then the call graph. Stubs lead behind the first part. The order
 * serves signals: the earlier parts do what cannot be done by hand. A thread that a
 * signal finds between the parts goes on to the end of the span part
 * (plan_position.untold), and the tracer enters it into the call tree
 * (plan_position.enters).
 */
#ifndef TRAMMEL_CODE_CALLS_GATES_H
#define TRAMMEL_CODE_CALLS_GATES_H

#include "code/builder/plan_builder.h"

/* Reserves room for the gates at the start of plan.code and for the cells in front of all
 * counters, if calls are counted by call site. */
void gates_reserve(struct plan_builder *builder);

/* Writes the gates; functions and trampolines must be finished. */
void gates_write(struct plan_builder *builder);

/* Writes the stubs of plan.arcs and plan.links at the end of the code, and allocates
 * their counters. */
void gates_write_stubs(struct plan_builder *builder);

#endif
