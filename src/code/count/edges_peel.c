/* All counts of a function from few, straight from the rows of the plan: see
 * code/count/edges.h. */
#include "code/count/edges_peel.h"

#include "base/cleanup.h"
#include "code/count/edges.h"

/* With no counter beyond this, and no more rows, no sum of counters overflows; and each
 * count is such a sum, in which no counter is twice. */
#define COUNT_BITS 40
enum { ROWS_MAX = 1 << 20 };

/*
 * State of a node (edges_node_in, edges_node_out). An unknown edge is known by its index
 * among the counts: blocks first, then edges, then threads that stay in each block, then
 * the entry, and last an unused item for all other entries.
 */
struct node {
	int64_t surplus;  /* what came in, less what went out */
	uint32_t unknown; /* ways that are not solved yet */
	uint32_t ways;    /* their indices, all XORed: the index itself if it is one */
	uint32_t ends; /* so the nodes at their other ends, doubled; odd: it comes in */
};

struct peeling {
	const struct plan *plan;
	const struct plan_function *function;
	const struct plan_block *blocks;
	const struct plan_edge *edges;
	const uint64_t *counters;
	uint64_t *counts; /* by index of the way */
	struct node *nodes;
	uint64_t seen; /* all counters, ORed */
	bool joined;   /* some edge has no count */
};

/* The count of a counter; 0 if there is none. */
static inline uint64_t take_slot(struct peeling *peeling, uint32_t slot, bool known)
{
	uint64_t count = peeling->counters[known ? slot : 0] & -(uint64_t)known;

	peeling->seen |= count;
	return count;
}

/* Whether a way has a counter is as good as random to the processor, so there are no
 * branches here and below. */
static inline void add_way(struct peeling *peeling, uint32_t way, uint32_t from,
			   uint32_t to, uint32_t slot)
{
	uint32_t known = slot < peeling->plan->slot_count, lack = known - 1;
	uint64_t count = take_slot(peeling, slot, known);
	struct node *out = &peeling->nodes[from], *in = &peeling->nodes[to];

	peeling->counts[way] = count;
	out->surplus -= (int64_t)count;
	out->unknown += !known;
	out->ways ^= way & lack;
	out->ends ^= to << 1 & lack;
	in->surplus += (int64_t)count;
	in->unknown += !known;
	in->ways ^= way & lack;
	in->ends ^= (from << 1 | 1) & lack;
}

/* Adds both nodes of a block, the edge between them, and their edges to and from the
 * outside that cannot have counters. */
static inline void add_block(struct peeling *peeling, uint32_t number, uint32_t slot)
{
	const struct plan_function *function = peeling->function;
	uint32_t stay = function->block_count + function->edge_count + number;
	uint32_t enter = 2 * function->block_count + function->edge_count + 1;
	uint32_t flags = peeling->blocks[number].flags;
	uint32_t stays = !!(flags & PLAN_BLOCK_STAYS),
		 enters = !!(flags & PLAN_BLOCK_ENTERED);
	uint32_t known = slot < peeling->plan->slot_count, lack = known - 1;
	uint32_t in = edges_node_in(number), out = edges_node_out(number);
	uint64_t count = take_slot(peeling, slot, known);

	peeling->counts[number] = count;
	peeling->counts[stay] = 0;
	peeling->nodes[in] = (struct node){
		.surplus = -(int64_t)count,
		.unknown = !known + enters,
		.ways = (number & lack) ^ (enter & -enters),
		.ends = (out << 1 & lack) ^ enters,
	};
	peeling->nodes[out] = (struct node){
		.surplus = (int64_t)count,
		.unknown = !known + stays,
		.ways = (number & lack) ^ (stay & -stays),
		.ends = (in << 1 | 1) & lack,
	};
}

static void add_blocks(struct peeling *peeling)
{
	const struct plan_function *function = peeling->function;
	const struct plan_block *first = peeling->blocks;
	uint32_t entry = 2 * function->block_count + function->edge_count;
	bool shared = first->slot == function->slot;
	bool free = first->flags & PLAN_BLOCK_FREE;

	peeling->nodes[0] = (struct node){0};
	add_block(peeling, 0, shared && free ? PLAN_NO_SLOT : first->slot);
	for (uint32_t i = 1; i < function->block_count; i++)
		add_block(peeling, i, first[i].slot);
	add_way(peeling, entry, 0, edges_node_in(0),
		shared || free ? PLAN_NO_SLOT : function->slot);
}

