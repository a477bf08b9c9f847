#include "code/relocate/block_sums.h"

#include <stdbool.h>
#include <string.h>

/* How a block's count is obtained. */
enum state { COUNTED, FROM_SUCCESSORS, FROM_PREDECESSORS };

enum { LOOK_MAX = 64 }; /* blocks looked at for a cycle */

#define RESIZE(vector, size)                                                             \
	do {                                                                             \
		vector_reserve(vector, (size) + 1);                                      \
		(vector)->count = (size);                                                \
		memset((vector)->items, 0, (size) * sizeof(*(vector)->items));           \
	} while (0)

/* Whether the block is entered by its edges alone. */
static bool is_inner(const struct cfg *cfg, uint32_t number)
{
	return number && number != CFG_OUT && !cfg->blocks.items[number].exposed;
}

/* Edges into each block, and how deep it lies in loops, as far as the order of the code
 * tells. */
static void index_edges(struct block_sums *sums, const struct cfg *cfg)
{
	size_t blocks = cfg->blocks.count;
	uint32_t depth = 0, total = 0;

	RESIZE(&sums->depths, blocks + 1);
	RESIZE(&sums->first_pred, blocks + 1);
	RESIZE(&sums->preds, cfg->edges.count);
	vector_for_each (&cfg->edges, edge) {
		if (edge->to == CFG_OUT)
			continue;
		sums->first_pred.items[edge->to + 1]++;
		if (edge->to > edge->from)
			continue;
		sums->depths.items[edge->to]++;
		sums->depths.items[edge->from + 1]--;
	}
	for (size_t i = 0; i < blocks; i++) {
		depth += sums->depths.items[i];
		sums->depths.items[i] = depth;
		total += sums->first_pred.items[i];
		sums->first_pred.items[i] = total;
	}
	sums->first_pred.items[blocks] += total;
	RESIZE(&sums->order, blocks + 1);
	vector_for_each (&cfg->edges, edge)
		if (edge->to != CFG_OUT)
			sums->preds.items[sums->first_pred.items[edge->to] +
					  sums->order.items[edge->to]++] = edge->from;
}

/* The blocks that a block is summed up from in one of both ways. */
static const uint32_t *terms_of(const struct block_sums *sums, const struct cfg *cfg,
				uint32_t block, enum state state, uint32_t *ret_count,
				uint32_t scratch[2])
{
	const struct cfg_block *from = &cfg->blocks.items[block];

	if (state == FROM_PREDECESSORS) {
		*ret_count =
			sums->first_pred.items[block + 1] - sums->first_pred.items[block];
		return sums->preds.items + sums->first_pred.items[block];
	}
	*ret_count = from->edge_count;
	for (uint32_t i = 0; i < from->edge_count && i < 2; i++)
		scratch[i] = cfg->edges.items[from->first_edge + i].to;
	return scratch;
}

/* Whether the count of the block is the sum of its one or two successors'. */
static bool fits_successors(const struct block_sums *sums, const struct cfg *cfg,
			    uint32_t block)
{
	const struct cfg_block *from = &cfg->blocks.items[block];
	const struct cfg_edge *edges = cfg->edges.items + from->first_edge;

	if (!from->edge_count || from->edge_count > 2 || cfg_may_stay(cfg, block) ||
	    (from->edge_count == 2 && edges[0].to == edges[1].to))
		return false;
	for (uint32_t i = 0; i < from->edge_count; i++) {
		uint32_t to = edges[i].to;

		if (to == block || !is_inner(cfg, to) ||
		    sums->first_pred.items[to + 1] - sums->first_pred.items[to] != 1)
			return false;
	}
	return true;
}

/* Whether it is the sum of all its predecessors', which lead nowhere else. */
static bool fits_predecessors(const struct block_sums *sums, const struct cfg *cfg,
			      uint32_t block)
{
	uint32_t first = sums->first_pred.items[block];
	uint32_t end = sums->first_pred.items[block + 1];

	if (!is_inner(cfg, block) || first == end || end - first > BLOCK_SUMS_TERMS_MAX)
		return false;
	for (uint32_t i = first; i < end; i++) {
		uint32_t pred = sums->preds.items[i];

		if (pred == block || cfg->blocks.items[pred].edge_count != 1 ||
		    cfg_may_stay(cfg, pred))
			return false;
	}
	return true;
}

