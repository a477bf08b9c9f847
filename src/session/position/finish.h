/* Displaced instructions that are finished in a copy: see docs/design/signals.md. */
#ifndef TRAMMEL_SESSION_POSITION_FINISH_H
#define TRAMMEL_SESSION_POSITION_FINISH_H

#include "session/position/settle.h"

/* Makes the copy of the displaced instructions that are left, in the page behind the
 * module's trampolines. */
bool finish_make(const struct thread *thread, struct module *module,
		 const struct plan_position *place, struct finish_code *ret_copy);

/* Makes the copy of the rest of a point (PLAN_POSITION_POINT), there as well. */
bool finish_make_point(const struct thread *thread, struct module *module,
		       uint32_t code_offset, const struct plan_position *place,
		       struct finish_code *ret_copy);

/* Leads a thread on that is stopped with a fault of a point's load of the program's
 * memory: sets its registers. Returns false if it is another signal, or elsewhere. */
bool finish_pass_check(const struct thread *thread, int signal,
		       const struct user_regs_struct *registers);

/* Runs the copy, with all but synchronous signals blocked. Returns false if it did not
 * reach its end: something else happened, and is reported as an event. */
bool finish_run(struct session *session, struct thread *thread,
		const struct finish_code *copy, struct user_regs_struct *registers);

#endif
