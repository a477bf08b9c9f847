#include "derive/frequency.h"

#include "annotate/routes.h"
#include "base/array.h"
#include "base/vector.h"
#include "flow/dominators.h"
#include "flow/loops.h"

#include <math.h>
#include <stdlib.h>

enum {
	ROUNDS = 200, /* of flow */
	HIGH = 400,   /* samples of a class: 10 % off in one of twenty */
	MEDIUM = 64,
	RATIOS_LEAST = 4, /* samples of a block whose ratio counts */
};

const char *const frequency_words[] = {"none", "low", "medium", "high", "exact"};

struct estimate {
	const struct annotation *annotation;
	const struct frequency_block *blocks;
	struct frequency *frequencies;
	size_t count;            /* blocks */
	struct flow_graph graph; /* node 0: outside; block N is node N + 1 */
	struct graph_lists out, in;
};

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

struct ratio {
	double ratio, weight;
};

static int by_ratio(const void *left, const void *right)
{
	const struct ratio *a = left, *b = right;

	return compare_numbers(a->ratio, b->ratio);
}

/* The lowest ratios of a class that are near each other, a quarter of its least time at
 * least: their mean. */
static double lowest_cluster(struct ratio *ratios, size_t count, double whole)
{
	double sum = 0, weight = 0;

	qsort(ratios, count, sizeof(*ratios), by_ratio);
	for (size_t i = 0; i < count; i++) {
		if (weight >= whole / 4 && ratios[i].ratio > 1.5 * sum / weight)
			break;
		sum += ratios[i].ratio * ratios[i].weight;
		weight += ratios[i].weight;
	}
	return weight > 0 ? sum / weight : 0;
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

static void estimate_class(struct estimate *estimate, uint32_t class)
{
	struct VECTOR(struct ratio) ratios = {0};
	struct frequency found = {.class = class};
	double whole = 0, cycles = 0;
	uint64_t samples = 0;

	for (size_t i = 0; i < estimate->count; i++) {
		const struct frequency_block *block = &estimate->blocks[i];

		if (estimate->frequencies[i].class != class || block->least <= 0)
			continue;
		whole += block->least;
		cycles += block->cycles;
		samples += block->samples;
		vector_push(&ratios,
			    ((struct ratio){block->cycles / block->least, block->least}));
	}
	/* Few samples make ratios that are low by chance. */
	if (samples >= RATIOS_LEAST * ratios.count && ratios.count)
		found.count = lowest_cluster(ratios.items, ratios.count, whole);
	else
		found.count = whole > 0 ? cycles / whole : 0;
	found.confidence =
		confidence_of(samples, whole > 0 ? cycles / whole : 0, found.count);
	for (size_t i = 0; i < estimate->count; i++)
		if (estimate->frequencies[i].class == class)
			estimate->frequencies[i] = found;
	vector_deinit(&ratios);
}

static double weight_of(const struct frequency *frequency)
{
	static const double weights[] = {0.01, 0.05, 0.15, 0.3, 1e9};

	return weights[frequency->confidence];
}

static double sum_edges(const struct graph_lists *lists, uint32_t node,
			const double *edges)
{
	double sum = 0;

	graph_for_each (lists, node, edge)
		sum += edges[edge];
	return sum;
}

static void scale_edges(const struct graph_lists *lists, uint32_t node, double *edges,
			double wanted)
{
	const double sum = sum_edges(lists, node, edges);

	graph_for_each (lists, node, edge)
		if (sum > 0)
			edges[edge] *= wanted / sum;
}

/* What flows in flows out: edges are scaled until both agree, as far as the estimates let
 * them, which count for less than what flows. Processors that do other things while they
 * wait make the samples of a block tell little of its executions: with estimates alone
 * a quarter as many are right. */
static void conserve_flow(struct estimate *estimate)
{
	const struct flow_graph *graph = &estimate->graph;
	double *edges = memory_allocate((graph->edge_count + 1) * sizeof(*edges));

	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const uint32_t to = graph->edges[i].to, from = graph->edges[i].from;

		edges[i] = (to ? estimate->frequencies[to - 1].count : 0) +
			   (from ? estimate->frequencies[from - 1].count : 0) + 1e-9;
	}
	for (int round = 0; round < ROUNDS; round++)
		for (uint32_t i = 0; i < estimate->count; i++) {
			const struct frequency *known = &estimate->frequencies[i];
			const double weight = weight_of(known);
			const double in = sum_edges(&estimate->in, i + 1, edges);
			const double out = sum_edges(&estimate->out, i + 1, edges);
			const double wanted =
				(weight * known->count + in + out) / (weight + 2);

			scale_edges(&estimate->in, i + 1, edges, wanted);
			scale_edges(&estimate->out, i + 1, edges, wanted);
		}
	for (uint32_t i = 0; i < estimate->count; i++) {
		struct frequency *known = &estimate->frequencies[i];
		const double flow = (sum_edges(&estimate->in, i + 1, edges) +
				     sum_edges(&estimate->out, i + 1, edges)) /
				    2;

		if (flow >= 1) {
			known->count = flow;
			known->confidence = known->confidence < FREQUENCY_LOW
						    ? FREQUENCY_LOW
						    : known->confidence;
		}
	}
	free(edges);
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
	for (uint32_t i = 0; i < estimate.count; i++)
		if (ret_frequencies[i].class == i)
			estimate_class(&estimate, i);
	conserve_flow(&estimate);
	graph_lists_deinit(&estimate.out);
	graph_lists_deinit(&estimate.in);
	free(estimate.graph.edges);
}
