/* Choosing the edges and blocks of a function that get counters: see code/count/edges.h.
 */
#include "code/planner/counter_placement.h"

#include "base/cleanup.h"
#include "code/builder/plan_builder.h"
#include "code/count/edges.h"
#include "code/count/frequencies.h"
#include "code/relocate/branch_heuristics.h"
#include "code/planner/path_placement.h"
#include "code/relocate/whole_emit.h"
#include "code/scan/cold_parts.h"
#include "flow/graph.h"
#include "flow/static_profile.h"
#include "image/find.h"

#include <string.h>

/* Costs of counters; 1 is one instruction. */
enum {
	COST_FLAGS = 5, /* the form that keeps flags */
	COST_PIECE = 1, /* a jump more */
};

/* Code that no earlier run executed weighs at most this, whatever its estimate. */
static const float UNSEEN = 1 / 1024.f;

struct placing {
	struct plan_builder *builder;
	const struct cfg *cfg;
	const struct whole *whole;
	struct plan *plan;
	struct plan_function *row;
	uint32_t *entries; /* by block: edges that lead there */
	bool own_table;    /* see has_own_table; of the block whose edges are added */
	bool shared;       /* calls and executions of the first block have one counter */
	float *passes;     /* by edge of the graph: how often it is passed, as is known or
			      estimated */
	struct frequencies_known known; /* builder.current.known */
};

static const struct cfg_instruction *last_of(const struct cfg *cfg, uint32_t block)
{
	const struct cfg_block *row = &cfg->blocks.items[block];

	return &cfg->instructions.items[row->first + row->count - 1];
}

static bool is_original(const struct placing *placing, uint32_t block)
{
	const struct cfg_block *row = &placing->cfg->blocks.items[block];

	return placing->whole->original.items[row->first + row->count - 1];
}

static bool is_exposed(const struct placing *placing, uint32_t block)
{
	return block && placing->cfg->blocks.items[block].exposed;
}

/* Whether the jump at the end of a block is the only one that uses its table: then the
 * clone's entries are its edges. */
static bool has_own_table(const struct cfg *cfg, uint32_t block)
{
	uint64_t table = last_of(cfg, block)->target;

	if (!table)
		return false;
	for (uint32_t i = 0; i < cfg->blocks.count; i++) {
		const struct cfg_instruction *last = last_of(cfg, i);

		if (i != block && last->kind == CFG_SWITCH &&
		    (!last->target || last->target == table))
			return false;
	}
	return true;
}

/* An edge that leaves the function. A return is known by what enters its block. */
static uint8_t flags_out(const struct placing *placing, const struct cfg_edge *edge)
{
	bool stays = cfg_may_stay(placing->cfg, edge->from);
	uint8_t kind = last_of(placing->cfg, edge->from)->kind;

	/* Calls of other functions on a condition, and what falls out of relocated code.
	 */
	if ((kind == CFG_CONDITION || kind == CFG_LOOP || edge->kind == CFG_EDGE_FALL) &&
	    !is_original(placing, edge->from))
		return 0;
	return stays ? PLAN_EDGE_JOINED : PLAN_EDGE_FIXED;
}

/* Original code that falls to a block: the jump there counts, if there is one for it. */
static uint8_t flags_of_original_fall(const struct placing *placing,
				      const struct cfg_edge *edge)
{
	if (is_exposed(placing, edge->to))
		return PLAN_EDGE_JOINED;
	return whole_fall_patch(placing->whole, edge->to) ? 0 : PLAN_EDGE_FIXED;
}

static uint8_t flags_of(const struct placing *placing, const struct cfg_edge *edge)
{
	const struct cfg *cfg = placing->cfg;
	bool alone = cfg->blocks.items[edge->from].edge_count == 1 &&
		     !cfg_may_stay(cfg, edge->from);

	if (edge->to == CFG_OUT)
		return flags_out(placing, edge);
	if (edge->kind == CFG_EDGE_FALL && is_original(placing, edge->from))
		return flags_of_original_fall(placing, edge);
	/* Jumps in the original cannot be told apart: see whole_block.jumped. */
	if (last_of(cfg, edge->from)->kind == CFG_JUMP &&
	    is_original(placing, edge->from))
		return PLAN_EDGE_JOINED;
	/* The counter of a block does. */
	if (alone || (edge->to && !is_exposed(placing, edge->to) &&
		      placing->entries[edge->to] == 1))
		return PLAN_EDGE_FIXED;
	return edge->kind == CFG_EDGE_SWITCH && !placing->own_table ? PLAN_EDGE_FIXED : 0;
}

