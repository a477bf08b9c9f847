#include "collect/callgraph/tree.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "code/plan/plan_rows.h"
#include "session/position/callgraph_bank.h"
#include "session/position/return_addresses.h"
#include "session/state/module.h"
#include "wire/bank.h"
#include "wire/graph.h"

#include <stdlib.h>
#include <x86intrin.h>

/* Finds or adds the sum of all calls of a function by a thread. */
static uint32_t find_calls(struct image_graph *graph, uint32_t thread,
			   const struct image_context *context)
{
	const uint32_t words[] = {thread, context->file, context->function};
	bool made;
	uint64_t *number = table_insert(&graph->by_function,
					hash_bytes(words, sizeof(words)), &made);

	if (made) {
		*number = graph->calls.count;
		vector_push(&graph->calls,
			    ((struct image_arc){.thread = thread,
						.file = context->file,
						.function = context->function,
						.from = UINT32_MAX}));
	}
	return (uint32_t)*number;
}

/* The context of a parent with this key, made if it is new. */
static uint32_t find_context(struct image_graph *graph, uint32_t thread,
			     struct image_context *like)
{
	const uint64_t words[] = {like->parent, like->kind, like->file, like->function};
	bool made;
	uint64_t *number =
		table_insert(&graph->by_key, hash_bytes(words, sizeof(words)), &made);

	if (made) {
		*number = graph->contexts.count;
		if (like->kind == IMAGE_CONTEXT_FUNCTION)
			like->calls = find_calls(graph, thread, like);
		vector_push(&graph->contexts, *like);
	}
	return (uint32_t)*number;
}

static uint32_t find_root(struct image_graph *graph, uint32_t thread)
{
	if (!graph->contexts.count)
		vector_push(&graph->contexts, ((struct image_context){0}));
	return thread ? find_context(graph, thread,
				     &(struct image_context){.kind = IMAGE_CONTEXT_THREAD,
							     .function = thread})
		      : 0;
}

/* Describes the function of a node; false if it is not one of this process. */
static bool describe_node(const struct family *family, uint32_t function,
			  struct image_context *context)
{
	uint32_t slot = (function - WIRE_BANK_HEADER) / (uint32_t)sizeof(uint64_t);

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
		context->leaf = !plan->functions.items[context->function].map_row_count;
		return true;
	}
	return false;
}

/* The number of complete items; some may be in the making. */
static uint32_t count_of(const uint64_t *used, uint64_t most, size_t size)
{
	uint64_t now = __atomic_load_n(used, __ATOMIC_ACQUIRE);

	return (uint32_t)((now < most ? now : most) / size);
}

/* Sums of the banks of a process, by context. */
struct sums VECTOR(struct image_context_sums);

static void add_copy(const struct family *family, struct image_graph *graph,
		     const struct image_graph_copy *copy, struct sums *sums)
{
	uint32_t root = find_root(graph, copy->thread);
	const uint32_t count = copy->count + copy->leaf_count;
	scoped_free uint32_t *numbers =
		memory_allocate_zeroed(count + 1, sizeof(*numbers));

	numbers[0] = root;
	for (uint32_t i = 1; i <= count; i++) {
		const struct image_graph_node *node = &copy->nodes[i - 1];
		uint64_t parent = node->parent / sizeof(struct wire_graph_node);
		struct image_context context = {0};

		/* Except for nodes in the making, all have a parent in front of them. */
		numbers[i] = root;
		if (parent >= i || parent > copy->count ||
		    !describe_node(family, node->function, &context))
			continue;
		context.parent = numbers[parent];
		numbers[i] = find_context(graph, copy->thread, &context);
		while (sums->count < graph->contexts.count)
			vector_push(sums, ((struct image_context_sums){0}));
		sums->items[numbers[i]].calls += node->calls;
		sums->items[numbers[i]].ticks += node->ticks;
		sums->items[numbers[i]].timed += node->timed;
	}
}

static void drop_copies(struct image_graph *graph)
{
	vector_for_each (&graph->copies, copy)
		free(copy->nodes);
	graph->copies.count = 0;
}

static struct image_graph_copy copy_bank(const struct bank *bank, bool threads)
{
	const struct wire_graph *shared = callgraph_of(bank);
	/* Leaves first: a leaf that exists by now has its parent among the nodes. */
	const uint32_t leaf_count = count_of(&shared->leaves_used, WIRE_GRAPH_LEAF_MAX,
					     sizeof(shared->leaves[0]));
	struct image_graph_copy copy = {
		.thread = threads ? bank->shared->tid : 0,
		.count =
			count_of(&shared->used, WIRE_GRAPH_MAX, sizeof(shared->nodes[0])),
		.leaf_count = leaf_count,
	};

	copy.nodes = memory_allocate((copy.count + leaf_count + 1) * sizeof(*copy.nodes));
	for (uint32_t i = 0; i < copy.count; i++) {
		const struct wire_graph_node *node = &shared->nodes[i + 1];

		copy.nodes[i] = (struct image_graph_node){
			.function = node->function,
			.parent = node->parent,
			.timed = node->timed,
			.calls = node->calls,
			.ticks = node->ticks,
		};
	}
	for (uint32_t i = 0; i < leaf_count; i++) {
		const struct wire_graph_leaf *leaf = &shared->leaves[i];

		copy.nodes[copy.count + i] =
			(struct image_graph_node){.function = leaf->function,
						  .parent = leaf->parent,
						  .calls = leaf->calls};
	}
	return copy;
}

