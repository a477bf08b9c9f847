#include "session/debug/events.h"

#include "control/remote.h"
#include "session/debug/halt.h"
#include "session/debug/guard.h"
#include "session/debug/insert.h"
#include "session/debug/places.h"
#include "session/debug/state.h"
#include "session/debug/step.h"
#include "session/debug/watch.h"
#include "session/position/interrupted_calls.h"
#include "session/thread/threads.h"

enum debug_resume debug_sees_resume(struct session *session, struct thread *thread,
				    int signal)
{
	if (!debug_has(thread) || thread->state != THREAD_RUNNING)
		return DEBUG_LETS_GO;
	if (thread->debug.aim != DEBUG_RUNS)
		return debug_step_on(session, thread, signal);
	if (signal == SIGTRAP && debug_guard_enters(session, thread))
		return DEBUG_LETS_TO_ENTER;
	if (!session->debug->halted)
		return thread->debug.acts ? DEBUG_LETS_TO_CALL : DEBUG_LETS_GO;
	if (thread->debug.parking == DEBUG_NOT_PARKED)
		debug_park(thread, DEBUG_PARKED, signal);
	return DEBUG_HOLDS;
}

bool debug_sees_group(struct session *session, struct thread *thread, int signal)
{
	if (!debug_has(thread) || !session->debug->halted)
		return false;
	debug_park(thread, DEBUG_PARKED_GROUP, signal);
	return true;
}

/* A thread has come to a breakpoint's instruction. Returns whether it stops. */
static bool count_hit(struct session *session, struct thread *thread,
		      const struct debug_trap *trap)
{
	const uint64_t original = trap->original;
	bool stops = false;

	for (size_t i = 0; i < session->debug->breakpoints.count; i++) {
		struct debug_breakpoint *breakpoint =
			&session->debug->breakpoints.items[i];

		if (breakpoint->address != original || breakpoint->off ||
		    (breakpoint->pid && breakpoint->pid != thread->process->pid) ||
		    (breakpoint->condition &&
		     !breakpoint->condition(session, thread, breakpoint->context)))
			continue;
		breakpoint->hits++;
		if (breakpoint->ignore) {
			breakpoint->ignore--;
			continue;
		}
		if (!stops)
			thread->debug.number = breakpoint->number;
		stops = true;
	}
	return stops;
}

/* A thread that stands where it would stand without the break instruction. */
static void meet_trap(struct session *session, struct thread *thread,
		      const struct debug_trap *trap)
{
	struct debug_view view;
	const uint64_t original = trap->original;

	if (!debug_has(thread) || session->debug->halted) {
		/* It comes there again when it goes on. */
		if (!debug_has(thread))
			debug_step_over(session, thread);
		thread_resume(session, thread, 0);
		return;
	}
	if (debug_view(thread, &view) && view.original != original)
		thread->debug.shown = original;
	if (!count_hit(session, thread, trap)) {
		thread->debug.shown = 0;
		debug_step_over(session, thread);
		if (thread->debug.watched)
			debug_stop_for(session, thread, DEBUG_REASON_WATCH);
		thread_resume(session, thread, 0);
		return;
	}
	thread->debug.met = original;
	debug_stop_for(session, thread, DEBUG_REASON_BREAKPOINT);
	thread_resume(session, thread, 0);
}

/* Whether a break instruction that a thread has executed was ours, and is not there any
 * more: those of the program stay. */
static bool was_ours(const struct space *space, uint64_t behind)
{
	uint8_t bytes[2];

	return !remote_failed(
		       remote_read(space->memory_fd, behind - 2, bytes, sizeof(bytes))) &&
	       bytes[1] != 0xcc && !(bytes[0] == 0xcd && bytes[1] == 0x03);
}

/* Whether a thread has executed a break instruction of ours; it is led back to it.
 * `ret_trap`: NULL, it was taken away since. */
