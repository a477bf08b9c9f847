#include "flow/visits.h"

#include "base/vector.h"

/* A way that never comes to node 0 is left all the same, this seldom. */
#define LEAST_LEAVING 1e-10

/* A neighbour, and the place of the edge's probability. */
struct link {
	uint32_t node, place;
};

struct links VECTOR(struct link);

struct visits {
	uint32_t node_count, edge_count;
	struct links *in, *out; /* by node: of those that are eliminated after it */
	struct VECTOR(uint32_t) order;  /* of nodes */
	struct VECTOR(uint32_t) places; /* that get a product: for each node, in order, of
					   each pair of a link in and a link out */
	uint32_t *place_of;             /* by edge; GRAPH_NONE: from or to node 0 */
	uint32_t place_count;     /* the first ones are of edges to the node itself */
	double *values, *inverse; /* by place; by node */
};

static struct link *find_link(struct links *links, uint32_t node)
{
	vector_for_each (links, link)
		if (link->node == node)
			return link;
	return NULL;
}

static uint32_t place_between(struct visits *visits, uint32_t from, uint32_t to)
{
	const struct link *there = find_link(&visits->out[from], to);

	if (from == to)
		return from;
	if (there)
		return there->place;
	vector_push(&visits->out[from], ((struct link){to, visits->place_count}));
	vector_push(&visits->in[to], ((struct link){from, visits->place_count}));
	return visits->place_count++;
}

static void remove_link(struct links *links, uint32_t node)
{
	const struct link *link = find_link(links, node);

	vector_remove_swap(links, (size_t)(link - links->items));
}

/* Leads all ways through a node around it. */
static void eliminate_node(struct visits *visits, uint32_t node)
{
	const struct links in = visits->in[node], out = visits->out[node];

	vector_for_each (&in, before)
		remove_link(&visits->out[before->node], node);
	vector_for_each (&out, behind)
		remove_link(&visits->in[behind->node], node);
	vector_for_each (&in, before)
		vector_for_each (&out, behind)
			vector_push(&visits->places,
				    place_between(visits, before->node, behind->node));
	vector_push(&visits->order, node);
}

/* Nodes with few ways through them first. */
static bool eliminate_all(struct visits *visits, size_t limit)
{
	bool *done = memory_allocate_zeroed(visits->node_count, sizeof(*done));

	for (size_t most = 2; visits->order.count + 1 < visits->node_count;) {
		const size_t before = visits->order.count;

		for (uint32_t i = 1; i < visits->node_count; i++) {
			const size_t ways = visits->in[i].count * visits->out[i].count;

			if (done[i] || ways > most)
				continue;
			if (visits->places.count + ways > limit) {
				free(done);
				return false;
			}
			eliminate_node(visits, i);
			done[i] = true;
		}
		if (visits->order.count == before)
			most *= 2;
	}
	free(done);
	return true;
}

struct visits *visits_create(const struct flow_graph *graph, size_t limit)
{
	struct visits *visits = memory_allocate_zeroed(1, sizeof(*visits));
	const uint32_t count = graph->node_count;

	visits->node_count = visits->place_count = count;
	visits->edge_count = graph->edge_count;
	visits->in = memory_allocate_zeroed(count, sizeof(*visits->in));
	visits->out = memory_allocate_zeroed(count, sizeof(*visits->out));
	visits->place_of = memory_allocate_zeroed((size_t)graph->edge_count + 1,
						  sizeof(*visits->place_of));
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct flow_edge *edge = &graph->edges[i];

		visits->place_of[i] =
			edge->from && edge->to
				? place_between(visits, edge->from, edge->to)
				: GRAPH_NONE;
	}
	if (!eliminate_all(visits, limit)) {
		visits_destroy(visits);
		return NULL;
	}
	visits->values =
		memory_allocate_zeroed(visits->place_count, sizeof(*visits->values));
	visits->inverse = memory_allocate_zeroed(count, sizeof(*visits->inverse));
	return visits;
}

void visits_destroy(struct visits *visits)
{
	if (!visits)
		return;
	for (uint32_t i = 0; i < visits->node_count; i++) {
		vector_deinit(&visits->in[i]);
		vector_deinit(&visits->out[i]);
	}
	vector_deinit(&visits->order);
	vector_deinit(&visits->places);
	free(visits->in);
	free(visits->out);
	free(visits->place_of);
	free(visits->values);
	free(visits->inverse);
	free(visits);
}

void visits_set(struct visits *visits, const double *probabilities)
{
	const uint32_t *place = visits->places.items;
	double *values = visits->values;

	memset(values, 0, visits->place_count * sizeof(*values));
	for (uint32_t i = 0; i < visits->edge_count; i++)
		if (visits->place_of[i] != GRAPH_NONE)
			values[visits->place_of[i]] +=
				probabilities[i] * (1 - LEAST_LEAVING);
	vector_for_each (&visits->order, node) {
		const double leaving = 1 - values[*node];

		visits->inverse[*node] =
			1 / (leaving > LEAST_LEAVING ? leaving : LEAST_LEAVING);
		vector_for_each (&visits->in[*node], before) {
			const double share =
				values[before->place] * visits->inverse[*node];

			vector_for_each (&visits->out[*node], behind)
				values[*place++] += share * values[behind->place];
		}
	}
}

/* Both ways to solve: what a node has goes to those that are left along `forth`, and what
 * it is comes from these along `back`. */
static void solve_along(const struct visits *visits, const struct links *forth,
			const struct links *back, double *values)
{
	values[0] = 0;
	vector_for_each (&visits->order, node) {
		const double own = values[*node] * visits->inverse[*node];

		vector_for_each (&forth[*node], link)
			values[link->node] += own * visits->values[link->place];
	}
	for (size_t i = visits->order.count; i-- > 0;) {
		const uint32_t node = visits->order.items[i];

		vector_for_each (&back[node], link)
			values[node] += values[link->node] * visits->values[link->place];
		values[node] *= visits->inverse[node];
	}
}

void visits_solve(struct visits *visits, const double *begun, double *ret_visits)
{
	memcpy(ret_visits, begun, visits->node_count * sizeof(*begun));
	solve_along(visits, visits->out, visits->in, ret_visits);
}

void visits_gain(struct visits *visits, const double *gains, double *ret_gains)
{
	memcpy(ret_gains, gains, visits->node_count * sizeof(*gains));
	solve_along(visits, visits->in, visits->out, ret_gains);
}
