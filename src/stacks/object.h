/* What a thread waits for in a system call, in words. */
#ifndef TRAMMEL_STACKS_OBJECT_H
#define TRAMMEL_STACKS_OBJECT_H

#include "base/text.h"
#include "stacks/socket.h"
#include "stacks/thread.h"

/* What there is to wait for. */
enum stacks_kind {
	STACKS_OTHER, /* another system call */
	STACKS_MUTEX, /* that another thread holds */
	STACKS_CONDITION,
	STACKS_SEMAPHORE,
	STACKS_BARRIER,
	STACKS_LOCK,   /* for readers and writers; of a file */
	STACKS_THREAD, /* its end */
	STACKS_FUTEX,
	STACKS_SOCKET,
	STACKS_PIPE,
	STACKS_TERMINAL,
	STACKS_FILE,
	STACKS_EVENT, /* an eventfd, a timer, inotify, ... */
	STACKS_POLL,  /* one of several */
	STACKS_SLEEP,
	STACKS_CHILD,
	STACKS_SIGNAL,
	STACKS_MEMORY, /* a page that is not there */
	STACKS_KINDS,
};

/* The names of kinds: "mutex", ... */
extern const char *const stacks_kind_names[STACKS_KINDS];

struct stacks_object {
	enum stacks_kind kind;
	uint32_t holder;   /* the thread that holds a mutex; 0: none is known */
	uint64_t address;  /* of what a futex is of; 0: it is none */
	struct text words; /* "mutex 0x7f... held by thread 12", "pipe 4711"; owned */
};

/* What is known of a futex while a thread waits for it. */
struct stacks_futex {
	uint32_t holder; /* the thread that holds the mutex; 0: none */
	uint32_t ended;  /* the thread whose end is waited for; 0: none */
};

/* Finds what a thread waits for. `function_names`: of its innermost frames, with spaces
 * between them, by which functions of the C library are told apart; may be "". `futex`:
 * of a call of futex(2), from when it waited; NULL: it waits now. The caller deinits
 * ret_object->words. */
void stacks_object_find(struct stacks_sockets *sockets, uint32_t pid,
			const struct stacks_call *call, const char *function_names,
			const struct stacks_futex *futex,
			struct stacks_object *ret_object);

/* Returns whether a system call may wait for others, and not only take its time. */
bool stacks_call_waits(int64_t number);

/* The name of a system call; NULL: it has none here. */
const char *stacks_call_name(int64_t number);

/* Names a descriptor of a process, as it is now. */
enum stacks_kind stacks_descriptor(struct stacks_sockets *sockets, uint32_t pid, int fd,
				   struct text *out);

#endif
