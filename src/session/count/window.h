/*
 * The part of a run that is counted, and its intervals. Probes count all the time; the
 * profile gets differences: for each process the tracer keeps the values of its
 * counters at the last look (image_run.mark), so nothing is written and no thread is
 * stopped when counting begins, ends, or moves to the next interval. Counters are read
 * one after the other, each at a moment of its own. A thread whose call begins or ends
 * the window waits in the hook meanwhile, so that its counts are exact.
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

/* Returns an error for contradictory options, and for functions that cannot be
 * watched. */
struct trm_error *window_check(const struct session_options *options);

/* Notes that the program, or the measurement of one that runs already, begins now. */
void window_begin(struct session *session);

/* Does the work that is due by now. Returns the nanoseconds until more may be due. */
uint64_t window_act(struct session *session);

/* Counting pauses, goes on (or begins), or goes on in a new interval, which
 * `ret_interval` tells, from 0 on: at the word of who controls the run. Nothing changes
 * once the window is closed, or, of a pause and an interval, while it is not open.
 * Returns whether something did. */
bool window_pause(struct session *session);
bool window_resume(struct session *session);
bool window_next(struct session *session, uint32_t *ret_interval);

/* The measurement ends: what runs is let go. */
void window_end(struct session *session);

/* Report events to the window: a thread is about to call the function whose hook it
 * waits in; a module (path) was loaded, before it runs; a signal is about to be
 * delivered. */
void window_called(struct session *session, const struct thread *thread);
void window_loaded(struct session *session, const char *module);
void window_signalled(struct session *session, int signal);

/* Returns whether the run can end, since the window is over and nothing is left to
 * measure. */
bool window_ends_run(const struct session *session);

/* Returns whether threads are stopped when a part of the run begins or ends, so that
 * the flow into blocks equals the flow out of them: needed where counts are derived
 * from others, and for processes that ran before. */
bool window_is_exact(const struct session *session);

/* Tells a family's threads for which hooks they must wait. */
void window_arm(const struct session *session, const struct family *family);

/* Adds to a process's image the counts since the last look, if they belong to the
 * window. */
void window_take(struct session *session, struct process *process);

/* Ends the last interval where the window or the program ends. */
void window_finish(struct session *session);

/* Returns whether only parts of the contexts that programs record go into the profile:
 * without a window everything left in the spools at the end does. */
bool window_has_context_parts(const struct session *session);

/* Notes that contexts recorded from now on belong to another part of the run: counting
 * begins, ends, or moves to the next interval. Called before session->window says so.
 * `open`: the new part goes into the profile. */
void window_take_context(struct session *session, bool open);

#endif
