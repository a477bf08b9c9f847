#include "collect/probes/source.h"

#include "code/points/points.h"
#include "image/image.h"
#include "probe/emit.h"
#include "probe/idle.h"
#include "probe/list.h"
#include "probe/module.h"
#include "session/cache/cache.h"
#include "wire/layout.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The probes of a module, while its functions are planned. An image at the same address
 * may be another one by now. */
struct known_module {
	struct probe_module module;
	unsigned char build_id[32];
	size_t size; /* bytes of the file */
	char *path;
};

/* The source of a run: the planner's threads share it. */
static struct probes_source {
	struct session_options *options;
	struct probe_program *program;
	pthread_mutex_t lock;
	struct VECTOR(struct known_module *) modules;
	struct point_source source;
} * current;

static bool is_of(const struct known_module *known, const struct image *image)
{
	return known->module.image == image && known->size == image->size &&
	       !strcmp(known->path, image->path) &&
	       !memcmp(known->build_id, image->build_id, sizeof(known->build_id));
}

/* The probes of an image, found when it is first asked for. */
static struct probe_module *module_of(struct probes_source *source,
				      const struct image *image)
{
	struct known_module *known = NULL;

	pthread_mutex_lock(&source->lock);
	vector_for_each (&source->modules, item)
		if (is_of(*item, image))
			known = *item;
	if (!known) {
		known = memory_allocate_zeroed(1, sizeof(*known));
		known->size = image->size;
		known->path = memory_copy_string(image->path);
		memcpy(known->build_id, image->build_id, sizeof(known->build_id));
		probe_module_init(&known->module, source->program, image, known->path,
				  probes_source_area(source->options), PROBES_ROUTINE);
		vector_push(&source->modules, known);
	}
	pthread_mutex_unlock(&source->lock);
	return &known->module;
}

static bool wants_function(void *context, const struct image *image, const char *name,
			   uint64_t address)
{
	return probe_source_wants(module_of(context, image), image, name, address);
}

static bool concerns_module(void *context, const char *module)
{
	const struct probes_source *source = context;

	return probe_program_concerns(source->program, module);
}

static void list_points(void *context, const struct point_function *function,
			struct points *ret_points)
{
	probe_source_list(module_of(context, function->image), function, ret_points);
}

static void emit_point(void *context, const struct point_function *function,
		       const struct point *point, struct recipe *recipe)
{
	probe_source_emit(module_of(context, function->image), function, point, recipe);
}

void probes_source_begin(struct session_options *options, struct probe_program *program)
{
	current = memory_allocate_zeroed(1, sizeof(*current));
	current->options = options;
	current->program = program;
	pthread_mutex_init(&current->lock, NULL);
	current->source = (struct point_source){
		.wants = wants_function,
		.concerns = concerns_module,
		.list = list_points,
		.emit = emit_point,
		.context = current,
		.module_slots = program->cell_count,
	};
	options->probes = program;
	options->points.items[options->points.count++] = &current->source;
}

void probes_source_end(struct session_options *options)
{
	if (!current || current->options != options)
		return;
	vector_for_each (&current->modules, item) {
		probe_module_deinit(&(*item)->module);
		free((*item)->path);
		free(*item);
	}
	vector_deinit(&current->modules);
	free(current);
	current = NULL;
}

struct probe_program *probes_source_program(const struct session_options *options)
{
	return options->probes;
}

uint32_t probes_source_index(const struct session_options *options)
{
	for (uint32_t i = 0; current && i < options->points.count; i++)
		if (options->points.items[i] == &current->source)
			return i;
	return UINT32_MAX;
}

/* Files may be planned again: what is known of one is told once. */
static bool is_repeated(const struct probe_module *module)
{
	bool later = false;

	vector_for_each (&current->modules, item) {
		const struct probe_module *other = &(*item)->module;

		if (other == module)
			later = true;
		else if (!strcmp(other->path, module->path) &&
			 (other->tails.count > module->tails.count ||
			  (later && other->tails.count == module->tails.count)))
			return true;
	}
	return false;
}

void probes_source_troubles(const struct session_options *options, struct text *ret_text)
{
	/* Runs have copies of the options. */
	if (!current || current->program != options->probes)
		return;
	pthread_mutex_lock(&current->lock);
	vector_for_each (&current->modules, item) {
		struct probe_module *module = &(*item)->module;

		if (is_repeated(module))
			continue;
		if (module->trouble.length)
			text_format(ret_text, "%s%s", ret_text->length ? "\n" : "",
				    module->trouble.data);
		probe_module_describe_tails(module, ret_text);
		probe_idle_describe(module, ret_text);
	}
	pthread_mutex_unlock(&current->lock);
}

uint32_t probes_source_area(const struct session_options *options)
{
	return (uint32_t)cache_probes_area(options);
}
