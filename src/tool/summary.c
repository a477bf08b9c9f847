#include "tool/summary.h"

#include "tool/function_code.h"

#include <inttypes.h>
#include <string.h>

struct summary {
	const struct labels *labels;
	const struct label_function *function;
	const struct trammel_function *seen;
	struct text *out;
	const char *between; /* items of JSON */
};

/* How a format shows its parts. A part may be NULL. */
struct format {
	void (*begin)(struct summary *summary);
	void (*moment)(struct summary *summary, const struct label *label);
	void (*moments_end)(struct summary *summary);
	void (*module)(struct summary *summary, const struct label_module *module);
	void (*function)(struct summary *summary);
	void (*block)(struct summary *summary, const struct trammel_block *block);
	void (*function_end)(struct summary *summary);
	void (*module_end)(struct summary *summary);
	void (*end)(struct summary *summary);
};

/* The block that a label is about; NULL: the function. */
static const struct trammel_block *block_of(const struct summary *summary,
					    const struct label *label)
{
	const struct trammel_code *code = tool_code_of(summary->seen);
	const struct trammel_instruction *row;

	if (!code || label->where > LABEL_EDGE)
		return NULL;
	row = tool_code_at(code, label->address);
	return row ? row->block : NULL;
}

static const char *kind_name(const struct summary *summary, const struct label *label)
{
	return summary->labels->kinds.items[label->kind].name;
}

static const char *edge_names[] = {
	[TRAMMEL_EDGE_FALL] = "falls",
	[TRAMMEL_EDGE_TAKEN] = "taken",
	[TRAMMEL_EDGE_SWITCH] = "switch",
	[TRAMMEL_EDGE_LEAVE] = "leaves",
};

static void add_place(struct text *out, const struct trammel_module *module,
		      uint64_t address)
{
	struct trammel_place place;

	if (tool_module_place(module, address, &place))
		text_format(out, "  %s:%" PRIu32, place.file, place.line);
}

/* Text. */

static void text_label(struct summary *summary, const struct label *label)
{
	struct text *out = summary->out;

	text_format(out, "    %-8s %" PRIu64, kind_name(summary, label), label->id);
	if (label->where <= LABEL_EDGE)
		text_format(out, "  %s 0x%" PRIx64, label_places[label->where],
			    label->address);
	if (label->where == LABEL_EDGE)
		text_format(out, " to 0x%" PRIx64, label->to);
	if (label->has_operand)
		text_format(out, " operand %u", label->operand);
	for (size_t i = 0; i < label->targets.count; i++)
		text_format(out, "%s %zu: 0x%" PRIx64, i ? "," : " ", i,
			    label->targets.items[i]);
	vector_for_each (&label->arguments, argument) {
		text_add(out, " ");
		if (argument->text)
			text_add_json(out, argument->text);
		else
			text_format(out, "%" PRId64, argument->number);
	}
	text_add(out, "\n");
}

static void text_moment(struct summary *summary, const struct label *label)
{
	text_format(summary->out, "%s %" PRIu64 " at %s\n", kind_name(summary, label),
		    label->id, label_places[label->where]);
}

static void text_module(struct summary *summary, const struct label_module *module)
{
	text_format(summary->out, "module %s %s\n", module->path, module->build_id);
}

static void text_labels(struct summary *summary, const struct trammel_block *block)
{
	vector_for_each (&summary->function->items, label)
		if (block_of(summary, label) == block)
			text_label(summary, label);
}

static void text_function(struct summary *summary)
{
	text_format(summary->out, "\nfunction %s 0x%" PRIx64, summary->seen->name,
		    summary->seen->address);
	if (summary->seen->part_of)
		text_format(summary->out, " part of %s", summary->seen->part_of->name);
	add_place(summary->out, summary->seen->module, summary->seen->address);
	text_add(summary->out, "\n");
	text_labels(summary, NULL);
}

static void text_block(struct summary *summary, const struct trammel_block *block)
{
	struct text *out = summary->out;

	text_format(out, "  block 0x%" PRIx64 ", %u instruction%s, %u byte%s",
		    block->address, block->instruction_count,
		    block->instruction_count == 1 ? "" : "s", block->size,
		    block->size == 1 ? "" : "s");
	add_place(out, summary->seen->module, block->address);
	text_add(out, "\n");
	text_labels(summary, block);
	for (uint32_t i = 0; i < block->edge_count; i++) {
		const struct trammel_edge *edge = &block->edges[i];

		text_format(out, "    -> ");
		if (edge->to)
			text_format(out, "0x%" PRIx64, edge->to->address);
		else
			text_add(out, "out");
		text_format(out, " %s\n", edge_names[edge->kind]);
	}
}

