#include "session/tool/tool_run.h"

#include "base/clock.h"
#include "control/remote.h"
#include "session/position/settle.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define STATE_MAX (64u << 10) /* bytes of vectors and floating point */

/* Where FXSAVE's area has what (Intel SDM vol. 1, 10.5), and where the kernel has put a
 * note of its own for sigreturn (asm/sigcontext.h, struct _fpx_sw_bytes). */
enum { FX_CONTROL = 0, FX_MXCSR = 24, FX_NOTE = 464, FX_SIZE = 512 };
#define NOTE_MAGIC     0x46505853u
#define NOTE_END_MAGIC 0x46505845u

/* struct ucontext of the kernel (asm-generic/ucontext.h, asm/sigcontext.h). */
struct kernel_context {
	uint64_t flags, link;
	uint64_t stack_address;
	uint32_t stack_flags, pad;
	uint64_t stack_size;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx,
		rsp, rip, eflags;
	uint16_t cs, gs, fs, ss;
	uint64_t error, trap, old_mask, cr2, state, reserved[8];
	uint64_t mask;
};
enum { CONTEXT_HAS_STATE = 1, CONTEXT_HAS_SS = 2, CONTEXT_STRICT_SS = 4 };
#define STACK_INVALID 0x7fffu /* flags with which the alternate stack stays as it is */

static struct trm_error *move_state(const struct thread *thread, bool set, void *bytes,
				    size_t *size)
{
	struct iovec io = {bytes, *size};

	if (ptrace(set ? PTRACE_SETREGSET : PTRACE_GETREGSET, thread->tid,
		   (void *)(uintptr_t)NT_X86_XSTATE, &io))
		return trm_error_system(errno, "cannot reach the vector registers");
	*size = io.iov_len;
	return NULL;
}

/* A C library finds rounding and exceptions as at a program's start. */
static struct trm_error *set_clean_state(const struct thread *thread,
					 const struct tool_saved *saved)
{
	uint8_t *state = memory_allocate(saved->state_size);
	const uint16_t control = 0x37f;
	const uint32_t mxcsr = 0x1f80;
	size_t size = saved->state_size;

	memcpy(state, saved->state, size);
	memcpy(state + FX_CONTROL, &control, sizeof(control));
	memcpy(state + FX_MXCSR, &mxcsr, sizeof(mxcsr));
	struct trm_error *error = move_state(thread, true, state, &size);

	free(state);
	return error;
}

struct trm_error *tool_run_begin(struct thread *thread, struct tool_saved *ret_saved)
{
	struct tool_saved saved = {.state_size = STATE_MAX};
	struct trm_error *error;

	TRM_TRY(remote_get_registers(thread->tid, &saved.registers));
	TRM_TRY(remote_get_mask(thread->tid, &saved.mask));
	saved.state = memory_allocate_zeroed(1, STATE_MAX);
	error = move_state(thread, false, saved.state, &saved.state_size);
	if (error)
		free(saved.state);
	else
		*ret_saved = saved;
	return error;
}

/* The state as rt_sigreturn(2) takes it: with a note in it, and a mark behind it. */
static struct trm_error *write_state(int memory_fd, const struct tool_saved *saved,
				     uint64_t address)
{
	const size_t size = saved->state_size;
	const uint32_t end = NOTE_END_MAGIC;
	const struct {
		uint32_t magic, extended_size;
		uint64_t features;
		uint32_t state_size, pad[7];
	} note = {NOTE_MAGIC,
		  (uint32_t)(size + sizeof(end)),
		  /* the kernel's note in what ptrace gives: the features it has */
		  *(const uint64_t *)(const void *)(saved->state + FX_NOTE),
		  (uint32_t)size,
		  {0}};

	TRM_TRY(remote_write(memory_fd, address, saved->state, size));
	if (size <= FX_SIZE)
		return NULL;
	TRM_TRY(remote_write(memory_fd, address + FX_NOTE, &note, sizeof(note)));
	return remote_write(memory_fd, address + size, &end, sizeof(end));
}

struct trm_error *tool_run_write_back(const struct thread *thread,
				      const struct tool_saved *saved, uint64_t top,
				      uint64_t *ret_address)
{
	const struct user_regs_struct *r = &saved->registers;
	const int memory_fd = thread->process->space->memory_fd;
	const uint64_t state = (top - saved->state_size - 64) & ~63ull;
	const uint64_t address =
		(state - sizeof(uint64_t) - sizeof(struct kernel_context)) & ~15ull;
	const struct kernel_context context = {
		.flags = CONTEXT_HAS_STATE | CONTEXT_HAS_SS | CONTEXT_STRICT_SS,
		.stack_flags = STACK_INVALID,
		.r8 = r->r8,
		.r9 = r->r9,
		.r10 = r->r10,
		.r11 = r->r11,
		.r12 = r->r12,
		.r13 = r->r13,
		.r14 = r->r14,
		.r15 = r->r15,
		.rdi = r->rdi,
		.rsi = r->rsi,
		.rbp = r->rbp,
		.rbx = r->rbx,
		.rdx = r->rdx,
		.rax = r->rax,
		.rcx = r->rcx,
		.rsp = r->rsp,
		.rip = r->rip,
		.eflags = r->eflags,
		.cs = (uint16_t)r->cs,
		.ss = (uint16_t)r->ss,
		.state = state,
		.mask = saved->mask,
	};
	const uint64_t thread_pointer = r->fs_base;

	TRM_TRY(write_state(memory_fd, saved, state));
	TRM_TRY(remote_write(memory_fd, address, &thread_pointer,
			     sizeof(thread_pointer)));
	TRM_TRY(remote_write(memory_fd, address + sizeof(uint64_t), &context,
			     sizeof(context)));
	*ret_address = address;
	return NULL;
}

