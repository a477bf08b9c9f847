#include "session/run/leave.h"

#include "base/clock.h"
#include "control/maps.h"
#include "control/remote.h"
#include "resident/resident.h"
#include "session/cache/address_maps.h"
#include "session/count/boundaries.h"
#include "session/count/read_banks.h"
#include "session/count/window.h"
#include "session/follow/follow.h"
#include "session/modules/modules.h"
#include "session/modules/swap.h"
#include "session/position/gate_position.h"
#include "session/position/interrupted_calls.h"
#include "session/position/settle.h"
#include "session/state/space.h"
#include "session/state/tables.h"
#include "session/thread/banks.h"
#include "session/thread/borrowed_thread.h"
#include "session/thread/fast_timers.h"
#include "session/thread/injection.h"
#include "session/thread/stop.h"
#include "session/thread/threads.h"
#include "session/tool/tool_attach.h"
#include "wire/mailbox.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* Thread of the space, and the registers with which it will go on. */
struct leaver {
	struct thread *thread;
	struct user_regs_struct registers;
};
struct leavers VECTOR(struct leaver);

/* Returns whether a thread is in a part of the resident that it must run through to
 * its end. */
static bool in_resident(const struct thread *thread,
			const struct user_regs_struct *registers)
{
	uint64_t offset = registers->rip - thread->process->space->family->arena->address;
	const struct resident_table *t = resident_table();

	return thread_waiting_bank(thread) ||
	       (offset < WIRE_RESIDENT_SIZE &&
		!interrupted_calls_are_in_rest(thread, registers->rip) &&
		!gate_position_holds(thread->process->space, registers->rip) &&
		(offset < t->hook || offset >= t->hook_end ||
		 (offset >= t->hook_blocked && offset < t->hook_unblocked)));
}

/* Finds the place where the thread will go on; returns false if it must first run on
 * as it is. */
static bool find_way(struct session *session, struct leaver *leaver)
{
	struct thread *thread = leaver->thread;
	struct user_regs_struct *registers = &leaver->registers;
	const struct settling how = {.leaving = true};

	return !thread_has_event(session, thread) &&
	       !remote_failed(remote_get_registers(thread->tid, registers)) &&
	       !in_resident(thread, registers) &&
	       (!gate_position_holds(thread->process->space, registers->rip) ||
		gate_position_find(thread, registers)) &&
	       settle_thread(session, thread, &how, registers) != UNSETTLED;
}

static bool find_ways(struct session *session, const struct space *space,
		      struct leavers *leavers)
{
	vector_for_each (&session->all_threads, thread) {
		struct leaver leaver = {.thread = *thread};

		if (!(*thread)->process || (*thread)->process->space != space)
			continue;
		if (!find_way(session, &leaver))
			return false;
		vector_push(leavers, leaver);
	}
	return true;
}

/* Unmaps trampolines, what tools have, and all banks but the first ones; the rest is
 * unmapped by code from elsewhere. */
static struct trm_error *unmap_most(struct session *session, struct thread *thread,
				    struct space *space)
{
	struct wire_batch batch = {0};

	if (space->tools)
		BATCH_ADD(&batch, SYS_munmap, space->tools->pool,
			  space->tools->pool_end - space->tools->pool, 0, 0, 0, 0);
	vector_for_each (&space->modules, module) {
		swap_forget(session, thread, module);
		if (!module->code_size)
			continue;
		BATCH_ADD(&batch, SYS_munmap, module->code_address, module->code_size, 0,
			  0, 0, 0);
		if (module->address_maps_size)
			BATCH_ADD(&batch, SYS_munmap, module->address_maps_at,
				  module->address_maps_size, 0, 0, 0, 0);
		if (batch.count + 1 >= WIRE_BATCH_MAX) {
			TRM_TRY(space_run(session, thread, &batch));
			batch.count = 0;
		}
	}
	for (size_t i = 1; i < space->chunks.count; i++) {
		const struct arena_chunk *chunk = space->chunks.items[i];

		BATCH_ADD(&batch, SYS_munmap, chunk->address,
			  chunk->stride * chunk->bank_count, 0, 0, 0, 0);
		if (batch.count == WIRE_BATCH_MAX) {
			TRM_TRY(space_run(session, thread, &batch));
			batch.count = 0;
		}
	}
	return batch.count ? space_run(session, thread, &batch) : NULL;
}

