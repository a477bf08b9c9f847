#include "session/debug/guard.h"

#include "base/clock.h"
#include "control/inject.h"
#include "resident/resident.h"
#include "session/position/interrupted_calls.h"
#include "session/state/module.h"
#include "session/state/space.h"
#include "session/state/tables.h"
#include "session/thread/borrowed_thread.h"
#include "session/thread/injection.h"
#include "session/thread/threads.h"
#include "wire/control.h"
#include "wire/hooks.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SA_RESTORER 0x04000000ull
#define ACTION_NS   20000000 /* a call of sigaction(2) is made meanwhile */
#define AGAIN_NS    1000000  /* from a look at processes that wait to the next */

enum { IGNORED = 1 }; /* SIG_IGN */

static const uint64_t trap_bit = 1ull << (SIGTRAP - 1);

static struct wire_breaks *breaks_of(const struct space *space)
{
	return space && space->family ? &space->family->arena->control->breaks : NULL;
}

/* Whether calls of sigaction(2) are seen. */
static bool sees_actions(const struct space *space)
{
	if (space->own_calls)
		return false;
	vector_for_each (&space->modules, module) {
		if (module->broken || !module->code_size || !module->file->plan)
			continue;
		vector_for_each (&module->file->plan->functions, function)
			if (function->hook == WIRE_HOOK_ACTION)
				return true;
	}
	return false;
}

/* Whether a SIGTRAP of the program's own is about to be delivered. */
static bool awaits_trap(const struct session *session, const struct process *process)
{
	vector_for_each (&session->all_threads, thread)
		if ((*thread)->process == process &&
		    ((*thread)->held.si_signo == SIGTRAP ||
		     (*thread)->debug.resent.si_signo == SIGTRAP ||
		     ((*thread)->debug.parking != DEBUG_NOT_PARKED &&
		      (*thread)->debug.signal == SIGTRAP)))
			return true;
	return false;
}

/* Has a stopped thread, or one in a hook, make a call. */
static bool run_call(struct session *session, struct thread *thread,
		     struct wire_batch *batch)
{
	struct borrowed_thread borrowed;

	if (thread_waiting_bank(thread) || !thread->stopped)
		return !remote_failed(space_run(session, thread, batch)) &&
		       !batch->calls[0].result;
	if (!borrowed_thread_take(session, thread, &borrowed))
		return false;
	const bool ran = !remote_failed(
		inject_batch(thread->tid, thread->process->space->family->arena, batch,
			     &session->queue));

	borrowed_thread_end(session, &borrowed);
	return ran && !batch->calls[0].result;
}

/* A call that sets one of the words of struct wire_breaks; `keep`: and writes to the
 * other what was set before. */
static struct wire_batch action_call(const struct space *space, bool ours, bool keep)
{
	const uint64_t breaks = space->family->arena->address + WIRE_CONTROL_OFFSET +
				offsetof(struct wire_control, breaks);
	const uint64_t own = breaks + offsetof(struct wire_breaks, ours);
	const uint64_t programs = breaks + offsetof(struct wire_breaks, programs);
	struct wire_batch batch = {0};

	BATCH_ADD(&batch, SYS_rt_sigaction, SIGTRAP, ours ? own : programs,
		  keep ? programs : 0, sizeof(uint64_t));
	return batch;
}

static bool set_action(struct session *session, struct thread *thread, bool ours,
		       bool keep)
{
	struct wire_batch batch = action_call(thread->process->space, ours, keep);

	return run_call(session, thread, &batch);
}

static void raise_guard(struct session *session, struct thread *thread, bool again)
{
	struct process *process = thread->process;
	const struct arena *arena = process->space->family->arena;
	struct wire_breaks *breaks = breaks_of(process->space);

	breaks->ours = (struct wire_action){
		.handler = arena->address + resident_table()->trap,
		.flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_RESTORER,
		.restorer = arena->address + resident_table()->trap_restorer,
		.mask = ~0ull,
	};
	__atomic_store_n(&breaks->raised, 1, __ATOMIC_SEQ_CST);
	process->guarded = set_action(session, thread, true, !again);
	if (!process->guarded)
		session->debug->guard_ns = clock_now_ns();
}