static bool find_trap(struct session *session, struct thread *thread,
		      const struct debug_trap **ret_trap)
{
	const struct space *space = thread->process->space;
	struct user_regs_struct registers;

	if (!space || remote_failed(remote_get_registers(thread->tid, &registers)))
		return false;
	*ret_trap = debug_trap_at(session, space, registers.rip - 1);
	if (!*ret_trap && !was_ours(space, registers.rip))
		return false;
	registers.rip--;
	return !remote_failed(remote_set_registers(thread->tid, &registers));
}

/* A thread has executed an instruction that a debug register is for. False: of the
 * program's own. */
static bool meet_watch(struct session *session, struct thread *thread)
{
	if (!session->debug->watches.count && !thread->process->guarded)
		return false;
	event_take_signal(thread->tid);
	debug_guard_mend(session, thread);
	if (debug_watch_see(session, thread))
		debug_stop_for(session, thread, DEBUG_REASON_WATCH);
	thread_resume(session, thread, 0);
	return true;
}

bool debug_sees_event(struct session *session, struct thread *thread,
		      const struct event *event)
{
	const struct debug_trap *trap = NULL;
	bool stepped = thread->debug.trapping;
	siginfo_t info;

	if (!thread->process || event->kind == EVENT_EXITED ||
	    event->kind == EVENT_KILLED)
		return false;
	if (event->kind == EVENT_EXEC) {
		thread->debug = (struct thread_debug){0};
		thread->process->ignored_trap =
			thread->process->guarded && thread->process->ignores_trap;
		thread->process->guarded = false;
		debug_watch_leave(session, thread->process, true);
		if (thread->process->space && thread->process->space->references == 1)
			debug_traps_leave(session, thread->process->space, true);
		return false;
	}
	if (stepped)
		debug_untrap(thread);
	if (event->kind == EVENT_SYSCALL && thread->debug.acts)
		debug_guard_see_call(session, thread);
	if (event->kind != EVENT_SIGNAL || event->value != SIGTRAP ||
	    remote_failed(remote_get_signal(thread->tid, &info)))
		return false;
	stepped = (stepped && info.si_code == TRAP_TRACE) ||
		  ((thread->debug.aim == DEBUG_STEPS || thread->debug.enters) &&
		   info.si_code == SIGTRAP);
	thread->debug.enters = false;
	if (!stepped && info.si_code == TRAP_HWBKPT && meet_watch(session, thread))
		return true;
	if (!stepped && (info.si_code != SI_KERNEL || !find_trap(session, thread, &trap)))
		return debug_guard_pass(session, thread, &info);
	event_take_signal(thread->tid);
	debug_guard_mend(session, thread);
	debug_guard_raise(session, thread);
	if (debug_watch_see(session, thread))
		debug_stop_for(session, thread, DEBUG_REASON_WATCH);
	if (trap)
		meet_trap(session, thread, trap);
	else
		thread_resume(session, thread, 0);
	return true;
}

/* A signal that was sent again has come; what is to become of it was said. */
static bool takes_resent(struct thread *thread, int signal)
{
	if (thread->debug.resent.si_signo != signal)
		return false;
	trm_error_destroy(remote_set_signal(thread->tid, &thread->debug.resent));
	thread->debug.resent.si_signo = 0;
	return true;
}

bool debug_sees_signal(struct session *session, struct thread *thread,
		       const siginfo_t *info)
{
	struct debug *debug = session->debug;
	const int signal = info->si_signo;

	if (!debug_has(thread) || debug->passing == thread ||
	    thread->debug.aim == DEBUG_SETTLES || signal <= 0 || signal >= DEBUG_SIGNALS)
		return false;
	if (takes_resent(thread, signal)) {
		if (!thread->debug.drops)
			return false;
		thread->debug.drops = false;
		thread_resume(session, thread, 0);
		return true;
	}
	if (debug->alone ||
	    (!debug->signals[signal].stops && debug->signals[signal].passes))
		return false;
	if (!debug->signals[signal].stops) {
		interrupted_calls_see_stop(thread);
		thread_resume(session, thread, 0);
		return true;
	}
	debug_park(thread, DEBUG_PARKED_SIGNAL, signal);
	thread->debug.drops = !debug->signals[signal].passes;
	debug_stop_for(session, thread, DEBUG_REASON_SIGNAL);
	return true;
}