/* Notes the place up to which a leaving thread has counted. */
static void note_leaver(const struct session *session, const struct leaver *leaver,
			const struct borrowed_thread *borrowed)
{
	struct user_regs_struct registers = borrowed->registers;

	if (!window_is_exact(session) ||
	    (leaver->thread != borrowed->thread &&
	     remote_failed(remote_get_registers(leaver->thread->tid, &registers))))
		return;
	boundaries_leave(session, leaver->thread, &registers);
	collector_call(session, look, session, leaver->thread);
	if (gate_position_holds(leaver->thread->process->space, registers.rip))
		gate_position_leave(leaver->thread, &registers);
}

/*
 * Restores the text, and takes all threads out of trammel's code and off their banks.
 * The order is for a tracer that is killed here: the original text is there before a
 * thread is sent to it.
 */
static struct trm_error *take_out(struct session *session, struct space *space,
				  const struct leavers *leavers,
				  struct borrowed_thread *borrowed)
{
	TRM_TRY(maps_read(borrowed->thread->tid, &session->maps));
	modules_drop(session, borrowed->thread);
	TRM_TRY(swap_out(session, borrowed->thread, space));
	vector_for_each (&space->modules, module)
		if (module->swapped)
			return trm_error_create(TRM_ERROR_SYSTEM,
						"its text cannot be put back");
	vector_for_each (leavers, leaver) {
		note_leaver(session, leaver, borrowed);
		leaver->registers.gs_base = 0;
		if (leaver->thread == borrowed->thread)
			borrowed->registers = leaver->registers;
		else
			TRM_TRY(remote_set_registers(leaver->thread->tid,
						     &leaver->registers));
	}
	return NULL;
}

struct clearing {
	struct session *session;
	struct space *space;
};

/* Unmaps trammel's mappings, in which no thread is any more: one thread does it, and
 * the others run. */
static struct trm_error *clear_out(void *context, struct thread *thread)
{
	struct clearing *clearing = context;
	struct session *session = clearing->session;
	struct space *space = clearing->space;

	TRM_TRY(unmap_most(session, thread, space));
	TRM_TRY(maps_read(thread->tid, &session->maps));
	return inject_leave(thread->tid, space->memory_fd, &session->maps,
			    space->family->arena, &session->queue);
}

static void let_go(struct session *session, struct process *process)
{
	for (size_t i = session->all_threads.count; i-- > 0;) {
		struct thread *thread = session->all_threads.items[i];

		if (thread->process != process)
			continue;
		fast_timers_let_go(session, thread);
		if (process->space && process->space->abandoned)
			thread_leave_bank(thread);
		trm_error_destroy(remote_resume(thread->tid, REMOTE_DETACH,
						thread_pending_signal(session, thread)));
		session_remove_thread(session, thread);
	}
	process->threads = 0;
	if (process->space && process->space->abandoned)
		banks_take_process(session, process, BANKS_RETIRE);
	follow_end_image(session, process, "detached");
	session_remove_process(session, process);
}

static void let_go_space(struct session *session, const struct space *space)
{
	for (size_t i = session->all_processes.count; i-- > 0;) {
		struct process *process = session->all_processes.items[i];

		if (process->space == space && process->space)
			let_go(session, process);
	}
}

/* Abandons a space that cannot get its text back, having unmapped what that needs. It
 * is left as a tracer that is killed would leave it, but that no routines are called. */