/* Notes an edge, the last one of the plan, that leads to another part of the function. */
static void note_crossing(struct placing *placing, uint64_t target)
{
	const struct image *image = placing->builder->image;
	const struct image_function *found = image_function_around(image, target);
	uint32_t index = (uint32_t)(placing->row - placing->plan->functions.items);
	uint32_t there;

	if (!found || target - found->address >= found->size)
		return;
	there = (uint32_t)(found - image->functions.items);
	if (cold_parts_owner(image, there) == cold_parts_owner(image, index))
		vector_push(
			&placing->plan->crossings,
			((struct plan_crossing){
				.edge = (uint32_t)placing->plan->edges.count - 1,
				.distance = (int32_t)(target - placing->row->address)}));
}

static uint8_t returns_flag(const struct cfg *cfg, const struct cfg_edge *edge)
{
	return edge->to == CFG_OUT && last_of(cfg, edge->from)->kind == CFG_RETURN
		       ? PLAN_EDGE_RETURNS
		       : 0;
}

static void add_edges(struct placing *placing)
{
	const struct cfg *cfg = placing->cfg;
	struct plan *plan = placing->plan;

	placing->row->first_edge = (uint32_t)plan->edges.count;
	placing->row->edge_count = (uint32_t)cfg->edges.count;
	vector_for_each (&cfg->edges, edge) {
		if (edge->kind == CFG_EDGE_SWITCH &&
		    (edge == cfg->edges.items || edge[-1].from != edge->from))
			placing->own_table = has_own_table(cfg, edge->from);
		vector_push(&plan->edges,
			    ((struct plan_edge){
				    .from = edge->from,
				    .to = edge->to,
				    .slot = PLAN_NO_SLOT,
				    .piece = WHOLE_NONE,
				    .kind = edge->kind,
				    .size = last_of(cfg, edge->from)->length,
				    .flags = flags_of(placing, edge) |
					     returns_flag(cfg, edge),
			    }));
		if (edge->to == CFG_OUT && edge->kind == CFG_EDGE_TAKEN)
			note_crossing(placing, last_of(cfg, edge->from)->target);
	}
}

static uint8_t probe_cost(enum probe_form form)
{
	return form == PROBE_COUNT_KEEP_FLAGS ? COST_FLAGS : 1;
}

static uint8_t edge_cost(const struct placing *placing, const struct cfg_edge *edge)
{
	return (uint8_t)(probe_cost(whole_edge_probe(placing->whole, edge)) +
			 (whole_edge_has_piece(placing->whole, edge) ? COST_PIECE : 0));
}

/* The graph without the edges inside of the function that carry no counter: their ends
 * are one node. That is most of its edges, and changes nothing of the others. */
struct contracted {
	struct flow_graph graph;
	uint32_t *edges; /* of each of its edges, the number in the whole graph */
};

/* False if such edges form a cycle. */
static bool join_ends(const struct flow_graph *whole, uint32_t *sets)
{
	for (uint32_t i = 0; i < whole->edge_count; i++) {
		const struct flow_edge *edge = &whole->edges[i];
		uint32_t from, to;

		if (!(edge->flags & FLOW_NO_COUNTER) || !edge->from || !edge->to)
			continue;
		from = graph_sets_find(sets, edge->from);
		to = graph_sets_find(sets, edge->to);
		if (from == to)
			return false;
		sets[from] = to;
	}
	return true;
}

static void contracted_deinit(struct contracted *contracted)
{
	free(contracted->graph.edges);
	free(contracted->edges);
}

