#include "session/follow/release.h"

#include "control/remote.h"
#include "session/count/read_banks.h"
#include "session/follow/follow.h"
#include "session/modules/modules.h"
#include "session/position/interrupted_calls.h"
#include "session/position/return_addresses.h"
#include "session/position/settle.h"
#include "session/position/text_jumps.h"
#include "session/state/debugging.h"
#include "session/state/module.h"
#include "session/state/space.h"
#include "session/state/tables.h"
#include "session/thread/banks.h"
#include "session/thread/fast_timers.h"
#include "session/thread/injection.h"
#include "session/thread/stop.h"
#include "session/thread/threads.h"
#include "session/tool/tool.h"
#include "wire/bank.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool in_space(const struct thread *thread, const struct space *space)
{
	return thread->process && thread->process->space == space;
}

/* Stops the threads of one process, or of all with its space, and the threads that
 * they made just then. */
static void stop_all(struct session *session, const struct process *process, bool all)
{
	struct space *space = all ? process->space : NULL;
	const struct stop_scope scope = {space ? NULL : process, space};
	bool more;

	do {
		more = false;
		stop_begin(session, scope, STOP_A_SECOND, NULL);
		for (size_t i = session->all_threads.count; i-- > 0;) {
			struct thread *thread = session->all_threads.items[i];

			if (thread->process == process ||
			    (space && in_space(thread, space)))
				more |= follow_made_child(session, thread);
		}
	} while (more);
}

/* Restores return addresses: from now on relocated code leads to the original
 * functions. */
static void show_returns(struct thread *thread, const struct user_regs_struct *registers)
{
	const struct bank *bank = thread_waiting_bank(thread);

	/* On its way out of a hook, it is still on the stack in its bank. */
	if (!bank && thread->bank &&
	    registers->rsp - thread->bank->address <= WIRE_BANK_STACK_TOP)
		bank = thread->bank;
	if (bank)
		return_addresses_show_hooked(thread, &bank->shared->registers);
	else
		return_addresses_show(thread, registers);
}

static void settle_stopped(struct session *session, struct thread *thread)
{
	struct user_regs_struct registers;
	struct settling how = {0};

	if (!thread->stopped ||
	    remote_failed(remote_get_registers(thread->tid, &registers)))
		return;
	bool stays = interrupted_calls_are_in_rest(thread, registers.rip);
	enum settled settled = settle_thread(session, thread, &how, &registers);

	/* The rest of a system call it makes alone. */
	if (!stays && (settled == SETTLED || settled == SETTLED_RAN))
		trm_error_destroy(remote_set_registers(thread->tid, &registers));
	show_returns(thread, &registers);
}

/*
 * Restores the text while all threads of the space are stopped, as far as they can be.
 * A thread that is not stopped stands in a system call, and goes on in trampolines,
 * which stay. The order is for a tracer that is killed here: in trammel's code a thread
 * is right with either text, on an island with the patched one alone, and where it is
 * sent at last with the original alone.
 */
static void restore_text(struct session *session, struct space *space, pid_t pid)
{
	for (size_t i = session->all_threads.count; i-- > 0;) {
		const struct thread *thread = session->all_threads.items[i];

		if (in_space(thread, space) && thread->stopped)
			text_jump_leave(thread);
	}
	if (!space_restore_text(session, space, pid))
		return;
	for (size_t i = session->all_threads.count; i-- > 0;)
		if (in_space(session->all_threads.items[i], space))
			settle_stopped(session, session->all_threads.items[i]);
}

static void let_thread_go(struct session *session, struct thread *thread)
{
	thread_leave_bank(thread);
	if (thread->stopped) {
		int signal = thread_pending_signal(session, thread);

		fast_timers_let_go(session, thread);
		trm_error_destroy(remote_resume(thread->tid, REMOTE_DETACH, signal));
		session_remove_thread(session, thread);
		return;
	}
	/* It waits for a child of vfork, say: the kernel lets go of stopped threads only.
	 */
	thread->leaving = true;
	thread->process = NULL;
	thread->deferred_since = 0;
	thread->fault_rip = 0;
}

