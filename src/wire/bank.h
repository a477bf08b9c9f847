/* A thread's bank: the header in front of its counters. The offsets are plain numbers
 * since the resident's assembly uses them; layout.c checks them against the structures.
 */
#ifndef TRAMMEL_WIRE_BANK_H
#define TRAMMEL_WIRE_BANK_H

/* In a bank, relative to %gs. */
#define WIRE_BANK_SELF        0x00
#define WIRE_BANK_ENTRY       0x08
#define WIRE_BANK_BACK        0x10
#define WIRE_BANK_NUMBER      0x18
#define WIRE_BANK_QUIET       0x1c
#define WIRE_BANK_CONTROL     0x20
#define WIRE_BANK_TID         0x30
#define WIRE_BANK_UNTIMED     0x34
#define WIRE_BANK_RETURNS     0x38
#define WIRE_BANK_RAX         0x40
#define WIRE_BANK_RCX         0x48
#define WIRE_BANK_RDX         0x50
#define WIRE_BANK_RBX         0x58
#define WIRE_BANK_RSP         0x60
#define WIRE_BANK_RBP         0x68
#define WIRE_BANK_RSI         0x70
#define WIRE_BANK_RDI         0x78
#define WIRE_BANK_R8          0x80
#define WIRE_BANK_R9          0x88
#define WIRE_BANK_R10         0x90
#define WIRE_BANK_R11         0x98
#define WIRE_BANK_R12         0xa0
#define WIRE_BANK_R13         0xa8
#define WIRE_BANK_R14         0xb0
#define WIRE_BANK_R15         0xb8
#define WIRE_BANK_FLAGS       0xc0
#define WIRE_BANK_MASK        0xc8
#define WIRE_BANK_STACK_END   0xd0
#define WIRE_BANK_ARC         0xd8
#define WIRE_BANK_ENTER       0xe0
#define WIRE_BANK_LEAVE       0xe8
#define WIRE_BANK_TALLY       0xf0
#define WIRE_BANK_SPAN        0xf8
#define WIRE_BANK_SPAN_END    0x100
#define WIRE_BANK_TOOL        0x108
#define WIRE_BANK_TOOL_UNMASK 0x110
#define WIRE_BANK_STACK_TOP   0x4000

/* Of phases, relative to %gs: src/wire/phase.h. */
#define WIRE_BANK_VIEW       0x30a8
#define WIRE_BANK_PHASE      0x30b0
#define WIRE_BANK_GENERATION 0x30b8
#define WIRE_BANK_LAST_VIEW  0x30c8

/* struct wire_rest of a bank, relative to %gs. */
#define WIRE_REST_RIP 0x2e80
#define WIRE_REST_RBX 0x2e88
#define WIRE_REST_RDI 0x2e90
#define WIRE_REST_RSI 0x2e98
#define WIRE_REST_RDX 0x2ea0
#define WIRE_REST_R10 0x2ea8
#define WIRE_REST_R8  0x2eb0
#define WIRE_REST_R9  0x2eb8

/* In the flags register: a debug exception behind each instruction. */
#define WIRE_TRAP_FLAG 0x100

/* Offset of the system call in a signal restorer, behind mov $15, %rax. */
#define WIRE_RESTORER_CALL 7

/* Marks on the stack of a thread in C code of the resident: one word, twice, and two
 * words that say where to move the thread. Memory below a stack keeps what was there: so
 * the lower word is cleared by whoever leaves, the thread or the tracer that moves it. */
#define WIRE_RETURNS_MARK 0x6b63616279617774 /* then the context, and the restorer */
#define WIRE_LOOK_MARK    0x6b6f6f6c616b6f6f /* then the hook's frame, twice */
#define WIRE_MARK_AT(address)                                                            \
	(((address) & -16ull) - 32) /* by the first of these words */

#ifndef __ASSEMBLER__

#include "wire/mailbox.h"
#include "wire/registers.h"
#include "wire/unwind.h"

#include <stdint.h>

/* Caches of the thread itself: unwinding rules by address, and originals of return
 * addresses. `key` is the address with wire_control.texts_changed in its upper 16 bits; 0
 * while the row is written. */