static bool contract_blocks(const struct flow_graph *whole, struct contracted *contracted)
{
	scoped_free uint32_t *sets = graph_sets_create(whole->node_count);
	scoped_free uint32_t *numbers =
		memory_allocate_zeroed(whole->node_count, sizeof(*numbers));
	struct flow_graph *graph = &contracted->graph;

	*contracted = (struct contracted){
		.graph = {.edges = memory_allocate(whole->edge_count *
						   sizeof(*graph->edges)),
			  .node_count = 1},
		.edges = memory_allocate(whole->edge_count * sizeof(*contracted->edges)),
	};
	if (!join_ends(whole, sets))
		return false;
	for (uint32_t i = 1; i < whole->node_count; i++)
		if (graph_sets_find(sets, i) == i)
			numbers[i] = graph->node_count++;
	for (uint32_t i = 0; i < whole->edge_count; i++) {
		const struct flow_edge *edge = &whole->edges[i];

		if (edge->flags & FLOW_NO_COUNTER && edge->from && edge->to)
			continue;
		contracted->edges[graph->edge_count] = i;
		graph->edges[graph->edge_count++] = (struct flow_edge){
			.from = numbers[graph_sets_find(sets, edge->from)],
			.to = numbers[graph_sets_find(sets, edge->to)],
			.flags = edge->flags,
		};
	}
	return true;
}

/* Notes how often the edges of the whole graph are taken. An edge without a counter
 * counts as often as the block to which it leads. */
static void note_passes(const struct placing *placing,
			const struct contracted *contracted)
{
	const struct cfg *cfg = placing->cfg;
	uint32_t first = EDGES_BLOCKS + (uint32_t)cfg->blocks.count;

	for (uint32_t i = 0; i < contracted->graph.edge_count; i++)
		placing->passes[contracted->edges[i]] = contracted->graph.edges[i].weight;
	for (uint32_t i = 0; i < cfg->edges.count; i++) {
		uint8_t flags =
			placing->plan->edges.items[placing->row->first_edge + i].flags;

		if (flags && cfg->edges.items[i].to != CFG_OUT)
			placing->passes[first + i] =
				placing->passes[EDGES_BLOCKS + cfg->edges.items[i].to];
		if ((flags & ~PLAN_EDGE_RETURNS) == PLAN_EDGE_FIXED &&
		    placing->known.edges)
			placing->passes[first + i] =
				frequency_number(placing->known.edges[i]);
	}
}

static uint8_t block_cost(const struct placing *placing, uint32_t block)
{
	const struct whole *whole = placing->whole;

	if (whole->blocks.items[block].stub != WHOLE_NONE)
		return 1;
	return probe_cost(whole_block_probe(whole, &placing->cfg->blocks.items[block]));
}

/* Cost of a counter, by the number of the edge in the whole graph; also in the plan. */
static float cost_of(const struct placing *placing, uint32_t edge)
{
	struct plan *plan = placing->plan;
	const struct plan_function *row = placing->row;
	uint32_t calls = placing->shared ? EDGES_BLOCKS : EDGES_ENTRY;

	/* Calls are counted whatever else is. */
	if (edge == calls)
		return 0;
	edge -= EDGES_BLOCKS;
	if (edge < row->block_count)
		return plan->blocks.items[row->first_block + edge].cost =
			       block_cost(placing, edge);
	edge -= row->block_count;
	if (edge < row->edge_count)
		return plan->edges.items[row->first_edge + edge].cost =
			       edge_cost(placing, &placing->cfg->edges.items[edge]);
	return 1;
}

/* Likelihoods of the edges of conditions by their code; 1 for all others. */
static float *list_shares(const struct placing *placing,
			  const struct contracted *contracted)
{
	const struct cfg *cfg = placing->cfg;
	uint32_t first = EDGES_BLOCKS + (uint32_t)cfg->blocks.count;
	float *shares =
		memory_allocate((contracted->graph.edge_count + 1) * sizeof(*shares));

	for (uint32_t i = 0; i < contracted->graph.edge_count; i++) {
		uint32_t edge = contracted->edges[i] - first; /* wraps around below it */

		shares[i] =
			edge < cfg->edges.count
				? branch_heuristics_share(cfg, &cfg->edges.items[edge])
				: 1;
	}
	return shares;
}

