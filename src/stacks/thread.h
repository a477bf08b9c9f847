/*
 * What a thread of a running process does at a moment, by what the kernel tells of it: a
 * thread that waits in a system call is not disturbed, and need not be stopped.
 */
#ifndef TRAMMEL_STACKS_THREAD_H
#define TRAMMEL_STACKS_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	STACKS_ARGUMENTS = 6,
	STACKS_NAME = 16,          /* bytes of a thread's name, with its end */
	STACKS_BYTES = 128 * 1024, /* most bytes of a stack that are looked at */
};

enum stacks_state {
	STACKS_RUNNING, /* on a processor, or ready for one */
	STACKS_WAITING, /* for something to happen */
	STACKS_BLOCKED, /* by others: for a lock, or where no signal is heeded: disks */
	STACKS_STOPPED, /* by a signal or a debugger */
	STACKS_STATES,
};

/* A system call that a thread is in. */
struct stacks_call {
	int64_t number; /* -1: none, but it is in the kernel: a page fault, say */
	uint64_t arguments[STACKS_ARGUMENTS];
	uint64_t rsp, pc; /* of the program, behind the call */
};

struct stacks_thread {
	uint32_t pid, tid;
	char name[STACKS_NAME];
	enum stacks_state state;
	bool in_kernel; /* it is in `call` */
	struct stacks_call call;
	uint64_t moment; /* of a thread in the kernel: the same one as long as it has not
			    run since */
};

/* The names of states: "running", ... */
extern const char *const stacks_state_names[STACKS_STATES];

/* Reads what a thread does. False: it has ended. */
bool stacks_thread_read(uint32_t pid, uint32_t tid, struct stacks_thread *ret_thread);

/* Reads the stack of a thread in the kernel, from call.rsp on; `stack`: room for
 * STACKS_BYTES. Returns the bytes that there are; 0: it has run meanwhile. */
size_t stacks_thread_copy(const struct stacks_thread *thread, uint8_t *stack);

/* Reads the memory of a process, by the number of any of its threads: where the first one
 * has ended, it has none. Returns how many bytes there were from `address` on. */
size_t stacks_read_memory(uint32_t tid, uint64_t address, void *bytes, size_t size);

/* Visits the threads of a process; returns how many there were. */
size_t stacks_visit_threads(uint32_t pid, void (*visit)(void *context, uint32_t tid),
			    void *context);

#endif
