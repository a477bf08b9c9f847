#include "session/run/wait_trace.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "context/profile.h"
#include "control/event.h"
#include "control/remote.h"
#include "session/follow/rights.h"
#include "session/profile/profile_writer.h"
#include "session/run/samples.h"
#include "session/run/tracer.h"
#include "session/run/wait_join.h"
#include "session/run/wait_redo.h"
#include "stacks/waits.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	IDLE_NS = 500000000,
	LEAVE_MS = 1000,
	/* Between looks at threads that could not be stopped. */
	LATE_NS = 10000000,
	/* For threads that are to stop: in all, and between looks. */
	JOIN_NS = 1000000000,
	JOIN_LOOK_NS = 1000000,
	/* For threads to come to their next call: one that has not for so long computes.
	 */
	FREE_NS = 200000000,
	/* Signals one right behind the other, by which a thread is seen to do nothing but
	 * serve them; and for how many it is let alone then. */
	AT_ONCE_MAX = 20,
	AT_ONCE_NS = 100000, /* of its own time between two of them */
	ALONE = 50,
	NESTED = 5, /* as many times less where handlers do not return */
};

struct tracing {
	const struct session_options *options;
	const struct tracer_start *start;
	struct sampler *sampler;
	struct waits *waits;
	struct event_queue queue;
	struct context_run run;
	uint64_t begin_ns;
	uint32_t first;
	/* Of an attachment: what asked for it, its signals, and why it did not begin. */
	const struct attach_request *request;
	sigset_t signals;
	struct trm_error *error;
	int status; /* of the first process */
	bool first_ended, flooded;
	bool leaving; /* nothing is followed any more */
};

/* By the numbers of DWARF. */
static bool read_registers(uint32_t tid, uint64_t ret_registers[SAMPLE_REGISTERS])
{
	struct user_regs_struct from;

	if (remote_failed(remote_get_registers((pid_t)tid, &from)))
		return false;
	const uint64_t registers[SAMPLE_REGISTERS] = {
		from.rax, from.rdx, from.rcx, from.rbx, from.rsi, from.rdi,
		from.rbp, from.rsp, from.r8,  from.r9,  from.r10, from.r11,
		from.r12, from.r13, from.r14, from.r15, from.rip,
	};

	memcpy(ret_registers, registers, sizeof(registers));
	return true;
}

static void note_left(struct tracing *tracing, uint32_t pid, const char *why)
{
	text_format(&tracing->sampler->source.notes,
		    "process %u is not followed further: %s\n", pid, why);
}

/* A thread of which nothing is known yet. */
static struct waits_thread *add_thread(struct tracing *tracing, pid_t tid)
{
	struct sample_processes *processes = &tracing->sampler->processes;
	uint64_t pid, parent;

	if (!remote_status(tid, "Tgid", 10, &pid) ||
	    !remote_status(tid, "PPid", 10, &parent))
		return NULL;
	if ((uint64_t)tid == pid && !waits_find(tracing->waits, (uint32_t)tid))
		sample_processes_fork(processes, (uint32_t)pid, (uint32_t)parent);
	return waits_add(tracing->waits, (uint32_t)pid, (uint32_t)tid);
}

static struct waits_thread *find_thread(struct tracing *tracing, pid_t tid)
{
	struct waits_thread *thread = waits_find(tracing->waits, (uint32_t)tid);

	return thread ? thread : add_thread(tracing, tid);
}

/* Has a thread go on untraced. `stopped`: it need not be stopped first. */
static void let_go(struct tracing *tracing, uint32_t tid, bool stopped)
{
	struct event event = {.kind = EVENT_OTHER};

	if (!stopped) {
		if (ptrace(PTRACE_INTERRUPT, (pid_t)tid, 0, 0) ||
		    !event_wait_thread(&tracing->queue, (pid_t)tid, LEAVE_MS, &event))
			return;
		if (event.kind == EVENT_EXITED || event.kind == EVENT_KILLED) {
			event_push(&tracing->queue, &event);
			return;
		}
		wait_redo_call(waits_find(tracing->waits, tid), clock_now_ns());
	}
	trm_error_destroy(remote_resume((pid_t)tid, REMOTE_DETACH,
					event.kind == EVENT_SIGNAL ? event.value : 0));
	waits_remove(tracing->waits, tid);
}

