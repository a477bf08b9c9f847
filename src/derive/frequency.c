#include "derive/frequency.h"

#include "base/array.h"
#include "base/vector.h"
#include "derive/likely_flow.h"
#include "flow/dominators.h"
#include "flow/loops.h"

#include <stdlib.h>

enum {
	HIGH = 400, /* samples of a class: 10 % off in one of twenty */
	MEDIUM = 64,
};

/* Fewer executions are none. */
#define RAN 0.5
/* Cycles of a block without work. */
#define LEAST 0.05

const char *const frequency_words[] = {"none", "low", "medium", "high", "exact"};

struct estimate {
	const struct annotation *annotation;
	const struct frequency_block *blocks;
	struct frequency *frequencies;
	size_t count;            /* blocks */
	struct flow_graph graph; /* node 0: outside; block N is node N + 1 */
	struct graph_lists out, in;
};

static int by_ends(const void *left, const void *right)
{
	const struct flow_edge *a = left, *b = right;

	return compare_numbers(a->from, b->from) ?: compare_numbers(a->to, b->to);
}

/* Sorts edges; one of those between the same blocks is left. */
static size_t drop_parallel(struct flow_edge *edges, size_t count)
{
	size_t kept = 0;

	qsort(edges, count, sizeof(*edges), by_ends);
	for (size_t i = 0; i < count; i++)
		if (!kept || by_ends(&edges[kept - 1], &edges[i]))
			edges[kept++] = edges[i];
	return kept;
}

static void make_graph(struct estimate *estimate)
{
	const struct cfg *cfg = &estimate->annotation->cfg;
	struct VECTOR(struct flow_edge) edges = {0};

	vector_push(&edges, ((struct flow_edge){.from = 0, .to = 1}));
	for (uint32_t i = 1; i < cfg->blocks.count; i++)
		if (cfg->blocks.items[i].exposed)
			vector_push(&edges, ((struct flow_edge){.from = 0, .to = i + 1}));
	vector_for_each (&cfg->edges, edge)
		vector_push(&edges,
			    ((struct flow_edge){
				    .from = edge->from + 1,
				    .to = edge->to == CFG_OUT ? 0 : edge->to + 1}));
	for (uint32_t i = 0; i < cfg->blocks.count; i++)
		if (!cfg->blocks.items[i].edge_count)
			vector_push(&edges, ((struct flow_edge){.from = i + 1, .to = 0}));
	edges.count = drop_parallel(edges.items, edges.count);
	estimate->graph = (struct flow_graph){edges.items, (uint32_t)edges.count,
					      (uint32_t)cfg->blocks.count + 1};
	graph_list_outgoing(&estimate->graph, &estimate->out);
	graph_list_incoming(&estimate->graph, &estimate->in);
}

/* The same graph with its edges turned around. */
static struct flow_graph turn_graph(const struct flow_graph *graph)
{
	struct flow_graph turned = *graph;

	turned.edges = memory_allocate(graph->edge_count * sizeof(*turned.edges));
	for (uint32_t i = 0; i < graph->edge_count; i++)
		turned.edges[i] = (struct flow_edge){.from = graph->edges[i].to,
						     .to = graph->edges[i].from};
	return turned;
}

static bool is_reached(const struct dominators *dominators, uint32_t node)
{
	return dominators->numbers[node] != GRAPH_NONE;
}

/* Two blocks run equally often if one dominates the other, is postdominated by it, and
 * both are in the same loop. The nearest dominator is enough to look at, again and again.
 */
static void find_classes(struct estimate *estimate)
{
	struct flow_graph turned = turn_graph(&estimate->graph);
	struct dominators above, below;
	struct loops loops;
	struct graph_lists out, in;

	graph_list_outgoing(&turned, &out);
	graph_list_incoming(&turned, &in);
	dominators_init(&above, &estimate->graph, &estimate->out, &estimate->in);
	dominators_init(&below, &turned, &out, &in);
	loops_init(&loops, &estimate->graph);
	for (uint32_t i = 0; i < estimate->count; i++) {
		const uint32_t node = i + 1;
		uint32_t at = is_reached(&above, node) ? above.immediate[node] : 0;

		estimate->frequencies[i].class = i;
		while (at && at != GRAPH_NONE &&
		       !(is_reached(&below, node) && is_reached(&below, at) &&
			 dominators_is_above(&below, node, at) &&
			 loops.innermost[node] == loops.innermost[at]))
			at = above.immediate[at];
		if (at && at != GRAPH_NONE)
			estimate->frequencies[i].class = at - 1;
	}
	loops_deinit(&loops);
	dominators_deinit(&above);
	dominators_deinit(&below);
	graph_lists_deinit(&out);
	graph_lists_deinit(&in);
	free(turned.edges);
}

