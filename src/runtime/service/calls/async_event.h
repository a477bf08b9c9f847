/* What begins in one place and ends in another, perhaps of another thread. */
#ifndef TRAMMEL_RUNTIME_SERVICE_CALLS_ASYNC_EVENT_H
#define TRAMMEL_RUNTIME_SERVICE_CALLS_ASYNC_EVENT_H

#include <stdint.h>

/* Snapshots of channels that have the service async_event: async.begin=NAME; or, where it
 * ends, async.end=NAME and event.duration.ns. `ns`: how long it took; NULL: it begins. */
void async_event_say(const char *name, const uint64_t *ns);

#endif
