/*
 * The one-line form of configurations:
 *
 *     configuration(option=value,option),configuration,option=value
 *
 * Options outside of parentheses are for all configurations that take them. Values may
 * stand in quotes, and may have parentheses. metadata(name=value,...) adds globals,
 * load(file,...) configurations and options from files.
 */
#include "runtime/channel/across.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/clauses.h"
#include "runtime/channel/specs.h"
#include "runtime/ranks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ITEMS_MAX = 64, TEXT_MAX = 4096 };

struct item {
	const char *name, *value; /* value: NULL, behind "=", or in parentheses */
	bool called;
};

struct items {
	struct item items[ITEMS_MAX];
	size_t count;
};

static struct {
	char *text; /* what was wrong; the caller's */
	size_t size;
} message;

/* The program's own configurations and options. */
static struct trm_specs *known;

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void complain(const char *format, ...)
{
	size_t used = strlen(message.text);
	va_list list;

	if (used && used + 2 < message.size) {
		strcpy(message.text + used, "\n");
		used++;
	}
	va_start(list, format);
	vsnprintf(message.text + used, message.size - used, format, list);
	va_end(list);
}

/* Where an item ends: at a comma outside of quotes and parentheses. */
static const char *end_of(const char *text, const char *end)
{
	int depth = 0;
	char quote = '\0';

	for (; text < end; text++) {
		if (quote)
			quote = *text == quote ? '\0' : quote;
		else if (*text == '"' || *text == '\'')
			quote = *text;
		else if (*text == ',' && !depth)
			break;
		else
			depth += (*text == '(') - (*text == ')' && depth);
	}
	if (text == end && (depth || quote))
		complain("'%c' is missing at the end", depth ? ')' : quote);
	return text;
}

static const char *keep_part(const char *from, const char *end)
{
	while (from < end && strchr(" \t\n", *from))
		from++;
	while (from < end && strchr(" \t\n", end[-1]))
		end--;
	if (end - from >= 2 && strchr("\"'", *from) && end[-1] == *from) {
		from++;
		end--;
	}
	return settings_keep(from, (size_t)(end - from));
}

static void split_item(struct items *items, const char *from, const char *end)
{
	struct item *item = &items->items[items->count];
	const char *at = from;

	while (at < end && *at != '=' && *at != '(')
		at++;
	*item = (struct item){.name = keep_part(from, at)};
	if (!item->name || (!*item->name && at == end))
		return;
	if (at < end && *at == '(') {
		const char *close = memrchr(at, ')', (size_t)(end - at));

		item->called = true;
		item->value = keep_part(at + 1, close ? close : end);
	} else if (at < end) {
		item->value = keep_part(at + 1, end);
	}
	items->count++;
}

static void split(const char *text, struct items *items)
{
	const char *end = text + strlen(text), *next;

	items->count = 0;
	for (; text < end && items->count < ITEMS_MAX; text = next + 1) {
		next = end_of(text, end);
		split_item(items, text, next);
	}
	if (text < end)
		complain("there is no room for more than %d at once: '%.32s' is left out",
			 ITEMS_MAX, text);
}

static bool is_off(const struct item *item)
{
	return item->value && (!strcmp(item->value, "false") ||
			       !strcmp(item->value, "off") || !strcmp(item->value, "0"));
}

static bool is_on(const struct item *item)
{
	return !item->value || !strcmp(item->value, "true") ||
	       !strcmp(item->value, "on") || !strcmp(item->value, "1");
}

/* A configuration with what its options say. */
struct request {
	const struct configuration *configuration;
	struct settings settings;
	const char *output, *format, *width; /* as their options say; NULL: none does */
	bool by_time, with_globals;
	enum { RANKS_USUAL, RANKS_TOGETHER, RANKS_APART } ranks;
	const struct configuration_option *options[ITEMS_MAX]; /* that are on */
	size_t option_count;
	const struct document *spec; /* of a configuration of the program's own */
	char services[TEXT_MAX], columns[TEXT_MAX];
	/* What options of the program's own add to queries: of one process, and over all.
	 */
	struct clauses local, across;
};

