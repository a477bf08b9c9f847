/* Merges several sequences of events in the order of time: a binary heap of their
 * numbers, with the sequence of the earliest event on top. */
#ifndef TRAMMEL_CONTEXT_MERGE_H
#define TRAMMEL_CONTEXT_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct merge {
	uint32_t *heap;
	uint64_t *ticks; /* of the next event, by sequence */
	size_t count;    /* of sequences that have one */
};

/* `most`: sequences. */
void merge_init(struct merge *merge, size_t most);
void merge_deinit(struct merge *merge);
/* The sequence has an event then. Each is added once. */
void merge_add(struct merge *merge, uint32_t sequence, uint64_t ticks);
/* False: no sequence has an event. */
bool merge_top(const struct merge *merge, uint32_t *ret_sequence);
/* The event on top was read. `more`: its sequence has another one, then. */
void merge_next(struct merge *merge, bool more, uint64_t ticks);

#endif
