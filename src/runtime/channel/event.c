/*
 * The way of an event through the channels. Nothing here is shared between threads but
 * what is only read; memory is taken at the first event of a thread in a channel, and by
 * the sinks.
 */
#include "runtime/channel/event.h"
#include "runtime/channel/aggregate.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/channels.h"
#include "runtime/channel/control.h"
#include "runtime/channel/filter.h"
#include "runtime/channel/paths.h"
#include "runtime/channel/rows.h"
#include "runtime/channel/service.h"
#include "runtime/channel/trace.h"
#include "runtime/channel/trigger.h"
#include "runtime/events/events.h"
#include "runtime/events/hooks.h"
#include "runtime/store/attributes.h"
#include "runtime/store/lock.h"
#include "runtime/store/memory.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"
#include "runtime/store/tree.h"

#include <string.h>
#include <unistd.h>

struct channels channels;

runtime_local struct channel_thread *channels_own[CHANNELS_MAX];
runtime_local uint32_t channels_here[CHANNELS_MAX];

static size_t thread_size(void)
{
	return (sizeof(struct channel_thread) + 4095) & ~(size_t)4095;
}

void channel_thread_destroy(struct channel_thread *own)
{
	rows_deinit(own);
	trace_deinit(own);
	paths_deinit(own);
	for (uint32_t i = 0; i < own->channel->service_count; i++)
		if (own->channel->services[i]->free_thread)
			own->channel->services[i]->free_thread(own);
	runtime_unmap(own, thread_size());
}

/* What the slot has is of a channel that was destroyed. */
static __attribute__((noinline)) struct channel_thread *
begin_thread(struct channel *channel, struct context_thread *thread)
{
	struct channel_thread *own = channels_own[channel->number];

	channels_own[channel->number] = NULL;
	if (own)
		channel_thread_destroy(own);
	own = runtime_map(thread_size());
	if (!own)
		return NULL;
	own->clearing = channel->clearing;
	own->channel = channel;
	own->thread = thread;
	own->tid = thread->tid;
	own->values = own->space;
	rows_init(own);
	runtime_lock(&channel->lock);
	channel_describe(channel);
	own->next = channel->threads;
	channel->threads = own;
	runtime_unlock(&channel->lock);
	channels_own[channel->number] = own;
	return own;
}

/* The metrics as they are; what goes up becomes what it grew by. */
static inline __attribute__((always_inline)) void
sample(struct channel_thread *own, const struct runtime_event *event)
{
	const struct channel *channel = own->channel;
	uint64_t *values = own->values;

	for (uint32_t i = 0; i < channel->sampler_count; i++)
		channel->samplers[i].sample(own, event,
					    values + channel->samplers[i].first);
	for (uint32_t i = 0; i < channel->metric_count; i++) {
		uint64_t now = values[i];

		if (channel->metrics[i].kind != SERVICE_DELTA)
			continue;
		values[i] = now - own->last[i];
		own->last[i] = now;
	}
}

/* What was before the channel began is not its. */
static void begin_measuring(struct channel_thread *own, const struct runtime_event *event)
{
	if (own->clearing != own->channel->clearing) {
		rows_deinit(own);
		trace_deinit(own);
		own->clearing = own->channel->clearing;
	}
	trace_resume(own, event);
	sample(own, event);
	own->sampled = 0;
	own->stamp = event->now;
	own->generation = own->channel->generation;
}

static inline __attribute__((always_inline)) void
give_snapshot(struct channel_thread *own, const struct runtime_event *event)
{
	const struct channel *channel = own->channel;

	for (uint32_t i = 0; i < channel->sink_count; i++)
		channel->sinks[i](own, event);
	own->stamp = event->now;
}

/* The event may have been stamped before, and by no clock then. */
static __attribute__((noinline)) void take_first(struct channel_thread *own,
						 const struct runtime_event *event)
{
	const struct channel *channel = own->channel;
	struct runtime_event first = *event;

	if (first.now < channel->clock.started)
		first.now = channel->clock.started;
	begin_measuring(own, &first);
	memset(own->values, 0, channel->metric_count * sizeof(*own->values));
	give_snapshot(own, &first);
}