static void abandon_space(const struct session *session, struct space *space,
			  const struct trm_error *error)
{
	tool_abandon(session);
	space->abandoned = space->left = true;
	vector_for_each (&session->all_processes, process)
		if ((*process)->space == space && !(*process)->image->reason)
			(*process)->image->reason = memory_copy_string(error->message);
}

/* Stops the space once. Afterwards it is as before its measurement, except for
 * mappings. */
static bool stop_counting(struct session *session, struct space *space)
{
	struct leavers leavers = {0};
	struct borrowed_thread borrowed;
	bool out = false;
	uint64_t start = clock_now_ns();

	if (stop_begin(session, (struct stop_scope){.space = space}, STOP_BRIEFLY,
		       NULL) &&
	    find_ways(session, space, &leavers) &&
	    borrowed_thread_find(session, space, &borrowed)) {
		struct trm_error *error = take_out(session, space, &leavers, &borrowed);

		out = !error;
		borrowed_thread_end(session, &borrowed);
		if (error && error->code != TRM_ERROR_GONE)
			abandon_space(session, space, error);
		trm_error_destroy(error);
	}
	vector_deinit(&leavers);
	if (out || space->abandoned)
		space->out = space->holding = true;
	stop_go_on(session, space);
	if (clock_now_ns() - start > session->stop_ns)
		session->stop_ns = clock_now_ns() - start;
	return space->out;
}

static bool can_let_go(const struct session *session, const struct space *space)
{
	vector_for_each (&session->all_threads, thread)
		if ((*thread)->process && (*thread)->process->space == space &&
		    thread_has_event(session, *thread))
			return false;
	return true;
}

static void leave_space(struct session *session, struct space *space)
{
	struct clearing clearing = {session, space};

	if (!space->out && !stop_counting(session, space))
		return;
	if (remote_failed(tool_detach(session, space)))
		return;
	if (!space->cleared && !space->abandoned) {
		struct trm_error *error =
			space_borrow(session, space, clear_out, &clearing);

		space->cleared = !error;
		trm_error_destroy(error);
		if (!space->cleared)
			return;
	}
	if (stop_begin(session, (struct stop_scope){.space = space}, STOP_BRIEFLY,
		       NULL) &&
	    can_let_go(session, space))
		let_go_space(session, space);
	else
		stop_go_on(session, space);
}

/* Leaves a process that is followed but not measured. */
static bool leave_bare(struct session *session, struct process *process)
{
	bool stopped = true;

	vector_for_each (&session->all_threads, item) {
		struct thread *thread = *item;

		if (thread->process != process)
			continue;
		if (!thread->stopped)
			stopped &= thread->state == THREAD_RUNNING &&
				   thread_interrupt(session, thread);
		stopped &= thread->stopped && !thread_has_event(session, thread);
	}
	if (stopped) {
		let_go(session, process);
		return true;
	}
	vector_for_each (&session->all_threads, item)
		if ((*item)->process == process && (*item)->stopped &&
		    (*item)->state == THREAD_RUNNING)
			thread_resume(session, *item, 0);
	return false;
}

static bool is_settled(const struct session *session)
{
	vector_for_each (&session->all_threads, thread)
		if (!(*thread)->process || (*thread)->state != THREAD_RUNNING ||
		    (*thread)->deferred_since)
			return false;
	return true;
}

bool session_leave(struct session *session)
{
	if (!is_settled(session))
		return false;
	for (size_t i = session->all_processes.count; i-- > 0;) {
		struct process *process;

		if (i >= session->all_processes.count)
			continue;
		process = session->all_processes.items[i];
		if (process->watched) {
			follow_end_image(session, process, process->image->state);
			session_remove_process(session, process);
		} else if (process->space && process->space->family) {
			leave_space(session, process->space);
		} else {
			leave_bare(session, process);
		}
	}
	return session->all_processes.count == 0;
}
