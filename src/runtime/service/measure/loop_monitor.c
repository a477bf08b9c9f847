/*
 * loop_monitor: snapshots at ends of iterations of loops, each so many or so long, and at
 * the begin and the end of a loop. They have the number of iterations since the last one,
 * and which of these was the first. Of loops in loops the outermost one that is wanted is
 * looked at.
 *
 * A loop of TRM_LOOP is a context that each of its passes begins and ends, so that its
 * end is only seen by what comes behind it.
 */
#include "runtime/channel/aggregate.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/event.h"
#include "runtime/channel/filter.h"
#include "runtime/channel/service.h"
#include "runtime/channel/service_data.h"
#include "runtime/channel/settings.h"
#include "runtime/channel/trace.h"
#include "runtime/events/hooks.h"
#include "runtime/service/measure/tick_interval.h"
#include "runtime/store/attributes.h"
#include "runtime/store/state.h"
#include "runtime/store/values.h"

/* Of the process. */
static uint32_t iterations_attribute, first_attribute;

/* Whether the innermost loop of the context is the one that is looked at. */
static bool is_in_loop(const struct context_node *node, const struct context_node *loop)
{
	for (; node && node != loop; node = node->parent)
		if (attributes_is_loop(node->attribute))
			return false;
	return node != NULL;
}

static bool is_open(const struct context_node *node, const struct context_node *loop)
{
	while (node && node != loop)
		node = node->parent;
	return node != NULL;
}

/* Without events a trace does not know what is set. */
static void give_moments(struct channel_thread *own, struct context_node *node)
{
	uint32_t room = values_room();

	for (uint32_t i = 1; i < room; i++) {
		const struct moment *moment = values_get(i);

		if (moment)
			trace_mark(own, RUNTIME_GIVEN, node, i, moment->bits);
	}
}

static void take_snapshot(struct channel_thread *own, struct context_node *node,
			  uint64_t now)
{
	struct channel *channel = own->channel;
	struct watched_loop *watched = &own->watched;
	bool traces = channel_has(channel, "trace");

	if (traces && !channel->triggers)
		give_moments(own, node);
	if (traces) {
		trace_mark(own, RUNTIME_GIVEN, node, iterations_attribute,
			   watched->iterations);
		if (watched->iterations)
			trace_mark(own, RUNTIME_GIVEN, node, first_attribute,
				   watched->first);
	}
	channel_settle(channel, own->thread, node, now);
	if (channel_has(channel, "aggregate"))
		aggregate_give(own, node, iterations_attribute, watched->iterations);
	watched->iterations = 0;
	watched->taken = now;
}

/* At the end of an iteration. */
static bool is_due(struct channel_thread *own, uint64_t now)
{
	const struct loop_watch *watch = &own->channel->service_data.loops;
	struct watched_loop *watched = &own->watched;

	if (watch->iterations && watched->iterations >= watch->iterations)
		return true;
	return watch->ns &&
	       now - watched->taken >
		       tick_interval_ticks(own->channel, watch->ns, now, &watched->wait);
}

static void loop_monitor_count(struct channel_thread *own, uint64_t number)
{
	if (!own->watched.iterations++)
		own->watched.first = number;
}

static void begin_loop(struct channel_thread *own, const struct runtime_event *event)
{
	struct watched_loop *watched = &own->watched;
	struct filter *wanted = own->channel->service_data.loops.wanted;

	watched->between = false;
	if (watched->loop == event->node)
		return; /* the next pass */
	/* It may have gone in a way that was not seen. */
	if (watched->loop && is_open(event->before, watched->loop))
		return;
	watched->loop = NULL;
	watched->iterations = 0;
	watched->passes = false;
	if (wanted && !filter_passes(wanted, event->node))
		return;
	take_snapshot(own, event->before, event->now);
	watched->loop = event->node;
}

static void end_loop(struct channel_thread *own, const struct runtime_event *event)
{
	struct watched_loop *watched = &own->watched;

	if (!watched->passes || is_due(own, event->now))
		take_snapshot(own, event->before, event->now);
	watched->between = watched->passes;
	watched->left = event->now;
	if (!watched->passes)
		watched->loop = NULL;
}

/* The last pass was the loop's last one. */
static void leave_loop(struct channel_thread *own)
{
	if (own->watched.iterations)
		take_snapshot(own, own->watched.loop, own->watched.left);
	own->watched = (struct watched_loop){.wait = own->watched.wait};
}

static void loop_monitor_look(struct channel_thread *own,
			      const struct runtime_event *event)
{
	struct watched_loop *watched = &own->watched;

	if (unlikely(own->generation != own->channel->generation)) {
		channel_baseline(own->channel, own->thread);
		*watched = (struct watched_loop){.wait = watched->wait};
	}
	if (watched->between &&
	    !(event->kind == RUNTIME_BEGIN && event->node == watched->loop))
		leave_loop(own);
	if (event->kind == RUNTIME_BEGIN && attributes_is_loop(event->attribute))
		begin_loop(own, event);
	if (!watched->loop)
		return;
	if (event->kind == RUNTIME_END && event->node == watched->loop) {
		end_loop(own, event);
	} else if (event->kind == RUNTIME_ITERATION && event->before == watched->loop) {
		watched->passes = true;
		loop_monitor_count(own, event->value);
	} else if ((event->kind == RUNTIME_START || event->kind == RUNTIME_UNSET) &&
		   attributes_is_iteration(event->attribute) &&
		   is_in_loop(event->before, watched->loop)) {
		if (event->kind == RUNTIME_START)
			loop_monitor_count(own, event->value);
		else if (is_due(own, event->now))
			take_snapshot(own, event->before, event->now);
	}
}

static const char *loop_monitor_start(struct channel *channel)
{
	const struct settings *settings = &channel->settings;

	iterations_attribute =
		attributes_create("loop.iterations", TRM_TYPE_INT,
				  TRM_AS_VALUE | TRM_SKIP_EVENTS | TRM_AGGREGATABLE);
	first_attribute = attributes_create("loop.start_iteration", TRM_TYPE_INT,
					    TRM_AS_VALUE | TRM_SKIP_EVENTS);
	if (!iterations_attribute || !first_attribute)
		return "there is no room for its attributes";
	channel->timed = true;
	channel->service_data.loops = (struct loop_watch){
		.iterations =
			settings_number(settings, "LOOP_MONITOR_ITERATION_INTERVAL", 0),
		.ns = tick_interval_setting_ns(settings, "LOOP_MONITOR_TIME_INTERVAL", 0),
		.wanted = filter_create_of(
			settings_get(settings, "LOOP_MONITOR_TARGET_LOOPS"), NULL),
	};
	return NULL;
}

const struct service service_loop_monitor = {
	.name = "loop_monitor",
	.about = "a snapshot at ends of iterations, each so many or so long",
	.keys = "LOOP_MONITOR_ITERATION_INTERVAL LOOP_MONITOR_TIME_INTERVAL "
		"LOOP_MONITOR_TARGET_LOOPS",
	.start = loop_monitor_start,
	.on_event = loop_monitor_look,
};