/* Lets a process go whose threads are stopped. Takes ownership of `reason`; NULL: the
 * measurement is over. */
static void let_go(struct session *session, struct process *process, char *reason)
{
	if (reason) {
		free(process->image->reason);
		process->image->reason = reason;
	}
	if (process->space)
		process->space->left = true;
	if (session->debug_calls)
		session->debug_calls->leaves(session, process);
	for (size_t i = session->all_threads.count; i-- > 0;) {
		struct thread *thread = session->all_threads.items[i];

		if (thread->process == process)
			let_thread_go(session, thread);
	}
	process->threads = 0;
	if (process->pid == session->first && reason)
		process->watched = true;
	snprintf(process->image->state, sizeof(process->image->state), "%s",
		 reason ? "released" : "detached");
	if (process->watched)
		return;
	banks_take_process(session, process, BANKS_RETIRE);
	process->image->ended = true;
	session_remove_process(session, process);
}

void release_process(struct session *session, struct process *process, bool restore,
		     const char *reason, ...)
{
	struct space *space = process->space;
	char *text = NULL;
	va_list arguments;

	va_start(arguments, reason);
	if (vasprintf(&text, reason, arguments) < 0)
		text = NULL;
	va_end(arguments);
	stop_all(session, process, false);
	tool_leave(session, process);
	if (restore && space && space->references == 1)
		restore_text(session, space, process->pid);
	let_go(session, process, text);
}

void release_space(struct session *session, struct process *process, const char *reason,
		   ...)
{
	struct space *space = process->space;
	char *text = NULL;
	va_list arguments;

	va_start(arguments, reason);
	if (vasprintf(&text, reason, arguments) < 0)
		text = NULL;
	va_end(arguments);
	stop_all(session, process, true);
	tool_leave(session, process);
	restore_text(session, space, process->pid);
	for (size_t i = session->all_processes.count; i-- > 0;) {
		struct process *other = session->all_processes.items[i];

		if (other->space == space)
			let_go(session, other, text ? memory_copy_string(text) : NULL);
	}
	free(text);
}

/* Lets a process go with all that share its memory. */
static void leave_process(struct session *session, struct process *process)
{
	struct space *space = process->space;

	stop_all(session, process, true);
	tool_leave(session, process);
	if (space && space->family)
		restore_text(session, space, process->pid);
	for (size_t i = session->all_processes.count; i-- > 0;) {
		struct process *other = session->all_processes.items[i];

		if (other == process || (space && other->space == space))
			let_go(session, other, NULL);
	}
}

void release_all(struct session *session)
{
	while (session->all_processes.count) {
		struct process *process = session->all_processes.items[0];

		if (!process->watched) {
			leave_process(session, process);
			continue;
		}
		/* It was let go before, and goes on using its banks. */
		banks_take_process(session, process, BANKS_RETIRE);
		process->image->ended = true;
		session_remove_process(session, process);
	}
}

static const struct module *find_walker(const struct session *session,
					const struct space *space)
{
	if (!space->copies_calls || session->options->calls == CALLS_RELOCATED)
		return NULL;
	vector_for_each (&space->modules, module)
		if (module->file->walks_stacks)
			return module;
	return NULL;
}

bool release_if_foreign(struct session *session, struct process *process)
{
	const struct module *module = modules_using_gs(process->space);

	if (module)
		release_process(session, process, true,
				"its '%s' sets the GS register, which trammel needs",
				module->file->name);
	if (module)
		return true;
	module = find_walker(session, process->space);
	if (module)
		release_process(session, process, true,
				"its '%s' may follow stacks in a way of its own: "
				"measure it with --calls=in-place",
				module->file->name);
	return module != NULL;
}