/* Lets a process go; `at`: its thread that is stopped, 0: none. */
static void let_process_go(struct tracing *tracing, uint32_t pid, uint32_t at)
{
	struct waits *waits = tracing->waits;

	for (size_t i = waits->threads.count; i-- > 0;) {
		const struct waits_thread *thread =
			i < waits->threads.count ? waits->threads.items[i] : NULL;

		if (thread && thread->pid == pid)
			let_go(tracing, thread->tid, thread->tid == at);
	}
	sample_processes_end(&tracing->sampler->processes, pid);
}

/* A process cannot have two tracers, and the program's own comes first. */
static bool see_ptrace(struct tracing *tracing, const struct waits_thread *thread,
		       const struct remote_call *call)
{
	const uint64_t operation = call->arguments[0] & 0xffffffff;
	const struct waits_thread *target;
	const char *why = "it is traced by another process of the program";

	if (operation == PTRACE_TRACEME) {
		note_left(tracing, thread->pid, why);
		let_process_go(tracing, thread->pid, thread->tid);
		return true;
	}
	if (operation != PTRACE_ATTACH && operation != PTRACE_SEIZE)
		return false;
	target = waits_find(tracing->waits, (uint32_t)call->arguments[1]);
	if (!target || target->pid == thread->pid)
		return false;
	note_left(tracing, target->pid, why);
	let_process_go(tracing, target->pid, 0);
	return false;
}

/* The kernel gives a traced program no new rights. */
static bool see_exec(struct tracing *tracing, const struct waits_thread *thread,
		     const struct remote_call *call)
{
	const bool at = call->number == SYS_execveat;
	char path[4096] = "", name[64];
	bool changes;

	path[stacks_read_memory(thread->pid, call->arguments[at], path,
				sizeof(path) - 1)] = '\0';
	if (at && !*path) {
		snprintf(name, sizeof(name), "/proc/%u/fd/%d", thread->tid,
			 (int)call->arguments[0]);
		scoped_fd int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

		changes = fd >= 0 && rights_change_of((pid_t)thread->pid, fd);
	} else {
		changes = rights_change_by((pid_t)thread->pid, (pid_t)thread->tid, path);
	}
	if (!changes)
		return false;
	note_left(tracing, thread->pid, "it executes a program that changes its rights");
	/* Its other threads end then. */
	let_go(tracing, thread->tid, true);
	return true;
}

/* Acts on a call that begins. Returns whether the thread was let go. */
static bool see_entry(struct tracing *tracing, struct waits_thread *thread,
		      const struct remote_call *call)
{
	struct stacks_call begun = {
		.number = (int32_t)call->number, .rsp = call->rsp, .pc = call->pc};

	memcpy(begun.arguments, call->arguments, sizeof(begun.arguments));
	wait_redo_begin(thread, &begun, clock_now_ns());
	thread->returning = begun.number == SYS_rt_sigreturn;
	thread->masking = begun.number == SYS_rt_sigprocmask;
	if (begun.number == SYS_ptrace && see_ptrace(tracing, thread, call))
		return true;
	if ((begun.number == SYS_execve || begun.number == SYS_execveat) &&
	    see_exec(tracing, thread, call))
		return true;
	if (begun.number == SYS_exit_group)
		waits_take_open(tracing->waits, thread->pid, clock_now_ns());
	waits_enter(tracing->waits, thread, &begun);
	return false;
}

/* A handler has returned: the next one may be due already. */
static void see_return(struct waits_thread *thread, const struct remote_call *call)
{
	struct remote_signals signals;

	thread->returning = false;
	waits_return(thread, call->pc, call->rsp);
	if (!remote_get_signals((pid_t)thread->tid, &signals))
		return;
	if (signals.pending & ~signals.blocked)
		thread->at_once++;
	else if (!signals.pending)
		thread->at_once = 0;
}

static bool see_call(struct tracing *tracing, struct waits_thread *thread,
		     uint64_t now_ns)
{
	struct remote_call call;

	if (!remote_get_call((pid_t)thread->tid, &call))
		return false;
	thread->calling = call.entry;
	if (call.entry)
		return see_entry(tracing, thread, &call);
	wait_redo_end(thread);
	thread->let_through = thread->masking ? call.pc : 0;
	if (thread->returning)
		see_return(thread, &call);
	waits_leave(tracing->waits, thread, call.result, now_ns);
	return false;
}

