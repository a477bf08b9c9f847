/* The tables of threads and processes, and their banks. */
#ifndef TRAMMEL_SESSION_THREADS_H
#define TRAMMEL_SESSION_THREADS_H

#include "session/session.h"

struct thread *session_find_thread(const struct session *session, pid_t tid);

struct process *session_find_process(const struct session *session, pid_t pid);

struct thread *session_add_thread(struct session *session, pid_t tid);

void session_remove_thread(struct session *session, struct thread *thread);

struct process *session_add_process(struct session *session, pid_t pid, pid_t parent,
				    const char *program);

struct image_run *session_add_image(struct session *session, pid_t pid, pid_t parent,
				    const char *program);

void session_remove_process(struct session *session, struct process *process);

/* Gives a stopped thread a bank of its own; without one it goes on with its parent's. */
void thread_assign_bank(struct session *session, struct thread *thread, uint32_t quiet);

/* The same if there is one, and it has none: nothing is injected. */
void thread_take_free_bank(struct session *session, struct thread *thread);

/* A thread of a forked process that is let go gets a bank that nobody looks at, all of
 * them the same: its hooks ask nobody. */
void thread_set_aside(struct session *session, struct thread *thread);

/* A thread that is let go keeps its banks: it may be in a hook, or count on. */
void thread_leave_bank(struct thread *thread);

/* Bytes of a bank for so many counters. */
uint64_t bank_stride_for(uint64_t slots, uint32_t slot_size);

/* How many banks of so many bytes a chunk of a process has at least: usual programs need
 * no other. Large ones, as with call graphs, are made one at a time, and so are all where
 * RLIMIT_AS says how much memory the program may map. */
uint32_t bank_least(pid_t pid, uint64_t stride);

/* Makes all banks of the space hold at least `slots` counters. `thread` may be injected.
 */
struct trm_error *space_widen_banks(struct session *session, struct space *space,
				    struct thread *thread, uint32_t slots);

/* Of a stopped thread, rounded down to a word; 0: it is gone. */
uint64_t stack_pointer_of(const struct thread *thread);

void thread_resume(struct session *session, struct thread *thread, int signal);

/* Makes sure that so many banks of the widest kind are free. `thread` may be injected. */
struct trm_error *space_reserve_banks(struct session *session, struct space *space,
				      struct thread *thread, uint32_t count);

/* At a call's entry: it is not made now, but when the thread goes on behind it. Whether
 * that could be said. */
bool thread_put_off_call(const struct thread *thread, struct user_regs_struct *registers);

/* Stops a running thread at an instruction outside of a system call's middle; false if it
 * is gone. */
bool thread_interrupt(struct session *session, struct thread *thread);

/* The same in two steps, for many threads at a time. */
bool thread_ask_to_stop(const struct thread *thread);

bool thread_await_stop(struct session *session, struct thread *thread, int timeout_ms);

/* The number of system call filters (seccomp) of a thread. */
uint64_t thread_filters(pid_t tid);

/* Notes whether a thread has to wait for plans; what it waited counts as instrumenting.
 */
void thread_defer(struct session *session, struct thread *thread, bool wait);

#endif
