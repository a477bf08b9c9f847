/* Requests of threads, the tracer's replies, and batches of system calls. */
#ifndef TRAMMEL_WIRE_MAILBOX_H
#define TRAMMEL_WIRE_MAILBOX_H

#include <stdint.h>

#define WIRE_BATCH_MAX 24

/* A system call to make in the program. */
struct wire_call {
	uint32_t number;
	uint32_t added_to;     /* index of the argument to which `addend` is added */
	uint64_t arguments[6]; /* WIRE_RESULT(i) stands for the result of call i */
	uint64_t addend;
	int64_t result; /* as returned by the kernel: negative errno */
};

#define WIRE_RESULT(i)      (0x7261746c75736500ull + (i))
#define WIRE_IS_RESULT(arg) (((arg) & ~0xffull) == 0x7261746c75736500ull)

/* System calls to make in sequence. */
struct wire_batch {
	uint32_t count;
	uint32_t together; /* no call is begun once the tracer is known dead */
	struct wire_call calls[WIRE_BATCH_MAX];
};

enum wire_request { /* wire_bank.request: written by the program */
		    WIRE_IDLE,
		    WIRE_POSTED, /* the thread waits for a reply */
		    WIRE_RAN, /* the batch was run; the thread waits for the next reply */
};

enum wire_reply { /* wire_bank.reply: written by the tracer, cleared by the program */
		  WIRE_NONE,
		  WIRE_DONE,  /* go on */
		  WIRE_RUN,   /* run wire_bank.batch, then post WIRE_RAN */
		  WIRE_ALONE, /* go on as if the tracer were dead */
		  WIRE_AGAIN, /* WIRE_HOOK_LAZY: start again, WIRE_AGAIN_BYTES behind the
				 hook's return address */
};

#define WIRE_AGAIN_BYTES 2

/* In wire_bank.quiet: there is no tracer to answer; and another thread may use the bank.
 */
#define WIRE_QUIET_ALONE 2

#endif