/* The thread has the process's number now, and all others have ended. */
static void see_new_program(struct tracing *tracing, pid_t tid, int former)
{
	struct waits *waits = tracing->waits;

	for (size_t i = waits->threads.count; i-- > 0;)
		if (i < waits->threads.count && (int)waits->threads.items[i]->pid == tid)
			waits_remove(waits, waits->threads.items[i]->tid);
	waits_remove(waits, (uint32_t)former);
	if (!tracing->sampler->begin_ns)
		tracing->sampler->begin_ns = clock_now_ns();
	sample_processes_execute(&tracing->sampler->processes, (uint32_t)tid);
	waits_add(waits, (uint32_t)tid, (uint32_t)tid);
	sample_processes_read(&tracing->sampler->processes, (uint32_t)tid);
}

static void see_end(struct tracing *tracing, const struct event *event)
{
	waits_remove(tracing->waits, (uint32_t)event->tid);
	if (table_find(&tracing->sampler->processes.by_pid, (uint64_t)event->tid, NULL))
		sample_processes_end(&tracing->sampler->processes, (uint32_t)event->tid);
	if ((uint32_t)event->tid != tracing->first || tracing->first_ended)
		return;
	tracing->first_ended = true;
	tracing->status = event->kind == EVENT_EXITED ? event->value << 8 : event->value;
	tracing->run.wall_ns = clock_now_ns() - tracing->begin_ns;
}

/* Whether nothing is measured any more. */
static bool is_over(const struct tracing *tracing)
{
	const struct session_window *window = &tracing->options->window;
	const uint64_t begin = tracing->sampler->begin_ns;

	return window->stop.wait_ns && begin &&
	       clock_now_ns() - begin > window->start.wait_ns + window->stop.wait_ns;
}

/* Where a handler takes longer than its timer, since its calls are followed, the program
 * would never go on. Returns whether a thread is to be let alone until its next signal.
 */
static bool is_flooded(struct tracing *tracing, struct waits_thread *thread)
{
	if (thread->unfollowed) {
		thread->unfollowed--;
		thread->stuck =
			!thread->unfollowed &&
			remote_ran_ns((pid_t)thread->tid) - thread->signal_ran_ns <
				ALONE / NESTED * AT_ONCE_NS;
		return true;
	}
	if (thread->at_once < AT_ONCE_MAX)
		return false;
	if (!tracing->flooded)
		text_format(&tracing->sampler->source.notes,
			    "signals come faster to thread %u than their handlers' calls "
			    "can be followed: not all of its waits are known\n",
			    thread->tid);
	tracing->flooded = true;
	thread->at_once = 0;
	thread->unfollowed = thread->masking ? ALONE / NESTED : ALONE;
	return true;
}

static void resume_thread(struct tracing *tracing, struct waits_thread *thread,
			  int signal)
{
	const bool over = is_over(tracing) ||
			  (tracing->options->no_follow && thread->pid != tracing->first);

	/* One that is let go at the entry to a call finds a signal pending there (Linux'
	 * ptrace_signal_wake_up): if it waits, it ends with EINTR. */
	const bool flooded = signal && is_flooded(tracing, thread);
	/* Not even stops for signals are fast enough. */
	const bool gone = thread->stuck && !tracing->leaving;

	if (gone)
		note_left(tracing, thread->pid,
			  "signals come faster than stops, to one of its threads");
	const enum remote_resume how = gone ? REMOTE_DETACH
				       : tracing->leaving || (over && thread->calling)
					       ? REMOTE_RUN
				       : over    ? REMOTE_DETACH
				       : flooded ? REMOTE_RUN
						 : REMOTE_SYSCALL;

	waits_go_on(thread, clock_now_ns());
	trm_error_destroy(remote_resume((pid_t)thread->tid, how, signal));
	thread->freed = tracing->leaving;
	if ((over && !tracing->leaving) || gone)
		waits_remove(tracing->waits, thread->tid);
}

