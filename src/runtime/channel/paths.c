#include "runtime/channel/paths.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/channels.h"
#include "runtime/channel/code.h"
#include "runtime/channel/event.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"
#include "runtime/channel/stack.h"
#include "runtime/events/events.h"
#include "runtime/events/hooks.h"
#include "runtime/store/attributes.h"
#include "runtime/store/memory.h"
#include "runtime/store/state.h"
#include "runtime/store/tree.h"

#include <string.h>

uint32_t paths_calls[PATHS_CALLS];

static uint32_t sampled;      /* channels that want samples with paths: a bit each */
static uint32_t sampled_deep; /* of these, those that want who called, too */

/* By whose number a service's calls are told. */
static const struct {
	const char *service;
	enum paths_call call;
} callers[] = {{"alloc", PATHS_ALLOC},
	       {"io", PATHS_IO},
	       {"pthread", PATHS_LOCK},
	       {"syscalls", PATHS_SYSTEM}};

/* What handlers keep: a tree of addresses, and samples at its nodes. */
struct kept_node {
	uint64_t pc;
	uint32_t parent; /* 0: none; nodes are from 1 on */
	uint32_t sample; /* the last one here: its index */
};

struct kept_sample {
	uint64_t now, weight;
	uint32_t node;
};

enum { NODES_MAX = 1 << 16, SLOTS = 2 * NODES_MAX, SAMPLES_MAX = 1 << 15 };

struct kept {
	struct stack_walker walker; /* of handlers */
	uint32_t node_count, sample_count;
	bool busy; /* the thread reads it */
	struct kept_node nodes[NODES_MAX];
	uint32_t slots[SLOTS]; /* nodes, by hash of parent and address */
	struct kept_sample samples[SAMPLES_MAX];
};

static runtime_local struct stack_walker *own_walker; /* of events */
static runtime_local struct kept *own_kept;

void paths_forget(void)
{
	if (!own_kept)
		return;
	own_kept->sample_count = 0;
	own_kept->busy = false;
}

bool paths_are_sampled(void)
{
	return __atomic_load_n(&sampled, __ATOMIC_RELAXED) != 0;
}

void paths_begin_thread(void)
{
	struct kept *kept = own_kept ? own_kept : runtime_map(sizeof(*kept));

	/* What a walk calls is bound by the loader at its first call: not in a handler.
	 */
	if (kept && !own_kept)
		trm_runtime_walk_here(&kept->walker);
	in_order(); /* handlers find it whole */
	own_kept = kept;
}

void paths_end_thread(void)
{
	struct kept *kept = own_kept;

	own_kept = NULL;
	in_order();
	if (kept)
		runtime_unmap(kept, sizeof(*kept));
	stack_walker_destroy(own_walker);
	own_walker = NULL;
}

/* The node for an address below another one; 0: there is no room. */
static uint32_t kept_child(struct kept *kept, uint32_t parent, uint64_t pc)
{
	uint64_t hash = (pc ^ (uint64_t)parent << 40) * 0x9e3779b97f4a7c15u >> 32;

	for (;; hash++) {
		uint32_t *slot = &kept->slots[hash & (SLOTS - 1)];

		if (!*slot) {
			if (kept->node_count + 1 == NODES_MAX)
				return 0;
			*slot = ++kept->node_count;
			kept->nodes[*slot] = (struct kept_node){pc, parent, 0};
			return *slot;
		}
		if (kept->nodes[*slot].pc == pc && kept->nodes[*slot].parent == parent)
			return *slot;
	}
}

/* Where samples do not all find room, later ones are added to those before. */
static bool add_sample(struct kept *kept, uint32_t leaf, uint64_t weight)
{
	struct kept_node *node = &kept->nodes[leaf];

	if (kept->sample_count < SAMPLES_MAX) {
		node->sample = kept->sample_count++;
		kept->samples[node->sample] =
			(struct kept_sample){runtime_ticks(), weight, leaf};
		return true;
	}
	if (kept->samples[node->sample].node != leaf)
		return false;
	kept->samples[node->sample].weight += weight;
	return true;
}

bool paths_sample(const ucontext_t *context, uint64_t weight)
{
	struct kept *kept = own_kept;
	uint32_t node = 0;

	if (!kept || kept->busy)
		return false;
	if (!__atomic_load_n(&sampled_deep, __ATOMIC_RELAXED)) {
		node = kept_child(kept, 0, (uint64_t)context->uc_mcontext.gregs[REG_RIP]);
		return node && add_sample(kept, node, weight);
	}
	trm_runtime_walk_signal(&kept->walker, context);
	for (uint32_t i = kept->walker.count; i > kept->walker.skipped; i--) {
		node = kept_child(kept, node, kept->walker.frames[i - 1]);
		if (!node)
			return false;
	}
	return node && add_sample(kept, node, weight);
}