static void append_part(char *text, size_t size, const char *more, size_t length)
{
	size_t used = strlen(text);

	if (used + length >= size)
		complain("'%.32s' is too long for its %zu bytes", more, size);
	if (used < size)
		snprintf(text + used, size - used, "%.*s", (int)length, more);
}

static void append(char *text, size_t size, const char *more)
{
	append_part(text, size, more, strlen(more));
}

static void add_setting(struct request *request, const char *setting, const char *value)
{
	const char *sign = strchr(setting, '=');
	char key[64];

	snprintf(key, sizeof(key), "%.*s", (int)(sign - setting), setting);
	settings_add(&request->settings, key,
		     strcmp(sign + 1, "{}") != 0 ? sign + 1 : value);
}

static const char *option_name_at(size_t index)
{
	return specs_option_name(known, index);
}

static const char *configuration_own_name_at(size_t index)
{
	return specs_configuration_name(known, index);
}

static void complain_option(const struct request *request, const char *name)
{
	const char *why = configuration_missing(name);
	const char *near = settings_nearest(name, option_name_at);

	if (why)
		complain("'%s': the option '%s' cannot be had: %s",
			 request->configuration->name, name, why);
	else
		complain("'%s': there is no option '%s'%s%s%s",
			 request->configuration->name, name, near ? "; is '" : "",
			 near ? near : "", near ? "' meant?" : "");
}

/* Whether the configuration is about what the option adds. */
static bool has_columns(const struct request *request,
			const struct configuration_option *option)
{
	return option->services &&
	       strstr(request->configuration->services, option->services);
}

static void note(struct request *request, const struct configuration_option *option)
{
	if (request->option_count < ITEMS_MAX)
		request->options[request->option_count++] = option;
}

/* All services that are named are there; the first one that is not is told. */
static bool has_services(const char *services, const char *kind, const char *name)
{
	for (size_t length; *services; services += length + (services[length] == ',')) {
		char word[64];
		const char *near;

		length = strcspn(services, ",");
		snprintf(word, sizeof(word), "%.*s", (int)length, services);
		if (!length || service_find(word))
			continue;
		near = settings_nearest(word, service_name_at);
		complain("the %s '%s' cannot be had: there is no service '%s'%s%s%s",
			 kind, name, word, near ? "; is '" : "", near ? near : "",
			 near ? "' meant?" : "");
		return false;
	}
	return true;
}

/* The text with the option's value for each {}. */
static void expand(const char *text, const char *value, char *to, size_t size)
{
	const char *mark;

	for (to[0] = '\0'; (mark = strstr(text, "{}")); text = mark + 2) {
		append_part(to, size, text, (size_t)(mark - text));
		append(to, size, value);
	}
	append(to, size, text);
}

/* The settings of a specification, {"KEY": "VALUE"}. */
static void add_settings(struct request *request, const struct document *spec,
			 const char *value)
{
	const struct document *settings = document_member(spec, "config");
	static char text[TEXT_MAX];

	for (settings = settings ? settings->first : NULL; settings;
	     settings = settings->next) {
		expand(settings->text ? settings->text : "", value, text, sizeof(text));
		settings_add(&request->settings, settings->name, text);
	}
}

/* A column of the old form: {"expr": ..., "as": ..., "unit": ...}. */
static void append_column(const struct document *column, char *text, size_t size)
{
	static const struct {
		const char *member, *before, *behind;
	} parts[] = {
		{"expr", "", ""}, {"as", " AS \"", "\""}, {"unit", " UNIT \"", "\""}};

	append(text, size, column->text ? column->text : "");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct document *part = document_member(column, parts[i].member);

		if (!part || !part->text)
			continue;
		append(text, size, parts[i].before);
		append(text, size, part->text);
		append(text, size, parts[i].behind);
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
		append(text, size, " ");
		append(text, size, clause->name);
		for (const char *before = " "; item; item = item->next, before = ", ") {
			append(text, size, before);
			append_column(item, text, size);
		}
	}
}

