/* The functions that libtrammel-cali finds. */
#ifndef TRAMMEL_RUNTIME_PROCESS_CALIPER_HOST_H
#define TRAMMEL_RUNTIME_PROCESS_CALIPER_HOST_H

#include "runtime/events/caliper_host_api.h"

/* Returns the functions, and makes the state if it does not exist; NULL if it cannot be
 * made. */
const struct trm_runtime_host *trm_runtime_host(void);

#endif
