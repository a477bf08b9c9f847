#include "runtime/config/answers.h"
#include "runtime/config/configurations.h"
#include "runtime/config/document.h"
#include "runtime/config/items.h"
#include "runtime/config/request.h"
#include "runtime/config/specs.h"
#include "runtime/events/caliper_host_api.h"

#include <stdio.h>
#include <string.h>

enum { ENABLED_MAX = 256 };

/* Options with their values; under specs_lock. */
struct giving {
	const struct request *request;
	const struct trm_runtime_answers *answers;
	struct items arguments;
	const struct configuration_option *enabled[ENABLED_MAX];
	size_t enabled_count;
};

static void add_argument(struct giving *giving, const struct item *item)
{
	struct item *added = &giving->arguments.items[giving->arguments.count];

	if (giving->arguments.count == ITEMS_MAX ||
	    items_value(&giving->arguments, item->name))
		return;
	*added = *item;
	if (!added->value)
		added->value = "true";
	giving->arguments.count++;
	giving->answers->argument(giving->answers->context, added->name, added->value);
}

static bool is_bool(const struct configuration_option *option)
{
	const struct document *spec = specs_of_option(request_specs, option);
	const struct document *type = document_member(spec, "type");

	return spec ? type && type->text && !strcmp(type->text, "bool")
		    : !option->has_value;
}

/* It and what it inherits, once each. */
static void enable_configuration(struct giving *giving,
				 const struct configuration_option *option)
{
	const struct document *others = document_member(
		option ? specs_of_option(request_specs, option) : NULL, "inherit");

	for (size_t i = 0; i < giving->enabled_count; i++)
		if (giving->enabled[i] == option)
			return;
	if (!option || giving->enabled_count == ENABLED_MAX)
		return;
	giving->enabled[giving->enabled_count++] = option;
	giving->answers->enabled(giving->answers->context, option->name, is_bool(option));
	if (others && others->text)
		enable_configuration(giving, specs_option(request_specs, others->text));
	for (others = others ? others->first : NULL; others; others = others->next)
		if (others->text)
			enable_configuration(giving,
					     specs_option(request_specs, others->text));
}

struct giving_option {
	const struct giving *giving;
	const char *option; /* NULL: the configuration itself */
};

static void give_one_setting(void *context, const char *key, const char *value)
{
	const struct giving_option *of = context;
	const struct trm_runtime_answers *answers = of->giving->answers;

	answers->setting(answers->context, of->option, key, value);
}

static void give_settings(const struct giving *giving, const char *option,
			  const struct document *spec, const char *value)
{
	request_visit_settings(spec, value, give_one_setting,
			       &(struct giving_option){giving, option});
}

/* A built-in option's KEY=VALUE. */
static void give_setting(const struct giving *giving,
			 const struct configuration_option *option, const char *value)
{
	static char key[64], text[REQUEST_TEXT_MAX];
	const char *sign = strchr(option->setting, '=');

	snprintf(key, sizeof(key), "CALI_%.*s", (int)(sign - option->setting),
		 option->setting);
	request_expand(sign + 1, value, text, sizeof(text));
	giving->answers->setting(giving->answers->context, option->name, key, text);
}

static void give_query(const struct giving *giving,
		       const struct configuration_option *option, const char *level,
		       const char *value)
{
	const struct configuration_clauses *more =
		configuration_clauses_find(option->name);
	bool is_local = !strcmp(level, "local");
	static char text[REQUEST_TEXT_MAX];

	request_clauses(option, level, value, text, sizeof(text));
	if (option->columns && is_local) {
		request_append(text, sizeof(text), " select ");
		request_append(text, sizeof(text), option->columns + 1);
	}
	if (more) {
		request_append(text, sizeof(text), " ");
		request_append(text, sizeof(text), is_local ? more->local : more->across);
	}
	if (*text)
		giving->answers->query(giving->answers->context, level, text);
}

static void give_option(const struct giving *giving,
			const struct configuration_option *option)
{
	const char *given = items_value(&giving->arguments, option->name),
		   *value = given ? given : "";

	if (option->services && *option->services)
		giving->answers->setting(giving->answers->context, option->name,
					 "CALI_SERVICES_ENABLE", option->services);
	if (option->setting)
		give_setting(giving, option, value);
	give_settings(giving, option->name, specs_of_option(request_specs, option),
		      value);
	give_query(giving, option, "local", value);
	give_query(giving, option, "cross", value);
}

static void add_defaults(struct giving *giving)
{
	const struct document *usual = document_member(giving->request->spec, "defaults");

	for (usual = usual ? usual->first : NULL; usual; usual = usual->next)
		add_argument(giving,
			     &(struct item){.name = usual->name, .value = usual->text});
}

void answers_give(const struct request *request, const struct item *item,
		  const struct items *all, const struct trm_runtime_answers *answers)
{
	static struct giving giving; /* too large for a stack */
	static struct items own;
	const struct configuration *of = request->configuration;
	const struct configuration_option *option;

	giving = (struct giving){.request = request, .answers = answers};
	items_split(item->called && item->value ? item->value : "", &own);
	for (size_t i = 0; i < own.count; i++)
		add_argument(&giving, &own.items[i]);
	for (size_t i = 0; i < all->count; i++)
		if (!all->items[i].called &&
		    specs_option_of(request_specs, of, all->items[i].name))
			add_argument(&giving, &all->items[i]);
	add_defaults(&giving);
	for (size_t i = 0; i < giving.arguments.count; i++) {
		const struct item *argument = &giving.arguments.items[i];

		option = specs_option_of(request_specs, of, argument->name);
		if (option && (!is_bool(option) || !item_is_off(argument)))
			enable_configuration(&giving, option);
	}
	answers->setting(answers->context, NULL, "CALI_SERVICES_ENABLE", of->services);
	give_settings(&giving, NULL, request->spec, "");
	for (size_t i = 0; i < giving.enabled_count; i++)
		give_option(&giving, giving.enabled[i]);
}
