#include "derive/likely_flow.h"

#include "base/vector.h"
#include "derive/descent.h"
#include "flow/visits.h"

#include <math.h>

enum {
	ROUNDS = 400,
	OPERATIONS = 2000000, /* of each: a graph that takes more is too tangled */
};

/* The spread of costs, as the variance of their logarithms: 0.3 of a block's cost. That
 * they are off by more is seen in all programs, but then flow must not be led by that. */
#define COST_SPREAD 0.09
/* Branches that go one way only are likelier by this power of what the other has. */
#define ONE_WAY 0.5
/* A share that is next to nothing. */
#define SELDOM 0.01
/* Pulls numbers of edges that do not matter to 0. */
#define PULL 0.05

struct likely {
	const struct flow_graph *graph;
	const struct likely_node *nodes;
	struct graph_lists out;
	struct visits *visits;
	double *shares;          /* by edge: of what leaves its node */
	double *begun, *flow;    /* by node */
	double *gains, *changes; /* by node: of the value, by a visit alone and in all */
};

/* What stands behind the numbers of edges: the times that the function is entered, as a
 * logarithm. */
static double times_entered(const struct likely *likely, const double *at)
{
	return exp(at[likely->graph->edge_count]);
}

/* Numbers of a node's edges become shares of 1. */
static void find_shares(struct likely *likely, const double *at)
{
	for (uint32_t i = 0; i < likely->graph->node_count; i++) {
		double most = -INFINITY, sum = 0;

		graph_for_each (&likely->out, i, edge)
			most = at[edge] > most ? at[edge] : most;
		graph_for_each (&likely->out, i, edge)
			sum += likely->shares[edge] = exp(at[edge] - most);
		graph_for_each (&likely->out, i, edge)
			likely->shares[edge] /= sum;
	}
}

static void find_flow(struct likely *likely, const double *at)
{
	const struct flow_graph *graph = likely->graph;

	find_shares(likely, at);
	memset(likely->begun, 0, graph->node_count * sizeof(*likely->begun));
	graph_for_each (&likely->out, 0, edge)
		likely->begun[graph->edges[edge].to] +=
			likely->shares[edge] * times_entered(likely, at);
	visits_set(likely->visits, likely->shares);
	visits_solve(likely->visits, likely->begun, likely->flow);
	for (uint32_t i = 1; i < graph->node_count; i++)
		likely->flow[i] = likely->flow[i] > 1e-12 ? likely->flow[i] : 1e-12;
	likely->flow[0] = times_entered(likely, at);
}

/* How unlikely the samples are, and how much each visit changes that. */
static double judge_nodes(struct likely *likely)
{
	const double size = 1 / COST_SPREAD;
	double value = 0;

	likely->gains[0] = 0;
	for (uint32_t i = 1; i < likely->graph->node_count; i++) {
		const double samples = likely->nodes[i].samples,
			     expected = likely->flow[i] * likely->nodes[i].cost;

		value +=
			(samples + size) * log(expected + size) - samples * log(expected);
		likely->gains[i] =
			(expected * (samples + size) / (expected + size) - samples) /
			likely->flow[i];
	}
	return value;
}

/* How unlikely the branches are; adds how much their shares change that. */
static double judge_edges(const struct likely *likely, const double *at,
			  double *ret_gradient)
{
	double value = 0;

	for (uint32_t i = 0; i < likely->graph->node_count; i++) {
		const bool branches =
			likely->out.starts[i + 1] > likely->out.starts[i] + 1;
		double mean = 0;

		graph_for_each (&likely->out, i, edge) {
			const double share = likely->shares[edge];
			const uint32_t to = likely->graph->edges[edge].to;

			ret_gradient[edge] = likely->flow[i] * likely->changes[to];
			if (branches) {
				value += ONE_WAY * log(share + SELDOM);
				ret_gradient[edge] += ONE_WAY / (share + SELDOM);
			}
			mean += share * ret_gradient[edge];
		}
		/* Shares add up to 1: what one gets, others lose. */
		graph_for_each (&likely->out, i, edge) {
			ret_gradient[edge] =
				likely->shares[edge] * (ret_gradient[edge] - mean) +
				PULL * at[edge];
			value += PULL / 2 * at[edge] * at[edge];
		}
	}
	return value;
}

static double judge_shares(void *data, const double *at, double *ret_gradient)
{
	struct likely *likely = data;
	const struct flow_graph *graph = likely->graph;
	double value, all = 0;

	find_flow(likely, at);
	value = judge_nodes(likely);
	visits_gain(likely->visits, likely->gains, likely->changes);
	value += judge_edges(likely, at, ret_gradient);
	for (uint32_t i = 1; i < graph->node_count; i++)
		all += likely->begun[i] * likely->changes[i];
	ret_gradient[graph->edge_count] = all;
	return value;
}

/* As many times as makes the samples as many as there are. */
static double begin_entered(struct likely *likely, const double *at)
{
	double expected = 1e-9, samples = 1e-9;

	find_flow(likely, at);
	for (uint32_t i = 1; i < likely->graph->node_count; i++) {
		expected += likely->flow[i] * likely->nodes[i].cost;
		samples += likely->nodes[i].samples;
	}
	return log(samples / expected);
}

bool likely_flow(const struct flow_graph *graph, const struct likely_node *nodes,
		 double *ret_visits)
{
	const size_t count = graph->node_count, edges = graph->edge_count;
	struct likely likely = {.graph = graph,
				.nodes = nodes,
				.visits = visits_create(graph, OPERATIONS)};
	double *numbers, *at;

	if (!likely.visits)
		return false;
	numbers = memory_allocate_zeroed(4 * count + 2 * edges + 1, sizeof(*numbers));
	likely.begun = numbers;
	likely.flow = numbers + count;
	likely.gains = numbers + 2 * count;
	likely.changes = numbers + 3 * count;
	likely.shares = numbers + 4 * count;
	at = likely.shares + edges;
	graph_list_outgoing(graph, &likely.out);
	at[edges] = begin_entered(&likely, at);
	descent_run(judge_shares, &likely, at, edges + 1, ROUNDS);
	find_flow(&likely, at);
	memcpy(ret_visits, likely.flow, count * sizeof(*ret_visits));
	graph_lists_deinit(&likely.out);
	visits_destroy(likely.visits);
	free(numbers);
	return true;
}
