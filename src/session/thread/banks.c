#include "session/thread/banks.h"

#include "base/array.h"
#include "base/page.h"
#include "control/remote.h"
#include "session/position/settle.h"
#include "session/position/path_frames.h"
#include "session/position/signal_frames.h"
#include "session/position/spans.h"
#include "session/position/view.h"
#include "session/state/memory.h"
#include "session/state/session.h"
#include "session/thread/injection.h"
#include "session/thread/threads.h"
#include "session/thread/views.h"
#include "wire/bank.h"
#include "wire/spans.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define CHUNK_BANKS_MAX 64
#define LARGE_STRIDE    (16ull << 20)

uint64_t bank_stride_for(uint64_t slots, uint32_t slot_size)
{
	uint64_t stride = 256u << 10;

	while (stride - WIRE_BANK_HEADER < slots * slot_size)
		stride *= 2;
	return stride;
}

uint32_t bank_least(pid_t pid, uint64_t stride)
{
	return stride > LARGE_STRIDE || remote_has_address_limit(pid) ? 1 : 4;
}

/* Returns whether calls may be injected. A system call filter may forbid the calls of
 * an injection, and kill. Filters that the program started under have let the first
 * injection pass. */
static bool may_inject(const struct thread *thread)
{
	return remote_filters(thread->tid) == thread->process->space->filters;
}

/* Maps banks near the arena's start, where the program maps nothing; or anywhere. */
static struct trm_error *map_banks(struct session *session, struct thread *thread,
				   const struct image_range *range, uint64_t *ret_address)
{
	const struct arena *arena = thread->process->space->family->arena;
	const uint64_t places[] = {arena->address + range->start, 0};
	int64_t result = 0;

	for (size_t i = 0; i < array_count(places); i++) {
		struct wire_batch batch = {0};
		uint64_t addend;
		unsigned int call =
			batch_add_mapping(&batch, arena, false, range->start,
					  range->end - range->start, places[i], &addend);

		TRM_TRY(space_run(session, thread, &batch));
		result = batch.calls[call].result;
		if (result >= 0) {
			*ret_address = (uint64_t)result + addend;
			return NULL;
		}
	}
	return trm_error_system((int)-result, "no memory for more threads");
}

/* Takes the page below the stack of routines from each bank of a chunk, so that they
 * cannot overflow it unnoticed. */
static void guard_stacks(struct session *session, struct thread *thread, uint64_t address,
			 uint64_t stride, uint32_t count)
{
	for (uint32_t i = 0; spans_have_stacks(session) && i < count;) {
		struct wire_batch batch = {0};

		for (; i < count && batch.count < WIRE_BATCH_MAX; i++)
			BATCH_ADD(&batch, SYS_mprotect,
				  address + i * stride + WIRE_SPANS_GUARD, PAGE,
				  PROT_NONE);
		trm_error_destroy(space_run(session, thread, &batch));
	}
}

static struct trm_error *add_chunk(struct session *session, struct space *space,
				   struct thread *thread, uint64_t stride, uint32_t count)
{
	struct arena *arena = space->family->arena;
	struct arena_chunk *chunk;
	uint64_t offset, address;

	if (!may_inject(thread))
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"thread %d is under a system call filter",
					thread->tid);
	TRM_TRY(arena_allocate(arena, stride * count, &offset));
	TRM_TRY(map_banks(session, thread,
			  &(const struct image_range){offset, offset + stride * count},
			  &address));
	TRM_TRY(arena_add_chunk(arena, offset, address, stride, count, &chunk));
	guard_stacks(session, thread, address, stride, count);
	vector_push(&space->chunks, chunk);
	return NULL;
}

/* Returns the number of banks of a further chunk: as many as exist, unless memory is
 * limited. */
static uint32_t further_banks(const struct thread *thread, const struct arena *arena,
			      uint64_t stride)
{
	const uint32_t least = bank_least(thread->tid, stride);

	if (arena->banks.count < least || remote_has_address_limit(thread->tid))
		return least;
	return arena->banks.count < CHUNK_BANKS_MAX ? (uint32_t)arena->banks.count
						    : CHUNK_BANKS_MAX;
}

