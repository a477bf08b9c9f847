#include "advise/advice.h"

#include "advise/own_rules.h"
#include "advise/places.h"
#include "advise/rule.h"
#include "base/array.h"
#include "derive/walk.h"

#include <stdio.h>
#include <string.h>

const char *const advice_confidences[ADVICE_CONFIDENCES + 1] = {"low", "medium", "high",
								NULL};

/* Error: a name in the list that no rule has. */
static struct trm_error *check_only(const struct advice_options *options)
{
	char name[64];

	for (const char *at = options->only; at && *at; at += *at == ',') {
		const size_t length = strcspn(at, ",");
		const struct advice_rule *rule = advice_rules;
		const char *nearest = NULL;

		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		at += length;
		for (; rule->name && strcmp(rule->name, name) != 0; rule++)
			nearest = text_nearer(name, rule->name, nearest);
		if (rule->name || options->own)
			continue;
		if (text_is_near(name, nearest))
			return trm_error_create(TRM_ERROR_USAGE,
						"no rule '%s': did you mean '%s'?", name,
						nearest);
		return trm_error_create(TRM_ERROR_USAGE,
					"no rule '%s': trammel advise --list shows all",
					name);
	}
	return NULL;
}

/* The rules that look at code, and those that could. */
struct walking {
	struct advice *advice;
	struct VECTOR(const struct advice_rule *) rules;
};

static void look_at_code(void *context, const struct annotation *annotation,
			 const struct routes *routes)
{
	struct walking *walking = context;
	struct advice_code code = {.annotation = annotation, .routes = routes};
	struct trips trips = {0};
	const uint32_t module =
		(uint32_t)(annotation->module - annotation->profile->modules.items);

	if (!advice_is_own(walking->advice, module))
		return;
	if (routes) {
		trips_init(&trips, annotation, routes);
		code.trips = &trips;
	}
	vector_for_each (&walking->rules, rule)
		(*rule)->look_at(walking->advice, *rule, &code);
	if (routes)
		trips_deinit(&trips);
}

static void look_at_all_code(struct walking *walking)
{
	struct walk walk = {
		.profile = walking->advice->profile,
		.visit = look_at_code,
		.context = walking,
	};

	if (!walking->rules.count)
		return;
	/* One by one, so that code which nobody asks for is not read. */
	vector_for_each (&walking->advice->profile->modules, module) {
		walk.module = module;
		walk.uncounted = 0;
		if (advice_is_own(
			    walking->advice,
			    (uint32_t)(module - walking->advice->profile->modules.items)))
			walk_functions(&walk);
	}
	walk_troubles_text(&walk.troubles, &walking->advice->warnings);
	walk_troubles_deinit(&walk.troubles);
}

static char *copy_text(const char *text)
{
	return text ? memory_copy_string(text) : NULL;
}

static void add_lack(struct advice *advice, const struct advice_rule *rule)
{
	vector_push(&advice->lacks,
		    ((struct advice_lack){copy_text(rule->name), copy_text(rule->title),
					  copy_text(rule->needs)}));
}

static void look_for_all(struct advice *advice)
{
	struct walking walking = {.advice = advice};

	for (const struct advice_rule *rule = advice_rules; rule->name; rule++) {
		if (!advice_wants(advice->options, rule->name))
			continue;
		if (!rule->can(advice)) {
			add_lack(advice, rule);
			continue;
		}
		advice->looked++;
		if (rule->look_at)
			vector_push(&walking.rules, rule);
		if (rule->look)
			rule->look(advice, rule);
	}
	look_at_all_code(&walking);
	vector_deinit(&walking.rules);
}

static double weight_of(const struct advice_finding *finding)
{
	static const double sure[] = {0.2, 0.5, 1};

	return sure[finding->confidence] * (finding->share < 0 ? 1 : finding->share);
}

static int compare_findings(const void *left, const void *right)
{
	const struct advice_finding *a = left, *b = right;
	const double of_a = weight_of(a), of_b = weight_of(b);
	const char *name_a = a->place.function ?: "", *name_b = b->place.function ?: "";

	return compare_numbers(of_b, of_a)
		       ?: strcmp(a->rule, b->rule)
		       ?: strcmp(name_a, name_b)
		       ?: compare_numbers(a->place.address, b->place.address);
}

struct trm_error *advice_make(struct advice *advice, const struct advice_options *options,
			      const struct report_profile *profile, const char *whole,
			      const char *const *paths, size_t path_count)
{
	*advice = (struct advice){
		.options = options,
		.profile = profile,
		.paths = paths,
		.path_count = path_count,
		.whole = whole,
		.modules = advice_modules_create(profile),
	};
	vector_for_each (&profile->functions, function)
		advice->samples += function->samples;
	TRM_TRY(check_only(options));
	look_for_all(advice);
	if (options->own)
		TRM_TRY(own_rules_apply(advice, options->own));
	if (advice->findings.count)
		qsort(advice->findings.items, advice->findings.count,
		      sizeof(*advice->findings.items), compare_findings);
	return NULL;
}

static void free_finding(struct advice_finding *finding)
{
	free(finding->rule);
	free(finding->title);
	free(finding->of);
	free(finding->evidence);
	free(finding->remedy);
	free(finding->place.module);
	free(finding->place.function);
	free(finding->place.file);
}

void advice_deinit(struct advice *advice)
{
	vector_for_each (&advice->findings, finding)
		free_finding(finding);
	vector_deinit(&advice->findings);
	vector_for_each (&advice->lacks, lack) {
		free(lack->rule);
		free(lack->title);
		free(lack->needs);
	}
	vector_deinit(&advice->lacks);
	advice_modules_destroy(advice->modules);
	text_deinit(&advice->warnings);
}
