/* Which packet is answered by what. */
#ifndef TRAMMEL_DEBUG_GDB_ANSWERS_H
#define TRAMMEL_DEBUG_GDB_ANSWERS_H

#include "debug/gdb/gdb.h"

/* Answers a packet, which is changed; `size`: its bytes. */
void gdb_answer(struct gdb *gdb, char *packet, size_t size);

/* Forgets the breakpoints of the gdb. */
void gdb_clear_breakpoints(struct gdb *gdb);

#endif