/* The same path in the thread's tree. */
static struct context_node *bring_path(struct channel_thread *own,
				       const struct kept *kept, uint32_t leaf,
				       struct context_node *node)
{
	const struct call_paths *paths = own->channel->paths;
	uint64_t frames[STACK_FRAMES];
	uint32_t count = 0;

	for (uint32_t i = leaf; i && count < STACK_FRAMES; i = kept->nodes[i].parent)
		frames[count++] = kept->nodes[i].pc;
	if (paths->alone && count)
		count = 1;
	while (node && count > paths->skip) {
		code_note(frames[--count]);
		node = tree_key(own->thread, node, paths->attribute, frames[count]);
	}
	return node;
}

static void give_path(struct channel_thread *own, const struct runtime_event *event)
{
	const struct call_paths *paths = own->channel->paths;

	for (uint32_t i = 0; i < paths->sink_count; i++)
		paths->sinks[i](own, event);
}

/* A sample is a snapshot in which its strikes were counted, and nothing else. The next
 * event's own snapshot has them not. */
static void say_sample(struct channel_thread *own, const struct kept *kept,
		       const struct kept_sample *sample, struct context_node *context)
{
	const struct channel *channel = own->channel;
	struct context_node *node = bring_path(own, kept, sample->node, context);
	uint64_t space[CHANNEL_METRICS_MAX], *values = own->values;

	if (!node)
		return;
	for (uint32_t i = 0; i < channel->metric_count; i++)
		space[i] = channel->metrics[i].kind == SERVICE_DELTA ? 0 : values[i];
	space[channel->paths->samples] = sample->weight;
	own->sampled += sample->weight;
	own->values = space;
	give_path(own,
		  &(struct runtime_event){RUNTIME_SAMPLE, 0, 0, node, node, sample->now});
	own->values = values;
}

/* To all channels that want them, whichever hears of an event first. */
static void say_samples(struct kept *kept, struct context_node *context)
{
	kept->busy = true;
	in_order();
	for (uint32_t left = __atomic_load_n(&sampled, __ATOMIC_RELAXED); left;
	     left &= left - 1) {
		struct channel *channel = channels.items[__builtin_ctz(left)];
		struct channel_thread *own = channels_own[__builtin_ctz(left)];

		if (!channel || !channel_measures(channel) || !channel_is_here(channel) ||
		    !own || own->channel != channel ||
		    own->generation != channel->generation)
			continue;
		for (uint32_t i = 0; i < kept->sample_count; i++)
			say_sample(own, kept, &kept->samples[i], context);
	}
	kept->sample_count = 0;
	in_order();
	kept->busy = false;
}

/* Strikes that had no path are the context's. */
static void take_rest(struct channel_thread *own)
{
	const struct call_paths *paths = own->channel->paths;
	uint64_t *value = &own->values[paths->samples];
	uint64_t said = own->sampled < *value ? own->sampled : *value;

	*value -= said;
	own->sampled -= said;
}

/* The last path of a context: most of the next one is the same. Outermost first. */
struct path_memory {
	const struct context_node *context;
	uint32_t count;
	uint64_t frames[STACK_FRAMES];
	struct context_node *nodes[STACK_FRAMES];
};

enum { MEMORIES = 8 };

void paths_deinit(struct channel_thread *own)
{
	if (own->path_memory)
		runtime_unmap(own->path_memory, MEMORIES * sizeof(*own->path_memory));
	own->path_memory = NULL;
}

static struct path_memory *memory_of(struct channel_thread *own,
				     const struct context_node *context)
{
	struct path_memory *memory;

	if (!own->path_memory)
		own->path_memory = runtime_map(MEMORIES * sizeof(*memory));
	if (!own->path_memory)
		return NULL;
	memory = &own->path_memory[context->number % MEMORIES];
	if (memory->context != context)
		memory->count = 0;
	memory->context = context;
	return memory;
}

static struct context_node *path_below(struct channel_thread *own,
				       struct context_node *context)
{
	const struct call_paths *paths = own->channel->paths;
	struct path_memory *memory = memory_of(own, context);
	struct context_node *node = context;
	const uint64_t *frame, *last;
	uint32_t depth = 0;