static void add_query(const struct request *request,
		      const struct configuration_option *option, const char *level,
		      const char *value, struct clauses *clauses)
{
	const struct document *all =
		document_member(specs_of_option(known, option), "query");
	const struct document *part = document_member(all, level);
	static char text[TEXT_MAX], full[TEXT_MAX];
	const char *wrong;

	text[0] = '\0';
	if (part && part->text)
		append(text, sizeof(text), part->text);
	for (part = all && all->kind == DOCUMENT_ARRAY ? all->first : NULL; part;
	     part = part->next) {
		const struct document *of = document_member(part, "level");

		if (of && of->text && !strcmp(of->text, level))
			append_clauses(part, text, sizeof(text));
	}
	expand(text, value, full, sizeof(full));
	wrong = clauses_add(clauses, full);
	if (wrong)
		complain("'%s': the query of the option '%s' has no let, select, "
			 "aggregate or group by at '%.32s'",
			 request->configuration->name, option->name, wrong);
	if (clauses->full)
		complain("'%s': the query of the option '%s' is too long",
			 request->configuration->name, option->name);
	clauses->full = false;
}

enum { INHERIT_MAX = 8 };

static void apply_own(struct request *request, const struct configuration_option *option,
		      const char *value, int depth);

/* Its value is not that of the option that inherits it. */
static void apply_inherited(struct request *request, const char *name, int depth)
{
	const struct configuration_option *option = specs_option(known, name);

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
	const struct document *spec = specs_of_option(known, option);
	const struct document *others = document_member(spec, "inherit");

	if (option->services && *option->services) {
		if (!has_services(option->services, "option", option->name))
			return;
		append(request->services, sizeof(request->services), ",");
		append(request->services, sizeof(request->services), option->services);
	}
	if (option->setting)
		add_setting(request, option->setting, value);
	if (option->columns)
		append(request->columns, sizeof(request->columns), option->columns);
	add_settings(request, spec, value);
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
		document_member(specs_of_option(known, option), "type");
	bool is_bool = type && !strcmp(type->text, "bool");

	if (is_bool && item->value && !is_off(item) && !is_on(item))
		complain("'%s': the option '%s' is true or false, not '%s'",
			 request->configuration->name, item->name, item->value);
	else if (!is_bool || !is_off(item))
		apply_own(request, option, item->value ? item->value : "true", 0);
}

static void apply(struct request *request, const struct item *item, bool for_all)
{
	const struct configuration_option *option =
		specs_option_of(known, request->configuration, item->name);

	if (!option && !specs_option(known, item->name)) {
		if (!configuration_is_so(item->name, is_off(item)))
			complain_option(request, item->name);
		return;
	}
	if (!option) {
		option = specs_option(known, item->name);
		if (!for_all && (option->has_value || !is_off(item)))
			complain("'%s' has no option '%s'", request->configuration->name,
				 item->name);
		return;
	}
	if (specs_of_option(known, option)) {
		apply_spec(request, option, item);
		return;
	}
	if (option->has_value && !item->value) {
		complain("'%s': the option '%s' needs a value",
			 request->configuration->name, item->name);
		return;
	}
	if (!strcmp(option->name, "aggregate_across_ranks") ||
	    !strcmp(option->name, "use.mpi"))
		request->ranks = is_off(item) ? RANKS_APART : RANKS_TOGETHER;
	if (!option->has_value && is_off(item))
		return;
	note(request, option);
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
	if (option->services) {
		append(request->services, sizeof(request->services), ",");
		append(request->services, sizeof(request->services), option->services);
	}
	if (option->setting)
		add_setting(request, option->setting, item->value ? item->value : "true");
	if (option->columns && !has_columns(request, option))
		append(request->columns, sizeof(request->columns), option->columns);
}

/* "hatchet" is an old name of what Hatchet reads, too. */
static const char *format_of(const struct request *request)
{
	const char *format =
		request->format ? request->format : request->configuration->format;

	return format && !strcmp(format, "hatchet") ? "cali" : format;
}

