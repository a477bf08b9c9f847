/* Files that a gdb reads on this side: the packets vFile. */
#ifndef TRAMMEL_DEBUG_GDB_FILES_H
#define TRAMMEL_DEBUG_GDB_FILES_H

#include "debug/gdb/gdb.h"

void gdb_answer_file(struct gdb *gdb, char *packet, size_t size);

/* Closes what the gdb left open. */
void gdb_close_files(struct gdb *gdb);

#endif
