/* Positions of threads in gates (code/calls/gates.h), in the resident's code that
 * gates call, and in probes at returns. */
#ifndef TRAMMEL_SESSION_POSITION_GATE_POSITION_H
#define TRAMMEL_SESSION_POSITION_GATE_POSITION_H

#include "session/state/session.h"

/* Returns whether an address is in the resident's arc, enter or leave. */
bool gate_position_holds(const struct space *space, uint64_t rip);

/* Moves a thread there back into the gate or the probe, in front of the call or behind
 * it. Returns false if its stack cannot be read. */
bool gate_position_leave(const struct thread *thread, struct user_regs_struct *registers);

/* Does so to the registers alone: nothing is counted. */
bool gate_position_find(const struct thread *thread, struct user_regs_struct *registers);

/* Returns the counter that was incremented by the call that brought a thread to the
 * start of a function of Go's. Jumps to such functions have no counter, so the return
 * address decides. */
uint32_t gate_position_counter(const struct thread *thread, const struct module *module,
			       const struct plan_function *function,
			       const struct user_regs_struct *registers);

/* Takes the values that a probe or a gate pushed back into the registers, rsp
 * included, and completes the steps of a gate that must not be repeated from its
 * start. */
bool gate_position_take_pushed(const struct thread *thread, const struct module *module,
			       const struct plan_position *place,
			       struct user_regs_struct *registers);

#endif
