#include "tool/label_source.h"

#include "base/path.h"
#include "image/find.h"
#include "image/open.h"
#include "tool/added.h"
#include "tool/added_values.h"
#include "tool/labels_read.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { NO_ROUTINE = UINT32_MAX };

struct label_plan {
	pthread_mutex_t lock;
	bool used;                     /* a labelled module was planned */
	struct VECTOR(uint32_t) words; /* by kind: of its routine; NO_ROUTINE */
	/* What was made of functions' labels, by module and function: NULL before that.
	 */
	struct VECTOR(struct added_function **) modules;
};

static struct trammel_argument argument_of_value(const struct tool_value *value,
						 const struct label *label)
{
	bool of_operand = value->kind == TRAMMEL_SIZE || value->kind == TRAMMEL_ADDRESS ||
			  value->kind == TRAMMEL_MEMORY;

	return trammel_value_of((enum trammel_value)value->kind,
				of_operand ? label->operand : value->number);
}

/* A static argument; texts are 0 (NULL) if there is no room for them. */
static struct trammel_argument argument_of_label(struct point_data *data,
						 const struct label_argument *argument)
{
	struct trammel_argument text;

	if (!argument->text)
		return trammel_int(argument->number);
	text = trammel_text(argument->text);
	return added_values_keep(data, &text) ? text : trammel_int(0);
}

/* Dynamic arguments, the id, static ones: as many as can be passed. */
static void set_arguments(const struct label_source *source, const struct label *label,
			  struct added *item)
{
	const struct tool_kind *kind = &source->labels.kinds.items[label->kind];

	for (size_t i = 0; i < kind->value_count; i++)
		item->arguments[item->count++] =
			argument_of_value(&kind->values[i], label);
	if (kind->has_id)
		item->arguments[item->count++] = trammel_int((int64_t)label->id);
	vector_for_each (&label->arguments, argument)
		if (item->count < ADDED_ARGUMENTS_MAX)
			item->arguments[item->count++] =
				argument_of_label(source->data, argument);
}

static const uint8_t places[] = {
	[LABEL_BEFORE] = ADDED_BEFORE,
	[LABEL_AFTER] = ADDED_AFTER,
	[LABEL_EDGE] = ADDED_EDGE,
	[LABEL_ENTRY] = ADDED_ENTRY,
};

static struct added_function *make_function(const struct label_source *source,
					    const struct label_function *function)
{
	struct added_function *added = memory_allocate_zeroed(1, sizeof(*added));

	added->address = function->address;
	vector_for_each (&function->items, label) {
		struct added item = {.what = ADDED_CALL,
				     .where = places[label->where],
				     .edge_kind = ADDED_ANY_EDGE,
				     .address = label->where == LABEL_ENTRY
							? function->address
							: label->address,
				     .to = label->to,
				     .routine = source->plan->words.items[label->kind]};

		if (item.routine == NO_ROUTINE)
			continue;
		set_arguments(source, label, &item);
		vector_push(&added->items, item);
	}
	return added;
}

/* The labels of a module, by its build id; or by its path, if it has none. */
static const struct label_module *find_module(const struct label_source *source,
					      const struct image *image, const char *path)
{
	char build_id[2 * sizeof(image->build_id) + 1] = "";

	for (size_t i = 0; i < image->build_id_size; i++)
		snprintf(build_id + 2 * i, 3, "%02x", image->build_id[i]);
	vector_for_each (&source->labels.modules, module)
		if (!strcmp(module->build_id, build_id) &&
		    (*build_id || !strcmp(module->path, path)))
			return module;
	return NULL;
}

static bool wants_function(void *context, const struct image *image, const char *name,
			   uint64_t address)
{
	struct label_source *source = context;
	const struct label_module *module = find_module(source, image, image->path);

	(void)name;
	if (!module || !labels_function_at(module, address))
		return false;
	pthread_mutex_lock(&source->plan->lock);
	source->plan->used = true;
	pthread_mutex_unlock(&source->plan->lock);
	return true;
}

/* Which of them are loaded is up to the program: one must be. */
static const char *tell_unused(void *context)
{
	const struct label_source *source = context;

	return source->labels.modules.count && !source->plan->used
		       ? "none of the files with labels was run, or loaded"
		       : NULL;
}

static void list_points(void *context, const struct point_function *function,
			struct points *ret_points)
{
	struct label_source *source = context;
	const struct label_module *module =
		find_module(source, function->image,
			    function->module ? function->module : function->image->path);
	uint64_t address = function->image->functions.items[function->index].address;
	const struct label_function *labelled =
		module ? labels_function_at(module, address) : NULL;
	struct added_function **place;

