/* Events that begin in one place and end in another, perhaps in another thread. */
#ifndef TRAMMEL_RUNTIME_SERVICE_CALLS_ASYNC_EVENT_H
#define TRAMMEL_RUNTIME_SERVICE_CALLS_ASYNC_EVENT_H

#include <stdint.h>

/* Takes snapshots in the channels that have the service async_event: async.begin=NAME;
 * or, at the end, async.end=NAME and event.duration.ns. `ns`: how long it took; NULL: it
 * begins. */
void async_event_say(const char *name, const uint64_t *ns);

#endif
