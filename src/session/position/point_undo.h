/*
 * Faults in the code of points: the stack ends where it saves registers or calls a
 * routine. Nothing of the point has happened then but that: it is undone.
 */
#ifndef TRAMMEL_SESSION_POSITION_POINT_UNDO_H
#define TRAMMEL_SESSION_POSITION_POINT_UNDO_H

#include "code/plan/position.h"
#include "session/state/session.h"

/* Moves a thread that has faulted in the middle of a point, at `place`, to its start.
 * Returns false if it cannot be. */
bool point_undo(const struct thread *thread, const struct module *module,
		const struct plan_position *place, struct user_regs_struct *registers);

/* Moves a thread that has faulted on the program's stack while the resident was about to
 * call a routine back into the code of the point. Returns false if it is elsewhere. */
bool point_undo_call(const struct thread *thread, struct user_regs_struct *registers);

#endif