static inline __attribute__((always_inline)) void
take_snapshot(struct channel_thread *own, const struct runtime_event *event)
{
	if (unlikely(own->generation != own->channel->generation)) {
		take_first(own, event);
		return;
	}
	sample(own, event);
	give_snapshot(own, event);
}

static inline __attribute__((always_inline)) struct channel_thread *
own_of(struct channel *channel, struct context_thread *thread)
{
	struct channel_thread *own = channels_own[channel->number];

	return likely(own && own->channel == channel) ? own
						      : begin_thread(channel, thread);
}

void channel_baseline(struct channel *channel, struct context_thread *thread)
{
	struct channel_thread *own = own_of(channel, thread);

	if (own)
		begin_measuring(own,
				&(struct runtime_event){RUNTIME_PUSH, 0, 0, thread->node,
							thread->node, runtime_ticks()});
}

void channel_settle(struct channel *channel, struct context_thread *thread,
		    struct context_node *node, uint64_t until)
{
	struct channel_thread *own = channels_own[channel->number];

	if (!own || own->channel != channel || own->generation != channel->generation)
		return;
	if (until < own->stamp)
		until = own->stamp;
	take_snapshot(own, &(struct runtime_event){RUNTIME_PUSH, 0, 0, node, thread->node,
						   until});
}

/* For services that see more than what makes snapshots. */
static __attribute__((noinline)) void look_at_event(struct channel *channel,
						    struct context_thread *thread,
						    const struct runtime_event *event)
{
	struct channel_thread *own = own_of(channel, thread);

	for (uint32_t i = 0; own && i < channel->looker_count; i++)
		channel->lookers[i](own, event);
}

/* Of a call of MPI: the call itself, what says more of it, or a message. */
static __attribute__((noinline)) bool
is_wanted_of_mpi(const struct channel *channel, const struct runtime_event *event,
		 const struct context_attribute *attribute)
{
	if (attribute->properties & CONTEXT_DETAIL)
		return false;
	if (attribute->properties & TRM_AS_VALUE)
		return channel->mpi.messages;
	return channel->mpi.calls &&
	       (!channel->mpi.call_filter || !event->node ||
		filter_passes(channel->mpi.call_filter, event->node));
}

static inline __attribute__((always_inline)) bool
is_wanted(const struct channel *channel, const struct runtime_event *event)
{
	const struct context_attribute *attribute;

	if (event->kind == RUNTIME_PUSH)
		return true;
	if (!channel->triggers)
		return false;
	attribute = attributes_get(event->attribute);
	if (attribute->properties & TRM_SKIP_EVENTS ||
	    (attribute->properties >> TRM_LEVEL_SHIFT_ & 7) < channel->level)
		return false;
	if (unlikely(attribute->properties & CONTEXT_OF_MPI) &&
	    !is_wanted_of_mpi(channel, event, attribute))
		return false;
	if (unlikely(channel->trigger) &&
	    !triggers_pass(channel->trigger, event->attribute))
		return false;
	if (!channel->filter)
		return true;
	return event->node && event->kind != RUNTIME_ITERATION
		       ? filter_passes(channel->filter, event->node)
		       : filter_passes_value(channel->filter, event->before);
}

bool channel_takes(const struct channel *channel, const struct runtime_event *event)
{
	return is_wanted(channel, event);
}

/* Nothing of the channel is touched behind the call, which may destroy it. */
static void tell_one(uint32_t number, struct context_thread *thread,
		     const struct runtime_event *event)
{
	struct channel *channel = channels.items[number];
	struct channel_thread *own;

	if (!channel || !channel->runs_user_code || !(channels.active >> number & 1))
		return;
	own = own_of(channel, thread);
	if (!own) {
		spool_lose_memory();
		return;
	}
	in_order();
	runtime_busy = 0;
	channel->sinks[0](own, event);
	runtime_busy = 1;
	in_order();
}

