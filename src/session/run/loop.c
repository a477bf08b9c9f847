#include "session/run/loop.h"

#include "base/array.h"
#include "base/clock.h"
#include "control/processor.h"
#include "session/adapt/fired.h"
#include "session/adapt/inline_caches.h"
#include "session/cache/cache_prune.h"
#include "session/cache/plan_workers.h"
#include "session/count/sampled.h"
#include "session/count/values.h"
#include "session/count/window.h"
#include "session/debug/debug.h"
#include "session/follow/follow.h"
#include "session/follow/hooks.h"
#include "session/follow/memory_watch.h"
#include "session/follow/release.h"
#include "session/follow/unannounced.h"
#include "session/learn/replan.h"
#include "session/profile/profile_writer.h"
#include "session/profile/sample_contexts.h"
#include "session/run/contexts.h"
#include "session/run/guardian.h"
#include "session/run/run.h"
#include "session/run/tracer.h"
#include "session/state/debugging.h"
#include "session/state/descriptors.h"
#include "session/state/doorbell.h"
#include "session/state/session.h"
#include "session/state/space.h"
#include "session/thread/fast_timers.h"
#include "session/tool/tool_points.h"
#include "wire/control.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

/* Nanoseconds between searches for the end of processes that were let go. */
#define WATCH_NS 5000000
#define IDLE_NS  500000000

/* Nanoseconds between looks for functions requested by threads that may make no system
 * call. */
#define QUIET_NS 500000

/* False: no samples can be taken, and the program does not start. */
static bool begin_sampling(struct session *session, const struct tracer_start *start)
{
	struct trm_error *error = sampled_begin(session, start->program, false);

	if (error)
		tracer_fail(start->status_fd, error);
	else if (session->sampler)
		sample_contexts_watch(session->sampler, session->options->context.folder);
	return !error;
}

static void save_profile(struct session *session, int status_fd)
{
	struct trm_error *error;

	processor_leave();
	if (session->refusal) {
		tracer_send(status_fd, STATUS_REFUSED, session->refusal);
		return;
	}
	if (!session->images.items[0]->started) {
		tracer_send(status_fd, STATUS_NOTHING, NULL);
		return;
	}
	error = profile_writer_save(session, session->options->output);
	if (!session->saved_running)
		contexts_remove(&session->options->context);
	if (error)
		tracer_send(status_fd, STATUS_FAILED, error->message);
	else
		tracer_send(status_fd, STATUS_SAVED, NULL);
	trm_error_destroy(error);
}

static bool any_watched(const struct session *session)
{
	vector_for_each (&session->all_processes, process)
		if ((*process)->watched)
			return true;
	return false;
}

static void take_plans(struct session *session)
{
	struct module_file *file;
	bool any = false;

	while ((file = plan_workers_collect(session->plan_workers))) {
		file->index = (uint32_t)session->files.count;
		vector_push(&session->files, file);
		any = true;
	}
	if (any)
		follow_planned(session);
}

/* All that can be done without waiting. */
void session_act(struct session *session)
{
	struct event event;
	bool more;

	unannounced_forget(session, false);
	do {
		/* A thread that waits for a plan may make system calls meanwhile, so that
		 * there is always a next event. */
		take_plans(session);
		more = event_poll(&session->queue, &event);
		if (more)
			follow_event(session, &event);
		for (size_t i = session->families.count; i-- > 0;)
			if (i < session->families.count)
				hooks_serve(session, session->families.items[i]);
	} while (more);
	unannounced_find_parents(session);
	vector_for_each (&session->families, family)
		__atomic_fetch_add(&(*family)->arena->control->beats, 1,
				   __ATOMIC_RELAXED);
	session_serve_descriptors(session);
}

static bool has_rung(const struct session *session)
{
	vector_for_each (&session->families, family)
		if (__atomic_load_n(&(*family)->arena->control->doorbell,
				    __ATOMIC_SEQ_CST) != (*family)->heard)
			return true;
	return false;
}

/* How often threads look for a reply before they fall asleep. To plan a function with
 * points takes longer than to wake a thread, and who looks all the time takes a processor
 * from others. */
enum { LOOKS = 10000, LOOKS_POINTS = 1 };

static void set_awake(const struct session *session, uint32_t awake)
{
	vector_for_each (&session->families, family)
		__atomic_store_n(&(*family)->arena->control->awake, awake,
				 __ATOMIC_SEQ_CST);
}

static bool stays_awake(const struct session *session)
{
	return session->awaited && session->can_wait_awake &&
	       !session->values.processor && clock_now_ns() < session->awaited;
}

/* Waits without sleeping, since the awaited event comes sooner than a sleeping tracer
 * would wake up. Returns a signal that came; 0: no signal. `ret_rung`: a doorbell
 * rang. */
