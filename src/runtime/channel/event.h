/* Snapshots of channels at events. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_EVENT_H
#define TRAMMEL_RUNTIME_CHANNEL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct channel;
struct channel_thread;
struct context_node;
struct context_thread;
struct runtime_event;

/* Takes a snapshot of this thread now, of kind RUNTIME_PUSH. */
void channel_push(struct channel *channel);

/* Frees the record of a thread in a channel. */
void channel_thread_destroy(struct channel_thread *own);

/* Sets the thread's present values as the start of the channel's measurement, so that
 * earlier ones do not count; the thread is busy. */
void channel_baseline(struct channel *channel, struct context_thread *thread);

/* Returns the record of this busy thread in the channel, made if it is new; NULL if
 * there is no memory. */
struct channel_thread *channel_own(struct channel *channel,
				   struct context_thread *thread);

/* Takes a snapshot as if the busy thread were in the context `node`. */
void channel_push_at(struct channel *channel, struct context_thread *thread,
		     struct context_node *node);

/* Adds what this thread did until now to the channel, before it is written or pauses:
 * takes a snapshot if events make snapshots. */
void channel_close(struct channel *channel);

/* Tells whether an event that the channel sees makes a snapshot. */
bool channel_takes(const struct channel *channel, const struct runtime_event *event);

/* Adds the time until `until` (ticks) to the channel, as far as it was not taken yet.
 * The thread is busy and was in the context `node`. */
void channel_settle(struct channel *channel, struct context_thread *thread,
		    struct context_node *node, uint64_t until);

/* Passes an event to the channels; called in the middle of an event of the thread. */
void channels_event(struct context_thread *thread, const struct runtime_event *event);

/* Returns whether the nodes of a thread that ends must stay. */
bool channels_keep_nodes(const struct context_thread *thread);

/* Moves the sums of a thread that ends to `ended`; called after channels_keep_nodes() if
 * the nodes need not stay: see struct runtime_hooks. */
void channels_end_thread(struct context_thread *thread, struct context_thread *ended);

/* Frees what services keep for the calling thread, which ends; called before
 * channels_keep_nodes(). */
void channels_leave_thread(void);

#endif
