#include "session/threads.h"

#include "session/callgraph.h"
#include "session/loop.h"
#include "session/residues.h"
#include "session/shown.h"
#include "session/signals.h"
#include "session/space.h"
#include "session/spans.h"
#include "session/syscalls.h"
#include "session/timers.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

#define CHUNK_BANKS_MAX 64
#define LARGE_STRIDE    (16ull << 20)

struct thread *session_find_thread(const struct session *session, pid_t tid)
{
	uint64_t value = 0;

	table_find(&session->threads, (uint64_t)tid, &value);
	return (struct thread *)(uintptr_t)value;
}

struct process *session_find_process(const struct session *session, pid_t pid)
{
	uint64_t value = 0;

	table_find(&session->processes, (uint64_t)pid, &value);
	return (struct process *)(uintptr_t)value;
}

struct thread *session_add_thread(struct session *session, pid_t tid)
{
	struct thread *thread = memory_allocate_zeroed(1, sizeof(*thread));

	thread->tid = tid;
	*table_insert(&session->threads, (uint64_t)tid, NULL) = (uintptr_t)thread;
	vector_push(&session->all_threads, thread);
	session->thread_count++;
	return thread;
}

void session_remove_thread(struct session *session, struct thread *thread)
{
	residues_end(thread);
	if (thread->bank)
		arena_give_bank(thread->bank);
	vector_for_each (&thread->old_banks, bank)
		arena_give_bank(*bank);
	vector_deinit(&thread->old_banks);
	vector_deinit(&thread->handled);
	timers_forget(session, thread);
	vector_deinit(&thread->shown);
	vector_deinit(&thread->calls);
	*table_insert(&session->threads, (uint64_t)thread->tid, NULL) = 0;
	for (size_t i = 0; i < session->all_threads.count; i++) {
		if (session->all_threads.items[i] == thread) {
			vector_remove_swap(&session->all_threads, i);
			break;
		}
	}
	session->thread_count--;
	free(thread);
}

struct image_run *session_add_image(struct session *session, pid_t pid, pid_t parent,
				    const char *program)
{
	struct image_run *image = memory_allocate_zeroed(1, sizeof(*image));

	image->number = (uint32_t)session->images.count + 1;
	image->pid = pid;
	image->parent = parent;
	image->program = memory_copy_string(program);
	image->start_ns = session_now();
	snprintf(image->state, sizeof(image->state), "running");
	image->part = window_part(session);
	vector_push(&session->images, image);
	guardian_note(session);
	return image;
}

struct process *session_add_process(struct session *session, pid_t pid, pid_t parent,
				    const char *program)
{
	struct process *process = memory_allocate_zeroed(1, sizeof(*process));

	process->pid = pid;
	process->image = session_add_image(session, pid, parent, program);
	*table_insert(&session->processes, (uint64_t)pid, NULL) = (uintptr_t)process;
	vector_push(&session->all_processes, process);
	return process;
}

void session_remove_process(struct session *session, struct process *process)
{
	*table_insert(&session->processes, (uint64_t)process->pid, NULL) = 0;
	for (size_t i = 0; i < session->all_processes.count; i++) {
		if (session->all_processes.items[i] == process) {
			vector_remove_swap(&session->all_processes, i);
			break;
		}
	}
	space_release(session, process->space);
	free(process);
}

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

uint64_t thread_filters(pid_t tid)
{
	uint64_t mode = 0, count = 0;

	if (!remote_status(tid, "Seccomp", 10, &mode))
		return UINT64_MAX;
	/* The count is told since Linux 5.9. */
	return remote_status(tid, "Seccomp_filters", 10, &count) ? count + (mode == 1)
								 : mode;
}

/* A system call filter may forbid what an injection does, and kill. Those that the
 * program started under have let the first injection pass. */
static bool may_inject(const struct thread *thread)
{
	return thread_filters(thread->tid) == thread->process->space->filters;
}

/* Maps banks near the arena's start, where the program maps nothing; or anywhere. */
static struct trm_error *map_banks(struct session *session, struct thread *thread,
				   const struct image_range *range, uint64_t *ret_address)
{
	const struct arena *arena = thread->process->space->family->arena;
	const uint64_t places[] = {arena->address + range->start, 0};
	int64_t result = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
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
	vector_push(&space->chunks, chunk);
	return NULL;
}

/* How many banks a further chunk has: as many as there are, but where memory is limited.
 */
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
	return space->chunks.items[space->chunks.count - 1]->stride;
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

uint64_t stack_pointer_of(const struct thread *thread)
{
	struct user_regs_struct registers;

	if (remote_failed(remote_get_registers(thread->tid, &registers)))
		return 0;
	return registers.rsp & ~7ull;
}

/* A thread that was just made stands at the end of the stack that was made for it; but
 * nobody asks where all calls are in place. A process goes on with its parent's. */
static uint64_t stack_end_of(const struct thread *thread)
{
	if (thread->tid == thread->process->pid)
		return thread->stack_end;
	return thread->process->space->copies_calls ? stack_pointer_of(thread) : 0;
}

