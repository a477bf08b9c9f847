#include "derive/walk.h"

#include "report/json/parts.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"
#include "report/text/head.h"

bool walk_wants(const char *glob, const struct report_profile *profile,
		const struct report_function *function)
{
	return function->executed && profile->modules.items[function->module].selected &&
	       (!glob || text_glob(glob, function->name));
}

struct trm_error *walk_check(const char *glob, const struct report_profile *profile)
{
	vector_for_each (&profile->functions, function)
		if (walk_wants(glob, profile, function))
			return NULL;
	return trm_error_create(TRM_ERROR_USAGE,
				"no function '%s' was executed: trammel report --all "
				"shows those that were",
				glob ? glob : "*");
}

static void visit_function(const struct walk *walk,
			   const struct report_function *function,
			   const struct annotation_file *file)
{
	struct annotation annotation;
	struct routes routes;
	struct trm_error *error =
		annotation_init(&annotation, walk->profile, function, file);

	if (error) {
		trm_error_destroy(error);
		return;
	}
	do {
		error = routes_init(&routes, &annotation);
		walk->visit(walk->context, &annotation, error ? NULL : &routes);
		trm_error_destroy(error);
		vector_deinit(&routes);
	} while (annotation_next(&annotation));
	annotation_deinit(&annotation);
}

/* By module: profile.functions is in no such order. */
static void visit_module(struct walk *walk, const struct report_module *module)
{
	const struct report_profile *profile = walk->profile;
	uint32_t number = (uint32_t)(module - profile->modules.items);
	struct annotation_file file = {0};
	bool opened = false;

	vector_for_each (&profile->functions, function) {
		if (function->module != number || !function->blocks ||
		    !walk_wants(walk->functions, profile, function))
			continue;
		struct trm_error *error = opened ? NULL : annotation_open(&file, module);

		if (error) {
			vector_push(&walk->troubles,
				    ((struct walk_trouble){
					    module, memory_copy_string(error->message)}));
			trm_error_destroy(error);
			return;
		}
		opened = true;
		visit_function(walk, function, &file);
	}
	if (opened)
		annotation_close(&file);
}

void walk_functions(struct walk *walk)
{
	const struct report_module *modules = walk->profile->modules.items;

	vector_for_each (&walk->profile->functions, function)
		walk->uncounted +=
			!function->blocks &&
			(!walk->module || walk->module == &modules[function->module]) &&
			walk_wants(walk->functions, walk->profile, function);
	vector_for_each (&walk->profile->modules, module)
		if (module->blocks && (!walk->module || walk->module == module))
			visit_module(walk, module);
}

void walk_troubles_deinit(struct walk_troubles *troubles)
{
	vector_for_each (troubles, trouble)
		free(trouble->reason);
	vector_deinit(troubles);
}

void walk_troubles_text(const struct walk_troubles *troubles, struct text *out)
{
	vector_for_each (troubles, trouble) {
		text_add(out, "Code not looked at: ");
		report_add_visible(out, trouble->reason);
		text_add(out, "\n");
	}
}

void walk_troubles_json(const struct walk_troubles *troubles, struct text *out)
{
	json_begin_list(out, "troubles");
	vector_for_each (troubles, trouble) {
		json_begin_item(out);
		json_add_string(out, "module.path", trouble->module->path);
		json_add_string(out, "reason", trouble->reason);
		text_add(out, "}");
	}
	text_add(out, "]");
}

void walk_uncounted_text(size_t uncounted, struct text *out)
{
	if (!uncounted)
		return;
	text_add(out, "Executed without counts of blocks, and left out: ");
	report_add_count(out, uncounted, "function", "functions");
	text_add(out, "\n");
}
