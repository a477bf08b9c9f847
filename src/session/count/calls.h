/* Calls of one function so far, for debuggers and who controls a run. */
#ifndef TRAMMEL_SESSION_COUNT_CALLS_H
#define TRAMMEL_SESSION_COUNT_CALLS_H

#include "base/error.h"
#include "session/state/session.h"

#include <stdint.h>

/* Counts the calls of the function that begins at the run-time address `address` of a
 * process, so far, in all its threads: exactly if these stand. The error
 * TRM_ERROR_UNSUPPORTED: no counter has the calls of that function alone. */
struct trm_error *calls_so_far(const struct session *session,
			       const struct process *process, uint64_t address,
			       uint64_t *ret_count);

#endif
