#include "control/event.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "control/remote.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif

/* How long to wait for a thread before checking whether it exists. */
#define ZOMBIE_MS 20

int event_trace_options(void)
{
	return PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
	       PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;
}

static int event_message(pid_t tid)
{
	unsigned long message = 0;

	ptrace(PTRACE_GETEVENTMSG, tid, 0, &message);
	return (int)message;
}

/* See ptrace(2), "Stopped states". */
static struct event classify_stop(pid_t tid, int status)
{
	int signal = WSTOPSIG(status);

	switch (status >> 16) {
	case 0:
		if (signal == (SIGTRAP | 0x80))
			return (struct event){tid, EVENT_SYSCALL, 0};
		return (struct event){tid, EVENT_SIGNAL, signal};
	case PTRACE_EVENT_STOP:
		if (signal == SIGTRAP)
			return (struct event){tid, EVENT_STOP, 0};
		return (struct event){tid, EVENT_GROUP_STOP, signal};
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
		return (struct event){tid, EVENT_FORK, event_message(tid)};
	case PTRACE_EVENT_CLONE:
		return (struct event){tid, EVENT_CLONE, event_message(tid)};
	case PTRACE_EVENT_EXEC:
		return (struct event){tid, EVENT_EXEC, event_message(tid)};
	default:
		return (struct event){tid, EVENT_OTHER, 0};
	}
}

static struct event classify_status(pid_t tid, int status)
{
	if (WIFEXITED(status))
		return (struct event){tid, EVENT_EXITED, WEXITSTATUS(status)};
	if (WIFSIGNALED(status))
		return (struct event){tid, EVENT_KILLED, WTERMSIG(status)};
	return classify_stop(tid, status);
}

/*
 * Threads that stand at a signal, were seen there, and were not waited for. The kernel
 * forgets the signal of a thread that was (wait_task_stopped, ptrace_stop in Linux'
 * kernel/): a tracer that is killed before it resumes the thread would take it along.
 */
static struct VECTOR(pid_t) seen;

static bool forget_seen(pid_t tid)
{
	for (size_t i = 0; i < seen.count; i++) {
		if (seen.items[i] != tid)
			continue;
		seen.items[i] = seen.items[--seen.count];
		return true;
	}
	return false;
}

void event_resuming(pid_t tid)
{
	forget_seen(tid);
}

/* Whether a thread stands at a signal that would not come again without us. Faults do,
 * unless the thread was led away from their instruction. */
static bool is_left(const siginfo_t *info)
{
	return info->si_code == CLD_TRAPPED && info->si_status <= SIGRTMAX &&
	       info->si_status != SIGSEGV && info->si_status != SIGBUS &&
	       info->si_status != SIGILL && info->si_status != SIGFPE;
}

/* Reads the status of a thread, or of any (-1), without waiting and without taking it. */
static bool look_now(pid_t tid, siginfo_t *ret_info)
{
	const idtype_t type = tid < 0 ? P_ALL : P_PID;
	const int flags = WEXITED | WSTOPPED | __WALL | WNOHANG | WNOWAIT;
	int result;

	do {
		ret_info->si_pid = 0;
		result = waitid(type, tid < 0 ? 0 : (id_t)tid, ret_info, flags);
	} while (result && errno == EINTR);
	return !result && ret_info->si_pid;
}

static bool take_now(pid_t tid, struct event *ret_event)
{
	int status;
	pid_t found;

	do {
		found = waitpid(tid, &status, __WALL | WNOHANG);
	} while (found < 0 && errno == EINTR);
	if (found <= 0)
		return false;
	*ret_event = classify_status(found, status);
	return true;
}

static bool wait_now(pid_t tid, struct event *ret_event)
{
	siginfo_t info;

	while (look_now(tid, &info)) {
		const bool again = forget_seen(info.si_pid);

		remote_forget_registers(info.si_pid);
		if (!again && is_left(&info)) {
			vector_push(&seen, info.si_pid);
			*ret_event =
				(struct event){info.si_pid, EVENT_SIGNAL, info.si_status};
			return true;
		}
		/* A thread that still stands where it was seen would hide events of
		 * others: take its status. */
		if (take_now(info.si_pid, ret_event) &&
		    !(again && ret_event->kind == EVENT_SIGNAL))
			return true;
	}
	return false;
}

void event_take_signal(pid_t tid)
{
	int status;

	if (forget_seen(tid))
		waitpid(tid, &status, __WALL | WNOHANG);
}

static void take_pending(struct event_queue *queue, size_t index, struct event *ret_event)
{
	*ret_event = queue->pending.items[index];
	for (size_t i = index + 1; i < queue->pending.count; i++)
		queue->pending.items[i - 1] = queue->pending.items[i];
	queue->pending.count--;
}

bool event_poll(struct event_queue *queue, struct event *ret_event)
{
	if (queue->pending.count) {
		take_pending(queue, 0, ret_event);
		return true;
	}
	return wait_now(-1, ret_event);
}

bool event_poll_thread(struct event_queue *queue, pid_t tid, struct event *ret_event)
{
	for (size_t i = 0; i < queue->pending.count; i++) {
		if (queue->pending.items[i].tid == tid) {
			take_pending(queue, i, ret_event);
			return true;
		}
	}
	return wait_now(tid, ret_event);
}

/* The first thread of a process that ended: that is told only when all others have ended,
 * and were waited for. */
static bool is_zombie(pid_t tid)
{
	char path[64], line[512];
	const char *rest;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	scoped_file FILE *file = fopen(path, "re");

	/* The name may have parentheses in it. */
	rest = file && fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	return rest && (rest[2] == 'Z' || rest[2] == 'X');
}

bool event_wait_thread(struct event_queue *queue, pid_t tid, int timeout_ms,
		       struct event *ret_event)
{
	const uint64_t start = clock_now_ns();
	int waited_ms = 0;
	const struct timespec pause = {0, 200000};
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (waited_ms <= timeout_ms) {
		if (event_poll_thread(queue, tid, ret_event))
			return true;
		if (waited_ms >= ZOMBIE_MS && is_zombie(tid))
			return event_poll_thread(queue, tid, ret_event);
		/* SIGCHLD is blocked and pending: taking it here only makes the main loop
		 * look once more, which it does anyway. */
		sigtimedwait(&child, NULL, &pause);
		waited_ms = (int)((clock_now_ns() - start) / 1000000);
	}
	return false;
}

bool event_peek(const struct event_queue *queue, pid_t tid, struct event *ret_event)
{
	vector_for_each (&queue->pending, event) {
		if (event->tid != tid)
			continue;
		*ret_event = *event;
		return true;
	}
	return false;
}

void event_push(struct event_queue *queue, const struct event *event)
{
	vector_push(&queue->pending, *event);
}
