#include "session/position/interrupted_calls.h"

#include "base/clock.h"
#include "control/remote.h"
#include "resident/resident.h"
#include "session/position/blocking_calls.h"
#include "wire/bank.h"

#include <errno.h>
#include <linux/aio_abi.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_given_up(const struct user_regs_struct *registers)
{
	return (int64_t)registers->rax == -EINTR ||
	       (int64_t)registers->rax == -ERESTARTNOHAND;
}

/* Address at which the resident makes the rest of calls. */
static uint64_t place_of_rest(const struct thread *thread)
{
	return thread->process->space->family->arena->address + resident_table()->rest;
}

/* Returns the thread's record of a rest, if it makes one now; NULL: it does not. */
static struct wire_rest *rest_at(const struct thread *thread, uint64_t rip)
{
	const struct process *process = thread->process;

	return thread->bank && process && process->space && process->space->family &&
			       rip - place_of_rest(thread) <
				       resident_table()->rest_end - resident_table()->rest
		       ? &thread->bank->shared->rest
		       : NULL;
}

bool interrupted_calls_are_in_rest(const struct thread *thread, uint64_t rip)
{
	return rest_at(thread, rip);
}

void interrupted_calls_lead_rest(const struct thread *thread, uint64_t rip)
{
	thread->bank->shared->rest.rip = rip;
}

static uint64_t address_in_bank(const struct thread *thread, const void *field)
{
	return thread->bank->address +
	       (uint64_t)((const char *)field - (const char *)thread->bank->shared);
}

/* Writes vectors without their first `done` bytes to the bank. A thread that makes a
 * rest goes on only with registers that are set later, so nothing there is in use. */
static bool put_vectors(const struct thread *thread,
			const struct blocking_vectors *vectors, uint64_t done,
			size_t *ret_count)
{
	struct wire_rest *rest = &thread->bank->shared->rest;
	size_t first = 0;

	while (first < vectors->count && vectors->items[first].iov_len <= done)
		done -= vectors->items[first++].iov_len;
	*ret_count = vectors->count - first;
	if (*ret_count > WIRE_REST_VECTORS)
		return false;
	for (size_t i = 0; i < *ret_count; i++) {
		const struct iovec *vector = &vectors->items[first + i];
		uint64_t skipped = i ? 0 : done;

		rest->vectors[i][0] = (uint64_t)(uintptr_t)vector->iov_base + skipped;
		rest->vectors[i][1] = vector->iov_len - skipped;
	}
	return true;
}

static void put_message(const struct thread *thread, struct msghdr message, size_t count,
			struct user_regs_struct *registers)
{
	struct wire_rest *rest = &thread->bank->shared->rest;

	message.msg_iov = (void *)(uintptr_t)address_in_bank(thread, rest->vectors);
	message.msg_iovlen = count;
	memcpy(rest->message, &message, sizeof(message));
	registers->rsi = address_in_bank(thread, rest->message);
}

/* Clears a socket's error: the kernel keeps one for a socket whose messages were cut
 * short (net/socket.c, do_recvmmsg), and the next call would fail with it. */
static void forget_error(const struct thread *thread, uint64_t descriptor)
{
	int borrowed = blocking_borrow_socket(thread, descriptor);
	int number;
	socklen_t size = sizeof(number);

	if (borrowed < 0)
		return;
	getsockopt(borrowed, SOL_SOCKET, SO_ERROR, &number, &size);
	close(borrowed);
}

/* Changes the arguments to those of the call without the part that is done. */
static bool skip_call(const struct thread *thread, const struct blocking_call *call,
		      uint64_t done, struct user_regs_struct *registers)
{
	static struct blocking_vectors vectors;
	struct msghdr message;
	size_t count;

	switch ((enum blocking_unit)call->unit) {
	case BLOCKING_BYTES:
		registers->rsi += done;
		registers->rdx -= done;
		return true;
	case BLOCKING_VECTORS:
		if (!blocking_read_vectors(thread, registers->rsi, registers->rdx,
					   &vectors) ||
		    !put_vectors(thread, &vectors, done, &count))
			return false;
		registers->rsi =
			address_in_bank(thread, thread->bank->shared->rest.vectors);
		registers->rdx = count;
		return true;
	case BLOCKING_MESSAGE:
		if (!blocking_read_message(thread, registers->rsi, &message, &vectors) ||
		    !put_vectors(thread, &vectors, done, &count))
			return false;
		put_message(thread, message, count, registers);
		return true;
	case BLOCKING_MESSAGES:
		if (call->number == SYS_recvmmsg)
			forget_error(thread, registers->rdi);
		registers->rsi += done * sizeof(struct mmsghdr);
		registers->rdx -= done;
		return true;
	case BLOCKING_FILE_BYTES:
		registers->r10 -= done;
		return true;
	case BLOCKING_RANDOM:
		registers->rdi += done;
		registers->rsi -= done;
		return true;
	case BLOCKING_EVENTS:
		registers->rsi -= done;
		registers->rdx -= done;
		registers->r10 += done * sizeof(struct io_event);
		return true;
	case BLOCKING_NOTHING:
		break;
	}
	return false;
}

