#include "cli/tool/using.h"

#include "code/points/point_data.h"
#include "code/points/recipe_buffer.h"
#include "tool/api.h"
#include "tool/find.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Words of routines below are those of probes. */
enum { TOOL_FIRST_ROUTINE = 64 };

static const uint8_t moments[] = {
	[TRAMMEL_AT_START] = TOOL_AT_START,
	[TRAMMEL_AT_END] = TOOL_AT_END,
	[TRAMMEL_AT_THREAD] = TOOL_AT_THREAD,
	[TRAMMEL_AT_THREAD_END] = TOOL_AT_THREAD_END,
	[TRAMMEL_AT_FORK] = TOOL_AT_FORK,
	[TRAMMEL_AT_LOAD] = TOOL_AT_LOAD,
	[TRAMMEL_AT_UNLOAD] = TOOL_AT_UNLOAD,
};

static void add_uses(struct tool_choice *choice, const struct tool *tool)
{
	vector_for_each (&tool->moments, moment) {
		struct tool_use *use = vector_add(&choice->uses);

		use->moment = moments[moment->where];
		use->routine = memory_copy_string(
			tool->prototypes.items[moment->prototype].name);
		use->count = moment->count;
		for (size_t i = 0; i < moment->count; i++) {
			const struct trammel_argument *argument = &moment->arguments[i];

			use->arguments[i].kind = argument->kind == TRAMMEL_MODULE_PATH
							 ? TOOL_ARGUMENT_PATH
						 : argument->kind == TRAMMEL_MODULE_BIAS
							 ? TOOL_ARGUMENT_BIAS
							 : TOOL_ARGUMENT_GIVEN;
			use->arguments[i].value = argument->value;
			use->arguments[i].text =
				argument->kind == TRAMMEL_TEXT
					? memory_copy_string(argument->data)
					: NULL;
		}
	}
}

static void add_routine(struct tool_choice *choice, const char *name, uint32_t word,
			const struct recipe_routine *routine)
{
	vector_push(&choice->routines,
		    ((struct tool_point_routine){
			    .name = memory_copy_string(name),
			    .word = word,
			    .known = routine && routine->known,
			    .thread = !routine || routine->thread_pointer,
			    .direct = routine ? routine->direct : 0,
		    }));
}

static struct trm_error *add_source(struct tool_using *given,
				    struct session_options *options,
				    const struct point_source *source)
{
	if (options->points.count == POINT_SOURCES_MAX)
		return trm_error_create(TRM_ERROR_USAGE,
					"too many tools: %d at most add to functions",
					POINT_SOURCES_MAX);
	options->points.items[options->points.count++] = source;
	given->points = true;
	return NULL;
}

/* Tables of tools are told apart by the tool's name: of several with one, the second is
 * NAME-2. */
static char *choose_name(const struct session_options *options,
			 const struct tool_choice *choice, const char *name)
{
	struct text text = {0};
	unsigned int number = 1;

	text_add(&text, name);
	for (const struct tool_choice *other = options->tools.items; other < choice;
	     other++) {
		if (!other->name || strcmp(other->name, text.data) != 0)
			continue;
		text.length = 0;
		text_format(&text, "%s-%u", name, ++number);
		other = options->tools.items - 1;
	}
	return text.data;
}

/* One object has its variables once, here and in programs. */
static struct trm_error *check_twice(const struct session_options *options,
				     const struct tool_choice *choice)
{
	struct stat status, other;

	if (stat(choice->path, &status))
		return NULL;
	vector_for_each (&options->tools, item)
		if (item < choice && !stat(item->path, &other) &&
		    other.st_dev == status.st_dev && other.st_ino == status.st_ino)
			return trm_error_create(
				TRM_ERROR_USAGE,
				"the tool '%s' is given twice: its variables are "
				"there once; copy the file",
				choice->path);
	return NULL;
}

static struct trm_error *open_tool(struct tool_using *given,
				   struct session_options *options,
				   struct tool_choice *choice, uint32_t *first_routine)
{
	struct tool *tool;
	char *path;

	TRM_TRY(tool_find(choice->path, &path));
	free(choice->path);
	choice->path = path;
	TRM_TRY(check_twice(options, choice));
	/* What has no table has no instrumentation part: it is loaded, no more. */
	if (!tool_has_table(path))
		return NULL;
	if (!given->data)
		given->data = options->points.data = point_data_create();
	TRM_TRY(tool_open(path, choice->words, *first_routine, given->data, &tool));
	vector_push(&given->tools, tool);
	choice->name = choose_name(options, choice, tool->table->name);
	tool->name = choice->name;
	given->regions |= tool->regions;
	tool->first_buffer = given->buffers;
	given->buffers += tool->buffer_count;
	if (given->buffers > RECIPE_BUFFERS)
		return trm_error_create(TRM_ERROR_USAGE,
					"the tools have more than %d buffers",
					RECIPE_BUFFERS);
	add_uses(choice, tool);
	if (!tool->table->function && !tool->table->module)
		return NULL;
	vector_for_each (&tool->prototypes, prototype) {
		if (prototype->routine.simple && given->direct < RECIPE_DIRECT_MAX)
			prototype->routine.direct = (uint8_t)++given->direct;
		add_routine(choice, prototype->name, (*first_routine)++,
			    &prototype->routine);
	}
	return add_source(given, options, &tool->source);
}

static struct trm_error *open_labels(struct tool_using *given,
				     struct session_options *options,
				     uint32_t first_routine)
{
	struct text notes = {0};
	struct tool_choice *choice;
	struct trm_error *error;
	char *path;

	if (!given->label_files.count || !given->analysis)
		return trm_error_create(TRM_ERROR_USAGE,
					"--labels and --analysis go together");
	TRM_TRY(tool_find(given->analysis, &path));
	if (!given->data)
		given->data = options->points.data = point_data_create();
	error = label_source_init(
		&given->labels, (const char *const *)given->label_files.items,
		given->label_files.count, path, first_routine, given->data, &notes);
	if (notes.length)
		fputs(notes.data, stderr);
	text_deinit(&notes);
	if (error) {
		free(path);
		return error;
	}
	given->labelled = true;
	choice = vector_add(&options->tools);
	choice->path = path;
	vector_for_each (&given->labels.routines, routine)
		add_routine(choice, *routine, first_routine++, NULL);
	return add_source(given, options, &given->labels.source);
}

struct trm_error *tool_using_begin(struct tool_using *given,
				   struct session_options *options)
{
	uint32_t first_routine = TOOL_FIRST_ROUTINE;

	tool_api_tell_by_region(options->by_region.on);
	vector_for_each (&options->tools, choice)
		TRM_TRY(open_tool(given, options, choice, &first_routine));
	if (given->label_files.count || given->analysis)
		TRM_TRY(open_labels(given, options, first_routine));
	return NULL;
}

void tool_using_end(struct tool_using *given)
{
	vector_for_each (&given->tools, tool)
		tool_close(*tool);
	vector_deinit(&given->tools);
	if (given->labelled)
		label_source_deinit(&given->labels);
	vector_for_each (&given->label_files, file)
		free(*file);
	vector_deinit(&given->label_files);
	free(given->analysis);
	point_data_destroy(given->data);
}
