/*
 * Events of traced threads. Only this file waits for them; the session acts on them.
 * Order: events of one thread come in order; a child's first stop may come before its
 * parent's event.
 */
#ifndef TRAMMEL_CONTROL_EVENT_H
#define TRAMMEL_CONTROL_EVENT_H

#include "base/vector.h"

#include <stdbool.h>
#include <sys/types.h>

enum event_kind {
	EVENT_EXITED,     /* value: exit status; the thread is gone */
	EVENT_KILLED,     /* value: signal that ended it; the thread is gone */
	EVENT_SIGNAL,     /* value: signal about to be delivered */
	EVENT_GROUP_STOP, /* value: the stopping signal */
	EVENT_STOP,       /* first stop of a new thread, or an interrupt of ours */
	EVENT_SYSCALL,    /* entry to or exit from a system call */
	EVENT_FORK,       /* value: pid of the child; also vfork and other clones */
	EVENT_CLONE,      /* value: tid of the child of clone(2); may be a process */
	EVENT_EXEC,       /* value: tid that the thread had before */
	EVENT_OTHER,      /* nothing that matters: resume */
};

struct event {
	pid_t tid;
	enum event_kind kind;
	int value;
};

/* Events that arrived while another thread's event was waited for. */
struct event_queue {
	struct VECTOR(struct event) pending;
};

/* Takes the next event of any thread, without waiting. False if there is none. */
bool event_poll(struct event_queue *queue, struct event *ret_event);

/* Takes the next event of thread `tid`, without waiting. False if there is none. */
bool event_poll_thread(struct event_queue *queue, pid_t tid, struct event *ret_event);

/* Waits for the next event of thread `tid`, at most `timeout_ms`; false if none came.
 * Pending events of this thread come first. */
bool event_wait_thread(struct event_queue *queue, pid_t tid, int timeout_ms,
		       struct event *ret_event);

/* Reads the pending event of thread `tid` without taking it; false if there is none. */
bool event_peek(const struct event_queue *queue, pid_t tid, struct event *ret_event);

/* Takes the signal that thread `tid` stands at, so that it is gone, should the tracer be
 * killed before it resumes the thread. */
void event_take_signal(pid_t tid);

/* Puts an event back: event_poll returns it before newer ones. */
void event_push(struct event_queue *queue, const struct event *event);

/* Notes that a thread is about to be resumed or detached. */
void event_resuming(pid_t tid);

/* The ptrace options of every traced thread (for PTRACE_SEIZE). */
int event_trace_options(void);

#endif
