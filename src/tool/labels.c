#include "tool/labels.h"

#include "base/array.h"
#include "base/search.h"

#include <inttypes.h>
#include <string.h>

const char *const label_places[LABEL_PLACES] = {
	[LABEL_BEFORE] = "before", [LABEL_AFTER] = "after",
	[LABEL_EDGE] = "edge",     [LABEL_ENTRY] = "entry",
	[LABEL_START] = "start",   [LABEL_END] = "end",
	[LABEL_THREAD] = "thread", [LABEL_THREAD_END] = "thread-end",
};

void labels_init(struct labels *labels)
{
	*labels = (struct labels){.next = 1};
	tool_kinds_init(&labels->kinds);
}

void label_deinit(struct label *label)
{
	vector_for_each (&label->arguments, argument)
		free(argument->text);
	vector_deinit(&label->arguments);
	vector_deinit(&label->targets);
}

void label_function_deinit(struct label_function *function)
{
	vector_for_each (&function->items, label)
		label_deinit(label);
	vector_deinit(&function->items);
	free(function->name);
}

static void deinit_module(struct label_module *module)
{
	vector_for_each (&module->functions, function)
		label_function_deinit(function);
	vector_deinit(&module->functions);
	free(module->path);
	free(module->build_id);
}

void labels_deinit(struct labels *labels)
{
	vector_for_each (&labels->modules, module)
		deinit_module(module);
	vector_deinit(&labels->modules);
	vector_for_each (&labels->moments, label)
		label_deinit(label);
	vector_deinit(&labels->moments);
	tool_kinds_deinit(&labels->kinds);
}

struct label_module *labels_add_module(struct labels *labels, const char *path,
				       const char *build_id)
{
	struct label_module *module;
	size_t kept = 0;

	for (size_t i = 0; i < labels->modules.count; i++) {
		if (strcmp(labels->modules.items[i].path, path) != 0)
			labels->modules.items[kept++] = labels->modules.items[i];
		else
			deinit_module(&labels->modules.items[i]);
	}
	labels->modules.count = kept;
	module = vector_add(&labels->modules);
	module->path = memory_copy_string(path);
	module->build_id = memory_copy_string(build_id);
	return module;
}

static int compare_functions(const void *left, const void *right)
{
	const struct label_function *a = left, *b = right;

	return compare_numbers(a->address, b->address);
}

void label_module_sort(struct label_module *module)
{
	if (module->functions.count)
		qsort(module->functions.items, module->functions.count,
		      sizeof(*module->functions.items), compare_functions);
}

const struct label_function *labels_function_at(const struct label_module *module,
						uint64_t address)
{
	const struct label_function *functions = module->functions.items;
	size_t at =
		search_first(module->functions.count, i, functions[i].address < address);

	return at < module->functions.count && functions[at].address == address
		       ? &functions[at]
		       : NULL;
}

/* A string as in JSON, but that paths and names may have any bytes: these stay. */
static void write_string(const char *string, struct text *out)
{
	text_add(out, "\"");
	for (; *string; string++)
		if (*string == '"' || *string == '\\')
			text_format(out, "\\%c", *string);
		else if ((unsigned char)*string < 0x20)
			text_format(out, "\\u%04x", (unsigned char)*string);
		else
			text_add_bytes(out, string, 1);
	text_add(out, "\"");
}

static void write_arguments(const struct label *label, struct text *out)
{
	if (label->has_operand)
		text_format(out, " operand %u", label->operand);
	if (label->targets.count)
		text_add(out, " targets");
	vector_for_each (&label->targets, target)
		text_format(out, " 0x%" PRIx64, *target);
	if (label->arguments.count)
		text_add(out, " args");
	vector_for_each (&label->arguments, argument) {
		text_add(out, " ");
		if (argument->text)
			write_string(argument->text, out);
		else
			text_format(out, "%" PRId64, argument->number);
	}
}

static void write_label(const struct labels *labels, const struct label *label,
			struct text *out)
{
	text_format(out, "%s %" PRIu64 " %s", labels->kinds.items[label->kind].name,
		    label->id, label_places[label->where]);
	if (label->where <= LABEL_EDGE)
		text_format(out, " 0x%" PRIx64, label->address);
	if (label->where == LABEL_EDGE)
		text_format(out, " 0x%" PRIx64, label->to);
	write_arguments(label, out);
	text_add(out, "\n");
}

static void write_module(const struct labels *labels, const struct label_module *module,
			 struct text *out)
{
	text_add(out, "module ");
	write_string(module->path, out);
	text_format(out, " %s\n", *module->build_id ? module->build_id : "-");
	vector_for_each (&module->functions, function) {
		text_format(out, "function 0x%" PRIx64 " ", function->address);
		write_string(function->name, out);
		text_add(out, "\n");
		vector_for_each (&function->items, label)
			write_label(labels, label, out);
	}
}

void labels_write(const struct labels *labels, struct text *out)
{
	text_format(out, "trammel labels %d\n", LABELS_VERSION);
	for (size_t i = TRAMMEL_KINDS; i < labels->kinds.count; i++) {
		text_format(out, "kind %s \"", labels->kinds.items[i].name);
		tool_kinds_add_values(&labels->kinds.items[i], out);
		text_add(out, "\"\n");
	}
	vector_for_each (&labels->moments, label)
		write_label(labels, label, out);
	vector_for_each (&labels->modules, module)
		write_module(labels, module, out);
	text_format(out, "next %" PRIu64 "\n", labels->next);
}
