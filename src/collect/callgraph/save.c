#include "collect/callgraph/save.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "collect/callgraph/times.h"
#include "record/model.h"
#include "record/value.h"
#include "session/profile/profile_writer.h"

#include <stdlib.h>
#include <x86intrin.h>

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

/* What all contexts take, with all that they call. Children stand behind parents. */
static uint64_t *add_inclusive(const struct image_graph *graph, const struct shape *shape,
			       const struct image_context_sums *sums)
{
	uint64_t *inclusive =
		memory_allocate_zeroed(graph->contexts.count, sizeof(*inclusive));

	for (size_t i = graph->contexts.count; i-- > 1;) {
		inclusive[i] += sums[i].ticks;
		inclusive[shape->parent[i]] += inclusive[i];
	}
	return inclusive;
}

static double ns_per_tick(const struct session *session)
{
	uint64_t ns = clock_now_ns() - session->clock_ns;
	uint64_t ticks = __rdtsc() - session->clock_ticks;

	return session->clock_ticks && ticks ? (double)ns / (double)ticks : 0;
}

static record_node make_node(struct profile_writer *writer, record_node parent,
			     const struct image_context *context)
{
	const struct names *n = &writer->names;
	const struct module_file *file;
	const struct plan_function *function;
	record_node node;

	file = writer->session->files.items[context->file];
	function = &file->plan->functions.items[context->function];
	node = record_node_child(writer->model, parent, n->graph_path,
				 record_string(file->path));
	/* Several functions of a module may have one name. */
	node = record_node_child(writer->model, node, n->graph_offset,
				 record_address(function->address));
	return record_node_child(
		writer->model, node, n->graph_function,
		record_string(profile_writer_function_name(writer, file, function)));
}

static void save_context(struct profile_writer *writer, const struct image_run *image,
			 const struct image_context *context, record_node node,
			 uint64_t calls, const uint64_t ns[2])
{
	const struct names *n = &writer->names;
	const struct module_file *file = writer->session->files.items[context->file];
	struct record_pair pairs[9] = {
		{n->image, record_uint(image->number)},
		{n->graph_calls, record_uint(calls)},
		{n->offset,
		 record_address(file->plan->functions.items[context->function].address)},
	};
	size_t count = 3;

	if (!context->leaf) {
		pairs[count++] =
			(struct record_pair){n->graph_inclusive, record_uint(ns[0])};
		pairs[count++] =
			(struct record_pair){n->graph_exclusive, record_uint(ns[1])};
	}
	profile_writer_write(writer, node, pairs, count);
}

/* The contexts of one interval. */
static void save_graph(struct profile_writer *writer, const struct image_run *image,
		       const struct shape *shape, const struct image_context_sums *sums)
{
	const struct image_graph *graph = &image->graph;
	const double scale = ns_per_tick(writer->session);
	scoped_free uint64_t *inclusive = add_inclusive(graph, shape, sums);
	scoped_free record_node *nodes =
		memory_allocate_zeroed(graph->contexts.count, sizeof(*nodes));
	scoped_free uint32_t *threads =
		memory_allocate_zeroed(graph->contexts.count, sizeof(*threads));

	for (size_t i = 1; i < graph->contexts.count; i++) {
		const struct image_context *context = &graph->contexts.items[i];
		const uint64_t ns[2] = {(uint64_t)((double)inclusive[i] * scale),
					(uint64_t)((double)sums[i].ticks * scale)};

		if (context->kind == IMAGE_CONTEXT_THREAD) {
			threads[i] = context->function;
			continue;
		}
		threads[i] = threads[context->parent];
		writer->thread = threads[i];
		nodes[i] = make_node(writer, nodes[shape->parent[i]], context);
		if (sums[i].calls || inclusive[i])
			save_context(writer, image, context, nodes[i], sums[i].calls, ns);
	}
	writer->thread = 0;
}

void callgraph_save(struct profile_writer *writer, const struct image_run *image)
{
	const struct image_graph *graph = &image->graph;
	const struct image_context_count *count = graph->counts.items;
	const struct image_context_count *end = count + graph->counts.count;
	struct shape shape;

	if (count == end)
		return;
	shape = find_shape(graph);
	while (count < end) {
		scoped_free struct image_context_sums *sums =
			memory_allocate_zeroed(graph->contexts.count, sizeof(*sums));

		writer->interval = count->interval;
		for (; count < end && count->interval == writer->interval; count++)
			sums[count->context] = count->sums;
		callgraph_correct(graph, sums, &writer->graph_cost);
		save_graph(writer, image, &shape, sums);
	}
	free(shape.depth);
	free(shape.parent);
}