/* Whether `wanted` is found below what `block` is summed up from; true when in doubt. */
static bool depends_on(const struct block_sums *sums, const struct cfg *cfg,
		       uint32_t block, uint32_t wanted)
{
	uint32_t stack[LOOK_MAX], count = 1, looked = 0, scratch[2];

	stack[0] = block;
	while (count) {
		uint32_t at = stack[--count], terms;
		const uint32_t *rows;

		if (at == wanted || ++looked > LOOK_MAX)
			return true;
		if (sums->states.items[at] == COUNTED)
			continue;
		rows = terms_of(sums, cfg, at, sums->states.items[at], &terms, scratch);
		if (count + terms > LOOK_MAX)
			return true;
		for (uint32_t i = 0; i < terms; i++)
			stack[count++] = rows[i];
	}
	return false;
}

static bool try_state(struct block_sums *sums, const struct cfg *cfg, uint32_t block,
		      enum state state)
{
	uint32_t count, scratch[2];
	const uint32_t *rows = terms_of(sums, cfg, block, state, &count, scratch);

	for (uint32_t i = 0; i < count; i++)
		if (depends_on(sums, cfg, rows[i], block))
			return false;
	sums->states.items[block] = (uint8_t)state;
	return true;
}

/* The deepest first, by counting. */
static void sort_by_depth(struct block_sums *sums, const struct cfg *cfg)
{
	uint32_t deepest = 0, at = 0;

	for (size_t i = 0; i < cfg->blocks.count; i++)
		if (sums->depths.items[i] > deepest)
			deepest = sums->depths.items[i];
	for (uint32_t depth = deepest > 8 ? 8 : deepest;; depth--) {
		for (uint32_t i = 0; i < cfg->blocks.count; i++) {
			uint32_t own =
				sums->depths.items[i] > 8 ? 8 : sums->depths.items[i];

			if (own == depth)
				sums->order.items[at++] = i;
		}
		if (!depth)
			return;
	}
}

/* Adds the blocks with counters that `block` is the sum of to sums.terms; false if they
 * are too many. Nothing is summed up in a circle. */
static bool expand_sum(struct block_sums *sums, const struct cfg *cfg, uint32_t block,
		       uint32_t first)
{
	uint32_t stack[LOOK_MAX], count = 1, scratch[2];

	stack[0] = block;
	while (count) {
		uint32_t at = stack[--count], terms;
		const uint32_t *rows;

		if (sums->states.items[at] == COUNTED) {
			if (sums->terms.count - first == BLOCK_SUMS_TERMS_MAX)
				return false;
			vector_push(&sums->terms, at);
			continue;
		}
		rows = terms_of(sums, cfg, at, sums->states.items[at], &terms, scratch);
		if (count + terms > LOOK_MAX)
			return false;
		for (uint32_t i = 0; i < terms; i++)
			stack[count++] = rows[i];
	}
	return true;
}

/* Expands all sums. False if some are too long; their blocks get counters. */
static bool expand_all(struct block_sums *sums, const struct cfg *cfg)
{
	bool good = true;

	sums->terms.count = 0;
	for (uint32_t b = 0; b < cfg->blocks.count; b++) {
		uint32_t first = (uint32_t)sums->terms.count;

		sums->blocks.items[b] = (struct block_sum){0, 0};
		if (sums->states.items[b] == COUNTED)
			continue;
		if (!expand_sum(sums, cfg, b, first)) {
			sums->states.items[b] = COUNTED;
			good = false;
			continue;
		}
		sums->blocks.items[b] =
			(struct block_sum){first, (uint32_t)sums->terms.count - first};
	}
	return good;
}

void block_sums_choose(struct block_sums *sums, const struct cfg *cfg)
{
	RESIZE(&sums->blocks, cfg->blocks.count);
	RESIZE(&sums->states, cfg->blocks.count);
	index_edges(sums, cfg);
	sort_by_depth(sums, cfg);
	for (size_t i = 0; i < cfg->blocks.count; i++) {
		uint32_t block = sums->order.items[i];

		/* The counter of the function's calls counts it. */
		if (!block)
			continue;
		if (fits_successors(sums, cfg, block) &&
		    try_state(sums, cfg, block, FROM_SUCCESSORS))
			continue;
		if (fits_predecessors(sums, cfg, block))
			try_state(sums, cfg, block, FROM_PREDECESSORS);
	}
	while (!expand_all(sums, cfg))
		;
}

void block_sums_choose_none(struct block_sums *sums, const struct cfg *cfg)
{
	RESIZE(&sums->blocks, cfg->blocks.count);
	sums->terms.count = 0;
}

void block_sums_deinit(struct block_sums *sums)
{
	vector_deinit(&sums->blocks);
	vector_deinit(&sums->terms);
	vector_deinit(&sums->depths);
	vector_deinit(&sums->order);
	vector_deinit(&sums->preds);
	vector_deinit(&sums->first_pred);
	vector_deinit(&sums->states);
}
