#include "tool/api_add.h"

#include "tool/added_values.h"
#include "tool/function_code.h"
#include "tool/source.h"

#include <string.h>

static const struct trammel_function *function_of(struct trammel_point point)
{
	switch (point.where) {
	case TRAMMEL_BEFORE:
	case TRAMMEL_AFTER:
		return ((const struct trammel_instruction *)point.what)->block->function;
	case TRAMMEL_ON_EDGE:
		return ((const struct trammel_edge *)point.what)->from->function;
	case TRAMMEL_AT_ENTRY:
	case TRAMMEL_AT_EXIT:
		return point.what;
	default:
		return NULL;
	}
}

static void set_edge(struct added *item, const struct trammel_edge *edge)
{
	item->where = ADDED_EDGE;
	item->edge_kind = edge->kind;
	item->address = edge->from->address;
	item->to = edge->to ? edge->to->address : 0;
}

static void set_place(struct added *item, struct trammel_point point)
{
	if (point.where == TRAMMEL_ON_EDGE) {
		set_edge(item, point.what);
		return;
	}
	item->where = point.where == TRAMMEL_AT_ENTRY ? ADDED_ENTRY
		      : point.where == TRAMMEL_AFTER  ? ADDED_AFTER
						      : ADDED_BEFORE;
	item->address =
		point.where == TRAMMEL_AT_ENTRY
			? function_of(point)->address
			: ((const struct trammel_instruction *)point.what)->address;
}

static void push_item(struct added_function *added, struct added item,
		      struct trammel_point point)
{
	set_place(&item, point);
	vector_push(&added->items, item);
}

/* In front of all that leaves the function. */
static void push_exits(struct added_function *added, struct added item,
		       const struct trammel_function *function)
{
	const struct trammel_code *code = tool_code_of(function);

	for (uint32_t i = 0; code && i < code->instruction_count; i++)
		if (tool_code_is_exit(&code->instructions[i]))
			push_item(added, item, trammel_before(&code->instructions[i]));
}

static bool add_item(struct trammel_point point, struct added item)
{
	const struct trammel_function *function = function_of(point);
	struct tool *tool = tool_current();
	struct added_function *added;

	if (!function || !tool->started)
		return tool_refuse(trm_error_create(
			TRM_ERROR_USAGE, "code is added to functions, in module() and "
					 "function()"));
	added = source_added(tool, function);
	if (!added || added->closed)
		return tool_refuse(trm_error_create(
			TRM_ERROR_USAGE,
			"function %s: its points are added in function(), or in module()",
			function->name));
	item.tool = tool;
	if (point.where == TRAMMEL_AT_EXIT)
		push_exits(added, item, function);
	else
		push_item(added, item, point);
	return true;
}

static bool is_static(const struct trammel_argument *argument)
{
	return argument->kind == TRAMMEL_INT || argument->kind == TRAMMEL_TEXT;
}

static bool is_of_module(const struct trammel_argument *argument)
{
	return argument->kind == TRAMMEL_MODULE_PATH ||
	       argument->kind == TRAMMEL_MODULE_BIAS;
}

static bool add_moment(struct trammel_point point, size_t prototype,
		       const struct trammel_argument *arguments, size_t count)
{
	struct tool *tool = tool_current();
	struct tool_moment_call *moment;

	for (size_t i = 0; i < count; i++)
		if (!is_static(&arguments[i]) &&
		    !(is_of_module(&arguments[i]) && point.where >= TRAMMEL_AT_LOAD))
			return tool_refuse(
				trm_error_create(TRM_ERROR_USAGE,
						 "call of %s: at the start and end of "
						 "programs and threads "
						 "arguments are numbers and strings",
						 tool->prototypes.items[prototype].name));
	moment = vector_add(&tool->moments);
	moment->where = (uint8_t)point.where;
	moment->prototype = (uint32_t)prototype;
	moment->count = count;
	for (size_t i = 0; i < count; i++) {
		moment->arguments[i] = arguments[i];
		if (arguments[i].kind == TRAMMEL_TEXT)
			moment->arguments[i].data = memory_copy_string(arguments[i].data);
	}
	return true;
}

static bool check_arguments(const char *routine, const struct trammel_argument *arguments,
			    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (arguments[i].kind >= TRAMMEL_TAKEN_REGISTER)
			return tool_refuse(trm_error_create(
				TRM_ERROR_USAGE,
				"call of %s: argument %zu can be had %s alone", routine,
				i + 1,
				arguments[i].kind == TRAMMEL_TAKEN_REGISTER
					? "in add_code"
					: "when modules are loaded or unloaded"));
	return true;
}

/* Takes over the arguments of an item. */
static bool keep_arguments(struct added *item, const char *name,
			   const struct trammel_argument *arguments)
{
	for (size_t i = 0; i < item->count; i++) {
		item->arguments[i] = arguments[i];
		if (!added_values_keep(tool_current()->data, &item->arguments[i]))
			return tool_refuse(trm_error_create(
				TRM_ERROR_USAGE, "call of %s: no room for its data",
				name));
	}
	return true;
}

