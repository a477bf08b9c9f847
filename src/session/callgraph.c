#include "session/callgraph.h"

#include "base/cleanup.h"

#include <stdlib.h>
#include <x86intrin.h>

_Static_assert(WIRE_GRAPH_CHILDREN == PLAN_GRAPH_CHILDREN,
	       "gates and the resident mean the same children");

static struct wire_graph *graph_of(const struct bank *bank)
{
	return (struct wire_graph *)(void *)((char *)bank->shared + WIRE_BANK_HEADER);
}

/* The context of a parent with this key, made if it is new. */
static uint32_t find(struct image_graph *graph, const struct image_context *like)
{
	const uint64_t words[] = {like->parent, like->kind, like->file, like->function};
	bool made;
	uint64_t *number =
		table_insert(&graph->by_key, hash_bytes(words, sizeof(words)), &made);

	if (made) {
		*number = graph->contexts.count;
		vector_push(&graph->contexts, *like);
	}
	return (uint32_t)*number;
}

static uint32_t find_root(struct image_graph *graph, uint32_t thread)
{
	if (!graph->contexts.count)
		vector_push(&graph->contexts, ((struct image_context){0}));
	return thread ? find(graph,
			     &(const struct image_context){.kind = IMAGE_CONTEXT_THREAD,
							   .function = thread})
		      : 0;
}

/* What a node stands for; false if it is none of ours. */
static bool describe(const struct family *family, const struct wire_graph_node *node,
		     struct image_context *context)
{
	uint32_t slot = (node->function - WIRE_BANK_HEADER) / (uint32_t)sizeof(uint64_t);

	for (size_t i = family->modules.count; i-- > 0;) {
		const struct family_module *module = &family->modules.items[i];
		const struct plan *plan = module->file->plan;

		if (slot < module->first_slot)
			continue;
		context->kind = IMAGE_CONTEXT_FUNCTION;
		context->file = module->file->index;
		context->function = (slot - module->first_slot) / PLAN_GRAPH_SLOTS;
		if (context->function >= plan->functions.count)
			return false;
		context->leaf = !plan->functions.items[context->function].step_count;
		return true;
	}
	return false;
}

static uint64_t count_of(const struct wire_graph *graph)
{
	uint64_t used = __atomic_load_n(&graph->used, __ATOMIC_ACQUIRE);

	return (used < WIRE_GRAPH_MAX ? used : WIRE_GRAPH_MAX) / sizeof(graph->nodes[0]);
}

void callgraph_add_bank(const struct session *session, const struct process *process,
			const struct bank *bank, struct image_graph *graph)
{
	const struct wire_graph *shared = graph_of(bank);
	uint64_t count = count_of(shared);
	uint32_t root =
		find_root(graph, session->options->threads ? bank->shared->tid : 0);
	scoped_free uint32_t *numbers =
		memory_allocate_zeroed(count + 1, sizeof(*numbers));

	numbers[0] = root;
	for (uint64_t i = 1; i <= count; i++) {
		struct wire_graph_node node = shared->nodes[i];
		uint64_t parent = node.parent / sizeof(node);
		struct image_context context = {0};

		/* Beside those that are being made just now, all have a parent in front
		 * of them. */
		numbers[i] = root;
		if (parent >= i || !describe(process->space->family, &node, &context))
			continue;
		context.parent = numbers[parent];
		numbers[i] = find(graph, &context);
		graph->contexts.items[numbers[i]].calls += node.calls;
		graph->contexts.items[numbers[i]].ticks += node.ticks;
		graph->contexts.items[numbers[i]].timed += node.timed;
	}
}

void callgraph_add(const struct session *session, const struct process *process,
		   struct image_graph *graph)
{
	if (!session->options->collector->graph || !process->space ||
	    !process->space->family)
		return;
	vector_for_each (&process->space->family->arena->banks, bank)
		if ((*bank)->owner == process->pid)
			callgraph_add_bank(session, process, *bank, graph);
}

void callgraph_deinit(struct image_graph *graph)
{
	vector_deinit(&graph->contexts);
	table_deinit(&graph->by_key);
}

void callgraph_note_calls(const struct session *session, const struct bank *bank,
			  struct thread_calls *calls)
{
	const struct wire_graph *graph;
	uint64_t count;

