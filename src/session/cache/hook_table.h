/*
 * Functions of programs that are watched for the program's own sake, whatever is
 * measured: their calls enter hooks (see the WIRE_HOOK_ numbers).
 */
#ifndef TRAMMEL_SESSION_CACHE_HOOK_TABLE_H
#define TRAMMEL_SESSION_CACHE_HOOK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether calls of the function are always watched for the program's own sake. */
bool hook_table_has(const char *name);

/* The hook of a function of the C library or the loader; 0: it has none. */
uint8_t hook_table_find(const char *name);

/* The hook of a function that may be linked into any module; 0: it has none. */
uint8_t hook_table_find_anywhere(const char *name);

/* Whether a file is the C library or the loader, by the last part of its path. */
bool hook_table_is_c_library(const char *name);

#endif
