#include "code/count/edges.h"

#include "base/cleanup.h"
#include "code/count/edges_peel.h"
#include "code/count/path_counts.h"
#include "code/emit/probe.h"

#include <string.h>

static const struct plan_block *
block_of(const struct plan *plan, const struct plan_function *function, uint32_t number)
{
	return &plan->blocks.items[function->first_block + number];
}

static const struct plan_edge *
edge_of(const struct plan *plan, const struct plan_function *function, uint32_t number)
{
	return &plan->edges.items[function->first_edge + number];
}

static struct flow_edge *add_flow_edge(struct flow_graph *graph, uint32_t from,
				       uint32_t to, uint8_t flags)
{
	struct flow_edge *edge = &graph->edges[graph->edge_count++];

	*edge = (struct flow_edge){.from = from, .to = to, .flags = flags};
	return edge;
}

static void add_edge(struct flow_graph *graph, const struct plan_edge *edge)
{
	uint8_t flags = edge->flags & PLAN_EDGE_FIXED ? FLOW_NO_COUNTER : 0;

	/* To be there, and to change nothing. */
	if (edge->flags & PLAN_EDGE_JOINED)
		add_flow_edge(graph, 0, 0, FLOW_UNLIKELY);
	else
		add_flow_edge(graph, edges_node_out(edge->from),
			      edge->to == PLAN_EDGE_OUT ? 0 : edges_node_in(edge->to),
			      flags);
}

void edges_graph(const struct plan *plan, const struct plan_function *function,
		 struct flow_graph *ret_graph)
{
	const uint8_t other = FLOW_NO_COUNTER | FLOW_UNLIKELY;
	uint32_t blocks = function->block_count;
	struct flow_graph graph = {
		.edges = memory_allocate_zeroed(1 + 3 * (size_t)blocks +
							function->edge_count,
						sizeof(*graph.edges)),
		.node_count = 1 + 2 * blocks,
	};

	/* If nothing else leads to the first block, its counter is that of the calls. */
	add_flow_edge(&graph, 0, edges_node_in(0),
		      block_of(plan, function, 0)->slot == function->slot
			      ? FLOW_NO_COUNTER
			      : 0);
	for (uint32_t i = 0; i < blocks; i++)
		add_flow_edge(&graph, edges_node_in(i), edges_node_out(i), 0);
	for (uint32_t i = 0; i < function->edge_count; i++)
		add_edge(&graph, edge_of(plan, function, i));
	for (uint32_t i = 0; i < blocks; i++)
		if (block_of(plan, function, i)->flags & PLAN_BLOCK_STAYS)
			add_flow_edge(&graph, edges_node_out(i), 0, other | FLOW_SIGNED);
	for (uint32_t i = 0; i < blocks; i++)
		if (block_of(plan, function, i)->flags & PLAN_BLOCK_ENTERED)
			add_flow_edge(&graph, 0, edges_node_in(i), other);
	*ret_graph = graph;
}

uint32_t *edges_list_slots(const struct plan *plan, const struct plan_function *function,
			   const struct flow_graph *graph)
{
	uint32_t *slots = memory_allocate(graph->edge_count * sizeof(*slots));
	const struct plan_block *first = block_of(plan, function, 0);
	uint32_t edges = EDGES_BLOCKS + function->block_count;
	bool free = first->flags & PLAN_BLOCK_FREE;

	for (uint32_t i = 0; i < graph->edge_count; i++)
		slots[i] = PLAN_NO_SLOT;
	if (first->slot != function->slot && !free)
		slots[EDGES_ENTRY] = function->slot;
	for (uint32_t i = 0; i < function->block_count; i++)
		if (i || first->slot != function->slot || !free)
			slots[EDGES_BLOCKS + i] = block_of(plan, function, i)->slot;
	for (uint32_t i = 0; i < function->edge_count; i++)
		slots[edges + i] = edge_of(plan, function, i)->slot;
	return slots;
}

/* Inputs and results of flow_solve. */
struct solving {
	uint64_t *counts, *counted; /* by edge of the graph */
	uint64_t *nodes;            /* by node; NULL: not needed */
	int64_t *by_node;           /* residues; NULL: none */
};

static void take_counters(const struct plan *plan, const struct plan_function *function,
			  const struct flow_graph *graph, const uint64_t *counters,
			  const struct solving *solving)
{
	scoped_free uint32_t *slots = edges_list_slots(plan, function, graph);
	uint32_t edges = EDGES_BLOCKS + function->block_count;

	for (uint32_t i = 0; i < graph->edge_count; i++) {
		if (slots[i] >= plan->slot_count)
			continue;
		bit_set(solving->counted, i);
		solving->counts[i] = counters[slots[i]];
	}
	for (uint32_t i = 0; i < function->edge_count; i++)
		if (edge_of(plan, function, i)->flags & PLAN_EDGE_JOINED)
			bit_set(solving->counted, edges + i);
}

