/*
 * Looks at all threads of processes: what each does, on which path of calls, and what it
 * waits for. Nothing is stopped or changed.
 */
#ifndef TRAMMEL_STACKS_LOOK_H
#define TRAMMEL_STACKS_LOOK_H

#include "base/vector.h"
#include "sample/sampler.h"
#include "stacks/object.h"
#include "stacks/walk.h"

/* A thread in a look. */
struct stacks_row {
	struct stacks_thread thread;
	uint32_t image, node; /* of the sampler; node 0: where it is is not known */
	struct stacks_object object; /* of one in the kernel */
};

struct stacks {
	struct sampler *sampler; /* has processes and sums; not owned */
	struct stacks_walker walker;
	struct stacks_sockets sockets;
	struct VECTOR(struct stacks_row) rows; /* of the last look */
	struct table known; /* by thread: index of what it was in `places` + 1 */
	struct VECTOR(struct stacks_place) places;
	uint8_t *buffer;
	uint64_t last_ns; /* time of the last look; 0: none yet */
	uint64_t looks;
	uint32_t events[STACKS_STATES]; /* indexes in sampler->events */
	bool samples_run;               /* who runs is sampled */
	uint32_t pid, image;            /* that is looked at */
};

/* A place where a thread was, as long as it has not run since. */
struct stacks_place {
	uint64_t moment;
	uint32_t node;
	char *names; /* of its innermost functions */
};

struct stacks *stacks_create(struct sampler *sampler);
void stacks_destroy(struct stacks *stacks);

/* Looks at all threads of a process; their rows are added to stacks->rows. */
void stacks_look(struct stacks *stacks, uint32_t pid);

/* Forgets the rows of the last look. */
void stacks_clear(struct stacks *stacks);

/* Adds events for the states to those of the sampler, whose first one is that of threads
 * that run. `samples_run`: it takes samples of them. */
void stacks_begin_sums(struct stacks *stacks, uint64_t interval_ns, bool samples_run);

/* Looks at all processes that the sampler knows, and adds what the threads do to its
 * sums: for the time since the last look. */
void stacks_take(struct stacks *stacks);

#endif