	if (!labelled)
		return;
	pthread_mutex_lock(&source->plan->lock);
	place = &source->plan->modules.items[module - source->labels.modules.items]
					    [labelled - module->functions.items];
	if (!*place)
		*place = make_function(source, labelled);
	added_list(*place, function, ret_points);
	pthread_mutex_unlock(&source->plan->lock);
}

static void emit_point(void *context, const struct point_function *function,
		       const struct point *point, struct recipe *recipe)
{
	(void)context;
	added_emit(function, point, recipe);
}

/* Moves the labels of `from` over. */
static struct trm_error *take_labels(struct labels *labels, struct labels *from,
				     const char *file)
{
	vector_for_each (&labels->modules, module)
		vector_for_each (&from->modules, other)
			if (!strcmp(module->path, other->path))
				return trm_error_create(
					TRM_ERROR_USAGE,
					"'%s' labels '%s', which another file has "
					"labelled: leave one out",
					file, module->path);
	for (size_t i = TRAMMEL_KINDS; i < from->kinds.count; i++)
		if (i >= labels->kinds.count)
			return trm_error_create(
				TRM_ERROR_USAGE,
				"'%s' has kinds of its own: give it first", file);
	vector_for_each (&from->modules, module)
		vector_push(&labels->modules, *module);
	from->modules.count = 0;
	return NULL;
}

static struct trm_error *read_files(struct label_source *source, const char *const *files,
				    size_t file_count)
{
	for (size_t i = 0; i < file_count; i++) {
		struct trm_error *error;
		struct labels labels;

		TRM_TRY(labels_read(files[i], &labels));
		if (!i) {
			labels_deinit(&source->labels);
			source->labels = labels;
			continue;
		}
		error = take_labels(&source->labels, &labels, files[i]);
		labels_deinit(&labels);
		TRM_TRY(error);
	}
	return NULL;
}

/* How many labels there are of each kind. */
static void count_kinds(const struct labels *labels, uint64_t *counts)
{
	vector_for_each (&labels->modules, module)
		vector_for_each (&module->functions, function)
			vector_for_each (&function->items, label)
				counts[label->kind]++;
}

static void find_routines(struct label_source *source, const struct image *analysis,
			  struct text *ret_notes)
{
	const struct tool_kinds *kinds = &source->labels.kinds;
	uint64_t *counts = memory_allocate_zeroed(kinds->count, sizeof(*counts)), address;

	count_kinds(&source->labels, counts);
	for (size_t i = 0; i < kinds->count; i++) {
		const char *routine = kinds->items[i].routine;
		uint32_t word = NO_ROUTINE;

		if (counts[i] && image_find_function(analysis, routine, &address)) {
			word = source->first_routine + (uint32_t)source->routines.count;
			vector_push(&source->routines, memory_copy_string(routine));
		} else if (counts[i]) {
			text_format(ret_notes,
				    "'%s' has no %s: labels of the kind %s are skipped\n",
				    path_name(analysis->path), routine,
				    kinds->items[i].name);
		}
		vector_push(&source->plan->words, word);
	}
	free(counts);
}

struct trm_error *label_source_init(struct label_source *source, const char *const *files,
				    size_t file_count, const char *analysis,
				    uint32_t first_routine, struct point_data *data,
				    struct text *ret_notes)
{
	struct trm_error *error;
	struct image *image;

	*source = (struct label_source){.first_routine = first_routine, .data = data};
	source->plan = memory_allocate_zeroed(1, sizeof(*source->plan));
	pthread_mutex_init(&source->plan->lock, NULL);
	labels_init(&source->labels);
	error = read_files(source, files, file_count);
	if (!error)
		error = image_open(analysis, NULL, &image);
	if (error) {
		label_source_deinit(source);
		return error;
	}
	find_routines(source, image, ret_notes);
	image_close(image);
	vector_for_each (&source->labels.modules, module)
		vector_push(&source->plan->modules,
			    memory_allocate_zeroed(module->functions.count + 1,
						   sizeof(struct added_function *)));
	source->source = (struct point_source){.wants = wants_function,
					       .list = list_points,
					       .emit = emit_point,
					       .tell = tell_unused,
					       .context = source};
	return NULL;
}

void label_source_deinit(struct label_source *source)
{
	for (size_t i = 0; i < source->plan->modules.count; i++) {
		struct added_function **functions = source->plan->modules.items[i];

		for (size_t j = 0; j < source->labels.modules.items[i].functions.count;
		     j++)
			if (functions[j]) {
				added_deinit(functions[j]);
				free(functions[j]);
			}
		free(functions);
	}
	vector_deinit(&source->plan->modules);
	vector_deinit(&source->plan->words);
	pthread_mutex_destroy(&source->plan->lock);
	free(source->plan);
	vector_for_each (&source->routines, routine)
		free(*routine);
	vector_deinit(&source->routines);
	labels_deinit(&source->labels);
}