/* Trees and tables look as those of the peer do. */
static bool is_layout(const char *format)
{
	return format && (!strcmp(format, "tree") || !strcmp(format, "table"));
}

/* "(column-width=8,print-globals)", or "". */
static void make_format_options(const struct request *request, const char *format,
				char *options, size_t size)
{
	options[0] = '\0';
	if (!is_layout(format) || (!request->width && !request->with_globals))
		return;
	snprintf(options, size, "(%s%s%s%s)", request->width ? "column-width=" : "",
		 request->width ? request->width : "",
		 request->width && request->with_globals ? "," : "",
		 request->with_globals ? "print-globals" : "");
}

/* A part of a query, with the seconds of a sample for {period}. */
static void fill_period(const struct request *request, const char *part, char *text,
			size_t size)
{
	const char *mark = strstr(part, "{period}");
	uint64_t frequency = settings_number(&request->settings, "SAMPLER_FREQUENCY",
					     SAMPLER_FREQUENCY_USUAL);
	char period[32];

	snprintf(text, size, "%s", part);
	if (!mark)
		return;
	text[mark - part] = '\0';
	snprintf(period, sizeof(period), "%.9g",
		 1.0 / (double)(frequency ? frequency : 1));
	append(text, size, period);
	append(text, size, mark + strlen("{period}"));
}

/* The query over what is measured; "" where the profile itself is written. */
static void make_query(const struct request *request, char *query, size_t size)
{
	const struct configuration *of = request->configuration;
	const char *format = format_of(request);
	char options[128], columns[TEXT_MAX];

	query[0] = '\0';
	if (format && !strcmp(format, "trm"))
		return;
	if (!of->columns || (format && !strcmp(format, "cali"))) {
		snprintf(query, size, "SELECT * FORMAT %s", format ? format : "cali");
		return;
	}
	make_format_options(request, format, options, sizeof(options));
	fill_period(request, of->columns, columns, sizeof(columns));
	snprintf(query, size, "%s%s SELECT path%s", *request->local.lets ? "LET " : "",
		 *request->local.lets ? request->local.lets + 1 : "", columns);
	append(query, size, request->columns);
	append(query, size, request->local.columns);
	append(query, size, of->rest);
	append(query, size, request->local.keys);
	append(query, size, request->by_time ? " ORDER BY \"Time (I)\" DESC" : of->order);
	append(query, size, " FORMAT ");
	append(query, size, format);
	append(query, size, options);
}

static void add_output(struct request *request)
{
	const struct configuration *of = request->configuration;
	const char *output = request->output ? request->output : of->output;
	bool prints = strstr(of->services, "report") != NULL;
	size_t length = strlen(output);
	char query[2 * TEXT_MAX];

	make_query(request, query, sizeof(query));
	settings_add(&request->settings, prints ? "REPORT_FILENAME" : "RECORDER_FILENAME",
		     output);
	/* A file's ending says the format where no option does. */
	if (!prints && !request->format && request->output && length > 4 &&
	    !strcmp(output + length - 4, ".trm"))
		return;
	settings_add(&request->settings, "QUERY_DIALECT",
		     is_layout(format_of(request)) ? "caliper" : "own");
	if (*query)
		settings_add(&request->settings,
			     prints ? "REPORT_CONFIG" : "RECORDER_CONFIG", query);
}

/* Whether all ranks write one output. A program that MPI's library is in does. */
static bool is_across(const struct request *request)
{
	const struct configuration *of = request->configuration;
	bool wanted = request->ranks == RANKS_TOGETHER;

	if (request->ranks == RANKS_APART)
		return false;
	if (wanted && !across_has(of))
		complain("'%s' is not put together over ranks", of->name);
	if (wanted && !ranks_are_known())
		complain("'%s': ranks cannot be put together: there is no MPI, or no "
			 "libtrammel-mpi for it",
			 of->name);
	return across_has(of) && ranks_are_known() && (wanted || ranks_may_be());
}

