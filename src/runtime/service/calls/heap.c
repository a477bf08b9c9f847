#include "runtime/service/calls/heap.h"
#include "runtime/events/caliper_host_api.h"

static const struct trm_runtime_heap *watcher;

void heap_watch(const struct trm_runtime_heap *heap)
{
	__atomic_store_n(&watcher, heap, __ATOMIC_RELEASE);
}

const struct trm_runtime_heap *heap_watcher(void)
{
	return __atomic_load_n(&watcher, __ATOMIC_ACQUIRE);
}
