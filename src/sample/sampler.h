/*
 * Samples of processes: from open events to sums. What begins, maps code and ends is
 * followed by the records themselves; no process is stopped or changed. Everything of one
 * sampler is done by one thread at a time.
 */
#ifndef TRAMMEL_SAMPLE_SAMPLER_H
#define TRAMMEL_SAMPLE_SAMPLER_H

#include "sample/branches.h"
#include "sample/context.h"
#include "sample/event.h"
#include "sample/process.h"
#include "sample/source.h"
#include "sample/stack.h"
#include "sample/sums.h"

struct sampler_options {
	const char *events; /* names, with commas between them */
	struct sample_rate rate;
	bool threads;              /* those of threads are kept apart */
	bool no_follow;            /* only the first process counts */
	bool contexts;             /* samples are told apart by the program's regions: see
				      sample_contexts_place */
	uint64_t after_ns, for_ns; /* the part of the time that counts; for_ns 0: to the
				      end */
};

/* Leads back from code that trammel made to the original; NULL: there is none. */
struct sampler_original {
	void *context;
	/* Of where a thread is: its pc, and its stack pointer as it would be there. */
	void (*lead_back)(void *context, uint32_t pid, uint64_t *pc, uint64_t *rsp);
	/* Returns the original of a return address. */
	uint64_t (*lead_caller_back)(void *context, uint32_t pid, uint64_t address);
};

/* Where the data of precise samples came from: how many. */
struct sample_levels {
	uint64_t l1, l2, l3, memory, other;
};

struct sampler {
	struct sampler_options options;
	struct sample_events events;
	struct sample_source source;
	struct sample_processes processes;
	struct sample_sums sums;
	struct sample_path path;
	uint32_t walked;          /* pid of the process whose stack is walked */
	uint32_t first;           /* pid of the first process */
	uint64_t begin_ns;        /* time of its exec, or of the attachment; 0: not yet */
	uint64_t lost, throttled; /* records that the kernel had no room for; how often it
				     took no samples, since they came too fast */
	uint64_t taken[SAMPLE_EVENTS_MAX];
	uint64_t outside; /* samples of times that do not count */
	uint64_t cut_off; /* stacks that were longer than what is copied of them */
	uint64_t own_ns;  /* processor time that reading and walking took */
	struct sampler_original original;
	struct sample_contexts contexts;
	struct sample_branches branches;
	struct sample_levels levels[SAMPLE_EVENTS_MAX];
	/* Said if there is no sample, in place of what can be seen here. */
	struct text why_empty;
	bool paused;   /* samples do not count now */
	bool finished; /* the events have ended */
};

/* Finds the events. On success the caller destroys the sampler. */
struct trm_error *sampler_create(const struct sampler_options *options,
				 struct sampler **ret_sampler);
void sampler_destroy(struct sampler *sampler);

/* Opens the events for a process that is about to execute its program. Errors as for
 * sample_source_open. */
struct trm_error *sampler_open(struct sampler *sampler, pid_t pid);

/* Opens them for all threads of a running process, and begins at once. */
struct trm_error *sampler_attach(struct sampler *sampler, pid_t pid);

/* Opens them for all processes, and begins at once; without the right to that it is an
 * error as of sample_source_open. What runs already is read from /proc. */
struct trm_error *sampler_watch_all(struct sampler *sampler);

/* Opens rings for sampler_follow. */
struct trm_error *sampler_watch_some(struct sampler *sampler);

/* Opens the events for a process that runs already, one of several, and all that it will
 * make; sampler_leave closes them. Errors: it may not be looked at, or is gone. */
struct trm_error *sampler_follow(struct sampler *sampler, pid_t pid);
void sampler_leave(struct sampler *sampler, pid_t pid);

/* Takes in what the kernel has written since the last time; with `all`, up to now. */
void sampler_take(struct sampler *sampler, bool all);

/* Takes one record in, as sampler_take does. */
void sampler_see(struct sampler *sampler, const struct sample_record *record);

/* Whether what a process does at a moment is in the part that counts. */
bool sampler_counts(const struct sampler *sampler, uint32_t pid, uint64_t time);

/* Adds the frames of a stack to the sums: of a thread at `pc` with the stack pointer
 * `rsp`, whose registers and stack a record has; `partial`: as in struct sample_walk.
 * Returns the node of the innermost; 0: there is no room. */
uint32_t sampler_add_path(struct sampler *sampler, uint32_t image,
			  const struct sample_record *record, uint64_t pc, uint64_t rsp,
			  bool partial);

/* Adds the names of the functions of a node's innermost frames, at most `most`, to a
 * text, with a space behind each. Those of files above 16 MiB are left out. */
void sampler_add_names(struct sampler *sampler, uint32_t node, unsigned int most,
		       struct text *out);

/* Returns the processor time of the calling thread, nanoseconds: for own_ns. */
uint64_t sampler_own_clock(void);

/* Adds a line that says why there is no sample, if there is none. */
void sampler_explain_empty(const struct sampler *sampler, struct text *text);

/* Ends the events, and takes in what is left. */
void sampler_finish(struct sampler *sampler);

#endif