/* Replaces the estimate by counts of earlier runs. */
static void take_known(const struct placing *placing, struct contracted *contracted)
{
	const uint32_t known = placing->row->block_count + placing->row->edge_count;
	const frequency *values = placing->known.blocks; /* those of edges follow */

	for (uint32_t i = 0; placing->known.edges && i < contracted->graph.edge_count;
	     i++) {
		/* wraps around for the entry */
		uint32_t number = contracted->edges[i] - EDGES_BLOCKS;
		float *weight = &contracted->graph.edges[i].weight;

		*weight *= UNSEEN / (*weight + 1);
		if (number < known && values[number])
			*weight = frequency_number(values[number]);
	}
}

/* Chooses the edges of the whole graph that get counters. False: see
 * counter_placement_choose. */
static bool choose_counters(const struct placing *placing, const struct flow_graph *whole,
			    uint64_t *counted)
{
	struct contracted contracted;
	struct flow_graph *graph = &contracted.graph;
	bool good = contract_blocks(whole, &contracted);

	if (good) {
		scoped_free uint64_t *bits =
			memory_allocate(bit_words(graph->edge_count) * sizeof(*bits));

		scoped_free float *shares = list_shares(placing, &contracted);

		static_profile_estimate(graph, shares);
		take_known(placing, &contracted);
		note_passes(placing, &contracted);
		for (uint32_t i = 0; i < graph->edge_count; i++)
			graph->edges[i].weight *= cost_of(placing, contracted.edges[i]);
		good = flow_place(graph, bits);
		for (uint32_t i = 0; i < graph->edge_count; i++)
			if (bit_test(bits, i))
				bit_set(counted, contracted.edges[i]);
	}
	contracted_deinit(&contracted);
	return good;
}

/* Whether the first edge of a condition is passed more often than the other one. */
static bool is_hot(const struct placing *placing, uint32_t edge)
{
	const struct cfg *cfg = placing->cfg;
	const struct cfg_edge *edges = cfg->edges.items + edge;
	const float *passes = placing->passes + EDGES_BLOCKS + cfg->blocks.count + edge;

	return edges->kind == CFG_EDGE_TAKEN && edge + 1 < cfg->edges.count &&
	       edges[1].from == edges->from && passes[0] > passes[1];
}

/* Whether earlier runs executed a block; true if they do not say. */
static bool has_run(const struct placing *placing, uint32_t block)
{
	return !placing->known.blocks || placing->known.blocks[block];
}

static bool was_passed(const struct placing *placing, uint32_t number)
{
	const struct cfg_edge *edge = &placing->cfg->edges.items[number];

	if (placing->known.edges)
		return placing->known.edges[number];
	return has_run(placing, edge->from) &&
	       (edge->to == CFG_OUT || has_run(placing, edge->to));
}

static uint32_t new_slot(const struct placing *placing, bool ran)
{
	return builder_new_slot(placing->builder, !ran || placing->builder->current.cold);
}

static void give_slots(const struct placing *placing, const uint64_t *counted)
{
	struct plan *plan = placing->plan;
	struct whole *whole = &placing->builder->current.whole;
	struct plan_block *blocks = plan->blocks.items + placing->row->first_block;
	struct plan_edge *edges = plan->edges.items + placing->row->first_edge;
	uint32_t block_count = placing->row->block_count;

	if (!bit_test(counted, placing->shared ? EDGES_BLOCKS : EDGES_ENTRY))
		blocks->flags |= PLAN_BLOCK_FREE;
	for (uint32_t i = 0; i < block_count; i++) {
		if (!i && placing->shared)
			continue; /* it has that of the calls */
		blocks[i].slot = PLAN_NO_SLOT;
		if (bit_test(counted, EDGES_BLOCKS + i))
			blocks[i].slot = new_slot(placing, has_run(placing, i));
		whole->blocks.items[i].slot = blocks[i].slot == PLAN_NO_SLOT
						      ? WHOLE_NONE
						      : blocks[i].slot * plan->slot_size;
	}
	vector_reserve(&whole->edges, placing->row->edge_count);
	whole->edges.count = placing->row->edge_count;
	for (uint32_t i = 0; i < placing->row->edge_count; i++) {
		bool has = bit_test(counted, EDGES_BLOCKS + block_count + i) &&
			   !(edges[i].flags & PLAN_EDGE_JOINED);

		if (has)
			edges[i].slot = new_slot(placing, was_passed(placing, i));
		whole->edges.items[i] = (struct whole_edge){
			.slot = has ? edges[i].slot * plan->slot_size : WHOLE_NONE,
			.code = WHOLE_NONE,
			.hot = is_hot(placing, i),
		};
	}
}

