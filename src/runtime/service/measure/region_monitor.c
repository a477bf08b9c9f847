/*
 * region_monitor: snapshots at ends of regions that take long, and of no others. What an
 * entry of a region took is noted; when one that took long enough begins again, and the
 * regions in it took less than half of that, it is measured: without what is in it.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/event.h"
#include "runtime/channel/service.h"
#include "runtime/channel/service_data.h"
#include "runtime/channel/trace.h"
#include "runtime/events/hooks.h"
#include "runtime/service/measure/tick_interval.h"
#include "runtime/store/attributes.h"
#include "runtime/store/memory.h"
#include "runtime/store/state.h"

/* Regions of a thread that are noted: a power of two. */
enum { NOTED = 1024, TRIES = 16 };

struct noted_regions {
	struct noted_region {
		const struct context_node *node; /* NULL: free */
		uint64_t inclusive, inner;       /* ticks */
	} items[NOTED];
};

/* NULL: it is not there; `makes`: there is no room. */
static struct noted_region *region_monitor_find(struct noted_regions *noted,
						const struct context_node *node,
						bool makes)
{
	for (uint32_t i = 0; i < TRIES; i++) {
		struct noted_region *item = &noted->items[(node->number + i) % NOTED];

		if (!item->node && makes)
			item->node = node;
		if (item->node == node)
			return item;
		if (!item->node)
			break;
	}
	return NULL;
}

static bool is_region(uint32_t attribute)
{
	const struct context_attribute *known = attributes_get(attribute);

	return known && known->properties & TRM_NESTED;
}

static void region_monitor_begin(struct channel_thread *own,
				 const struct runtime_event *event)
{
	struct watched_regions *watched = &own->regions;
	const struct noted_region *noted;

	if (watched->measured)
		return;
	noted = region_monitor_find(watched->noted, event->node, false);
	if (!noted || noted->inclusive <= 2 * noted->inner)
		return;
	/* What was before is not the region's. */
	if (!own->traced && channel_has(own->channel, "trace"))
		trace_begin(own, event);
	channel_baseline(own->channel, own->thread);
	watched->measured = event->node;
}

static void region_monitor_note(struct channel_thread *own,
				const struct runtime_event *event)
{
	struct noted_regions *noted = own->regions.noted;
	uint64_t took = event->now - event->node->began;
	struct noted_region *item;

	if (took <= tick_interval_ticks(own->channel,
					own->channel->service_data.regions_ns, event->now,
					&own->regions.wait))
		return;
	item = region_monitor_find(noted, event->node, true);
	if (item)
		item->inclusive = took;
	item = event->node->parent ? region_monitor_find(noted, event->node->parent, true)
				   : NULL;
	if (item)
		item->inner += took;
}

static void region_monitor_look(struct channel_thread *own,
				const struct runtime_event *event)
{
	struct watched_regions *watched = &own->regions;

	if ((event->kind != RUNTIME_BEGIN && event->kind != RUNTIME_END) ||
	    !is_region(event->attribute))
		return;
	if (!watched->noted)
		watched->noted = runtime_map(sizeof(*watched->noted));
	if (!watched->noted)
		return;
	if (unlikely(own->generation != own->channel->generation)) {
		channel_baseline(own->channel, own->thread);
		watched->measured = NULL;
	}
	if (event->kind == RUNTIME_BEGIN) {
		region_monitor_begin(own, event);
		return;
	}
	if (event->node == watched->measured) {
		channel_settle(own->channel, own->thread, event->before, event->now);
		watched->measured = NULL;
	}
	if (!watched->measured)
		region_monitor_note(own, event);
}

static void free_regions(struct channel_thread *own)
{
	runtime_unmap(own->regions.noted, sizeof(*own->regions.noted));
	own->regions = (struct watched_regions){0};
}

static const char *region_monitor_start(struct channel *channel)
{
	channel->timed = true;
	channel->service_data.regions_ns = tick_interval_setting_ns(
		&channel->settings, "REGION_MONITOR_TIME_INTERVAL", 10000000);
	return NULL;
}

const struct service service_region_monitor = {
	.name = "region_monitor",
	.about = "a snapshot at ends of regions that take long",
	.keys = "REGION_MONITOR_TIME_INTERVAL",
	.start = region_monitor_start,
	.on_event = region_monitor_look,
	.free_thread = free_regions,
};