/* Adds an edge without a count, which changes nothing. */
static void add_joined(struct peeling *peeling, uint32_t way)
{
	peeling->counts[way] = 0;
	peeling->joined = true;
}

static void add_edges(struct peeling *peeling)
{
	const struct plan_function *function = peeling->function;

	for (uint32_t i = 0; i < function->edge_count; i++) {
		const struct plan_edge *edge = &peeling->edges[i];

		if (edge->flags & PLAN_EDGE_JOINED)
			add_joined(peeling, function->block_count + i);
		else
			add_way(peeling, function->block_count + i,
				edges_node_out(edge->from),
				edge->to == PLAN_EDGE_OUT ? 0 : edges_node_in(edge->to),
				edge->slot);
	}
}

/* Solves the only unknown way of each node, and goes on to its other end. False: the
 * counters are of no flow. */
static bool peel_edges(struct peeling *peeling)
{
	uint32_t blocks = peeling->function->block_count;
	uint32_t stays = blocks + peeling->function->edge_count;
	struct node *nodes = peeling->nodes;
	uint64_t wrong = 0;

	for (uint32_t i = 1; i <= 2 * blocks; i++)
		for (uint32_t at = i; at && nodes[at].unknown == 1;) {
			struct node leaf = nodes[at], *other = &nodes[leaf.ends >> 1];
			bool comes_in = leaf.ends & 1;
			int64_t count = comes_in ? -leaf.surplus : leaf.surplus;

			nodes[at] = (struct node){0};
			peeling->counts[leaf.ways] = (uint64_t)count;
			/* The number of threads that stay may be negative. */
			wrong |= count < 0 && leaf.ways - stays >= blocks;
			other->surplus += leaf.surplus;
			other->unknown--;
			other->ways ^= leaf.ways;
			other->ends ^= at << 1 | !comes_in;
			at = leaf.ends >> 1;
		}
	/* The outside is never peeled: its equation is the sum of all others. */
	for (uint32_t i = 1; i <= 2 * blocks; i++)
		wrong |= nodes[i].unknown | (uint64_t)nodes[i].surplus;
	return !wrong;
}

static void forget_joined(const struct peeling *peeling)
{
	const struct plan_function *function = peeling->function;
	uint64_t *stayed = peeling->counts + function->block_count + function->edge_count;

	for (uint32_t i = 0; i < function->edge_count; i++)
		if (peeling->edges[i].flags & PLAN_EDGE_JOINED)
			stayed[peeling->edges[i].from] = 0;
}

bool edges_peel(const struct plan *plan, const struct plan_function *function,
		const uint64_t *counters, struct edges_counts *ret_counts)
{
	uint32_t blocks = function->block_count, edges = function->edge_count;
	size_t ways = 2 * (size_t)blocks + edges + 2;
	struct peeling peeling = {
		.plan = plan,
		.function = function,
		.blocks = &plan->blocks.items[function->first_block],
		.edges = &plan->edges.items[function->first_edge],
		.counters = counters,
	};

	if (ways > ROWS_MAX)
		return false;
	peeling.counts = memory_allocate(ways * sizeof(*peeling.counts));
	peeling.nodes =
		memory_allocate((1 + 2 * (size_t)blocks) * sizeof(*peeling.nodes));
	add_blocks(&peeling);
	add_edges(&peeling);
	bool good = !(peeling.seen >> COUNT_BITS) && peel_edges(&peeling);

	free(peeling.nodes);
	if (!good) {
		free(peeling.counts);
		return false;
	}
	if (peeling.joined)
		forget_joined(&peeling);
	*ret_counts = (struct edges_counts){
		.calls = peeling.counts[2 * (size_t)blocks + edges],
		.blocks = peeling.counts,
		.edges = peeling.counts + blocks,
		.stayed = (int64_t *)(peeling.counts + blocks + edges),
	};
	return true;
}
