#include "code/count/frequencies.h"

#include "base/cleanup.h"
#include "base/search.h"

#include <string.h>

/* A frequency keeps these bits of a float: its exponent, and 8 bits of its fraction.
 * Nothing runs so often that its exponent is 80. */
enum { DROPPED = 15, LIMIT = (127 + 80) << 8 };

/* Weight of earlier runs when one more is added. */
static const float KEPT = 7 / 8.f;

union number {
	float value;
	uint32_t bits;
};

frequency frequency_of(float number)
{
	return (frequency)((union number){.value = number}.bits >> DROPPED);
}

float frequency_number(frequency value)
{
	if (value >= LIMIT)
		return 0;
	return (union number){.bits = (uint32_t)value << DROPPED}.value;
}

static size_t values_of(const struct frequencies_row *row)
{
	return (size_t)row->block_count + row->edge_count;
}

static const struct frequencies_row *find_row(const struct frequencies *frequencies,
					      uint64_t address)
{
	size_t at = search_first(frequencies->rows.count, middle,
				 frequencies->rows.items[middle].address < address);

	return at < frequencies->rows.count &&
			       frequencies->rows.items[at].address == address
		       ? &frequencies->rows.items[at]
		       : NULL;
}

struct frequencies_known frequencies_find(const struct frequencies *frequencies,
					  uint64_t address, uint32_t block_count,
					  uint32_t edge_count)
{
	const struct frequencies_row *row = find_row(frequencies, address);
	struct frequencies_known known = {NULL, NULL};

	if (!row || !row->block_count || row->block_count != block_count ||
	    (row->edge_count && row->edge_count != edge_count))
		return known;
	known.blocks = &frequencies->values.items[row->first];
	if (row->edge_count)
		known.edges = known.blocks + block_count;
	return known;
}

bool frequencies_know(const struct frequencies *frequencies, uint64_t address)
{
	return !frequencies || !frequencies->rows.count || find_row(frequencies, address);
}

/* Adds a row; its values are the caller's to write. */
static frequency *add_row(struct frequencies *frequencies, uint64_t address,
			  uint32_t block_count, uint32_t edge_count)
{
	size_t first = frequencies->values.count,
	       end = first + (size_t)block_count + edge_count;

	vector_push(&frequencies->rows,
		    ((struct frequencies_row){address, block_count, edge_count, first}));
	if (end > frequencies->values.capacity)
		vector_reserve(&frequencies->values, 2 * end);
	frequencies->values.count = end;
	return &frequencies->values.items[first];
}

void frequencies_add(struct frequencies *frequencies,
		     const struct plan_function *function,
		     const struct edges_counts *counts)
{
	const uint32_t block_count = counts->blocks ? function->block_count : 0;
	const uint32_t edge_count = counts->edges ? function->edge_count : 0;
	frequency *values =
		add_row(frequencies, function->address, block_count, edge_count);

	for (uint32_t i = 0; i < block_count; i++)
		*values++ = frequency_of((float)counts->blocks[i]);
	for (uint32_t i = 0; i < edge_count; i++)
		*values++ = frequency_of((float)counts->edges[i]);
}

/* Adds two rows; `run` has only the first `count` values. */
static void add_sum(const struct frequencies *known, const struct frequencies_row *row,
		    const frequency *run, size_t count, struct frequencies *sum)
{
	const frequency *old = &known->values.items[row->first];
	frequency *values = add_row(sum, row->address, row->block_count, row->edge_count);

	for (size_t i = 0; i < values_of(row); i++)
		values[i] = frequency_of(frequency_number(old[i]) * KEPT +
					 (i < count ? frequency_number(run[i]) : 0));
}

/* Whether a row has the shape of another one, and at most its information. */
static bool is_within(const struct frequencies_row *row,
		      const struct frequencies_row *other)
{
	return !row->block_count ||
	       (row->block_count == other->block_count &&
		(!row->edge_count || row->edge_count == other->edge_count));
}

static void add_copy(const struct frequencies *run, const struct frequencies_row *row,
		     struct frequencies *sum)
{
	memcpy(add_row(sum, row->address, row->block_count, row->edge_count),
	       &run->values.items[row->first], values_of(row) * sizeof(frequency));
}

void frequencies_merge(const struct frequencies *known, const struct frequencies *run,
		       struct frequencies *ret_sum)
{
	const struct frequencies_row *old = known->rows.items, *new = run->rows.items;
	const struct frequencies_row *old_end = old + known->rows.count,
				     *new_end = new + run->rows.count;

	*ret_sum = (struct frequencies){0};
	while (old < old_end || new < new_end) {
		if (new == new_end || (old < old_end && old->address < new->address)) {
			add_sum(known, old++, NULL, 0, ret_sum);
			continue;
		}
		if (old == old_end || old->address > new->address) {
			add_copy(run, new ++, ret_sum);
			continue;
		}
		if (is_within(new, old))
			add_sum(known, old, &run->values.items[new->first],
				values_of(new), ret_sum);
		else
			add_copy(run, new, ret_sum);
		old++;
		new ++;
	}
}

bool frequencies_are_sound(const struct frequencies *frequencies)
{
	uint64_t values = 0;

	for (size_t i = 0; i < frequencies->rows.count; i++) {
		const struct frequencies_row *row = &frequencies->rows.items[i];

		if ((i && row[-1].address >= row->address) || row->first != values)
			return false;
		values += values_of(row);
		if (values > frequencies->values.count)
			return false;
	}
	return values == frequencies->values.count;
}

void frequencies_deinit(struct frequencies *frequencies)
{
	vector_deinit(&frequencies->rows);
	vector_deinit(&frequencies->values);
}

/* Cost of a counter on an edge of the graph, per count. */
static float cost_of(const struct plan *plan, const struct plan_function *function,
		     uint32_t edge)
{
	const struct plan_block *blocks = plan->blocks.items + function->first_block;
	bool shared = blocks->slot == function->slot;

	/* Calls are counted whatever else is. */
	if (edge == (shared ? EDGES_BLOCKS : EDGES_ENTRY))
		return 0;
	edge -= EDGES_BLOCKS;
	if (edge < function->block_count)
		return blocks[edge].cost;
	edge -= function->block_count;
	return edge < function->edge_count
		       ? plan->edges.items[function->first_edge + edge].cost
		       : 1;
}

void frequencies_weigh(const struct plan *plan, const struct plan_function *function,
		       struct frequencies_known known, struct frequencies_cost *cost)
{
	uint32_t count = function->block_count + function->edge_count;
	struct flow_graph graph;

	edges_graph(plan, function, &graph);
	scoped_free uint32_t *slots = edges_list_slots(plan, function, &graph);
	scoped_free uint64_t *counted =
		memory_allocate_zeroed(bit_words(graph.edge_count), sizeof(*counted));

	for (uint32_t i = EDGES_BLOCKS; i < EDGES_BLOCKS + count; i++) {
		float weight = frequency_number(known.blocks[i - EDGES_BLOCKS]) *
			       cost_of(plan, function, i);

		graph.edges[i].weight = weight;
		cost->spent += slots[i] < plan->slot_count ? (double)weight : 0;
	}
	flow_place(&graph, counted);
	for (uint32_t i = EDGES_BLOCKS; i < EDGES_BLOCKS + count; i++)
		if (bit_test(counted, i))
			cost->least += (double)graph.edges[i].weight;
	free(graph.edges);
}