void debug_guard_see_image(struct session *session, struct thread *thread)
{
	struct process *process = thread->process;
	struct wire_breaks *breaks = breaks_of(process->space);

	/* With a handler the kernel would have made it the default. */
	if (!process->ignored_trap || !breaks)
		return;
	process->ignored_trap = false;
	breaks->programs = (struct wire_action){.handler = IGNORED};
	struct wire_batch batch = action_call(process->space, false, false);

	remote_failed(inject_batch(thread->tid, process->space->family->arena, &batch,
				   &session->queue));
}

void debug_guard_raise(struct session *session, struct thread *thread)
{
	struct process *process = thread->process;

	if (process->guarded || !debug_has(thread) || !process->space->family ||
	    (!session->debug->breakpoints.count && !session->debug->watches.count) ||
	    remote_filters(thread->tid) || awaits_trap(session, process) ||
	    !sees_actions(process->space))
		return;
	debug_guard_see_image(session, thread);
	raise_guard(session, thread, false);
	process->ignores_trap = process->guarded &&
				breaks_of(process->space)->programs.handler == IGNORED;
}

/* Whether a parked thread can make calls: outside of signals. */
static bool can_be_used(const struct thread *thread)
{
	return debug_has(thread) && thread->stopped && !thread->event_pending &&
	       thread->debug.parking == DEBUG_PARKED && !thread->debug.signal;
}

void debug_guard_raise_all(struct session *session)
{
	for (size_t i = session->all_threads.count; i-- > 0;)
		if (i < session->all_threads.count &&
		    can_be_used(session->all_threads.items[i]))
			debug_guard_raise(session, session->all_threads.items[i]);
}

static bool any_guarded(const struct session *session, const struct family *family)
{
	vector_for_each (&session->all_processes, process)
		if ((*process)->guarded && (*process)->space &&
		    (*process)->space->family == family)
			return true;
	return false;
}

void debug_guard_lower(struct session *session, struct thread *thread)
{
	struct process *process = thread->process;
	struct wire_breaks *breaks = breaks_of(process->space);

	if (!process->guarded || !breaks || !set_action(session, thread, false, false))
		return;
	process->guarded = false;
	session->debug->guard_ns = clock_now_ns();
	if (!any_guarded(session, process->space->family))
		__atomic_store_n(&breaks->raised, 0, __ATOMIC_SEQ_CST);
}

bool debug_guard_enters(const struct session *session, struct thread *thread)
{
	struct remote_signals signals;

	thread->debug.enters = !session->debug->halted && !thread->process->guarded &&
			       session->debug->breakpoints.count &&
			       remote_get_signals(thread->tid, &signals) &&
			       (signals.caught & trap_bit);
	return thread->debug.enters;
}

void debug_guard_see_action(struct session *session, struct thread *thread)
{
	debug_guard_lower(session, thread);
	session->debug->guard_ns = clock_now_ns() + ACTION_NS;
	/* From then on it stops at system calls. */
	thread->debug.acts = debug_has(thread) && thread_ask_to_stop(thread);
}

void debug_guard_see_call(struct session *session, struct thread *thread)
{
	struct user_regs_struct registers;

	if (remote_is_entry(thread->tid) ||
	    remote_failed(remote_get_registers(thread->tid, &registers)) ||
	    registers.orig_rax != SYS_rt_sigaction || (int)registers.rdi != SIGTRAP)
		return;
	thread->debug.acts = false;
	debug_guard_raise(session, thread);
}

/* Any of its threads; NULL: none is there, or a SIGTRAP of its own is still to come. */
static struct thread *thread_to_guard(const struct session *session,
				      const struct process *process)
{
	if (awaits_trap(session, process))
		return NULL;
	vector_for_each (&session->all_threads, thread)
		if ((*thread)->process == process && debug_has(*thread) &&
		    !thread_waiting_bank(*thread))
			return *thread;
	return NULL;
}

