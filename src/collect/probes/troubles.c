#include "collect/probes/troubles.h"

#include "base/cleanup.h"
#include "code/plan/plan_rows.h"
#include "code/points/points.h"
#include "collect/probes/source.h"
#include "probe/list.h"
#include "probe/module.h"
#include "session/options/options.h"

#include <string.h>

/* The name of a function, in the modules that a point is for, that is nearest to its own;
 * NULL: none is near. */
static char *nearest_name(const struct session *session, const struct probe_point *point)
{
	char *nearest = NULL;

	if (point->place >= PROBE_ADDRESS)
		return NULL;
	vector_for_each (&session->files, item) {
		const struct module_file *file = *item;

		if (!file->plan || !file->used ||
		    !probe_point_concerns(point, file->path))
			continue;
		vector_for_each (&file->plan->functions, function) {
			char *name = profile_writer_make_name(file, function);

			if (text_is_near(point->name, name) &&
			    (!nearest || text_distance(point->name, name) <
						 text_distance(point->name, nearest))) {
				free(nearest);
				nearest = name;
			} else {
				free(name);
			}
		}
	}
	return nearest;
}

/* How many points of a probe have no code for one reason, and the first of them. */
struct missing {
	const struct module_file *file;
	struct plan_point_trouble first;
	uint32_t count;
};
struct missing_list VECTOR(struct missing);

static void note_missing(struct missing_list *list, const struct module_file *file,
			 const struct plan_point_trouble *trouble)
{
	uint16_t probe = probe_recipe_of(trouble->recipe).probe;

	vector_for_each (list, known) {
		if (known->file != file || known->first.trouble != trouble->trouble ||
		    probe_recipe_of(known->first.recipe).probe != probe)
			continue;
		known->count++;
		return;
	}
	vector_push(list, ((struct missing){file, *trouble, 1}));
}

/* Points that have no code, by probe, module and reason. */
static void add_missing(const struct session *session, struct text *text)
{
	const struct probe_program *program = probes_source_program(session->options);
	struct missing_list list = {0};

	vector_for_each (&session->files, item) {
		const struct module_file *file = *item;

		if (!file->plan || !file->used)
			continue;
		vector_for_each (&file->plan->points.troubles, trouble)
			if (trouble->source == probes_source_index(session->options))
				note_missing(&list, file, trouble);
	}
	vector_for_each (&list, missing) {
		const struct probe *probe =
			&program->probes
				 .items[probe_recipe_of(missing->first.recipe).probe];
		const struct plan *plan = missing->file->plan;
		scoped_free char *name = profile_writer_make_name(
			missing->file, &plan->functions.items[missing->first.function]);

		text_format(text, "%sthe probe \"%s\" is missing at ",
			    text->length ? "\n" : "", probe->name);
		text_format(
			text,
			missing->count > 1 ? "%u points of %s, as in %s: %s"
					   : "%u point of %s, in %s: %s",
			missing->count, missing->file->name, name,
			point_trouble_text((enum point_trouble)missing->first.trouble));
	}
	vector_deinit(&list);
}

/* The name of a module that a point may mean, where its pattern is none's; NULL: none. A
 * library's name goes on behind what is given: libc, libc.so.6. */
static const char *nearest_module(const struct session *session,
				  const struct probe_point *point)
{
	const size_t length = strlen(point->module);
	const char *nearest = NULL;

	vector_for_each (&session->files, item) {
		const char *name = (*item)->name;

		if (!(*item)->used)
			continue;
		if (!strncmp(name, point->module, length) && strchr(".-_", name[length]))
			return name;
		if (text_is_near(point->module, name))
			nearest = name;
	}
	return nearest;
}

static bool any_concerned(const struct session *session, const struct probe_point *point)
{
	vector_for_each (&session->files, item)
		if ((*item)->used && probe_point_concerns(point, (*item)->path))
			return true;
	return false;
}

/* The module that a point is for, of those that are not measured; NULL: one is. */
static const struct module_file *unmeasured_module(const struct session *session,
						   const struct probe_point *point)
{
	const struct module_file *found = NULL;

	vector_for_each (&session->files, item) {
		if (!(*item)->used || !probe_point_concerns(point, (*item)->path))
			continue;
		if ((*item)->plan)
			return NULL;
		found = *item;
	}
	return found;
}

