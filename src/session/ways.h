/*
 * What functions relocated whole need beside their trampolines: where their instructions
 * are, for signal handlers to go back, also when the controller is dead. The ways are
 * rows (struct wire_way[]) and steps (the plan's), each on whole pages, and the same in
 * all processes; a header (struct wire_ways) behind the trampolines says where they are.
 */
#ifndef TRAMMEL_SESSION_WAYS_H
#define TRAMMEL_SESSION_WAYS_H

#include "session/session.h"

/* Bytes of trampolines without what lies behind them. */
uint64_t ways_header_offset(const struct module_file *file);

/* Bytes of a header; 0: the file has no ways. */
uint64_t ways_header_size(const struct module_file *file);

/* Bytes of rows and steps; 0: there are none. */
uint64_t ways_size(const struct module_file *file);

/* Tells the program where the instructions of function `index` go on that the patch at
 * its entry covers: see struct wire_lead. */
void ways_lead(const struct space *space, const struct module *module, uint32_t index);

/* Makes the rows of a file whose plan is new. */
void ways_make(struct module_file *file);

/* Writes rows and steps. */
void ways_write(const struct module_file *file, uint8_t *ways);

/* Writes the header of a module, which knows where its ways are. */
void ways_write_header(const struct module *module, uint8_t *header);

/* The header's address in the program; 0: there is none. */
uint64_t ways_address(const struct module *module);

#endif
