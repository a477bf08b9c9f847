/* Functions that compilers call to copy and clear structures. */
#ifndef TRAMMEL_RESIDENT_MEMORY_H
#define TRAMMEL_RESIDENT_MEMORY_H

#include <stddef.h>

/* As in C. */
void *memcpy(void *to, const void *from, size_t size);

/* As in C. */
void *memset(void *to, int byte, size_t size);

#endif
