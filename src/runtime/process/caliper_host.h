/* What libtrammel-cali finds. */
#ifndef TRAMMEL_RUNTIME_PROCESS_CALIPER_HOST_H
#define TRAMMEL_RUNTIME_PROCESS_CALIPER_HOST_H

#include "runtime/events/caliper_host_api.h"

/* Makes the state, if it is not there. NULL: it cannot be had. */
const struct trm_runtime_host *trm_runtime_host(void);

#endif
