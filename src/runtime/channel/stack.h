/*
 * Walks of the thread's stack by call-frame information. Only memory that exists is read:
 * the addresses must lie on the thread's own stack, or the kernel is asked for the bytes.
 * Signal handlers may walk, too, with a walker of their own.
 */
#ifndef TRAMMEL_RUNTIME_CHANNEL_STACK_H
#define TRAMMEL_RUNTIME_CHANNEL_STACK_H

#include "wire/unwind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

enum { STACK_FRAMES = 256, STACK_CACHE = 512 };

/* Facts about the code at an address. */
struct stack_code {
	uint64_t pc; /* 0: the entry is empty */
	struct unwind_rule rule;
	bool in_module; /* else made at run time, where walks end */
	bool known;
	bool own;    /* of a library of ours */
	bool plain;  /* unwind_is_plain(), with `rbp` */
	int32_t rbp; /* bytes */
};

/* A walker, which belongs to one thread and is used by it or by its handlers, never by
 * both. */
struct stack_walker {
	uint64_t low, high; /* bytes that can be read, of the thread's stack */
	uint32_t count;
	uint32_t skipped; /* of the frames, the first: those of our own libraries */
	/* Addresses in the instructions that calls are, innermost first; of the innermost
	 * frame that of the instruction that is next. */
	uint64_t frames[STACK_FRAMES];
	struct stack_code cache[STACK_CACHE];
};

/* Tells whether stacks can be walked: the C library must find the module of an address
 * without a lock. */
bool stack_is_possible(void);
/* Finds the module that contains the code at `address`, without a lock; returns false if
 * none does. */
struct dl_find_object;
bool stack_find_code(uint64_t address, struct dl_find_object *ret_object);
/* Makes a walker; returns NULL if there is no memory. */
struct stack_walker *stack_walker_create(void);
void stack_walker_destroy(struct stack_walker *walker);

/*
 * Where functions run relocated (trammel run -m blocks), return addresses are made the
 * original ones before these two look at them: code/scan/ra_readers.c knows their names.
 */

/* Walks from the caller; leaves out the frames of this library and of its kind. */
__attribute__((visibility("default"))) void
trm_runtime_walk_here(struct stack_walker *walker);
/* Walks from the place where a signal interrupted the thread. */
__attribute__((visibility("default"))) void
trm_runtime_walk_signal(struct stack_walker *walker, const ucontext_t *context);

/* Tells whether the last walk came to a function that has no caller: a thread's first. */
bool stack_walk_is_whole(const struct stack_walker *walker);

#endif