static bool is_fault(int signal)
{
	return settle_synchronous >> (signal - 1) & 1;
}

static struct trm_error *gone_error(const struct thread *thread)
{
	return trm_error_create(TRM_ERROR_GONE, "thread %d ended", thread->tid);
}

/* Acts on a stop of a thread that runs code of tools. */
static struct trm_error *see_stop(struct session *session, struct thread *thread,
				  struct tool_saved *saved, const struct event *event,
				  struct tool_outcome *outcome)
{
	switch (event->kind) {
	case EVENT_SYSCALL:
		outcome->event = tool_calls_see(session, thread, true);
		return NULL;
	case EVENT_SIGNAL:
		outcome->signal = event->value;
		if (is_fault(event->value))
			outcome->event = TOOL_FAULTED;
		else
			saved->stop_signal = event->value;
		return NULL;
	case EVENT_EXITED:
	case EVENT_KILLED:
	case EVENT_EXEC:
		event_push(&session->queue, event);
		return gone_error(thread);
	default:
		return NULL;
	}
}

static struct trm_error *resume_tool(const struct thread *thread)
{
	return remote_resume(
		thread->tid,
		thread->tool_pending.entered ? REMOTE_SYSCALL : REMOTE_EMULATE, 0);
}

/* Stops a thread that takes too long: wherever it stops next. */
static struct trm_error *stop_late(struct session *session, struct thread *thread,
				   struct tool_saved *saved, struct tool_outcome *outcome)
{
	enum { PATIENCE_MS = 10000 };
	struct event event;

	if (ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) ||
	    !event_wait_thread(&session->queue, thread->tid, PATIENCE_MS, &event))
		return gone_error(thread);
	TRM_TRY(see_stop(session, thread, saved, &event, outcome));
	if (outcome->event == TOOL_GOES_ON)
		outcome->event = TOOL_LATE;
	return NULL;
}

/* The order is for a tracer that is killed here: the code that the thread has been sent
 * to puts all right by itself. */
static struct trm_error *leave_program(const struct thread *thread,
				       struct tool_saved *saved)
{
	saved->left = true;
	TRM_TRY(set_clean_state(thread, saved));
	return remote_set_mask(thread->tid, ~settle_synchronous);
}

struct trm_error *tool_run(struct session *session, struct thread *thread,
			   struct tool_saved *saved,
			   const struct user_regs_struct *registers, int timeout_ms,
			   struct tool_outcome *ret_outcome)
{
	const uint64_t until = clock_now_ns() + (uint64_t)timeout_ms * 1000000;
	struct tool_outcome outcome = {.event = TOOL_GOES_ON};
	struct user_regs_struct start = *registers;
	struct event event;

	start.orig_rax = (unsigned long long)-1;
	thread->tool_pending.entered = false;
	TRM_TRY(remote_set_registers(thread->tid, &start));
	if (!saved->left)
		TRM_TRY(leave_program(thread, saved));
	while (outcome.event == TOOL_GOES_ON) {
		const uint64_t now = clock_now_ns();

		TRM_TRY(resume_tool(thread));
		if (now < until &&
		    event_wait_thread(&session->queue, thread->tid,
				      (int)((until - now) / 1000000) + 1, &event))
			TRM_TRY(see_stop(session, thread, saved, &event, &outcome));
		else
			TRM_TRY(stop_late(session, thread, saved, &outcome));
	}
	TRM_TRY(remote_get_registers(thread->tid, &outcome.registers));
	outcome.result = outcome.registers.rdx;
	outcome.address = outcome.registers.rsi;
	thread->tool_pending.entered = false;
	*ret_outcome = outcome;
	return NULL;
}

struct trm_error *tool_run_end(struct thread *thread, struct tool_saved *saved)
{
	struct user_regs_struct registers = saved->registers;
	struct trm_error *error;

	registers.orig_rax = (unsigned long long)-1;
	error = move_state(thread, true, saved->state, &saved->state_size);
	free(saved->state);
	saved->state = NULL;
	if (!error)
		error = remote_set_mask(thread->tid, saved->mask);
	if (!error)
		error = remote_set_registers(thread->tid, &registers);
	if (saved->stop_signal)
		syscall(SYS_tkill, thread->tid, saved->stop_signal);
	return error;
}
