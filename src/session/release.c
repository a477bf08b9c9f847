/* Letting processes go. */
#include "session/signals.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The signal that a thread is stopped with and whose event nobody has acted on. */
static int pending_signal(struct session *session, const struct thread *thread)
{
	struct event event;

	if (!thread->event_pending ||
	    !event_wait_thread(&session->queue, thread->tid, 0, &event))
		return 0;
	return event.kind == EVENT_SIGNAL ? event.value : 0;
}

static void stop_all(struct session *session, const struct process *process)
{
	struct event event;

	for (size_t i = session->all_threads.count; i-- > 0;) {
		struct thread *thread = session->all_threads.items[i];

		if (thread->process != process || thread->stopped)
			continue;
		if (thread->state != THREAD_NEW)
			thread_interrupt(session, thread);
		else /* its first stop comes by itself */
			thread->stopped = event_wait_thread(&session->queue, thread->tid,
							    1000, &event);
	}
}

static void settle(struct session *session, struct thread *thread)
{
	struct user_regs_struct registers;
	struct settling how = {0};

	if (!thread->stopped ||
	    remote_failed(remote_get_registers(thread->tid, &registers)))
		return;
	enum settled settled = signals_settle(session, thread, &how, &registers);

	if (settled == SETTLED || settled == SETTLED_RAN)
		trm_error_destroy(remote_set_registers(thread->tid, &registers));
}

void release_process(struct session *session, struct process *process, bool restore,
		     const char *reason, ...)
{
	struct space *space = process->space;
	va_list arguments;

	stop_all(session, process);
	if (restore && space && space->references == 1) {
		vector_for_each (&session->all_threads, thread)
			if ((*thread)->process == process)
				settle(session, *thread);
		space_restore_text(space);
	}
	free(process->image->reason);
	process->image->reason = NULL;
	va_start(arguments, reason);
	if (vasprintf(&process->image->reason, reason, arguments) < 0)
		process->image->reason = NULL;
	va_end(arguments);
	for (size_t i = session->all_threads.count; i-- > 0;) {
		struct thread *thread = session->all_threads.items[i];

		if (thread->process != process)
			continue;
		int signal = pending_signal(session, thread);

		trm_error_destroy(remote_resume(thread->tid, REMOTE_DETACH, signal));
		/* Its bank stays in use: the thread may be in a hook, or count on. */
		thread->bank = NULL;
		thread->old_banks.count = 0;
		session_remove_thread(session, thread);
	}
	process->threads = 0;
	if (process->pid == session->first)
		process->watched = true;
	snprintf(process->image->state, sizeof(process->image->state), "released");
	if (process->watched)
		return;
	fold_process(session, process, FOLD_AND_RETIRE);
	process->image->ended = true;
	session_remove_process(session, process);
}

bool release_if_gs(struct session *session, struct process *process)
{
	const struct module *module = modules_using_gs(process->space);

	if (module)
		release_process(session, process, true,
				"its \"%s\" sets the GS register, which trammel needs",
				module->file->name);
	return module != NULL;
}
