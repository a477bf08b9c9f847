#include "report/callgraph.h"

#include "report/arcs.h"
#include "report/json/parts.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"

#include <inttypes.h>

/* The heaviest edges, at most `limit`; the caller frees. */
static struct report_arc *heaviest_arcs(const struct report_profile *profile,
					size_t limit, size_t *ret_count, size_t *ret_all)
{
	static const struct report_arc_filter all = {NULL, NULL};
	struct report_arc *edges =
		report_profile_arcs(profile, &all, REPORT_SORT_CALLS, false, ret_all);

	*ret_count = *ret_all < limit ? *ret_all : limit;
	return edges;
}

/* Callers that are no known function are a node for each module, and one for the rest. */
static void add_caller(struct text *out, const struct report_arc *edge)
{
	if (edge->caller != REPORT_UNKNOWN)
		text_format(out, "f%" PRIu32, edge->caller);
	else if (edge->caller_module != REPORT_UNKNOWN)
		text_format(out, "m%" PRIu32, edge->caller_module);
	else
		text_add(out, "unknown");
}

static void add_function(struct text *out, const struct report_profile *profile,
			 const struct report_function *function)
{
	text_format(out, "\tf%zu [label=\"",
		    (size_t)(function - profile->functions.items));
	report_add_quoted(out, function->name);
	text_add(out, "\\n");
	report_add_quoted(out, profile->modules.items[function->module].name);
	if (function->calls) {
		text_add(out, "\\n");
		report_add_count(out, function->calls, "call", "calls");
	}
	if (function->timed) {
		text_add(out, "\\n");
		report_add_duration(out, function->inclusive_ns);
		text_add(out, ", itself ");
		report_add_duration(out, function->ns);
	}
	text_add(out, "\"];\n");
}

/* Nodes of edges, each once. */
static void add_nodes(struct text *out, const struct report_profile *profile,
		      const struct report_arc *edges, size_t count)
{
	size_t functions = profile->functions.count, modules = profile->modules.count;
	bool *named = memory_allocate_zeroed(functions + modules, sizeof(*named));

	for (size_t i = 0; i < count; i++) {
		named[edges[i].function] = true;
		if (edges[i].caller != REPORT_UNKNOWN)
			named[edges[i].caller] = true;
		else if (edges[i].caller_module != REPORT_UNKNOWN)
			named[functions + edges[i].caller_module] = true;
	}
	for (size_t i = 0; i < functions; i++)
		if (named[i])
			add_function(out, profile, &profile->functions.items[i]);
	for (size_t i = 0; i < modules; i++) {
		if (!named[functions + i])
			continue;
		text_format(out, "\tm%zu [style=dashed, label=\"", i);
		report_add_quoted(out, profile->modules.items[i].name);
		text_add(out, "\"];\n");
	}
	free(named);
}

void callgraph_dot(const struct report_profile *profile, size_t limit, struct text *out)
{
	size_t count, all;
	struct report_arc *edges = heaviest_arcs(profile, limit, &count, &all);

	text_add(out, "digraph \"calls\" {\n");
	if (count < all)
		text_format(out, "\t// the heaviest %zu of %zu edges\n", count, all);
	text_add(out, "\tnode [shape=box, fontname=monospace];\n");
	add_nodes(out, profile, edges, count);
	for (size_t i = 0; i < count; i++) {
		text_add(out, "\t");
		add_caller(out, &edges[i]);
		text_format(out, " -> f%" PRIu32 " [label=\"", edges[i].function);
		text_add_grouped(out, edges[i].count);
		text_add(out, "\"];\n");
	}
	text_add(out, "}\n");
	free(edges);
}

void callgraph_json(const struct report_profile *profile, size_t limit, struct text *out)
{
	size_t count, all;
	struct report_arc *edges = heaviest_arcs(profile, limit, &count, &all);

	text_format(out, "{\"edges.all\": %zu", all);
	json_begin_list(out, "edges");
	for (size_t i = 0; i < count; i++) {
		json_begin_item(out);
		json_add_arc(out, profile, &edges[i]);
		text_add(out, "}");
	}
	text_add(out, "]}\n");
	free(edges);
}
