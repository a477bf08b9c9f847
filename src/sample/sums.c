#include "sample/sums.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Together some 300 MB. */
enum { NODES_MAX = 1 << 22, SUMS_MAX = 1 << 21, WAITS_MAX = 1 << 18 };

static bool is_node(const struct sample_sums *sums, uint64_t index,
		    const struct sample_node *wanted)
{
	const struct sample_node *node = &sums->nodes.items[index];

	return index && node->parent == wanted->parent &&
	       node->module == wanted->module && node->address == wanted->address;
}

static uint32_t find_node(struct sample_sums *sums, const struct sample_node *wanted)
{
	uint64_t hash = hash_bytes(wanted, sizeof(*wanted)), index;

	for (; table_find(&sums->by_node, hash, &index); hash++)
		if (is_node(sums, index, wanted))
			return (uint32_t)index;
	if (sums->nodes.count >= (sums->most ? sums->most : NODES_MAX))
		return 0;
	*table_insert(&sums->by_node, hash, NULL) = sums->nodes.count;
	vector_push(&sums->nodes, *wanted);
	vector_push(&sums->last, 0);
	return (uint32_t)sums->nodes.count - 1;
}

uint32_t sample_sums_node(struct sample_sums *sums, uint32_t parent, uint32_t module,
			  uint64_t address)
{
	const struct sample_node wanted = {parent, module, address};

	if (!sums->nodes.count) {
		vector_add(&sums->nodes);
		vector_push(&sums->last, 0);
	}
	/* Most paths have the same outer frames as the one before. */
	uint32_t node = sums->last.items[parent];

	if (!is_node(sums, node, &wanted)) {
		node = find_node(sums, &wanted); /* `last` may lie elsewhere after that */
		sums->last.items[parent] = node;
	}
	return node;
}

uint32_t sample_sums_wait(struct sample_sums *sums, const char *kind, const char *on,
			  uint32_t holder)
{
	uint64_t hash = hash_bytes(on, strlen(on)) + holder, index;

	for (; table_find(&sums->by_wait, hash, &index); hash++) {
		const struct sample_wait *wait = &sums->waits.items[index];

		if (wait->holder == holder && !strcmp(wait->on, on) &&
		    !strcmp(wait->kind, kind))
			return (uint32_t)index + 1;
	}
	if (sums->waits.count >= WAITS_MAX)
		return 0;
	*table_insert(&sums->by_wait, hash, NULL) = sums->waits.count;
	vector_push(&sums->waits, ((struct sample_wait){memory_copy_string(kind),
							memory_copy_string(on), holder}));
	return (uint32_t)sums->waits.count;
}

void sample_sums_add(struct sample_sums *sums, const struct sample_sum *sample)
{
	uint64_t hash =
		hash_bytes(sample, offsetof(struct sample_sum, event) + sizeof(uint32_t));
	uint64_t index;

	if (!sample->node) {
		sums->dropped += sample->samples;
		return;
	}
	for (; table_find(&sums->by_sum, hash, &index); hash++) {
		struct sample_sum *sum = &sums->sums.items[index];

		if (sum->node != sample->node || sum->image != sample->image ||
		    sum->tid != sample->tid || sum->wait != sample->wait ||
		    sum->context != sample->context || sum->event != sample->event)
			continue;
		sum->samples += sample->samples;
		sum->events += sample->events;
		sum->weight += sample->weight;
		if (sample->longest > sum->longest)
			sum->longest = sample->longest;
		return;
	}
	if (sums->sums.count >= (sums->most ? sums->most : SUMS_MAX)) {
		sums->dropped += sample->samples;
		return;
	}
	*table_insert(&sums->by_sum, hash, NULL) = sums->sums.count;
	vector_push(&sums->sums, *sample);
}

void sample_sums_clear(struct sample_sums *sums)
{
	const struct sample_sums kept = {.dropped = sums->dropped, .most = sums->most};

	sample_sums_deinit(sums);
	*sums = kept;
}

void sample_sums_renumber(struct sample_sums *sums, const uint32_t *images)
{
	const size_t count = sums->sums.count;

	table_deinit(&sums->by_sum);
	sums->sums.count = 0;
	/* None is written before it was read: there are no more than before. */
	for (size_t i = 0; i < count; i++) {
		struct sample_sum sum = sums->sums.items[i];

		sum.image = images[sum.image];
		sample_sums_add(sums, &sum);
	}
}

void sample_sums_deinit(struct sample_sums *sums)
{
	vector_for_each (&sums->waits, wait) {
		free(wait->kind);
		free(wait->on);
	}
	vector_deinit(&sums->waits);
	table_deinit(&sums->by_wait);
	vector_deinit(&sums->nodes);
	vector_deinit(&sums->last);
	vector_deinit(&sums->sums);
	table_deinit(&sums->by_node);
	table_deinit(&sums->by_sum);
}
