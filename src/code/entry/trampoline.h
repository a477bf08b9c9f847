/*
 * The code of one trampoline. Written when a plan is made, and again whenever somebody
 * must know what lies where in it: the same input gives the same code.
 */
#ifndef TRAMMEL_CODE_ENTRY_TRAMPOLINE_H
#define TRAMMEL_CODE_ENTRY_TRAMPOLINE_H

#include "code/emit/emit.h"
#include "code/emit/probe.h"
#include "code/plan/request.h"

enum {
	/* Bytes behind the displaced instructions that are copied to spare the jump back:
	 * all that is left of the function, or what leads to its first way out. */
	TRAMPOLINE_BODY_MAX = 112,
	TRAMPOLINE_TAIL_MAX = 32,
	/* No trampoline takes more bytes, alignment aside. */
	TRAMPOLINE_SIZE_MAX = 640,
	TRAMPOLINE_AGAIN = 2,
	TRAMPOLINE_LATCH_BODY = 5 + 2 + 8 + 2 + 8 + 5 + 8, /* where a latch goes on if it
							      does not ask */
	TRAMPOLINE_HOOK_NUMBER = 6, /* where a hook has its number, from its start on */
	/* Bytes of a hook with the jump to a gate. */
	TRAMPOLINE_GATED_HOOK = 5 + 2 + 8 + 8 + 5,
};

struct trampoline {
	uint64_t address;     /* of the function */
	const uint8_t *bytes; /* original, from there on */
	size_t size;          /* bytes of the function */
	unsigned displaced;   /* bytes from `address` on that the trampoline stands for */
	unsigned copied;      /* bytes from `address` on that are in the trampoline, at
				 least `displaced`; more than these end in a way out */
	enum probe_form probe;
	uint32_t slot; /* displacement in the bank without the module's own */
	uint8_t hook;  /* 0: none */
	uint64_t gate; /* of a hooked function, address; 0: none. It comes behind the
			  hook, and goes back to TRAMPOLINE_GATED_HOOK */
	bool latch;    /* the hook may return TRAMPOLINE_AGAIN bytes further on, to begin
			  anew; the first 8 bytes may become a jump at any time */
	unsigned call_end; /* as plan_function.call_end */
	uint64_t entrance; /* with a call through a word, where that leads instead; 0: to
			      the trampoline */
	struct plan_hook_layout hook_layout;
};

/* Where the entry jump lies: behind an endbr64, which stays in place. */
unsigned trampoline_patch_offset(const uint8_t *bytes, size_t size);

/*
 * Writes the trampoline at the emitter's place. `ret_start` is the address of its
 * displaced instructions. Failures are left in the emitter, whose code is then to be
 * taken back.
 */
void trampoline_emit(struct emitter *emitter, const struct trampoline *trampoline,
		     uint64_t *ret_start);

#endif
