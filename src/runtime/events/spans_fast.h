/* spans_fast.c. */
#ifndef TRAMMEL_RUNTIME_EVENTS_SPANS_FAST_H
#define TRAMMEL_RUNTIME_EVENTS_SPANS_FAST_H

#include <stdint.h>

/* A call begins, or ends, in the simplest case, with general registers alone. 0: nothing
 * was done. */
int spans_try_begin(uint64_t place, const char *name);

int spans_try_end(uint64_t place);

#endif
