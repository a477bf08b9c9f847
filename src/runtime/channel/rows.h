/* Aggregated rows of a thread in a channel. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_ROWS_H
#define TRAMMEL_RUNTIME_CHANNEL_ROWS_H

#include "runtime/channel/channel.h"
#include "runtime/store/state.h"

enum {
	ROW_SNAPSHOTS = CONTEXT_SUMS_SNAPSHOTS,
	ROW_ENDS = CONTEXT_SUMS_ENDS,
	ROW_METRICS = CONTEXT_SUMS_METRICS,
	ROW_MIN_WIDTH = CONTEXT_SUMS_WORDS_MIN,
};
enum { ROWS_INNER = 1024, ROWS_CHUNKS = 4096 };

/* Makes the row of node `number`: snapshots, ends, and three words for each metric.
 * Returns NULL if there is no memory. */
uint64_t *rows_new(struct channel_thread *own, uint32_t number);

/* Returns the row of node `number`, made if it is new; NULL if there is no memory. */
static inline uint64_t *rows_at(struct channel_thread *own, uint32_t number)
{
	const struct rows *rows = &own->rows;
	uint32_t chunk = number >> rows->shift;
	uint64_t **inner =
		likely(number < rows->most) ? rows->chunks[chunk / ROWS_INNER] : NULL;
	uint64_t *first = likely(inner != NULL) ? inner[chunk % ROWS_INNER] : NULL;

	return likely(first != NULL) ? first + (number & rows->mask) * rows->width
				     : rows_new(own, number);
}

/* Returns the row of node `number`; NULL if it has none. */
uint64_t *rows_find(const struct channel_thread *own, uint32_t number);

/* Prepares the rows; called before the first one is made. */
void rows_init(struct channel_thread *own);

/* Frees all rows. */
void rows_deinit(struct channel_thread *own);

#endif
