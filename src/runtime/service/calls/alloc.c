/*
 * alloc: memory that is taken from the heap and given back. Sizes are those that
 * malloc_usable_size(3) tells, on both ways, so that no lock is needed. What is live is
 * of the whole process: blocks that were taken while the channel was active.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/channels.h"
#include "runtime/channel/paths.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"
#include "runtime/events/hooks.h"
#include "runtime/libraries/loads.h"
#include "runtime/libraries/wrap.h"
#include "runtime/service/calls/blocks.h"
#include "runtime/store/memory.h"
#include "runtime/store/state.h"

#include <malloc.h>

static const struct service_metric metrics[] = {
	{"alloc.count", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"alloc.bytes", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"free.count", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"free.bytes", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"alloc.live", SERVICE_GAUGE, TRM_TYPE_INT, false},
	{"alloc.highwatermark", SERVICE_GAUGE, TRM_TYPE_INT, false},
	{"alloc.largest", SERVICE_GAUGE, TRM_TYPE_UINT, false},
	/* Two of them again, under the names that LLNL's Caliper has. */
	{"mem.active", SERVICE_GAUGE, TRM_TYPE_UINT, false},
	{"alloc.region.highwatermark", SERVICE_GAUGE, TRM_TYPE_UINT, false},
};
enum { USUAL = 7, WITH_ACTIVE, WITH_MOST }; /* metrics of a channel */

/* What this thread did. */
static runtime_local struct {
	uint64_t allocs, bytes, frees, freed;
	/* Since its last snapshot in the channel: the most that was live, and the largest
	 * block that was taken. */
	int64_t most[CHANNELS_MAX], largest[CHANNELS_MAX];
} own_counts;

static uint32_t measured; /* channels that measure this: a bit each */
static struct {
	int64_t live; /* bytes of blocks that are in the set */
	struct blocks *blocks;
	size_t had; /* metrics */
} measures[CHANNELS_MAX];

static void *(*real_malloc)(size_t size);
static void *(*real_calloc)(size_t number, size_t size);
static void *(*real_realloc)(void *old, size_t size);
static void (*real_free)(void *block);
static void *(*real_memalign)(size_t alignment, size_t size);
static void *(*real_aligned_alloc)(size_t alignment, size_t size);
static int (*real_posix_memalign)(void **block, size_t alignment, size_t size);

static void add_live(const void *block, int64_t size)
{
	uint32_t left = measured & __atomic_load_n(&channels.active, __ATOMIC_RELAXED);

	for (; left; left &= left - 1) {
		uint32_t number = (uint32_t)__builtin_ctz(left);
		int64_t *most = &own_counts.most[number];
		int64_t *largest = &own_counts.largest[number], now;

		if (!blocks_add(measures[number].blocks, block))
			continue;
		now = __atomic_add_fetch(&measures[number].live, size, __ATOMIC_RELAXED);
		*most = now > *most ? now : *most;
		*largest = size > *largest ? size : *largest;
	}
}

static void *count_alloc(void *block)
{
	if (!block || runtime_busy)
		return block;
	int64_t size = (int64_t)malloc_usable_size(block);

	own_counts.allocs++;
	own_counts.bytes += (uint64_t)size;
	add_live(block, size);
	paths_called(PATHS_ALLOC);
	return block;
}

/* Of the channels that saw the block taken; before it is given back, since it may be
 * another thread's right behind that. The channels: a bit each. */
static uint32_t take_live(const void *block, int64_t size)
{
	uint32_t taken = 0;

	for (uint32_t left = measured; left; left &= left - 1) {
		uint32_t number = (uint32_t)__builtin_ctz(left);

		if (!blocks_take(measures[number].blocks, block))
			continue;
		__atomic_sub_fetch(&measures[number].live, size, __ATOMIC_RELAXED);
		taken |= 1u << number;
	}
	return taken;
}

/* The block was not given back after all. */
static void keep_live(const void *block, int64_t size, uint32_t taken)
{
	for (; taken; taken &= taken - 1) {
		uint32_t number = (uint32_t)__builtin_ctz(taken);

		if (blocks_add(measures[number].blocks, block))
			__atomic_add_fetch(&measures[number].live, size,
					   __ATOMIC_RELAXED);
	}
}

static void count_free(size_t size)
{
	own_counts.frees++;
	own_counts.freed += size;
	paths_called(PATHS_ALLOC);
}