#define WIRE_RULES 128
struct wire_rule {
	uint64_t key;
	struct unwind_rule rule;
};
#define WIRE_MOVED 64
struct wire_moved {
	uint64_t key, original;
};

/* Positions that signal handlers were shown, innermost last: see
 * session/position/signal_frames.h. */
#define WIRE_SHOWN 16
struct wire_shown {
	uint64_t rsp, rip; /* as shown */
	uint64_t code; /* where the thread continues instead, behind what it has counted;
			  0: at rip */
	uint64_t went; /* the address where it continued; 0: it has not yet */
	union {
		uint64_t path; /* displacement of the words of the function whose path is
				  followed there, and which is away meanwhile; 0: none */
		uint64_t view; /* where phases are told apart: wire_bank.view when it
				  went */
	};
};

/* A system call that was cut short by a stop, and whose rest the thread makes by itself:
 * resident.S, rest. Registers are the program's. */
#define WIRE_REST_VECTORS 24
struct wire_rest {
	uint64_t rip; /* behind its system call */
	uint64_t rbx, rdi, rsi, rdx, r10, r8, r9;
	uint64_t message[7];                    /* struct msghdr for the rest */
	uint64_t vectors[WIRE_REST_VECTORS][2]; /* struct iovec's for the rest; or its
						   timeout, a struct timespec */
};

/* The header of a bank; counters follow at WIRE_BANK_HEADER. */
struct wire_bank {
	uint64_t self;   /* address of this bank in the program */
	uint64_t entry;  /* address of resident_hook */
	uint64_t back;   /* where resident.S's finish continues */
	uint32_t number; /* WIRE_HOOK_... of the hook that posted a request */
	uint32_t quiet; /* not 0: make no system call and do not ask the tracer (a seccomp
			   filter) */
	uint64_t control; /* address of wire_control in the program */
	uint32_t request; /* enum wire_request; a futex */
	uint32_t reply;   /* enum wire_reply; a futex */
	uint32_t tid;     /* of the thread; for the tracer */
	uint32_t untimed; /* not 0: the thread may not read the time-stamp counter */
	uint64_t returns; /* address of resident.S's returns */
	struct wire_registers registers; /* of the thread that posted a request */
	uint64_t mask;                   /* its signal mask */
	uint64_t stack_end;              /* end of the thread's own stack; 0: unknown */
	uint64_t arc;                    /* address of resident.S's arc */
	uint64_t enter, leave,
		tally; /* addresses of resident.S's routines for call graphs */
	uint64_t span_begin, span_end; /* addresses of resident.S's routines for spans */
	uint64_t tool, tool_unmask;    /* addresses of those for routines of tools */
	struct wire_batch batch;
	uint64_t look_count;                /* stack walks: look.c */
	uint64_t look_ticks, look_since;    /* as in wire_looks; the time-stamp counter */
	struct wire_rule rules[WIRE_RULES]; /* by address: look.c */
	struct wire_moved moved[WIRE_MOVED];
	uint32_t shown_count;
	uint32_t owner; /* the process whose counts it holds; 0: none; for the tracer */
	struct wire_shown shown[WIRE_SHOWN];
	struct wire_rest rest;
	uint64_t stack_known; /* all pages from here to stack_end can be read; 0: unknown
			       */
	uint64_t
		stack_gap; /* a page below stack_end that cannot be read; 0: none found */
	uint64_t stepped; /* a handler has set the trap flag and returned to here; 0: none
			     has, or the program has seen the step */
	uint64_t stepped_code; /* where the thread continued instead */
	uint64_t asked_ticks;  /* time-stamp counter at its last request; 0: it may not be
				  read */
	uint64_t context; /* address of the thread's struct context_thread, written by the
			     library of contexts; 0: none */
	uint64_t view;  /* address of the view in which the thread counts (wire/phase.h);
			   0: this bank itself */
	uint64_t phase; /* address of the resident's routine that changes it */
	uint32_t generation; /* of its views: no other bank of the arena has had it */
	uint32_t
		phases; /* not 0: the library of contexts tells phases; WIRE_PHASES_... */
	uint64_t phases_of;   /* address of the struct context_thread for which it does */
	uint64_t last_view;   /* `view` before its last change */
	uint64_t phase_names; /* address of its struct wire_phase_names; 0: none yet */
};

#endif

#endif
