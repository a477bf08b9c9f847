#include "tool/api.h"

#include "code/points/point_data.h"
#include "tool/api_add.h"
#include "tool/api_label.h"
#include "tool/function_code.h"
#include "tool/tool.h"
#include "x86/all_operands.h"
#include "x86/disassemble.h"
#include "x86/insn_class.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static size_t write_text(const struct trammel_instruction *instruction, char *buffer,
			 size_t size)
{
	char text[DISASSEMBLE_TEXT_MAX];

	disassemble(DISASSEMBLE_ATT, instruction->bytes, instruction->length,
		    instruction->address, text);
	if (size)
		snprintf(buffer, size, "%s", text);
	return strlen(text);
}

/* Names stay: they belong to the first module that the tool was shown, or are leaked by
 * none. */
static const char *demangle_name(const char *name)
{
	struct tool *tool = tool_current();

	if (tool->shown.count)
		return tool_module_demangle(tool->shown.items[0]->module, name);
	return tool->others.count ? tool_module_demangle(tool->others.items[0], name)
				  : name;
}

static const char *class_name(unsigned int op_class)
{
	return op_class < INSN_CLASSES ? insn_class_name(op_class) : "?";
}

static bool add_prototype(const char *prototype)
{
	struct trm_error *error = prototypes_add(&tool_current()->prototypes, prototype);

	if (!error && tool_current()->started)
		error = trm_error_create(TRM_ERROR_USAGE,
					 "prototype \"%s\": prototypes belong in start()",
					 prototype);
	return error ? tool_refuse(error) : true;
}

static struct trammel_counter *find_counter(const char *name)
{
	struct tool *tool = tool_current();
	struct trammel_counter *counter;

	for (uint32_t i = 0; i < tool->counter_count; i++)
		if (!strcmp(tool->counters[i].name, name))
			return &tool->counters[i];
	if (tool->counter_count == TOOL_COUNTERS_MAX || tool->started) {
		tool_refuse(tool->started
				    ? trm_error_create(TRM_ERROR_USAGE,
						       "counter \"%s\": counters are "
						       "made in start()",
						       name)
				    : trm_error_create(TRM_ERROR_USAGE,
						       "counter \"%s\": at most %d are "
						       "made",
						       name, TOOL_COUNTERS_MAX));
		return &tool->counters[0];
	}
	counter = &tool->counters[tool->counter_count];
	counter->name = memory_copy_string(name);
	counter->number = tool->counter_count++;
	return counter;
}

enum { WORDS_MAX = 1u << 16 };

static uint32_t take_words(uint32_t count)
{
	struct tool *tool = tool_current();
	uint32_t first = tool->words;

	if (tool->started || count > WORDS_MAX - first)
		tool_refuse(trm_error_create(TRM_ERROR_USAGE,
					     "words: at most %u are made, in start()",
					     WORDS_MAX));
	else
		tool->words += count;
	return first;
}

static void fail_tool(const char *format, ...)
{
	char message[512];
	va_list list;

	va_start(list, format);
	vsnprintf(message, sizeof(message), format, list);
	va_end(list);
	tool_refuse(trm_error_create(TRM_ERROR_USAGE, "%s", message));
}

/* As tool_code_number in session/state/tool_rows.h has it. */
static uint64_t number_code(const struct trammel_module *module, uint64_t address)
{
	struct point_data *data = tool_current()->data;

	return data ? (uint64_t)(point_data_add_module(data, module->path) + 1) << 48 |
			       (address & 0xffffffffffff)
		    : 0;
}

static bool want_regions(void)
{
	struct tool *tool = tool_current();

	if (tool->started)
		return tool_refuse(trm_error_create(TRM_ERROR_USAGE,
						    "regions are asked for in start()"));
	tool->regions = true;
	return true;
}

static bool by_region;

void tool_api_tell_by_region(bool told)
{
	by_region = told;
}

static bool is_by_region(void)
{
	return by_region;
}

const struct trammel_api tool_api = {
	.version = TRAMMEL_TOOL_VERSION,
	.size = sizeof(tool_api),
	.function = tool_module_function,
	.find_function = tool_module_find,
	.function_at = tool_module_at,
	.code = tool_code_of,
	.trouble = tool_code_trouble,
	.callee = tool_code_callee,
	.callee_name = tool_code_callee_name,
	.place = tool_module_place,
	.bytes = tool_module_bytes,
	.text = write_text,
	.demangle = demangle_name,
	.register_name = all_operands_register_name,
	.class_name = class_name,
	.prototype = add_prototype,
	.add_call = api_add_call,
	.counter = find_counter,
	.add_count = api_add_count,
	.add_sum = api_add_sum,
	.add_code = api_add_code,
	.words = take_words,
	.kind = api_add_kind,
	.add_label = api_add_label,
	.fail = fail_tool,
	.code_number = number_code,
	.buffer = api_buffer,
	.add_trace = api_add_trace,
	.replace = api_replace,
	.regions = want_regions,
	.by_region = is_by_region,
};
