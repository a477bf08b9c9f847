/* The regions of a profile, and its calls in their contexts: trees of paths, with what
 * each took. */
#include "report/regions.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/search.h"
#include "base/text.h"
#include "record/model.h"
#include "record/value.h"

#include <stdlib.h>
#include <string.h>

/* "solve" of a region, a loop, a function of MPI or what OpenMP says, "level=3" of
 * anything else but calls. */
static const char *label_of(struct report_profile *profile, const char *attribute,
			    struct record_value value)
{
	const char *kept;
	struct text text = {0};

	if (strcmp(attribute, "region") != 0 && strcmp(attribute, "loop") != 0 &&
	    strcmp(attribute, "mpi.function") != 0 &&
	    strncmp(attribute, "omp.", 4) != 0 && strncmp(attribute, "graph.", 6) != 0)
		text_format(&text, "%s=", attribute);
	record_value_text(&text, value);
	kept = report_keep(profile, text.data ? text.data : "");
	text_deinit(&text);
	return kept;
}

/* Makes the region of a node below another one. Paths that are too deep end in the last
 * one that is not. */
static uint32_t make_region(struct report_profile *profile, struct report_tree *tree,
			    const struct record_model *model, record_node node,
			    uint32_t parent)
{
	struct record_pair pair = record_node_pair(model, node);
	const char *attribute = record_attribute_name(model, pair.attribute);
	struct report_region region = {.parent = parent, .function = REPORT_NONE};

	/* Of a call its module and address are nodes in front of it. */
	if (!strcmp(attribute, "graph.path") || !strcmp(attribute, "graph.offset"))
		return parent;
	if (parent != REPORT_NONE)
		region.depth = tree->nodes.items[parent].depth + 1;
	if (region.depth == REPORT_REGION_DEPTH)
		return parent;
	region.label = label_of(profile, attribute, pair.value);
	region.attribute = report_keep(profile, attribute);
	vector_push(&tree->nodes, region);
	return (uint32_t)(tree->nodes.count - 1);
}

bool report_tree_known(const struct report_tree *tree, record_node node,
		       uint32_t *ret_index)
{
	if (node >= tree->by_node.count || !tree->by_node.items[node])
		return false;
	*ret_index = tree->by_node.items[node] - 2;
	return true;
}

void report_tree_know(struct report_tree *tree, record_node node, uint32_t index)
{
	while (tree->by_node.count <= node)
		vector_push(&tree->by_node, 0);
	tree->by_node.items[node] = index + 2;
}

/* The region of a node, made with those around it if it is new. */
static uint32_t find_region(struct report_profile *profile, struct report_tree *tree,
			    const struct record_model *model, record_node node)
{
	uint32_t known = REPORT_NONE;
	struct VECTOR(record_node) chain = {0};

	for (; node && !report_tree_known(tree, node, &known);
	     node = record_node_parent(model, node))
		vector_push(&chain, node);
	while (chain.count) {
		node = chain.items[--chain.count];
		known = make_region(profile, tree, model, node, known);
		report_tree_know(tree, node, known);
	}
	vector_deinit(&chain);
	return known;
}

struct report_region *report_tree_add(struct report_profile *profile,
				      struct report_tree *tree,
				      const struct record_model *model, record_node node,
				      const struct report_region_count *count)
{
	struct report_region_count row = *count;

	if (!node) /* outside of all of them */
		return NULL;
	row.region = find_region(profile, tree, model, node);
	if (row.region == REPORT_NONE)
		return NULL;
	vector_push(&tree->counts, row);
	return &tree->nodes.items[row.region];
}

static void select_tree(const struct report_profile *profile, struct report_tree *tree)
{
	tree->ns = 0;
	vector_for_each (&tree->nodes, region) {
		region->count = region->ns = region->inclusive_ns = 0;
		region->timed = false;
	}
	vector_for_each (&tree->counts, row) {
		struct report_region *region = &tree->nodes.items[row->region];

		if (!profile->images.items[row->image].selected)
			continue;
		region->count += row->count;
		region->ns += row->ns;
		region->timed |= row->timed;
	}
	/* Where times were told with those of the regions inside, rounding can leave less
	 * than nothing. */
	vector_for_each (&tree->nodes, region)
		if ((int64_t)region->ns < 0)
			region->ns = 0;
	for (size_t i = tree->nodes.count; i > 0; i--) {
		struct report_region *region = &tree->nodes.items[i - 1];

		region->inclusive_ns += region->ns;
		if (region->parent != REPORT_NONE)
			tree->nodes.items[region->parent].inclusive_ns +=
				region->inclusive_ns;
		else
			tree->ns += region->inclusive_ns;
	}
}

/* Whether a call is in no other call of the same function. */
static bool is_outermost(const struct report_tree *tree, const struct report_region *call)
{
	for (uint32_t at = call->parent; at != REPORT_NONE;
	     at = tree->nodes.items[at].parent)
		if (tree->nodes.items[at].function == call->function)
			return false;
	return true;
}

