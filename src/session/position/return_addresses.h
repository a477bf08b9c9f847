/*
 * Return addresses in relocated code: see src/resident/look.c, which does the same from
 * inside when a program is about to look at them. Here it is done for signal handlers,
 * and when a process is let go.
 */
#ifndef TRAMMEL_SESSION_POSITION_RETURN_ADDRESSES_H
#define TRAMMEL_SESSION_POSITION_RETURN_ADDRESSES_H

#include "session/state/session.h"

/* Is called for the frames of a stopped thread, the innermost first, as far as call-frame
 * information tells: `place` is where the return address of each one lies, `pc` a place
 * in its function. */
typedef void return_addresses_visitor(void *context, uint64_t place, uint64_t pc);

void return_addresses_visit(struct thread *thread,
			    const struct user_regs_struct *registers,
			    return_addresses_visitor *visit, void *context);

/* Return addresses in relocated code, on the stack of a stopped thread, become
 * the original ones: somebody may look at them now. The second: of one that waits in the
 * hook at the entry of a function. */
void return_addresses_show(struct thread *thread,
			   const struct user_regs_struct *registers);

void return_addresses_show_hooked(struct thread *thread,
				  const struct wire_registers *registers);

#endif