/* The program sees the event as if it had not come yet, and, of a begin, what it made.
 * All else that sees it has done so: what the program annotates comes behind it. What it
 * leaves open is closed, since whoever called goes on with the node. */
static __attribute__((noinline)) void
tell(struct context_thread *thread, const struct runtime_event *event, uint32_t told)
{
	struct context_node *after = thread->node;
	struct runtime_event began = *event;

	began.kind = RUNTIME_BEGAN;
	for (; told && runtime_self == thread; told &= told - 1) {
		uint32_t number = (uint32_t)__builtin_ctz(told);

		thread->node = event->before;
		tell_one(number, thread, event);
		/* A child of a fork in there has no part in this. */
		if (runtime_self != thread || !runtime_state->recording)
			return;
		thread->node = after;
		if (event->kind == RUNTIME_BEGIN)
			tell_one(number, thread, &began);
		if (runtime_self != thread || !runtime_state->recording)
			return;
		thread->node = after;
	}
}

/* An event of a value makes no snapshot, but the value holds in those that come. */
static __attribute__((noinline)) void keep_value(struct channel *channel,
						 struct context_thread *thread,
						 const struct runtime_event *event)
{
	const uint32_t summed = TRM_SKIP_EVENTS | TRM_AGGREGATABLE,
		       looked_at = summed | TRM_GLOBAL;
	uint32_t properties = attributes_get(event->attribute)->properties;
	bool ends = event->kind == RUNTIME_UNSET;
	bool adds = channel->sums && channel->triggers && !ends &&
		    (properties & looked_at) == summed;
	struct channel_thread *own;

	if (properties & (CONTEXT_OF_MPI | CONTEXT_DETAIL) || channel->runs_user_code ||
	    (!channel->traces && !adds))
		return;
	own = own_of(channel, thread);
	if (!own) {
		spool_lose_memory();
		return;
	}
	if (own->generation != channel->generation)
		channel_baseline(channel, thread);
	if (channel->traces)
		trace_mark(own, ends ? RUNTIME_DROPPED : RUNTIME_KEPT, event->before,
			   event->attribute, event->value);
	if (adds)
		aggregate_give(own, event->before, event->attribute, event->value);
}

void channels_event(struct context_thread *thread, const struct runtime_event *event)
{
	uint32_t told = 0;
	uint32_t active = __atomic_load_n(&channels.active, __ATOMIC_ACQUIRE);

	if (unlikely(__atomic_load_n(&runtime_spool->asked, __ATOMIC_RELAXED))) {
		channels_obey(thread, event->before, event->now);
		active &= channels.active; /* what starts now does so behind the event */
	}
	for (; active; active &= active - 1) {
		struct channel *channel = channels.items[__builtin_ctz(active)];
		struct channel_thread *own;

		if (!channel_is_here(channel))
			continue;
		if (unlikely(channel->looker_count))
			look_at_event(channel, thread, event);
		if (!is_wanted(channel, event)) {
			if (event->kind >= RUNTIME_SET && event->kind <= RUNTIME_UNSET)
				keep_value(channel, thread, event);
			continue;
		}
		if (unlikely(channel->runs_user_code)) {
			told |= 1u << channel->number;
			continue;
		}
		own = own_of(channel, thread);
		if (likely(own))
			take_snapshot(own, event);
		else
			spool_lose_memory();
	}
	if (unlikely(told))
		tell(thread, event, told);
}

struct channel_thread *channel_own(struct channel *channel, struct context_thread *thread)
{
	return own_of(channel, thread);
}

void channel_push_at(struct channel *channel, struct context_thread *thread,
		     struct context_node *node)
{
	struct channel_thread *own = own_of(channel, thread);

	if (own)
		take_snapshot(own, &(struct runtime_event){RUNTIME_PUSH, 0, 0, node, node,
							   runtime_ticks()});
}

