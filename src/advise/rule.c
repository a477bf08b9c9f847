#include "advise/rule.h"

#include "advise/places.h"
#include "base/array.h"
#include "base/path.h"

#include <string.h>

static char *copy_text(const char *text)
{
	return text ? memory_copy_string(text) : NULL;
}

bool advice_is_own_path(const struct advice *advice, const char *path)
{
	static const char *const folders[] = {"/lib/", "/lib64/", "/usr/lib/",
					      "/usr/lib64/", "["};
	if (advice->options->system)
		return true;
	vector_for_each (&advice->profile->images, image)
		if (!strcmp(image->program, path))
			return true;
	for (size_t i = 0; i < array_count(folders); i++)
		if (!strncmp(path, folders[i], strlen(folders[i])))
			return false;
	return true;
}

bool advice_is_own(const struct advice *advice, uint32_t module)
{
	return advice_is_own_path(advice, advice->profile->modules.items[module].path);
}

double advice_part(const struct advice *advice, double instructions)
{
	const uint64_t all = advice->profile->instructions;
	const double part = all ? 100.0 * instructions / (double)all : -1;

	return part > 100 ? 100 : part;
}

double advice_part_of(const struct advice *advice, const struct report_function *function)
{
	if (advice->profile->instructions)
		return advice_part(advice, (double)function->instructions);
	return advice->samples
		       ? 100.0 * (double)function->samples / (double)advice->samples
		       : -1;
}

const char *advice_whole(const struct advice *advice)
{
	return advice->profile->instructions ? "instructions" : "samples";
}

/* Adds a finding that owns its texts. */
static void push_finding(struct advice *advice, const struct advice_finding *finding)
{
	vector_push(&advice->findings, *finding);
}

static void place_finding(const struct advice *advice, const struct advice_case *found,
			  struct advice_place *place)
{
	const char *file;
	uint32_t line;

	if (found->module == REPORT_NONE) {
		place->module = copy_text(found->path ? path_name(found->path) : NULL);
		place->function = copy_text(found->function);
		return;
	}
	place->module = copy_text(advice->profile->modules.items[found->module].name);
	place->function = copy_text(found->function);
	place->address = found->address;
	if (!advice_line(advice, found->module, found->address, &file, &line))
		return;
	place->file = copy_text(file);
	place->line = line;
}

void advice_add(struct advice *advice, const struct advice_rule *rule,
		struct advice_case *found)
{
	struct advice_finding finding = {
		.share = found->share,
		.confidence = found->confidence,
	};

	if (found->module != REPORT_NONE && !advice_is_own(advice, found->module)) {
		text_deinit(&found->evidence);
		return;
	}
	if (found->share >= 0 && found->share < advice->options->least) {
		advice->small++;
		text_deinit(&found->evidence);
		return;
	}
	finding.rule = copy_text(rule->name);
	finding.title = copy_text(rule->title);
	finding.of = copy_text(found->of ? found->of : advice_whole(advice));
	finding.remedy = copy_text(rule->remedy);
	finding.evidence = found->evidence.data;
	place_finding(advice, found, &finding.place);
	push_finding(advice, &finding);
}

void advice_add_own(struct advice *advice, const struct advice_finding *finding)
{
	struct advice_finding copy = *finding;

	if (finding->share >= 0 && finding->share < advice->options->least) {
		advice->small++;
		return;
	}
	copy.rule = copy_text(finding->rule);
	copy.title = copy_text(finding->title);
	copy.of = copy_text(finding->of);
	copy.evidence = copy_text(finding->evidence);
	copy.remedy = copy_text(finding->remedy);
	copy.place.module = copy_text(finding->place.module);
	copy.place.function = copy_text(finding->place.function);
	copy.place.file = copy_text(finding->place.file);
	push_finding(advice, &copy);
}

/* Whether a list of names with commas has one; NULL has all. */
static bool is_listed(const char *list, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = list; at && *at; at += *at == ',') {
		const size_t part = strcspn(at, ",");

		if (part == length && !strncmp(at, name, length))
			return true;
		at += part;
	}
	return !list;
}

bool advice_wants(const struct advice_options *options, const char *rule)
{
	return is_listed(options->only, rule);
}
