/* What a debugger keeps of threads: see session/debug/debug.h. */
#ifndef TRAMMEL_SESSION_STATE_THREAD_DEBUG_H
#define TRAMMEL_SESSION_STATE_THREAD_DEBUG_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* What a thread of a debugged process does. */
enum debug_aim {
	DEBUG_RUNS,
	DEBUG_SETTLES, /* it goes on, instruction by instruction, until it is in front of
			  one of the program's */
	DEBUG_STEPS,   /* it executes one instruction of the program */
};

/* How a thread waits. */
enum debug_parking {
	DEBUG_NOT_PARKED,
	DEBUG_PARKED,
	DEBUG_PARKED_SIGNAL, /* at a signal that it has not got */
	DEBUG_PARKED_GROUP,  /* in a group-stop */
};

struct thread_debug {
	enum debug_parking parking;
	enum debug_aim aim;
	int signal;       /* of DEBUG_PARKED: to be delivered when it goes on; of the
			     others: the signal */
	bool trapping;    /* the trap flag is set in its registers */
	bool pushes;      /* its next instruction pushes the flags */
	bool executed;    /* of a step: the instruction was begun */
	bool calls;       /* of a step: it is in a system call */
	bool asked;       /* it was asked to stop */
	bool enters;      /* it is led into its handler of SIGTRAP */
	bool acts;        /* it is about to call sigaction(2): see debug/guard.h */
	bool told;        /* its stop is to be reported */
	uint8_t reason;   /* enum debug_reason of that */
	uint32_t number;  /* of the breakpoint */
	uint32_t watched; /* number of a watchpoint that it has met; 0: none */
	bool marks;       /* of a step: of an endbr64 */
	uint64_t from;    /* of a step: address of the instruction */
	uint64_t behind;  /* of a step of a repeated instruction: it ends there; 0: it is
			     not repeated */
	uint64_t shown;   /* address of an instruction without code in relocated code, in
			     front of which the thread stands; 0: none */
	uint64_t met;     /* address of a breakpoint whose hit was reported and that is
			     not hit again before the thread runs on; 0: none */
	uint64_t count;   /* of the instructions that it was led on */
	uint64_t mask;    /* of signals, while all are blocked */
	bool masked;
	bool drops;       /* the signal that it stands at, or `resent`, is not passed */
	siginfo_t resent; /* a signal that it stood at, and that was sent again, since it
			     had to be led on; si_signo 0: none */
};

#endif