/* In place of the output of one process. */
static void add_output_across(struct request *request)
{
	const struct configuration *of = request->configuration;
	const char *format = format_of(request);
	static char columns[2 * TEXT_MAX], filled[2 * TEXT_MAX]; /* one call at a time */
	static char local[2 * TEXT_MAX], across[2 * TEXT_MAX];
	char options[128], layout[256];

	make_format_options(request, format, options, sizeof(options));
	snprintf(layout, sizeof(layout), "%s%s", format, options);
	fill_period(request, of->columns, columns, sizeof(columns));
	append(columns, sizeof(columns), request->columns);
	across_make(&(struct across_wish){.configuration = of,
					  .options = request->options,
					  .option_count = request->option_count,
					  .columns = columns,
					  .own_local = &request->local,
					  .own_across = &request->across,
					  .format = layout,
					  .by_time = request->by_time},
		    local, across, sizeof(local));
	append(request->services, sizeof(request->services), ",mpireport");
	settings_add(&request->settings, "MPIREPORT_FILENAME",
		     request->output ? request->output : of->output);
	fill_period(request, local, filled, sizeof(filled));
	settings_add(&request->settings, "MPIREPORT_LOCAL_CONFIG", filled);
	settings_add(&request->settings, "MPIREPORT_CONFIG", across);
	settings_add(&request->settings, "MPIREPORT_WRITE_ON_FINALIZE", "false");
	settings_add(&request->settings, "QUERY_DIALECT",
		     is_layout(format) ? "caliper" : "own");
}

/* The usual service for what is written is not there then. */
static void add_services(struct request *request, bool across)
{
	const char *services = request->configuration->services;
	size_t length = strlen(services);

	if (across)
		length = (size_t)(strrchr(services, ',') - services);
	append(request->services, sizeof(request->services), ",");
	append_part(request->services, sizeof(request->services), services, length);
	if (strstr(request->services, "mpi") &&
	    !settings_get(&request->settings, "MPI_WHITELIST") &&
	    !settings_get(&request->settings, "MPI_BLACKLIST"))
		settings_add(&request->settings, "MPI_WHITELIST", "all");
}

/* What a configuration of the program's own writes, its settings say, but for where. */
static void add_output_own(struct request *request, bool active)
{
	static const char *const keys[] = {"RECORDER_FILENAME", "REPORT_FILENAME",
					   "MPIREPORT_FILENAME"};

	for (size_t i = 0; request->output && i < sizeof(keys) / sizeof(keys[0]); i++)
		settings_add(&request->settings, keys[i], request->output);
	/* For programs that flush it themselves. */
	if (active)
		settings_add(&request->settings, "CHANNEL_FLUSH_ON_EXIT", "true");
	append(request->services, sizeof(request->services), ",");
	append(request->services, sizeof(request->services),
	       request->configuration->services);
}

static struct channel *make_channel(struct request *request, bool active)
{
	bool across = !request->spec && is_across(request);
	struct channel *channel;

	if (request->spec)
		add_output_own(request, active);
	else
		add_services(request, across);
	if (across)
		add_output_across(request);
	else if (!request->spec)
		add_output(request);
	settings_add(&request->settings, "SERVICES_ENABLE", request->services);
	channel = channel_create(request->configuration->name, &request->settings);
	if (channel && active)
		channel_activate(channel, true);
	return channel;
}

/* metadata(name=value,...): globals of the run. */
static void add_metadata(const char *text)
{
	static struct items items; /* too large for a stack */

	split(text, &items);
	for (size_t i = 0; i < items.count; i++) {
		const char *name = items.items[i].name, *value = items.items[i].value;
		uint32_t attribute =
			attributes_create(name, TRM_TYPE_STRING,
					  TRM_AS_VALUE | TRM_GLOBAL | TRM_SCOPE_PROCESS);
		uint64_t bits = value ? strings_intern(value, strlen(value)) : 0;

		if (attribute && bits)
			values_keep_process(attribute, bits);
	}
}