static uint64_t widest_of(const struct space *space)
{
	return space_widest(space)->stride;
}

static struct bank *take_bank(struct space *space, pid_t pid, pid_t tid)
{
	uint64_t widest = widest_of(space);

	vector_for_each (&space->chunks, chunk) {
		struct bank *bank = NULL;

		if ((*chunk)->stride == widest)
			bank = arena_take_bank(space->family->arena, *chunk, pid, tid);
		if (bank)
			return bank;
	}
	return NULL;
}

static uint32_t free_banks(const struct space *space)
{
	uint32_t count = 0;

	vector_for_each (&space->family->arena->banks, bank)
		count += (*bank)->chunk->stride == widest_of(space) && !(*bank)->in_use &&
			 !(*bank)->owner;
	return count;
}

struct trm_error *space_reserve_banks(struct session *session, struct space *space,
				      struct thread *thread, uint32_t count)
{
	uint32_t there = free_banks(space);

	return there >= count ? NULL
			      : add_chunk(session, space, thread, widest_of(space),
					  count - there);
}

/* Returns the end of a thread's stack. A new thread stands at the end of the stack
 * that was made for it; but where all calls are in place the end is not needed. A
 * process goes on with its parent's. */
static uint64_t stack_end_of(const struct thread *thread)
{
	if (thread->tid == thread->process->pid)
		return thread->stack_end;
	return thread->process->space->copies_calls ? stack_pointer_of(thread) : 0;
}

/* Finds an existing free bank, or makes a new one. The first thread of a process was
 * admitted together with it. */
static struct trm_error *find_bank(struct session *session, struct thread *thread,
				   struct bank **ret_bank)
{
	struct space *space = thread->process->space;
	const uint64_t stride = widest_of(space);

	if (thread->tid != thread->process->pid)
		TRM_TRY(memory_ask(session, MEMORY_LEAST));
	*ret_bank = take_bank(space, thread->process->pid, thread->tid);
	if (*ret_bank)
		return NULL;
	TRM_TRY(add_chunk(session, space, thread, stride,
			  further_banks(thread, space->family->arena, stride)));
	*ret_bank = take_bank(space, thread->process->pid, thread->tid);
	return NULL;
}

/* Notes a thread that counts in its parent's bank, having none of its own: nothing
 * breaks, but two increments at one moment may be counted as one. */
static void note_shared(const struct session *session, struct thread *thread,
			const struct trm_error *error)
{
	struct image_run *image = thread->process->image;
	struct user_regs_struct registers = {0};

	/* Its parent's comes with the registers. The stack for routines has one user. */
	trm_error_destroy(remote_get_registers(thread->tid, &registers));
	vector_for_each (&thread->process->space->family->arena->banks, bank)
		if (arena_bank_is_at(*bank, registers.gs_base)) {
			(*bank)->common = true;
			(*bank)->phase = ARENA_PHASE_OTHER;
			(*bank)->shared->phases = 0;
			spans_bar_bank(session, *bank, true);
		}
	const bool limit = error && error->code == TRM_ERROR_LIMIT;

	if (image->reason || asprintf(&image->reason,
				      "threads shared counters: their counts may be too "
				      "low%s%s",
				      limit ? "; " : "", limit ? error->message : "") < 0)
		return;
}

void thread_assign_bank(struct session *session, struct thread *thread, uint32_t quiet)
{
	struct bank *bank = NULL;
	struct trm_error *error = find_bank(session, thread, &bank);

	if (bank) {
		bank->shared->quiet = quiet;
		bank->shared->untimed = thread->untimed;
		bank->shared->stack_end = stack_end_of(thread);
		bank->shared->stack_known = bank->shared->stack_gap = 0;
		bank->shared->look_count = bank->shared->look_since = 0;
		views_begin_bank(session, bank, thread->phase);
		collector_call(session, begin_bank, session, NULL, bank, &thread->calls);
		error = remote_set_gs_base(thread->tid, bank->address);
	}
	thread->bank = bank;
	signal_frames_begin(thread);
	session_note_change(session);
	if (!bank)
		note_shared(session, thread, error);
	else
		views_enter(session, thread, thread->phase);
	trm_error_destroy(error);
}

