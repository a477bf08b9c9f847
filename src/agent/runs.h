/* Programs that the agent measures: beginning, and passing on what they and their fronts
 * say. */
#ifndef TRAMMEL_AGENT_RUNS_H
#define TRAMMEL_AGENT_RUNS_H

#include "agent/agent.h"

#include <poll.h>

/* Descriptors that a run may have to be polled for. */
enum { RUN_DESCRIPTORS = 3 + AGENT_STREAMS };

/* Begins what a request (RUN, ATTACH or STACKS) says. It is answered when the program
 * runs, or when it is known that it does not. */
struct trm_error *run_begin(struct agent *agent, const Trm__Request *request);

/* Writes what is to be polled of a run to `polls`, of RUN_DESCRIPTORS, -1 where nothing
 * is. */
void run_poll(const struct agent *agent, const struct agent_run *run,
	      struct pollfd *polls);

/* Does what can be done after that. */
void run_act(struct agent *agent, struct agent_run *run, const struct pollfd *polls);

/* Asks the tracer of a run something; it answers the client. */
struct trm_error *run_ask(struct agent_run *run, const Trm__Request *request);

/* Sends the first process a signal. */
struct trm_error *run_signal(struct agent_run *run, int number);

/* Writes what is to be said to the console, as far as it takes it. */
void run_say(struct agent_run *run);

/* Nobody speaks to the console any more: what stands there goes on. */
void run_end_console(const struct agent_run *run);

/* Ends the measurement; what is measured runs on. */
struct trm_error *run_detach(struct agent_run *run, const Trm__Request *request,
			     bool *ret_asked);

/* Nobody asks about a run any more: what stands goes on. */
void run_unwatch(struct agent_run *run);

/* Nothing is told of a run from now on. What it measures is measured to its end, and its
 * output is dropped; then it can be destroyed. */
void run_forget(struct agent_run *run);

/* Destroys a run, with its profile if that is the agent's. */
void run_destroy(struct agent_run *run);

#endif