/* The stub that counts a block; NULL: its counter lies elsewhere. */
static const struct plan_stub *stub_of(const struct plan *plan,
				       const struct plan_function *function,
				       const struct plan_block *block)
{
	uint64_t start = function->address + block->offset;

	if (plan->gates_size && !plan->counts_entries)
		return NULL;
	for (uint32_t i = 0; i < function->stub_count; i++) {
		const struct plan_stub *stub =
			&plan->stubs.items[function->first_stub + i];

		if (stub->call - start < block->size &&
		    probe_slot(plan, stub->code) == block->slot * plan->slot_size)
			return stub;
	}
	return NULL;
}

bool edges_is_before_stub(const struct plan *plan, const struct plan_function *function,
			  uint64_t address)
{
	uint64_t offset = address - function->address;

	for (uint32_t i = 0; function->stub_count && i < function->block_count; i++) {
		const struct plan_block *block = block_of(plan, function, i);
		const struct plan_stub *stub;

		if (offset - block->offset >= block->size)
			continue;
		stub = stub_of(plan, function, block);
		return stub && address <= stub->call;
	}
	return false;
}

/* Whether a block's probe lies behind the residue's address: a thread that left there has
 * not counted. */
static bool counts_behind(const struct plan *plan, const struct plan_function *function,
			  uint32_t number, const struct edges_residue *residue)
{
	const struct plan_stub *stub;
	const struct plan_block *block = block_of(plan, function, number);
	uint64_t original = function->address,
		 end = original + block->offset + block->size;
	uint64_t least = residue->address + !residue->counts;
	uint32_t code = function->trampoline;

	if (block->slot >= plan->slot_count)
		return false;
	stub = stub_of(plan, function, block);
	if (stub)
		return residue->address <= stub->call;
	for (uint32_t i = 0; i < function->map_row_count; i++) {
		struct map_row step = plan->map_rows.items[function->first_map_row + i];

		if (step.kind == MAP_ROW_PROBE && original >= least && original < end &&
		    probe_slot(plan, code) == block->slot * plan->slot_size)
			return true;
		original += (uint64_t)(int64_t)map_row_original(step);
		code += map_row_code(step);
	}
	return false;
}

/* The edge taken by the jump at the end of a block, if its counter lies in front of that
 * jump; NULL if there is none. */
static const struct plan_edge *counted_jump(const struct plan *plan,
					    const struct plan_function *function,
					    uint32_t block)
{
	for (uint32_t i = 0; i < function->edge_count; i++) {
		const struct plan_edge *edge = edge_of(plan, function, i);

		if (edge->from == block && edge->kind == CFG_EDGE_TAKEN &&
		    edge->slot < plan->slot_count && edge->piece == UINT32_MAX)
			return edge;
	}
	return NULL;
}

/* Whether a residue is at the jump without running the counter in front of it: then that
 * counter has counted the jump. */
static bool is_behind_jump(const struct plan *plan, const struct plan_function *function,
			   uint32_t number, const struct edges_residue *residue,
			   const struct plan_edge **ret_edge)
{
	const struct plan_block *block = block_of(plan, function, number);

	*ret_edge = residue->counts ? NULL : counted_jump(plan, function, number);
	return *ret_edge && residue->address + (*ret_edge)->size >=
				    function->address + block->offset + block->size;
}

bool edges_find_residue(const struct plan *plan, const struct plan_function *function,
			const struct edges_residue *residue, uint32_t *ret_block,
			bool *ret_counted)
{
	uint64_t offset = residue->address - function->address;
	const struct plan_edge *jump;

	/* A call. */
	if (residue->path)
		return false;
	if (!offset && residue->by < 0 && residue->counts)
		return false;
	for (uint32_t i = 0; offset < function->size && i < function->block_count; i++) {
		const struct plan_block *block = block_of(plan, function, i);

		if (offset - block->offset >= block->size)
			continue;
		if (is_behind_jump(plan, function, i, residue, &jump)) {
			*ret_block = jump->to;
			*ret_counted = false;
			return jump->to != PLAN_EDGE_OUT;
		}
		*ret_block = i;
		*ret_counted = !counts_behind(plan, function, i, residue);
		return true;
	}
	return false;
}