/*
 * Changes the call so that it raises no SIGPIPE. A socket whose other end is closed
 * returns the bytes sent by then, and raises SIGPIPE only at the next call; so the rest
 * must not raise it. A system call filter may forbid the call that a write is turned
 * into.
 */
static void raise_nothing(const struct thread *thread, struct user_regs_struct *registers)
{
	struct stat status;
	bool waits;

	switch (registers->rax) {
	case SYS_sendto:
	case SYS_sendmmsg:
		registers->r10 |= MSG_NOSIGNAL;
		return;
	case SYS_sendmsg:
		registers->rdx |= MSG_NOSIGNAL;
		return;
	case SYS_write:
	case SYS_writev:
		break;
	default:
		return;
	}
	if (thread->process->space->filters ||
	    !blocking_find_file(thread, registers->rdi, &status, &waits) ||
	    !S_ISSOCK(status.st_mode))
		return;
	if (registers->rax == SYS_write) {
		registers->rax = SYS_sendto;
		registers->r10 = MSG_NOSIGNAL;
		registers->r8 = registers->r9 = 0;
	} else {
		registers->rax = SYS_sendmsg;
		put_message(thread, (struct msghdr){0}, registers->rdx, registers);
		registers->rdx = MSG_NOSIGNAL;
	}
}

/* Reduces the call's timeout to the time that is left. */
static void wait_shorter(const struct thread *thread, const struct blocking_call *call,
			 struct user_regs_struct *registers)
{
	const uint64_t now = clock_now_ns();
	uint64_t left = thread->rest_until > now ? thread->rest_until - now : 0;
	struct wire_rest *rest = &thread->bank->shared->rest;
	uint64_t *time = rest->vectors[0];
	const uint64_t address = address_in_bank(thread, time);
	struct blocking_ring ring;

	if (call->patience == BLOCKING_MILLISECONDS) {
		registers->r10 = (left + 999999) / 1000000;
		return;
	}
	time[0] = left / 1000000000;
	time[1] = left % 1000000000;
	if (call->patience == BLOCKING_IN_RDX)
		registers->rdx = address;
	else if (call->patience == BLOCKING_IN_R10)
		registers->r10 = address;
	else if (call->patience == BLOCKING_IN_R8)
		registers->r8 = address;
	else if (blocking_read_ring(thread, registers, &ring)) {
		ring.time = address;
		memcpy(rest->message, &ring, sizeof(ring));
		registers->r8 = address_in_bank(thread, rest->message);
	}
}

static bool is_of_socket(const struct blocking_call *call)
{
	return call->patience == BLOCKING_TO_RECEIVE ||
	       call->patience == BLOCKING_TO_SEND;
}

/* Returns whether the time of the socket's option has passed: the rest then fails as
 * the call would have. */
static bool is_over(const struct thread *thread, const struct blocking_call *call)
{
	return is_of_socket(call) && clock_now_ns() >= thread->rest_until;
}

/* Returns whether the thread can be moved into the resident. A filter installed later
 * may forbid trammel's calls. */
static bool may_make_rest(const struct thread *thread)
{
	const struct process *process = thread->process;
	const struct space *space = process ? process->space : NULL;

	return space && space->family && thread->bank && !space->out &&
	       !space->abandoned && remote_filters(thread->tid) == space->filters;
}

/* Saves the program's registers for the time behind its call. */
static void begin_rest(struct thread *thread, const struct user_regs_struct *registers,
		       uint64_t patience)
{
	struct wire_rest *rest = &thread->bank->shared->rest;

	rest->rip = registers->rip;
	rest->rbx = registers->rbx;
	rest->rdi = registers->rdi;
	rest->rsi = registers->rsi;
	rest->rdx = registers->rdx;
	rest->r10 = registers->r10;
	rest->r8 = registers->r8;
	rest->r9 = registers->r9;
	thread->rest_until =
		patience == UINT64_MAX ? UINT64_MAX : clock_now_ns() + patience;
}

/* Writes the registers with which the thread makes the rest; they are set in one step:
 * a tracer that is killed before that has done nothing. `done`: the part that is done
 * of the call as it stands. */