void thread_take_free_bank(struct session *session, struct thread *thread)
{
	const struct space *space = thread->process->space;

	if (!thread->bank && !space->out && space->chunks.count && free_banks(space))
		thread_assign_bank(session, thread, 0);
}

void thread_set_aside(struct session *session, struct thread *thread)
{
	struct family *family = thread->process->space->family;

	if (!family->aside) {
		thread_assign_bank(session, thread, 1);
		family->aside = thread->bank;
		if (thread->bank)
			thread->bank->owner = -1;
	} else {
		trm_error_destroy(
			remote_set_gs_base(thread->tid, family->aside->address));
	}
	/* It stays in use. */
	thread->bank = NULL;
}

void thread_leave_bank(struct thread *thread)
{
	views_end(thread);
	path_frames_end(thread);
	signal_frames_take_returned(thread);
	thread->bank = NULL;
	thread->old_banks.count = 0;
}

void thread_note_calls(const struct session *session, const struct bank *bank,
		       struct thread_calls *calls)
{
	calls->count = 0;
	if (bank)
		collector_call(session, note_calls, session, bank, calls);
}

/* Gives a thread a wider bank; a hook that it is in ends with the old one. */
static void widen_bank(struct session *session, struct space *space,
		       struct thread *thread)
{
	struct bank *old = thread->bank, *bank;
	const uint32_t phase = thread_phase(thread);

	if (!old)
		return;
	bank = take_bank(space, thread->process->pid, thread->tid);
	if (!bank)
		return;
	/* A call that is being counted is counted in one bank. */
	settle_leave_gate(session, thread);
	view_begin_anew(thread);
	bank->shared->quiet = old->shared->quiet;
	bank->shared->untimed = old->shared->untimed;
	bank->shared->stack_end = old->shared->stack_end;
	bank->shared->stack_known = bank->shared->stack_gap = 0;
	bank->shared->rest = old->shared->rest;
	bank->shared->context = old->shared->context;
	bank->shared->phases_of = old->shared->phases_of;
	views_begin_bank(session, bank, phase);
	thread_note_calls(session, old, &thread->calls);
	collector_call(session, begin_bank, session, old, bank, &thread->calls);
	struct trm_error *error = remote_set_gs_base(thread->tid, bank->address);

	if (error) {
		trm_error_destroy(error);
		arena_give_bank(bank);
		return;
	}
	signal_frames_take_returned(thread);
	vector_push(&thread->old_banks, old);
	thread->bank = bank;
	spans_move_buffers(session, thread);
	signal_frames_begin(thread);
	views_enter(session, thread, phase);
}

struct trm_error *space_widen_banks(struct session *session, struct space *space,
				    struct thread *thread, uint32_t slots)
{
	const struct arena_chunk *last = space_widest(space);
	uint64_t stride = bank_stride_for(slots, space->family->arena->slot_size);
	uint32_t count;

	if (stride <= last->stride)
		return NULL;
	/* Some banks for threads still to come, besides those for existing threads. */
	count = bank_least(thread->tid, stride) - 1;
	vector_for_each (&session->all_threads, other)
		if ((*other)->process && (*other)->process->space == space)
			count++;
	TRM_TRY(add_chunk(session, space, thread, stride, count));
	session_note_change(session);
	/* Backwards: a thread that is found gone is taken out of the list. */
	for (size_t i = session->all_threads.count; i-- > 0;) {
		struct thread *other = session->all_threads.items[i];
		bool stopped = other->stopped;

		if (!other->process || other->process->space != space || !other->bank ||
		    other->state == THREAD_NEW || other->state == THREAD_WAITING)
			continue;
		if (!stopped && !thread_interrupt(session, other))
			continue;
		widen_bank(session, space, other);
		if (!stopped)
			thread_resume(session, other, 0);
	}
	return NULL;
}
