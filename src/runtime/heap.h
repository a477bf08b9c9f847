/* What sees blocks of the heap: the service sysalloc tells it. */
#ifndef TRAMMEL_RUNTIME_HEAP_H
#define TRAMMEL_RUNTIME_HEAP_H

#include <stddef.h>

/* Sees blocks of the heap that come and go, where a channel has the service sysalloc and
 * measures: behind the call that made one, in front of the one that gives it back. */
struct trm_runtime_heap {
	/* `label`: the function, a literal; `count` pieces of `element_size` bytes. */
	void (*took)(const void *block, const char *label, size_t element_size,
		     size_t count);
	void (*gave)(const void *block);
};

/* The one who sees them from now on; it stays. */
void heap_watch(const struct trm_runtime_heap *heap);
/* NULL: nobody does. */
const struct trm_runtime_heap *heap_watcher(void);

#endif