static int wait_awake(const struct session *session, const sigset_t *signals,
		      bool *ret_rung)
{
	const struct timespec none = {0, 0};
	int signal = 0;

	if (stays_awake(session))
		set_awake(session, session->options->points.count ? LOOKS_POINTS : LOOKS);
	while (!signal && !(*ret_rung = has_rung(session)) && stays_awake(session)) {
		signal = sigtimedwait(signals, NULL, &none);
		signal = signal > 0 ? signal : 0;
	}
	if (!*ret_rung && !signal) {
		set_awake(session, 0);
		*ret_rung = has_rung(session);
	}
	return signal;
}

/* Returns whether threads that may make no system call may ask for something. */
static bool any_quiet(const struct session *session)
{
	vector_for_each (&session->families, family) {
		if (!__atomic_load_n(&(*family)->arena->control->unfiltered,
				     __ATOMIC_RELAXED) &&
		    family_has_latches(*family))
			return true;
	}
	return false;
}

static int wait_asleep(struct session *session, const sigset_t *signals,
		       uint64_t limit_ns)
{
	const struct timespec pause = {0, (long)limit_ns};
	int signal;

	if (session->descriptors.count)
		return session_wait_descriptors(session, signals, limit_ns);
	signal = sigtimedwait(signals, NULL, &pause);
	return signal > 0 ? signal : 0;
}

int session_wait(struct session *session, const sigset_t *signals, uint64_t limit_ns)
{
	bool rung;
	int early = wait_awake(session, signals, &rung);

	if (early || rung)
		return early;
	uint64_t ns =
		any_watched(session) || session->queue.pending.count ? WATCH_NS : IDLE_NS;
	if (session->unannounced.count)
		ns = UNANNOUNCED_NS;
	if (ns > QUIET_NS && any_quiet(session))
		ns = QUIET_NS;
	return wait_asleep(session, signals, ns < limit_ns ? ns : limit_ns);
}

/* Does the work that has a schedule of its own. Returns the nanoseconds until more is
 * due. */
static uint64_t act_in_time(struct session *session)
{
	static uint64_t (*const acts[])(struct session *) = {
		fired_act,        window_act,    fast_timers_act, inline_caches_act,
		memory_watch_act, guardian_act,  tool_points_act, sampled_act,
		values_act,       debugging_act,
	};
	uint64_t limit = UINT64_MAX;

	for (size_t i = 0; i < array_count(acts); i++) {
		uint64_t next = acts[i](session);

		limit = next < limit ? next : limit;
	}
	return limit;
}

static void run_loop(struct session *session, const struct tracer_start *start,
		     const sigset_t *signals)
{
	bool saved = false;
	int status_fd = start->status_fd;

	for (;;) {
		session_act(session);
		follow_watched(session);
		uint64_t limit = act_in_time(session);

		if (window_ends_run(session))
			break;
		if (session->first_ended && !saved) {
			save_profile(session, status_fd);
			guardian_leave_front(session);
			close(status_fd);
			saved = true;
		}
		if (!session->thread_count && !any_watched(session))
			break;
		session_wait(session, signals, limit);
	}
	if (window_ends_run(session) && !session->first_ended)
		clock_gettime(CLOCK_MONOTONIC, &session->end);
	sampled_end(session);
	debug_end(session);
	release_all(session);
	unannounced_forget(session, true);
	if (!saved)
		save_profile(session, status_fd);
	/* Processes that outlived the first one get into the profile only now. */
	if (saved && session->saved_running && !session->refusal)
		trm_error_destroy(profile_writer_save(session, session->options->output));
	guardian_end(session);
}

int session_open_tool_output(const struct session_options *options)
{
	if (!options->tools.count)
		return -1;
	if (!options->tool_output)
		return fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return open(options->tool_output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

int session_trace(const struct session_options *options, struct cache *cache,
		  const struct tracer_start *start)
{
	struct session session = {.options = options,
				  .cache = cache,
				  .tool_output = session_open_tool_output(options)};
	sigset_t signals;

	if (!tracer_begin(start, &signals))
		return 1;
	trm_error_destroy(doorbell_create(&session.doorbell));
	session.can_wait_awake = sysconf(_SC_NPROCESSORS_ONLN) > 1;
	session.plan_workers = plan_workers_create(cache, options, start->planning_fd);
	follow_first(&session, start->program, options->arguments[0]);
	if (!begin_sampling(&session, start))
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &session.start);
	session.end = session.start;
	session.start_time = time(NULL);
	if (options->server.begin)
		options->server.begin(&session, options->server.context);
	if (write(start->go_fd, "g", 1) != 1)
		return 1;
	values_begin(&session);
	guardian_begin(&session, start->status_fd);
	run_loop(&session, start, &signals);
	doorbell_destroy(session.doorbell);
	string_table_deinit(&session.phases);
	plan_workers_destroy(session.plan_workers);
	replan_modules(&session);
	cache_prune(cache);
	return 0;
}
