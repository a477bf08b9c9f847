/* The control page, which the tracer and all processes of an image share. */
#ifndef TRAMMEL_WIRE_CONTROL_H
#define TRAMMEL_WIRE_CONTROL_H

/* In wire_control. */
#define WIRE_CONTROL_RAN        0x38
#define WIRE_CONTROL_UNFILTERED 0x3c
#define WIRE_CONTROL_WINDOW     0x50
#define WIRE_CONTROL_SPANS      0x58
#define WIRE_CONTROL_BATCH      0x100
#define WIRE_CONTROL_TEXTS      0x1000 /* number of rows, then struct wire_text's */
#define WIRE_TEXT_SIZE          16
#define WIRE_CONTROL_ROUTINES   0x89000
#define WIRE_ROUTINES           1024
#define WIRE_CONTROL_POINT_DATA 0x8b000

#ifndef __ASSEMBLER__

#include "wire/layout.h"
#include "wire/mailbox.h"
#include "wire/stretch.h"

#include <stdint.h>

#define WIRE_TEXTS_MAX 1023

/* A patched text in some process that shares the control page. `end` is 0 in a free row;
 * it is written last and cleared first. */
struct wire_text {
	uint64_t start, end; /* run-time addresses, whole pages */
};

/* Bytes of a patched text: if they match, the text is mapped and patched. */
struct wire_seal {
	uint64_t address; /* the bytes do not cross a page; 0: none */
	uint8_t bytes[8];
};

/*
 * Data with which a program restores a text by itself, because the tracer is dead: the
 * identity of the file, as by fstat(2), which is mapped from `path`. If the file is gone,
 * written pages are dropped (madvise(2)).
 */
#define WIRE_PATH_MAX 392
struct wire_undo {
	uint64_t device, inode, size;
	uint64_t modified_ns;
	uint64_t file_offset; /* of the text's start */
	/* Bytes of the first and of the last patch. The tracer may have died while it
	 * wrote or removed patches: at least one of the two matches then. */
	struct wire_seal seals[2];
	uint64_t ways;            /* address of its struct wire_ways; 0: none */
	uint64_t code, code_size; /* of its trampolines */
	/* Run-time addresses of .eh_frame_hdr and of its segment; 0: none. */
	uint64_t unwind_header, unwind_start, unwind_end;
	char path[WIRE_PATH_MAX];
};

/*
 * The new address of an instruction that is covered by a patch at a function's entry. The
 * tracer writes a row when such an instruction has faulted and its handler is about to
 * see the original address: the handler returns by these rows, also when the tracer is
 * dead. Processes that share the control page have equal code at equal addresses, as far
 * as the patch is present.
 */
#define WIRE_LEADS_MAX 256
struct wire_lead {
	uint64_t original; /* run-time address; 0: no row yet, or it is being written */
	uint64_t code;     /* of the instruction in the trampoline */
	uint64_t patch;    /* start of the patch */
	uint8_t size;      /* bytes of the patch */
	uint8_t bytes[39]; /* the patch itself */
};

/* The share of threads' time spent on walking stacks (WIRE_HOOK_STACK), as far as
 * reported. */
struct wire_looks {
	uint64_t count;
	uint64_t ticks, elapsed; /* of the time-stamp counter: in walks, and in total */
};

/* The kernel's struct sigaction (rt_sigaction(2)). */
struct wire_action {
	uint64_t handler, flags, restorer, mask;
};

/*
 * Break instructions of a debugger, for a program whose tracer is killed while they are
 * there. The resident is the handler of SIGTRAP then: the tracer sets it before it writes
 * the first one, and what the program has set is in `programs`.
 */
#define WIRE_BREAKS_MAX 448
struct wire_breaks {
	struct wire_action ours; /* for the calls that set and take back */
	struct wire_action programs;
	uint32_t raised;   /* not 0: `ours` is set in a process */
	uint32_t stepping; /* threads whose trap flag the tracer has set */
	/* Address << 8, and the byte that the break instruction there replaces; 0: a free
	 * row. */
	uint64_t rows[WIRE_BREAKS_MAX];
};

/* The control page (several pages). */
struct wire_control {
	/* A robust mutex of glibc that the tracer holds as long as it lives. Its first
	 * word is a futex: the kernel sets FUTEX_OWNER_DIED there when the holder dies,
	 * in whatever way (futex(2), set_robust_list(2)). */
	uint32_t owner[12];
	uint32_t doorbell;   /* futex; a thread that posts a request adds 1 */
	uint32_t watch_exit; /* not 0: exit() must be hooked */
	uint32_t ran; /* not 0: the batch was run, and its thread waits to be stopped */
	/* Not 0: no system call filter, which might forbid sched_yield(2) and
	 * futex_waitv(2). The program clears it. */
	uint32_t unfiltered;
	/* The address at which injected code continues, and the mask that it sets then.
	 */
	uint64_t inject_back;
	uint64_t inject_mask;
	uint32_t window; /* bits: calls of which functions matter, see WIRE_HOOK_START */
	uint32_t texts_changed; /* incremented whenever texts[] changes */
	/* Callbacks for spans: addresses in the program, which writes them itself once
	 * the library is loaded; 0: none. */
	uint64_t span_begin; /* (address of the return address, name) */
	uint64_t span_end;   /* (address of the return address) */
	/* Faster callbacks, tried first: they change general registers only, and return 0
	 * if the others must be called. */
	uint64_t span_try_begin, span_try_end;
	struct wire_looks looks;
	uint32_t awake; /* not 0: the tracer polls the doorbell until this is 0 again, and
			   who asks looks so often for its reply, some 50 ns each,
			   before it falls asleep */
	uint32_t watch_actions; /* not 0: sigaction() of signals of faults must be told */
	struct wire_action action; /* for injected calls */
	uint64_t beats; /* the tracer adds 1 now and then: it is alive, and at work */
	uint8_t pad2_[WIRE_CONTROL_BATCH - 0x88 - sizeof(struct wire_looks) -
		      sizeof(struct wire_action)];
	struct wire_batch batch; /* run by injected code */
	uint8_t stack[0x1000 - WIRE_CONTROL_BATCH - sizeof(struct wire_batch)];
	uint64_t text_count; /* rows in use, now or before */
	struct wire_text texts[WIRE_TEXTS_MAX];
	uint8_t pad3_[8];
	struct wire_undo undos[WIRE_TEXTS_MAX]; /* by row of texts[] */
	uint64_t lead_count;                    /* rows of leads[] ever written */
	uint8_t pad4_[sizeof(struct wire_undo) - 8];
	struct wire_lead leads[WIRE_LEADS_MAX];
	uint64_t routines[WIRE_ROUTINES]; /* addresses of routines of tools; 0: none */
	uint64_t point_data; /* address of what they share: see code/points/point_data.h;
				0: none */
	struct wire_breaks breaks;
	uint8_t pad5_[0x1000 - 8 - sizeof(struct wire_breaks)];
	struct wire_stretch stretches[WIRE_STRETCHES];
};

#endif

#endif
