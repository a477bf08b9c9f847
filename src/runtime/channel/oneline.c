/*
 * The one-line form of configurations:
 *
 *     configuration(option=value,option),configuration,option=value
 *
 * Options outside of parentheses are for all configurations that take them. Values may
 * stand in quotes, and may have parentheses. metadata(name=value,...) adds globals.
 */
#include "runtime/channel/across.h"
#include "runtime/channel/channel.h"
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
}

static bool is_off(const struct item *item)
{
	return item->value && (!strcmp(item->value, "false") ||
			       !strcmp(item->value, "off") || !strcmp(item->value, "0"));
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
	char services[512], columns[TEXT_MAX];
};

static void append_part(char *text, size_t size, const char *more, size_t length)
{
	size_t used = strlen(text);

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

static void complain_option(const struct request *request, const char *name)
{
	const char *why = configuration_missing(name);
	const char *near = settings_nearest(name, configuration_option_name_at);

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

static void apply(struct request *request, const struct item *item, bool for_all)
{
	const struct configuration_option *option = configuration_option_find(item->name);

	if (!option) {
		if (!configuration_is_so(item->name, is_off(item)))
			complain_option(request, item->name);
		return;
	}
	if (!(option->kinds & request->configuration->kind)) {
		if (!for_all && (option->has_value || !is_off(item)))
			complain("'%s' has no option '%s'", request->configuration->name,
				 item->name);
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
	snprintf(query, size, "SELECT path%s", columns);
	append(query, size, request->columns);
	append(query, size, of->rest);
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

static struct channel *make_channel(struct request *request, bool active)
{
	bool across = is_across(request);
	struct channel *channel;

	add_services(request, across);
	if (across)
		add_output_across(request);
	else
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
	const char *near = settings_nearest(name, configuration_name_at);

	if (!near)
		near = settings_nearest(name, configuration_option_name_at);
	if (why)
		complain("'%s' cannot be had: %s", name, why);
	else
		complain("there is no configuration or option '%s'%s%s%s", name,
			 near ? "; is '" : "", near ? near : "", near ? "' meant?" : "");
}

static struct channel *add_configuration(const struct item *item, const struct items *all,
					 bool active)
{
	static struct request request;
	static struct items own;

	request = (struct request){.configuration = configuration_find(item->name)};
	if (strstr(request.configuration->services, ",mpi,") && !ranks_are_known()) {
		complain("'%s' cannot be had: there is no MPI, or no libtrammel-mpi for "
			 "it",
			 item->name);
		return NULL;
	}
	for (size_t i = 0; i < all->count; i++)
		if (!all->items[i].called &&
		    configuration_option_find(all->items[i].name))
			apply(&request, &all->items[i], true);
	split(item->called && item->value ? item->value : "", &own);
	for (size_t i = 0; i < own.count; i++)
		apply(&request, &own.items[i], false);
	return make_channel(&request, active);
}

size_t oneline_create(const char *text, bool active, struct channel **ret_channels,
		      char *ret_message, size_t message_size)
{
	static struct runtime_lock lock;
	static struct items items;
	size_t count = 0;

	if (!start_host())
		return 0;
	runtime_lock(&lock);
	message.text = ret_message;
	message.size = message_size;
	ret_message[0] = '\0';
	split(text, &items);
	for (size_t i = 0; i < items.count; i++) {
		const struct item *item = &items.items[i];
		struct channel *channel = NULL;

		if (!strcmp(item->name, "metadata") && item->called)
			add_metadata(item->value ? item->value : "");
		else if (configuration_find(item->name) && count < CHANNELS_MAX)
			channel = add_configuration(item, &items, active);
		else if ((!configuration_option_find(item->name) || item->called) &&
			 !configuration_is_so(item->name, is_off(item)))
			complain_name(item->name);
		if (channel)
			ret_channels[count++] = channel;
	}
	runtime_unlock(&lock);
	return count;
}
