/* What the channel of a request writes. */
#include "runtime/config/request_output.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/log.h"
#include "runtime/channel/settings.h"
#include "runtime/config/clauses.h"
#include "runtime/config/complaints.h"
#include "runtime/config/configurations.h"
#include "runtime/config/cross_rank.h"
#include "runtime/config/loop_queries.h"
#include "runtime/config/request.h"
#include "runtime/config/spot.h"
#include "runtime/libraries/ranks.h"

#include <stdio.h>
#include <string.h>

static bool ends_with(const char *name, const char *ending)
{
	size_t length = strlen(name);

	return length > strlen(ending) && !strcmp(name + length - strlen(ending), ending);
}

/* "hatchet" is an old name of what Hatchet reads, too. A profile's ending says what it is
 * where no option does. */
static const char *format_of(const struct request *request)
{
	const struct configuration *of = request->configuration;
	const char *format = request->format ? request->format : of->format;

	if (!request->format && request->without_regions)
		return "table";
	if (!request->format && of->kind == CONFIGURATION_PROFILE && request->output &&
	    ends_with(request->output, ".json"))
		return "json-split";
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
	request_append(text, size, period);
	request_append(text, size, mark + strlen("{period}"));
}

/* The time that a report shows. */
static const char *order_by_time(const struct configuration *of)
{
	static const char *const columns[] = {"\"Time (I)\"", "\"Time (total)\"",
					      "\"Time (sec)\"", "\"I/O time\""};
	static char text[64]; /* one call at a time */

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		if (!strstr(of->columns, columns[i]))
			continue;
		snprintf(text, sizeof(text), " ORDER BY %s DESC", columns[i]);
		return text;
	}
	return of->order;
}

/* The query over what is measured; "" where the profile itself is written. */
static void make_query(const struct request *request, char *query, size_t size)
{
	const struct configuration *of = request->configuration;
	const char *format = format_of(request);
	char options[128], columns[REQUEST_TEXT_MAX];

	query[0] = '\0';
	if (format && !strcmp(format, "trm"))
		return;
	if (!of->columns) {
		request_append(query, size, "SELECT *");
		if (*request->local.filters) {
			request_append(query, size, " WHERE ");
			request_append(query, size, request->local.filters + 1);
		}
		request_append(query, size, " FORMAT ");
		request_append(query, size, format ? format : "cali");
		return;
	}
	make_format_options(request, format, options, sizeof(options));
	fill_period(request, of->columns, columns, sizeof(columns));
	snprintf(query, size, "%s%s SELECT %s%s", *request->local.lets ? "LET " : "",
		 *request->local.lets ? request->local.lets + 1 : "",
		 request->without_regions ? "" : "path",
		 request->without_regions ? columns + 1 : columns);
	request_append(query, size, request->columns);
	request_append(query, size, request->local.columns);
	clauses_place(&request->local, request->without_regions ? "" : of->rest, query,
		      size);
	request_append(query, size, *request->local.order ? " ORDER BY " : "");
	request_append(query, size,
		       *request->local.order ? request->local.order + 1
		       : request->by_time    ? order_by_time(of)
					     : of->order);
	request_append(query, size, " FORMAT ");
	request_append(query, size, format);
	request_append(query, size, options);
}

/* Whether a name says what a file is, or is no file's. */
static bool is_named(const char *name)
{
	static const char *const others[] = {"stdout", "stderr", "none"};
	static const char *const endings[] = {".cali", ".json", ".trm", ".csv"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(name, others[i]))
			return true;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (ends_with(name, endings[i]))
			return true;
	return false;
}

/* Where to. Profiles get an ending, as those of the peer. */
static const char *output_of(const struct request *request)
{
	const struct configuration *of = request->configuration;
	const char *output = request->output ? request->output : of->output;
	const char *format = format_of(request);
	static char name[REQUEST_TEXT_MAX]; /* one call at a time */

	if (of->kind != CONFIGURATION_PROFILE || is_named(output))
		return output;
	snprintf(name, sizeof(name), "%s.%s", output,
		 !strncmp(format, "json", 4) ? "json" : format);
	return name;
}

