/*
 * Where in the code of a plan a thread stands, and what that means for the program.
 */
#ifndef TRAMMEL_CODE_PLAN_POSITION_H
#define TRAMMEL_CODE_PLAN_POSITION_H

#include "code/plan/plan.h"

/* Where in a trampoline a thread stands, and what that means for the program. */
enum plan_position_kind {
	PLAN_POSITION_PROBE, /* before the probe has counted: as if at the entry */
	PLAN_POSITION_HOOK,  /* counted, in the rest of a probe, or inside the hook code,
			     before or after the resident */
	PLAN_POSITION_START, /* counted, before the first displaced instruction */
	PLAN_POSITION_DISPLACED, /* between displaced instructions, or inside the
				 expansion of one (then `instruction` is that one) */
	PLAN_POSITION_BACK,      /* all displaced instructions are done */
	PLAN_POSITION_CALL_UNDO, /* in a stub, not counted yet: `original` is the call
				 that led there, whose return address is on the stack */
	PLAN_POSITION_CALL_DONE, /* in a stub, counted: `original` is where the call
				 leads; or on the way out of a function relocated whole */
	PLAN_POSITION_MOVED, /* in a function relocated whole. The bytes at `original` may
			     be those of a jump: a thread that is shown there goes on
			     where plan_moved_to says */
	PLAN_POSITION_UNKNOWN, /* in plan.code, but no instruction starts there */
};

enum { PLAN_KEPT = 136 };

struct plan_position {
	enum plan_position_kind kind;
	uint32_t function;    /* index in plan.functions */
	uint32_t instruction; /* index of the displaced instruction that is next */
	uint64_t original;    /* link-time address of the original of that instruction */
	uint32_t stack;       /* PROBE, HOOK: bytes that rsp is lower than before */
	bool pushed;          /* rax is in the word at rsp */
	bool flags;           /* flags are in the word at rsp, and rax, if it is pushed,
				 in the next */
	uint8_t kept;         /* not 0: r11 is in the word PLAN_KEPT bytes below where rsp
				 was; 2: and rax in that below it */
	bool enters; /* START, CALL_DONE: the call of `function` is still to be told to
			the resident; its return address lies `depth` above where rsp was
		      */
	uint32_t depth;
	bool untold; /* START, CALL_DONE: the call of `function` is counted by its site,
			and still to be told of as a span */
	bool inside; /* in the middle of the expansion of `instruction` */
	bool word;   /* CALL_DONE: `original` is the address of a word, which holds the
			run-time address of where the call leads */
	/* MOVED, START, CALL_DONE: counters (displacements in the bank without the
	 * module's) of probes that the thread has not run, and will not; PLAN_NO_SLOT:
	 * none. */
	uint32_t uncounted[3];
	uint32_t recounted; /* MOVED, CALL_DONE: counter of a probe that the thread has
			       run, while its call will be counted again; 0: none, as the
			       first are those of gates */
};

#define PLAN_ALL_COUNTED                                                                 \
	{                                                                                \
		PLAN_NO_SLOT, PLAN_NO_SLOT, PLAN_NO_SLOT                                 \
	}

#endif
