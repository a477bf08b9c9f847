/* What the options of a configuration say. */
#include "runtime/config/request.h"
#include "runtime/channel/registry.h"
#include "runtime/channel/settings.h"
#include "runtime/channel/unsupported.h"
#include "runtime/config/allowed.h"
#include "runtime/config/clauses.h"
#include "runtime/config/complaints.h"
#include "runtime/config/configurations.h"
#include "runtime/config/document.h"
#include "runtime/config/items.h"
#include "runtime/config/loop_queries.h"
#include "runtime/config/metadata.h"
#include "runtime/config/specs.h"

#include <stdio.h>
#include <string.h>

struct trm_specs *request_specs;

void request_append_part(char *text, size_t size, const char *more, size_t length)
{
	size_t used = strlen(text);

	if (used + length >= size)
		complain("'%.32s' is too long for its %zu bytes", more, size);
	if (used < size)
		snprintf(text + used, size - used, "%.*s", (int)length, more);
}

void request_append(char *text, size_t size, const char *more)
{
	request_append_part(text, size, more, strlen(more));
}

static void add_setting(struct request *request, const char *setting, const char *value)
{
	const char *sign = strchr(setting, '=');
	char key[64];

	snprintf(key, sizeof(key), "%.*s", (int)(sign - setting), setting);
	settings_add(&request->settings, key,
		     strcmp(sign + 1, "{}") != 0 ? sign + 1 : value);
}

/* Others may switch the same on. */
static void switch_off(struct request *request, const struct configuration_option *option)
{
	char key[64];

	if (!option->setting || !strstr(option->setting, "={}"))
		return;
	snprintf(key, sizeof(key), "%.*s", (int)strcspn(option->setting, "="),
		 option->setting);
	if (!settings_get(&request->settings, key))
		settings_add(&request->settings, key, "false");
}

const char *request_option_name_at(size_t index)
{
	return specs_option_name(request_specs, index);
}

static void complain_option(const struct request *request, const char *name)
{
	const char *why = unsupported_why(name);
	const char *near = settings_nearest(name, request_option_name_at);

	if (why)
		complain("'%s': the option '%s' cannot be had: %s",
			 request->configuration->name, name, why);
	else
		complain("Unknown option: %s%s%s%s", name, near ? "; did you mean '" : "",
			 near ? near : "", near ? "'?" : "");
}

/* Whether the configuration is about what the option adds. Tables of loops have columns
 * of their own: loop_queries.c. */
static bool has_columns(const struct request *request,
			const struct configuration_option *option)
{
	if (request->configuration->kind == CONFIGURATION_LOOPS)
		return loop_queries_have(option->name) || option->columns;
	return option->services && strncmp(option->name, "openmp.", 7) != 0 &&
	       strstr(request->configuration->services, option->services);
}

static void note_configuration(struct request *request,
			       const struct configuration_option *option,
			       const char *value)
{
	if (request->option_count == ITEMS_MAX)
		return;
	request->values[request->option_count] = value;
	request->options[request->option_count++] = option;
}

bool request_has_services(const char *services, const char *kind, const char *name)
{
	for (size_t length; *services; services += length + (services[length] == ',')) {
		char word[64];
		const char *near;

		length = strcspn(services, ",");
		snprintf(word, sizeof(word), "%.*s", (int)length, services);
		if (!length || service_find(word))
			continue;
		if (unsupported_why(word)) {
			complain("the %s '%s' cannot be had: the service '%s': %s", kind,
				 name, word, unsupported_why(word));
			return false;
		}
		near = settings_nearest(word, service_name_at);
		complain("the %s '%s' cannot be had: there is no service '%s'%s%s%s",
			 kind, name, word, near ? "; did you mean '" : "",
			 near ? near : "", near ? "'?" : "");
		return false;
	}
	return true;
}

void request_expand(const char *text, const char *value, char *to, size_t size)
{
	const char *mark;

	for (to[0] = '\0'; (mark = strstr(text, "{}")); text = mark + 2) {
		request_append_part(to, size, text, (size_t)(mark - text));
		request_append(to, size, value);
	}
	request_append(to, size, text);
}

void request_visit_settings(const struct document *spec, const char *value,
			    request_setting *visit, void *context)
{
	const struct document *settings = document_member(spec, "config");
	static char text[REQUEST_TEXT_MAX];

	for (settings = settings ? settings->first : NULL; settings;
	     settings = settings->next) {
		request_expand(settings->text ? settings->text : "", value, text,
			       sizeof(text));
		visit(context, settings->name, text);
	}
}

