#include "page/trees.h"

#include "base/array.h"
#include "report/samples.h"

#include <inttypes.h>

/* A tree of a profile; its nodes have a number of their own, and one that holds of them
 * without those inside. */
struct tree {
	const char *name, *title;
	const struct report_tree *tree;
	const char *count, *self, *unit;
};

static void add_numbers(const struct tree *shown, bool self, struct text *out)
{
	text_format(out, "%s{\"name\":\"%s\",\"unit\":\"%s\",\"values\":[",
		    self ? ",\n" : "", self ? shown->self : shown->count,
		    self ? shown->unit : "");
	for (size_t i = 0; i < shown->tree->nodes.count; i++) {
		const struct report_region *node = &shown->tree->nodes.items[i];

		text_format(out, "%s%" PRIu64, i ? "," : "",
			    self ? node->ns : node->count);
	}
	text_add(out, "]}");
}

static bool is_timed(const struct report_tree *tree)
{
	vector_for_each (&tree->nodes, node)
		if (node->ns)
			return true;
	return false;
}

static void add_tree(const struct tree *shown, bool first, struct text *out)
{
	const struct report_region *nodes = shown->tree->nodes.items;
	const size_t count = shown->tree->nodes.count;

	text_format(out, "%s{\"name\":\"%s\",\"title\":\"%s\",\n\"parent\":[",
		    first ? "" : ",\n", shown->name, shown->title);
	for (size_t i = 0; i < count; i++)
		text_format(out, "%s%" PRId64, i ? "," : "",
			    nodes[i].parent == REPORT_NONE ? -1
							   : (int64_t)nodes[i].parent);
	text_add(out, "],\n\"function\":[");
	for (size_t i = 0; i < count; i++)
		text_format(out, "%s%" PRId64, i ? "," : "",
			    nodes[i].function == REPORT_NONE
				    ? -1
				    : (int64_t)nodes[i].function);
	text_add(out, "],\n\"label\":[");
	for (size_t i = 0; i < count; i++) {
		text_add(out, i ? "," : "");
		text_add_json(out, nodes[i].label ? nodes[i].label : "");
	}
	text_add(out, "],\n\"columns\":[");
	add_numbers(shown, false, out);
	if (is_timed(shown->tree))
		add_numbers(shown, true, out);
	text_add(out, "]}");
}

void page_add_trees(const struct report_profile *profile, struct text *out)
{
	const bool clock = profile->events.count && profile->events.items[0].is_clock;
	const struct tree trees[] = {
		{"samples", "Samples by call path", &profile->stacks, "samples",
		 "events sampled", clock ? "ns" : ""},
		{"calls", "Calls in their contexts", &profile->graph, "calls", "time",
		 "ns"},
		{"regions", "Regions of the program", &profile->regions, "times entered",
		 "time", "ns"},
	};
	bool first = true;

	text_add(out, "\"trees\":[");
	for (size_t i = 0; i < array_count(trees); i++) {
		if (!trees[i].tree->nodes.count)
			continue;
		add_tree(&trees[i], first, out);
		first = false;
	}
	text_add(out, "]");
}