/* JSON. */

static void json_begin(struct summary *summary)
{
	text_add(summary->out, "{\"labels\": [");
	summary->between = "\n";
}

static void json_item(struct summary *summary)
{
	text_add(summary->out, summary->between);
	summary->between = ",\n";
}

static void json_arguments(const struct label *label, struct text *out)
{
	const char *between = "";

	text_add(out, ", \"arguments\": [");
	vector_for_each (&label->arguments, argument) {
		text_add(out, between);
		if (argument->text)
			text_add_json(out, argument->text);
		else
			text_format(out, "%" PRId64, argument->number);
		between = ", ";
	}
	text_add(out, "]");
}

static void json_label(struct summary *summary, const struct label *label)
{
	struct text *out = summary->out;

	json_item(summary);
	text_format(out, "{\"kind\": \"%s\", \"id\": %" PRIu64 ", \"where\": \"%s\"",
		    kind_name(summary, label), label->id, label_places[label->where]);
	if (label->where <= LABEL_EDGE)
		text_format(out, ", \"address\": %" PRIu64, label->address);
	if (label->where == LABEL_EDGE)
		text_format(out, ", \"to\": %" PRIu64, label->to);
	if (label->has_operand)
		text_format(out, ", \"operand\": %u", label->operand);
	if (label->targets.count)
		text_add(out, ", \"targets\": [");
	for (size_t i = 0; i < label->targets.count; i++)
		text_format(out, "%s%" PRIu64, i ? ", " : "", label->targets.items[i]);
	text_add(out, label->targets.count ? "]" : "");
	if (label->arguments.count)
		json_arguments(label, out);
	text_add(out, "}");
}

static void json_moments_end(struct summary *summary)
{
	text_add(summary->out, "],\n\"modules\": [");
	summary->between = "\n";
}

static void json_module(struct summary *summary, const struct label_module *module)
{
	json_item(summary);
	text_add(summary->out, "{\"module.path\": ");
	text_add_json(summary->out, module->path);
	text_add(summary->out, ", \"module.build_id\": ");
	text_add_json(summary->out, module->build_id);
	text_add(summary->out, ", \"functions\": [");
	summary->between = "\n";
}

static void json_list_end(struct summary *summary)
{
	text_add(summary->out, "]}");
	summary->between = ",\n";
}

static void json_end(struct summary *summary)
{
	text_add(summary->out, "]}\n");
}

static void json_labels(struct summary *summary, const struct trammel_block *block)
{
	text_add(summary->out, ", \"labels\": [");
	summary->between = "";
	vector_for_each (&summary->function->items, label)
		if (block_of(summary, label) == block)
			json_label(summary, label);
	text_add(summary->out, "]");
	summary->between = ",\n";
}

static void json_function(struct summary *summary)
{
	json_item(summary);
	text_add(summary->out, "{\"function\": ");
	text_add_json(summary->out, summary->seen->name);
	text_format(summary->out, ", \"offset\": %" PRIu64 ", \"size\": %" PRIu64,
		    summary->seen->address, summary->seen->size);
	if (summary->seen->part_of)
		text_format(summary->out, ", \"part.of\": %" PRIu64,
			    summary->seen->part_of->address);
	json_labels(summary, NULL);
	text_add(summary->out, ", \"blocks\": [");
	summary->between = "\n";
}

static void json_block(struct summary *summary, const struct trammel_block *block)
{
	struct text *out = summary->out;
	struct trammel_place place;

	json_item(summary);
	text_format(out, "{\"address\": %" PRIu64 ", \"size\": %u, \"instructions\": %u",
		    block->address, block->size, block->instruction_count);
	if (tool_module_place(summary->seen->module, block->address, &place)) {
		text_add(out, ", \"file\": ");
		text_add_json(out, place.file);
		text_format(out, ", \"line\": %u", place.line);
	}
	json_labels(summary, block);
	text_add(out, ", \"edges\": [");
	for (uint32_t i = 0; i < block->edge_count; i++) {
		const struct trammel_edge *edge = &block->edges[i];

		text_format(out, "%s{\"kind\": \"%s\", \"to\": ", i ? ", " : "",
			    edge_names[edge->kind]);
		if (edge->to)
			text_format(out, "%" PRIu64 "}", edge->to->address);
		else
			text_add(out, "null}");
	}
	text_add(out, "]}");
}

/* DOT. */

static void dot_begin(struct summary *summary)
{
	text_add(summary->out, "digraph labels {\n\tnode [shape=box];\n");
}

static void dot_quoted(struct text *out, const char *string)
{
	for (; *string; string++) {
		if (*string == '"' || *string == '\\')
			text_add(out, "\\");
		text_add_bytes(out, string, 1);
	}
}

