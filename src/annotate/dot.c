/* Graphs of functions, for Graphviz and for programs. */
#include "annotate/dot.h"

#include "annotate/graph.h"
#include "report/json/parts.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"
#include "report/text/head.h"

#include <inttypes.h>
#include <string.h>

static void add_node_name(struct text *out, uint32_t block, const char *outside)
{
	if (block == ROUTE_OUTSIDE)
		text_add(out, outside);
	else
		text_format(out, "b%" PRIu32, block);
}

/* Blocks are the redder the more of the function's instructions they are. */
static void add_node(const struct graph *graph, uint32_t number, struct text *out)
{
	const struct graph_node *node = &graph->nodes.items[number];
	uint64_t of = graph->function->instructions;
	double share = of ? (double)(node->count * node->instructions) / (double)of : 0;

	text_format(out, "\tb%" PRIu32 " [label=\"0x%" PRIx64 "\\n", number,
		    node->address);
	report_add_count(out, node->instructions, "instruction", "instructions");
	if (!graph->counted) {
		text_add(out, "\"];\n");
		return;
	}
	text_add(out, "\\n");
	report_add_count(out, node->count, "time", "times");
	if (node->count)
		text_format(out, "\", style=filled, fillcolor=\"0.000 %.3f 1.000\"];\n",
			    share);
	else
		text_add(out, "\", style=dashed, color=gray, fontcolor=gray];\n");
}

/* Into a part, by what is no known edge. */
static bool is_entry(const struct route *route)
{
	return route->from == ROUTE_OUTSIDE && !strcmp(route->kind, "enter");
}

static void add_route(const struct route *route, struct text *out)
{
	text_add(out, "\t");
	add_node_name(out, route->from, is_entry(route) ? "enter" : "call");
	text_add(out, " -> ");
	add_node_name(out, route->to, "leave");
	text_add(out, " [");
	if (route->known) {
		text_add(out, "label=\"");
		text_add_grouped(out, route->count);
		text_add(out, route->count ? "\"" : "\", style=dashed, color=gray");
	} else {
		text_add(out, "label=\"?\"");
	}
	text_add(out, "];\n");
}

void graph_dot(const struct graph *graph, struct text *out)
{
	bool leaves = false, enters = false;

	text_add(out, "digraph \"");
	report_add_quoted(out, graph->function->name);
	text_add(out, "\" {\n\tnode [shape=box, fontname=\"monospace\"];\n"
		      "\tcall [shape=plaintext, label=\"");
	report_add_quoted(out, graph->function->name);
	text_add(out, "\\n");
	report_add_count(out, graph->function->calls, "call", "calls");
	text_add(out, "\"];\n");
	for (uint32_t i = 0; i < graph->nodes.count; i++)
		add_node(graph, i, out);
	vector_for_each (&graph->routes, route) {
		leaves |= route->to == ROUTE_OUTSIDE;
		enters |= is_entry(route);
	}
	if (leaves)
		text_add(out, "\tleave [shape=plaintext];\n");
	if (enters)
		text_add(out, "\tenter [shape=plaintext];\n");
	vector_for_each (&graph->routes, route)
		add_route(route, out);
	text_add(out, "}\n");
}

static void add_end(struct text *out, const char *key, uint32_t block)
{
	json_add_key(out, key);
	if (block == ROUTE_OUTSIDE)
		text_add(out, "null");
	else
		text_format(out, "%" PRIu32, block);
}

void graph_json(const struct graph *graph, struct text *out)
{
	const struct report_function *function = graph->function;

	text_add(out, "{");
	json_add_string(out, "module", graph->module->name);
	json_add_place(out, graph->module->path, function);
	json_add_number(out, "calls", function->calls);
	json_begin_list(out, "blocks");
	for (uint32_t i = 0; i < graph->nodes.count; i++) {
		const struct graph_node *node = &graph->nodes.items[i];

		json_begin_item(out);
		json_add_number(out, "number", i);
		json_add_address(out, "block", node->address);
		json_add_number(out, "block.size", node->size);
		json_add_number(out, "block.instructions", node->instructions);
		if (graph->counted)
			json_add_number(out, "count", node->count);
		text_add(out, "}");
	}
	text_add(out, "]");
	json_begin_list(out, "edges");
	vector_for_each (&graph->routes, route) {
		json_begin_item(out);
		add_end(out, "from", route->from);
		add_end(out, "to", route->to);
		json_add_string(out, "kind", route->kind);
		if (route->known)
			json_add_number(out, "count", route->count);
		text_add(out, "}");
	}
	text_add(out, "]}\n");
}
