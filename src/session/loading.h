/*
 * While ld.so loads what a program starts with: all of it is to be instrumented before
 * any of it runs (ARCHITECTURE, "How a program's start is followed").
 */
#ifndef TRAMMEL_SESSION_LOADING_H
#define TRAMMEL_SESSION_LOADING_H

#include "image/image.h"
#include "session/session.h"

/*
 * The function that ld.so calls when it has mapped what a program starts with, before it
 * relocates, initialises or calls any of it; 0: the image is no such loader. It is the C
 * library's __tls_init_tp (glibc since 2.34, sysdeps/nptl/dl_tls_init_tp.c), of which a
 * stripped loader has no name: it is known by set_tid_address(2), which it alone calls.
 */
uint64_t loading_done_address(const struct image *image);

/* A new image is about to run, its first modules are known. */
void loading_begin(struct space *space, pid_t pid);

/* An entry or an exit of a system call, while those are traced. */
void loading_see_call(struct session *session, struct thread *thread);

/* ld.so announces a change of its list of modules, or (`done`) calls the function above.
 * Returns whether modules are to be looked for. */
bool loading_see_hook(struct space *space, pid_t pid, bool done);

#endif
