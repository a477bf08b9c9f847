/* The state of a thread across fork. */
#ifndef TRAMMEL_RUNTIME_EVENTS_FORK_H
#define TRAMMEL_RUNTIME_EVENTS_FORK_H

#include <stdbool.h>

struct context_thread;

/* Registers functions as pthread_atfork() does, in any C library: the name that a
 * program links with is glibc's alone. Returns false if there is no memory. */
bool fork_handle(void (*prepare)(void), void (*parent)(void), void (*child)(void));

/* Notes before a fork, for the child, what is open in the thread. */
void fork_prepare(void);

/* Drops the notes after the fork, in the parent. */
void fork_parent(void);

/* Opens in a child what fork_prepare() noted; nothing where the fork was not seen (a
 * system call in assembly). */
void fork_enter_path(struct context_thread *thread);

/* Forgets the notes of a thread that ends. */
void fork_forget(void);

#endif
