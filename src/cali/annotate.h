/* The runtime below the compatible interface, which the first call loads. */
#ifndef TRAMMEL_CALI_ANNOTATE_H
#define TRAMMEL_CALI_ANNOTATE_H

#include "runtime/process/caliper_host.h"

#include <stdbool.h>

/* The runtime; NULL before own_init(), and where it cannot be loaded. */
extern const struct trm_runtime_host *own_host;

/* Loads the runtime and sets own_host, once. */
void own_init(void);

/* Loads the runtime if it is not there; false if it cannot be loaded. */
static inline bool own_ready(void)
{
	if (__builtin_expect(!own_host, 0))
		own_init();
	return own_host != NULL;
}

#endif
