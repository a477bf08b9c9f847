/*
 * What happens to an attribute as an attribute of its own: event.begin#NAME,
 * event.end#NAME, event.set#NAME. Sums of a channel are told apart by it
 * (service/aggregate.c).
 */
#ifndef TRAMMEL_RUNTIME_CHANNEL_HAPPENS_H
#define TRAMMEL_RUNTIME_CHANNEL_HAPPENS_H

#include <stdbool.h>

struct context_node;
struct context_thread;
struct runtime_event;

/* Takes the memory for it. Returns whether there is some; it is taken once. */
bool happens_init(void);
/* The context with the node below it that says what happens: of an event of an attribute
 * that makes nodes of the tree, else the context itself. NULL: there is no memory. */
struct context_node *happens_below(struct context_thread *thread,
				   struct context_node *context,
				   const struct runtime_event *event);

#endif