void callgraph_copy(const struct session *session, struct process *process)
{
	struct image_graph *graph = &process->image->graph;

	drop_copies(graph);
	vector_for_each (&process->space->family->arena->banks, item) {
		const struct bank *bank = *item;
		if (bank->owner == process->pid)
			vector_push(&graph->copies,
				    copy_bank(bank, session->options->threads));
	}
}

/* None goes down, but banks are read while threads write. */
static uint64_t subtract_floor(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

/* The increase of a context since the last look. */
static struct image_context_sums take_more(struct image_context *context,
					   const struct image_context_sums *now)
{
	const struct image_context_sums *then = &context->mark;
	struct image_context_sums sums = {subtract_floor(now->calls, then->calls),
					  subtract_floor(now->timed, then->timed),
					  subtract_floor(now->ticks, then->ticks)};

	context->mark = *now;
	context->all.calls += sums.calls;
	context->all.timed += sums.timed;
	context->all.ticks += sums.ticks;
	return sums;
}

static void note_more(struct image_graph *graph, uint32_t interval, uint32_t number,
		      const struct image_context_sums *sums)
{
	const struct image_context *context = &graph->contexts.items[number];

	if (sums->calls || sums->ticks)
		vector_push(&graph->counts,
			    ((struct image_context_count){interval, number, *sums}));
	if (context->kind == IMAGE_CONTEXT_FUNCTION)
		graph->calls.items[context->calls].count += sums->calls;
}

/* Adds sums of functions to their calls from unknown call sites, unless calls are counted
 * by call site, too. */
static void take_calls(struct image_run *image, uint32_t interval, bool counts)
{
	vector_for_each (&image->graph.calls, calls) {
		calls->interval = interval;
		if (calls->count && counts)
			vector_push(&image->arcs, *calls);
		calls->count = 0;
	}
}

void callgraph_take(const struct session *session, struct process *process, bool counts,
		    uint32_t interval)
{
	const struct collector *collector = session->options->collector;
	struct image_graph *graph = &process->image->graph;
	struct sums now = {0};

	vector_for_each (&graph->copies, copy)
		add_copy(process->space->family, graph, copy, &now);
	drop_copies(graph);
	for (uint32_t i = 0; i < now.count; i++) {
		struct image_context_sums sums =
			take_more(&graph->contexts.items[i], &now.items[i]);

		if (counts)
			note_more(graph, interval, i, &sums);
	}
	vector_deinit(&now);
	take_calls(process->image, interval, !collector->calls);
}

void callgraph_forget(struct image_run *image, uint32_t thread)
{
	struct image_graph *graph = &image->graph;
	scoped_free bool *inside =
		memory_allocate_zeroed(graph->contexts.count + 1, sizeof(*inside));

	/* Parents come first. */
	for (uint32_t i = 0; i < graph->contexts.count; i++) {
		struct image_context *context = &graph->contexts.items[i];

		inside[i] = !thread || inside[context->parent] ||
			    (context->kind == IMAGE_CONTEXT_THREAD &&
			     context->function == thread);
		if (inside[i])
			context->mark = (struct image_context_sums){0};
	}
}

COMPARE_BY_TWO(by_context, struct image_context_count, interval, context);

void callgraph_merge(struct image_run *image)
{
	struct image_graph *graph = &image->graph;
	struct image_context_count *counts = graph->counts.items;
	size_t kept = 0;

	if (!graph->counts.count)
		return;
	qsort(counts, graph->counts.count, sizeof(*counts), by_context);
	for (size_t i = 1; i < graph->counts.count; i++) {
		if (by_context(&counts[kept], &counts[i])) {
			counts[++kept] = counts[i];
			continue;
		}
		counts[kept].sums.calls += counts[i].sums.calls;
		counts[kept].sums.timed += counts[i].sums.timed;
		counts[kept].sums.ticks += counts[i].sums.ticks;
	}
	graph->counts.count = kept + 1;
}

/* Frames of a thread's stack, the innermost first. */
struct frames {
	const struct space *space;
	struct thread_calls *calls;
	uint64_t last; /* where the last one's return address lies */
	bool crossed;  /* to another stack, of which nothing is noted */
};

/* A function whose returns are seen. */
static void note_frame(void *context, uint64_t place, uint64_t pc)
{
	struct frames *frames = context;
	const struct module *module = space_module_of_text(frames->space, pc);
	const struct plan *plan = module ? module->file->plan : NULL;
	const struct plan_function *function =
		plan ? plan_function_at(plan, pc - module->bias) : NULL;
	uint32_t index;

	frames->crossed |= place <= frames->last;
	frames->last = place;
	if (frames->crossed || !function || !function->map_row_count ||
	    function->reason != PLAN_INSTRUMENTED ||
	    pc - module->bias - function->address >= function->size ||
	    frames->calls->count >= WIRE_GRAPH_DEPTH / sizeof(struct wire_graph_frame))
		return;
	index = function->part_of;
	vector_push(frames->calls,
		    ((struct thread_call){place, callgraph_name_of(module, index)}));
}

void callgraph_begin_within(const struct session *session, struct thread *thread,
			    const struct user_regs_struct *registers)
{
	struct thread_calls *calls = &thread->calls;
	struct frames frames = {.space = thread->process->space, .calls = calls};

	calls->count = 0;
	return_addresses_visit(thread, registers, note_frame, &frames);
	for (size_t i = 0; i < calls->count / 2; i++) {
		struct thread_call outer = calls->items[calls->count - 1 - i];

		calls->items[calls->count - 1 - i] = calls->items[i];
		calls->items[i] = outer;
	}
	callgraph_begin(session, NULL, thread->bank, calls);
}
