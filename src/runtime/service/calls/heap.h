/* The watcher of blocks of the heap, which the service sysalloc calls. */
#ifndef TRAMMEL_RUNTIME_SERVICE_CALLS_HEAP_H
#define TRAMMEL_RUNTIME_SERVICE_CALLS_HEAP_H

#include <stddef.h>

struct trm_runtime_heap;

/* Sets the watcher, which stays. */
void heap_watch(const struct trm_runtime_heap *heap);
/* Returns the watcher; NULL if none is set. */
const struct trm_runtime_heap *heap_watcher(void);

#endif