static void complain_name(const char *name)
{
	const char *why = configuration_missing(name);
	const char *near = settings_nearest(name, configuration_own_name_at);

	if (!near)
		near = settings_nearest(name, option_name_at);
	if (why)
		complain("'%s' cannot be had: %s", name, why);
	else
		complain("there is no configuration or option '%s'%s%s%s", name,
			 near ? "; is '" : "", near ? near : "", near ? "' meant?" : "");
}

static bool is_among(const struct items *items, const char *name)
{
	for (size_t i = 0; i < items->count; i++)
		if (!items->items[i].called && !strcmp(items->items[i].name, name))
			return true;
	return false;
}

/* Settings of the specification, and its defaults for options that nobody gives. */
static void apply_defaults(struct request *request, const struct items *all,
			   const struct items *own)
{
	const struct document *usual = document_member(request->spec, "defaults");

	add_settings(request, request->spec, "");
	for (usual = usual ? usual->first : NULL; usual; usual = usual->next) {
		const struct item item = {.name = usual->name, .value = usual->text};

		if (item.value && !is_among(all, item.name) && !is_among(own, item.name))
			apply(request, &item, false);
	}
}

static struct channel *add_configuration(const struct item *item, const struct items *all,
					 bool active)
{
	static struct request request;
	static struct items own;

	request =
		(struct request){.configuration = specs_configuration(known, item->name)};
	request.spec = specs_of_configuration(known, request.configuration);
	if (!has_services(request.configuration->services, "configuration", item->name))
		return NULL;
	if (strstr(request.configuration->services, ",mpi,") && !ranks_are_known()) {
		complain("'%s' cannot be had: there is no MPI, or no libtrammel-mpi for "
			 "it",
			 item->name);
		return NULL;
	}
	split(item->called && item->value ? item->value : "", &own);
	apply_defaults(&request, all, &own);
	for (size_t i = 0; i < all->count; i++) {
		const struct configuration_option *option =
			specs_option(known, all->items[i].name);

		if (all->items[i].called || !option)
			continue;
		/* What they add would be there twice. */
		if (!specs_of_option(known, option) || !is_among(&own, option->name))
			apply(&request, &all->items[i], true);
	}
	for (size_t i = 0; i < own.count; i++)
		apply(&request, &own.items[i], false);
	return make_channel(&request, active);
}

/* load(file,...): configurations and options of files. */
static void add_files(const char *names)
{
	static struct items items; /* too large for a stack */

	split(names, &items);
	for (size_t i = 0; i < items.count; i++) {
		specs_load(known, items.items[i].name);
		if (*known->message)
			complain("%s", known->message);
	}
}

static struct channel *add_item(const struct item *item, const struct items *all,
				bool active, bool room)
{
	if (!strcmp(item->name, "metadata") && item->called)
		add_metadata(item->value ? item->value : "");
	else if (!strcmp(item->name, "load") && item->called)
		add_files(item->value ? item->value : "");
	else if (specs_configuration(known, item->name) && room)
		return add_configuration(item, all, active);
	else if ((!specs_option(known, item->name) || item->called) &&
		 !configuration_is_so(item->name, is_off(item)))
		complain_name(item->name);
	return NULL;
}

size_t oneline_create(struct trm_specs *specs, const char *text, bool active,
		      struct channel **ret_channels, char *ret_message,
		      size_t message_size)
{
	static struct trm_specs *of_texts; /* what texts without others load */
	static struct items items;
	size_t count = 0;

	if (!start_host())
		return 0;
	runtime_lock(&specs_lock);
	message.text = ret_message;
	message.size = message_size;
	ret_message[0] = '\0';
	if (!specs && !of_texts)
		of_texts = runtime_map(sizeof(*of_texts));
	known = specs ? specs : of_texts;
	split(text, &items);
	for (size_t i = 0; known && i < items.count; i++) {
		struct channel *channel =
			add_item(&items.items[i], &items, active, count < CHANNELS_MAX);

		if (channel)
			ret_channels[count++] = channel;
	}
	runtime_unlock(&specs_lock);
	return count;
}
