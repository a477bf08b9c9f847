#include "session/position/fault_actions.h"

#include "control/inject.h"
#include "control/remote.h"
#include "session/state/space.h"
#include "wire/control.h"

#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>

/* glibc's and musl's struct sigaction, with the kernel's 1024 bits of a set. */
struct library_action {
	uint64_t handler;
	uint64_t mask[16];
	int32_t flags;
};

static struct fault_action *action_of(struct process *process, int signal)
{
	return signal == SIGSEGV  ? &process->on_segv
	       : signal == SIGBUS ? &process->on_bus
				  : NULL;
}

/* Has a thread make calls of rt_sigaction(2), with a word of the control page each.
 * Returns false if it cannot. */
static bool exchange_action(struct session *session, const struct thread *thread,
			    int signal, bool set)
{
	const struct arena *arena = thread->process->space->family->arena;
	const uint64_t action = arena->address + WIRE_CONTROL_OFFSET +
				offsetof(struct wire_control, action);
	struct wire_batch batch = {0};

	BATCH_ADD(&batch, SYS_rt_sigaction, (uint64_t)signal, set ? action : 0,
		  set ? 0 : action, sizeof(uint64_t));
	return !remote_failed(inject_batch(thread->tid,
					   thread->process->space->family->arena, &batch,
					   &session->queue)) &&
	       !batch.calls[0].result;
}

static void read_action(struct session *session, const struct thread *thread, int signal)
{
	const struct wire_action *found =
		&thread->process->space->family->arena->control->action;
	struct fault_action *action = action_of(thread->process, signal);

	if (exchange_action(session, thread, signal, false))
		*action = (struct fault_action){found->handler,
						found->flags & SA_RESETHAND};
}

void fault_actions_begin(struct session *session, const struct thread *thread)
{
	if (!session->options->points.count || remote_filters(thread->tid))
		return;
	read_action(session, thread, SIGSEGV);
	read_action(session, thread, SIGBUS);
	thread->process->space->family->arena->control->watch_actions = 1;
}

void fault_actions_see(struct process *process, int signal, uint64_t address)
{
	struct fault_action *action = action_of(process, signal);
	struct library_action given;

	if (action && address &&
	    !remote_failed(remote_read(process->space->memory_fd, address, &given,
				       sizeof(given))))
		*action = (struct fault_action){given.handler,
						(uint32_t)given.flags & SA_RESETHAND};
}

void fault_actions_deliver(struct process *process, int signal)
{
	struct fault_action *action = action_of(process, signal);

	if (action && action->once)
		*action = (struct fault_action){0};
}

/* Whether a thread blocks all other signals of faults: it blocks all then, as is usual
 * around what must not be interrupted. The kernel does not say whether it did this one.
 */
static bool blocks_alike(const struct remote_signals *signals, int signal)
{
	const uint64_t alike = (1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) |
				1ull << (SIGFPE - 1) | 1ull << (SIGILL - 1)) &
			       ~(1ull << (signal - 1));

	return (signals->blocked & alike) == alike;
}

bool fault_actions_merge(const struct thread *thread, int signal)
{
	struct remote_signals signals = {0};

	return action_of(thread->process, signal) &&
	       remote_get_signals(thread->tid, &signals) &&
	       !((signals.caught | signals.ignored) >> (signal - 1) & 1);
}

void fault_actions_restore(struct session *session, const struct thread *thread,
			   int signal)
{
	const struct fault_action *action = action_of(thread->process, signal);
	struct wire_action *now = &thread->process->space->family->arena->control->action;
	const uint64_t bit = 1ull << (signal - 1);
	struct remote_signals signals = {0};
	bool handled;

	/* What it had not blocked nor ignored is as before. */
	if (!action || !remote_get_signals(thread->tid, &signals) ||
	    (signals.caught | signals.ignored) & bit)
		return;
	handled = action->handler && action->handler != (uint64_t)(uintptr_t)SIG_IGN;
	if (handled || blocks_alike(&signals, signal))
		trm_error_destroy(remote_set_mask(thread->tid, signals.blocked | bit));
	if (!action->handler || remote_filters(thread->tid) ||
	    !exchange_action(session, thread, signal, false))
		return;
	now->handler = action->handler;
	exchange_action(session, thread, signal, true);
}
