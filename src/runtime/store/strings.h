/* strings.c. */
#ifndef TRAMMEL_RUNTIME_STORE_STRINGS_H
#define TRAMMEL_RUNTIME_STORE_STRINGS_H

#include "wire/context.h"

#include "runtime/store/spool.h"

/* Where the string is if it is known, without a lock; 0 if it is not. */
uint64_t strings_find(const char *bytes, size_t size);

/* The string in the spool, kept once; its offset in the file. 0 if there is no room. */
uint64_t strings_intern(const char *bytes, size_t size);

/* The string at an offset of the file. */
static inline const struct context_string *strings_at(uint64_t offset)
{
	return (const void *)(runtime_segments[offset / RUNTIME_SEGMENT] +
			      offset % RUNTIME_SEGMENT);
}

/* In a child of fork: what the parent added since then is not this one's. `copied`: the
 * spool is, before that only the lock is let go. */
void strings_resume(bool copied);

/* Nothing is added meanwhile. */
void strings_hold(bool held);

#endif