static void take_residue(const struct plan *plan, const struct plan_function *function,
			 const struct edges_residue *residue, int64_t *by_node)
{
	uint32_t block;
	bool counted;

	/* A block with calls has its own. */
	if (edges_find_residue(plan, function, residue, &block, &counted))
		by_node[counted ? edges_node_out(block) : edges_node_in(block)] +=
			residue->by;
}

/* Computes by block the entries that did not leave by edges. */
static void find_stayed(const struct plan *plan, const struct plan_function *function,
			struct edges_counts *counts)
{
	for (uint32_t i = 0; i < function->block_count; i++)
		counts->stayed[i] = (int64_t)counts->blocks[i];
	for (uint32_t i = 0; i < function->edge_count; i++)
		counts->stayed[edge_of(plan, function, i)->from] -=
			(int64_t)counts->edges[i];
	for (uint32_t i = 0; i < function->edge_count; i++)
		if (edge_of(plan, function, i)->flags & PLAN_EDGE_JOINED)
			counts->stayed[edge_of(plan, function, i)->from] = 0;
}

/* The number of entries of a block, without threads that came into its middle. Without
 * residues it is the flow through the block. */
static uint64_t count_entries(const struct solving *of, uint32_t block)
{
	uint32_t node = edges_node_in(block);

	if (!of->by_node)
		return of->counts[EDGES_BLOCKS + block];
	return of->nodes[node] -
	       (of->by_node[node] < 0 ? -(uint64_t)of->by_node[node] : 0);
}

static void take_result(const struct plan *plan, const struct plan_function *function,
			const struct solving *of, struct edges_counts *ret_counts)
{
	uint32_t blocks = function->block_count, edges = function->edge_count;
	uint64_t *all =
		memory_allocate((2 * (size_t)blocks + edges + 1) * sizeof(uint64_t));
	struct edges_counts result = {
		.calls = of->counts[EDGES_ENTRY],
		.blocks = all,
		.edges = all + blocks,
		.stayed = (int64_t *)(all + blocks + edges),
	};

	for (uint32_t i = 0; i < blocks; i++)
		result.blocks[i] = count_entries(of, i);
	memcpy(result.edges, of->counts + EDGES_BLOCKS + blocks,
	       edges * sizeof(uint64_t));
	find_stayed(plan, function, &result);
	*ret_counts = result;
}

/* Zeros for all arrays, in one piece. */
static void solving_init(struct solving *solving, const struct flow_graph *graph,
			 bool residues)
{
	size_t words = bit_words(graph->edge_count), nodes = graph->node_count;

	solving->counts = memory_allocate_zeroed(
		graph->edge_count + words + (residues ? 2 * nodes : 0), sizeof(uint64_t));
	solving->counted = solving->counts + graph->edge_count;
	solving->nodes = residues ? solving->counted + words : NULL;
	solving->by_node = residues ? (int64_t *)(solving->nodes + nodes) : NULL;
}

bool edges_solve(const struct plan *plan, const struct plan_function *function,
		 const uint64_t *counters, const struct edges_residues *residues,
		 struct edges_counts *ret_counts, uint32_t *ret_fault)
{
	struct flow_graph graph;
	struct solving solving;
	uint32_t node;
	bool good;

	*ret_counts = (struct edges_counts){0};
	if (function->paths)
		return path_counts_solve(plan, function, counters, residues, ret_counts,
					 ret_fault);
	if (!(residues && residues->count) &&
	    edges_peel(plan, function, counters, ret_counts))
		return true;
	edges_graph(plan, function, &graph);
	solving_init(&solving, &graph, residues && residues->count);
	take_counters(plan, function, &graph, counters, &solving);
	if (solving.by_node)
		vector_for_each (residues, residue)
			take_residue(plan, function, residue, solving.by_node);
	good = flow_solve(&graph, solving.counted, solving.by_node, solving.counts,
			  solving.nodes, &node);
	if (good)
		take_result(plan, function, &solving, ret_counts);
	else
		*ret_fault = node ? (node - 1) / 2 : 0;
	free(graph.edges);
	free(solving.counts);
	return good;
}

void edges_counts_deinit(struct edges_counts *counts)
{
	free(counts->blocks);
}

bool edges_is_fall(const struct plan *plan, const struct plan_function *function,
		   uint32_t slot)
{
	for (uint32_t i = 0; i < function->edge_count; i++) {
		const struct plan_edge *edge = edge_of(plan, function, i);

		if (edge->slot == slot)
			return edge->kind == CFG_EDGE_FALL;
	}
	return false;
}
