/*
 * The part of a run that is counted, and its intervals. Probes count all the time; what
 * is told are differences: of each process the tracer keeps what its counters were when
 * it last looked (image_run.mark), so that nothing is written and nobody is stopped when
 * counting begins, ends, or goes into the next interval. Each counter is looked at in an
 * instant of its own. A thread whose call begins or ends it waits in the hook meanwhile,
 * so that its counts are exact.
 */
#ifndef TRAMMEL_SESSION_COUNT_WINDOW_H
#define TRAMMEL_SESSION_COUNT_WINDOW_H

#include "base/error.h"
#include "base/text.h"
#include "base/vector.h"
#include "session/options/options.h"

#include <stdbool.h>
#include <stdint.h>

struct session;
struct process;
struct thread;
struct family;
struct module_file;

/* Contradictions in what the user asked for, and functions that cannot be watched. */
struct trm_error *window_check(const struct session_options *options);

/* The program begins now, or the measurement of one that runs already. */
void window_begin(struct session *session);

/* Does what is due by now; returns the nanoseconds until there may be more. */
uint64_t window_act(struct session *session);

/* Things that happen: a thread is about to call the function whose hook it waits in; a
 * module (path) was loaded, before it runs; a signal is about to be delivered. */
void window_called(struct session *session, const struct thread *thread);
void window_loaded(struct session *session, const char *module);
void window_signalled(struct session *session, int signal);

/* Whether nothing is left to measure since the window is over. */
bool window_ends_run(const struct session *session);

/* Whether threads are stopped when a part begins or ends, so that what flows into blocks
 * flows out of them: where counts follow from others, and of processes that ran before.
 */
bool window_is_exact(const struct session *session);

/* Tells a family's threads for which hooks they must wait. */
void window_arm(const struct session *session, const struct family *family);

/* Adds what the process counted since it was last looked at to what its image tells, if
 * that is to be counted. */
void window_take(struct session *session, struct process *process);

/* The last interval ends where the window or the program does. */
void window_finish(struct session *session);

/* Whether only parts of what they record are told of: without a window all is that is in
 * the spools at the end. */
bool window_has_context_parts(const struct session *session);

/* What they record from now on is of another part of the run: counting begins, or ends,
 * or goes into the next interval; before session->window says so. `open`: it is to be
 * told of. */
void window_take_context(struct session *session, bool open);

#endif
