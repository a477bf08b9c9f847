/*
 * A measurement, as a run sees it: what is planned for it, and the operations by which it
 * takes part. The measurements that exist are in src/collect/, a folder each.
 */
#ifndef TRAMMEL_SESSION_OPTIONS_COLLECTOR_H
#define TRAMMEL_SESSION_OPTIONS_COLLECTOR_H

#include "code/plan/plan.h"
#include "code/plan/request.h"

struct bank;
struct edges_counts;
struct image_run;
struct module_counts;
struct module_file;
struct process;
struct profile_writer;
struct session;
struct thread;
struct thread_calls;
struct user_regs_struct;

/*
 * Operations of a measurement besides its counters, which are read, merged and saved
 * for all measurements alike. Each member may be NULL. Where a thread or its bank is a
 * parameter, the thread is stopped.
 */
struct collector_ops {
	/* Bytes of a bank, from its start, that are kept for the measurement: counters
	 * of modules lie behind them. 0: the bank's header is enough. */
	uint32_t bank_bytes;

	/* Makes an empty bank ready for a thread that is in the calls `calls`. `old` is
	 * the bank that the thread had before; NULL: it had none. */
	void (*begin_bank)(const struct session *session, const struct bank *old,
			   struct bank *bank, const struct thread_calls *calls);
	/* Makes ready the bank of a thread that ran before trammel attached to it: the
	 * calls that it is in are read from its stack. */
	void (*begin_within)(const struct session *session, struct thread *thread,
			     const struct user_regs_struct *registers);
	/* Writes the calls that the thread of a bank is in to `calls`, which is empty. */
	void (*note_calls)(const struct session *session, const struct bank *bank,
			   struct thread_calls *calls);
	/* Counts a thread's time up to its stop. */
	void (*look)(const struct session *session, const struct thread *thread);
	/* Subtracts the ticks between the moments `from` and `to`, during which the
	 * tracer held the bank's thread, from the time recorded for it. */
	void (*give_back)(const struct bank *bank, uint64_t from, uint64_t to);

	/* Copies the contents of a process's banks, while its threads are stopped if
	 * that is needed. */
	void (*copy)(const struct session *session, struct process *process);
	/* Adds the new contents of the copy to the image of the process, for an
	 * interval; with `counts` false they are only noted as seen. */
	void (*take)(const struct session *session, struct process *process, bool counts,
		     uint32_t interval);
	/* Sorts the records of an image and adds up equal ones. */
	void (*merge)(struct image_run *image);
	/* Notes that the banks of thread `thread` are empty from now on; 0: the banks
	 * of all threads. */
	void (*forget)(struct image_run *image, uint32_t thread);

	/* Prepares for writing a profile. */
	void (*save_begin)(struct profile_writer *writer);
	/* Writes the values that follow from the counts of the blocks and edges of one
	 * function; of a single block without edges only that count is there. */
	void (*save_flow)(struct profile_writer *writer, const struct module_counts *from,
			  const struct plan_function *function,
			  const struct edges_counts *counts);
	/* Writes what is the same for all images of a module's functions of which
	 * something was written (profile_writer_knows). */
	void (*save_module)(struct profile_writer *writer,
			    const struct module_file *file);
	/* Writes what the points of a module have counted. */
	void (*save_points)(struct profile_writer *writer,
			    const struct module_counts *from);
	/* Writes the records of an image. */
	void (*save_image)(struct profile_writer *writer, const struct image_run *image);
};

enum { COLLECTOR_OPS_MAX = 8 };

struct collector {
	const char *name;    /* as -m has it */
	const char *summary; /* one line for help */
	enum plan_probe probe;
	enum plan_depth depth; /* where probes are */
	uint32_t slot_size; /* bytes a counter takes in a bank; 0: nothing is counted */
	bool covers;        /* counts are kept as 0 or not 0 */
	bool calls;         /* calls are counted by call site: see code/calls/gates.h */
	bool graph;         /* calls are counted by their contexts, with time */
	bool paths;         /* paths are counted instead of edges, where that can be */
	bool exits;         /* exits of functions are counted exactly */
	bool pbo;           /* a file for compilers is written beside the profile */
	bool regions;       /* the program's own context is recorded */
	bool trace;         /* and each event of it */
	bool mpi;           /* and calls of MPI functions */
	bool openmp;        /* and events that OpenMP's run-time library reports */
	bool samples;       /* samples are taken: see sample/sampler.h */
	bool stacks;        /* all threads are looked at: see stacks/look.h */
	bool waits;         /* blocking calls are followed: see stacks/waits.h */
	bool callpath;      /* with the calls that led there */
	bool values;        /* values are sampled: see session/count/values.h */
	bool values_exact;  /* of all executions, by the tool "values" */
	bool values_alone;  /* and nothing is counted */
	bool spans;         /* calls of chosen functions are regions, too */
	bool spans_alone;   /* and nothing is counted */
	bool routines;      /* points call routines in the program */
	const struct point_source *points; /* code inlined for it; NULL: none */
	const struct collector_ops *ops[COLLECTOR_OPS_MAX + 1]; /* NULL at the end */
};

/* Calls an operation of all measurements of a run that have it. */
#define collector_call(session, op, ...)                                                 \
	do {                                                                             \
		const struct collector_ops *const *ops_ =                                \
			(session)->options->collector->ops;                              \
                                                                                         \
		for (; *ops_; ops_++)                                                    \
			if ((*ops_)->op)                                                 \
				(*ops_)->op(__VA_ARGS__);                                \
	} while (0)

/* Returns whether functions are relocated: probes are not at their entries alone. */
static inline bool collector_relocates(const struct collector *collector)
{
	return collector->depth != PLAN_ENTRIES;
}

/* Returns whether each block's executions are known, by counters in blocks or on edges.
 */
static inline bool collector_knows_blocks(const struct collector *collector)
{
	return collector->depth >= PLAN_BLOCKS;
}

/* Returns whether calls lead through gates: see code/calls/gates.h. */
static inline bool collector_has_gates(const struct collector *collector)
{
	return collector->calls || collector->graph || collector->spans;
}

/* Returns whether only one bit is kept of a counter: that it is not 0. */
static inline bool collector_has_flags(const struct collector *collector)
{
	return collector->slot_size == 1;
}

#endif
