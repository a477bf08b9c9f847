#include "session/debug/halt.h"

#include "base/clock.h"
#include "control/remote.h"
#include "session/debug/access.h"
#include "session/debug/guard.h"
#include "session/debug/insert.h"
#include "session/debug/state.h"
#include "session/debug/step.h"
#include "session/debug/view.h"
#include "session/follow/signals.h"
#include "session/position/return_addresses.h"
#include "session/state/module.h"
#include "session/thread/held.h"
#include "session/thread/threads.h"

#include <sys/syscall.h>
#include <unistd.h>

/* Nanoseconds between looks whether all stand, and until a thread that sleeps in the
 * kernel for good need not; and until others run while a step waits. */
#define LOOK_NS  2000000
#define SLEEP_NS 40000000
#define WAIT_NS  10000000

#define TRAP_FLAG 0x100ull

void debug_untrap(struct thread *thread)
{
	struct user_regs_struct registers;
	uint64_t flags;
	const bool pushes = thread->debug.pushes;

	if (thread->debug.trapping)
		debug_guard_count(thread, -1);
	thread->debug.trapping = thread->debug.pushes = false;
	if (remote_failed(remote_get_registers(thread->tid, &registers)))
		return;
	registers.eflags &= ~TRAP_FLAG;
	trm_error_destroy(remote_set_registers(thread->tid, &registers));
	if (!pushes || !thread->process->space ||
	    remote_failed(remote_read(thread->process->space->memory_fd, registers.rsp,
				      &flags, sizeof(flags))))
		return;
	flags &= ~TRAP_FLAG;
	trm_error_destroy(remote_write(thread->process->space->memory_fd, registers.rsp,
				       &flags, sizeof(uint16_t)));
}

void debug_park(struct thread *thread, enum debug_parking parking, int signal)
{
	if (thread->debug.trapping)
		debug_untrap(thread);
	if (thread->debug.masked)
		trm_error_destroy(remote_set_mask(thread->tid, thread->debug.mask));
	thread->debug.masked = false;
	thread->debug.parking = parking;
	thread->debug.signal = signal;
	thread->debug.aim = DEBUG_RUNS;
	thread->debug.calls = thread->debug.asked = false;
}

static void deliver_signal(struct session *session, struct thread *thread)
{
	session->debug->passing = thread;
	signals_deliver(session, thread, thread->debug.signal);
	session->debug->passing = NULL;
}

void debug_unpark(struct session *session, struct thread *thread)
{
	const enum debug_parking parking = thread->debug.parking;

	thread->debug.parking = DEBUG_NOT_PARKED;
	thread->debug.count = 0;
	switch (parking) {
	case DEBUG_NOT_PARKED:
		break;
	case DEBUG_PARKED:
		thread_resume(session, thread, thread->debug.signal);
		break;
	case DEBUG_PARKED_SIGNAL:
		if (thread->debug.drops)
			thread_resume(session, thread, 0);
		else
			deliver_signal(session, thread);
		break;
	case DEBUG_PARKED_GROUP:
		held_end(session, thread);
		trm_error_destroy(remote_resume(thread->tid, REMOTE_LISTEN, 0));
		thread->stopped = false;
		break;
	}
}

void debug_stop_for(struct session *session, struct thread *thread, int reason)
{
	thread->debug.told = true;
	thread->debug.reason = (uint8_t)reason;
	debug_halt(session);
}

/* Whether a thread need not stop: it is the parent of a child of vfork, which has its
 * memory, and nothing but that child wakes it. */
static bool sleeps_for_good(const struct thread *thread, uint64_t asked_ns)
{
	unsigned int flags;

	return thread->process->space->references > 1 &&
	       clock_now_ns() - asked_ns > SLEEP_NS &&
	       remote_state(thread->tid, &flags) == 'D';
}

/* Lets others run while a step waits in the kernel. */
static void let_others_run(struct session *session)
{
	struct debug *debug = session->debug;

	debug_guard_raise_all(session);
	debug->halted = false;
	debug_traps_insert(session);
	for (size_t i = session->all_threads.count; i-- > 0;)
		if (i < session->all_threads.count &&
		    debug_has(session->all_threads.items[i]))
			debug_unpark(session, session->all_threads.items[i]);
}

/* Whether a thread stands; else it is asked to. */
static bool stands_still(struct session *session, struct thread *thread)
{
	const uint64_t asked_ns = session->debug->asked_ns;

	if (thread->debug.parking != DEBUG_NOT_PARKED)
		return true;
	if (thread->stopped || thread->debug.aim != DEBUG_RUNS)
		return false;
	if (!thread->debug.asked && thread->state == THREAD_RUNNING)
		thread->debug.asked = thread_ask_to_stop(thread);
	return sleeps_for_good(thread, asked_ns);
}

static bool all_stand(struct session *session)
{
	bool all = true;

	vector_for_each (&session->all_threads, thread)
		if (debug_has(*thread))
			all &= stands_still(session, *thread);
	return all;
}

/* Whether the step that all wait for waits itself. */
static bool step_waits(const struct session *session)
{
	const struct debug *debug = session->debug;
	bool waits = false;

	if (!debug->others || clock_now_ns() - debug->asked_ns < WAIT_NS)
		return false;
	vector_for_each (&session->all_threads, thread)
		if (debug_has(*thread) && (*thread)->debug.aim == DEBUG_STEPS)
			waits |= (*thread)->debug.calls;
	return waits;
}