void report_trees_select(struct report_profile *profile)
{
	select_tree(profile, &profile->regions);
	select_tree(profile, &profile->graph);
	select_tree(profile, &profile->stacks);
	vector_for_each (&profile->graph.nodes, call) {
		struct report_function *function;

		if (call->function == REPORT_NONE || !call->timed)
			continue;
		function = &profile->functions.items[call->function];
		function->timed = true;
		function->ns += call->ns;
		if (is_outermost(&profile->graph, call))
			function->inclusive_ns += call->inclusive_ns;
	}
}

void report_graph_finish(struct report_profile *profile)
{
	const struct report_tree *tree = &profile->graph;
	/* Images whose calls are known by call site, too. */
	scoped_free bool *placed =
		memory_allocate_zeroed(profile->images.count + 1, sizeof(*placed));

	vector_for_each (&profile->arcs, arc)
		placed[arc->image] = true;
	vector_for_each (&tree->counts, row) {
		const struct report_region *call = &tree->nodes.items[row->region];
		struct report_arc arc = {.function = call->function,
					 .image = row->image,
					 .caller = REPORT_UNKNOWN,
					 .caller_module = REPORT_UNKNOWN,
					 .kind = report_keep(profile, "context"),
					 .count = row->count};

		if (call->function == REPORT_NONE || !row->count || placed[row->image])
			continue;
		if (call->parent != REPORT_NONE)
			arc.caller = tree->nodes.items[call->parent].function;
		if (arc.caller != REPORT_UNKNOWN)
			arc.caller_module = profile->functions.items[arc.caller].module;
		vector_push(&profile->arcs, arc);
	}
}

/* Children of one parent, the longest first. */
static int by_place(const void *left, const void *right, void *context)
{
	const struct report_tree *tree = context;
	const struct report_region *a = &tree->nodes.items[*(const uint32_t *)left];
	const struct report_region *b = &tree->nodes.items[*(const uint32_t *)right];

	/* REPORT_NONE + 1 is 0: roots come first. */
	return compare_numbers(a->parent + 1, b->parent + 1)
		       ?: compare_numbers(b->inclusive_ns, a->inclusive_ns)
		       ?: compare_numbers(b->count, a->count)
		       ?: strcmp(a->label, b->label);
}

/* Where the children of a region begin, in what is sorted by place. */
static size_t first_child(const struct report_tree *tree, const uint32_t *sorted,
			  uint32_t parent)
{
	return search_first(tree->nodes.count, middle,
			    tree->nodes.items[sorted[middle]].parent + 1 < parent + 1);
}

struct walk {
	const struct report_tree *tree;
	const uint32_t *sorted;
	const struct report_region **rows;
	size_t count;
};

/* A region and what is in it, without recursion: paths can be deep. */
static void add_rows(struct walk *walk)
{
	const struct report_tree *tree = walk->tree;
	size_t count = tree->nodes.count;
	size_t next[REPORT_REGION_DEPTH + 1] = {
		first_child(tree, walk->sorted, REPORT_NONE)};
	uint32_t parent[REPORT_REGION_DEPTH + 1] = {REPORT_NONE};
	int depth = 0;

	while (depth >= 0) {
		size_t at = next[depth]++;

		if (at >= count ||
		    tree->nodes.items[walk->sorted[at]].parent != parent[depth]) {
			depth--;
			continue;
		}
		const struct report_region *region = &tree->nodes.items[walk->sorted[at]];

		if (!region->count && !region->inclusive_ns)
			continue;
		walk->rows[walk->count++] = region;
		depth++;
		parent[depth] = walk->sorted[at];
		next[depth] = first_child(tree, walk->sorted, walk->sorted[at]);
	}
}

const struct report_region **report_tree_rows(const struct report_tree *tree,
					      size_t *ret_count)
{
	size_t count = tree->nodes.count;
	uint32_t *sorted = memory_allocate_zeroed(count, sizeof(*sorted));
	struct walk walk = {tree, sorted,
			    memory_allocate_zeroed(count, sizeof(*walk.rows)), 0};

	for (uint32_t i = 0; i < count; i++)
		sorted[i] = i;
	qsort_r(sorted, count, sizeof(*sorted), by_place, (void *)(uintptr_t)tree);
	add_rows(&walk);
	free(sorted);
	*ret_count = walk.count;
	return walk.rows;
}

static int by_time(const void *left, const void *right)
{
	const struct report_region *a = *(const struct report_region *const *)left;
	const struct report_region *b = *(const struct report_region *const *)right;

	/* Of equal times, outer regions come before those in them. */
	return compare_numbers(b->inclusive_ns, a->inclusive_ns)
		       ?: compare_numbers(a->depth, b->depth);
}

size_t report_tree_heaviest(const struct report_region **rows, size_t count, size_t limit)
{
	const struct report_region **sorted;
	uint64_t least;
	uint32_t deepest;
	size_t kept = 0;

	if (count <= limit)
		return count;
	sorted = memory_allocate(count * sizeof(*sorted));
	memcpy(sorted, rows, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_time);
	least = sorted[limit - 1]->inclusive_ns;
	deepest = sorted[limit - 1]->depth;
	free(sorted);
	for (size_t i = 0; i < count && kept < limit; i++)
		if (rows[i]->inclusive_ns > least ||
		    (rows[i]->inclusive_ns == least && rows[i]->depth <= deepest))
			rows[kept++] = rows[i];
	return kept;
}
