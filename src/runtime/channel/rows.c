/* Aggregated rows: in blocks of the spool, found by the number of the node, without a
 * search. */
#include "runtime/channel/rows.h"
#include "runtime/channel/channel.h"
#include "runtime/store/memory.h"
#include "runtime/store/spool.h"

static uint64_t ***slot_of(struct rows *rows, uint32_t chunk)
{
	if (!rows->chunks)
		rows->chunks = runtime_map(ROWS_CHUNKS * sizeof(*rows->chunks));
	return rows->chunks && chunk / ROWS_INNER < ROWS_CHUNKS
		       ? &rows->chunks[chunk / ROWS_INNER]
		       : NULL;
}

static uint64_t *new_chunk(const struct channel_thread *own, uint32_t first)
{
	struct context_block *block = channel_block(own, CONTEXT_SUMS, 1);

	if (!block)
		return NULL;
	block->order = first;
	block->used = CONTEXT_BLOCK - sizeof(*block);
	return (uint64_t *)(void *)(block + 1);
}

void rows_init(struct channel_thread *own)
{
	own->rows = (struct rows){
		.shift = own->channel->row_shift,
		.mask = (1u << own->channel->row_shift) - 1,
		.width = own->channel->row_width,
	};
}

uint64_t *rows_new(struct channel_thread *own, uint32_t number)
{
	const struct channel *channel = own->channel;
	uint32_t chunk = number >> channel->row_shift;
	uint32_t first = chunk << channel->row_shift;
	uint64_t ***inner = slot_of(&own->rows, chunk), **rows;

	if (inner && !*inner)
		*inner = runtime_map(ROWS_INNER * sizeof(**inner));
	if (!inner || !*inner)
		return NULL;
	rows = &(*inner)[chunk % ROWS_INNER];
	if (!*rows)
		*rows = new_chunk(own, first);
	if (!*rows)
		return NULL;
	if (number >= own->rows.most)
		own->rows.most = number + 1;
	return *rows + (number - first) * channel->row_width;
}

static uint64_t *chunk_of(const struct rows *rows, uint32_t chunk)
{
	uint64_t **inner = rows->chunks && chunk / ROWS_INNER < ROWS_CHUNKS
				   ? rows->chunks[chunk / ROWS_INNER]
				   : NULL;

	return inner ? inner[chunk % ROWS_INNER] : NULL;
}

uint64_t *rows_find(const struct channel_thread *own, uint32_t number)
{
	const struct channel *channel = own->channel;
	uint64_t *rows = chunk_of(&own->rows, number >> channel->row_shift);

	number &= (1u << channel->row_shift) - 1;
	return rows ? rows + number * channel->row_width : NULL;
}

void rows_deinit(struct channel_thread *own)
{
	struct rows *rows = &own->rows;
	uint32_t count = (rows->most + (1u << own->channel->row_shift) - 1) >>
			 own->channel->row_shift;

	for (uint32_t i = 0; i < count; i++)
		if (chunk_of(rows, i))
			spool_free((struct context_block *)(void *)chunk_of(rows, i) - 1);
	for (uint32_t i = 0; rows->chunks && i < ROWS_CHUNKS; i++)
		runtime_unmap(rows->chunks[i], ROWS_INNER * sizeof(**rows->chunks));
	runtime_unmap(rows->chunks, ROWS_CHUNKS * sizeof(*rows->chunks));
	rows_init(own);
}
