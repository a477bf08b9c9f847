/*
 * What functions relocated whole need beside their trampolines: where their instructions
 * are, for signal handlers to go back, also when the tracer is dead. The ways are
 * rows (struct wire_way[]) and steps (the plan's), each on whole pages, and the same in
 * all processes; a header (struct wire_ways) behind the trampolines says where they are.
 */
#ifndef TRAMMEL_SESSION_CACHE_ADDRESS_MAPS_H
#define TRAMMEL_SESSION_CACHE_ADDRESS_MAPS_H

#include "session/cache/module_file.h"

/* Bytes behind a module's trampolines for the copies that finish_make
 * (session/position/finish.h) makes. */
#define ADDRESS_MAPS_FINISH_SIZE 4096u

/* Bytes of trampolines without what lies behind them. */
uint64_t address_maps_header_offset(const struct module_file *file);

/* Bytes of a header; 0: the file has no ways. */
uint64_t address_maps_header_size(const struct module_file *file);

/* Bytes of rows and steps; 0: there are none. */
uint64_t address_maps_size(const struct module_file *file);

/* Makes the rows of a file whose plan is new. */
void address_maps_make(struct module_file *file);

/* Writes rows and steps. */
void address_maps_write(const struct module_file *file, uint8_t *ways);

/* Where the steps begin, in bytes behind the first row. */
uint64_t address_maps_steps_offset(const struct module_file *file);

/* Bytes of a module's trampolines, with a header and a page for copies of instructions
 * behind them. */
uint64_t address_maps_code_size(const struct module_file *file);

#endif
