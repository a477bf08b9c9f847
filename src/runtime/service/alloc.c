/*
 * alloc: memory that is taken from the heap and given back. Sizes are those that
 * malloc_usable_size(3) tells, on both ways: so no table of blocks is needed, and no
 * lock. What is live is of the whole process, since the service was first asked for.
 */
#include "runtime/channel/paths.h"
#include "runtime/service/loads.h"

#include <malloc.h>

static const struct service_metric metrics[] = {
	{"alloc.count", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"alloc.bytes", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"free.count", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"free.bytes", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"alloc.live", SERVICE_GAUGE, TRM_TYPE_INT, false},
	{"alloc.highwatermark", SERVICE_GAUGE, TRM_TYPE_INT, false},
	/* The last two of them again, under the names that LLNL's Caliper has. */
	{"mem.active", SERVICE_GAUGE, TRM_TYPE_UINT, false},
	{"alloc.region.highwatermark", SERVICE_GAUGE, TRM_TYPE_UINT, false},
};
enum { USUAL = 6, WITH_ACTIVE, WITH_MOST }; /* metrics of a channel */

/* What this thread did. */
static runtime_local struct {
	uint64_t allocs, bytes, frees, freed;
	int64_t most[CHANNELS_MAX]; /* live, since its last snapshot in the channel */
} own_counts;

static int64_t live;             /* bytes, of the process */
static uint32_t measured;        /* channels that want the most: a bit each */
static size_t had[CHANNELS_MAX]; /* metrics of each */

static void *(*real_malloc)(size_t size);
static void *(*real_calloc)(size_t number, size_t size);
static void *(*real_realloc)(void *old, size_t size);
static void (*real_free)(void *block);
static void *(*real_memalign)(size_t alignment, size_t size);
static void *(*real_aligned_alloc)(size_t alignment, size_t size);
static int (*real_posix_memalign)(void **block, size_t alignment, size_t size);

static void *count_alloc(void *block)
{
	if (!block || runtime_busy)
		return block;
	int64_t size = (int64_t)malloc_usable_size(block);
	int64_t now = __atomic_add_fetch(&live, size, __ATOMIC_RELAXED);

	own_counts.allocs++;
	own_counts.bytes += (uint64_t)size;
	for (uint32_t left = measured; left; left &= left - 1) {
		int64_t *most = &own_counts.most[__builtin_ctz(left)];

		*most = now > *most ? now : *most;
	}
	paths_called(PATHS_ALLOC);
	return block;
}

static void count_free(size_t size)
{
	own_counts.frees++;
	own_counts.freed += size;
	__atomic_sub_fetch(&live, (int64_t)size, __ATOMIC_RELAXED);
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
	void *block = real_realloc(old, size);

	/* A failure leaves the old one; realloc(old, 0) frees it. */
	if (before && (block || !size))
		count_free(before);
	return count_alloc(block);
}

static void wrap_free(void *block)
{
	if (block && !runtime_busy)
		count_free(malloc_usable_size(block));
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
	if (settings_is_true(&channel->settings, "ALLOC_RECORD_HIGHWATERMARK", false))
		return WITH_MOST;
	return settings_is_true(&channel->settings, "ALLOC_RECORD_ACTIVE_MEM", false)
		       ? WITH_ACTIVE
		       : USUAL;
}

static const char *start(struct channel *channel)
{
	had[channel->number] = metrics_of(channel);
	__atomic_or_fetch(&measured, 1u << channel->number, __ATOMIC_RELAXED);
	loads_wrap(wraps, sizeof(wraps) / sizeof(wraps[0]));
	return real_malloc ? NULL : "the program has no malloc";
}

static void sample(struct channel_thread *own, const struct runtime_event *event,
		   uint64_t *ret_values)
{
	int64_t *most = &own_counts.most[own->channel->number];
	int64_t now = __atomic_load_n(&live, __ATOMIC_RELAXED);

	(void)event;
	ret_values[0] = own_counts.allocs;
	ret_values[1] = own_counts.bytes;
	ret_values[2] = own_counts.frees;
	ret_values[3] = own_counts.freed;
	ret_values[4] = (uint64_t)now;
	ret_values[5] = (uint64_t)(now > *most ? now : *most);
	if (had[own->channel->number] >= WITH_ACTIVE)
		ret_values[6] = now > 0 ? (uint64_t)now : 0;
	if (had[own->channel->number] == WITH_MOST)
		ret_values[7] = ret_values[5];
	*most = now;
}

const struct service service_alloc = {
	.name = "alloc",
	.about = "allocations of the heap, their bytes, what is live, and the most of it",
	.metrics = metrics,
	.keys = "ALLOC_TRACK_ALLOCATIONS ALLOC_RESOLVE_ADDRESSES "
		"ALLOC_RECORD_ACTIVE_MEM ALLOC_RECORD_HIGHWATERMARK",
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.metrics_of = metrics_of,
	.start = start,
	.sample = sample,
};
