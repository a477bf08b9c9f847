/*
 * The position of a thread in the code of a plan, and what it means for the program.
 */
#ifndef TRAMMEL_CODE_PLAN_POSITION_H
#define TRAMMEL_CODE_PLAN_POSITION_H

#include "code/plan/plan.h"

/* Kind of position. */
enum plan_position_kind {
	PLAN_POSITION_PROBE, /* before the probe has counted: as if at the entry */
	PLAN_POSITION_HOOK,  /* counted, in the rest of a probe, or inside the hook code,
			     before or after the resident */
	PLAN_POSITION_START, /* counted, before the first displaced instruction */
	PLAN_POSITION_DISPLACED, /* between displaced instructions, or inside the
				    expansion of `instruction` */
	PLAN_POSITION_BACK,      /* all displaced instructions are done */
	PLAN_POSITION_CALL_UNDO, /* in a stub, not counted yet: `original` is the call
				 that led there, whose return address is on the stack */
	PLAN_POSITION_CALL_DONE, /* in a stub, counted: `original` is where the call
				 leads; or on the way out of a function relocated whole */
	PLAN_POSITION_MOVED,     /* in a function relocated whole. A jump may lie over the
				    bytes at `original`: a thread that is shown there
				    continues where plan_moved_to says */
	PLAN_POSITION_POINT,     /* in the middle of a point's code, which ends at `end`:
				    it must be finished */
	PLAN_POSITION_UNKNOWN,   /* in plan.code, but no instruction starts there */
};

enum { PLAN_KEPT = 136 };

struct plan_position {
	enum plan_position_kind kind;
	uint32_t function;    /* index in plan.functions */
	uint32_t instruction; /* index of the next displaced instruction */
	uint64_t original;    /* link-time address of the original of that instruction */
	uint32_t stack;       /* PROBE, HOOK: bytes by which rsp is lower than before */
	bool pushed;          /* rax is in the word at rsp */
	bool flags;   /* flags are in the word at rsp; then rax, if pushed, is in the next
		       */
	uint8_t kept; /* not 0: r11 is in the word PLAN_KEPT bytes below the original rsp;
			 2: rax is in the word below that */
	bool enters; /* START, CALL_DONE: the call of `function` must still be reported to
			the resident; its return address lies `depth` above the original
			rsp */
	uint32_t depth;
	bool untold; /* START, CALL_DONE: the call of `function` is counted by its call
			site, but must still be reported as a span */
	bool inside; /* in the middle of the expansion of `instruction` */
	bool word;   /* CALL_DONE: `original` is the address of a word with the run-time
			address of the call's target */
	/* MOVED, START, CALL_DONE: counters (displacements in the bank without the
	 * module's) of probes that the thread has skipped; PLAN_NO_SLOT: none. */
	uint32_t uncounted[3];
	bool leads; /* MOVED: points are ahead. What is shown at `original` continues at
		       offset `way` of plan.code, in front of all that it has not run;
		       nothing need be counted for it */
	uint32_t way;
	uint32_t begin;     /* POINT: offset in plan.code of the point */
	uint32_t end;       /* POINT: offset in plan.code behind the point */
	bool routine;       /* POINT: a routine is called before that */
	bool unmade;        /* POINT: a routine is, but all up to that can be undone */
	uint32_t recounted; /* MOVED, CALL_DONE: counter of a probe that the thread has
			       run, though its call will be counted again; 0: none, as the
			       first counters are those of gates */
};

#define PLAN_ALL_COUNTED                                                                 \
	{                                                                                \
		PLAN_NO_SLOT, PLAN_NO_SLOT, PLAN_NO_SLOT                                 \
	}

#endif
