#include "control/inject.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/page.h"
#include "control/maps.h"
#include "resident/resident.h"
#include "wire/bank.h"
#include "wire/control.h"
#include "wire/mailbox.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>

/* How long a thread may take for an injected system call before it counts as lost. */
#define PATIENCE_MS 10000

/* A thread that runs injected code: what it was, and signals that came meanwhile. */
struct injection {
	pid_t tid;
	struct event_queue *queue;
	struct user_regs_struct registers; /* as before */
	uint64_t mask;                     /* as before */
	int stop_signal;                   /* SIGSTOP or the like to send again; 0 */
};

/* Since Linux 6.4; PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG, and what it fills in. */
#define GET_DISPATCH 0x4211

struct dispatch {
	uint64_t mode, selector, offset, size;
};

bool inject_dispatches(pid_t tid)
{
	struct dispatch dispatch = {0};

	return !ptrace(GET_DISPATCH, tid, sizeof(dispatch), &dispatch) && dispatch.mode;
}

/* The order is for a tracer that is killed here: the code that the thread is sent to
 * puts the mask right by itself, so the mask is changed last. */
static struct trm_error *begin_injection(struct injection *injection, uint64_t code)
{
	struct user_regs_struct registers = injection->registers;

	if (inject_dispatches(injection->tid))
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"thread %d has its system calls sent back to it "
					"as signals (PR_SET_SYSCALL_USER_DISPATCH)",
					injection->tid);
	registers.rip = code;
	registers.orig_rax = (unsigned long long)-1;
	TRM_TRY(remote_set_registers(injection->tid, &registers));
	return remote_set_mask(injection->tid, ~0ull);
}

/* First here, for the same reason. */
static struct trm_error *end_injection(struct injection *injection)
{
	struct user_regs_struct registers = injection->registers;

	registers.orig_rax = (unsigned long long)-1;
	TRM_TRY(remote_set_mask(injection->tid, injection->mask));
	TRM_TRY(remote_set_registers(injection->tid, &registers));
	if (injection->stop_signal)
		syscall(SYS_tkill, injection->tid, injection->stop_signal);
	return NULL;
}

static struct trm_error *is_lost(const struct injection *injection)
{
	return trm_error_create(TRM_ERROR_GONE, "thread %d does not answer",
				injection->tid);
}

/* Handles an event of a thread that runs injected code, other than the expected one. */
static struct trm_error *pass_over(struct injection *injection, const struct event *event)
{
	switch (event->kind) {
	case EVENT_SIGNAL: /* none but SIGSTOP and faults get past the mask */
		if (event->value == SIGSEGV || event->value == SIGBUS)
			return trm_error_create(TRM_ERROR_UNSUPPORTED,
						"thread %d has no memory of trammel's: "
						"its process unmaps what it did not map",
						injection->tid);
		injection->stop_signal = event->value;
		return NULL;
	case EVENT_EXITED:
	case EVENT_KILLED:
	case EVENT_EXEC:
		event_push(injection->queue, event);
		return trm_error_create(TRM_ERROR_GONE, "thread %d ended",
					injection->tid);
	default:
		return NULL;
	}
}

/* Runs to the next entry to or exit from a system call of the injected code: a thread
 * that another injection left at an entry first gets to the exit of that call, which was
 * not made. */
static struct trm_error *step_thread(struct injection *injection)
{
	struct user_regs_struct registers;
	struct event event;

	for (;;) {
		TRM_TRY(remote_resume(injection->tid, REMOTE_SYSCALL, 0));
		if (!event_wait_thread(injection->queue, injection->tid, PATIENCE_MS,
				       &event))
			return is_lost(injection);
		if (event.kind != EVENT_SYSCALL) {
			TRM_TRY(pass_over(injection, &event));
			continue;
		}
		TRM_TRY(remote_get_registers(injection->tid, &registers));
		if (registers.orig_rax != (unsigned long long)-1)
			return NULL;
	}
}

static struct trm_error *step_times(struct injection *injection, unsigned int count)
{
	while (count--)
		TRM_TRY(step_thread(injection));
	return NULL;
}

/* Code that runs from the slack behind some text, with its data behind it. */
struct slack {
	uint64_t address;         /* of the code */
	uint32_t code, data, end; /* offsets in the resident's image */
};

/* Finds zero bytes at the end of an executable mapping: slack behind the text that is
 * never executed. The vDSO has some, and nearly every program and ld.so. */