/* One that is there, or a new one. The first thread of a process was let in with it. */
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

/* Without a bank of its own a thread counts in its parent's: nothing breaks, but two
 * increments at one moment may be one. */
static void note_shared(struct image_run *image, const struct trm_error *error)
{
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
		callgraph_begin(session, bank, &thread->calls);
		spans_begin(session, NULL, bank);
		error = remote_set_gs_base(thread->tid, bank->address);
	}
	thread->bank = bank;
	shown_begin(thread);
	guardian_note(session);
	if (!bank)
		note_shared(thread->process->image, error);
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
	shown_take_returned(thread);
	thread->bank = NULL;
	thread->old_banks.count = 0;
}

/* The thread goes on with a wider bank; a hook that it is in ends with the old one. */
static void widen_bank(const struct session *session, struct space *space,
		       struct thread *thread)
{
	struct bank *old = thread->bank, *bank;

	if (!old)
		return;
	bank = take_bank(space, thread->process->pid, thread->tid);
	if (!bank)
		return;
	/* A call that is being counted is counted in one bank. */
	signals_leave_gate(session, thread);
	bank->shared->quiet = old->shared->quiet;
	bank->shared->untimed = old->shared->untimed;
	bank->shared->stack_end = old->shared->stack_end;
	bank->shared->stack_known = bank->shared->stack_gap = 0;
	bank->shared->look_frame = old->shared->look_frame;
	bank->shared->rest = old->shared->rest;
	callgraph_note_calls(session, old, &thread->calls);
	callgraph_begin(session, bank, &thread->calls);
	spans_begin(session, old, bank);
	struct trm_error *error = remote_set_gs_base(thread->tid, bank->address);

	if (error) {
		trm_error_destroy(error);
		arena_give_bank(bank);
		return;
	}
	shown_take_returned(thread);
	vector_push(&thread->old_banks, old);
	thread->bank = bank;
	shown_begin(thread);
}

struct trm_error *space_widen_banks(struct session *session, struct space *space,
				    struct thread *thread, uint32_t slots)
{
	const struct arena_chunk *last = space->chunks.items[space->chunks.count - 1];
	uint64_t stride = bank_stride_for(slots, space->family->arena->slot_size);
	uint32_t count;

	if (stride <= last->stride)
		return NULL;
	/* Beside those for the threads that there are, for some that come. */
	count = bank_least(thread->tid, stride) - 1;
	vector_for_each (&session->all_threads, other)
		if ((*other)->process && (*other)->process->space == space)
			count++;
	TRM_TRY(add_chunk(session, space, thread, stride, count));
	guardian_note(session);
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

void thread_defer(struct session *session, struct thread *thread, bool wait)
{
	uint64_t now = session_now();

	if (wait && !thread->deferred_since)
		thread->deferred_since = now;
	if (!wait && thread->deferred_since) {
		session->instrument_ns += now - thread->deferred_since;
		thread->deferred_since = 0;
	}
}

void thread_resume(struct session *session, struct thread *thread, int signal)
{
	const struct space *space = thread->process ? thread->process->space : NULL;

	callgraph_go_on(thread);
	bool calls = thread->state == THREAD_EXEC || thread->fault_rip ||
		     thread->before_exec || shown_is_watched(thread) ||
		     thread->timer.until || (space && space_is_traced(space));
	(void)session;
	if (thread->event_pending)
		return;
	syscalls_go_on(thread);
	struct trm_error *error =
		remote_resume(thread->tid, calls ? REMOTE_SYSCALL : REMOTE_RUN, signal);

	thread->stopped = false;
	thread->resumed_ns = session_now();
	/* Gone meanwhile: its last event comes by itself. */
	trm_error_destroy(error);
}

bool thread_put_off_call(const struct thread *thread, struct user_regs_struct *registers)
{
	registers->rip -= 2; /* the length of `syscall` */
	registers->rax = registers->orig_rax;
	registers->orig_rax = (unsigned long long)-1;
	return !remote_failed(remote_set_registers(thread->tid, registers));
}

bool thread_ask_to_stop(const struct thread *thread)
{
	return !ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
}

bool thread_await_stop(struct session *session, struct thread *thread, int timeout_ms)
{
	struct event event;

	if (!event_wait_thread(&session->queue, thread->tid, timeout_ms, &event))
		return false;
	thread->stopped = true;
	timers_see_stop(session, thread);
	callgraph_hold(session, thread);
	if (event.kind == EVENT_STOP) {
		syscalls_see_stop(thread);
		return true;
	}
	if (event.kind == EVENT_EXITED || event.kind == EVENT_KILLED) {
		event_push(&session->queue, &event);
		thread->stopped = false;
		return false;
	}
	/* It stopped for a reason of its own just then; the interrupt is still to come,
	 * and both are handled in order by the main loop once the caller is done. */
	thread->event_pending = true;
	event_push(&session->queue, &event);
	return true;
}

bool thread_interrupt(struct session *session, struct thread *thread)
{
	return thread_ask_to_stop(thread) && thread_await_stop(session, thread, 1000);
}