	calls->count = 0;
	if (!session->options->collector->graph || !bank)
		return;
	graph = graph_of(bank);
	count = (graph->top < WIRE_GRAPH_DEPTH ? graph->top : WIRE_GRAPH_DEPTH) /
		sizeof(graph->frames[0]);
	for (uint64_t i = 1; i <= count; i++) {
		uint64_t node = graph->frames[i].node / sizeof(graph->nodes[0]);

		if (node > WIRE_GRAPH_MAX / sizeof(graph->nodes[0]))
			node = 0;
		vector_push(calls, ((struct thread_call){graph->frames[i].place,
							 graph->nodes[node].function}));
	}
}

/* The node of a call below another one, made if it is new. */
static uint32_t make_child(struct wire_graph *graph, uint32_t function, uint32_t parent)
{
	uint32_t row = wire_graph_row(parent, function);

	for (; graph->index[row]; row = (row + 1) & WIRE_GRAPH_MASK) {
		const struct wire_graph_node *node =
			&graph->nodes[graph->index[row] / sizeof(*node)];

		if (node->function == function && node->parent == parent)
			return graph->index[row];
	}
	if (graph->used >= WIRE_GRAPH_MAX)
		return WIRE_GRAPH_BEYOND;
	graph->used += sizeof(graph->nodes[0]);
	graph->nodes[graph->used / sizeof(graph->nodes[0])] =
		(struct wire_graph_node){.function = function, .parent = parent};
	graph->index[row] = (uint32_t)graph->used;
	return (uint32_t)graph->used;
}

void callgraph_begin(const struct session *session, const struct bank *bank,
		     const struct thread_calls *calls)
{
	struct wire_graph *graph;
	uint32_t node = 0;

	if (!session->options->collector->graph || !bank)
		return;
	graph = graph_of(bank);
	for (size_t i = 0; i < calls->count; i++) {
		const struct thread_call *call = &calls->items[i];

		node = call->function && node < WIRE_GRAPH_BEYOND
			       ? make_child(graph, call->function, node)
			       : WIRE_GRAPH_BEYOND;
		graph->frames[i + 1] =
			(struct wire_graph_frame){.place = call->place, .node = node};
	}
	graph->top = calls->count * sizeof(graph->frames[0]);
	graph->at = node;
	graph->last = __rdtsc();
}

void callgraph_hold(const struct session *session, struct thread *thread)
{
	if (session->options->collector->graph && !thread->held_ticks)
		thread->held_ticks = __rdtsc();
}

void callgraph_go_on(struct thread *thread)
{
	struct wire_graph *graph;

	if (!thread->held_ticks)
		return;
	if (thread->bank) {
		graph = graph_of(thread->bank);
		/* 0: it has called nothing yet. */
		if (graph->last && graph->last < thread->held_ticks)
			graph->last += __rdtsc() - thread->held_ticks;
		else if (graph->last)
			graph->last = __rdtsc();
	}
	thread->held_ticks = 0;
}

/* Paths are no longer than this in a profile: what is called further in follows the last
 * of these at once. */
enum { DEPTH_MAX = 1000 };

/* How deep each context is, and the parent that it is shown with. */
struct shape {
	uint32_t *depth, *parent;
};

static struct shape find_shape(const struct image_graph *graph)
{
	size_t count = graph->contexts.count;
	struct shape shape = {memory_allocate_zeroed(count, sizeof(uint32_t)),
			      memory_allocate_zeroed(count, sizeof(uint32_t))};

	for (size_t i = 1; i < count; i++) {
		uint32_t parent = graph->contexts.items[i].parent;
		bool deep = shape.depth[parent] > DEPTH_MAX;

		shape.parent[i] = deep ? shape.parent[parent] : parent;
		shape.depth[i] = shape.depth[parent] + !deep;
	}
	return shape;
}

/* Takes the probes' own time out. */
static void take_cost(struct image_graph *graph, uint64_t cost)
{
	vector_for_each (&graph->contexts, context) {
		uint64_t all = context->timed * cost;

		context->ticks -= all < context->ticks ? all : context->ticks;
	}
}

/*
 * Of short calls not all were timed, and what the others took is in the time of a call
 * around them. The timed ones tell how much that is. Callers come first, as their own
 * calls may have been timed in part.
 */
static void move_times(struct image_graph *graph)
{
	for (size_t i = 1; i < graph->contexts.count; i++) {
		struct image_context *context = &graph->contexts.items[i];
		struct image_context *around = &graph->contexts.items[context->parent];
		double moved, most, untimed;

		if (!context->timed || context->timed >= context->calls)
			continue;
		untimed = (double)(context->calls - context->timed);
		moved = (double)context->ticks / (double)context->timed * untimed;
		/* Where all are as short as the clock tells, each has the same. */
		most = (double)around->ticks * untimed /
		       (untimed + (double)around->calls);
		if (moved > most)
			moved = most;
		around->ticks -= (uint64_t)moved;
		context->ticks += (uint64_t)moved;
	}
}

