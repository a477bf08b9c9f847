#include "runtime/config/spot.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/settings.h"
#include "runtime/config/complaints.h"
#include "runtime/config/configurations.h"
#include "runtime/config/cross_rank.h"
#include "runtime/config/loop_queries.h"
#include "runtime/config/request.h"

#include <stdio.h>
#include <string.h>

/* What it has in any case. */
static const char *const usual[] = {"node.order", "region.count", "time.exclusive"};

static bool is_usual(const char *name)
{
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (!strcmp(usual[i], name))
			return true;
	return false;
}

/* Names with commas between, and a line of each with its value. */
static void add_options(struct request *request)
{
	static char names[REQUEST_TEXT_MAX], lines[REQUEST_TEXT_MAX];

	names[0] = lines[0] = '\0';
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		request_append(names, sizeof(names), *names ? "," : "");
		request_append(names, sizeof(names), usual[i]);
		request_append(lines, sizeof(lines), usual[i]);
		request_append(lines, sizeof(lines), "=true\n");
	}
	for (size_t i = 0; i < request->option_count; i++) {
		const char *value = request->values[i];

		if (is_usual(request->options[i]->name))
			continue;
		request_append(names, sizeof(names), ",");
		request_append(names, sizeof(names), request->options[i]->name);
		request_append(lines, sizeof(lines), request->options[i]->name);
		request_append(lines, sizeof(lines), "=");
		request_append(lines, sizeof(lines), value ? value : "true");
		request_append(lines, sizeof(lines), "\n");
	}
	settings_add(&request->settings, "LOOPREPORT_OPTIONS",
		     settings_keep(names, strlen(names)));
	settings_add(&request->settings, "LOOPREPORT_OPTION_VALUES",
		     settings_keep(lines, strlen(lines)));
}

static void complain_of_series(const struct request *request)
{
	static const char prefix[] = "timeseries.";

	for (size_t i = 0; i < request->option_count; i++)
		if (!strncmp(request->options[i]->name, prefix, strlen(prefix)))
			complain("'%s': %s is set but the timeseries option is not "
				 "enabled",
				 request->configuration->name, request->options[i]->name);
}

void spot_add(struct request *request, bool across)
{
	static char local[2 * REQUEST_TEXT_MAX], over[2 * REQUEST_TEXT_MAX];
	struct settings *settings = &request->settings;

	if (request->format && strcmp(request->format, "cali") != 0)
		complain("'%s' has no format '%s': SPOT reads cali",
			 request->configuration->name, request->format);
	if (!settings_is_true(settings, "LOOPREPORT_TIMESERIES", false))
		complain_of_series(request);
	loop_queries_add(request, "cali", false);
	/* Each rank's rows by themselves: one sums them up. */
	request_append(request->local.columns, sizeof(request->local.columns),
		       ",mpi.rank");
	request_append(request->local.keys, sizeof(request->local.keys), ",mpi.rank");
	cross_rank_make(&(struct across_wish){.configuration = request->configuration,
					      .options = request->options,
					      .option_count = request->option_count,
					      .own_local = &request->local,
					      .own_across = &request->across,
					      .format = "cali"},
			local, over, sizeof(local));
	settings_add(settings, "LOOPREPORT_REGIONS_LOCAL",
		     settings_keep(local, strlen(local)));
	settings_add(settings, "LOOPREPORT_REGIONS_CONFIG",
		     settings_keep(over, strlen(over)));
	settings_add(settings, "LOOPREPORT_FILENAME",
		     request->output ? request->output : request->configuration->output);
	settings_add(settings, "LOOPREPORT_ACROSS", across ? "true" : "false");
	settings_add(settings, "AGGREGATE_SLOT", "true");
	add_options(request);
}

/* Services of the options in timeseries.metrics. */
static void append_services(const struct request *request, char *services, size_t size)
{
	const char *list = settings_get(&request->settings, "LOOPREPORT_METRICS");

	for (size_t length; list && *list; list += length + (list[length] == ',')) {
		const char *name = NULL, *near;
		char word[64];

		length = strcspn(list, ",");
		snprintf(word, sizeof(word), "%.*s", (int)length, list);
		for (size_t i = 0; (name = loop_metric_at(i)) && strcmp(name, word) != 0;)
			i++;
		if (name) {
			request_append(services, size, ",");
			request_append(services, size,
				       configuration_option_find(name)->services);
			continue;
		}
		near = settings_nearest(word, loop_metric_at);
		complain("'%s': timeseries.metrics: Unknown option: %s%s%s%s",
			 request->configuration->name, word,
			 near ? "; did you mean '" : "", near ? near : "",
			 near ? "'?" : "");
	}
}

struct channel *spot_make_series(const struct request *request)
{
	static struct settings settings;
	static char services[REQUEST_TEXT_MAX];

	if (!settings_is_true(&request->settings, "LOOPREPORT_TIMESERIES", false))
		return NULL;
	settings = request->settings;
	snprintf(services, sizeof(services), "loop_monitor,timer,trace");
	append_services(request, services, sizeof(services));
	settings_add(&settings, "SERVICES_ENABLE",
		     settings_keep(services, strlen(services)));
	settings_add(&settings, "CHANNEL_FLUSH_ON_EXIT", "false");
	return channel_create("spot.timeseries", &settings);
}
