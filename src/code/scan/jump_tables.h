/*
 * Jump tables of switches, and tables of pointers to code.
 */
#ifndef TRAMMEL_CODE_SCAN_JUMP_TABLES_H
#define TRAMMEL_CODE_SCAN_JUMP_TABLES_H

#include "code/scan/scan.h"
#include "code/scan/walk.h"

/* The end of a table at the latest: the start of the next one. */
uint64_t jump_tables_end(const struct scan *scan, uint64_t table);

/* Reads the relative jump tables among walk->tables. */
void jump_tables_read(struct walk *walk);

/* Adds a row to scan.tables, for the function walked through. */
void jump_tables_note(struct walk *walk, uint64_t address, uint8_t entry_size);

/* Sets map.exposed at targets of tables outside of the functions that use them, as in
 * cold parts listed as functions. Tables must be sorted. */
void jump_tables_expose(const struct scan *scan, const struct image *image);

/* Sorts scan.tables. */
void jump_tables_sort(struct scan *scan);

/* Marks the targets of pointers in the data of an executable at a fixed address, data
 * between code included: it has no relocations. */
void jump_tables_read_pointers(const struct scan *scan, const struct image *image);

#endif
