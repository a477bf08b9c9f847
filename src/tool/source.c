#include "tool/source.h"

#include "tool/api.h"
#include "tool/function_code.h"

#include <string.h>

struct added_function *source_added(struct tool *tool,
				    const struct trammel_function *function)
{
	vector_for_each (&tool->shown, item) {
		struct added_function **place;

		if (&(*item)->module->seen != function->module)
			continue;
		place = &(*item)->functions[function->number];
		if (!*place) {
			*place = memory_allocate_zeroed(1, sizeof(**place));
			(*place)->address = function->address;
		}
		return *place;
	}
	return NULL;
}

/* Shows the tool a module for the first time. */
static struct tool_shown *show_module(struct tool *tool, const char *path)
{
	struct tool_shown *shown;
	struct tool_module *module;
	struct trm_error *error = tool_module_open(path, &module);

	if (error) {
		/* It has no points then. */
		trm_error_destroy(error);
		return NULL;
	}
	shown = memory_allocate_zeroed(1, sizeof(*shown));
	shown->module = module;
	shown->path = memory_copy_string(path);
	shown->functions = memory_allocate_zeroed(module->seen.function_count + 1,
						  sizeof(*shown->functions));
	vector_push(&tool->shown, shown);
	if (tool->table->module) {
		tool_code_begins(tool);
		tool->table->module(&tool_api, &module->seen);
		tool_code_ends(tool);
		tool_code_release(module);
	}
	return shown;
}

static struct tool_shown *find_module(struct tool *tool, const char *path)
{
	vector_for_each (&tool->shown, shown)
		if (!strcmp((*shown)->path, path))
			return *shown;
	return show_module(tool, path);
}

/* Shows the tool a function, once. */
static struct added_function *show_function(struct tool *tool, struct tool_shown *shown,
					    uint64_t address)
{
	const struct trammel_function *seen =
		tool_module_at(&shown->module->seen, address);
	struct added_function *added;

	if (!seen || seen->address != address)
		return NULL;
	added = source_added(tool, seen);
	if (added->closed || !tool->table->function)
		return added;
	tool_code_begins(tool);
	tool->table->function(&tool_api, seen);
	tool_code_ends(tool);
	tool_code_release(shown->module);
	return added;
}

static void list_points(void *context, const struct point_function *function,
			struct points *ret_points)
{
	const struct image_function *row =
		&function->image->functions.items[function->index];
	struct tool *tool = context;
	struct added_function *added = NULL;
	struct tool_shown *shown;

	pthread_mutex_lock(&tool->lock);
	shown = find_module(tool,
			    function->module ? function->module : function->image->path);
	if (shown)
		added = show_function(tool, shown, row->address);
	if (added) {
		added_list(added, function, ret_points);
		added->closed = true;
	}
	pthread_mutex_unlock(&tool->lock);
}

static void emit_point(void *context, const struct point_function *function,
		       const struct point *point, struct recipe *recipe)
{
	(void)context;
	added_emit(function, point, recipe);
}

/* Threads may show the tool more meanwhile. */
static struct trm_error *find_failure(void *context)
{
	struct tool *tool = context;

	pthread_mutex_lock(&tool->lock);
	struct trm_error *error = tool_failure(tool);
	pthread_mutex_unlock(&tool->lock);
	return error;
}

void source_init(struct tool *tool)
{
	tool->source = (struct point_source){
		.list = list_points,
		.emit = emit_point,
		.refuse = find_failure,
		.context = tool,
		.module_slots = tool->words,
		.module_first_max = tool->words,
	};
}

struct tool *source_tool(const struct point_source *source)
{
	return source->list == list_points ? source->context : NULL;
}

const struct added_function *source_find(const struct tool *tool, const char *path,
					 uint64_t address)
{
	vector_for_each (&tool->shown, item) {
		const struct trammel_function *seen;

		if (strcmp((*item)->path, path) != 0)
			continue;
		seen = tool_module_at(&(*item)->module->seen, address);
		return seen && seen->address == address ? (*item)->functions[seen->number]
							: NULL;
	}
	return NULL;
}
