#include "session/debug/debug.h"

#include "base/array.h"
#include "session/debug/events.h"
#include "session/debug/halt.h"
#include "session/debug/access.h"
#include "session/debug/guard.h"
#include "session/debug/insert.h"
#include "session/debug/places.h"
#include "session/debug/state.h"
#include "session/debug/step.h"
#include "session/debug/watch.h"
#include "session/state/space.h"
#include "session/state/tables.h"
#include "session/thread/threads.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void debug_tell(struct session *session, const struct debug_event *event)
{
	struct debug *debug = session->debug;

	if (debug->listener)
		debug->listener(session, event, debug->context);
}

static void see_code(struct session *session, struct space *space,
		     const struct module_file *file)
{
	struct debug *debug = session->debug;

	if (file)
		debug_traps_renew(session, space, file);
	else if (debug->inserted)
		debug_traps_insert(session);
}

static void see_fork(struct session *session, struct thread *parent, struct thread *child)
{
	struct debug *debug = session->debug;
	struct process *process = child->process;

	if (!parent->process || process == parent->process)
		return;
	if (process->space && parent->process->space &&
	    process->space != parent->process->space)
		debug_traps_forked(session, parent->process->space, process->space);
	process->guarded = parent->process->guarded;
	process->ignores_trap = parent->process->ignores_trap;
	process->debugged = parent->process->debugged && debug->follows;
	if (!process->debugged)
		return;
	debug_tell(session, &(struct debug_event){.kind = DEBUG_EVENT_PROCESS,
						  .pid = process->pid,
						  .tid = child->tid,
						  .parent = parent->process->pid});
	if (debug->inserted)
		debug_traps_insert(session);
}

static void see_image(struct session *session, struct thread *thread)
{
	struct debug *debug = session->debug;
	const pid_t pid = thread->process->pid;

	debug_guard_see_image(session, thread);
	if (!thread->process->debugged)
		return;
	debug_tell(session, &(struct debug_event){.kind = DEBUG_EVENT_EXEC,
						  .pid = pid,
						  .tid = thread->tid});
	if (debug->inserted)
		debug_traps_insert(session);
	if (!debug->stop)
		return;
	debug->stop = false;
	debug_stop_for(session, thread, DEBUG_REASON_BEGIN);
}

static void see_thread(struct session *session, struct thread *thread)
{
	const struct process *process = thread->process;

	/* A child that was forked has the handlers of its parent. */
	if (process && thread->tid == process->pid && !process->debugged &&
	    process->space && process->space->references == 1)
		debug_guard_lower(session, thread);
	if (debug_has(thread))
		debug_watch_begin(session, thread);
	if (debug_has(thread) && thread->tid != thread->process->pid)
		debug_tell(session, &(struct debug_event){.kind = DEBUG_EVENT_THREAD,
							  .pid = thread->process->pid,
							  .tid = thread->tid});
}

static void see_end(struct session *session, struct thread *thread,
		    const struct event *event)
{
	struct process *process = thread->process;
	struct debug_event ended = {
		.kind = DEBUG_EVENT_THREAD_ENDED,
		.pid = process->pid,
		.tid = thread->tid,
		.status = event->kind == EVENT_EXITED ? event->value << 8 : event->value};

	if (thread->tid == process->pid)
		debug_watch_leave(session, process, true);
	if (thread->tid == process->pid && process->space &&
	    process->space->references == 1)
		debug_traps_leave(session, process->space, true);
	if (!process->debugged)
		return;
	if (thread->tid == process->pid) {
		ended.kind = DEBUG_EVENT_PROCESS_ENDED;
		process->debugged = false;
	}
	debug_tell(session, &ended);
}

static void see_modules(struct session *session, struct thread *thread)
{
	if (!thread->process->debugged)
		return;
	debug_tell(session, &(struct debug_event){.kind = DEBUG_EVENT_MODULES,
						  .pid = thread->process->pid,
						  .tid = thread->tid});
	debug_guard_raise(session, thread);
	if (session->debug->inserted)
		debug_traps_insert(session);
}

