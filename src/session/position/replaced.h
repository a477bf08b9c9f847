/*
 * Functions that a tool's routine has replaced: a thread between the routine and the
 * return of the call is led to where that returns, since a signal's handler may run the
 * same code.
 */
#ifndef TRAMMEL_SESSION_POSITION_REPLACED_H
#define TRAMMEL_SESSION_POSITION_REPLACED_H

#include "session/state/session.h"

/* Moves a stopped thread on, if it is there; returns whether it was. */
bool replaced_leave(const struct thread *thread, struct user_regs_struct *registers);

#endif