static void add_output(struct request *request)
{
	const struct configuration *of = request->configuration;
	const char *output = output_of(request);
	bool prints = strstr(of->services, "report") != NULL;
	char query[2 * REQUEST_TEXT_MAX];

	make_query(request, query, sizeof(query));
	settings_add(&request->settings, prints ? "REPORT_FILENAME" : "RECORDER_FILENAME",
		     output);
	/* A file's ending says the format where no option does. */
	if (!prints && !request->format && request->output && ends_with(output, ".trm"))
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
	if (wanted && !cross_rank_has(of))
		complain("'%s' is not put together over ranks", of->name);
	/* No error, as the peer's: a program without MPI is one rank. */
	if (wanted && !ranks_are_known())
		log_warn("'%s': ranks cannot be put together: there is no MPI, or no "
			 "libtrammel-mpi for it",
			 of->name);
	return cross_rank_has(of) && ranks_are_known() && (wanted || ranks_may_be());
}

/* Of loop-report: over all ranks, or not. */
static void add_output_of_loops(struct request *request, bool across)
{
	const char *format = format_of(request);
	char options[128], layout[256];

	make_format_options(request, format, options, sizeof(options));
	snprintf(layout, sizeof(layout), "%s%s", is_layout(format) ? "table" : format,
		 options);
	settings_add(&request->settings, "LOOPREPORT_FILENAME",
		     request->output ? request->output : request->configuration->output);
	across = across && strcmp(format, "trm") != 0;
	settings_add(&request->settings, "LOOPREPORT_ACROSS", across ? "true" : "false");
	loop_queries_add(request, layout, !is_layout(format));
}

/* In place of the output of one process. */
static void add_output_across(struct request *request)
{
	const struct configuration *of = request->configuration;
	const char *format = format_of(request);
	static char columns[2 * REQUEST_TEXT_MAX],
		filled[2 * REQUEST_TEXT_MAX]; /* one call at a time */
	static char local[2 * REQUEST_TEXT_MAX], across[2 * REQUEST_TEXT_MAX];
	char options[128], layout[256];

	make_format_options(request, format, options, sizeof(options));
	snprintf(layout, sizeof(layout), "%s%s", format, options);
	fill_period(request, of->columns, columns, sizeof(columns));
	request_append(columns, sizeof(columns), request->columns);
	cross_rank_make(
		&(struct across_wish){.configuration = of,
				      .options = request->options,
				      .option_count = request->option_count,
				      .columns = columns,
				      .own_local = &request->local,
				      .own_across = &request->across,
				      .format = layout,
				      .by_time = request->by_time,
				      .without_regions = request->without_regions},
		local, across, sizeof(local));
	request_append(request->services, sizeof(request->services), ",mpireport");
	settings_add(&request->settings, "MPIREPORT_FILENAME", output_of(request));
	if (settings_get(&request->settings, "REPORT_APPEND"))
		settings_add(&request->settings, "MPIREPORT_APPEND",
			     settings_get(&request->settings, "REPORT_APPEND"));
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
	request_append(request->services, sizeof(request->services), ",");
	request_append_part(request->services, sizeof(request->services), services,
			    length);
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
	request_append(request->services, sizeof(request->services), ",");
	request_append(request->services, sizeof(request->services),
		       request->configuration->services);
}

struct channel *request_make_channel(struct request *request, bool active)
{
	bool across = !request->spec && is_across(request);
	bool loops = request->configuration->kind == CONFIGURATION_LOOPS;
	bool spot = request->configuration->kind & CONFIGURATION_SPOT;
	struct channel *channel;

	if (request->spec)
		add_output_own(request, active);
	else
		add_services(request, across && !loops && !spot);
	if (!request->spec)
		request_add_places(request);
	/* Sums of regions, not of what happens in them. */
	if (!request->spec && !(request->configuration->kind & CONFIGURATION_TRACE))
		settings_add(&request->settings, "EVENT_ENABLE_SNAPSHOT_INFO", "false");
	if (!request->spec && loops)
		add_output_of_loops(request, across);
	else if (!request->spec && spot)
		spot_add(request, across);
	else if (across)
		add_output_across(request);
	else if (!request->spec)
		add_output(request);
	settings_add(&request->settings, "SERVICES_ENABLE", request->services);
	channel = channel_create(request->configuration->name, &request->settings);
	if (channel && spot)
		channel->also = spot_make_series(request);
	if (channel && active)
		channel_activate(channel, true);
	return channel;
}