static void see_action(struct session *session, struct thread *thread, int signal)
{
	if (signal == SIGTRAP)
		debug_guard_see_action(session, thread);
}

/* Leaves a process's threads as they would be without a debugger. */
static void forget_threads(const struct session *session, const struct process *process)
{
	vector_for_each (&session->all_threads, thread) {
		if ((*thread)->process != process)
			continue;
		if ((*thread)->stopped && (*thread)->debug.trapping)
			debug_untrap(*thread);
		(*thread)->debug = (struct thread_debug){0};
	}
}

static void see_leave(struct session *session, struct process *process)
{
	if (process->space)
		debug_traps_leave(session, process->space, false);
	debug_watch_leave(session, process, false);
	debug_guard_leave(session, process);
	if (!process->debugged)
		return;
	process->debugged = false;
	forget_threads(session, process);
	debug_tell(session, &(struct debug_event){.kind = DEBUG_EVENT_PROCESS_LEFT,
						  .pid = process->pid});
}

static const struct debug_calls calls = {
	.resumes = debug_sees_resume,
	.holds_group = debug_sees_group,
	.takes_event = debug_sees_event,
	.takes_signal = debug_sees_signal,
	.code_changed = see_code,
	.forked = see_fork,
	.image_begins = see_image,
	.thread_begins = see_thread,
	.thread_ends = see_end,
	.modules_changed = see_modules,
	.action_changes = see_action,
	.leaves = see_leave,
	.act = debug_halt_act,
	.rescue = debug_traps_rescue,
};

static void set_policies(struct debug *debug)
{
	static const int quiet[] = {SIGALRM, SIGVTALRM, SIGPROF,  SIGIO,
				    SIGCHLD, SIGURG,    SIGWINCH, SIGCONT};

	for (size_t i = 0; i < array_count(debug->signals); i++)
		debug->signals[i] = (struct debug_signal_policy){true, true};
	for (size_t i = 0; i < array_count(quiet); i++)
		debug->signals[quiet[i]].stops = false;
	for (int signal = 32; signal < 34; signal++) /* the C library's own */
		debug->signals[signal].stops = false;
}

struct trm_error *debug_begin(struct session *session, debug_listener *listener,
			      void *context, bool stop)
{
	struct debug *debug;
	void *shared;

	if (session->debug && session->debug->listener)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"another debugger has this run already");
	debug = session->debug ?: memory_allocate_zeroed(1, sizeof(*debug));
	debug->listener = listener;
	debug->context = context;
	shared = debug->shared
			 ?: mmap(NULL, sizeof(*debug->shared), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	debug->shared = shared == MAP_FAILED ? NULL : shared;
	debug->inserted = true;
	debug->alone = false;
	set_policies(debug);
	session->debug = debug;
	session->debug_calls = &calls;
	vector_for_each (&session->all_processes, process)
		(*process)->debugged = true;
	debug->stop = stop && session->images.count && !session->images.items[0]->started;
	if (stop && !debug->stop)
		debug_halt(session);
	session->guardian.next_ns = 0;
	session_note_change(session);
	return NULL;
}

void debug_end(struct session *session)
{
	struct debug *debug = session->debug;

	if (!debug || !debug->listener)
		return;
	debug->breakpoints.count = 0;
	debug_traps_remove(session);
	debug_tell(session, &(struct debug_event){.kind = DEBUG_EVENT_SESSION_ENDED});
	debug->listener = NULL;
	debug->follows = false;
	vector_for_each (&session->all_processes, process) {
		debug_watch_leave(session, *process, false);
		debug_guard_leave(session, *process);
		(*process)->debugged = false;
	}
	debug->halted = debug->told = false;
	for (size_t i = session->all_threads.count; i-- > 0;) {
		struct thread *thread = i < session->all_threads.count
						? session->all_threads.items[i]
						: NULL;

		if (!thread)
			continue;
		if (thread->stopped && thread->debug.trapping)
			debug_untrap(thread);
		debug_unpark(session, thread);
	}
}

void debug_set_alone(struct session *session, bool alone)
{
	session->debug->alone = alone;
}

