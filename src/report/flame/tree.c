#include "report/flame/tree.h"

#include "base/array.h"
#include "report/flame/columns.h"
#include "report/runs.h"
#include "report/samples.h"

#include <string.h>

const char *const flame_by_names[] = {"calls", "phase", "source", "module", NULL};

/* A tree of the profile, with the number that its nodes have of their own. */
struct origin {
	const struct report_tree *tree;
	const char *count, *self; /* names of both numbers */
	bool clock;               /* the second one is nanoseconds */
};

/* A tree while it is made. */
struct tree_maker {
	struct flame_tree *tree;
	const struct report_profile *profile;
	struct table children; /* nodes by hashes of their parents and names */
};

static struct flame_node *add_node(struct tree_maker *maker, uint32_t parent,
				   const char *name)
{
	struct flame_tree *tree = maker->tree;
	struct flame_node *node = vector_add(&tree->nodes);

	node->name = name;
	node->module = node->function = node->first = node->next = REPORT_NONE;
	node->parent = parent;
	node->depth = parent == REPORT_NONE ? 0 : tree->nodes.items[parent].depth + 1;
	return node;
}

/* Returns the node of a name in another one; it is made if it is new. The name must
 * live as long as the tree. */
static uint32_t node_in(struct tree_maker *maker, uint32_t parent, const char *name)
{
	const uint64_t key[] = {parent, hash_bytes(name, strlen(name))};
	bool is_new;
	uint64_t *index =
		table_insert(&maker->children, hash_bytes(key, sizeof(key)), &is_new);

	if (is_new) {
		*index = maker->tree->nodes.count;
		add_node(maker, parent, name);
	}
	return (uint32_t)*index;
}

static const char *keep_name(struct tree_maker *maker, const char *text, size_t length)
{
	struct text name = {0};
	uint32_t number;

	text_add(&name, "");
	text_add_bytes(&name, text, length);
	number = string_table_intern(&maker->tree->names, name.data);
	text_deinit(&name);
	return maker->tree->names.strings[number];
}

static void add_root(struct tree_maker *maker)
{
	const char *command =
		report_run_text(&maker->profile->runs.items[0], "run.command");

	add_node(maker, REPORT_NONE,
		 *command ? keep_name(maker, command, strlen(command)) : "all");
}

static bool origin_is_timed(const struct origin *origin)
{
	vector_for_each (&origin->tree->nodes, node)
		if (node->ns)
			return true;
	return false;
}

static struct trm_error *unknown_value(const char *value)
{
	return trm_error_create(TRM_ERROR_USAGE,
				"no '%s' in this tree: without --value "
				"it shows what there is",
				value);
}

/* The module of a frame in which nothing was counted; paths are strings of the profile.
 */
static uint32_t find_module(const struct report_profile *profile, const char *path)
{
	for (size_t i = 0; path && i < profile->modules.count; i++)
		if (profile->modules.items[i].path == path)
			return (uint32_t)i;
	return REPORT_NONE;
}

/* Copies a tree of the profile: its nodes have the order that is wanted. */
static struct trm_error *copy_origin(struct tree_maker *maker,
				     const struct origin *origin, const char *value)
{
	struct flame_tree *tree = maker->tree;
	const bool timed = origin_is_timed(origin);
	const bool self = value ? !strcmp(value, origin->self) : timed;

	if (value && !self && strcmp(value, origin->count) != 0)
		return unknown_value(value);
	tree->value = self ? origin->self : origin->count;
	tree->unit = self && origin->clock ? "ns" : "";
	vector_for_each (&origin->tree->nodes, from) {
		struct flame_node *node = add_node(
			maker, from->parent == REPORT_NONE ? 0 : from->parent + 1,
			from->label);

		node->self = self ? from->ns : from->count;
		node->function = from->function;
		if (from->function == REPORT_NONE) {
			node->module = find_module(maker->profile, from->module);
			continue;
		}
		node->module = maker->profile->functions.items[from->function].module;
		if (!node->name || !*node->name)
			node->name = maker->profile->functions.items[from->function].name;
	}
	vector_for_each (&tree->nodes, node)
		node->name = node->name ? node->name : "?";
	return NULL;
}

