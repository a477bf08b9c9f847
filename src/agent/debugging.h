/* Stops, memory, registers, breakpoints and events of measured programs, for who controls
 * them: requests to src/session/debug/. */
#ifndef TRAMMEL_AGENT_DEBUGGING_H
#define TRAMMEL_AGENT_DEBUGGING_H

#include "base/error.h"
#include "protocol/frame.h"

struct session;

/* Tells the agent of an event. */
typedef void debugging_tell(void *context, Trm__Event *event);

/* What is kept of it. All-zero but for `tell` and `context`: nobody asked yet. */
struct debugging {
	debugging_tell *tell;
	void *context;
	bool begun;
	struct debugging_places *places;   /* functions whose first call is awaited */
	struct debugging_modules *modules; /* that were told */
};

/* Serves a request; `ret_known` false: it is another one's. */
struct trm_error *debugging_serve(struct debugging *debugging, struct session *session,
				  const Trm__Request *request, Trm__Answer *answer,
				  bool *ret_known);

#endif
