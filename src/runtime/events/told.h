/*
 * Regions that begin and end, told one by one to a tracer: it sees the calls of
 * trm_region_told, and where the text of each is.
 */
#ifndef TRAMMEL_RUNTIME_EVENTS_TOLD_H
#define TRAMMEL_RUNTIME_EVENTS_TOLD_H

#include "runtime/events/hooks.h"

/* Has regions told from now on, before `runtime_hooks.event` is called as it is now:
 * what is hidden is not told. */
void told_begin(void);

#endif
