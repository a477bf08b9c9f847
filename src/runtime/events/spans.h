/*
 * Functions that are regions without the program's doing: see spans.c.
 */
#ifndef TRAMMEL_RUNTIME_EVENTS_SPANS_H
#define TRAMMEL_RUNTIME_EVENTS_SPANS_H

#include <stdbool.h>

struct context_node;
struct trm_api;
struct trm_runtime_host;

/* Announces to the measuring process that spans are recorded here. */
void spans_start(void);

/* Returns the functions that annotated modules call; where there are spans, they also
 * end calls that were left. */
const struct trm_api *spans_events(void);
/* Puts such functions into `host`, for other interfaces. */
void spans_join_host(struct trm_runtime_host *host);

/* Tells whether a node belongs to a call in this thread that is not over. */
bool spans_hold(const struct context_node *node);

/* Ends the spans of a thread that ends; its later calls are not spans. */
void spans_end_thread(void);

#endif
