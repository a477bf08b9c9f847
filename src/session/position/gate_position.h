/* Threads in gates (code/calls/gates.h) and in what of the resident those call, and
 * probes at returns. */
#ifndef TRAMMEL_SESSION_POSITION_GATE_POSITION_H
#define TRAMMEL_SESSION_POSITION_GATE_POSITION_H

#include "session/state/session.h"

/* Whether an address is in the resident's arc, enter or leave. */
bool gate_position_holds(const struct space *space, uint64_t rip);

/* Moves a thread that is there back into the gate or the probe, in front of the call or
 * behind it. False if its stack cannot be read. */
bool gate_position_leave(const struct thread *thread, struct user_regs_struct *registers);

/* Moves the registers alone: nothing is counted. */
bool gate_position_find(const struct thread *thread, struct user_regs_struct *registers);

/* The counter that the call of a function of Go's has counted which a thread at its start
 * has made: jumps to those have none, so the return address tells. */
uint32_t gate_position_counter(const struct thread *thread, const struct module *module,
			       const struct plan_function *function,
			       const struct user_regs_struct *registers);

/* Takes what a probe or a gate has on the stack back into registers, rsp too, and does
 * what of a gate must not be done from its start again. */
bool gate_position_take_pushed(const struct thread *thread, const struct module *module,
			       const struct plan_position *place,
			       struct user_regs_struct *registers);

#endif
