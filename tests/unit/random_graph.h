/*
 * Flow graphs made of random numbers, and walks through them: for the tests of src/code's
 * algorithms on graphs. The same seed gives the same graph.
 */
#ifndef TRAMMEL_TESTS_RANDOM_GRAPH_H
#define TRAMMEL_TESTS_RANDOM_GRAPH_H

#include "base/vector.h"
#include "flow/flow.h"

enum random_shape {
	SHAPE_NESTED, /* from ifs, loops, switches and returns: reducible */
	SHAPE_NEAR,   /* each block leads to some that are near */
	SHAPE_WILD, /* each block leads to any: irreducible, parts that nothing reaches */
	SHAPE_COUNT
};

struct random_graph {
	struct flow_graph graph;
	struct VECTOR(struct flow_edge) edges;
	uint32_t
		*heads; /* by node: the first edge that leaves it, and by edge the next */
	uint32_t *next; /* one that leaves the same node; UINT32_MAX: none */
	uint64_t state; /* of the random numbers */
};

/* splitmix64 (Steele, Lea, Flood 2014), below `limit`. */
static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
	uint64_t value = *state += 0x9e3779b97f4a7c15;

	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
	value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
	return (uint32_t)((value ^ (value >> 31)) % limit);
}

static inline bool one_in(uint64_t *state, uint32_t times)
{
	return !random_below(state, times);
}

static inline void random_graph_link(struct random_graph *random, uint32_t from,
				     uint32_t to)
{
	vector_push(&random->edges, ((struct flow_edge){.from = from, .to = to}));
}

/* Puts blocks into edges, one after the other, each with something that stays nested: a
 * second way past it, a loop around it, a return. */
static inline void random_graph_nest(struct random_graph *random, uint32_t nodes)
{
	random_graph_link(random, 0, 1);
	random_graph_link(random, 1, 0);
	for (uint32_t node = 2; node < nodes; node++) {
		size_t index =
			random_below(&random->state, (uint32_t)random->edges.count);
		uint32_t to = random->edges.items[index].to;
		uint32_t others[] = {to, to, node, node, 0};
		uint32_t kind = random_below(&random->state, 8);

		random->edges.items[index].to = node;
		random_graph_link(random, node, to);
		if (kind < 5)
			random_graph_link(random, node, others[kind]);
	}
}

static inline void random_graph_scatter(struct random_graph *random, uint32_t nodes,
					uint32_t distance)
{
	random_graph_link(random, 0, 1);
	for (uint32_t node = 1; node < nodes; node++) {
		for (uint32_t i = random_below(&random->state, 4); i--;) {
			uint32_t first = node > distance ? node - distance : 1;

			random_graph_link(
				random, node,
				first + random_below(&random->state, 2 * distance) %
						(nodes - first));
		}
		if (one_in(&random->state, 4))
			random_graph_link(random, node, 0);
		if (one_in(&random->state, 16)) /* setjmp */
			random_graph_link(random, 0, node);
	}
}

static inline void random_graph_index(struct random_graph *random)
{
	random->heads = memory_allocate(random->graph.node_count * sizeof(uint32_t));
	random->next = memory_allocate(random->edges.count * sizeof(uint32_t));
	memset(random->heads, 0xff, random->graph.node_count * sizeof(uint32_t));
	for (uint32_t i = 0; i < random->edges.count; i++) {
		random->next[i] = random->heads[random->edges.items[i].from];
		random->heads[random->edges.items[i].from] = i;
	}
}

/* A graph of `nodes` nodes, 2 or more. */
static inline void random_graph_init(struct random_graph *ret_random, uint64_t seed,
				     enum random_shape shape, uint32_t nodes)
{
	*ret_random = (struct random_graph){.state = seed};
	if (shape == SHAPE_NESTED)
		random_graph_nest(ret_random, nodes);
	else
		random_graph_scatter(ret_random, nodes, shape == SHAPE_WILD ? nodes : 3);
	vector_for_each (&ret_random->edges, edge) {
		edge->weight = (float)random_below(&ret_random->state, 6);
		if (one_in(&ret_random->state, 12))
			edge->flags |= FLOW_NO_COUNTER;
		if (one_in(&ret_random->state, 12))
			edge->flags |= FLOW_UNLIKELY;
	}
	ret_random->graph =
		(struct flow_graph){.edges = ret_random->edges.items,
				    .edge_count = (uint32_t)ret_random->edges.count,
				    .node_count = nodes};
	random_graph_index(ret_random);
}

static inline void random_graph_deinit(struct random_graph *random)
{
	vector_deinit(&random->edges);
	free(random->heads);
	free(random->next);
}

/* A random edge out of a node; UINT32_MAX: there is none. */
static inline uint32_t random_graph_step(struct random_graph *random, uint32_t node)
{
	uint32_t chosen = UINT32_MAX, seen = 0;

	for (uint32_t i = random->heads[node]; i != UINT32_MAX; i = random->next[i])
		if (one_in(&random->state, ++seen))
			chosen = i;
	return chosen;
}

#endif