static struct trm_error *find_slack(int memory_fd, const struct maps *maps,
				    struct slack *slack)
{
	size_t size = slack->end - slack->code;
	uint8_t page[PAGE];

	vector_for_each (&maps->mappings, mapping) {
		size_t zeros = 0;

		if (!mapping->executable || mapping->writable || mapping->shared ||
		    !strcmp(maps_path(maps, mapping), "[vsyscall]"))
			continue;
		struct trm_error *error =
			remote_read(memory_fd, mapping->end - PAGE, page, PAGE);

		/* A process that ended has no memory. */
		if (error && error->code == TRM_ERROR_GONE)
			return error;
		if (error) {
			trm_error_destroy(error);
			continue;
		}
		while (zeros < PAGE && !page[PAGE - 1 - zeros])
			zeros++;
		if (zeros < size + 64)
			continue;
		slack->address = (mapping->end - size) & ~(uint64_t)15;
		return NULL;
	}
	return trm_error_create(TRM_ERROR_UNSUPPORTED,
				"no unused bytes behind any text for the first code");
}

static struct trm_error *write_slack(int memory_fd, const struct slack *slack,
				     const void *data, size_t data_size)
{
	size_t size = slack->end - slack->code;
	scoped_free uint8_t *code = memory_allocate_zeroed(1, size);

	memcpy(code, resident_image + slack->code, size);
	memcpy(code + (slack->data - slack->code), data, data_size);
	return remote_write(memory_fd, slack->address, code, size);
}

static struct trm_error *clear_slack(int memory_fd, const struct slack *slack)
{
	size_t size = slack->end - slack->code;
	scoped_free uint8_t *zeros = memory_allocate_zeroed(1, size);

	return remote_write(memory_fd, slack->address, zeros, size);
}

static struct trm_error *take_memfd(const struct inject_arena_request *request,
				    int *ret_fd)
{
	struct user_regs_struct registers;
	char name[32];

	TRM_TRY(remote_get_registers(request->tid, &registers));
	long fd = (long)registers.rax;

	if (fd < 0)
		return trm_error_system((int)-fd, "the program cannot make a memfd");
	snprintf(name, sizeof(name), "fd/%ld", fd);
	return remote_open(request->tid, name, O_RDWR, ret_fd);
}

static struct trm_error *run_boot(const struct inject_arena_request *request,
				  struct injection *injection, struct arena **ret_arena)
{
	struct user_regs_struct registers;
	struct arena *arena = NULL;
	int fd = -1;

	TRM_TRY(step_times(injection, 2)); /* memfd_create */
	struct trm_error *error = take_memfd(request, &fd);

	if (!error)
		error = arena_create(fd, request->address, request->stride,
				     request->banks, request->slot_size, &arena);
	/* With or without: to the end of the code, whose calls fail harmlessly then. */
	for (int call = 0; call < 3; call++) { /* mmap, mmap, close */
		struct trm_error *gone = step_times(injection, 2);

		if (!gone && !error && call < 2) {
			gone = remote_get_registers(request->tid, &registers);
			if (!gone && (long)registers.rax < 0)
				error = trm_error_system((int)-(long)registers.rax,
							 "the program cannot map memory");
		}
		if (gone) {
			trm_error_destroy(error);
			arena_release(arena);
			return gone;
		}
	}
	if (error) {
		arena_release(arena);
		trm_error_destroy(step_times(injection, 1));
		return error;
	}
	*ret_arena = arena;
	return step_times(injection, 1); /* entry to rt_sigprocmask */
}

struct trm_error *inject_arena(const struct inject_arena_request *request,
			       struct event_queue *queue, struct arena **ret_arena)
{
	struct injection injection = {.tid = request->tid, .queue = queue};
	struct slack slack = {.code = resident_table()->boot,
			      .data = resident_table()->boot_data,
			      .end = resident_table()->boot_end};
	struct resident_boot boot = {
		.flags = request->memfd_flags,
		.address = request->address,
		.data_size = WIRE_BANKS_OFFSET - WIRE_CONTROL_OFFSET +
			     request->stride * request->banks,
		.name = "trammel",
	};

