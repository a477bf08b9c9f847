/*
 * Functions that are watched whatever is measured, so that the program keeps behaving
 * as it does bare: their calls enter hooks (see the WIRE_HOOK_ numbers).
 */
#ifndef TRAMMEL_SESSION_CACHE_HOOK_TABLE_H
#define TRAMMEL_SESSION_CACHE_HOOK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether calls of function `name` are watched whatever is measured. */
bool hook_table_has(const char *name);

/* Returns the hook of a function of the C library or the loader; 0: it has no hook. */
uint8_t hook_table_find(const char *name);

/* Returns whether only code of others at points needs this hook: it loads, or has data.
 */
bool hook_table_is_for_points(uint8_t number);

/* Returns the hook of a function that may be linked into any module; 0: it has no
 * hook. */
uint8_t hook_table_find_anywhere(const char *name);

/* Returns whether a file is the C library or the loader, by the last part of its path. */
bool hook_table_is_c_library(const char *name);

#endif
