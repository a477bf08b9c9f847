/* What the files of channels share, and no service needs. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_INTERNAL_H
#define TRAMMEL_RUNTIME_CHANNEL_INTERNAL_H

#include "runtime/channel/channel.h"

struct channels {
	struct channel *items[CHANNELS_MAX];
	uint32_t active; /* a bit a channel */
	uint32_t keeps;  /* RUNTIME_KEEPS: the program asks for its state */
	struct runtime_lock lock;
};
extern struct channels channels;

/* By channel: the id of the scoped one that measures this thread. */
extern runtime_local uint32_t channels_here[CHANNELS_MAX];

static inline bool channel_is_here(const struct channel *channel)
{
	return likely(!channel->scoped) || channels_here[channel->number] == channel->id;
}

/* Those of this thread, by channel. */
extern runtime_local struct channel_thread *channels_own[CHANNELS_MAX];

void channel_thread_destroy(struct channel_thread *own);
/* What the thread had before is not the channel's; the thread is busy. */
void channel_baseline(struct channel *channel, struct context_thread *thread);
/* The spool is to say what the channel is. False: there is no room. */
bool channel_describe(struct channel *channel);
/* Nanoseconds a tick. Who asks for times again soon is told the same ones: it is found
 * anew when twice as much time has passed since the channel's begin. */
double channel_tick_ns(struct channel *channel);
/* What this thread has in the channel; the thread is busy. NULL: no memory. */
struct channel_thread *channel_own(struct channel *channel,
				   struct context_thread *thread);
/* A snapshot, as if the thread were in this context; it is busy. */
void channel_push_at(struct channel *channel, struct context_thread *thread,
		     struct context_node *node);
/* What this thread did until now is the channel's, before it is written or rests: a
 * snapshot, if events make them. */
void channel_close(struct channel *channel);
/* For the trace, a value of the snapshot that comes next (GIVEN), or from now on (KEPT,
 * DROPPED); for the sums, one of the snapshot that was taken last. The thread is in this
 * context. */
void trace_mark(struct channel_thread *own, enum runtime_event_kind kind,
		struct context_node *node, uint32_t attribute, uint64_t bits);
void aggregate_give(struct channel_thread *own, struct context_node *node,
		    uint32_t attribute, uint64_t bits);
/* A snapshot with values of its own, as of then (ticks), as if the thread, which is busy,
 * were in the context. What can be summed up is. */
struct given_bits {
	uint32_t attribute;
	uint64_t bits;
};
void channel_give_at(struct channel_thread *own, struct context_node *node, uint64_t now,
		     const struct given_bits *values, size_t count);
/* Whether an event that the channel sees makes a snapshot. */
bool channel_takes(const struct channel *channel, const struct runtime_event *event);
/* The time until then, in ticks, is the channel's, as far as it was not taken yet; the
 * thread, which is busy, was in this context. */
void channel_settle(struct channel *channel, struct context_thread *thread,
		    struct context_node *node, uint64_t until);
/* What measures has changed. `starting` measures from now on; NULL: none does. */
void channels_watch(struct channel *starting);
/* Does what is wanted from outside. The thread, which is busy, was in this context until
 * now (ticks). */
void channels_obey(struct context_thread *thread, struct context_node *before,
		   uint64_t now);
/* For whoever looks at the spool. */
void channel_say_state(struct channel *channel);
/* Adds a row to another one of the same kind of node. */
void aggregate_add(const struct channel *channel, const struct context_node *node,
		   uint64_t *to, const uint64_t *from);
/* Says which ends did not fit, and what was lost, on standard error. */
void faults_say(void);
/* An event, or a part of it, for which there was no memory. */
static inline void channels_lose(void)
{
	__atomic_add_fetch(&runtime_spool->lost_for_memory, 1, __ATOMIC_RELAXED);
}
/* What the spool does not have of a channel; `context`: the channel, whose lock is held.
 */
void output_fill(void *context, const struct publish_sink *sink);

#endif
