/*
 * Return addresses in relocated code: src/resident/look.c replaces them from inside
 * when a program is about to look at them. This file does so for signal handlers, and
 * when a process is let go.
 */
#ifndef TRAMMEL_SESSION_POSITION_RETURN_ADDRESSES_H
#define TRAMMEL_SESSION_POSITION_RETURN_ADDRESSES_H
#include "session/state/session.h"
#include "wire/registers.h"

/* Callback for the frames of a stopped thread, the innermost first, as far as
 * call-frame information describes them: `place` is the address of each return
 * address, `pc` a place in its function. */
typedef void return_addresses_visitor(void *context, uint64_t place, uint64_t pc);

void return_addresses_visit(struct thread *thread,
			    const struct user_regs_struct *registers,
			    return_addresses_visitor *visit, void *context);

/* Replace return addresses in relocated code, on the stack of a stopped thread, by the
 * original ones, since the program may look at them now. The second function does so
 * for a thread that waits in the hook at the entry of a function. */
void return_addresses_show(struct thread *thread,
			   const struct user_regs_struct *registers);

void return_addresses_show_hooked(struct thread *thread,
				  const struct wire_registers *registers);

#endif