/* Where paths are counted. */
static void choose_hot(const struct placing *placing)
{
	struct whole *whole = &placing->builder->current.whole;

	for (uint32_t i = 0; i < whole->edges.count; i++)
		whole->edges.items[i].hot = is_hot(placing, i);
}

/*
 * Whether edges of switches can be counted in a function whose switches use their
 * original tables: the jump at a target of a switch counts its edge. So no other flow may
 * pass that jump: no other switch, no entry from outside, no fall-through in the
 * original.
 */
static bool can_count_switches(const struct whole *whole)
{
	const struct cfg *cfg = whole->cfg;
	scoped_free bool *seen = memory_allocate_zeroed(cfg->blocks.count, sizeof(*seen));

	vector_for_each (&cfg->edges, edge) {
		const struct cfg_block *from = &cfg->blocks.items[edge->from];
		bool by_switch = edge->kind == CFG_EDGE_SWITCH;

		if (edge->to == CFG_OUT || !whole_is_led(whole, edge->to))
			continue;
		if (cfg->blocks.items[edge->to].exposed ||
		    whole->blocks.items[edge->to].stub != WHOLE_NONE ||
		    (by_switch && seen[edge->to]) ||
		    (edge->kind == CFG_EDGE_FALL &&
		     whole->original.items[from->first + from->count - 1]))
			return false;
		seen[edge->to] |= by_switch;
	}
	return true;
}

bool counter_placement_choose(struct plan_builder *builder, struct plan_function *row)
{
	const struct cfg *cfg = &builder->current.cfg;

	if (builder->current.whole.live && !can_count_switches(&builder->current.whole)) {
		row->path_bar = builder->request->paths ? PATH_BAR_TABLE : PATH_BAR_NONE;
		return false;
	}
	scoped_free uint32_t *entries =
		memory_allocate_zeroed(cfg->blocks.count, sizeof(*entries));
	struct placing placing = {
		.builder = builder,
		.cfg = cfg,
		.whole = &builder->current.whole,
		.plan = builder->plan,
		.row = row,
		.entries = entries,
		.shared = !whole_needs_entry_slot(&builder->current.whole),
		.known = builder->current.known,
	};
	const size_t crossings = builder->plan->crossings.count;
	struct flow_graph graph;
	bool good;

	vector_for_each (&cfg->edges, edge)
		if (edge->to != CFG_OUT)
			entries[edge->to]++;
	add_edges(&placing);
	edges_graph(builder->plan, row, &graph);
	scoped_free uint64_t *counted =
		memory_allocate_zeroed(bit_words(graph.edge_count), sizeof(*counted));
	scoped_free float *passes =
		memory_allocate_zeroed(graph.edge_count, sizeof(*passes));

	placing.passes = passes;
	good = choose_counters(&placing, &graph, counted);
	free(graph.edges);
	if (!good) {
		builder->plan->edges.count = row->first_edge;
		builder->plan->crossings.count = crossings;
		row->first_edge = row->edge_count = 0;
		return false;
	}
	/* One block has as many paths as edges. */
	if (builder->request->paths && cfg->blocks.count > 1 &&
	    path_placement_choose(builder, row,
				  passes + EDGES_BLOCKS + cfg->blocks.count)) {
		choose_hot(&placing);
		return true;
	}
	give_slots(&placing, counted);
	return true;
}
