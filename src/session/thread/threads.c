#include "session/thread/threads.h"

#include "base/clock.h"
#include "control/remote.h"
#include "session/position/interrupted_calls.h"
#include "session/position/residues.h"
#include "session/position/signal_frames.h"
#include "session/position/stretches.h"
#include "session/state/debugging.h"
#include "session/state/session.h"
#include "session/state/space.h"
#include "session/thread/fast_timers.h"
#include "session/thread/held.h"
#include "session/thread/injection.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

void session_remove_thread(struct session *session, struct thread *thread)
{
	residues_end(thread);
	stretches_end(session, thread);
	if (thread->bank)
		arena_give_bank(thread->bank);
	vector_for_each (&thread->old_banks, bank)
		arena_give_bank(*bank);
	vector_deinit(&thread->old_banks);
	vector_deinit(&thread->handled);
	fast_timers_forget(session, thread);
	vector_deinit(&thread->signal_frames);
	vector_deinit(&thread->calls);
	*table_insert(&session->threads, (uint64_t)thread->tid, NULL) = 0;
	for (size_t i = 0; i < session->all_threads.count; i++) {
		if (session->all_threads.items[i] == thread) {
			vector_remove_swap(&session->all_threads, i);
			break;
		}
	}
	session->thread_count--;
	free(thread);
}

uint64_t stack_pointer_of(const struct thread *thread)
{
	struct user_regs_struct registers;

	if (remote_failed(remote_get_registers(thread->tid, &registers)))
		return 0;
	return registers.rsp & ~7ull;
}

void thread_defer(struct session *session, struct thread *thread, bool wait)
{
	uint64_t now = clock_now_ns();

	if (wait && !thread->deferred_since)
		thread->deferred_since = now;
	if (!wait && thread->deferred_since) {
		session->instrument_ns += now - thread->deferred_since;
		thread->deferred_since = 0;
	}
}

/* Whether calls of a thread are to be announced before a filter sees them: it may end
 * there, or be in code of a tool. */
static bool announces_calls(const struct thread *thread)
{
	const struct space *space = thread->process ? thread->process->space : NULL;

	return thread->state == THREAD_RUNNING && space && space->tools &&
	       space->tools->filtered && space->tools->phase == TOOL_LOADED &&
	       !thread->tool_pending.entered && !thread->tool_pending.program;
}

/* Asks the debugger, if there is one. */
static enum debug_resume ask_debugger(struct session *session, struct thread *thread,
				      int signal)
{
	if (!session->debug_calls || thread->event_pending)
		return DEBUG_LETS_GO;
	return session->debug_calls->resumes(session, thread, signal);
}

void thread_resume(struct session *session, struct thread *thread, int signal)
{
	const struct space *space = thread->process ? thread->process->space : NULL;
	const enum debug_resume debug = ask_debugger(session, thread, signal);

	if (debug == DEBUG_HOLDS)
		return;
	held_end(session, thread);
	bool calls = debug == DEBUG_LETS_TO_CALL || thread->state == THREAD_EXEC ||
		     thread->fault_rip || thread->before_exec ||
		     signal_frames_are_watched(thread) || thread->timer.until ||
		     (space &&
		      (space_is_traced(space) || (space->tools && space->tools->called)));
	if (thread->event_pending)
		return;
	interrupted_calls_go_on(thread);
	thread->emulated = calls && announces_calls(thread);
	struct trm_error *error = remote_resume(thread->tid,
						debug == DEBUG_LETS_TO_ENTER ? REMOTE_STEP
						: thread->emulated ? REMOTE_EMULATE
						: calls            ? REMOTE_SYSCALL
								   : REMOTE_RUN,
						signal);

	thread->stopped = false;
	thread->resumed_ns = clock_now_ns();
	/* Gone meanwhile: its last event comes by itself. */
	trm_error_destroy(error);
}

bool thread_put_off_call(const struct thread *thread, struct user_regs_struct *registers)
{
	registers->rip -= 2; /* the length of `syscall` */
	registers->rax = registers->orig_rax;
	registers->orig_rax = (unsigned long long)-1;
	return !remote_failed(remote_set_registers(thread->tid, registers));
}

bool thread_ask_to_stop(const struct thread *thread)
{
	return !ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
}

/* Whether a stop is the exit from a call that is traced for tools alone: an interrupt is
 * seen there first, and then no more. */
static bool is_exit_alone(const struct thread *thread, const struct event *event)
{
	const struct space *space = thread->process ? thread->process->space : NULL;

	return event->kind == EVENT_SYSCALL && space && space->tools &&
	       thread->state == THREAD_RUNNING && !thread->tool_pending.entered &&
	       !thread->tool_pending.program && !thread->fault_rip &&
	       !thread->before_exec && !signal_frames_are_watched(thread) &&
	       !thread->timer.until && !space_is_traced(space) &&
	       !remote_is_entry(thread->tid);
}

/* Whether a stop is at a system call by which a thread waits in a hook: it is nobody's
 * business, and is made again. */
static bool is_wait_in_hook(const struct thread *thread, const struct event *event)
{
	return event->kind == EVENT_SYSCALL && thread->state == THREAD_RUNNING &&
	       thread->process && thread->process->space &&
	       thread->process->space->tools && thread_waiting_bank(thread) &&
	       !thread->tool_pending.entered && !thread->tool_pending.program;
}

bool thread_await_stop(struct session *session, struct thread *thread, int timeout_ms)
{
	struct event event;

	if (!event_wait_thread(&session->queue, thread->tid, timeout_ms, &event))
		return false;
	thread->stopped = true;
	if (event.kind != EVENT_EXITED && event.kind != EVENT_KILLED)
		stretches_see_stop(session, thread);
	fast_timers_see_stop(session, thread);
	held_begin(thread, 0);
	if (event.kind == EVENT_STOP || is_exit_alone(thread, &event) ||
	    is_wait_in_hook(thread, &event)) {
		interrupted_calls_see_stop(thread);
		return true;
	}
	if (event.kind == EVENT_EXITED || event.kind == EVENT_KILLED) {
		event_push(&session->queue, &event);
		thread->stopped = false;
		return false;
	}
	/* It stopped for a reason of its own just then; the interrupt is still to come,
	 * and both are handled in order by the main loop once the caller is done. */
	thread->event_pending = true;
	event_push(&session->queue, &event);
	return true;
}

bool thread_interrupt(struct session *session, struct thread *thread)
{
	return thread_ask_to_stop(thread) && thread_await_stop(session, thread, 1000);
}

int thread_pending_signal(struct session *session, const struct thread *thread)
{
	struct event event;

	if (!thread->event_pending ||
	    !event_wait_thread(&session->queue, thread->tid, 0, &event))
		return 0;
	return event.kind == EVENT_SIGNAL ? event.value : 0;
}
