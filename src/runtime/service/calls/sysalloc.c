/*
 * sysalloc: blocks of the heap are pieces of memory that have a name, that of the
 * function that made them, as if the program had said so. The service alloc says what
 * comes and goes, and what addresses lie in; this one alone says nothing.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/channels.h"
#include "runtime/channel/service.h"
#include "runtime/events/caliper_host_api.h"
#include "runtime/libraries/loads.h"
#include "runtime/libraries/wrap.h"
#include "runtime/service/calls/heap.h"
#include "runtime/store/state.h"

#include <errno.h>

static uint32_t measured; /* channels that have it: a bit each */

static void *(*real_malloc)(size_t size);
static void *(*real_calloc)(size_t number, size_t size);
static void *(*real_realloc)(void *old, size_t size);
static void (*real_free)(void *block);

/* NULL: nobody sees this one. What is taken in the middle of an event is ours. */
static const struct trm_runtime_heap *who_sees(const void *block)
{
	return block && !runtime_busy &&
			       __atomic_load_n(&measured, __ATOMIC_RELAXED) &
				       __atomic_load_n(&channels.active, __ATOMIC_RELAXED)
		       ? heap_watcher()
		       : NULL;
}

static void *say_took(void *block, const char *label, size_t element_size, size_t count)
{
	const struct trm_runtime_heap *heap = who_sees(block);
	int saved = errno;

	if (heap)
		heap->took(block, label, element_size, count);
	errno = saved;
	return block;
}

static void say_gave(const void *block)
{
	const struct trm_runtime_heap *heap = who_sees(block);
	int saved = errno;

	if (heap)
		heap->gave(block);
	errno = saved;
}

static void *wrap_malloc(size_t size)
{
	return say_took(real_malloc(size), "malloc", 1, size);
}

static void *wrap_calloc(size_t number, size_t size)
{
	return say_took(real_calloc(number, size), "calloc", size, number);
}

/* Behind the call the old one may be another thread's. One that stays, for want of
 * memory, has no name any more. */
static void *wrap_realloc(void *old, size_t size)
{
	void *block;

	say_gave(old);
	block = real_realloc(old, size);
	return say_took(block, "realloc", 1, size);
}

static void wrap_free(void *block)
{
	say_gave(block);
	real_free(block);
}

static const struct wrap wraps[] = {
	WRAP(malloc),
	WRAP(calloc),
	WRAP(realloc),
	WRAP(free),
};

static const char *sysalloc_start(struct channel *channel)
{
	__atomic_or_fetch(&measured, 1u << channel->number, __ATOMIC_RELEASE);
	loads_wrap(wraps, sizeof(wraps) / sizeof(wraps[0]));
	return real_malloc ? NULL : "the program has no malloc";
}

const struct service service_sysalloc = {
	.name = "sysalloc",
	.about = "with alloc: blocks of the heap are named by the functions that made "
		 "them",
	.start = sysalloc_start,
};
