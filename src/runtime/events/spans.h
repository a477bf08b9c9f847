/*
 * Functions that are regions without the program's doing: see spans.c.
 */
#ifndef TRAMMEL_RUNTIME_EVENTS_SPANS_H
#define TRAMMEL_RUNTIME_EVENTS_SPANS_H

#include <stdbool.h>

struct context_node;
struct trm_api;
struct trm_runtime_host;

/* Says to whoever measures the program that spans are recorded here. */
void spans_start(void);

/* What annotated modules call: it ends calls that were left, too, where there are spans.
 */
const struct trm_api *spans_events(void);
/* The same for other interfaces. */
void spans_join_host(struct trm_runtime_host *host);

/* Whether a node is that of a call in this thread which is not over. */
bool spans_hold(const struct context_node *node);

/* The thread ends: what it still calls is no span. */
void spans_end_thread(void);

#endif
