/*
 * Address maps of functions relocated as a whole, stored beside their trampolines: they
 * say where instructions lie, so that signal handlers can return, also when the tracer
 * is dead. The maps are rows (struct wire_way[]) and steps (the plan's), each on whole
 * pages, and equal in all processes; a header (struct wire_ways) behind the trampolines
 * says where they are.
 */
#ifndef TRAMMEL_SESSION_CACHE_ADDRESS_MAPS_H
#define TRAMMEL_SESSION_CACHE_ADDRESS_MAPS_H

#include "session/cache/module_file.h"

/* Size in bytes of the area behind a module's trampolines for the copies that
 * finish_make (session/position/finish.h) makes. */
#define ADDRESS_MAPS_FINISH_SIZE 4096u

/* Returns the size in bytes of the trampolines alone, which is the offset of the
 * header. */
uint64_t address_maps_header_offset(const struct module_file *file);

/* Returns the size of the header in bytes; 0: the file has no address maps. */
uint64_t address_maps_header_size(const struct module_file *file);

/* Returns the size of rows and steps in bytes; 0: the file has none. */
uint64_t address_maps_size(const struct module_file *file);

/* Makes the rows of a file with a newly made plan. */
void address_maps_make(struct module_file *file);

/* Writes rows and steps to `ways`, which holds address_maps_size bytes. */
void address_maps_write(const struct module_file *file, uint8_t *ways);

/* Returns the offset of the steps in bytes from the first row. */
uint64_t address_maps_steps_offset(const struct module_file *file);

/* Returns the size in bytes of a module's trampolines together with the header and the
 * page for copies of instructions behind them. */
uint64_t address_maps_code_size(const struct module_file *file);

#endif
