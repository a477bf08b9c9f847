#include "tool/tool.h"

#include "base/array.h"
#include "base/path.h"
#include "image/open.h"
#include "tool/api.h"
#include "tool/function_code.h"
#include "tool/routine.h"
#include "tool/source.h"

#include <dlfcn.h>
#include <string.h>

/* The tool whose code runs: one at a time, as its calls do not say whose they are. */
static struct tool *current;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void tool_code_begins(struct tool *tool)
{
	pthread_mutex_lock(&one_at_a_time);
	current = tool;
}

void tool_code_ends(struct tool *tool)
{
	(void)tool;
	current = NULL;
	pthread_mutex_unlock(&one_at_a_time);
}

struct tool *tool_current(void)
{
	return current;
}

bool tool_refuse(struct trm_error *error)
{
	if (!current->failure)
		current->failure = memory_copy_string(error->message);
	trm_error_destroy(error);
	return false;
}

struct trm_error *tool_failure(struct tool *tool)
{
	return tool->failure ? trm_error_create(TRM_ERROR_USAGE, "tool '%s': %s",
						path_name(tool->path), tool->failure)
			     : NULL;
}

bool tool_has_table(const char *path)
{
	void *object = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	bool has = !object || dlsym(object, "trammel_tool");

	if (object)
		dlclose(object);
	return has;
}

static bool is_source(const char *path)
{
	static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx"};
	const char *ending = strrchr(path_name(path), '.');

	for (size_t i = 0; ending && i < array_count(endings); i++)
		if (!strcmp(ending, endings[i]))
			return true;
	return false;
}

static struct trm_error *find_table(struct tool *tool)
{
	const struct trammel_tool *table;

	/* A name without a slash would be looked for among the system's libraries. */
	tool->object = dlopen(tool->path, RTLD_NOW | RTLD_LOCAL);
	if (!tool->object && is_source(tool->path))
		return trm_error_create(TRM_ERROR_FORMAT,
					"'%s' is the source of a tool: trammel tool "
					"build %s makes the tool",
					tool->path, tool->path);
	if (!tool->object)
		return trm_error_create(TRM_ERROR_FORMAT, "tool '%s': %s", tool->path,
					dlerror());
	table = dlsym(tool->object, "trammel_tool");
	if (!table)
		return trm_error_create(TRM_ERROR_FORMAT,
					"'%s' is no tool: it has no 'trammel_tool' "
					"(<trammel/tool.h>)",
					tool->path);
	if (table->version != TRAMMEL_TOOL_VERSION || table->size != sizeof(*table))
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"tool '%s' was built with version %u of "
					"<trammel/tool.h>, this trammel has %d: build it "
					"again",
					tool->path, table->version, TRAMMEL_TOOL_VERSION);
	tool->table = table;
	return NULL;
}

enum { WORDS_MAX = 64 };

static struct trm_error *run_start(struct tool *tool, const char *words)
{
	const char *arguments[WORDS_MAX + 2] = {path_name(tool->path)};
	char *rest, *word;
	int count = 1, status = 0;

	rest = tool->argument_text = memory_copy_string(words ? words : "");
	while (words && count <= WORDS_MAX && (word = strsep(&rest, ":,")))
		arguments[count++] = word;
	tool_code_begins(tool);
	if (tool->table->start)
		status = tool->table->start(&tool_api, count, arguments);
	tool_code_ends(tool);
	tool->started = true;
	TRM_TRY(tool_failure(tool));
	return status ? trm_error_create(TRM_ERROR_USAGE, "tool '%s' does not start: %d",
					 path_name(tool->path), status)
		      : NULL;
}

/* Looks at the code of all routines that have prototypes. */
static struct trm_error *inspect_routines(struct tool *tool)
{
	struct image *image;

	TRM_TRY(image_open(tool->path, NULL, &image));
	vector_for_each (&tool->prototypes, prototype)
		prototype->routine = routine_inspect(image, prototype->name);
	image_close(image);
	return NULL;
}

struct trm_error *tool_open(const char *path, const char *words, uint32_t first_routine,
			    struct point_data *data, struct tool **ret_tool)
{
	struct tool *tool = memory_allocate_zeroed(1, sizeof(*tool));
	struct trm_error *error;
	struct text full = {0};

	text_format(&full, "%s%s", strchr(path, '/') ? "" : "./", path);
	tool->path = full.data;
	tool->first_routine = first_routine;
	tool->data = data;
	pthread_mutex_init(&tool->lock, NULL);
	error = find_table(tool);
	if (!error)
		error = run_start(tool, words);
	if (!error)
		error = inspect_routines(tool);
	if (error) {
		tool_close(tool);
		return error;
	}
	source_init(tool);
	*ret_tool = tool;
	return NULL;
}

static void free_shown(struct tool_shown *shown)
{
	for (uint32_t i = 0; i < shown->module->seen.function_count; i++) {
		if (!shown->functions[i])
			continue;
		added_deinit(shown->functions[i]);
		free(shown->functions[i]);
	}
	free(shown->functions);
	free(shown->path);
	tool_module_close(shown->module);
	free(shown);
}

void tool_close(struct tool *tool)
{
	if (!tool)
		return;
	vector_for_each (&tool->shown, shown)
		free_shown(*shown);
	vector_deinit(&tool->shown);
	vector_for_each (&tool->moments, moment)
		for (size_t i = 0; i < moment->count; i++)
			free((void *)(uintptr_t)moment->arguments[i].data);
	vector_deinit(&tool->moments);
	for (uint32_t i = 0; i < tool->counter_count; i++)
		free(tool->counters[i].name);
	prototypes_deinit(&tool->prototypes);
	pthread_mutex_destroy(&tool->lock);
	free(tool->argument_text);
	free(tool->failure);
	free(tool->path);
	if (tool->object)
		dlclose(tool->object);
	free(tool);
}

struct trm_error *tool_label(struct tool *tool, struct tool_module *module,
			     struct labels *labels)
{
	if (!tool->table->label)
		return trm_error_create(TRM_ERROR_USAGE,
					"tool '%s' has no function 'label'",
					path_name(tool->path));
	tool->labels = labels;
	tool->label_module =
		labels_add_module(labels, module->seen.path, module->build_id);
	tool_code_begins(tool);
	tool->table->label(&tool_api, &module->seen);
	tool_code_ends(tool);
	tool_code_release(module);
	label_module_sort(tool->label_module);
	tool->labels = NULL;
	tool->label_module = NULL;
	return tool_failure(tool);
}
