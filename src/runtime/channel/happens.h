/*
 * Kinds of events as attributes: event.begin#NAME, event.end#NAME, event.set#NAME. Sums
 * of a channel are kept apart by them (service/aggregate.c).
 */
#ifndef TRAMMEL_RUNTIME_CHANNEL_HAPPENS_H
#define TRAMMEL_RUNTIME_CHANNEL_HAPPENS_H

#include <stdbool.h>

struct context_node;
struct context_thread;
struct runtime_event;

/* Allocates the memory of these attributes, once. Returns false if there is none. */
bool happens_init(void);
/* Returns the node below `context` that names the kind of the event, if the attribute of
 * the event makes nodes of the tree, else `context` itself; NULL if there is no memory.
 * */
struct context_node *happens_below(struct context_thread *thread,
				   struct context_node *context,
				   const struct runtime_event *event);

#endif