static void take_setting(void *context, const char *key, const char *value)
{
	struct request *request = context;

	settings_add(&request->settings, key, value);
}

void request_add_settings(struct request *request, const struct document *spec,
			  const char *value)
{
	request_visit_settings(spec, value, take_setting, request);
}

/* A column of the old form: {"expr": ..., "as": ..., "unit": ...}. */
static void append_column(const struct document *column, char *text, size_t size)
{
	static const struct {
		const char *member, *before, *behind;
	} parts[] = {
		{"expr", "", ""}, {"as", " AS \"", "\""}, {"unit", " UNIT \"", "\""}};

	request_append(text, size, column->text ? column->text : "");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct document *part = document_member(column, parts[i].member);

		if (!part || !part->text)
			continue;
		request_append(text, size, parts[i].before);
		request_append(text, size, part->text);
		request_append(text, size, parts[i].behind);
	}
}

/* The old form of queries: {"level": ..., "select": [...], "group by": [...], ...}. */
static void append_clauses(const struct document *query, char *text, size_t size)
{
	for (const struct document *clause = query->first; clause;
	     clause = clause->next) {
		const struct document *item = clause->first;

		if (clause->kind != DOCUMENT_ARRAY || !item)
			continue;
		request_append(text, size, " ");
		request_append(text, size, clause->name);
		for (const char *before = " "; item; item = item->next, before = ", ") {
			request_append(text, size, before);
			append_column(item, text, size);
		}
	}
}

/* `name`: of the option. */
static void add_clauses(const struct request *request, const char *name, const char *text,
			struct clauses *clauses)
{
	const char *wrong = clauses_add(clauses, text);

	if (clauses->full)
		complain("'%s': the query of the option '%s' is too long",
			 request->configuration->name, name);
	clauses->full = false;
	if (wrong)
		complain("'%s': the query of the option '%s' has no let, select, "
			 "aggregate, where, group by or order by at '%.32s'",
			 request->configuration->name, name, wrong);
}

void request_clauses(const struct configuration_option *option, const char *level,
		     const char *value, char *to, size_t size)
{
	const struct document *all =
		document_member(specs_of_option(request_specs, option), "query");
	const struct document *part = document_member(all, level);
	static char text[REQUEST_TEXT_MAX];

	text[0] = '\0';
	if (part && part->text)
		request_append(text, sizeof(text), part->text);
	for (part = all && all->kind == DOCUMENT_ARRAY ? all->first : NULL; part;
	     part = part->next) {
		const struct document *of = document_member(part, "level");

		if (of && of->text && !strcmp(of->text, level))
			append_clauses(part, text, sizeof(text));
	}
	request_expand(text, value, to, size);
}

static void add_query(const struct request *request,
		      const struct configuration_option *option, const char *level,
		      const char *value, struct clauses *clauses)
{
	static char text[REQUEST_TEXT_MAX];

	request_clauses(option, level, value, text, sizeof(text));
	add_clauses(request, option->name, text, clauses);
}

enum { INHERIT_MAX = 8 };

static void apply_own(struct request *request, const struct configuration_option *option,
		      const char *value, int depth);

/* Its value is not that of the option that inherits it. */
static void apply_inherited(struct request *request, const char *name, int depth)
{
	const struct configuration_option *option = specs_option(request_specs, name);

	if (!option || depth == INHERIT_MAX)
		complain("'%s': what an option inherits, '%s', is %s",
			 request->configuration->name, name,
			 option ? "one that inherits it" : "no option");
	else
		apply_own(request, option, "", depth);
}

/* What an option that is on says, of the program's own or one that this inherits. */
static void apply_own(struct request *request, const struct configuration_option *option,
		      const char *value, int depth)
{
	const struct document *spec = specs_of_option(request_specs, option);
	const struct document *others = document_member(spec, "inherit");

	if (option->services && *option->services) {
		if (!request_has_services(option->services, "option", option->name))
			return;
		request_append(request->services, sizeof(request->services), ",");
		request_append(request->services, sizeof(request->services),
			       option->services);
	}
	if (option->setting)
		add_setting(request, option->setting, value);
	if (option->columns)
		request_append(request->columns, sizeof(request->columns),
			       option->columns);
	request_add_settings(request, spec, value);
	add_query(request, option, "local", value, &request->local);
	add_query(request, option, "cross", value, &request->across);
	if (others && others->text)
		apply_inherited(request, others->text, depth + 1);
	for (others = others ? others->first : NULL; others; others = others->next)
		if (others->text)
			apply_inherited(request, others->text, depth + 1);
}

