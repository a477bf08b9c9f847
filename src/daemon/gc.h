/* A process beside the daemon that makes what is old in the database smaller. */
#ifndef TRAMMEL_DAEMON_GC_H
#define TRAMMEL_DAEMON_GC_H

#include "daemon/daemon.h"

/* Begins it, unless it runs or is not wanted. */
void gc_begin(struct daemon *daemon);

/* Notes that it has ended, if it has. */
void gc_reap(struct daemon *daemon);

/* Ends it: what it had begun is undone. */
void gc_end(struct daemon *daemon);

#endif