/* Leads a thread that was found inside of trammel's code on to the next instruction of
 * the program. False: it is there, or cannot be. */
static bool leads_on(struct session *session, struct thread *thread)
{
	struct thread_debug *debug = &thread->debug;
	struct debug_view view;

	if ((debug->parking != DEBUG_PARKED && debug->parking != DEBUG_PARKED_SIGNAL) ||
	    (debug->parking == DEBUG_PARKED && debug->signal) || debug->count ||
	    !debug_view(thread, &view) || view.front)
		return false;
	if (debug->parking == DEBUG_PARKED_SIGNAL) {
		if (remote_failed(remote_get_signal(thread->tid, &debug->resent)) ||
		    debug->resent.si_code > 0) {
			debug->resent.si_signo = 0; /* a fault is where it is */
			return false;
		}
		event_take_signal(thread->tid);
		syscall(SYS_tkill, thread->tid, debug->resent.si_signo);
	}
	debug->parking = DEBUG_NOT_PARKED;
	debug->signal = 0;
	debug_step_begin(thread, DEBUG_SETTLES, &view);
	thread_resume(session, thread, 0);
	return true;
}

static bool lead_all_on(struct session *session)
{
	bool any = false;

	for (size_t i = session->all_threads.count; i-- > 0;)
		if (i < session->all_threads.count &&
		    debug_has(session->all_threads.items[i]))
			any |= leads_on(session, session->all_threads.items[i]);
	return any;
}

/* Their stacks have no return addresses of ours from now on. */
static void show_stacks(struct session *session)
{
	struct debug_view view;

	vector_for_each (&session->all_threads, thread)
		if (debug_has(*thread) && (*thread)->process->space &&
		    (*thread)->process->space->family &&
		    (*thread)->debug.parking != DEBUG_NOT_PARKED &&
		    (*thread)->debug.parking != DEBUG_PARKED_GROUP &&
		    debug_view(*thread, &view))
			return_addresses_show(*thread, &view.shown);
}

static void tell_stop(struct session *session)
{
	struct debug_event event = {.kind = DEBUG_EVENT_STOPPED,
				    .reason = DEBUG_REASON_ASKED};
	struct user_regs_struct registers;
	struct thread *found = NULL;

	vector_for_each (&session->all_threads, thread) {
		if (!debug_has(*thread))
			continue;
		if (!found || ((*thread)->debug.told && !found->debug.told))
			found = *thread;
	}
	if (!found)
		return;
	if (found->debug.told) {
		event.reason = found->debug.reason;
		event.signal = found->debug.resent.si_signo ?: found->debug.signal;
		event.breakpoint = found->debug.number;
	}
	if (found->debug.watched) {
		event.reason = DEBUG_REASON_WATCH;
		event.breakpoint = found->debug.watched;
	}
	found->debug.watched = 0;
	found->debug.told = false;
	event.pid = found->process->pid;
	event.tid = found->tid;
	if (!remote_failed(debug_get_registers(session, found->tid, &registers)))
		event.address = registers.rip;
	debug_tell(session, &event);
}

uint64_t debug_halt_act(struct session *session)
{
	struct debug *debug = session->debug;

	if (!debug->halted || debug->told)
		return debug_guard_act(session);
	if (!all_stand(session)) {
		if (step_waits(session))
			let_others_run(session);
		return LOOK_NS;
	}
	debug_traps_remove(session);
	if (lead_all_on(session))
		return LOOK_NS;
	show_stacks(session);
	debug->told = true;
	tell_stop(session);
	return UINT64_MAX;
}

void debug_halt(struct session *session)
{
	struct debug *debug = session->debug;

	if (debug->halted && debug->told) {
		debug->told = false;
		return;
	}
	debug->halted = true;
	debug->told = false;
	debug->asked_ns = clock_now_ns();
	vector_for_each (&session->all_threads, thread)
		if (debug_has(*thread) && (*thread)->debug.aim == DEBUG_STEPS) {
			(*thread)->debug.aim = DEBUG_RUNS;
			(*thread)->debug.asked = false;
			(*thread)->debug.count = 0;
		}
	all_stand(session);
}

static bool any_told(const struct session *session)
{
	vector_for_each (&session->all_threads, thread)
		if (debug_has(*thread) && (*thread)->debug.told)
			return true;
	return false;
}

void debug_go(struct session *session)
{
	struct debug *debug = session->debug;

	if (!debug->halted)
		return;
	/* Others stopped at the same time, each for a reason, which nobody may want to
	 * hear. */
	if (debug->alone)
		vector_for_each (&session->all_threads, thread) {
			(*thread)->debug.told = false;
			(*thread)->debug.watched = 0;
		}
	if (any_told(session)) {
		debug->told = false;
		return;
	}
	for (size_t i = session->all_threads.count; i-- > 0;) {
		struct thread *thread = i < session->all_threads.count
						? session->all_threads.items[i]
						: NULL;

		if (!thread || !debug_has(thread) ||
		    thread->debug.parking == DEBUG_NOT_PARKED)
			continue;
		thread->debug.shown = 0;
		if (thread->debug.met && thread->debug.parking == DEBUG_PARKED)
			debug_step_over(session, thread);
		thread->debug.met = 0;
	}
	debug->told = false;
	if (!any_told(session))
		let_others_run(session);
}
