#include "tool/api_label.h"

#include "tool/function_code.h"
#include "tool/switch_index.h"
#include "tool/tool.h"

uint32_t api_add_kind(const char *name, const char *dynamic)
{
	struct tool *tool = tool_current();
	uint32_t number = 0;
	struct trm_error *error =
		tool->labels
			? tool_kinds_add(&tool->labels->kinds, name, dynamic, &number)
			: trm_error_create(TRM_ERROR_USAGE,
					   "kind '%s': kinds belong in label()", name);

	if (error)
		tool_refuse(error);
	return number;
}

/* The labels of a function, in which the last one was added mostly. */
static struct label_function *function_of(struct label_module *module,
					  const struct trammel_function *seen)
{
	struct label_function *function;

	for (size_t i = module->functions.count; i--;)
		if (module->functions.items[i].address == seen->address)
			return &module->functions.items[i];
	function = vector_add(&module->functions);
	function->address = seen->address;
	function->name = memory_copy_string(seen->name);
	return function;
}

static void set_targets(struct label *label, const struct trammel_instruction *row)
{
	for (uint32_t i = 0; i < row->target_count; i++)
		vector_push(&label->targets, row->targets[i]);
}

static const struct trammel_function *set_place(struct label *label,
						struct trammel_point point)
{
	const struct trammel_instruction *row = point.what;
	const struct trammel_edge *edge = point.what;

	switch (point.where) {
	case TRAMMEL_BEFORE:
	case TRAMMEL_AFTER:
		label->where = point.where == TRAMMEL_AFTER ? LABEL_AFTER : LABEL_BEFORE;
		label->address = row->address;
		set_targets(label, row);
		return row->block->function;
	case TRAMMEL_ON_EDGE:
		label->where = LABEL_EDGE;
		label->address = edge->from->address;
		label->to = edge->to ? edge->to->address : 0;
		return edge->from->function;
	case TRAMMEL_AT_ENTRY:
		label->where = LABEL_ENTRY;
		return point.what;
	default:
		return NULL;
	}
}

static void add_argument(struct label *label, const struct trammel_argument *argument)
{
	vector_push(&label->arguments,
		    ((struct label_argument){
			    .text = argument->kind == TRAMMEL_TEXT
					    ? memory_copy_string(argument->data)
					    : NULL,
			    .number = argument->value}));
}

/* The first access of the kind. */
static void set_operand(struct label *label, uint32_t kind,
			const struct trammel_instruction *row)
{
	for (unsigned int i = 0; i < row->operand_count; i++) {
		const struct trammel_operand *operand = &row->operands[i];

		if (operand->kind != TRAMMEL_OPERAND_MEMORY ||
		    (kind == TRAMMEL_KIND_LOAD && !operand->reads) ||
		    (kind == TRAMMEL_KIND_STORE && !operand->writes))
			continue;
		label->operand = operand->memory;
		label->has_operand = true;
		return;
	}
}

uint64_t api_add_label(struct trammel_point point, uint32_t kind,
		       const struct trammel_argument *arguments, size_t count)
{
	struct tool *tool = tool_current();
	struct label label = {.kind = kind};
	const struct trammel_function *function = set_place(&label, point);

	if (!tool->labels || !function || kind >= tool->labels->kinds.count) {
		tool_refuse(trm_error_create(
			TRM_ERROR_USAGE,
			"add_label: labels are of instructions, edges and entries, of a "
			"kind that there is, in label()"));
		label_deinit(&label);
		return 0;
	}
	if (label.where <= LABEL_AFTER)
		set_operand(&label, kind, point.what);
	for (size_t i = 0; i < count; i++)
		add_argument(&label, &arguments[i]);
	label.id = tool->labels->next++;
	vector_push(&function_of(tool->label_module, function)->items, label);
	return label.id;
}
