/* fork.c. */
#ifndef TRAMMEL_RUNTIME_EVENTS_FORK_H
#define TRAMMEL_RUNTIME_EVENTS_FORK_H

#include <stdbool.h>

struct context_thread;

/* pthread_atfork of any C library: what a program links with its name is glibc's alone.
 * False: there is no memory. */
bool fork_handle(void (*prepare)(void), void (*parent)(void), void (*child)(void));

/* Around a fork: what is open in the thread is noted for the child. */
void fork_prepare(void);

void fork_parent(void);

/* What was noted; nothing where the fork was not seen (a system call in assembly). */
void fork_enter_path(struct context_thread *thread);

/* At the end of a thread. */
void fork_forget(void);

#endif
