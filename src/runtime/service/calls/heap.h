/* What sees blocks of the heap: the service sysalloc tells it. */
#ifndef TRAMMEL_RUNTIME_SERVICE_CALLS_HEAP_H
#define TRAMMEL_RUNTIME_SERVICE_CALLS_HEAP_H

#include <stddef.h>

struct trm_runtime_heap;

/* The one who sees them from now on; it stays. */
void heap_watch(const struct trm_runtime_heap *heap);
/* NULL: nobody does. */
const struct trm_runtime_heap *heap_watcher(void);

#endif
