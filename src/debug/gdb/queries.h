/* The packets that ask and set something: q and Q. */
#ifndef TRAMMEL_DEBUG_GDB_QUERIES_H
#define TRAMMEL_DEBUG_GDB_QUERIES_H

#include "debug/gdb/gdb.h"

void gdb_answer_query(struct gdb *gdb, char *packet);

#endif