	if (!own_walker)
		own_walker = stack_walker_create();
	if (!own_walker || !memory)
		return context;
	trm_runtime_walk_here(own_walker);
	frame = own_walker->frames + own_walker->count;
	last = own_walker->frames + own_walker->skipped + paths->skip;
	for (;
	     frame > last && depth < memory->count && memory->frames[depth] == frame[-1];
	     frame--)
		node = memory->nodes[depth++];
	for (; frame > last; frame--) {
		code_note(frame[-1]);
		node = tree_key(own->thread, node, paths->attribute, frame[-1]);
		if (!node)
			break;
		memory->frames[depth] = frame[-1];
		memory->nodes[depth++] = node;
	}
	memory->count = depth;
	return node ? node : context;
}

/* The one sink of a channel with call paths. */
static void take_path(struct channel_thread *own, const struct runtime_event *event)
{
	const struct call_paths *paths = own->channel->paths;
	struct runtime_event with = *event;

	if (own_kept && own_kept->sample_count)
		say_samples(own_kept, event->before);
	if (paths->samples >= 0)
		take_rest(own);
	if (paths->of_events)
		with.before = path_below(own, event->before);
	give_path(own, &with);
}

const struct context_node *paths_context(const struct channel *channel,
					 const struct context_node *node)
{
	while (channel->paths && node->parent &&
	       node->attribute == channel->paths->attribute)
		node = node->parent;
	return node;
}

static const char *add_path_attribute(struct channel *channel, const char *attribute)
{
	struct call_paths *paths;

	if (!stack_is_possible())
		return "it needs glibc 2.35 or later";
	paths = runtime_map(sizeof(*paths));
	if (!paths)
		return "there is no memory";
	paths->attribute = attributes_create(attribute, TRM_TYPE_ADDRESS, 0);
	if (!paths->attribute) {
		runtime_unmap(paths, sizeof(*paths));
		return "there is no memory";
	}
	channel->paths = paths;
	return NULL;
}

const char *paths_add(struct channel *channel)
{
	const char *reason = add_path_attribute(channel, "callpath.address");

	if (!reason)
		channel->paths->skip = (uint32_t)settings_number(
			&channel->settings, "CALLPATH_SKIP_FRAMES", 0);
	return reason;
}

/* Samples say where the thread was if that is looked up, or asked for. */
static void add_places(struct channel *channel)
{
	if (channel->paths || channel_metric(channel, "sampler.samples") < 0 ||
	    !settings_is_true(&channel->settings, "SAMPLER_PC",
			      channel_has(channel, "symbollookup")) ||
	    add_path_attribute(channel, "cali.sampler.pc"))
		return;
	channel->paths->alone = true;
}

void paths_settle(struct channel *channel)
{
	struct call_paths *paths;
	uint32_t bit = 1u << channel->number;

	add_places(channel);
	paths = channel->paths;
	if (!paths)
		return;
	paths->samples = channel_metric(channel, "sampler.samples");
	paths->of_events =
		!paths->alone && settings_is_true(&channel->settings, "CALLPATH_EVENTS",
						  paths->samples < 0);
	memcpy(paths->sinks, channel->sinks, sizeof(paths->sinks));
	paths->sink_count = channel->sink_count;
	channel->sinks[0] = take_path;
	channel->sink_count = 1;
	if (paths->samples >= 0 && !paths->alone)
		__atomic_or_fetch(&sampled_deep, bit, __ATOMIC_RELEASE);
	if (paths->samples >= 0)
		__atomic_or_fetch(&sampled, bit, __ATOMIC_RELEASE);
	for (size_t i = 0; i < sizeof(callers) / sizeof(callers[0]); i++)
		if (paths->of_events && channel_has(channel, callers[i].service))
			__atomic_or_fetch(&paths_calls[callers[i].call], bit,
					  __ATOMIC_RELEASE);
}

/* A thread that said nothing yet is not looked at. */
void paths_push(uint32_t wanted)
{
	uint32_t active = __atomic_load_n(&channels.active, __ATOMIC_ACQUIRE) & wanted;
	struct context_thread *thread =
		active && runtime_self && !runtime_busy ? events_enter() : NULL;

	if (!thread)
		return;
	for (; active; active &= active - 1) {
		struct channel *channel = channels.items[__builtin_ctz(active)];

		if (channel_is_here(channel))
			channel_push_at(channel, thread, thread->node);
	}
	events_leave();
}
