#include "page/trees.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "report/samples.h"

#include <stdlib.h>
#include <string.h>

/* A tree of a profile; its nodes have a number of their own, and one that holds of them
 * without those inside. */
struct tree {
	const char *name, *title;
	const struct report_tree *tree;
	const char *count, *self, *unit;
};

/* Numbers of all nodes of a tree, before they are added. */
typedef uint64_t get_number(const struct report_region *node);

static uint64_t get_parent(const struct report_region *node)
{
	return node->parent == REPORT_NONE ? UINT64_MAX : node->parent;
}

static uint64_t get_function(const struct report_region *node)
{
	return node->function == REPORT_NONE ? UINT64_MAX : node->function;
}

static uint64_t get_count(const struct report_region *node)
{
	return node->count;
}

static uint64_t get_self(const struct report_region *node)
{
	return node->ns;
}

static void add_numbers(const struct report_tree *tree, get_number *get, bool is_signed,
			struct page_out *out)
{
	scoped_free uint64_t *values =
		memory_allocate((tree->nodes.count + 1) * sizeof(*values));

	for (size_t i = 0; i < tree->nodes.count; i++)
		values[i] = get(&tree->nodes.items[i]);
	page_add_numbers(out, values, tree->nodes.count, is_signed, false);
}

static void add_column(const struct tree *shown, bool self, struct page_out *out)
{
	text_format(out->json,
		    "%s{\"name\":\"%s\",\"unit\":\"%s\",\"values\":", self ? ",\n" : "",
		    self ? shown->self : shown->count, self ? shown->unit : "");
	add_numbers(shown->tree, self ? get_self : get_count, false, out);
	text_add(out->json, "}");
}

static bool is_timed(const struct report_tree *tree)
{
	vector_for_each (&tree->nodes, node)
		if (node->ns)
			return true;
	return false;
}

/* A node of a function has the function's name where it has none of its own. */
static void add_labels(const struct report_profile *profile,
		       const struct report_tree *tree, struct page_out *out)
{
	struct text labels = {0};

	vector_for_each (&tree->nodes, node) {
		const char *label = node->label ? node->label : "";
		const char *name =
			node->function == REPORT_NONE
				? NULL
				: profile->functions.items[node->function].name;
		const size_t begin = labels.length + (node != tree->nodes.items);

		if (node != tree->nodes.items)
			text_add(&labels, "\n");
		if (!name || strcmp(label, name) != 0)
			text_add(&labels, label);
		for (size_t i = begin; i < labels.length; i++)
			if (labels.data[i] == '\n')
				labels.data[i] = ' ';
	}
	page_add_lines(out, &labels, tree->nodes.count);
	text_deinit(&labels);
}

static void add_tree(const struct report_profile *profile, const struct tree *shown,
		     bool first, struct page_out *out)
{
	text_format(out->json, "%s{\"name\":\"%s\",\"title\":\"%s\",\n\"parent\":",
		    first ? "" : ",\n", shown->name, shown->title);
	add_numbers(shown->tree, get_parent, true, out);
	text_add(out->json, ",\n\"function\":");
	add_numbers(shown->tree, get_function, true, out);
	text_add(out->json, ",\n\"label\":");
	add_labels(profile, shown->tree, out);
	text_add(out->json, ",\n\"columns\":[");
	add_column(shown, false, out);
	if (is_timed(shown->tree))
		add_column(shown, true, out);
	text_add(out->json, "]}");
}

void page_add_trees(const struct report_profile *profile, struct page_out *out)
{
	const bool clock = profile->events.count && profile->events.items[0].is_clock;
	const struct tree trees[] = {
		{"samples", "Samples by call path", &profile->stacks, "samples",
		 "events sampled", clock ? "ns" : ""},
		{"calls", "Calls in their contexts", &profile->graph, "calls", "time",
		 "ns"},
		{"regions", "Phases (regions of the program)", &profile->regions,
		 "times entered", "time", "ns"},
	};
	bool first = true;

	text_add(out->json, "\"trees\":[");
	for (size_t i = 0; i < array_count(trees); i++) {
		if (!trees[i].tree->nodes.count)
			continue;
		add_tree(profile, &trees[i], first, out);
		first = false;
	}
	text_add(out->json, "]");
}
