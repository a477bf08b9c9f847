/* control.c. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_CONTROL_H
#define TRAMMEL_RUNTIME_CHANNEL_CONTROL_H

#include <stdint.h>

struct channel;
struct context_node;
struct context_thread;

/* Does what is wanted from outside. The thread, which is busy, was in this context until
 * now (ticks). */
void channels_obey(struct context_thread *thread, struct context_node *before,
		   uint64_t now);

/* For whoever looks at the spool. */
void channel_say_state(struct channel *channel);

/* In a child of fork that records: others can see its channels. */
void channels_offer(void);

#endif
