#include "session/debug/watch.h"

#include "control/remote.h"
#include "session/debug/guard.h"
#include "session/state/space.h"
#include "session/state/tables.h"
#include "session/thread/borrowed_thread.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

enum { SLOTS = 4, STATUS = 6, CONTROL = 7 };

/* Parts of the control register: Intel's manual, volume 3, section 18.2.4. */
#define ENABLED(slot) (1ull << (2 * (slot)))
#define FIELD(slot)   (16 + 4 * (slot))
#define WRITES        1ull
#define ACCESSES      3ull

static bool write_register(pid_t tid, unsigned int number, uint64_t value)
{
	return !ptrace(PTRACE_POKEUSER, tid,
		       offsetof(struct user, u_debugreg) + number * sizeof(uint64_t),
		       value);
}

static uint64_t read_register(pid_t tid, unsigned int number)
{
	errno = 0;
	return (uint64_t)ptrace(
		PTRACE_PEEKUSER, tid,
		offsetof(struct user, u_debugreg) + number * sizeof(uint64_t), 0);
}

/* What the control register has for a watchpoint. */
static uint64_t control_of(const struct debug_watch *watch)
{
	const uint64_t length = watch->size == 8 ? 2 : watch->size - 1u;

	return ENABLED(watch->slot) | ((watch->reads ? ACCESSES : WRITES) | length << 2)
					      << FIELD(watch->slot);
}

/* Sets the registers of a stopped thread as the watchpoints of its process are. */
static bool set_registers(const struct session *session, const struct thread *thread)
{
	uint64_t control = 0;
	bool set = write_register(thread->tid, CONTROL, 0);

	vector_for_each (&session->debug->watches, watch) {
		if (watch->pid != thread->process->pid)
			continue;
		set &= write_register(thread->tid, watch->slot, watch->address);
		control |= control_of(watch);
	}
	return set && write_register(thread->tid, CONTROL, control);
}

static struct trm_error *set_borrowed(void *context, struct thread *thread)
{
	set_registers(context, thread);
	return NULL;
}

static bool set_all(struct session *session, pid_t pid)
{
	bool set = true;

	for (size_t i = session->all_threads.count; i-- > 0;) {
		struct thread *thread = i < session->all_threads.count
						? session->all_threads.items[i]
						: NULL;

		if (!thread || !thread->process || thread->process->pid != pid)
			continue;
		if (thread->stopped)
			set &= set_registers(session, thread);
		else
			trm_error_destroy(
				thread_borrow(session, thread, set_borrowed, session));
	}
	return set;
}

static bool find_slot(const struct session *session, pid_t pid, unsigned int *ret_slot)
{
	unsigned int used = 0;

	vector_for_each (&session->debug->watches, watch)
		if (watch->pid == pid)
			used |= 1u << watch->slot;
	for (unsigned int slot = 0; slot < SLOTS; slot++) {
		if (used >> slot & 1)
			continue;
		*ret_slot = slot;
		return true;
	}
	return false;
}

static uint64_t value_of(struct session *session, const struct debug_watch *watch)
{
	const struct process *process = session_find_process(session, watch->pid);
	uint64_t value = 0;

	if (process && process->space)
		remote_read_mapped(process->space->memory_fd, watch->address, &value,
				   watch->size);
	return value;
}

struct trm_error *debug_watch_set(struct session *session,
				  const struct debug_watch *watch, uint32_t *ret_number)
{
	struct debug *debug = session->debug;
	struct debug_watch own = *watch;

	if (own.size != 1 && own.size != 2 && own.size != 4 && own.size != 8)
		return trm_error_create(TRM_ERROR_USAGE,
					"1, 2, 4 or 8 bytes can be watched");
	if (own.address % own.size)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"0x%lx is no multiple of %u, and cannot be watched so",
			(unsigned long)own.address, own.size);
	if (!find_slot(session, own.pid, &own.slot))
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"the processor can watch four places at a time");
	own.was = own.now = value_of(session, &own);
	own.number = ++debug->numbers;
	vector_push(&debug->watches, own);
	if (!set_all(session, own.pid)) {
		debug_watch_unset(session, own.number);
		return trm_error_create(TRM_ERROR_UNSUPPORTED, "0x%lx cannot be watched",
					(unsigned long)own.address);
	}
	debug_guard_raise_all(session);
	*ret_number = own.number;
	return NULL;
}

struct debug_watch *debug_watch_find(struct session *session, uint32_t number)
{
	vector_for_each (&session->debug->watches, watch)
		if (watch->number == number)
			return watch;
	return NULL;
}

void debug_watch_unset(struct session *session, uint32_t number)
{
	struct debug *debug = session->debug;
	const struct debug_watch *watch = debug_watch_find(session, number);

	if (!watch)
		return;
	const pid_t pid = watch->pid;

	vector_remove_swap(&debug->watches, (size_t)(watch - debug->watches.items));
	set_all(session, pid);
}

void debug_watch_leave(struct session *session, const struct process *process, bool gone)
{
	struct debug *debug = session->debug;
	bool any = false;

	for (size_t i = debug->watches.count; i-- > 0;) {
		if (debug->watches.items[i].pid != process->pid)
			continue;
		vector_remove_swap(&debug->watches, i);
		any = true;
	}
	if (any && !gone)
		set_all(session, process->pid);
}

void debug_watch_begin(struct session *session, const struct thread *thread)
{
	vector_for_each (&session->debug->watches, watch) {
		if (watch->pid != thread->process->pid)
			continue;
		set_registers(session, thread);
		return;
	}
}

/* Whether a thread stops for a watchpoint that it has met. */
static bool is_met(struct session *session, struct debug_watch *watch)
{
	const uint64_t value = value_of(session, watch);

	if (watch->changes && value == watch->now)
		return false;
	watch->was = watch->now;
	watch->now = value;
	watch->hits++;
	return true;
}

bool debug_watch_see(struct session *session, struct thread *thread)
{
	if (!session->debug->watches.count || !debug_has(thread))
		return false;
	const uint64_t status = read_register(thread->tid, STATUS);

	if (errno || !(status & ((1u << SLOTS) - 1)))
		return false;
	write_register(thread->tid, STATUS, 0);
	vector_for_each (&session->debug->watches, watch)
		if (watch->pid == thread->process->pid && (status >> watch->slot & 1) &&
		    is_met(session, watch))
			thread->debug.watched = watch->number;
	return thread->debug.watched != 0;
}
