/* Memory that is not of the program's heap. */
#ifndef TRAMMEL_RUNTIME_STORE_MEMORY_H
#define TRAMMEL_RUNTIME_STORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether `size` bytes in all are little of what the program may have (RLIMIT_AS): the
 * most of that is its own. */
bool memory_is_modest(uint64_t size);

/* Maps `size` bytes, all 0; NULL if there is no room. */
void *runtime_map(size_t size);

/* Gives back what runtime_map gave; `memory` may be NULL. */
void runtime_unmap(void *memory, size_t size);

#endif
