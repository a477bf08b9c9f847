/* The clock by which the tracer and what it measures tell times. */
#ifndef TRAMMEL_BASE_CLOCK_H
#define TRAMMEL_BASE_CLOCK_H

#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t clock_now_ns(void);

#endif
