/*
 * Programs that drop pages of their own code (madvise(2)): the kernel would take the
 * patches with them, and counts would stop.
 */
#ifndef TRAMMEL_SESSION_FOLLOW_DROPPING_H
#define TRAMMEL_SESSION_FOLLOW_DROPPING_H

#include "session/state/session.h"

struct dropping {
	uint64_t address, size; /* bytes */
	uint32_t advice;        /* MADV_DONTNEED or MADV_DONTNEED_LOCKED */
	bool in_syscall;        /* its arguments are shifted by one, behind the number */
};

/* Serves a thread that waits in the hook of such a call, with `rsp` as at its entry:
 * drops the pages outside of texts with patches, and turns the call itself into one
 * that drops nothing. */
void dropping_serve(struct session *session, struct thread *thread, uint64_t rsp,
		    const struct dropping *dropping);

#endif