static void describe_unmatched(const struct session *session,
			       const struct probe_point *point, struct text *text)
{
	const bool concerned = any_concerned(session, point);
	const struct module_file *unmeasured = unmeasured_module(session, point);
	scoped_free char *function = concerned ? nearest_name(session, point) : NULL;
	const char *nearest = concerned ? function : nearest_module(session, point);

	if (unmeasured || (!concerned && strstr(point->module, "vdso"))) {
		text_format(text, "%s is not measured: %s",
			    unmeasured ? unmeasured->name : point->module,
			    unmeasured ? unmeasured->trouble ?: ""
				       : "it is the kernel's code in programs");
		return;
	}
	if (concerned && point->place == PROBE_CALL &&
	    (!nearest || !strcmp(nearest, point->name))) {
		text_format(text, "no call of %s was found", point->name);
		nearest = NULL;
	} else if (concerned)
		probe_point_describe_lack(point, text);
	else
		text_format(text, "no module is named %s", point->module);
	if (nearest)
		text_format(text, ": did you mean \"%s\"?", nearest);
}

/* A function that a point names, and that the options leave out; NULL: none, or not all
 * that it names. */
static const struct module_file *left_out_function(const struct session *session,
						   const struct probe_point *point,
						   char **ret_name)
{
	const struct session_options *options = session->options;
	const struct module_file *found = NULL;

	*ret_name = NULL;
	if (point->place >= PROBE_ADDRESS || point->place == PROBE_CALL ||
	    (options_take_all(options) && !options->skip.count))
		return NULL;
	vector_for_each (&session->files, item) {
		const struct module_file *file = *item;

		if (!file->plan || !file->used ||
		    !probe_point_concerns(point, file->path))
			continue;
		vector_for_each (&file->plan->functions, function) {
			scoped_free char *name = profile_writer_make_name(file, function);

			if (plan_is_cold_part(function) ||
			    !probe_point_names(point, name))
				continue;
			if (options_want_function(options, file->path, NULL, name,
						  function->address))
				return NULL;
			found = file;
			free(*ret_name);
			*ret_name = take_pointer(name);
		}
	}
	return found;
}

/* Functions that probes name, but the options leave out. */
static void add_left_out(const struct session *session, struct text *text)
{
	const struct probe_program *program = probes_source_program(session->options);

	vector_for_each (&program->probes, probe)
		vector_for_each (&probe->points, point) {
			scoped_free char *name = NULL;
			const struct module_file *file =
				left_out_function(session, point, &name);

			if (!file)
				continue;
			text_format(text,
				    "%sthe probe \"%s\": %s of %s is left out by --only "
				    "or --skip",
				    text->length ? "\n" : "", probe->name, name,
				    file->name);
		}
}

/* Points that named nothing in any module. */
static void add_unmatched(const struct session *session, struct text *text)
{
	const struct probe_program *program = probes_source_program(session->options);

	vector_for_each (&program->probes, probe)
		vector_for_each (&probe->points, point) {
			scoped_free char *name = NULL;

			if (point->matched || left_out_function(session, point, &name))
				continue;
			text_format(text,
				    "%sthe probe \"%s\": ", text->length ? "\n" : "",
				    probe->name);
			describe_unmatched(session, point, text);
		}
}

/* Names of functions that the dynamic linker chooses are those of what chooses. */
static void add_resolvers(const struct session *session, struct text *text)
{
	const struct probe_program *program = probes_source_program(session->options);

	vector_for_each (&program->probes, probe)
		vector_for_each (&probe->points, point)
			if (point->matched && !point->direct &&
			    (point->place < PROBE_ADDRESS && point->place != PROBE_CALL))
				text_format(
					text,
					"%sthe probe \"%s\": %s is chosen among "
					"implementations when programs are loaded, and "
					"this counts the choice: *%s* names those, too",
					text->length ? "\n" : "", probe->name,
					point->name, point->name);
}

void probes_troubles(const struct session *session, struct text *text)
{
	probes_source_troubles(session->options, text);
	add_unmatched(session, text);
	add_missing(session, text);
	add_left_out(session, text);
	add_resolvers(session, text);
}
