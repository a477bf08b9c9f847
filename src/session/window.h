/*
 * The part of a run that is counted, and its intervals. Probes count all the time; what
 * is told are differences: of each process the tracer keeps what its counters were when
 * it last looked (image_run.mark), so that nothing is written and nobody is stopped when
 * counting begins, ends, or goes into the next interval. Each counter is looked at in an
 * instant of its own. A thread whose call begins or ends it waits in the hook meanwhile,
 * so that its counts are exact.
 */
#ifndef TRAMMEL_SESSION_WINDOW_H
#define TRAMMEL_SESSION_WINDOW_H

#include "base/error.h"
#include "base/text.h"
#include "base/vector.h"
#include "session/options.h"
#include "session/progress.h"

#include <stdbool.h>
#include <stdint.h>

struct session;
struct process;
struct thread;
struct family;
struct module_file;

enum window_state {
	WINDOW_AWAITED, /* counting did not begin yet */
	WINDOW_OPEN,
	WINDOW_CLOSED, /* all is counted that is to be */
};

/* Nanoseconds since the program began, or the attachment. */
struct window_interval {
	uint64_t start_ns, end_ns;
};

struct window {
	enum window_state state;
	uint64_t base; /* session_now() when the program began; 0: it did not yet */
	uint64_t start_ns, end_ns;                       /* as in intervals; 0: not yet */
	struct VECTOR(struct window_interval) intervals; /* the last one is going on */
	struct progress progress;
	bool standing; /* all threads stand meanwhile: see window_is_exact */
};

/* Contradictions in what the user asked for, and functions that cannot be watched. */
struct trm_error *window_check(const struct session_options *options);

/* Whether the module (path) may have functions whose calls begin or end the window; such
 * a function's hook, by its linked name, 0: none; and what a plan depends on. */
bool window_concerns(const struct session_window *asked, const char *module);
uint8_t window_hook_of(const struct session_window *asked, const char *module,
		       const struct image *image, const char *name, uint64_t address);
void window_describe_calls(const struct session_window *asked, struct text *text);

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

/* What images count now: see image_run.part. */
uint32_t window_part(const struct session *session);

/* Tells a family's threads for which hooks they must wait. */
void window_arm(const struct session *session, const struct family *family);

/* Adds what the process counted since it was last looked at to what its image tells, if
 * that is to be counted. */
void window_take(struct session *session, struct process *process);

/* The last interval ends where the window or the program does. */
void window_finish(struct session *session);

#endif
