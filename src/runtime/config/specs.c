#include "runtime/config/specs.h"
#include "base/array.h"
#include "runtime/channel/settings.h"
#include "runtime/config/configurations.h"
#include "runtime/config/document.h"
#include "runtime/store/lock.h"
#include "runtime/store/memory.h"

#include "trammel/channel.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

struct runtime_lock specs_lock;

#define KIND(kind) (1U << DOCUMENT_##kind)

/* A member of a specification, and the kinds of value that it may have. */
struct member {
	const char *name;
	unsigned kinds;
};

static const struct member configuration_members[] = {
	{"name", KIND(STRING)},
	{"description", KIND(STRING)},
	{"services", KIND(ARRAY)},
	{"config", KIND(OBJECT)},
	{"categories", KIND(ARRAY)},
	{"defaults", KIND(OBJECT)},
	{"options", KIND(ARRAY)},
	{"alias", KIND(ARRAY)},
	{NULL, 0},
};

static const struct member option_members[] = {
	{"name", KIND(STRING)},
	{"description", KIND(STRING)},
	{"services", KIND(ARRAY)},
	{"config", KIND(OBJECT)},
	{"category", KIND(STRING)},
	{"type", KIND(STRING)},
	{"inherit", KIND(STRING) | KIND(ARRAY)},
	{"query", KIND(OBJECT) | KIND(ARRAY)},
	{NULL, 0},
};

/* Which built-in configurations take options of a category. */
static const struct {
	const char *name;
	unsigned kinds;
} categories[] = {
	{"output", CONFIGURATION_ALL},
	{"event", CONFIGURATION_ALL},
	{"metadata", CONFIGURATION_ALL},
	{"treeformatter", CONFIGURATION_REPORT | CONFIGURATION_LOOPS},
	{"sampling", CONFIGURATION_REPORT | CONFIGURATION_PROFILE},
	{"region", CONFIGURATION_REPORT | CONFIGURATION_PROFILE | CONFIGURATION_LOOPS},
	{"metric", CONFIGURATION_REPORT | CONFIGURATION_PROFILE | CONFIGURATION_LOOPS},
};

/* The categories of built-in options, with spaces around names; all others are metrics,
 * but for those of traces. */
static const struct {
	const char *category, *names;
} sorted[] = {
	{"output", " output output.append output.format outdir "},
	{"event", " level include_regions exclude_regions include_branches "},
	{"treeformatter", " max_column_width print.metadata order_by_time "},
	{"sampling", " sample.frequency sample.clock callpath source.function "
		     "source.location source.module "
		     "source.inlines "},
	{"region", " time.inclusive time.exclusive profile.mpi mpi.include mpi.exclude "
		   "stopped "},
	{"trace", " trace.io trace.mpi trace.openmp trace.policy trace.size "},
};

