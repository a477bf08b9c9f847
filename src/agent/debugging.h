/* Stops, memory, registers, breakpoints and events of measured programs, for who controls
 * them: requests to src/session/debug/. */
#ifndef TRAMMEL_AGENT_DEBUGGING_H
#define TRAMMEL_AGENT_DEBUGGING_H

#include "base/error.h"
#include "protocol/frame.h"

struct awaited;
struct session;

/* Tells the agent of an event. */
typedef void debugging_tell(void *context, Trm__Event *event);

/* What is kept of it. All-zero but for `tell` and `context`: nobody asked yet. */
struct debugging {
	debugging_tell *tell;
	void *context;
	/* Asked before the program begins: events are told, it stops in front of its
	 * first instruction, its regions are told. */
	bool watches, stops, regions;
	bool begun;
	struct awaited *points;
	struct debugging_modules *modules; /* that were told */
};

/* Begins what was asked for before the program did. */
struct trm_error *debugging_begin(struct debugging *debugging, struct session *session);

/* Nobody asks any more: places are taken away, threads that stand go on. */
void debugging_end(struct debugging *debugging, struct session *session);

/* Serves a request; `ret_known` false: it is another one's. */
struct trm_error *debugging_serve(struct debugging *debugging, struct session *session,
				  const Trm__Request *request, Trm__Answer *answer,
				  bool *ret_known);

#endif