void debug_leave(struct session *session, struct process *process)
{
	process->debugged = false;
	if (process->space)
		debug_traps_leave(session, process->space, false);
	debug_watch_leave(session, process, false);
	debug_guard_leave(session, process);
	for (size_t i = session->all_threads.count; i-- > 0;) {
		struct thread *thread = i < session->all_threads.count
						? session->all_threads.items[i]
						: NULL;

		if (!thread || thread->process != process)
			continue;
		debug_unpark(session, thread);
	}
}

void debug_follow_children(struct session *session, bool follow)
{
	session->debug->follows = follow;
}

bool debug_is_halted(const struct session *session)
{
	return session->debug->halted && session->debug->told;
}

/* A step of a thread that is in front of an instruction without code. False: it has code,
 * in front of which `view` is. */
static bool skip_instruction(struct thread *thread, struct debug_view *view)
{
	const uint64_t next =
		debug_skip(thread->process->space, thread->debug.shown, view);

	if (next == DEBUG_RUNS_IT) {
		view->original = thread->debug.shown;
		thread->debug.shown = 0;
		return false;
	}
	thread->debug.shown = next;
	thread->debug.told = true;
	thread->debug.reason = DEBUG_REASON_STEP;
	return true;
}

struct trm_error *debug_step(struct session *session, pid_t tid, bool others)
{
	struct debug *debug = session->debug;
	struct thread *thread;
	struct debug_view view;

	TRM_TRY(debug_find(session, tid, &thread));
	if (thread->debug.parking == DEBUG_NOT_PARKED || !debug_view(thread, &view))
		return trm_error_create(TRM_ERROR_UNSUPPORTED, "thread %d runs", tid);
	debug->told = false;
	debug->others = others;
	thread->debug.met = 0;
	debug->asked_ns = 0;
	if (thread->debug.shown && skip_instruction(thread, &view))
		return NULL;
	debug_step_begin(thread, DEBUG_STEPS, &view);
	debug_unpark(session, thread);
	return NULL;
}

struct debug_signal_policy *debug_signal_policy(struct session *session, int signal)
{
	return &session->debug
			->signals[signal > 0 && signal < DEBUG_SIGNALS ? signal : 0];
}

struct trm_error *debug_set_signal(struct session *session, pid_t tid, int signal)
{
	struct thread *thread;

	TRM_TRY(debug_find(session, tid, &thread));
	const int now = thread->debug.parking == DEBUG_PARKED_SIGNAL
				? thread->debug.signal
				: thread->debug.resent.si_signo;

	if (now && now != signal)
		thread->debug.drops = true;
	else if (now)
		thread->debug.drops = false;
	if (signal && now != signal && syscall(SYS_tkill, thread->tid, signal))
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"signal %d cannot be sent to thread %d", signal,
					tid);
	return NULL;
}

void debug_break(struct session *session, const struct debug_breakpoint *breakpoint,
		 uint32_t *ret_number)
{
	struct debug *debug = session->debug;

	vector_push(&debug->breakpoints, *breakpoint);
	debug->breakpoints.items[debug->breakpoints.count - 1].number = ++debug->numbers;
	*ret_number = debug->numbers;
	if (debug->inserted)
		debug_traps_insert(session);
}

struct debug_breakpoint *debug_breakpoint(struct session *session, uint32_t number)
{
	vector_for_each (&session->debug->breakpoints, breakpoint)
		if (breakpoint->number == number)
			return breakpoint;
	return NULL;
}

void debug_unbreak(struct session *session, uint32_t number)
{
	struct debug *debug = session->debug;
	const struct debug_breakpoint *found = debug_breakpoint(session, number);
	const bool inserted = debug->inserted;

	if (!found)
		return;
	const size_t index = (size_t)(found - debug->breakpoints.items);

	for (size_t i = index + 1; i < debug->breakpoints.count; i++)
		debug->breakpoints.items[i - 1] = debug->breakpoints.items[i];
	debug->breakpoints.count--;
	debug_traps_remove(session);
	if (inserted)
		debug_traps_insert(session);
}
