#include "session/follow/fired_restore.h"

#include "code/emit/probe.h"
#include "control/remote.h"
#include "session/follow/follow.h"
#include "session/modules/probes.h"
#include "session/modules/unpatched.h"
#include "session/position/interrupted_calls.h"
#include "session/position/reentry.h"
#include "session/position/text_jumps.h"
#include "session/state/fired_state.h"
#include "session/state/module.h"
#include "session/state/unpatched_list.h"
#include "session/thread/stop.h"
#include "session/thread/threads.h"

static bool set_one(void *item, const void *fired, uint8_t *bytes)
{
	(void)item;
	return probe_set_fired(bytes, *(const bool *)fired);
}

/* Sets probes, which are sorted. Where something else lies by now nothing is changed. */
void fired_set_probes(int memory_fd, const struct space_probes *probes, bool fired)
{
	probes_change(
		memory_fd,
		(struct probes){probes->items, probes->count, sizeof(*probes->items)},
		set_one, &fired);
}

/* None is between two jumps of a text that changes. */
void fired_leave_islands(const struct session *session, const struct space *space)
{
	vector_for_each (&session->all_threads, thread)
		if ((*thread)->process && (*thread)->process->space == space &&
		    (*thread)->stopped)
			text_jump_leave(*thread);
}

/* But for those of modules that are gone: others' memory may lie there. */
static void restore_patch(const struct space *space, int memory_fd,
			  struct space_unpatched_list *closed)
{
	struct space_probes probes = {0};
	const struct module *module = NULL;

	unpatched_leave(space, memory_fd, closed);
	vector_for_each (&space->fired.probes, address) {
		if (!module || *address - module->code_address >= module->code_size)
			module = space_module_of_code(space, *address);
		if (module)
			vector_push(&probes, *address);
	}
	fired_set_probes(memory_fd, &probes, false);
	vector_deinit(&probes);
}

void fired_restore_copy(struct session *session, struct space *original,
			struct space *copy)
{
	if (!original->fired.probes.count && !original->fired.unpatched.count)
		return;
	restore_patch(original, copy->memory_fd, &copy->fired.unpatched);
	original->fired.copied += original->fired.unpatched.count;
	session->forks_cost |= fired_costs_forks(session, original);
}

/* Threads in functions that were unpatched go on in relocated code. */
static void lead_in(const struct session *session, const struct space *space)
{
	struct user_regs_struct registers;

	vector_for_each (&session->all_threads, thread) {
		if (!(*thread)->process || (*thread)->process->space != space ||
		    !(*thread)->stopped ||
		    remote_failed(remote_get_registers((*thread)->tid, &registers)))
			continue;
		bool rests = interrupted_calls_leave_rest(*thread, &registers);

		reentry_lead_in(space, &registers);
		if (rests)
			interrupted_calls_lead_rest(*thread, registers.rip);
		else
			trm_error_destroy(
				remote_set_registers((*thread)->tid, &registers));
	}
}

/* Children that threads have just made have a copy of what is restored: they are known
 * from now on, and get theirs restored, too. */
static void follow_children(struct session *session, const struct space *space)
{
	/* By index: there are more threads then. */
	for (size_t i = 0; i < session->all_threads.count; i++) {
		struct thread *thread = session->all_threads.items[i];

		if (thread->process && thread->process->space == space &&
		    thread->stopped && follow_made_child(session, thread))
			thread_resume(session, thread, 0);
	}
}

/* Threads of the space stand. */
void fired_restore_own(struct session *session, struct space *space)
{
	struct space_unpatched_list closed = {0};

	fired_leave_islands(session, space);
	restore_patch(space, space->memory_fd, &closed);
	if (space->fired.unpatched.count)
		lead_in(session, space);
	follow_children(session, space);
	unpatched_list_deinit(&space->fired.unpatched);
	space->fired.unpatched = closed;
	space->fired.probes.count = space->fired.return_jumps.count = 0;
	fired_forget(&space->fired);
}

void fired_restore_shared(struct session *session, struct space *space)
{
	struct stopped stopped;

	if (!space->fired.probes.count)
		return;
	stop_begin(session, (struct stop_scope){.space = space}, STOP_WHILE_POSSIBLE,
		   &stopped);
	fired_restore_own(session, space);
	stop_end(session, &stopped);
}