/* Options of the type "bool" are on or off; all others are on where they stand. */
static void apply_spec(struct request *request, const struct configuration_option *option,
		       const struct item *item)
{
	const struct document *type =
		document_member(specs_of_option(request_specs, option), "type");
	bool is_bool = type && !strcmp(type->text, "bool");

	if (is_bool && !item_is_off(item) && !item_is_on(item))
		complain("Invalid value \"%s\" for %s", item->value, item->name);
	else if (!is_bool || !item_is_off(item))
		apply_own(request, option, item->value ? item->value : "true", 0);
}

/* What the table of clauses has for an option or a configuration. */
static void add_own_clauses(struct request *request, const char *name)
{
	const struct configuration_clauses *more = configuration_clauses_find(name);

	if (!more)
		return;
	add_clauses(request, more->name, more->local, &request->local);
	add_clauses(request, more->name, more->across, &request->across);
}

static void add_columns(struct request *request,
			const struct configuration_option *option)
{
	if (option->columns)
		request_append(request->columns, sizeof(request->columns),
			       option->columns);
	add_own_clauses(request, option->name);
}

void request_add_clauses(struct request *request)
{
	add_own_clauses(request, request->configuration->name);
}

void request_add_places(struct request *request)
{
	const struct configuration_option *last = NULL;

	if (!strstr(request->services, "sampler") ||
	    strstr(request->services, "callpath") ||
	    request->configuration->kind & CONFIGURATION_TRACE)
		return;
	for (size_t i = 0; i < request->option_count; i++) {
		const struct configuration_option *option = request->options[i];
		const char *clauses = configuration_places_find(option->name);

		if (!clauses)
			continue;
		add_clauses(request, option->name, clauses, &request->local);
		add_clauses(request, option->name, clauses, &request->across);
		last = option;
	}
	/* What no sample was in is nowhere. */
	if (last && strstr(request->configuration->services, "sampler"))
		add_clauses(request, last->name, "where sum#sampler.samples>0",
			    &request->local);
}

void request_apply(struct request *request, const struct item *item, bool for_all)
{
	const struct configuration_option *option =
		specs_option_of(request_specs, request->configuration, item->name);

	if (item->lacks && !for_all) {
		complain("Expected value after \"%s=\" at %.14s)", item->name,
			 item->lacks);
		return;
	}
	if (item->called && !strcmp(item->name, "metadata")) {
		metadata_add(item->value ? item->value : "");
		return;
	}
	if (!option && !specs_option(request_specs, item->name)) {
		/* What there is not is off in any case. */
		if (!item_is_off(item) || !unsupported_why(item->name))
			complain_option(request, item->name);
		return;
	}
	if (!option) {
		option = specs_option(request_specs, item->name);
		if (!for_all && (option->has_value || !item_is_off(item)))
			complain("Unknown option: %s", item->name);
		return;
	}
	if (specs_of_option(request_specs, option)) {
		apply_spec(request, option, item);
		return;
	}
	if (option->has_value && !item->value) {
		complain("'%s': the option '%s' needs a value",
			 request->configuration->name, item->name);
		return;
	}
	if (!request_allows(request, option, item))
		return;
	if (!strcmp(option->name, "aggregate_across_ranks") ||
	    !strcmp(option->name, "use.mpi"))
		request->ranks = item_is_off(item) ? RANKS_APART : RANKS_TOGETHER;
	if (!strcmp(option->name, "show_regions"))
		request->without_regions = item_is_off(item);
	if (!option->has_value && item_is_off(item)) {
		switch_off(request, option);
		return;
	}
	note_configuration(request, option, item->value);
	if (!strcmp(option->name, "output"))
		request->output = item->value;
	if (!strcmp(option->name, "output.format"))
		request->format = item->value;
	if (!strcmp(option->name, "max_column_width"))
		request->width = item->value;
	if (!strcmp(option->name, "print.metadata"))
		request->with_globals = true;
	if (!strcmp(option->name, "order_by_time"))
		request->by_time = true;
	if (!strcmp(option->name, "local_query"))
		add_clauses(request, option->name, item->value, &request->local);
	if (!strcmp(option->name, "cross_query"))
		add_clauses(request, option->name, item->value, &request->across);
	if (option->services) {
		request_append(request->services, sizeof(request->services), ",");
		request_append(request->services, sizeof(request->services),
			       option->services);
	}
	if (option->setting)
		add_setting(request, option->setting, item->value ? item->value : "true");
	if (!has_columns(request, option))
		add_columns(request, option);
}
