#include "session/follow/signals.h"

#include "control/remote.h"
#include "session/count/window.h"
#include "session/follow/trapping.h"
#include "session/position/checked_loads.h"
#include "session/position/fault_actions.h"
#include "session/position/finish.h"
#include "session/position/interrupted_calls.h"
#include "session/position/return_addresses.h"
#include "session/position/settle.h"
#include "session/position/signal_frames.h"
#include "session/position/spans.h"
#include "session/state/debugging.h"
#include "session/state/module.h"
#include "session/thread/fast_timers.h"
#include "session/thread/threads.h"
#include "session/tool/tool.h"
#include "session/tool/tool_points.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Bytes of the instruction syscall. */
enum { SYSTEM_CALL = 2 };

static bool is_fault(const siginfo_t *info)
{
	return info->si_code > 0 && info->si_signo < 64 &&
	       (settle_synchronous >> (info->si_signo - 1) & 1);
}

/* Returns whether a thread is in code whose place the original's does not determine:
 * in the resident, or in a function relocated as a whole. */
static bool is_elsewhere(const struct space *space, uint64_t rip)
{
	const struct module *module =
		space_module_of_code(space, rip) ?: space_module_of_text(space, rip);

	if (space->family && rip - space->family->arena->address < WIRE_RESIDENT_SIZE)
		return true;
	return module && module->file->plan->map_rows.count;
}

/* Returns whether a signal neither has a handler nor ends the process: then the thread
 * is not seen, and must go on where it is. */
static bool stays_hidden(const struct thread *thread, int signal, uint64_t rip)
{
	static const uint64_t stopping = 1ull << (SIGSTOP - 1) | 1ull << (SIGTSTP - 1) |
					 1ull << (SIGTTIN - 1) | 1ull << (SIGTTOU - 1);

	return is_elsewhere(thread->process->space, rip) &&
	       remote_ignores(thread->tid, signal, stopping);
}

/* Sets the place where the handler is to find the thread, which was at `before`.
 * Returns false if the thread is gone, or something new has happened to it, which
 * comes next. */
static bool show_original(struct thread *thread, enum settled settled,
			  const struct user_regs_struct *registers, uint64_t before,
			  siginfo_t *info)
{
	if (settled == UNSETTLED)
		return thread->stopped && !thread->event_pending;
	if (settled == NOTHING_TO_SETTLE)
		return true;
	trm_error_destroy(remote_set_registers(thread->tid, registers));
	if (settled == SETTLED_RAN) {
		thread->held = *info;
	} else if (is_fault(info) && (uint64_t)(uintptr_t)info->si_addr == before) {
		/* SIGILL and SIGFPE tell the address of the instruction, too. */
		info->si_addr = (void *)(uintptr_t)registers->rip;
		trm_error_destroy(remote_set_signal(thread->tid, info));
	}
	return true;
}

/* Leads a thread on that has faulted at a load of ours. Returns false if it has not. */
static bool pass_load(struct session *session, struct thread *thread,
		      const siginfo_t *info, const struct user_regs_struct *registers)
{
	const bool fault = is_fault(info);
	const int signal = info->si_signo;

	if ((!fault && !fault_actions_merge(thread, signal)) ||
	    (!finish_pass_check(thread, signal, registers) &&
	     !checked_loads_pass(thread, registers)))
		return false;
	fault_actions_restore(session, thread, signal);
	if (!fault) {
		thread->held = *info;
		syscall(SYS_tkill, thread->tid, signal);
	}
	thread_resume(session, thread, 0);
	return true;
}

/* Whether a debugger has the thread stay. */
static bool is_held(struct session *session, struct thread *thread, const siginfo_t *info)
{
	return session->debug_calls &&
	       session->debug_calls->takes_signal(session, thread, info);
}

/* Whether the program is not to hear of the signal. */
static bool is_of_ours(enum trapping trapping)
{
	return trapping == TRAPPING_CALL_OURS || trapping == TRAPPING_STEP_NEXT;
}

/* With a signal, or none (0). `registers`: of the thread, which is settled. */
static void let_go_on(struct session *session, struct thread *thread,
		      enum trapping trapping, int signal,
		      const struct user_regs_struct *registers)
{
	fault_actions_deliver(thread->process, signal);
	if (trapping == TRAPPING_NONE)
		thread_resume(session, thread, signal);
	else if (trapping == TRAPPING_CALL_OURS &&
		 spans_trap_behind(session, thread, registers))
		thread_resume(session, thread, 0);
	else
		trapping_release(session, thread, trapping,
				 is_of_ours(trapping) ? 0 : signal);
}

void signals_deliver(struct session *session, struct thread *thread, int signal)
{
	struct user_regs_struct registers;
	siginfo_t info;

	interrupted_calls_see_signal(thread, signal);
	if (!thread->process->space ||
	    remote_failed(remote_get_registers(thread->tid, &registers)) ||
	    remote_failed(remote_get_signal(thread->tid, &info))) {
		window_signalled(session, signal);
		thread_resume(session, thread, signal);
		return;
	}
	if (pass_load(session, thread, &info, &registers))
		return;
	if (fast_timers_put_off(session, thread, &info, &registers) ||
	    is_held(session, thread, &info))
		return;
	window_signalled(session, signal);
	if (thread->held.si_signo == signal) {
		/* The tracer sent it again: the program gets the first signal. */
		info = thread->held;
		trm_error_destroy(remote_set_signal(thread->tid, &info));
		thread->held.si_signo = 0;
	}
	signal_frames_take_returned(thread);
	signal_frames_take_left(thread, registers.rsp);

	struct settling how = {.fault = is_fault(&info), .signal = signal};
	uint64_t before = registers.rip;

	if (how.fault && !trapping_is_step(&info, &registers) &&
	    tool_points_see_fault(session, thread, signal))
		return;
	if (!how.fault && spans_hold(session, thread, &registers) &&
	    spans_put_off(thread, signal, &info)) {
		interrupted_calls_see_stop(thread);
		thread_resume(session, thread, 0);
		return;
	}
	if (stays_hidden(thread, signal, registers.rip)) {
		thread_resume(session, thread, signal);
		return;
	}

	const enum trapping trapping = trapping_find(session, thread, &info, &registers);

	if (trapping == TRAPPING_STEP_OURS) {
		thread_resume(session, thread, 0);
		return;
	}
	if (trapping != TRAPPING_NONE)
		how = (struct settling){.leaving = true};
	if (trapping == TRAPPING_CALL_OURS)
		registers.rip -= SYSTEM_CALL; /* it was not made */

	enum settled settled = settle_thread(session, thread, &how, &registers);

	return_addresses_show(thread, &registers);
	if (!show_original(thread, settled, &registers, before, &info))
		return;
	if (settled != SETTLED_RAN && trapping == TRAPPING_NONE &&
	    tool_see_signal(session, thread, &info))
		return;
	if (settled == SETTLED_RAN) /* it was sent again and is pending now */
		signal = 0;
	let_go_on(session, thread, trapping, signal, &registers);
}
