#include "session/thread/borrowed_thread.h"

#include "control/remote.h"
#include "session/thread/banks.h"
#include "session/thread/threads.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#ifndef PTRACE_GET_RSEQ_CONFIGURATION
#define PTRACE_GET_RSEQ_CONFIGURATION 0x420f
#endif

/* struct ptrace_rseq_configuration of linux/ptrace.h */
struct rseq_configuration {
	uint64_t address;
	uint32_t size, signature, flags, pad;
};

/* Offset in struct rseq of linux/rseq.h. */
#define RSEQ_CS_OFFSET 8

/* Bytes of stack that injected code needs, and some more. */
#define STACK_NEEDED 1024

static struct trm_error *none_error(void)
{
	return trm_error_create(TRM_ERROR_GONE,
				"no thread can make system calls for trammel now");
}

static bool is_in(const struct thread *thread, const struct space *space)
{
	return thread->process && thread->process->space == space;
}

/* Returns whether a thread is in a restartable sequence, or just behind one: there the
 * kernel requires the thread's true place. */
static bool in_sequence(const struct thread *thread)
{
	struct rseq_configuration configuration = {0};
	uint64_t sequence = 0;

	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, thread->tid, sizeof(configuration),
		   &configuration) <= 0 ||
	    !configuration.address)
		return false;
	return remote_failed(remote_read(thread->process->space->memory_fd,
					 configuration.address + RSEQ_CS_OFFSET,
					 &sequence, sizeof(sequence))) ||
	       sequence != 0;
}

static bool has_stack(const struct thread *thread,
		      const struct user_regs_struct *registers)
{
	uint8_t bytes[STACK_NEEDED];

	return !remote_failed(remote_read(thread->process->space->memory_fd,
					  registers->rsp - sizeof(bytes), bytes,
					  sizeof(bytes)));
}

/* Returns whether a thread is inside a system call that has no result yet, as behind
 * the event that a child was made: what that call does with registers comes after all
 * that the tracer does. */
static bool in_call(const struct user_regs_struct *registers)
{
	return (int64_t)registers->orig_rax >= 0 && (int64_t)registers->rax == -ENOSYS;
}

/*
 * Prepares an interrupted system call to be made again, as the kernel would do it. So
 * the thread is sound at each instant, and outside of any call for the calls that it
 * makes for the tracer.
 */
static void leave_call(struct user_regs_struct *registers)
{
	int64_t result = (int64_t)registers->rax;

	if ((int64_t)registers->orig_rax >= 0) {
		if (result == -ERESTARTSYS || result == -ERESTARTNOINTR ||
		    result == -ERESTARTNOHAND) {
			registers->rax = registers->orig_rax;
			registers->rip -= 2; /* the length of `syscall` */
		} else if (result == -ERESTART_RESTARTBLOCK) {
			registers->rax = SYS_restart_syscall;
			registers->rip -= 2;
		}
	}
	registers->orig_rax = (unsigned long long)-1;
}

/* Its registers are saved, and a system call that it is in. */
bool borrowed_thread_take(struct session *session, struct thread *thread,
			  struct borrowed_thread *ret_loan)
{
	struct user_regs_struct registers;
	struct event event;

	if (!thread->stopped || thread->state != THREAD_RUNNING)
		return false;
	/* The process is stopped by a signal: the thread will say so again. */
	bool group_stop = thread->event_pending &&
			  event_peek(&session->queue, thread->tid, &event) &&
			  event.kind == EVENT_GROUP_STOP;

	if ((thread->event_pending && !group_stop) ||
	    remote_failed(remote_get_registers(thread->tid, &registers)) ||
	    in_call(&registers) || in_sequence(thread) || !has_stack(thread, &registers))
		return false;
	*ret_loan = (struct borrowed_thread){thread, registers};
	leave_call(&registers);
	if (remote_failed(remote_set_registers(thread->tid, &registers)))
		return false;
	if (group_stop) {
		event_wait_thread(&session->queue, thread->tid, 0, &event);
		thread->event_pending = false;
	}
	return true;
}

bool borrowed_thread_find(struct session *session, const struct space *space,
			  struct borrowed_thread *ret_loan)
{
	vector_for_each (&session->all_threads, thread)
		if (is_in(*thread, space) &&
		    borrowed_thread_take(session, *thread, ret_loan))
			return true;
	return false;
}

/* A new stop, by an interrupt: the kernel looks at an interrupted system call only on the
 * way out of one, or of a signal's. */
bool borrowed_thread_end(struct session *session, struct borrowed_thread *borrowed)
{
	struct thread *thread = borrowed->thread;

	if (!thread_ask_to_stop(thread) ||
	    remote_failed(remote_resume(thread->tid, REMOTE_RUN, 0)))
		return false;
	thread->stopped = false;
	return thread_await_stop(session, thread, 1000) &&
	       !remote_failed(remote_set_registers(thread->tid, &borrowed->registers));
}

struct trm_error *thread_borrow(struct session *session, struct thread *thread,
				struct trm_error *(*work)(void *context,
							  struct thread *thread),
				void *context)
{
	struct borrowed_thread borrowed;
	struct trm_error *error;

	if (thread->state != THREAD_RUNNING ||
	    (!thread->stopped && !thread_interrupt(session, thread)))
		return none_error();
	if (!borrowed_thread_take(session, thread, &borrowed)) {
		thread_resume(session, thread, 0);
		return none_error();
	}
	error = work(context, thread);
	borrowed_thread_end(session, &borrowed);
	/* With a bank it goes on with a system call that this has cut short. */
	if (!error)
		thread_take_free_bank(session, thread);
	thread_resume(session, thread, 0);
	return error;
}

struct trm_error *space_borrow(struct session *session, const struct space *space,
			       struct trm_error *(*work)(void *context,
							 struct thread *thread),
			       void *context)
{
	struct trm_error *error = none_error();

	/* By index, since an exec may take threads away; the first is the oldest. */
	for (size_t i = 0; i < session->all_threads.count; i++) {
		struct thread *thread = session->all_threads.items[i];

		if (!is_in(thread, space))
			continue;
		trm_error_destroy(error);
		error = thread_borrow(session, thread, work, context);
		if (!error || error->code != TRM_ERROR_GONE)
			return error;
	}
	return error;
}