/* The folder or file that a path names, in the tree. */
static uint32_t node_of_path(struct tree_maker *maker, const char *path)
{
	uint32_t node = 0;

	if (!path)
		return node_in(maker, 0, "(source not known)");
	while (*path) {
		const size_t slashes = strspn(path, "/");
		const size_t length = strcspn(path + slashes, "/");

		if (length)
			node = node_in(maker, node,
				       keep_name(maker, path, slashes + length));
		path += slashes + length;
		/* Only the outermost has a slash in front. */
		path += *path ? 1 : 0;
	}
	return node;
}

static uint32_t node_of_module(struct tree_maker *maker, uint32_t outer, uint32_t module)
{
	const struct report_module *of = &maker->profile->modules.items[module];
	const uint32_t node = node_in(maker, outer, of->ambiguous ? of->path : of->name);

	maker->tree->nodes.items[node].module = module;
	return node;
}

static struct trm_error *add_functions(struct tree_maker *maker, const char *value,
				       const char *const *files, bool by_source)
{
	const struct report_profile *profile = maker->profile;
	const struct flame_column *column =
		value ? flame_column_find(value) : flame_column_main(profile);

	if (!column || !flame_column_is_used(profile, column))
		return value ? unknown_value(value)
			     : trm_error_create(TRM_ERROR_USAGE,
						"nothing was counted: there is nothing "
						"to draw");
	maker->tree->value = column->name;
	maker->tree->unit = column->unit;
	vector_for_each (&profile->functions, function) {
		const size_t index = (size_t)(function - profile->functions.items);
		uint32_t outer;

		if (!column->get(function))
			continue;
		outer = by_source ? node_of_path(maker, files ? files[index] : NULL) : 0;
		if (!by_source || !files || !files[index])
			outer = node_of_module(maker, outer, function->module);
		struct flame_node *node = add_node(maker, outer, function->name);

		node->self = column->get(function);
		node->function = (uint32_t)index;
		node->module = function->module;
	}
	return NULL;
}

/* Folders with nothing but one folder in them become one node with it. */
static void fold_folders(struct tree_maker *maker)
{
	struct flame_node *nodes = maker->tree->nodes.items;

	for (size_t i = maker->tree->nodes.count; i-- > 1;) {
		struct flame_node *node = &nodes[i], *inner;
		struct text name = {0};

		if (node->function != REPORT_NONE || node->first == REPORT_NONE)
			continue;
		inner = &nodes[node->first];
		if (inner->next != REPORT_NONE || inner->function != REPORT_NONE)
			continue;
		text_format(&name, "%s/%s", node->name, inner->name);
		node->name = keep_name(maker, name.data, name.length);
		node->first = inner->first;
		for (uint32_t at = inner->first; at != REPORT_NONE; at = nodes[at].next)
			nodes[at].parent = (uint32_t)i;
		inner->total = 0;
		text_deinit(&name);
	}
}

static int compare_nodes(const void *left, const void *right, void *context)
{
	const struct flame_node *nodes = context, *a = &nodes[*(const uint32_t *)left],
				*b = &nodes[*(const uint32_t *)right];

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return strcmp(a->name, b->name) ?: compare_numbers(a, b);
}

/* Adds nodes up, and leads from each to those in it, the largest first. */
static void link_nodes(struct flame_tree *tree)
{
	struct flame_node *nodes = tree->nodes.items;
	const size_t count = tree->nodes.count;
	uint32_t *order = memory_allocate(count * sizeof(*order));

	for (size_t i = count; i--;) {
		nodes[i].total += nodes[i].self;
		if (i)
			nodes[nodes[i].parent].total += nodes[i].total;
	}
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order + 1, count - 1, sizeof(*order), compare_nodes, nodes);
	for (size_t i = count; i-- > 1;) {
		struct flame_node *node = &nodes[order[i]], *outer = &nodes[node->parent];

		if (!node->total)
			continue;
		node->next = outer->first;
		outer->first = order[i];
	}
	free(order);
}

/* Depths are known when folders are folded. */
static void measure_depths(struct flame_tree *tree)
{
	for (size_t i = 1; i < tree->nodes.count; i++) {
		struct flame_node *node = &tree->nodes.items[i];

		node->depth = tree->nodes.items[node->parent].depth + 1;
	}
}

