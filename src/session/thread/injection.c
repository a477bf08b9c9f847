#include "session/thread/injection.h"

#include "control/inject.h"
#include "session/thread/borrowed_thread.h"
#include "session/thread/threads.h"
#include "wire/bank.h"
#include "wire/mailbox.h"

struct bank *thread_waiting_bank(const struct thread *thread)
{
	if (thread->bank && thread->bank->shared->request != WIRE_IDLE)
		return thread->bank;
	vector_for_each (&thread->old_banks, bank)
		if ((*bank)->shared->request != WIRE_IDLE)
			return *bank;
	return NULL;
}

struct injecting {
	struct session *session;
	struct wire_batch *batch;
};

static struct trm_error *inject_into(void *context, struct thread *thread)
{
	const struct injecting *injecting = context;

	return inject_batch(thread->tid, thread->process->space->family->arena,
			    injecting->batch, &injecting->session->queue);
}

struct trm_error *space_run(struct session *session, struct thread *thread,
			    struct wire_batch *batch)
{
	struct injecting injecting = {session, batch};
	struct bank *bank = thread_waiting_bank(thread);

	/* With an event that is still to be acted on, a thread is lent by
	 * borrow_thread only.
	 */
	if (thread->stopped && !thread->event_pending)
		return inject_into(&injecting, thread);
	/* An event of a thread in a hook is a system call of its wait: it is seen
	 * meanwhile, and will be made again. */
	if (thread->stopped && bank) {
		TRM_TRY(inject_into(&injecting, thread));
		thread->event_pending = false;
		thread_resume(session, thread, 0);
		return NULL;
	}
	if (bank)
		return inject_mailbox_batch(thread->tid, bank, batch, &session->queue);
	return space_borrow(session, thread->process->space, inject_into, &injecting);
}
