/*
 * Loading of a program's first modules by ld.so: all of them are to be instrumented
 * before any of them runs (docs/design/process-start.md, "The loader").
 */
#ifndef TRAMMEL_SESSION_FOLLOW_LOADING_H
#define TRAMMEL_SESSION_FOLLOW_LOADING_H

#include "image/image.h"
#include "session/state/session.h"

/* Begins the following of a new image that is about to run and whose first modules are
 * known. */
void loading_begin(struct space *space, pid_t pid);

/* Handles the entry or exit of a system call, while system calls are traced. */
void loading_see_call(struct session *session, struct thread *thread);

/* Handles ld.so's announcement of a change of its list of modules, or (`done`) its
 * call of the function that ends loading (session/cache/loader.h). Returns whether
 * modules are to be looked for. */
bool loading_see_hook(struct space *space, pid_t pid, bool done);

#endif
