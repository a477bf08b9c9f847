/* Control of channels from outside the process. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_CONTROL_H
#define TRAMMEL_RUNTIME_CHANNEL_CONTROL_H

#include <stdint.h>

struct channel;
struct context_node;
struct context_thread;

/* Carries out the requests from outside. The thread is busy and was in the context
 * `before` until `now` (ticks). */
void channels_obey(struct context_thread *thread, struct context_node *before,
		   uint64_t now);

/* Writes the state of the channel to the spool for its readers. */
void channel_say_state(struct channel *channel);

/* Shows the channels to other processes; in a child of fork that records. */
void channels_offer(void);

#endif
