/* Samples added up by where they were taken, in bounded memory. */
#ifndef TRAMMEL_SAMPLE_SUMS_H
#define TRAMMEL_SAMPLE_SUMS_H

#include "base/table.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	SAMPLE_NOWHERE = UINT32_MAX, /* as a module: nothing is known of the address */
	SAMPLE_CUT_OFF = UINT32_MAX - 1, /* the frames further out are not known */
	SAMPLE_RUNNING = UINT32_MAX - 2, /* somewhere: the thread ran */
};

/* A frame: a place in the code, below the frames that called it. */
struct sample_node {
	uint32_t parent;  /* index in `nodes`; 0: none is known */
	uint32_t module;  /* or SAMPLE_NOWHERE, SAMPLE_CUT_OFF */
	uint64_t address; /* link-time, of the instruction; of callers, of the call's last
			     byte */
};

/* What a thread waited for. */
struct sample_wait {
	char *kind, *on; /* "mutex", "mutex 0x7f... held by thread 12" */
	uint32_t holder; /* node of the thread that held it; 0: not known */
};

struct sample_sum {
	uint32_t node, image, tid;
	uint32_t wait;    /* number in `waits`, from 1; 0: none */
	uint32_t context; /* number of a text; 0: none */
	uint32_t event;
	uint64_t samples, events;
	uint64_t weight;  /* ticks that precise samples say they took */
	uint64_t longest; /* most events of one; 0: it is not asked */
};

struct sample_sums {
	struct VECTOR(struct sample_node) nodes; /* 0 is none */
	struct VECTOR(uint32_t) last; /* of each node the child that was asked for last */
	struct VECTOR(struct sample_sum) sums;
	struct VECTOR(struct sample_wait) waits;
	struct table by_node, by_sum, by_wait; /* by hashes */
	uint64_t dropped;                      /* samples that there was no room for */
	size_t most; /* sums and nodes, each; 0: the usual bound */
};

/* Returns the node of a frame, which is added if it is new; 0 without room for it. */
uint32_t sample_sums_node(struct sample_sums *sums, uint32_t parent, uint32_t module,
			  uint64_t address);

/* Returns the number of what a thread waited for, from 1; it is added if it is new. 0
 * without room. */
uint32_t sample_sums_wait(struct sample_sums *sums, const char *kind, const char *on,
			  uint32_t holder);

/* Adds the numbers of one sample, or several. */
void sample_sums_add(struct sample_sums *sums, const struct sample_sum *sample);

/* Forgets the sums, but not how many samples were dropped. */
void sample_sums_clear(struct sample_sums *sums);

/* Has the sums of image I be of image images[I]; those that are equal then become one. */
void sample_sums_renumber(struct sample_sums *sums, const uint32_t *images);

void sample_sums_deinit(struct sample_sums *sums);

#endif
