/*
 * While ld.so loads what a program starts with: all of it is to be instrumented before
 * any of it runs (ARCHITECTURE, "How a program's start is followed").
 */
#ifndef TRAMMEL_SESSION_FOLLOW_LOADING_H
#define TRAMMEL_SESSION_FOLLOW_LOADING_H

#include "image/image.h"
#include "session/state/session.h"

/* A new image is about to run, its first modules are known. */
void loading_begin(struct space *space, pid_t pid);

/* An entry or an exit of a system call, while those are traced. */
void loading_see_call(struct session *session, struct thread *thread);

/* ld.so announces a change of its list of modules, or (`done`) calls the function above.
 * Returns whether modules are to be looked for. */
bool loading_see_hook(struct space *space, pid_t pid, bool done);

#endif
