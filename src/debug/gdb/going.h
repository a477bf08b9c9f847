/* Letting threads go on, and telling where they stop: vCont, c, s, C, S. */
#ifndef TRAMMEL_DEBUG_GDB_GOING_H
#define TRAMMEL_DEBUG_GDB_GOING_H

#include "debug/gdb/gdb.h"

void gdb_answer_going(struct gdb *gdb, const char *packet);

/* Tells the last stop. */
void gdb_tell_stop(struct gdb *gdb);

#endif
