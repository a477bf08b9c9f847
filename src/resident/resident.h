/*
 * The resident: trammel's code inside a measured program. It is a flat image at the start
 * of the arena: no libc, general registers only, its own system calls. The tracer embeds
 * the image and finds its parts by the offsets in the table at its start.
 */
#ifndef TRAMMEL_RESIDENT_RESIDENT_H
#define TRAMMEL_RESIDENT_RESIDENT_H

#include <stdint.h>

/* Offsets in a routine that gates and probes at returns call for call graphs: see
 * resident.S, enter. */
struct resident_routine {
	uint32_t start;
	uint32_t lowered; /* from here the frame is at rsp */
	uint32_t half;    /* from here rcx and rdx are in it */
	uint32_t saved;   /* from here r8 and r9 are, too */
	uint32_t timed;   /* here the time in rax must be added to node rdx */
	uint32_t done;    /* from here it must not be repeated */
	uint32_t last;    /* the last instruction but for the search, with all registers
			     restored */
	uint32_t search;  /* from here the frame is at rsp, and it must be repeated */
	uint32_t end;
};
enum {
	RESIDENT_ENTER,
	RESIDENT_LEAVE,
	RESIDENT_TALLY,
	RESIDENT_SPAN_BEGIN,
	RESIDENT_SPAN_END,
	RESIDENT_SWITCH,
	RESIDENT_ROUTINES
};

/* Offsets are bytes from the start of the image. */
struct resident_table {
	uint32_t size;           /* of the image */
	uint32_t hook;           /* trampolines call this; see resident.S */
	uint32_t hook_saved;     /* from here all registers are in the frame at rsp */
	uint32_t hook_switched;  /* from here the frame is at rbp */
	uint32_t hook_blocked;   /* from here signals are blocked */
	uint32_t hook_unblocked; /* from here they are restored, the frame is at rbp */
	uint32_t hook_back;      /* from here the frame is at rsp again */
	uint32_t hook_return;    /* the last instruction, with all registers restored */
	uint32_t hook_end;
	uint32_t look; /* fixes return addresses, for WIRE_HOOK_OWN and WIRE_HOOK_STACK */
	uint32_t look_end;
	uint32_t inject; /* runs wire_control.batch, then goes to inject_back */
	uint32_t inject_end;
	uint32_t finish;      /* sets the mask of the bank, then goes to its `back` */
	uint32_t rest;        /* continues a system call that was cut short */
	uint32_t rest_made;   /* from here the result of the rest is in rax */
	uint32_t rest_summed; /* from here the result of the whole call is */
	uint32_t rest_end;
	uint32_t returns; /* rt_sigreturn: comes from restorers, see resident.S */
	uint32_t returns_end;
	uint32_t arc;         /* gates call this; see resident.S */
	uint32_t arc_lowered; /* from here the frame is at rsp */
	uint32_t arc_saved;   /* from here registers are in it */
	uint32_t arc_counted; /* from here the call is counted */
	uint32_t arc_return;  /* the last instruction, with all registers restored */
	uint32_t arc_end;
	uint32_t paths_put_by; /* probes of paths go there: paths.S */
	uint32_t paths_find;
	uint32_t paths_end;
	struct resident_routine
		graph[RESIDENT_ROUTINES]; /* by RESIDENT_...: enter, leave, calls whose
					     returns are not seen, beginnings and ends of
					     spans, and switches of the stack */
	uint32_t span_unmask;             /* restores the signal mask behind a span */
	uint32_t span_unmask_saved;       /* from here registers are in wire_spans */
	uint32_t span_unmask_end;
	uint32_t tool_call;     /* points call this: see tool.S */
	uint32_t tool_back;     /* a routine returns to here */
	uint32_t tool_freed;    /* from here nothing is left to do */
	uint32_t tool_unmask;   /* points call this */
	uint32_t tool_unmasked; /* here signals come, with registers in wire_spans */
	uint32_t tool_direct;   /* routines that were called directly return here */
	uint32_t
		tool_directed; /* behind that; the part from tool_freed on is only pops */
	uint32_t tool_last;    /* its last instruction, with all registers restored */
	uint32_t tool_replace; /* entries of replaced functions call this */
	uint32_t tool_replaces; /* from here the call is over */
	uint32_t tool_replaced; /* returns to the caller */
	uint32_t phase; /* changes the view in which a thread counts: see phase.S */
	uint32_t phase_written; /* from here that is done */
	uint32_t phase_slow;    /* the same by a system call */
	uint32_t phase_slow_written;
	uint32_t phase_end;
	uint32_t probe;             /* a routine that points call: see probes.c */
	uint32_t probe_load;        /* its load that may fault */
	uint32_t probe_load_failed; /* where a thread goes on then */
	uint32_t trap;              /* a handler of SIGTRAP: see trap.h */
	uint32_t trap_restorer;     /* what it returns to */
	uint32_t boot;      /* code for the first injection; copied elsewhere to run */
	uint32_t boot_data; /* struct resident_boot, behind the code */
	uint32_t boot_end;
	uint32_t leave;      /* code for the last injection; copied elsewhere to run */
	uint32_t leave_data; /* struct resident_leave, behind the code */
	uint32_t leave_end;
};

/* Parameters of the boot code; filled in by the tracer in its copy. */
struct resident_boot {
	uint64_t back;      /* where the program continues */
	uint64_t mask;      /* signal mask to set before that */
	uint64_t flags;     /* of memfd_create */
	uint64_t address;   /* of the arena */
	uint64_t data_size; /* bytes to map from WIRE_CONTROL_OFFSET on */
	char name[8];
};

/* Parameters of the leaving code. */
struct resident_leave {
	uint64_t back;    /* as in resident_boot */
	uint64_t mask;    /* as in resident_boot */
	uint64_t address; /* of the range to unmap */
	uint64_t size;    /* bytes */
};

/* The image, embedded in the tracer. */
extern const unsigned char resident_image[];
extern const unsigned int resident_image_size;

/* The table at the start of the image: offsets in the image. */
static inline const struct resident_table *resident_table(void)
{
	return (const struct resident_table *)(const void *)resident_image;
}

#endif