/* A signal that came right where the thread stopped keeping it away, with next to nothing
 * done since the last one: handlers that are left by a jump come to lie upon each other.
 */
static void note_nested(struct waits_thread *thread)
{
	const uint64_t ran = remote_ran_ns((pid_t)thread->tid);
	struct user_regs_struct registers;

	if (!remote_failed(remote_get_registers((pid_t)thread->tid, &registers)) &&
	    registers.rip == thread->let_through)
		thread->at_once = ran - thread->signal_ran_ns < AT_ONCE_NS
					  ? thread->at_once + NESTED
					  : 0;
	thread->signal_ran_ns = ran;
}

static void see_signal(struct tracing *tracing, struct waits_thread *thread, int signal,
		       uint64_t now_ns)
{
	struct remote_signals signals = {0};

	if (thread->unfollowed && signal == thread->flooding)
		return;
	if (remote_get_signals((pid_t)thread->tid, &signals) &&
	    (signals.caught >> (signal - 1) & 1)) {
		thread->flooding = signal;
		if (thread->let_through)
			note_nested(thread);
		wait_redo_leave(thread, true);
		waits_handle(thread);
		return;
	}
	/* Untraced, it would not have been woken up for it. */
	if (remote_ignores((pid_t)thread->tid, signal, 0)) {
		if (wait_redo_call(thread, now_ns))
			waits_again(thread);
		return;
	}
	wait_redo_leave(thread, false);
	if (remote_ends((pid_t)thread->tid, signal))
		waits_take_open(tracing->waits, thread->pid, now_ns);
}

static void act_on(struct tracing *tracing, const struct event *event)
{
	const uint64_t now = clock_now_ns();
	struct waits_thread *thread;
	int signal = 0;

	if (event->kind == EVENT_EXITED || event->kind == EVENT_KILLED) {
		see_end(tracing, event);
		return;
	}
	if (event->kind == EVENT_EXEC)
		see_new_program(tracing, event->tid, event->value);
	thread = find_thread(tracing, event->tid);
	if (!thread) {
		trm_error_destroy(remote_resume(event->tid, REMOTE_RUN, 0));
		return;
	}
	if (thread->joining)
		wait_join_see_stop(tracing->waits, thread, now);
	else if (tracing->leaving && event->kind == EVENT_STOP)
		wait_redo_call(thread, now);
	if (event->kind == EVENT_GROUP_STOP) {
		trm_error_destroy(remote_resume(event->tid, REMOTE_LISTEN, 0));
		return;
	}
	if ((event->kind == EVENT_FORK || event->kind == EVENT_CLONE) && event->value)
		find_thread(tracing, event->value);
	if (event->kind == EVENT_SYSCALL && see_call(tracing, thread, now))
		return;
	if (event->kind == EVENT_SIGNAL) {
		signal = event->value;
		see_signal(tracing, thread, signal, now);
	}
	/* Another thread's number may be its own since: it was looked for again. */
	resume_thread(tracing, thread, signal);
}

/* Why there is no wait, if there is none. */
static void note_none(const struct tracing *tracing)
{
	struct text *why = &tracing->sampler->why_empty;

	why->length = 0;
	text_format(why,
		    "no call waited as long as the threshold (--threshold): %" PRIu64
		    " that may wait took less",
		    tracing->waits->short_waits);
}

static void save_waits(struct tracing *tracing)
{
	struct trm_error *error;

	if (!tracing->sampler->begin_ns) {
		tracer_send(tracing->start->status_fd, STATUS_NOTHING, NULL);
		return;
	}
	note_none(tracing);
	error = samples_write(tracing->options, tracing->sampler, &tracing->run,
			      tracing->status);
	tracer_send(tracing->start->status_fd, error ? STATUS_FAILED : STATUS_SAVED,
		    error ? error->message : NULL);
	trm_error_destroy(error);
}

/* A child that ended before its parent told of it never says so. */
static void forget_gone(struct tracing *tracing)
{
	struct waits *waits = tracing->waits;

	for (size_t i = waits->threads.count; i-- > 0;) {
		const struct waits_thread *thread = waits->threads.items[i];

		if (syscall(SYS_tgkill, (long)thread->pid, (long)thread->tid, 0L) &&
		    errno == ESRCH)
			waits_remove(waits, thread->tid);
	}
}