static void *wrap_malloc(size_t size)
{
	return count_alloc(real_malloc(size));
}

static void *wrap_calloc(size_t number, size_t size)
{
	return count_alloc(real_calloc(number, size));
}

static void *wrap_realloc(void *old, size_t size)
{
	size_t before = old && !runtime_busy ? malloc_usable_size(old) : 0;
	uint32_t taken = before ? take_live(old, (int64_t)before) : 0;
	void *block = real_realloc(old, size);

	/* A failure leaves the old one; realloc(old, 0) frees it. */
	if (before && (block || !size))
		count_free(before);
	else
		keep_live(old, (int64_t)before, taken);
	return count_alloc(block);
}

static void wrap_free(void *block)
{
	if (block && !runtime_busy) {
		size_t size = malloc_usable_size(block);

		take_live(block, (int64_t)size);
		count_free(size);
	}
	real_free(block);
}

static void *wrap_memalign(size_t alignment, size_t size)
{
	return count_alloc(real_memalign(alignment, size));
}

static void *wrap_aligned_alloc(size_t alignment, size_t size)
{
	return count_alloc(real_aligned_alloc(alignment, size));
}

static int wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
	int failed = real_posix_memalign(block, alignment, size);

	if (!failed)
		count_alloc(*block);
	return failed;
}

static const struct wrap wraps[] = {
	WRAP(malloc),   WRAP(calloc),        WRAP(realloc),        WRAP(free),
	WRAP(memalign), WRAP(aligned_alloc), WRAP(posix_memalign),
};

static size_t metrics_of(const struct channel *channel)
{
	/* The second one is that of the peer's service allocstats, which is this one. */
	if (settings_is_true(&channel->settings, "ALLOC_RECORD_HIGHWATERMARK", false) ||
	    settings_is_true(&channel->settings, "ALLOCSTATS_RECORD_HIGHWATERMARK",
			     false))
		return WITH_MOST;
	return settings_is_true(&channel->settings, "ALLOC_RECORD_ACTIVE_MEM", false)
		       ? WITH_ACTIVE
		       : USUAL;
}

static const char *alloc_start(struct channel *channel)
{
	uint32_t number = channel->number;

	if (measures[number].blocks)
		blocks_clear(measures[number].blocks);
	else
		measures[number].blocks = runtime_map(sizeof(struct blocks));
	if (!measures[number].blocks)
		return "there is no memory";
	measures[number].live = 0;
	measures[number].had = metrics_of(channel);
	__atomic_or_fetch(&measured, 1u << number, __ATOMIC_RELEASE);
	loads_wrap(wraps, sizeof(wraps) / sizeof(wraps[0]));
	return real_malloc ? NULL : "the program has no malloc";
}

static void alloc_sample(struct channel_thread *own, const struct runtime_event *event,
			 uint64_t *ret_values)
{
	uint32_t number = own->channel->number;
	int64_t *most = &own_counts.most[number];
	int64_t now = __atomic_load_n(&measures[number].live, __ATOMIC_RELAXED);
	size_t had = measures[number].had;

	(void)event;
	ret_values[0] = own_counts.allocs;
	ret_values[1] = own_counts.bytes;
	ret_values[2] = own_counts.frees;
	ret_values[3] = own_counts.freed;
	ret_values[4] = (uint64_t)now;
	ret_values[5] = (uint64_t)(now > *most ? now : *most);
	ret_values[6] = (uint64_t)own_counts.largest[number];
	if (had >= WITH_ACTIVE)
		ret_values[7] = (uint64_t)now;
	if (had == WITH_MOST)
		ret_values[8] = ret_values[5];
	*most = now;
	own_counts.largest[number] = 0;
}

const struct service service_alloc = {
	.name = "alloc",
	.about = "allocations of the heap, their bytes, what is live, and the most of it",
	.metrics = metrics,
	.keys = "ALLOC_TRACK_ALLOCATIONS ALLOC_RESOLVE_ADDRESSES "
		"ALLOC_RECORD_ACTIVE_MEM ALLOC_RECORD_HIGHWATERMARK "
		"ALLOCSTATS_RECORD_HIGHWATERMARK",
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.metrics_of = metrics_of,
	.start = alloc_start,
	.sample = alloc_sample,
};