static void dot_function(struct summary *summary)
{
	struct text *out = summary->out;

	text_format(out, "\tsubgraph \"cluster_%s_%" PRIx64 "\" {\n\t\tlabel=\"",
		    summary->seen->module->name, summary->seen->address);
	dot_quoted(out, summary->seen->name);
	vector_for_each (&summary->function->items, label)
		if (!block_of(summary, label))
			text_format(out, "\\n%s %" PRIu64, kind_name(summary, label),
				    label->id);
	text_add(out, "\";\n");
}

static void dot_name(struct summary *summary, uint64_t address)
{
	text_format(summary->out, "\"%s_%" PRIx64 "\"", summary->seen->module->name,
		    address);
}

static void dot_block(struct summary *summary, const struct trammel_block *block)
{
	struct text *out = summary->out;

	text_add(out, "\t\t");
	dot_name(summary, block->address);
	text_format(out, " [label=\"0x%" PRIx64, block->address);
	vector_for_each (&summary->function->items, label)
		if (block_of(summary, label) == block)
			text_format(out, "\\n%s %" PRIu64, kind_name(summary, label),
				    label->id);
	text_add(out, "\"];\n");
	for (uint32_t i = 0; i < block->edge_count; i++) {
		if (!block->edges[i].to)
			continue;
		text_add(out, "\t\t");
		dot_name(summary, block->address);
		text_add(out, " -> ");
		dot_name(summary, block->edges[i].to->address);
		text_format(out, " [label=\"%s\"];\n", edge_names[block->edges[i].kind]);
	}
}

static void dot_function_end(struct summary *summary)
{
	text_add(summary->out, "\t}\n");
}

static void dot_end(struct summary *summary)
{
	text_add(summary->out, "}\n");
}

static const struct format formats[] = {
	[SUMMARY_TEXT] = {.moment = text_moment,
			  .module = text_module,
			  .function = text_function,
			  .block = text_block},
	[SUMMARY_JSON] = {.begin = json_begin,
			  .moment = json_label,
			  .moments_end = json_moments_end,
			  .module = json_module,
			  .function = json_function,
			  .block = json_block,
			  .function_end = json_list_end,
			  .module_end = json_list_end,
			  .end = json_end},
	[SUMMARY_DOT] = {.begin = dot_begin,
			 .function = dot_function,
			 .block = dot_block,
			 .function_end = dot_function_end,
			 .end = dot_end},
};

static void call_part(void (*part)(struct summary *summary), struct summary *summary)
{
	if (part)
		part(summary);
}

static void write_function(struct summary *summary, const struct format *format)
{
	const struct trammel_code *code = tool_code_of(summary->seen);

	call_part(format->function, summary);
	for (uint32_t i = 0; code && i < code->block_count; i++)
		format->block(summary, &code->blocks[i]);
	call_part(format->function_end, summary);
}

static void write_functions(struct summary *summary, const struct format *format,
			    const struct label_module *labelled,
			    struct tool_module *module, const char *only)
{
	vector_for_each (&labelled->functions, function) {
		const struct trammel_function *seen =
			tool_module_at(&module->seen, function->address);

		if (!seen || (only && !text_glob(only, function->name)))
			continue;
		summary->function = function;
		summary->seen = seen;
		write_function(summary, format);
		tool_code_release(module);
	}
}

static struct trm_error *write_module(struct summary *summary,
				      const struct format *format,
				      const struct label_module *labelled,
				      const char *only)
{
	struct tool_module *module;

	TRM_TRY(tool_module_open(labelled->path, &module));
	if (strcmp(module->build_id, labelled->build_id) != 0) {
		tool_module_close(module);
		return trm_error_create(TRM_ERROR_FORMAT,
					"'%s' is another build than the one that was "
					"labelled: label it anew",
					labelled->path);
	}
	if (format->module)
		format->module(summary, labelled);
	write_functions(summary, format, labelled, module, only);
	call_part(format->module_end, summary);
	tool_module_close(module);
	return NULL;
}

struct trm_error *summary_write(const struct labels *labels, const char *only,
				enum summary_format format, struct text *out)
{
	const struct format *parts = &formats[format];
	struct summary summary = {.labels = labels, .out = out, .between = ""};

	call_part(parts->begin, &summary);
	vector_for_each (&labels->moments, label)
		if (parts->moment)
			parts->moment(&summary, label);
	call_part(parts->moments_end, &summary);
	vector_for_each (&labels->modules, module)
		TRM_TRY(write_module(&summary, parts, module, only));
	call_part(parts->end, &summary);
	return NULL;
}
