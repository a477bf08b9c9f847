/* Aggregated rows: found by the number of the node, without a search. */
#include "runtime/channel/channel.h"

static uint64_t *new_row(struct channel_thread *own, uint32_t number)
{
	struct rows *rows = &own->rows;
	uint32_t width = own->channel->row_width;
	uint64_t ***inner, **chunk;

	if (!rows->chunks)
		rows->chunks = runtime_map(ROWS_CHUNKS * sizeof(*rows->chunks));
	if (!rows->chunks || number / ROWS_CHUNK / ROWS_INNER >= ROWS_CHUNKS)
		return NULL;
	inner = &rows->chunks[number / ROWS_CHUNK / ROWS_INNER];
	if (!*inner)
		*inner = runtime_map(ROWS_INNER * sizeof(**inner));
	if (!*inner)
		return NULL;
	chunk = &(*inner)[number / ROWS_CHUNK % ROWS_INNER];
	if (!*chunk)
		*chunk = runtime_map(ROWS_CHUNK * width * sizeof(**chunk));
	return *chunk ? *chunk + number % ROWS_CHUNK * width : NULL;
}

uint64_t *rows_new(struct channel_thread *own, uint32_t number)
{
	uint64_t *row = new_row(own, number);

	if (row && number >= own->rows.most)
		own->rows.most = number + 1;
	return row;
}

static uint64_t *chunk_of(const struct rows *rows, uint32_t number)
{
	uint64_t **inner = rows->chunks && number / ROWS_CHUNK / ROWS_INNER < ROWS_CHUNKS
				   ? rows->chunks[number / ROWS_CHUNK / ROWS_INNER]
				   : NULL;

	return inner ? inner[number / ROWS_CHUNK % ROWS_INNER] : NULL;
}

uint64_t *rows_find(const struct channel_thread *own, uint32_t number)
{
	uint64_t *chunk = chunk_of(&own->rows, number);

	return chunk ? chunk + number % ROWS_CHUNK * own->channel->row_width : NULL;
}

void rows_deinit(struct channel_thread *own)
{
	struct rows *rows = &own->rows;
	size_t size = ROWS_CHUNK * own->channel->row_width * sizeof(uint64_t);

	for (uint32_t number = 0; number < rows->most; number += ROWS_CHUNK)
		runtime_unmap(chunk_of(rows, number), size);
	for (uint32_t i = 0; rows->chunks && i < ROWS_CHUNKS; i++)
		runtime_unmap(rows->chunks[i], ROWS_INNER * sizeof(**rows->chunks));
	runtime_unmap(rows->chunks, ROWS_CHUNKS * sizeof(*rows->chunks));
	*rows = (struct rows){0};
}