uint64_t debug_guard_act(struct session *session)
{
	struct debug *debug = session->debug;
	const uint64_t now = clock_now_ns();

	if (!debug->guard_ns || debug->halted)
		return UINT64_MAX;
	if (now < debug->guard_ns)
		return debug->guard_ns - now;
	debug->guard_ns = 0;
	for (size_t i = session->all_processes.count; i-- > 0;) {
		struct process *process = i < session->all_processes.count
						  ? session->all_processes.items[i]
						  : NULL;
		struct thread *thread = process && process->debugged && !process->guarded
						? thread_to_guard(session, process)
						: NULL;

		if (thread)
			debug_guard_raise(session, thread);
		else if (process && awaits_trap(session, process))
			debug->guard_ns = now;
	}
	return debug->guard_ns ? AGAIN_NS : UINT64_MAX;
}

void debug_guard_leave(struct session *session, struct process *process)
{
	for (size_t i = session->all_threads.count; process->guarded && i-- > 0;) {
		struct thread *thread = i < session->all_threads.count
						? session->all_threads.items[i]
						: NULL;

		if (thread && thread->process == process && !thread->event_pending &&
		    thread->debug.parking != DEBUG_PARKED_SIGNAL)
			debug_guard_lower(session, thread);
	}
}

void debug_guard_mend(struct session *session, struct thread *thread)
{
	struct process *process = thread->process;
	struct remote_signals signals;

	if (!process->guarded || !remote_get_signals(thread->tid, &signals) ||
	    (signals.caught & trap_bit))
		return;
	trm_error_destroy(remote_set_mask(thread->tid, signals.blocked | trap_bit));
	process->guarded = false;
	raise_guard(session, thread, true);
}

/* Leads a thread back to a break instruction of the program's. */
static bool step_back(const struct thread *thread)
{
	struct user_regs_struct registers;
	uint8_t bytes[2];

	if (remote_failed(remote_get_registers(thread->tid, &registers)) ||
	    remote_failed(remote_read(thread->process->space->memory_fd,
				      registers.rip - 2, bytes, sizeof(bytes))))
		return false;
	registers.rip -= bytes[0] == 0xcd && bytes[1] == 3 ? 2 : 1;
	return !remote_failed(remote_set_registers(thread->tid, &registers));
}

bool debug_guard_pass(struct session *session, struct thread *thread,
		      const siginfo_t *info)
{
	const bool broke = info->si_code == SI_KERNEL;

	if (!thread->process->guarded || (broke && !step_back(thread)))
		return false;
	event_take_signal(thread->tid);
	if (!broke && thread->process->ignores_trap &&
	    !debug_signal_policy(session, SIGTRAP)->stops) {
		interrupted_calls_see_stop(thread);
		thread_resume(session, thread, 0);
		return true;
	}
	debug_guard_lower(session, thread);
	if (!broke) {
		thread->held = *info;
		syscall(SYS_tkill, thread->tid, SIGTRAP);
	}
	thread_resume(session, thread, 0);
	return true;
}

uint32_t debug_guard_note(const struct space *space, uint64_t address, uint8_t byte)
{
	struct wire_breaks *breaks = breaks_of(space);
	uint32_t row = 0;

	if (!breaks)
		return WIRE_BREAKS_MAX;
	while (row < WIRE_BREAKS_MAX && breaks->rows[row])
		row++;
	if (row < WIRE_BREAKS_MAX)
		__atomic_store_n(&breaks->rows[row], address << 8 | byte,
				 __ATOMIC_SEQ_CST);
	return row;
}

void debug_guard_forget(const struct space *space, uint32_t row)
{
	struct wire_breaks *breaks = breaks_of(space);

	if (breaks && row < WIRE_BREAKS_MAX)
		__atomic_store_n(&breaks->rows[row], 0, __ATOMIC_SEQ_CST);
}

void debug_guard_count(const struct thread *thread, int change)
{
	struct wire_breaks *breaks =
		thread->process ? breaks_of(thread->process->space) : NULL;

	if (breaks)
		__atomic_fetch_add(&breaks->stepping, (uint32_t)change, __ATOMIC_SEQ_CST);
}
