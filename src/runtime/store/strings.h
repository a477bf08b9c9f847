/* Strings of the spool. */
#ifndef TRAMMEL_RUNTIME_STORE_STRINGS_H
#define TRAMMEL_RUNTIME_STORE_STRINGS_H

#include "wire/context.h"

#include "runtime/store/spool.h"

/* Finds a string of `size` bytes, without a lock; returns its offset in the file, 0 if
 * it is not known. */
uint64_t strings_find(const char *bytes, size_t size);

/* Puts a string into the spool once, and returns its offset in the file; 0 if there is
 * no room. */
uint64_t strings_intern(const char *bytes, size_t size);

/* Returns the string at an offset of the file. */
static inline const struct context_string *strings_at(uint64_t offset)
{
	return (const void *)(runtime_segments[offset / RUNTIME_SEGMENT] +
			      offset % RUNTIME_SEGMENT);
}

/* Drops the strings that the parent added since the fork; in a child of fork. `copied`:
 * the spool was copied; before that only the lock is freed. */
void strings_resume(bool copied);

/* Keeps strings from being added while `held`. */
void strings_hold(bool held);

#endif