static void trace_all(struct tracing *tracing, const sigset_t *signals)
{
	const struct timespec idle = {0, IDLE_NS};
	struct event event;
	bool saved = false;

	for (;;) {
		while (event_poll(&tracing->queue, &event))
			act_on(tracing, &event);
		if (tracing->first_ended && !saved) {
			save_waits(tracing);
			close(tracing->start->status_fd);
			saved = true;
		}
		/* Until its exec the first process is none of the program's. */
		if (!tracing->waits->threads.count &&
		    (tracing->first_ended || tracing->sampler->begin_ns))
			break;
		if (sigtimedwait(signals, NULL, &idle) < 0)
			forget_gone(tracing);
	}
	if (!saved) {
		tracing->run.wall_ns = clock_now_ns() - tracing->begin_ns;
		save_waits(tracing);
	} else if (tracing->sampler->begin_ns) {
		/* Of what outlived the first process. */
		note_none(tracing);
		trm_error_destroy(samples_write(tracing->options, tracing->sampler,
						&tracing->run, tracing->status));
	}
}

static struct trm_error *begin_waits(struct tracing *tracing)
{
	const struct session_options *options = tracing->options;
	const struct sampler_options asked = {
		.events = "task-clock",
		.rate = {.period = 1, .callpath = true},
		.threads = true,
		.no_follow = options->no_follow,
		.after_ns = options->window.start.wait_ns,
		.for_ns = options->window.stop.wait_ns,
	};
	struct sampler *sampler;

	TRM_TRY(sampler_create(&asked, &sampler));
	sampler->first = tracing->first;
	free(sampler->events.items[0].name);
	sampler->events.items[0].name = memory_copy_string("waits");
	/* Nothing is left out between two. */
	sampler->options.rate.period = sampler->events.items[0].period = 0;
	sampler->source.tallies[0].opened = true;
	tracing->sampler = sampler;
	tracing->waits = waits_create(sampler, options->samples.threshold_ns);
	tracing->waits->read_registers = read_registers;
	return NULL;
}

int wait_trace(const struct session_options *options, const struct tracer_start *start)
{
	struct tracing tracing = {
		.options = options,
		.start = start,
		.first = (uint32_t)start->program,
		.begin_ns = clock_now_ns(),
		.run = {.start = time(NULL), .first = (uint32_t)start->program},
	};
	sigset_t signals;

	if (!tracer_begin(start, &signals))
		return 1;
	struct trm_error *error = begin_waits(&tracing);

	if (error) {
		tracer_fail(start->status_fd, error);
		return 1;
	}
	if (write(start->go_fd, "g", 1) != 1)
		return 1;
	close(start->go_fd);
	trace_all(&tracing, &signals);
	waits_destroy(tracing.waits);
	sampler_destroy(tracing.sampler);
	return 0;
}

/* Acts on what comes, for some time; returns the signal that came. */
static int act_on_all(struct tracing *tracing, uint64_t ns)
{
	const struct timespec idle = {0, (long)ns};
	struct event event;

	while (event_poll(&tracing->queue, &event))
		act_on(tracing, &event);
	return tracing->waits->threads.count
		       ? sigtimedwait(&tracing->signals, NULL, &idle)
		       : 0;
}

/* Until all threads have stopped that were asked to, or for a second: one that the kernel
 * lets wait without heeding signals is in no call that would end early. Returns a signal
 * to be acted on. */
static int await_joined(struct tracing *tracing)
{
	const uint64_t since = clock_now_ns();
	int signal = 0;

	while (wait_join_is_open(tracing->waits) && clock_now_ns() - since < JOIN_NS) {
		const int came = act_on_all(tracing, JOIN_LOOK_NS);

		signal = came > 0 && came != SIGCHLD ? came : signal;
	}
	return signal;
}

/* Until the window is over, a signal comes, or all that is followed has ended. */
static void trace_attached(struct tracing *tracing, int signal)
{
	const uint64_t end = tracing->options->window.stop.wait_ns;

	while (tracing->waits->threads.count && !is_over(tracing) &&
	       (signal <= 0 || signal == SIGCHLD)) {
		const bool late = wait_join_again(tracing->waits);

		signal = act_on_all(tracing, late || end ? LATE_NS : IDLE_NS);
	}
}

