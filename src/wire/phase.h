/*
 * Phases: counters apart by what the program says it does. A thread's bank has views, one
 * for each phase in which the thread was: a view is mapped elsewhere, shows the same
 * pages in front (the header and all that belongs to the thread), and behind them has
 * counters of its own. The thread counts in the view that its GS base is the address of.
 */
#ifndef TRAMMEL_WIRE_PHASE_H
#define TRAMMEL_WIRE_PHASE_H

#include <stdint.h>

/* Bits of wire_bank.phases: views may be asked for; there was no answer, so that the bank
 * itself has counts of all phases, which the library of contexts says; and the bank
 * itself counts a phase, and not what is in none. */
#define WIRE_PHASES_ON     1
#define WIRE_PHASES_MIXED  2
#define WIRE_PHASES_INSIDE 4

/* What the library of contexts asks the tracer by a call of this function, which has
 * WIRE_HOOK_PHASE: the view of the calling thread's bank for a phase. */
#define WIRE_PHASE_FUNCTION "trm_phase_find"

#define WIRE_PHASE_TEXT 4096 /* most bytes of a phase's name */

struct wire_phase {
	uint64_t text, size; /* address and bytes of its name, such as "main/solve"; no
				bytes: outside of all */
	uint64_t known;      /* 0: the name is too long */
	/* Written by the tracer: addresses of views. 0: there is none. */
	uint64_t view;
	uint64_t other; /* for all phases that have none of their own */
	uint64_t done;  /* not 0: there was a tracer */
};

#endif