bool api_add_call(struct trammel_point point, const char *routine,
		  const struct trammel_argument *arguments, size_t count)
{
	struct tool *tool = tool_current();
	size_t number = prototypes_find(&tool->prototypes, routine);
	struct added item = {.what = ADDED_CALL, .count = (uint8_t)count};
	struct trm_error *error;

	if (number == tool->prototypes.count)
		return tool_refuse(trm_error_create(
			TRM_ERROR_USAGE, "call of %s: it has no prototype", routine));
	error = prototypes_check(&tool->prototypes.items[number], arguments, count);
	if (error)
		return tool_refuse(error);
	if (point.where >= TRAMMEL_AT_START && point.where <= TRAMMEL_AT_UNLOAD)
		return add_moment(point, number, arguments, count);
	if (!check_arguments(routine, arguments, count))
		return false;
	item.routine = tool->first_routine + (uint32_t)number;
	if (!keep_arguments(&item, routine, arguments))
		return false;
	return add_item(point, item);
}

bool api_add_count(struct trammel_point point, struct trammel_counter *counter,
		   int32_t amount)
{
	return add_item(point, (struct added){.what = ADDED_COUNT,
					      .counter = counter->number,
					      .amount = amount});
}

bool api_add_sum(struct trammel_point point, struct trammel_counter *counter,
		 struct trammel_argument value)
{
	struct added item = {.what = ADDED_SUM, .counter = counter->number, .count = 1};

	item.arguments[0] = value;
	return check_arguments(counter->name, &value, 1) && add_item(point, item);
}

bool api_add_code(struct trammel_point point, trammel_emit *emit, const void *data)
{
	return add_item(point,
			(struct added){.what = ADDED_CODE, .emit = emit, .data = data});
}

bool api_add_trace(struct trammel_point point, struct trammel_buffer *buffer,
		   const struct trammel_argument *values, size_t count)
{
	struct tool *tool = tool_current();
	struct added item = {.what = ADDED_TRACE,
			     .counter = buffer->number,
			     .routine = tool->first_routine + buffer->prototype,
			     .count = (uint8_t)count};

	if (!count || count > TRAMMEL_RECORD_WORDS)
		return tool_refuse(trm_error_create(TRM_ERROR_USAGE,
						    "a record has 1 to %d words, not %zu",
						    TRAMMEL_RECORD_WORDS, count));
	if (!check_arguments("a record", values, count))
		return false;
	return keep_arguments(&item, "a record", values) && add_item(point, item);
}

bool api_replace(const struct trammel_function *function, const char *routine,
		 const struct trammel_argument *arguments, size_t count)
{
	struct tool *tool = tool_current();
	size_t number = prototypes_find(&tool->prototypes, routine);
	struct added item = {.what = ADDED_REPLACE, .count = (uint8_t)count};
	struct trammel_argument all[ADDED_ARGUMENTS_MAX] = {{.kind = TRAMMEL_DATA}};
	struct trm_error *error;

	if (number == tool->prototypes.count || count >= ADDED_ARGUMENTS_MAX)
		return tool_refuse(trm_error_create(
			TRM_ERROR_USAGE,
			"replacing %s by %s: it has no prototype, or too many arguments",
			function->name, routine));
	for (size_t i = 0; i < count; i++)
		all[i + 1] = arguments[i];
	error = prototypes_check(&tool->prototypes.items[number], all, count + 1);
	if (error)
		return tool_refuse(error);
	if (function->part_of)
		return tool_refuse(trm_error_create(
			TRM_ERROR_USAGE, "replacing %s: it is a part of a function",
			function->name));
	item.routine = tool->first_routine + (uint32_t)number;
	return check_arguments(routine, arguments, count) &&
	       keep_arguments(&item, routine, arguments) &&
	       add_item((struct trammel_point){TRAMMEL_AT_ENTRY, function}, item);
}

/* Declares a routine of a buffer's; returns its prototype, UINT32_MAX if that cannot be.
 */
static uint32_t add_routine(const char *name, const char *end, const char *parameters)
{
	struct tool *tool = tool_current();
	struct text text = {0};
	struct trm_error *error;
	size_t number;

	text_format(&text, "%s%s(%s)", name, end, parameters);
	error = prototypes_add(&tool->prototypes, text.data);
	text_deinit(&text);
	if (error) {
		tool_refuse(error);
		return UINT32_MAX;
	}
	text_format(&text, "%s%s", name, end);
	number = prototypes_find(&tool->prototypes, text.data);
	text_deinit(&text);
	return (uint32_t)number;
}

struct trammel_buffer *api_buffer(const char *name)
{
	struct tool *tool = tool_current();
	struct trammel_buffer *buffer = &tool->buffers[tool->buffer_count];
	uint32_t rest, end, child;

	if (tool->buffer_count == TOOL_BUFFERS_MAX || tool->started) {
		tool_refuse(trm_error_create(TRM_ERROR_USAGE,
					     "buffer \"%s\": at most %d are made, in "
					     "start()",
					     name, TOOL_BUFFERS_MAX));
		return &tool->buffers[0];
	}
	buffer->number = tool->buffer_count;
	buffer->prototype = add_routine(name, "_full", "void *");
	end = add_routine(name, "_end", "");
	rest = add_routine(name, "_rest", "");
	child = add_routine(name, "_fork", "");
	if (buffer->prototype == UINT32_MAX || end == UINT32_MAX || rest == UINT32_MAX ||
	    child == UINT32_MAX)
		return buffer;
	tool->buffer_count++;
	add_moment((struct trammel_point){TRAMMEL_AT_THREAD_END, NULL}, end, NULL, 0);
	add_moment((struct trammel_point){TRAMMEL_AT_END, NULL}, rest, NULL, 0);
	add_moment((struct trammel_point){TRAMMEL_AT_FORK, NULL}, child, NULL, 0);
	return buffer;
}