static int by_self(const void *left, const void *right)
{
	const struct flame_part *a = left, *b = right;

	return compare_numbers(b->self, a->self) ?: compare_numbers(a->module, b->module);
}

static void rank_modules(struct flame_tree *tree, const struct report_profile *profile)
{
	const size_t count = profile->modules.count;

	for (size_t i = 0; i <= count; i++)
		vector_push(
			&tree->parts,
			((struct flame_part){i < count ? (uint32_t)i : REPORT_NONE, 0}));
	vector_for_each (&tree->nodes, node)
		tree->parts.items[node->module == REPORT_NONE ? count : node->module]
			.self += node->self;
	qsort(tree->parts.items, count + 1, sizeof(*tree->parts.items), by_self);
	tree->ranks = memory_allocate((count + 1) * sizeof(*tree->ranks));
	for (size_t i = 0, rank = 0; i <= count; i++)
		if (tree->parts.items[i].module != REPORT_NONE)
			tree->ranks[tree->parts.items[i].module] = (uint32_t)rank++;
}

static struct trm_error *no_calls(void)
{
	return trm_error_create(
		TRM_ERROR_USAGE,
		"no calls in their contexts: measure with trammel run -m callgraph, or "
		"-m samples:callpath; --by module shows what there is");
}

static struct trm_error *no_phases(void)
{
	return trm_error_create(
		TRM_ERROR_USAGE,
		"no regions: the program must have some, measured with trammel run "
		"-m regions; --by module shows what there is");
}

static struct trm_error *fill_tree(struct tree_maker *maker, enum flame_by by,
				   const char *value, const char *const *files)
{
	const struct report_profile *profile = maker->profile;
	const struct report_event *event =
		profile->events.count ? profile->events.items : NULL;
	const bool clock = event && event->is_clock;
	const struct origin samples = {&profile->stacks, "samples",
				       clock                   ? "time"
				       : event && *event->name ? event->name
							       : "events",
				       clock};
	const struct origin graph = {&profile->graph, "calls", "time", true};
	const struct origin regions = {&profile->regions, "times entered", "time", true};

	if (by == FLAME_BY_PHASE)
		return regions.tree->nodes.count ? copy_origin(maker, &regions, value)
						 : no_phases();
	if (by != FLAME_BY_CALLS)
		return add_functions(maker, value, files, by == FLAME_BY_SOURCE);
	if (graph.tree->nodes.count)
		return copy_origin(maker, &graph, value);
	return samples.tree->nodes.count ? copy_origin(maker, &samples, value)
					 : no_calls();
}

struct trm_error *flame_tree_init(struct flame_tree *tree,
				  const struct report_profile *profile, enum flame_by by,
				  const char *value, const char *const *files)
{
	struct tree_maker maker = {.tree = tree, .profile = profile};
	struct trm_error *error;

	memset(tree, 0, sizeof(*tree));
	add_root(&maker);
	error = fill_tree(&maker, by, value, files);
	table_deinit(&maker.children);
	if (error) {
		flame_tree_deinit(tree);
		return error;
	}
	link_nodes(tree);
	rank_modules(tree, profile);
	if (by == FLAME_BY_SOURCE) {
		fold_folders(&maker);
		measure_depths(tree);
	}
	return NULL;
}

void flame_tree_deinit(struct flame_tree *tree)
{
	vector_deinit(&tree->nodes);
	vector_deinit(&tree->parts);
	free(tree->ranks);
	string_table_deinit(&tree->names);
}

const char *flame_module_name(const struct report_profile *profile,
			      const struct flame_node *node)
{
	const struct report_module *module;

	if (node->module == REPORT_NONE)
		return NULL;
	module = &profile->modules.items[node->module];
	if (node->function == REPORT_NONE &&
	    (node->name == module->name || node->name == module->path))
		return NULL;
	return module->name;
}

enum flame_by flame_tree_usual(const struct report_profile *profile)
{
	if (profile->graph.nodes.count || profile->with_callers)
		return FLAME_BY_CALLS;
	return profile->regions.nodes.count ? FLAME_BY_PHASE : FLAME_BY_MODULE;
}