/* A class is named by its first block, of which each is an equal. */
static void join_classes(struct estimate *estimate)
{
	for (size_t i = 0; i < estimate->count; i++) {
		uint32_t class = estimate->frequencies[i].class;

		while (estimate->frequencies[class].class != class)
			class = estimate->frequencies[class].class;
		estimate->frequencies[i].class = class;
	}
}

static uint8_t confidence_of(uint64_t samples, double all, double estimate)
{
	/* A class that waited for most of its time tells little. */
	const bool steady = all < 3 * estimate;

	return !samples                      ? FREQUENCY_NONE
	       : samples >= HIGH && steady   ? FREQUENCY_HIGH
	       : samples >= MEDIUM && steady ? FREQUENCY_MEDIUM
					     : FREQUENCY_LOW;
}

/* What a class has by itself: frequencies, if flow says nothing, and how much is known of
 * them. */
static void estimate_class(struct estimate *estimate, uint32_t class, bool with_flow)
{
	struct frequency found = {.class = class};
	double whole = 0, cycles = 0;
	uint64_t samples = 0;

	for (size_t i = 0; i < estimate->count; i++) {
		const struct frequency_block *block = &estimate->blocks[i];

		if (estimate->frequencies[i].class != class)
			continue;
		whole += block->least;
		cycles += block->cycles;
		samples += block->samples;
	}
	for (size_t i = 0; i < estimate->count; i++) {
		struct frequency *frequency = &estimate->frequencies[i];
		const double alone = whole > 0 ? cycles / whole : 0;

		if (frequency->class != class)
			continue;
		found.count = with_flow ? frequency->count : alone;
		found.confidence = confidence_of(samples, alone, found.count);
		if (found.count < RAN)
			found.count = 0;
		else if (found.confidence == FREQUENCY_NONE)
			found.confidence = FREQUENCY_LOW;
		*frequency = found;
	}
}

/* Frequencies that conserve flow and make the samples likely. False: there are none. */
static bool find_flow(struct estimate *estimate)
{
	struct likely_node *nodes =
		memory_allocate_zeroed(estimate->count + 1, sizeof(*nodes));
	double *visits = memory_allocate_zeroed(estimate->count + 1, sizeof(*visits));
	double samples = 0, cycles = 0;
	bool found = false;

	for (size_t i = 0; i < estimate->count; i++) {
		samples += (double)estimate->blocks[i].samples;
		cycles += estimate->blocks[i].cycles;
	}
	for (size_t i = 0; i < estimate->count && samples > 0; i++) {
		const struct frequency_block *block = &estimate->blocks[i];
		const double least = block->least > LEAST ? block->least : LEAST;

		nodes[i + 1] = (struct likely_node){(double)block->samples,
						    least * samples / cycles};
	}
	if (samples > 0 && cycles > 0)
		found = likely_flow(&estimate->graph, nodes, visits);
	for (size_t i = 0; found && i < estimate->count; i++)
		estimate->frequencies[i].count = visits[i + 1];
	free(nodes);
	free(visits);
	return found;
}

void frequency_estimate(const struct annotation *annotation, bool exact,
			const struct frequency_block *blocks,
			struct frequency *ret_frequencies)
{
	struct estimate estimate = {
		.annotation = annotation,
		.blocks = blocks,
		.frequencies = ret_frequencies,
		.count = annotation->cfg.blocks.count,
	};
	bool with_flow;

	if (exact && annotation->counted) {
		for (uint32_t i = 0; i < estimate.count; i++)
			ret_frequencies[i] = (struct frequency){
				(double)annotation->blocks.items[i].count,
				FREQUENCY_EXACT, i};
		return;
	}
	make_graph(&estimate);
	find_classes(&estimate);
	join_classes(&estimate);
	with_flow = find_flow(&estimate);
	for (uint32_t i = 0; i < estimate.count; i++)
		if (ret_frequencies[i].class == i)
			estimate_class(&estimate, i, with_flow);
	graph_lists_deinit(&estimate.out);
	graph_lists_deinit(&estimate.in);
	free(estimate.graph.edges);
}