static void say_fault(struct trm_specs *specs, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void say_fault(struct trm_specs *specs, const char *at, const char *format, ...)
{
	size_t used = strlen(specs->message), line, column;
	char text[512];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	document_place(specs->text, at, &line, &column);
	snprintf(specs->message + used, sizeof(specs->message) - used,
		 "%s%s%sline %zu, column %zu: %s", used ? "\n" : "",
		 specs->path ? specs->path : "", specs->path ? ": " : "", line, column,
		 text);
}

static const struct member *members_now; /* under the lock */

static const char *member_name_at(size_t index)
{
	return members_now[index].name;
}

/* Of members that nobody knows, those are told that look like a known one. */
static void check_member(struct trm_specs *specs, const struct document *item,
			 const struct member *members)
{
	const char *near;

	for (size_t i = 0; members[i].name; i++) {
		if (strcmp(item->name, members[i].name) != 0)
			continue;
		if (!(members[i].kinds & 1U << item->kind))
			say_fault(specs, item->at,
				  "'%s' has a value of another kind than here",
				  item->name);
		return;
	}
	members_now = members;
	near = settings_nearest(item->name, member_name_at);
	if (near)
		say_fault(specs, item->at,
			  "there is no '%s' in a specification; did you mean '%s'?",
			  item->name, near);
}

/* Its name; NULL: it is wrong, which is said. */
static const char *check_document(struct trm_specs *specs, const struct document *spec,
				  const struct member *members, const char *what)
{
	const struct document *name = document_member(spec, "name");
	size_t before = strlen(specs->message);

	if (spec->kind != DOCUMENT_OBJECT) {
		say_fault(specs, spec->at, "%s is not in braces", what);
		return NULL;
	}
	for (const struct document *item = spec->first; item; item = item->next)
		check_member(specs, item, members);
	if (!name)
		say_fault(specs, spec->at, "%s has no 'name'", what);
	return strlen(specs->message) == before ? name->text : NULL;
}

static const char *text_of(const struct document *spec, const char *member)
{
	const struct document *found = document_member(spec, member);

	return found && found->text ? found->text : "";
}

/* A list of texts with commas between. */
static const char *join_list(const struct document *list)
{
	size_t size = 1;
	char *text, *at;

	for (const struct document *item = list ? list->first : NULL; item;
	     item = item->next)
		size += item->text ? strlen(item->text) + 1 : 0;
	text = at = settings_keep_room(size);
	if (!text)
		return "";
	*at = '\0';
	for (const struct document *item = list ? list->first : NULL; item;
	     item = item->next)
		if (item->text)
			at += sprintf(at, "%s%s", at == text ? "" : ",", item->text);
	return text;
}

static bool list_has(const struct document *list, const char *name)
{
	for (const struct document *item = list ? list->first : NULL; item;
	     item = item->next)
		if (item->text && !strcmp(item->text, name))
			return true;
	return false;
}

static unsigned kinds_of(const char *category)
{
	for (size_t i = 0; i < array_count(categories); i++)
		if (!strcmp(categories[i].name, category))
			return categories[i].kinds;
	return 0;
}

static const char *category_of(const char *option)
{
	char word[64];

	snprintf(word, sizeof(word), " %s ", option);
	for (size_t i = 0; i < array_count(sorted); i++)
		if (strstr(sorted[i].names, word))
			return sorted[i].category;
	return "metric";
}

static void add_option(struct trm_specs *specs, const struct document *spec,
		       const struct document *of)
{
	const char *name = check_document(specs, spec, option_members, "an option");

	if (!name)
		return;
	if (specs->option_count == OWN_OPTIONS_MAX) {
		say_fault(specs, spec->at, "there is no room for more than %d options",
			  OWN_OPTIONS_MAX);
		return;
	}
	specs->options[specs->option_count++] = (struct own_option){
		.option = {.name = name,
			   .about = text_of(spec, "description"),
			   .kinds = of ? 0 : kinds_of(text_of(spec, "category")),
			   .services = join_list(document_member(spec, "services"))},
		.spec = spec,
		.of = of,
	};
}

static void add_named(struct trm_specs *specs, const struct document *spec,
		      const struct document *name)
{
	for (size_t i = 0; i < specs->configuration_count; i++)
		if (!strcmp(specs->configurations[i].configuration.name, name->text)) {
			say_fault(specs, name->at,
				  "the configuration '%s' is there already", name->text);
			return;
		}
	if (specs->configuration_count == OWN_CONFIGURATIONS_MAX) {
		say_fault(specs, spec->at,
			  "there is no room for more than %d configurations",
			  OWN_CONFIGURATIONS_MAX);
		return;
	}
	specs->configurations[specs->configuration_count++] = (struct own_configuration){
		.configuration = {.name = name->text,
				  .about = text_of(spec, "description"),
				  .services =
					  join_list(document_member(spec, "services")),
				  .rest = "",
				  .order = "",
				  .output = ""},
		.spec = spec,
	};
}

static void add_configuration(struct trm_specs *specs, const struct document *spec)
{
	const struct document *options = document_member(spec, "options");
	const struct document *alias = document_member(spec, "alias");
	size_t before = specs->configuration_count;

	if (!check_document(specs, spec, configuration_members, "a configuration"))
		return;
	add_named(specs, spec, document_member(spec, "name"));
	if (specs->configuration_count == before)
		return;
	for (alias = alias ? alias->first : NULL; alias; alias = alias->next)
		if (alias->kind == DOCUMENT_STRING)
			add_named(specs, spec, alias);
	for (options = options ? options->first : NULL; options; options = options->next)
		add_option(specs, options, spec);
}

/* Only options have a category of their own. */
static void add_either(struct trm_specs *specs, const struct document *spec)
{
	if (document_member(spec, "category"))
		add_option(specs, spec, NULL);
	else
		add_configuration(specs, spec);
}

void specs_read(struct trm_specs *specs, const char *text)
{
	const char *wrong = text;
	const struct document *all = document_read(text, &wrong), *configurations,
			      *options;

	specs->text = text;
	specs->message[0] = '\0';
	configurations = document_member(all, "configs");
	options = document_member(all, "options");
	if (!all) {
		say_fault(specs, wrong, "this is not JSON");
	} else if (all->kind == DOCUMENT_ARRAY) {
		for (all = all->first; all; all = all->next)
			add_either(specs, all);
	} else if (document_member(all, "name") || (!configurations && !options)) {
		add_either(specs, all);
	} else {
		for (options = options ? options->first : NULL; options;
		     options = options->next)
			add_option(specs, options, NULL);
		for (all = configurations ? configurations->first : NULL; all;
		     all = all->next)
			add_configuration(specs, all);
	}
	specs->text = NULL;
}

void specs_load(struct trm_specs *specs, const char *path)
{
	const char *why;
	char *text = document_load(path, &why);

	specs->path = path;
	if (text)
		specs_read(specs, text);
	else
		snprintf(specs->message, sizeof(specs->message), "cannot read '%s'%s",
			 path, why);
	specs->path = NULL;
	document_unload(text);
}

const struct configuration *specs_configuration(const struct trm_specs *specs,
						const char *name)
{
	for (size_t i = 0; specs && i < specs->configuration_count; i++)
		if (!strcmp(specs->configurations[i].configuration.name, name))
			return &specs->configurations[i].configuration;
	return configuration_find(name);
}

const char *specs_configuration_name(const struct trm_specs *specs, size_t index)
{
	size_t own = specs ? specs->configuration_count : 0;

	return index < own ? specs->configurations[index].configuration.name
			   : configuration_name_at(index - own);
}

const struct configuration_option *specs_option(const struct trm_specs *specs,
						const char *name)
{
	for (size_t i = 0; specs && i < specs->option_count; i++)
		if (!strcmp(specs->options[i].option.name, name))
			return &specs->options[i].option;
	return configuration_option_find(name);
}

static const struct configuration_option *any_option_at(const struct trm_specs *specs,
							size_t index)
{
	size_t own = specs ? specs->option_count : 0;

	return index < own ? &specs->options[index].option
			   : configuration_option_at(index - own);
}

const char *specs_option_name(const struct trm_specs *specs, size_t index)
{
	const struct configuration_option *option = any_option_at(specs, index);

	return option ? option->name : NULL;
}

/* Whether the configuration takes the option. */
static bool takes_option(const struct trm_specs *specs,
			 const struct configuration *configuration,
			 const struct configuration_option *option)
{
	const struct document *spec = specs_of_configuration(specs, configuration);
	const struct document *own = specs_of_option(specs, option);
	const struct own_option *outer = (const struct own_option *)option;

	if (own && outer->of)
		return outer->of == spec;
	if (!spec)
		return option->kinds & configuration->kind;
	return list_has(document_member(spec, "categories"),
			own ? text_of(own, "category") : category_of(option->name));
}

const struct configuration_option *
specs_option_of(const struct trm_specs *specs, const struct configuration *configuration,
		const char *name)
{
	const struct configuration_option *option, *found = NULL;

	/* Those of the configuration alone go before those for all. */
	for (size_t i = 0; (option = any_option_at(specs, i)); i++) {
		if (strcmp(option->name, name) != 0 ||
		    !takes_option(specs, configuration, option))
			continue;
		if (!found || (specs_of_option(specs, option) &&
			       ((const struct own_option *)option)->of))
			found = option;
	}
	return found;
}

/* By number, an option that the configuration takes; NULL after the last one. */
static const struct configuration_option *
option_at(const struct trm_specs *specs, const struct configuration *configuration,
	  size_t number)
{
	const struct configuration_option *option;

	for (size_t i = 0; (option = any_option_at(specs, i)); i++)
		if (takes_option(specs, configuration, option) && !number--)
			return option;
	return NULL;
}

const struct document *specs_of_configuration(const struct trm_specs *specs,
					      const struct configuration *configuration)
{
	for (size_t i = 0; specs && i < specs->configuration_count; i++)
		if (configuration == &specs->configurations[i].configuration)
			return specs->configurations[i].spec;
	return NULL;
}

const struct document *specs_of_option(const struct trm_specs *specs,
				       const struct configuration_option *option)
{
	for (size_t i = 0; specs && i < specs->option_count; i++)
		if (option == &specs->options[i].option)
			return specs->options[i].spec;
	return NULL;
}

PUBLIC struct trm_specs *trm_specs_create(void)
{
	return runtime_map(sizeof(struct trm_specs));
}

PUBLIC void trm_specs_destroy(struct trm_specs *specs)
{
	if (specs)
		runtime_unmap(specs, sizeof(*specs));
}

PUBLIC const char *trm_specs_add(struct trm_specs *specs, const char *json)
{
	if (!specs)
		return "there is no memory for specifications";
	runtime_lock(&specs_lock);
	specs_read(specs, json);
	runtime_unlock(&specs_lock);
	return specs->message;
}

PUBLIC const char *trm_specs_load(struct trm_specs *specs, const char *path)
{
	if (!specs)
		return "there is no memory for specifications";
	runtime_lock(&specs_lock);
	specs_load(specs, path);
	runtime_unlock(&specs_lock);
	return specs->message;
}

PUBLIC const char *trm_specs_configuration(const struct trm_specs *specs, size_t number,
					   const char **ret_about)
{
	const char *name = specs_configuration_name(specs, number);

	if (name)
		*ret_about = specs_configuration(specs, name)->about;
	return name;
}

PUBLIC const char *trm_specs_option(const struct trm_specs *specs,
				    const char *configuration, size_t number,
				    const char **ret_about)
{
	const struct configuration *of = specs_configuration(specs, configuration);
	const struct configuration_option *option =
		of ? option_at(specs, of, number) : NULL;

	if (option)
		*ret_about = option->about;
	return option ? option->name : NULL;
}