/* Whether a thread may come to the entry of a call and stop there. */
static bool is_bound(const struct waits_thread *thread)
{
	return !thread->calling && !thread->freed && !thread->late && !thread->joining;
}

static bool any_bound(const struct waits *waits)
{
	vector_for_each (&waits->threads, thread)
		if (is_bound(*thread))
			return true;
	return false;
}

/* Threads go on without stops at calls: one that stood at the entry of a call when the
 * tracer ends would not wait there. Those that are in a call are not disturbed. */
static void free_threads(struct tracing *tracing)
{
	uint64_t since;

	await_joined(tracing);
	tracing->leaving = true;
	/* Each at its next call: an interrupt would leave a signal pending at that, too.
	 */
	since = clock_now_ns();
	while (any_bound(tracing->waits) && clock_now_ns() - since < FREE_NS)
		act_on_all(tracing, JOIN_LOOK_NS);
}

/* What is open is taken in, up to the end of the window. */
static void take_open(const struct tracing *tracing)
{
	const struct session_window *window = &tracing->options->window;
	const uint64_t end =
		tracing->begin_ns + window->start.wait_ns + window->stop.wait_ns;
	uint64_t now = clock_now_ns();

	if (window->stop.wait_ns && now >= end)
		now = end - 1;
	vector_for_each (&tracing->waits->threads, thread)
		waits_take_open(tracing->waits, (*thread)->pid, now);
}

/*
 * A thread of its own: where it ends, the kernel lets all go that it traces, and stops
 * none of them for that. Were each to be stopped, calls would be cut short.
 */
static void *follow_attached(void *context)
{
	struct tracing *tracing = context;
	struct sample_processes *processes = &tracing->sampler->processes;

	tracing->sampler->begin_ns = tracing->begin_ns = clock_now_ns();
	sample_processes_find(processes, tracing->first);
	sample_processes_read(processes, tracing->first);
	tracing->error = wait_join_begin(tracing->waits, (pid_t)tracing->first);
	if (tracing->error)
		return NULL;
	const int signal = await_joined(tracing);

	if (tracing->request->begun)
		tracing->request->begun(tracing->request->pid);
	trace_attached(tracing, signal);
	take_open(tracing);
	free_threads(tracing);
	note_none(tracing);
	wait_join_explain(tracing->waits, &tracing->sampler->source.notes);
	return NULL;
}

static struct trm_error *attach_waits(struct tracing *tracing, const char *command)
{
	struct profile_end end = {.exit = "running"};
	pthread_t thread;
	int why = pthread_create(&thread, NULL, follow_attached, tracing);

	if (why)
		return trm_error_system(why, "cannot make a thread");
	pthread_join(thread, NULL);
	TRM_TRY(tracing->error);
	if (tracing->first_ended)
		profile_writer_describe_end(tracing->status, &end);
	else
		tracing->run.wall_ns = clock_now_ns() - tracing->begin_ns;
	tracing->run.measure = tracing->options->collector->name;
	tracing->run.command = command;
	tracing->run.exit = end.exit;
	tracing->run.exit_state = tracing->first_ended ? end.state : NULL;
	return samples_save_run(tracing->options, tracing->sampler, &tracing->run);
}

struct trm_error *wait_attach(const struct session_options *options,
			      const struct attach_request *request,
			      const char *const *command)
{
	scoped_free char *words = profile_writer_command(command);
	struct tracing tracing = {
		.options = options,
		.request = request,
		.first = (uint32_t)request->pid,
		.run = {.start = time(NULL), .first = (uint32_t)request->pid},
	};
	struct trm_error *error = begin_waits(&tracing);

	if (error)
		return error;
	sigemptyset(&tracing.signals);
	sigaddset(&tracing.signals, SIGCHLD);
	sigaddset(&tracing.signals, SIGINT);
	sigaddset(&tracing.signals, SIGTERM);
	sigaddset(&tracing.signals, SIGHUP);
	error = attach_waits(&tracing, words ? words : "");
	waits_destroy(tracing.waits);
	sampler_destroy(tracing.sampler);
	return error;
}
