/* Aggregated rows: found by the number of the node, without a search. */
#include "runtime/channel/channel.h"

enum { CHUNK = 128, INNER = 512, ROWS_CHUNKS = 512 };

uint32_t rows_width(const struct channel *channel)
{
	uint32_t width = ROW_METRICS + 3 * channel->metric_count;

	return width < ROW_MIN_WIDTH ? (uint32_t)ROW_MIN_WIDTH : width;
}

static uint64_t *new_row(struct channel_thread *own, uint32_t number)
{
	struct rows *rows = &own->rows;
	uint32_t width = rows_width(own->channel);
	uint64_t ***inner, **chunk;

	if (!rows->chunks)
		rows->chunks = runtime_map(ROWS_CHUNKS * sizeof(*rows->chunks));
	if (!rows->chunks || number / CHUNK / INNER >= ROWS_CHUNKS)
		return NULL;
	inner = &rows->chunks[number / CHUNK / INNER];
	if (!*inner)
		*inner = runtime_map(INNER * sizeof(**inner));
	if (!*inner)
		return NULL;
	chunk = &(*inner)[number / CHUNK % INNER];
	if (!*chunk)
		*chunk = runtime_map(CHUNK * width * sizeof(**chunk));
	return *chunk ? *chunk + number % CHUNK * width : NULL;
}

uint64_t *rows_at(struct channel_thread *own, uint32_t number)
{
	const struct rows *rows = &own->rows;
	uint64_t *row = NULL;

	if (likely(number < rows->most)) {
		row = rows->chunks[number / CHUNK / INNER]
			      ? rows->chunks[number / CHUNK / INNER]
					    [number / CHUNK % INNER]
			      : NULL;
		if (likely(row))
			return row + number % CHUNK * rows_width(own->channel);
	}
	row = new_row(own, number);
	if (row && number >= own->rows.most)
		own->rows.most = number + 1;
	return row;
}

static uint64_t *chunk_of(const struct rows *rows, uint32_t number)
{
	uint64_t **inner = rows->chunks && number / CHUNK / INNER < ROWS_CHUNKS
				   ? rows->chunks[number / CHUNK / INNER]
				   : NULL;

	return inner ? inner[number / CHUNK % INNER] : NULL;
}

uint64_t *rows_find(const struct channel_thread *own, uint32_t number)
{
	uint64_t *chunk = chunk_of(&own->rows, number);

	return chunk ? chunk + number % CHUNK * rows_width(own->channel) : NULL;
}

void rows_deinit(struct channel_thread *own)
{
	struct rows *rows = &own->rows;
	size_t size = CHUNK * rows_width(own->channel) * sizeof(uint64_t);

	for (uint32_t number = 0; number < rows->most; number += CHUNK)
		runtime_unmap(chunk_of(rows, number), size);
	for (uint32_t i = 0; rows->chunks && i < ROWS_CHUNKS; i++)
		runtime_unmap(rows->chunks[i], INNER * sizeof(**rows->chunks));
	runtime_unmap(rows->chunks, ROWS_CHUNKS * sizeof(*rows->chunks));
	*rows = (struct rows){0};
}