static bool find_rest(struct thread *thread, const struct blocking_call *call,
		      uint64_t done, struct user_regs_struct *registers)
{
	const bool again = rest_at(thread, registers->rip);
	const uint64_t patience = again ? 0 : blocking_patience(thread, call, registers);

	if (!done && !again && patience == UINT64_MAX)
		return false;
	if (!again) {
		begin_rest(thread, registers, patience);
		registers->rbx = 0;
	}
	if (!done && is_over(thread, call)) {
		registers->rax =
			(uint64_t)(call->number == SYS_connect ? -EINPROGRESS : -EAGAIN);
		return true;
	}
	if (done && !skip_call(thread, call, done, registers))
		return false;
	registers->rbx += done;
	registers->rip = place_of_rest(thread);
	registers->rax = call->number;
	if (done)
		raise_nothing(thread, registers);
	if (thread->rest_until != UINT64_MAX && !is_of_socket(call))
		wait_shorter(thread, call, registers);
	return true;
}

void interrupted_calls_go_on(struct thread *thread)
{
	struct user_regs_struct registers;
	const struct blocking_call *call;
	bool given_up;

	if (!thread->cut_short)
		return;
	thread->cut_short = false;
	if (!may_make_rest(thread) ||
	    remote_failed(remote_get_registers(thread->tid, &registers)))
		return;
	call = blocking_call_of(&registers);
	given_up = is_given_up(&registers);
	if (!call || (!given_up && !blocking_is_cut_short(thread, call, &registers)) ||
	    !find_rest(thread, call, given_up ? 0 : registers.rax, &registers))
		return;
	registers.orig_rax = (unsigned long long)-1;
	trm_error_destroy(remote_set_registers(thread->tid, &registers));
}

/* Handles a stop in one of the calls that wait. */
static void see_stop(struct thread *thread, struct user_regs_struct *registers)
{
	thread->cut_short = is_given_up(registers) || (int64_t)registers->rax > 0;
	if ((int64_t)registers->rax != -EINTR)
		return;
	registers->rax = (uint64_t)-ERESTARTNOHAND;
	trm_error_destroy(remote_set_registers(thread->tid, registers));
}

void interrupted_calls_see_stop(struct thread *thread)
{
	struct user_regs_struct registers;

	if (!remote_failed(remote_get_registers(thread->tid, &registers)) &&
	    blocking_call_of(&registers))
		see_stop(thread, &registers);
}

/* Sets the result of the program's call if the rest ends here. If nothing is done yet,
 * the kernel is to make the call again, unless a handler runs. */
static void sum_up(struct user_regs_struct *registers, uint64_t offset)
{
	const bool made = offset != resident_table()->rest;

	if (offset >= resident_table()->rest_summed)
		return;
	if (made && (int64_t)registers->rax >= 0) {
		registers->rax += registers->rbx;
	} else if (registers->rbx) {
		registers->rax = registers->rbx;
	} else if (!made) {
		registers->orig_rax = registers->rax;
		registers->rax = (uint64_t)-ERESTARTNOHAND;
	}
	if ((int64_t)registers->rax >= 0)
		registers->orig_rax = (unsigned long long)-1;
}

bool interrupted_calls_leave_rest(const struct thread *thread,
				  struct user_regs_struct *registers)
{
	const struct wire_rest *rest = rest_at(thread, registers->rip);

	if (!rest)
		return false;
	sum_up(registers,
	       registers->rip - place_of_rest(thread) + resident_table()->rest);
	registers->rip = rest->rip;
	registers->rbx = rest->rbx;
	registers->rdi = rest->rdi;
	registers->rsi = rest->rsi;
	registers->rdx = rest->rdx;
	registers->r10 = rest->r10;
	registers->r8 = rest->r8;
	registers->r9 = rest->r9;
	registers->rcx = rest->rip;
	return true;
}

/* Handles a signal that ends the call, or, if it has no handler, stops the process,
 * and so ends the call for good: the call is not to be taken for one that a later stop
 * has ended. */
static void see_end(const struct thread *thread, bool handled,
		    struct user_regs_struct *registers)
{
	bool left = interrupted_calls_leave_rest(thread, registers);
	bool ends = !handled && blocking_call_of(registers);

	if (ends && is_given_up(registers) && registers->orig_rax != SYS_io_pgetevents)
		registers->rax = (uint64_t)-EINTR;
	if (ends && ((int64_t)registers->rax == -EINTR || (int64_t)registers->rax >= 0))
		registers->orig_rax = (unsigned long long)-1;
	if (left || ends)
		trm_error_destroy(remote_set_registers(thread->tid, registers));
}

void interrupted_calls_see_signal(struct thread *thread, int signal)
{
	struct user_regs_struct registers;
	const struct blocking_call *call;

	thread->cut_short = false;
	if (remote_failed(remote_get_registers(thread->tid, &registers)))
		return;
	call = blocking_call_of(&registers);
	if (!call && !rest_at(thread, registers.rip))
		return;
	/* Most signals have a handler, and each question reads a file. */
	if (!remote_ignores(thread->tid, signal, UINT64_MAX))
		see_end(thread, true, &registers);
	else if (!remote_ignores(thread->tid, signal, 0))
		see_end(thread, false, &registers);
	else if (call)
		see_stop(thread, &registers);
}
