/* event.c. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_EVENT_H
#define TRAMMEL_RUNTIME_CHANNEL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct channel;
struct channel_thread;
struct context_node;
struct context_thread;
struct runtime_event;

/* A snapshot of this thread now, `kind` RUNTIME_PUSH. */
void channel_push(struct channel *channel);

/* Frees what a thread has in a channel. */
void channel_thread_destroy(struct channel_thread *own);

/* What the thread had before is not the channel's; the thread is busy. */
void channel_baseline(struct channel *channel, struct context_thread *thread);

/* What this thread has in the channel; the thread is busy. NULL: no memory. */
struct channel_thread *channel_own(struct channel *channel,
				   struct context_thread *thread);

/* A snapshot, as if the thread were in this context; it is busy. */
void channel_push_at(struct channel *channel, struct context_thread *thread,
		     struct context_node *node);

/* What this thread did until now is the channel's, before it is written or rests: a
 * snapshot, if events make them. */
void channel_close(struct channel *channel);

/* Whether an event that the channel sees makes a snapshot. */
bool channel_takes(const struct channel *channel, const struct runtime_event *event);

/* The time until then, in ticks, is the channel's, as far as it was not taken yet; the
 * thread, which is busy, was in this context. */
void channel_settle(struct channel *channel, struct context_thread *thread,
		    struct context_node *node, uint64_t until);

/* In the middle of an event of the thread. */
void channels_event(struct context_thread *thread, const struct runtime_event *event);

/* A thread ends. Returns whether its nodes must stay. */
bool channels_keep_nodes(const struct context_thread *thread);

/* Behind channels_keep_nodes(), if the nodes need not stay: see struct runtime_hooks. */
void channels_end_thread(struct context_thread *thread, struct context_thread *ended);

/* In front of that, in any thread that ends: what services have for it is no longer
 * needed. */
void channels_leave_thread(void);

#endif
