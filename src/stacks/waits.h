/*
 * Waits that are known exactly: a tracer tells of each system call's beginning and end,
 * and those that may wait, and took long enough, are added up by what they waited for and
 * by the calls that led there. A call that a signal interrupts, and that the kernel makes
 * again, is one.
 */
#ifndef TRAMMEL_STACKS_WAITS_H
#define TRAMMEL_STACKS_WAITS_H

#include "base/vector.h"
#include "stacks/object.h"
#include "stacks/walk.h"

enum { WAITS_PARTS = 4 };

/* A call that was interrupted, and may be made again. */
struct waits_part {
	struct stacks_call call;
	uint64_t ns;  /* that it has taken; 0: there is none */
	bool counted; /* it is in the sums */
	bool handled; /* a handler runs meanwhile, or was left by a jump */
};

struct waits_thread {
	uint32_t pid, tid;
	bool inside; /* of a call that may wait */
	struct stacks_call call;
	uint64_t since_ns;
	struct waits_part part; /* of this call, before it was interrupted */
	struct waits_part parts[WAITS_PARTS]; /* of others, the last one first */
	struct stacks_futex futex;  /* of a call of futex(2), at the beginning */
	struct stacks_object early; /* of a call that forgets what it waited for */
	/* Of the tracer: whether its call returns from a handler, or changes which
	 * signals come; where it was behind such a change, its last call; how long it had
	 * run when a signal came there; how many, one after the other, found the next
	 * one due; signals until it is followed again; which these are. */
	bool returning, masking;
	uint64_t let_through, signal_ran_ns;
	uint32_t at_once, unfollowed;
	int flooding;
	bool stuck; /* it has not gone on */
	/* Of a tracer that came later: its first stop is awaited; it cannot be stopped as
	 * long as it is where it was at this moment (struct stacks_thread). */
	bool joining, late;
	bool calling; /* it goes on behind the entry to a call */
	bool freed;   /* it runs without stops at calls */
	uint64_t moment;
	/* Likewise: a call that is made again (`redone`), when it began first, and what
	 * it was told of how long to wait, if that was changed (`shortened`). */
	bool redone, shortened;
	uint64_t began_ns, patience;
	uint32_t holder_node; /* where it was released, or who waits was woken; 0: nowhere
				 yet */
};

struct waits {
	struct sampler *sampler; /* has processes and sums; not owned */
	struct stacks_walker walker;
	struct stacks_sockets sockets;
	uint64_t threshold_ns; /* shorter waits do not count */
	struct VECTOR(struct waits_thread *) threads;
	struct table by_tid;         /* index in `threads` + 1; 0: it has ended */
	struct table by_node;        /* index in `names` + 1 */
	struct VECTOR(char *) names; /* of innermost functions */
	uint8_t *buffer;
	uint64_t short_waits; /* that did not count */
	/* Reads the registers of a thread that is stopped, by their numbers in DWARF. */
	bool (*read_registers)(uint32_t tid, uint64_t ret_registers[SAMPLE_REGISTERS]);
};

struct waits *waits_create(struct sampler *sampler, uint64_t threshold_ns);
void waits_destroy(struct waits *waits);

/* Finds a thread; NULL: it is not known. */
struct waits_thread *waits_find(struct waits *waits, uint32_t tid);

/* Adds a thread of a process. */
struct waits_thread *waits_add(struct waits *waits, uint32_t pid, uint32_t tid);

/* Forgets a thread that has ended; nothing if it is not known. */
void waits_remove(struct waits *waits, uint32_t tid);

/* A thread begins a system call, and is stopped there. */
void waits_enter(struct waits *waits, struct waits_thread *thread,
		 const struct stacks_call *call);

/* It goes on: the call's time begins. */
void waits_go_on(struct waits_thread *thread, uint64_t now_ns);

/* It has ended the call, and is stopped behind it. `result`: what the kernel returns, the
 * numbers that mean "again" (ERESTARTSYS and others) included. */
void waits_leave(struct waits *waits, struct waits_thread *thread, int64_t result,
		 uint64_t now_ns);

/* The call that it has just ended will be made again after all. */
void waits_again(struct waits_thread *thread);

/* A handler of the thread is about to run. */
void waits_handle(struct waits_thread *thread);

/* A handler has returned; the thread goes on at `pc`, where a call is made again or is
 * over.
 */
void waits_return(struct waits_thread *thread, uint64_t pc, uint64_t rsp);

/* Takes in the waits of all threads of a process that is about to end: most will never
 * come back from their calls. */
void waits_take_open(struct waits *waits, uint32_t pid, uint64_t now_ns);

#endif