	TRM_TRY(find_slack(request->memory_fd, request->maps, &slack));
	TRM_TRY(remote_get_registers(request->tid, &injection.registers));
	TRM_TRY(remote_get_mask(request->tid, &injection.mask));
	boot.back = injection.registers.rip;
	boot.mask = injection.mask;
	TRM_TRY(write_slack(request->memory_fd, &slack, &boot, sizeof(boot)));
	TRM_TRY(begin_injection(&injection, slack.address));
	struct trm_error *error = run_boot(request, &injection, ret_arena);

	if (error && error->code == TRM_ERROR_GONE)
		return error;
	struct trm_error *ending = end_injection(&injection);

	if (!ending)
		ending = clear_slack(request->memory_fd, &slack);
	if (!error)
		return ending;
	trm_error_destroy(ending);
	return error;
}

struct trm_error *inject_leave(pid_t tid, int memory_fd, const struct maps *maps,
			       const struct arena *arena, struct event_queue *queue)
{
	struct injection injection = {.tid = tid, .queue = queue};
	struct slack slack = {.code = resident_table()->leave,
			      .data = resident_table()->leave_data,
			      .end = resident_table()->leave_end};
	const struct arena_chunk *first = arena->chunks.items[0];
	struct resident_leave leave = {
		.address = arena->address,
		.size = WIRE_BANKS_OFFSET + first->stride * first->bank_count,
	};

	TRM_TRY(find_slack(memory_fd, maps, &slack));
	TRM_TRY(remote_get_registers(tid, &injection.registers));
	TRM_TRY(remote_get_mask(tid, &injection.mask));
	leave.back = injection.registers.rip;
	leave.mask = injection.mask;
	TRM_TRY(write_slack(memory_fd, &slack, &leave, sizeof(leave)));
	TRM_TRY(begin_injection(&injection, slack.address));
	TRM_TRY(step_times(&injection, 3)); /* munmap, and the entry to rt_sigprocmask */
	TRM_TRY(end_injection(&injection));
	return clear_slack(memory_fd, &slack);
}

/* The whole batch without a stop: each one costs two changes of context, during which the
 * other threads of a program may be waiting. */
static struct trm_error *run_batch(struct injection *injection,
				   const struct wire_control *control)
{
	const struct timespec pause = {0, 10000};
	struct event event;

	TRM_TRY(remote_resume(injection->tid, REMOTE_RUN, 0));
	for (int waits = 0; !__atomic_load_n(&control->ran, __ATOMIC_ACQUIRE); waits++) {
		if (waits > PATIENCE_MS * 10)
			return is_lost(injection);
		if (event_poll_thread(injection->queue, injection->tid, &event)) {
			TRM_TRY(pass_over(injection, &event));
			TRM_TRY(remote_resume(injection->tid, REMOTE_RUN, 0));
		}
		nanosleep(&pause, NULL);
	}
	if (ptrace(PTRACE_INTERRUPT, injection->tid, 0, 0))
		return is_lost(injection);
	for (;;) {
		if (!event_wait_thread(injection->queue, injection->tid, PATIENCE_MS,
				       &event))
			return is_lost(injection);
		if (event.kind == EVENT_STOP || event.kind == EVENT_GROUP_STOP)
			return NULL;
		TRM_TRY(pass_over(injection, &event));
		TRM_TRY(remote_resume(injection->tid, REMOTE_RUN, 0));
	}
}

struct trm_error *inject_batch(pid_t tid, struct arena *arena, struct wire_batch *batch,
			       struct event_queue *queue)
{
	struct injection injection = {.tid = tid, .queue = queue};
	struct wire_control *control = arena->control;

	TRM_TRY(remote_get_registers(tid, &injection.registers));
	TRM_TRY(remote_get_mask(tid, &injection.mask));
	control->inject_back = injection.registers.rip;
	control->inject_mask = injection.mask;
	control->batch = *batch;
	control->ran = 0;
	TRM_TRY(begin_injection(&injection, arena->address + resident_table()->inject));
	struct trm_error *error = run_batch(&injection, control);

	if (error && error->code != TRM_ERROR_UNSUPPORTED)
		return error;
	*batch = control->batch;
	struct trm_error *ending = end_injection(&injection);

	if (!error)
		return ending;
	trm_error_destroy(ending);
	return error;
}

static void futex_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void reply_to(struct bank *bank, enum wire_reply value)
{
	__atomic_store_n(&bank->shared->reply, value, __ATOMIC_RELEASE);
	futex_wake(&bank->shared->reply);
}

