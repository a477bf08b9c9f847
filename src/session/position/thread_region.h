/* In which of its own regions a stopped thread is. */
#ifndef TRAMMEL_SESSION_POSITION_THREAD_REGION_H
#define TRAMMEL_SESSION_POSITION_THREAD_REGION_H

#include "session/state/session.h"
#include "wire/probes.h"

/* Writes the path of the regions as wire/probes.h encodes it, which
 * session/state/region_path.h reads, with a 0 behind it; empty: none, or it cannot be
 * read. */
void thread_region_encode(const struct thread *thread,
			  char ret_path[WIRE_PROBE_PATH + 1]);

#endif
