/* Memory outside the program's heap. */
#ifndef TRAMMEL_RUNTIME_STORE_MEMORY_H
#define TRAMMEL_RUNTIME_STORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tells whether `size` bytes in all are a small part of the memory that the program may
 * have (RLIMIT_AS): most of that is the program's own. */
bool memory_is_modest(uint64_t size);

/* Maps `size` bytes, all 0; NULL if there is no room. */
void *runtime_map(size_t size);

/* Unmaps memory of runtime_map(); `memory` may be NULL. */
void runtime_unmap(void *memory, size_t size);

#endif