void inject_mailbox_done(struct bank *bank, bool alone)
{
	__atomic_store_n(&bank->shared->request, WIRE_IDLE, __ATOMIC_RELEASE);
	reply_to(bank, alone ? WIRE_ALONE : WIRE_DONE);
}

void inject_mailbox_again(struct bank *bank)
{
	__atomic_store_n(&bank->shared->request, WIRE_IDLE, __ATOMIC_RELEASE);
	reply_to(bank, WIRE_AGAIN);
}

/* Has a thread go on that stopped at a system call of the resident. Returns whether it
 * did. */
static bool pass_calls(pid_t tid, struct event_queue *queue)
{
	struct event event;

	if (!event_poll_thread(queue, tid, &event))
		return false;
	if (event.kind == EVENT_SYSCALL)
		trm_error_destroy(remote_resume(tid, REMOTE_SYSCALL, 0));
	else
		event_push(queue, &event);
	return event.kind == EVENT_SYSCALL;
}

/* Whether a thread will do nothing any more: it may be dead, and not be taken note of. */
static bool is_dead(pid_t tid)
{
	unsigned int flags;
	const char state = remote_state(tid, &flags);

	return !state || state == 'Z' || state == 'X';
}

struct trm_error *inject_mailbox_batch(pid_t tid, struct bank *bank,
				       struct wire_batch *batch,
				       struct event_queue *queue)
{
	/* Of a thread that stops at its system calls each is waited for. */
	enum { USUAL_NS = 1000000, SHORT_NS = 20000 };
	const uint64_t end = clock_now_ns() + PATIENCE_MS * 1000000ull;
	struct timespec pause = {0, USUAL_NS};

	bank->shared->batch = *batch;
	__atomic_store_n(&bank->shared->request, WIRE_IDLE, __ATOMIC_RELEASE);
	reply_to(bank, WIRE_RUN);
	for (unsigned int waits = 0; clock_now_ns() < end; waits++) {
		if (__atomic_load_n(&bank->shared->request, __ATOMIC_ACQUIRE) ==
		    WIRE_RAN) {
			*batch = bank->shared->batch;
			return NULL;
		}
		if (pass_calls(tid, queue))
			pause.tv_nsec = SHORT_NS;
		/* The thread rings a doorbell, not this word: look every millisecond too.
		 */
		syscall(SYS_futex, &bank->shared->request, FUTEX_WAIT, WIRE_IDLE, &pause,
			NULL, 0);
		if (waits % 16 == 1 && is_dead(tid))
			break;
	}
	return trm_error_create(TRM_ERROR_GONE, "thread %d does not answer", tid);
}

unsigned int batch_add(struct wire_batch *batch, long number, const uint64_t arguments[6])
{
	struct wire_call *call = &batch->calls[batch->count];

	*call = (struct wire_call){.number = (uint32_t)number};
	memcpy(call->arguments, arguments, sizeof(call->arguments));
	return (unsigned int)batch->count++;
}

unsigned int batch_add_mapping(struct wire_batch *batch, const struct arena *arena,
			       bool executable, uint64_t offset, uint64_t size,
			       uint64_t address, uint64_t *ret_addend)
{
	uint64_t from = executable ? 0 : WIRE_CONTROL_OFFSET;
	uint64_t lead = offset - from;
	unsigned int reserved = 0, whole, result;

	/* Reserved first, and moved to what that call returned: a place that is taken
	 * after all makes both fail, and nothing of the program's is overwritten. */
	if (address)
		reserved = BATCH_ADD(batch, SYS_mmap, address, size, PROT_NONE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
					     MAP_FIXED_NOREPLACE,
				     (uint64_t)-1, 0);
	whole = BATCH_ADD(batch, SYS_mremap, arena->address + from, 0, lead + size,
			  MREMAP_MAYMOVE, 0, 0);
	result = whole;
	*ret_addend = lead;
	if (address) {
		result = BATCH_ADD(batch, SYS_mremap, WIRE_RESULT(whole), size, size,
				   MREMAP_MAYMOVE | MREMAP_FIXED, WIRE_RESULT(reserved),
				   0);
		batch->calls[result].addend = lead;
		*ret_addend = 0;
	}
	if (lead)
		BATCH_ADD(batch, SYS_munmap, WIRE_RESULT(whole), lead, 0, 0, 0, 0);
	return result;
}
