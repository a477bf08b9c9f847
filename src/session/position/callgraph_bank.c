#include "session/position/callgraph_bank.h"

#include "base/array.h"
#include "wire/graph.h"

#include <x86intrin.h>

_Static_assert(WIRE_GRAPH_CHILDREN == PLAN_GRAPH_CHILDREN,
	       "gates and the resident mean the same children");

struct wire_graph *callgraph_of(const struct bank *bank)
{
	return (struct wire_graph *)(void *)((char *)bank->shared + WIRE_GRAPH_BASE);
}

/* Returns whether a frame is no call but marks where the frames of another stack
 * begin. */
static bool begins_stack(const struct wire_graph *graph, uint64_t frame)
{
	uint64_t start = graph->stack / sizeof(graph->frames[0]), around;

	while (start > frame && start < array_count(graph->frames)) {
		around = (graph->frames[start].around >> WIRE_GRAPH_AROUND) /
			 sizeof(graph->frames[0]);
		if (around >= start)
			return false;
		start = around;
	}
	return start && start == frame;
}

void callgraph_note_calls(const struct session *session, const struct bank *bank,
			  struct thread_calls *calls)
{
	const struct wire_graph *graph;
	uint64_t count;

	(void)session;
	graph = callgraph_of(bank);
	count = (graph->top < WIRE_GRAPH_DEPTH ? graph->top : WIRE_GRAPH_DEPTH) /
		sizeof(graph->frames[0]);
	for (uint64_t i = 1; i <= count; i++) {
		const struct wire_graph_frame *frame = &graph->frames[i];
		uint64_t node = frame->node / sizeof(graph->nodes[0]);

		if (begins_stack(graph, i))
			continue;
		if (node > WIRE_GRAPH_MAX / sizeof(graph->nodes[0]))
			node = 0;
		vector_push(calls, ((struct thread_call){
					   .place = frame->place + (frame->around & 1),
					   .function = graph->nodes[node].function}));
	}
}

/* Returns the part of a node that a leaf has, too. */
static struct wire_graph_leaf *head_at(struct wire_graph *graph, uint32_t node)
{
	return (void *)((char *)graph->nodes + node);
}

/* Returns a new node; WIRE_GRAPH_BEYOND: no room is left. */
static uint32_t make_node(struct wire_graph *graph, bool leaf)
{
	if (leaf) {
		uint64_t node = WIRE_GRAPH_LEAF_AT + graph->leaves_used;

		if (graph->leaves_used >= WIRE_GRAPH_LEAF_MAX)
			return WIRE_GRAPH_BEYOND;
		graph->leaves_used += sizeof(graph->leaves[0]);
		return (uint32_t)node;
	}
	if (graph->used >= WIRE_GRAPH_MAX)
		return WIRE_GRAPH_BEYOND;
	graph->used += sizeof(graph->nodes[0]);
	return (uint32_t)graph->used;
}

/* Returns the node of a call below another one, made if it is new. */
static uint32_t make_child(struct wire_graph *graph, uint32_t function, uint32_t parent)
{
	uint32_t row = wire_graph_row(parent, function);

	for (; graph->index[row]; row = (row + 1) & WIRE_GRAPH_MASK) {
		const struct wire_graph_leaf *node = head_at(graph, graph->index[row]);

		if (node->function == function && node->parent == parent)
			return graph->index[row];
	}
	uint32_t node = make_node(graph, function & WIRE_GRAPH_LEAF);

	if (node == WIRE_GRAPH_BEYOND)
		return node;
	*head_at(graph, node) =
		(struct wire_graph_leaf){.function = function, .parent = parent};
	graph->index[row] = node;
	return node;
}

/* What stands in nodes for a function whose returns are seen. */
uint32_t callgraph_name_of(const struct module *module, uint32_t function)
{
	return WIRE_BANK_HEADER + (module->first_slot + function * PLAN_GRAPH_SLOTS) *
					  (uint32_t)sizeof(uint64_t);
}

