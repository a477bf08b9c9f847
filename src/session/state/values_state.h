/* Sampled values: stretches of copied instructions, and the threads in them. */
#ifndef TRAMMEL_SESSION_STATE_VALUES_STATE_H
#define TRAMMEL_SESSION_STATE_VALUES_STATE_H

#include "base/table.h"
#include "base/vector.h"
#include "code/stretch/stretch.h"

#include <stdbool.h>
#include <stdint.h>

/* A stretch that was made, for one arena. */
struct made_stretch {
	struct stretch stretch;
	uint32_t users; /* threads that may be in a copy of it */
	bool dropped;   /* not in the table any more */
};

/* Executable memory of no file, as it was mapped when that was read last: see
 * session/state/generated_code.h. */
struct generated_range {
	uint64_t start, end;
};
struct generated_code {
	uint64_t read_ns; /* clock_now_ns(); 0: never */
	struct VECTOR(struct generated_range) ranges;
};

/* Of a thread. */
struct thread_values {
	bool asked; /* it was interrupted for its values */
	uint64_t asked_ns;
	struct made_stretch *made; /* it may be in a copy of this one; NULL: it is not */
	uint32_t slot;             /* that copy's */
	bool own_fault;         /* the signal that it stopped for is of a load of ours */
	bool taken;             /* its values were read */
	uint64_t registers[16]; /* at the start */
	uint64_t fs_base, gs_base;
	uint32_t region; /* as in struct value_key */
	int stat;        /* see processor_read */
};

/* Regions of a run that are told apart: what is in others is of none of them. */
enum { VALUE_REGIONS_MAX = 4096 };

/* Of a run; all-zero: none are taken. */
struct values_state {
	bool on;
	uint64_t period_ns;     /* between two samples of one thread */
	uint64_t due_ns;        /* clock_now_ns() of the next tick */
	uint64_t random;        /* state of the numbers that jitter it */
	unsigned int idle;      /* looks, one after the other, at which nothing had run */
	unsigned int rest;      /* the same, without a bound */
	uint64_t turn;          /* which thread of a process comes next */
	unsigned int processor; /* the tracer's, plus 1; 0: any, as the kernel likes */
	unsigned int here;      /* threads that were asked since it came there */
	int kept;               /* descriptors of threads that are open */
	struct string_table texts;   /* names of tables of a profiler of the user's */
	struct string_table regions; /* paths, encoded */
	struct table made; /* address of a struct made_stretch, by arena and code */
	struct VECTOR(struct made_stretch *) list; /* of them, dropped ones not */
	uint64_t interrupts, stretches, steps;     /* done so far */
	uint64_t cut_short;           /* stretches that were left before their end */
	uint64_t ended[STRETCH_WHYS]; /* others, by enum stretch_why */
	uint64_t generated; /* stretches that began in code of the program's making */
	uint64_t in_calls;  /* threads that were in system calls */
	uint64_t elsewhere; /* threads that were in code that is not copied */
	uint64_t crowded;   /* and those for which there was no free slot */
};

#endif
