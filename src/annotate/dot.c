/* Graphs of functions, for Graphviz and for programs. */
#include "annotate/routes.h"

#include "report/json/parts.h"
#include "report/text/grid.h"
#include "report/text/parts.h"

#include <inttypes.h>

static void add_node_name(struct text *out, uint32_t block, const char *outside)
{
	if (block == ROUTE_OUTSIDE)
		text_add(out, outside);
	else
		text_format(out, "b%" PRIu32, block);
}

/* Blocks are the redder the more of the function's instructions they are. */
static void add_node(const struct annotation *annotation, uint32_t number,
		     struct text *out)
{
	const struct annotation_block *block = &annotation->blocks.items[number];
	uint32_t instructions = annotation->cfg.blocks.items[number].count;
	uint64_t of = annotation->function->instructions;
	double share = of ? (double)(block->count * instructions) / (double)of : 0;

	text_format(out, "\tb%" PRIu32 " [label=\"0x%" PRIx64 "\\n", number,
		    block->address);
	report_add_count(out, instructions, "instruction", "instructions");
	if (!annotation->counted) {
		text_add(out, "\"];\n");
		return;
	}
	text_add(out, "\\n");
	report_add_count(out, block->count, "time", "times");
	if (block->count)
		text_format(out, "\", style=filled, fillcolor=\"0.000 %.3f 1.000\"];\n",
			    share);
	else
		text_add(out, "\", style=dashed, color=gray, fontcolor=gray];\n");
}

static void add_route(const struct route *route, struct text *out)
{
	text_add(out, "\t");
	add_node_name(out, route->from, "call");
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

void routes_dot(const struct routes *routes, const struct annotation *annotation,
		struct text *out)
{
	bool leaves = false;

	text_add(out, "digraph \"");
	report_add_quoted(out, annotation->function->name);
	text_add(out, "\" {\n\tnode [shape=box, fontname=\"monospace\"];\n"
		      "\tcall [shape=plaintext, label=\"");
	report_add_quoted(out, annotation->function->name);
	text_add(out, "\\n");
	report_add_count(out, annotation->function->calls, "call", "calls");
	text_add(out, "\"];\n");
	for (uint32_t i = 0; i < annotation->blocks.count; i++)
		add_node(annotation, i, out);
	vector_for_each (routes, route)
		leaves |= route->to == ROUTE_OUTSIDE;
	if (leaves)
		text_add(out, "\tleave [shape=plaintext];\n");
	vector_for_each (routes, route)
		add_route(route, out);
	text_add(out, "}\n");
}

static void add_address(struct text *out, const char *key, uint64_t address)
{
	json_add_key(out, key);
	text_format(out, "\"0x%" PRIx64 "\"", address);
}

static void add_end(struct text *out, const char *key, uint32_t block)
{
	json_add_key(out, key);
	if (block == ROUTE_OUTSIDE)
		text_add(out, "null");
	else
		text_format(out, "%" PRIu32, block);
}

void routes_json(const struct routes *routes, const struct annotation *annotation,
		 struct text *out)
{
	const struct report_function *function = annotation->function;

	text_add(out, "{");
	json_add_string(out, "module", annotation->module->name);
	json_add_string(out, "module.path", annotation->module->path);
	json_add_string(out, "function", function->name);
	add_address(out, "offset", function->offset);
	json_add_number(out, "calls", function->calls);
	json_begin_list(out, "blocks");
	for (uint32_t i = 0; i < annotation->blocks.count; i++) {
		const struct annotation_block *block = &annotation->blocks.items[i];

		json_begin_item(out);
		json_add_number(out, "number", i);
		add_address(out, "block", block->address);
		json_add_number(out, "block.size", block->size);
		json_add_number(out, "block.instructions",
				annotation->cfg.blocks.items[i].count);
		if (annotation->counted)
			json_add_number(out, "count", block->count);
		text_add(out, "}");
	}
	text_add(out, "]");
	json_begin_list(out, "edges");
	vector_for_each (routes, route) {
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