/* Returns the innermost frame whose call is still under way when another value has its
 * return address at `place`, as the resident's enter finds it. Frames further in have
 * the clock no more. */
static uint64_t drop_frames(struct wire_graph *graph, uint64_t place)
{
	uint64_t i = (graph->top < WIRE_GRAPH_DEPTH ? graph->top : WIRE_GRAPH_DEPTH) /
		     sizeof(graph->frames[0]);

	while (i && i * sizeof(graph->frames[0]) != graph->stack &&
	       graph->frames[i].place <= place) {
		uint64_t timed = graph->frames[i--].around;

		if ((timed & 1) && timed <= WIRE_GRAPH_BEYOND + 1)
			graph->at = timed - 1;
	}
	return i;
}

void callgraph_enter(const struct thread *thread, const struct module *module,
		     uint32_t function, uint64_t place)
{
	enum { FRAMES = WIRE_GRAPH_DEPTH / sizeof(struct wire_graph_frame) };
	const struct plan *plan = module->file->plan;
	const bool leaf = !plan->functions.items[function].map_row_count;
	struct wire_graph *graph = thread->bank ? callgraph_of(thread->bank) : NULL;
	uint64_t around = graph ? drop_frames(graph, place) : 0;
	uint32_t node, parent, timed;

	if (!graph || graph->frames[around].node > WIRE_GRAPH_BEYOND)
		return;
	parent = graph->frames[around].node;
	node = parent == WIRE_GRAPH_BEYOND
		       ? WIRE_GRAPH_BEYOND
		       : make_child(graph,
				    callgraph_name_of(module, function) +
					    (leaf ? WIRE_GRAPH_LEAF : 0),
				    parent);
	/* The resident may have been about to time it. */
	timed = graph->at == node ? parent + 1 : 0;
	head_at(graph, node)->calls++;
	if (!leaf && around < FRAMES)
		graph->frames[++around] =
			(struct wire_graph_frame){place - (timed != 0), node, timed};
	graph->top = around * sizeof(graph->frames[0]);
}

void callgraph_begin(const struct session *session, const struct bank *old,
		     struct bank *bank, const struct thread_calls *calls)
{
	struct wire_graph *graph;
	uint32_t node = 0;

	(void)session;
	(void)old;
	graph = callgraph_of(bank);
	graph->frames[0].place = UINT64_MAX;
	for (size_t i = 0; i < calls->count; i++) {
		const struct thread_call *call = &calls->items[i];
		uint32_t parent = node;

		node = call->function && node < WIRE_GRAPH_BEYOND
			       ? make_child(graph, call->function, node)
			       : WIRE_GRAPH_BEYOND;
		graph->frames[i + 1] =
			(struct wire_graph_frame){call->place - 1, node, parent + 1};
	}
	graph->top = calls->count * sizeof(graph->frames[0]);
	graph->stack = 0;
	graph->at = node;
	graph->last = __rdtsc();
}

void callgraph_look(const struct session *session, const struct thread *thread)
{
	struct wire_graph *graph;
	uint64_t node;

	(void)session;
	if (!thread->held_ticks || !thread->bank)
		return;
	graph = callgraph_of(thread->bank);
	node = graph->at / sizeof(graph->nodes[0]);
	/* 0: it has called nothing yet. Later than its stop: it begins only now. */
	if (!graph->last || graph->last > thread->held_ticks ||
	    node >= array_count(graph->nodes))
		return;
	graph->nodes[node].ticks += thread->held_ticks - graph->last;
	graph->last = thread->held_ticks;
}

void callgraph_give_back(const struct bank *bank, uint64_t from, uint64_t to)
{
	struct wire_graph *graph = callgraph_of(bank);

	/* 0: it has called nothing yet. */
	if (graph->last && graph->last < from)
		graph->last += to - from;
	else if (graph->last)
		graph->last = to;
}
