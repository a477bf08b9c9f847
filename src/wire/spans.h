/* Spans: calls of functions as regions. */
#ifndef TRAMMEL_WIRE_SPANS_H
#define TRAMMEL_WIRE_SPANS_H

/*
 * Where functions are regions (spans), the first counters of each bank are struct
 * wire_spans: a library in the program is told of their beginnings and ends, on a stack
 * of its own and with signals deferred.
 */
#define WIRE_SPANS_BUSY    0x4000
#define WIRE_SPANS_BARRED  0x4004
#define WIRE_SPANS_STATE   0x4008 /* components of xsave; 0: fxsave */
#define WIRE_SPANS_MASKED  0x400c
#define WIRE_SPANS_RBX     0x4010
#define WIRE_SPANS_RSI     0x4018
#define WIRE_SPANS_RDI     0x4020
#define WIRE_SPANS_R10     0x4028
#define WIRE_SPANS_R11     0x4030
#define WIRE_SPANS_RSP     0x4038
#define WIRE_SPANS_MASK    0x4040
#define WIRE_SPANS_THREAD  0x4048
#define WIRE_SPANS_FS      0x4050
#define WIRE_SPANS_DIRECT  0x4058
#define WIRE_SPANS_REPLACE 0x4060
#define WIRE_SPANS_RESULT  0x4068
#define WIRE_SPANS_DONE    0x4070
#define WIRE_SPANS_BUFFERS 0x4080
#define WIRE_SPANS_COPIES  0x4180 /* of vector registers, for routines */
#define WIRE_SPANS_VECTORS 0x4300
/* Addresses of routines that need no stack and end by themselves, which code of points
 * calls directly; of a return if they are barred. */
#define WIRE_SPANS_ROUTINES 0x4e00
#define WIRE_DIRECT_MAX     32
/* Page below the stack, behind the vectors, which threads with tools may not touch. */
#define WIRE_SPANS_GUARD     0x5000
#define WIRE_SPANS_STACK_TOP 0x45000

/* Which routines are barred: those of tools; or the resident's own, too
 * (WIRE_ROUTINE_OWN), whose stack several threads would have. */
#define WIRE_BARRED_TOOLS 1
#define WIRE_BARRED_ALL   2

/* The number of the resident's own routine for points: resident/probes.c. */
#define WIRE_ROUTINE_OWN 1023

/* Reasons to restore a thread's mask behind a span. */
#define WIRE_MASKED_SPAN  1 /* a signal came meanwhile */
#define WIRE_MASKED_TIMER 2 /* with a dead tracer: a timer's signal was blocked */

/* Buffers that recipes write records to: so many, a struct wire_buffer each. */
#define WIRE_BUFFERS     8
#define WIRE_BUFFER_SIZE 32

/* In rax for a routine of a buffer, and how far above the return address of what is
 * called then that of the point lies. */
#define WIRE_TOOL_KEEPS 4
#define WIRE_TOOL_KEPT  72

#ifndef __ASSEMBLER__

#include <stdint.h>

/* A buffer of a thread, filled in by a routine of the tool's; see
 * include/trammel/tool_buffer.h. */
struct wire_buffer {
	uint64_t cursor; /* where the next record goes */
	uint64_t end;    /* no record begins there, or behind */
	uint64_t owner;  /* address of a word with the address of this; 0: none */
	uint64_t base;   /* where the last run began: code/points/recipe_buffer.h */
};

/* State of spans of one thread; all-zero at first. */
struct wire_spans {
	uint32_t busy;   /* the library is being called */
	uint32_t barred; /* WIRE_BARRED_...: routines that are not called; 0: none */
	uint32_t state;  /* components of xsave; 0: fxsave */
	uint32_t masked; /* WIRE_MASKED_...: the thread's mask must become `mask` */
	uint64_t rbx, rsi, rdi, r10, r11, rsp; /* the program's */
	uint64_t mask;
	/* Of routines of tools (resident/tool.S), which use the same stack: the FS base
	 * of the tool's library for this thread, 0: it has none; and the program's while
	 * such a routine runs. */
	uint64_t thread_pointer, fs;
	uint64_t direct; /* where one goes on that was called directly, and will return to
			    tool_direct instead: a signal was put off */
	/* Of a function that is replaced: the address of tool_replace; what the call
	 * returns; and what the last routine returned, as a bool: the call is made. */
	uint64_t replace, result;
	uint8_t done;
	uint8_t pad2_[0xf];
	struct wire_buffer buffers[WIRE_BUFFERS];
	uint8_t copies[0x180];
	uint8_t vectors[0xb00]; /* area of xsave */
	uint64_t routines[WIRE_DIRECT_MAX];
	uint8_t pad3_[0x100];
	uint8_t stack[0x40000];
};

#endif

#endif