void channel_push(struct channel *channel)
{
	struct context_thread *thread = events_enter();

	if (!thread)
		return;
	if (channel_measures(channel) && channel_is_here(channel))
		channel_push_at(channel, thread, thread->node);
	events_leave();
}

void channel_close(struct channel *channel)
{
	struct context_thread *thread = events_enter();

	if (!thread)
		return;
	if (channel_measures(channel) && channel_is_here(channel)) {
		if (channel->looker_count)
			look_at_event(channel, thread,
				      &(struct runtime_event){RUNTIME_PUSH, 0, 0,
							      thread->node, thread->node,
							      runtime_ticks()});
		if (channel->triggers)
			channel_push_at(channel, thread, thread->node);
	}
	events_leave();
}

bool channels_keep_nodes(const struct context_thread *thread)
{
	for (uint32_t i = 0; i < CHANNELS_MAX; i++) {
		const struct channel_thread *own = channels_own[i];

		if (own && own->thread == thread && own->traced)
			return true;
	}
	return false;
}

void channels_leave_thread(void)
{
	for (uint32_t i = 0; i < CHANNELS_MAX; i++) {
		const struct channel *channel =
			channels_own[i] ? channels_own[i]->channel : NULL;

		for (uint32_t j = 0; channel && j < channel->service_count; j++)
			if (channel->services[j]->end_thread)
				channel->services[j]->end_thread();
	}
	for (uint32_t i = 0; i < CHANNELS_MAX; i++) {
		struct channel *channel = channels.items[i];

		for (uint32_t j = 0;
		     channel && channel->active && j < channel->service_count; j++)
			if (channel->services[j]->leave)
				channel->services[j]->leave(channel, runtime_self);
	}
}

/* Where a node is in the tree of ended threads; NULL: nowhere, for want of
 * memory. */
static struct context_node *move_thread(struct context_thread *ended,
					struct context_node *node)
{
	if (!(node->flags & CONTEXT_METRIC))
		return node->last_child;
	return node->parent && node->parent->last_child
		       ? tree_metric(ended, node->parent->last_child, node->attribute)
		       : NULL;
}

static void move_rows(struct channel_thread *own, struct channel_thread *sums)
{
	uint32_t count = own->thread->node_count;
	struct context_node **nodes = tree_nodes(own->thread, count);

	for (uint32_t i = 0; nodes && i < count && i < own->rows.most; i++) {
		const uint64_t *row = rows_find(own, i);
		struct context_node *node = row && row[ROW_SNAPSHOTS] && nodes[i]
						    ? move_thread(sums->thread, nodes[i])
						    : NULL;
		uint64_t *to = node ? rows_at(sums, node->number) : NULL;

		if (to)
			aggregate_add(own->channel, nodes[i], to, row);
	}
	runtime_unmap(nodes, (count + 1) * sizeof(struct context_node *));
}

static void unlink_thread(struct channel *channel, struct channel_thread *own)
{
	struct channel_thread **at = &channel->threads;

	while (*at && *at != own)
		at = &(*at)->next;
	if (*at)
		*at = own->next;
}

void channels_end_thread(struct context_thread *thread, struct context_thread *ended)
{
	for (uint32_t i = 0; i < CHANNELS_MAX; i++) {
		struct channel_thread *own = channels_own[i];
		struct channel *channel = own ? own->channel : NULL;

		channels_own[i] = NULL;
		if (!own || own->thread != thread)
			continue;
		if (channels.items[i] != channel || own->clearing != channel->clearing) {
			channel_thread_destroy(own);
			continue;
		}
		runtime_lock(&channel->lock);
		if (!channel->ended)
			channel->ended = runtime_map(thread_size());
		if (channel->ended) {
			if (!channel->ended->channel) {
				channel->ended->channel = channel;
				rows_init(channel->ended);
			}
			channel->ended->thread = ended;
			channel->ended->clearing = channel->clearing;
			move_rows(own, channel->ended);
		}
		unlink_thread(channel, own);
		runtime_unlock(&channel->lock);
		channel_thread_destroy(own);
	}
}
