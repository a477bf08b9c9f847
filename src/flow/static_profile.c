/*
 * Weights of edges without a profile. Sources: Ball and Larus, Branch prediction for
 * free, PLDI 1993 (which way branches go; of their heuristics those that the graph alone
 * shows); Wu and Larus, Static branch frequency and program profile analysis, MICRO 1994
 * (from there to frequencies). Loops are strongly connected components, and the loops in
 * them those of what is left without the edges back to where they are entered
 * (Steensgaard 1993): that takes irreducible graphs as they are.
 */
#include "flow/static_profile.h"

#include "base/cleanup.h"
#include "base/vector.h"
#include "flow/flow.h"
#include "flow/graph.h"

/* Deeper loops are not told apart: each level is a pass over the graph. */
enum { LEVELS_MAX = 6, TRIPS = 10 /* of a loop, each time it is entered */ };

/* How likely edges are against another one that leaves the same node. The percents are
 * Ball and Larus's. */
static const float SHARE_EXIT = 1.f / (TRIPS - 1); /* out of a loop */
static const float SHARE_UNLIKELY = 1 / 100.f;
static const float SHARE_RETURN = 28 / 72.f; /* to a return */
static const float SHARE_ENTER = 75 / 25.f;  /* into a loop */

struct node {
	double passes;
	uint32_t likely; /* edges out of it that are not unlikely */
	/* Of the last search for components (Tarjan 1972). */
	uint32_t number; /* in order of first visits, from 1; 0: not visited yet */
	uint32_t low;    /* the least number that it leads to */
	uint32_t next;   /* of its outgoing edges, by place in the list */
	uint32_t head;   /* the first visited of its component; GRAPH_NONE: not known */
	uint8_t level;   /* how many loops it is in */
	bool enters;     /* a loop is entered here */
};

struct edge {
	uint8_t level; /* how many loops it stays in */
	bool back;     /* to where a loop is entered */
	bool unlikely; /* flagged so, or all its successors are */
};

struct estimate {
	const struct flow_graph *graph;
	const float *shares; /* see static_profile_estimate */
	struct graph_lists outgoing, incoming;
	struct node *nodes;
	struct edge *edges;
	uint32_t *path, path_count; /* nodes that are being visited */
	uint32_t *open, open_count; /* visited, their components not known yet */
	uint32_t *visited, visited_count;
	uint32_t *finished, finished_count; /* of the first search: in postorder */
};

static void estimate_init(struct estimate *estimate, const struct flow_graph *graph)
{
	size_t count = graph->node_count;
	uint32_t *lists = memory_allocate(4 * count * sizeof(*lists));

	*estimate = (struct estimate){
		.graph = graph,
		.nodes = memory_allocate_zeroed(count, sizeof(struct node)),
		.edges = memory_allocate_zeroed((size_t)graph->edge_count + 1,
						sizeof(struct edge)),
		.path = lists,
		.open = lists + count,
		.visited = lists + 2 * count,
		.finished = lists + 3 * count,
	};
	graph_list_outgoing(graph, &estimate->outgoing);
	graph_list_incoming(graph, &estimate->incoming);
}

static void estimate_deinit(struct estimate *estimate)
{
	graph_lists_deinit(&estimate->outgoing);
	graph_lists_deinit(&estimate->incoming);
	free(estimate->nodes);
	free(estimate->edges);
	free(estimate->path); /* and the other lists */
}

/* Blocks out of which only unlikely edges lead, or none, make the edges to them unlikely,
 * and so on upwards. */
static void find_unlikely(struct estimate *estimate)
{
	const struct flow_graph *graph = estimate->graph;
	struct node *nodes = estimate->nodes;
	uint32_t count = 0, *cold = estimate->path; /* no search has begun */

	for (uint32_t i = 0; i < graph->edge_count; i++) {
		estimate->edges[i].unlikely = graph->edges[i].flags & FLOW_UNLIKELY;
		nodes[graph->edges[i].from].likely += !estimate->edges[i].unlikely;
	}
	for (uint32_t i = 1; i < graph->node_count; i++)
		if (!nodes[i].likely)
			cold[count++] = i;
	while (count) {
		uint32_t node = cold[--count];

		graph_for_each (&estimate->incoming, node, edge) {
			uint32_t from = graph->edges[edge].from;

			if (estimate->edges[edge].unlikely)
				continue;
			estimate->edges[edge].unlikely = true;
			if (!--nodes[from].likely && from)
				cold[count++] = from;
		}
	}
}

