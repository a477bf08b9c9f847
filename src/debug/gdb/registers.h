/* The packets of registers: g, G, p, P. */
#ifndef TRAMMEL_DEBUG_GDB_REGISTERS_H
#define TRAMMEL_DEBUG_GDB_REGISTERS_H

#include "debug/gdb/gdb.h"

void gdb_answer_registers(struct gdb *gdb, const char *packet);

/* Returns the description of registers, an XML text. */
const char *gdb_target(void);

#endif
