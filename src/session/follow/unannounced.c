#include "session/follow/unannounced.h"

#include "base/clock.h"
#include "control/maps.h"
#include "control/remote.h"
#include "session/follow/follow.h"
#include "session/state/space.h"
#include "session/state/tables.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Nanoseconds for which a process that is gone is remembered. Its child is ready to
 * run when it goes, so the child's first stop comes as late as it waits for a
 * processor. */
#define REMEMBERED_NS 5000000000

/* Remains of a process: enough for a child of it to be followed. */
struct session_parent {
	uint64_t since;         /* clock_now_ns() */
	struct thread thread;   /* without a bank */
	struct process process; /* keeps its space */
	struct VECTOR(const struct bank *) banks;
};

static uint64_t gs_base_of(const struct thread *thread)
{
	struct user_regs_struct registers;

	return remote_failed(remote_get_registers(thread->tid, &registers))
		       ? 0
		       : registers.gs_base;
}

static struct arena *arena_of(const struct session *session,
			      const struct mapping *mapping)
{
	vector_for_each (&session->families, family) {
		struct stat status;

		if (fstat((*family)->arena->fd, &status) == 0 &&
		    status.st_ino == mapping->inode && status.st_dev == mapping->device)
			return (*family)->arena;
	}
	return NULL;
}

/* Returns the bank that a child shares with the thread that made it. The address alone
 * does not identify it: banks of two address spaces, also of one family, may lie at
 * one address. */
static struct bank *bank_of(struct session *session, const struct thread *child)
{
	uint64_t gs_base = gs_base_of(child);
	const struct mapping *mapping;
	const struct arena *arena;

	if (!gs_base || remote_failed(maps_read(child->tid, &session->maps)))
		return NULL;
	mapping = maps_find(&session->maps, gs_base);
	arena = mapping && mapping->inode ? arena_of(session, mapping) : NULL;
	if (!arena)
		return NULL;
	vector_for_each (&arena->banks, bank)
		if (arena_bank_is_at(*bank, gs_base) &&
		    (*bank)->file_offset ==
			    mapping->file_offset + (gs_base - mapping->start))
			return *bank;
	return NULL;
}

static pid_t read_status(pid_t tid, const char *field)
{
	uint64_t number;

	return remote_status(tid, field, 10, &number) ? (pid_t)number : 0;
}

/* Returns whether a process has a bank there, perhaps beside the banks of others in
 * their memory. */
static bool has_bank_at(const struct process *process, uint64_t address)
{
	if (!process->space || !process->space->family)
		return false;
	vector_for_each (&process->space->family->arena->banks, bank)
		if (arena_bank_is_at(*bank, address) && (*bank)->owner == process->pid)
			return true;
	return false;
}

static pid_t parent_of(struct thread *child)
{
	if (!child->parent)
		child->parent = read_status(child->tid, "PPid");
	return child->parent;
}

static bool is_child_of(struct session *session, struct thread *child,
			const struct process *process)
{
	const struct bank *bank;

	/* Most are not, and their mappings need not be read. */
	if (parent_of(child) != process->pid && !has_bank_at(process, gs_base_of(child)))
		return false;
	bank = bank_of(session, child);
	return bank && bank->owner > 0 ? bank->owner == process->pid
				       : child->parent == process->pid;
}

/* Returns whether a thread is the first of its process. Other threads are announced by
 * some thread, unless they end with it. */
static bool is_leader(const struct thread *thread)
{
	return read_status(thread->tid, "Tgid") == thread->tid;
}

static void start_children(struct session *session, struct thread *parent)
{
	for (size_t i = session->all_threads.count; i-- > 0;) {
		struct thread *child = session->all_threads.items[i];

		if (child->state == THREAD_WAITING && !child->process &&
		    is_child_of(session, child, parent->process) && is_leader(child))
			follow_child(session, parent, child->tid);
	}
}

/* Returns whether a process may have further children that were not announced. A
 * single thread has announced all its children, unless it was killed. */
static bool may_have_more(const struct process *process, bool killed)
{
	const struct space *space = process->space;

	return (killed || process->image->threads > 1) && space && space->family &&
	       space->references == 1;
}

void unannounced_leave(struct session *session, struct thread *thread, bool killed)
{
	struct process *process = thread->process;

	start_children(session, thread);
	if (!may_have_more(process, killed))
		return;
	struct session_parent *parent = memory_allocate_zeroed(1, sizeof(*parent));

	parent->since = clock_now_ns();
	parent->process = *process;
	parent->thread.tid = thread->tid;
	parent->thread.process = &parent->process;
	process->space->references++;
	vector_for_each (&process->space->family->arena->banks, bank)
		if ((*bank)->owner == process->pid)
			vector_push(&parent->banks, *bank);
	vector_push(&session->parents, parent);
}

static bool had_bank(const struct session_parent *parent, const struct bank *bank)
{
	vector_for_each (&parent->banks, had)
		if (*had == bank)
			return true;
	return false;
}

/* Returns the last parent that had a bank, since banks are used again. */
static struct thread *find_parent(struct session *session, const struct bank *bank)
{
	for (size_t i = session->parents.count; i-- > 0;)
		if (had_bank(session->parents.items[i], bank))
			return &session->parents.items[i]->thread;
	return NULL;
}

/* Follows a child whose parent is unknown. It contains nothing of trammel's, since its
 * parent contained nothing. */
static void follow_stranger(struct session *session, const struct thread *child)
{
	char program[PATH_MAX];
	struct image_run image = {.program = program};
	struct process process = {.pid = child->parent, .image = &image};

	remote_read_program(child->tid, program, sizeof(program));
	follow_child(session, &(struct thread){.process = &process}, child->tid);
}

void unannounced_note(struct session *session, const struct thread *child)
{
	vector_push(
		&session->unannounced,
		((struct unannounced_child){.tid = child->tid, .since = clock_now_ns()}));
}

static void find_parent_of(struct session *session, struct thread *child)
{
	const struct bank *bank;
	struct thread *parent;

	/* Some thread will announce it if its process still lives. */
	if (!is_leader(child) || session_find_process(session, parent_of(child)))
		return;
	bank = bank_of(session, child);
	parent = find_parent(session, bank);
	if (parent)
		follow_child(session, parent, child->tid);
	else if (!bank || bank->owner <= 0) /* else it was given another parent */
		follow_stranger(session, child);
}

void unannounced_find_parents(struct session *session)
{
	size_t kept = 0;

	for (size_t i = 0; i < session->unannounced.count; i++) {
		struct unannounced_child untold = session->unannounced.items[i];
		struct thread *thread = session_find_thread(session, untold.tid);

		if (!thread || thread->process || thread->state != THREAD_WAITING)
			continue;
		if (clock_now_ns() - untold.since < UNANNOUNCED_NS)
			session->unannounced.items[kept++] = untold;
		else
			find_parent_of(session, thread);
	}
	session->unannounced.count = kept;
}

static void forget_parent(struct session *session, struct session_parent *parent)
{
	space_release(session, parent->process.space);
	vector_deinit(&parent->banks);
	free(parent);
}

void unannounced_forget(struct session *session, bool all)
{
	size_t kept = 0;

	vector_for_each (&session->parents, parent) {
		if (all || clock_now_ns() - (*parent)->since > REMEMBERED_NS)
			forget_parent(session, *parent);
		else
			session->parents.items[kept++] = *parent;
	}
	session->parents.count = kept;
}
