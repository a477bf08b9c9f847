/* Spans in the simplest case. */
#ifndef TRAMMEL_RUNTIME_EVENTS_SPANS_FAST_H
#define TRAMMEL_RUNTIME_EVENTS_SPANS_FAST_H

#include <stdint.h>

/* Begin or end a call in the simplest case, with general registers alone. Return 0 if
 * nothing was done. */
int spans_try_begin(uint64_t place, const char *name);

/* Ends a call in the simplest case; returns 0 if nothing was done. */
int spans_try_end(uint64_t place);

#endif
