/*
 * A server of GDB's remote protocol (GDB's manual, appendix "GDB Remote Serial
 * Protocol"), inside of the tracer: `target remote` of a gdb shows the original program,
 * while it is measured.
 */
#ifndef TRAMMEL_DEBUG_GDB_SERVER_H
#define TRAMMEL_DEBUG_GDB_SERVER_H

#include "base/error.h"
#include "session/debug/debug.h"

struct gdb_place {
	int listener;   /* see listen_open() */
	int message_fd; /* where it is said that a gdb may connect; -1: nowhere */
	char message[256];
};

/* Serves a gdb that connects, one after the other. The session's program waits for the
 * first in front of its first instruction; a process that ran before runs on until
 * then. */
struct trm_error *gdb_serve(struct session *session, const struct gdb_place *place);

#endif