static void enter_node(struct estimate *estimate, uint32_t node)
{
	struct node *entered = &estimate->nodes[node];

	estimate->visited[estimate->visited_count++] = node;
	entered->number = entered->low = estimate->visited_count;
	entered->next = estimate->outgoing.starts[node];
	entered->head = GRAPH_NONE;
	estimate->path[estimate->path_count++] = node;
	estimate->open[estimate->open_count++] = node;
}

static void leave_node(struct estimate *estimate, uint32_t node, uint8_t level)
{
	struct node *visit = &estimate->nodes[node];
	uint32_t member = GRAPH_NONE;

	estimate->path_count--;
	if (!level)
		estimate->finished[estimate->finished_count++] = node;
	while (visit->low == visit->number && member != node) {
		member = estimate->open[--estimate->open_count];
		estimate->nodes[member].head = node;
	}
	if (estimate->path_count) {
		struct node *above =
			&estimate->nodes[estimate->path[estimate->path_count - 1]];

		if (above->low > visit->low)
			above->low = visit->low;
	}
}

/* Whether the edge is part of the graph at a level: within a loop of the level above, and
 * not back to its head. What leads out of the function is part of none. */
static bool is_at_level(const struct estimate *estimate, uint32_t edge, uint8_t level)
{
	return estimate->edges[edge].level == level && !estimate->edges[edge].back &&
	       estimate->graph->edges[edge].to;
}

static void search_from(struct estimate *estimate, uint32_t start, uint8_t level)
{
	enter_node(estimate, start);
	while (estimate->path_count) {
		uint32_t node = estimate->path[estimate->path_count - 1], edge, to;
		struct node *visit = &estimate->nodes[node];

		if (visit->next == estimate->outgoing.starts[node + 1]) {
			leave_node(estimate, node, level);
			continue;
		}
		edge = estimate->outgoing.edges[visit->next++];
		if (!is_at_level(estimate, edge, level))
			continue;
		to = estimate->graph->edges[edge].to;
		if (!estimate->nodes[to].number)
			enter_node(estimate, to);
		else if (estimate->nodes[to].head == GRAPH_NONE &&
			 visit->low > estimate->nodes[to].number)
			visit->low = estimate->nodes[to].number;
	}
}

/* Puts the edges of a node that stay in its component a level deeper. */
static void deepen_node(struct estimate *estimate, uint32_t node, uint8_t level)
{
	uint32_t head = estimate->nodes[node].head;

	graph_for_each (&estimate->outgoing, node, edge) {
		uint32_t to = estimate->graph->edges[edge].to;

		if (!is_at_level(estimate, edge, level) ||
		    estimate->nodes[to].head != head)
			continue;
		estimate->edges[edge].level = estimate->nodes[node].level =
			(uint8_t)(level + 1);
		if (to == head)
			estimate->edges[edge].back = estimate->nodes[to].enters = true;
	}
}

/*
 * The loops of one level: components of the nodes that are `count` first in `visited`,
 * which get their new order there. Since that is the order of the search before, a loop
 * is always entered at the node that was first reached. Returns how many are in a loop.
 */
static uint32_t find_level(struct estimate *estimate, uint32_t count, uint8_t level)
{
	scoped_free uint32_t *starts = memory_allocate((count + 1) * sizeof(*starts));
	uint32_t kept = 0;

	memcpy(starts, estimate->visited, count * sizeof(*starts));
	for (uint32_t i = 0; i < count; i++)
		estimate->nodes[starts[i]].number = 0;
	estimate->visited_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (estimate->nodes[starts[i]].number)
			continue;
		/* Code that nothing is seen to reach. */
		if (!level && starts[i])
			estimate->nodes[starts[i]].passes = SHARE_UNLIKELY;
		search_from(estimate, starts[i], level);
	}
	for (uint32_t i = 0; i < count; i++)
		deepen_node(estimate, estimate->visited[i], level);
	for (uint32_t i = 0; i < count; i++)
		if (estimate->nodes[estimate->visited[i]].level > level)
			estimate->visited[kept++] = estimate->visited[i];
	return kept;
}

