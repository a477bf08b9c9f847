/*
 * loop_statistics: how long each iteration of a loop took, and how many a loop had when
 * it ended: a snapshot at each of these, with iter.duration.ns and iter.count. An
 * iteration is the time in which a value of the attribute iteration#NAME is set, or a
 * pass of TRM_LOOP, whose loop ends with what comes behind its last one.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/event.h"
#include "runtime/channel/service.h"
#include "runtime/channel/service_data.h"
#include "runtime/channel/snapshot_values.h"
#include "runtime/events/hooks.h"
#include "runtime/store/attributes.h"
#include "runtime/store/memory.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"
#include "runtime/store/values.h"

#include <string.h>

struct open_loop {
	struct context_node *node;
	uint64_t iterations; /* that began */
	uint64_t left;       /* ticks: when the last pass ended */
	bool passes;         /* a context of it is one iteration */
	bool between;        /* and none is open */
};

/* Of the process. */
static uint32_t duration_attribute, count_attribute;

static void loop_statistics_give(struct channel_thread *own, struct context_node *node,
				 uint32_t attribute, uint64_t value, uint64_t now)
{
	channel_give_at(own, node, now, &(struct given_bits){attribute, value}, 1);
}

/* An iteration ends. */
static void give_duration(struct channel_thread *own, struct context_node *node,
			  uint64_t began, uint64_t now)
{
	if (began < own->channel->clock.started)
		began = own->channel->clock.started;
	loop_statistics_give(own, node, duration_attribute, now > began ? now - began : 0,
			     now);
}

static struct open_loop *loop_statistics_innermost(const struct open_loops *loops)
{
	return loops->count ? &loops->items[loops->count - 1] : NULL;
}

static void end_loop(struct channel_thread *own, uint64_t now)
{
	const struct open_loop *loop = loop_statistics_innermost(&own->loops);

	loop_statistics_give(own, loop->node, count_attribute, loop->iterations, now);
	own->loops.count--;
}

/* False: there is no memory. */
static bool loop_statistics_grow(struct open_loops *loops)
{
	uint32_t room = loops->room ? 2 * loops->room : 64;
	struct open_loop *items = runtime_map(room * sizeof(*items));

	if (!items)
		return false;
	if (loops->count)
		memcpy(items, loops->items, loops->count * sizeof(*items));
	runtime_unmap(loops->items, loops->room * sizeof(*items));
	loops->items = items;
	loops->room = room;
	return true;
}

static void begin_loop(struct channel_thread *own, const struct runtime_event *event)
{
	struct open_loops *loops = &own->loops;
	struct open_loop *last = loop_statistics_innermost(loops);

	if (last && last->node == event->node) {
		last->between = false; /* the next pass */
		return;
	}
	if (loops->count == loops->room && !loop_statistics_grow(loops)) {
		spool_lose_memory();
		return;
	}
	loops->items[loops->count++] = (struct open_loop){.node = event->node};
}

/* The loop's context ends. Others that are open in it were left by something that no
 * event told of. */
static void leave_loop(struct channel_thread *own, const struct runtime_event *event)
{
	struct open_loops *loops = &own->loops;
	uint32_t at = loops->count;
	struct open_loop *loop;

	while (at && loops->items[at - 1].node != event->node)
		at--;
	if (!at)
		return;
	while (loops->count > at)
		end_loop(own, event->now);
	loop = loop_statistics_innermost(loops);
	if (!loop->passes) {
		end_loop(own, event->now);
		return;
	}
	give_duration(own, event->node, event->node->began, event->now);
	loop->between = true;
	loop->left = event->now;
}

static void look_at_iteration(struct channel_thread *own,
			      const struct runtime_event *event, struct open_loop *loop)
{
	const struct moment *moment;

	if (event->kind == RUNTIME_START) {
		loop->iterations++;
	} else if (event->kind == RUNTIME_ITERATION && event->before == loop->node) {
		loop->passes = true;
		loop->iterations++;
	} else if (event->kind == RUNTIME_UNSET) {
		moment = values_get(event->attribute);
		if (moment)
			give_duration(own, event->before, moment->began, event->now);
	}
}

static void loop_statistics_look(struct channel_thread *own,
				 const struct runtime_event *event)
{
	struct open_loop *loop;

	if (unlikely(own->generation != own->channel->generation)) {
		channel_baseline(own->channel, own->thread);
		own->loops.count = 0;
	}
	while ((loop = loop_statistics_innermost(&own->loops)) && loop->between &&
	       !(event->kind == RUNTIME_BEGIN && event->node == loop->node))
		end_loop(own, loop->left);
	if (event->kind == RUNTIME_BEGIN && attributes_is_loop(event->attribute))
		begin_loop(own, event);
	else if (event->kind == RUNTIME_END && attributes_is_loop(event->attribute))
		leave_loop(own, event);
	else if (loop && event->kind >= RUNTIME_SET && event->kind <= RUNTIME_ITERATION &&
		 attributes_is_iteration(event->attribute))
		look_at_iteration(own, event, loop);
}

static const char *loop_statistics_start(struct channel *channel)
{
	const uint32_t value = TRM_AS_VALUE | TRM_SKIP_EVENTS | TRM_AGGREGATABLE;

	duration_attribute = attributes_create("iter.duration.ns", TRM_TYPE_UINT,
					       value | CONTEXT_OF_TICKS);
	count_attribute = attributes_create("iter.count", TRM_TYPE_UINT, value);
	if (!duration_attribute || !count_attribute)
		return "there is no room for its attributes";
	channel->timed = true;
	return NULL;
}

static void free_loops(struct channel_thread *own)
{
	runtime_unmap(own->loops.items, own->loops.room * sizeof(*own->loops.items));
	own->loops = (struct open_loops){0};
}

const struct service service_loop_statistics = {
	.name = "loop_statistics",
	.about = "times of iterations, and how many loops had",
	.start = loop_statistics_start,
	.on_event = loop_statistics_look,
	.free_thread = free_loops,
};
