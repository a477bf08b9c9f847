#include "session/run/wait_redo.h"

#include "base/cleanup.h"
#include "session/position/blocking_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

enum { MS = 1000000 };

void wait_redo_begin(struct waits_thread *thread, struct stacks_call *call,
		     uint64_t now_ns)
{
	if (!thread->redone)
		thread->began_ns = now_ns;
	else if (thread->shortened)
		call->arguments[3] = thread->patience;
	thread->redone = false;
}

/* The register that said how long it still may take is the program's. */
static void give_back(struct waits_thread *thread, struct user_regs_struct *registers)
{
	if (thread->shortened)
		registers->r10 = thread->patience;
	thread->shortened = false;
}

void wait_redo_end(struct waits_thread *thread)
{
	struct user_regs_struct registers;

	if (!thread->shortened ||
	    remote_failed(remote_get_registers((pid_t)thread->tid, &registers)))
		return;
	give_back(thread, &registers);
	trm_error_destroy(remote_set_registers((pid_t)thread->tid, &registers));
}

/* How long a call may take. */
static uint64_t patience_of(const struct waits_thread *thread,
			    const struct blocking_call *call,
			    const struct user_regs_struct *registers)
{
	struct space space = {.memory_fd = -1};
	struct process process = {.pid = (pid_t)thread->pid, .space = &space};
	const struct thread asked = {.tid = (pid_t)thread->tid, .process = &process};
	scoped_fd int memory_fd = -1;

	if (!remote_failed(remote_open((pid_t)thread->pid, "mem", O_RDONLY, &memory_fd)))
		space.memory_fd = memory_fd;
	return blocking_patience(&asked, call, registers);
}

/* What a call returns when its time is over. */
static int64_t result_of(const struct blocking_call *call)
{
	switch (call->number) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_io_getevents:
	case SYS_io_pgetevents:
		return 0;
	case SYS_io_uring_enter:
		return -ETIME;
	case SYS_connect:
		return -EINPROGRESS;
	default:
		return -EAGAIN;
	}
}

bool wait_redo_call(struct waits_thread *thread, uint64_t now_ns)
{
	const uint64_t passed = now_ns - thread->began_ns;
	struct user_regs_struct registers;
	const struct blocking_call *call;
	uint64_t patience;

	if (remote_failed(remote_get_registers((pid_t)thread->tid, &registers)))
		return false;
	call = (int64_t)registers.rax == -EINTR ? blocking_call_of(&registers) : NULL;
	if (!call)
		return false;
	give_back(thread, &registers);
	patience = patience_of(thread, call, &registers);
	thread->redone = patience > passed;
	registers.rax =
		(uint64_t)(thread->redone ? -ERESTARTNOHAND : (int)result_of(call));
	if (!thread->redone) {
		registers.orig_rax = (unsigned long long)-1;
	} else if (call->patience == BLOCKING_MILLISECONDS && patience != UINT64_MAX) {
		thread->shortened = true;
		thread->patience = registers.r10;
		registers.r10 = (patience - passed + MS - 1) / MS;
	}
	return !remote_failed(remote_set_registers((pid_t)thread->tid, &registers)) &&
	       thread->redone;
}

void wait_redo_leave(struct waits_thread *thread, bool caught)
{
	struct user_regs_struct registers;

	if ((caught && !thread->redone && !thread->shortened) ||
	    remote_failed(remote_get_registers((pid_t)thread->tid, &registers)) ||
	    !blocking_call_of(&registers))
		return;
	give_back(thread, &registers);
	if (thread->redone)
		registers.rax = (uint64_t)-EINTR;
	/* A later signal that is ignored is not to have it made again. */
	if (!caught && (int64_t)registers.rax == -EINTR)
		registers.orig_rax = (unsigned long long)-1;
	thread->redone = false;
	trm_error_destroy(remote_set_registers((pid_t)thread->tid, &registers));
}
