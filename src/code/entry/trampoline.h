/*
 * The code of one trampoline. Written when a plan is made, and again whenever the meaning
 * of an offset in it is needed: the same input gives the same code.
 */
#ifndef TRAMMEL_CODE_ENTRY_TRAMPOLINE_H
#define TRAMMEL_CODE_ENTRY_TRAMPOLINE_H

#include "code/emit/emit.h"
#include "code/emit/probe.h"
#include "code/plan/request.h"

enum {
	/* Bytes copied behind the displaced instructions to avoid the jump back: the rest
	 * of the function, or the code up to its first exit. */
	TRAMPOLINE_BODY_MAX = 112,
	TRAMPOLINE_TAIL_MAX = 32,
	/* The most bytes of a trampoline, alignment aside. */
	TRAMPOLINE_SIZE_MAX = 640,
	/* Bytes behind its return address at which the hook of a latch may return, to run
	 * the latch anew: its first bytes are a jump by then. */
	TRAMPOLINE_AGAIN = 2,
	/* Offset in a latch of the code behind its hook. */
	TRAMPOLINE_LATCH_BODY = 5 + 2 + 8 + 2 + 8 + 5 + 8,
	TRAMPOLINE_HOOK_NUMBER = 6, /* offset in a hook of its number */
	/* Bytes of a hook with the jump to a gate. */
	TRAMPOLINE_GATED_HOOK = 5 + 2 + 8 + 8 + 5,
};

struct trampoline {
	uint64_t address;     /* link-time, of the function */
	const uint8_t *bytes; /* its original bytes */
	size_t size;          /* bytes of the function */
	unsigned displaced;   /* bytes from `address` on that the trampoline replaces */
	unsigned copied; /* bytes from `address` on that are in the trampoline, at least
			    `displaced`; if more, they end in an exit */
	enum probe_form probe;
	uint32_t slot; /* displacement in the bank without the module's own */
	uint8_t hook;  /* 0: none */
	uint64_t gate; /* address of the gate of a hooked function; 0: none. It runs
			  behind the hook and returns to TRAMPOLINE_GATED_HOOK */
	bool latch;    /* the function is planned at its first call: the hook may return
			  TRAMPOLINE_AGAIN bytes further on; the first 8 bytes may become
			  a jump at any time */
	unsigned call_end; /* as plan_function.call_end */
	uint64_t entrance; /* for a call through a word, the address to which it now
			      leads; 0: the trampoline */
	struct plan_hook_layout hook_layout;
};

/* The offset of the entry jump: behind an endbr64, which stays in place. */
unsigned trampoline_patch_offset(const uint8_t *bytes, size_t size);

/*
 * Writes the trampoline at the emitter's position. `ret_start` is the address of its
 * displaced instructions. Failures are left in the emitter; its code must then be undone.
 */
void trampoline_emit(struct emitter *emitter, const struct trampoline *trampoline,
		     uint64_t *ret_start);

#endif
