/* What the parts of the server share. */
#ifndef TRAMMEL_DEBUG_GDB_GDB_H
#define TRAMMEL_DEBUG_GDB_GDB_H

#include "base/text.h"
#include "base/vector.h"
#include "debug/gdb/server.h"
#include "session/debug/debug.h"

enum { GDB_PACKET = 0x8000, GDB_FILES = 16 };

struct gdb_breakpoint {
	uint64_t address;
	uint32_t number;
	char kind;         /* as Z has it: 0, 1: code; 2: writes; 4: reads, too */
	unsigned int size; /* of 2 and 4: bytes, of all parts */
};

struct gdb {
	struct session *session;
	const struct gdb_place *place;
	bool listens;
	int fd; /* -1: no gdb is connected */
	struct text input;
	bool acknowledges; /* of each packet */
	bool knows_swbreak, knows_exec, knows_processes;
	bool runs;               /* it waits for a stop */
	pid_t pid;               /* the process that is shown */
	pid_t general;           /* thread that registers are read of */
	struct debug_event stop; /* the last one */
	bool stopped;            /* there is one */
	bool executed;           /* an exec is to be told */
	bool ended;              /* the process has */
	struct VECTOR(struct gdb_breakpoint) breakpoints;
	struct VECTOR(pid_t) listed; /* threads for qsThreadInfo */
	int files[GDB_FILES];        /* 0: free; else the descriptor + 1 */
};

#endif