/* What all contexts take, with all that they call. Children stand behind parents. */
static uint64_t *add_inclusive(const struct image_graph *graph, const struct shape *shape)
{
	uint64_t *inclusive =
		memory_allocate_zeroed(graph->contexts.count, sizeof(*inclusive));

	for (size_t i = graph->contexts.count; i-- > 1;) {
		const struct image_context *context = &graph->contexts.items[i];

		inclusive[i] += context->ticks;
		inclusive[shape->parent[i]] += inclusive[i];
	}
	return inclusive;
}

static double ns_per_tick(const struct session *session)
{
	uint64_t ns = session_now() - session->clock_ns;
	uint64_t ticks = __rdtsc() - session->clock_ticks;

	return session->clock_ticks && ticks ? (double)ns / (double)ticks : 0;
}

static record_node make_node(struct saving *saving, record_node parent,
			     const struct image_context *context)
{
	const struct names *n = &saving->names;
	const struct module_file *file;
	const struct plan_function *function;
	record_node node;

	file = saving->session->files.items[context->file];
	function = &file->plan->functions.items[context->function];
	node = record_node_child(saving->model, parent, n->graph_path,
				 record_string(file->path));
	/* Several functions of a module may have one name. */
	node = record_node_child(saving->model, node, n->graph_offset,
				 record_address(function->address));
	return record_node_child(
		saving->model, node, n->graph_function,
		record_string(saving_function_name(saving, file, function)));
}

static void save_context(struct saving *saving, const struct image_run *image,
			 const struct image_context *context, record_node node,
			 const uint64_t ns[2])
{
	const struct names *n = &saving->names;
	struct record_pair pairs[9] = {{n->image, record_uint(image->number)},
				       {n->graph_calls, record_uint(context->calls)}};
	size_t count = 2;

	if (context->kind == IMAGE_CONTEXT_FUNCTION)
		pairs[count++] = (struct record_pair){
			n->offset,
			record_address(saving->session->files.items[context->file]
					       ->plan->functions.items[context->function]
					       .address)};
	if (!context->leaf) {
		pairs[count++] =
			(struct record_pair){n->graph_inclusive, record_uint(ns[0])};
		pairs[count++] =
			(struct record_pair){n->graph_exclusive, record_uint(ns[1])};
	}
	saving_write(saving, node, pairs, count);
}

static void save_graph(struct saving *saving, const struct image_run *image,
		       const struct image_graph *graph)
{
	const double scale = ns_per_tick(saving->session);
	struct shape shape = find_shape(graph);
	scoped_free uint64_t *inclusive = add_inclusive(graph, &shape);
	scoped_free record_node *nodes =
		memory_allocate_zeroed(graph->contexts.count, sizeof(*nodes));
	scoped_free uint32_t *threads =
		memory_allocate_zeroed(graph->contexts.count, sizeof(*threads));

	saving->interval = 0;
	for (size_t i = 1; i < graph->contexts.count; i++) {
		const struct image_context *context = &graph->contexts.items[i];
		const uint64_t ns[2] = {(uint64_t)((double)inclusive[i] * scale),
					(uint64_t)((double)context->ticks * scale)};

		if (context->kind == IMAGE_CONTEXT_THREAD) {
			threads[i] = context->function;
			continue;
		}
		threads[i] = threads[context->parent];
		saving->thread = threads[i];
		nodes[i] = make_node(saving, nodes[shape.parent[i]], context);
		save_context(saving, image, context, nodes[i], ns);
	}
	saving->thread = 0;
	free(shape.depth);
	free(shape.parent);
}

/* One that goes on is looked at, and left as it is. */
void callgraph_save(struct saving *saving, const struct image_run *image,
		    const struct process *live)
{
	struct image_graph now = {0};

	if (!saving->session->options->collector->graph)
		return;
	find_root(&now, 0);
	for (size_t i = 1; i < image->graph.contexts.count; i++) {
		struct image_context context = image->graph.contexts.items[i];

		/* They get the numbers that they have. */
		find(&now, &context);
	}
	if (live)
		callgraph_add(saving->session, live, &now);
	take_cost(&now, saving->graph_cost);
	move_times(&now);
	save_graph(saving, image, &now);
	callgraph_deinit(&now);
}