static void find_levels(struct estimate *estimate)
{
	uint32_t count = estimate->graph->node_count;

	for (uint32_t i = 0; i < count; i++)
		estimate->visited[i] = i;
	for (uint8_t level = 0; count && level < LEVELS_MAX; level++)
		count = find_level(estimate, count, level);
}

static uint32_t degree_of(const struct graph_lists *lists, uint32_t node)
{
	return lists->starts[node + 1] - lists->starts[node];
}

/* Whether a node that has one edge in leads out of the function, or into a loop. With one
 * edge in, it is not behind the other side of the branch, too. */
static bool leads_to(const struct estimate *estimate, uint32_t node,
		     bool (*is_sought)(const struct estimate *, uint32_t))
{
	if (degree_of(&estimate->incoming, node) != 1)
		return false;
	graph_for_each (&estimate->outgoing, node, edge)
		if (!estimate->edges[edge].unlikely && is_sought(estimate, edge))
			return true;
	return false;
}

static bool goes_back(const struct estimate *estimate, uint32_t edge)
{
	return !estimate->graph->edges[edge].to;
}

static bool enters_loop(const struct estimate *estimate, uint32_t edge)
{
	uint32_t to = estimate->graph->edges[edge].to;

	return estimate->nodes[to].enters && !estimate->edges[edge].back;
}

/* The likelihood of the edge relative to an edge without a heuristic. One heuristic
 * applies: that of loops is the most certain. */
static float share_of(const struct estimate *estimate, uint32_t edge)
{
	const struct flow_edge *ends = &estimate->graph->edges[edge];
	uint8_t level = estimate->edges[edge].level;
	float share = estimate->edges[edge].unlikely ? SHARE_UNLIKELY : 1;

	for (uint8_t i = estimate->nodes[ends->from].level; i > level; i--)
		share *= SHARE_EXIT;
	if (share < 1 || !ends->to || estimate->nodes[ends->from].likely < 2)
		return share;
	if (enters_loop(estimate, edge) ||
	    (degree_of(&estimate->outgoing, ends->to) == 1 &&
	     leads_to(estimate, ends->to, enters_loop)))
		return SHARE_ENTER;
	share = leads_to(estimate, ends->to, goes_back) ? SHARE_RETURN : 1;
	return estimate->shares ? share * estimate->shares[edge] : share;
}

/* Leads the passes of the nodes on, in an order in which only edges back to the head of a
 * loop (or of one too deep to be known) go backwards. */
static void propagate_weights(struct estimate *estimate)
{
	struct flow_edge *edges = estimate->graph->edges;

	estimate->nodes[0].passes = 1;
	for (uint32_t i = estimate->finished_count; i--;) {
		uint32_t node = estimate->finished[i];
		double sum = 0, passes = estimate->nodes[node].passes;

		if (estimate->nodes[node].enters)
			passes *= TRIPS;
		graph_for_each (&estimate->outgoing, node, edge) {
			edges[edge].weight = share_of(estimate, edge);
			sum += edges[edge].weight;
		}
		graph_for_each (&estimate->outgoing, node, edge) {
			uint32_t to = edges[edge].to;

			edges[edge].weight = (float)(edges[edge].weight * passes / sum);
			if (to && !estimate->edges[edge].back)
				estimate->nodes[to].passes += edges[edge].weight;
		}
	}
}

void static_profile_estimate(const struct flow_graph *graph, const float *shares)
{
	struct estimate estimate;

	estimate_init(&estimate, graph);
	estimate.shares = shares;
	find_unlikely(&estimate);
	find_levels(&estimate);
	propagate_weights(&estimate);
	estimate_deinit(&estimate);
}
