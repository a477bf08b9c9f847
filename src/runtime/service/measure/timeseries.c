/*
 * timeseries: what a profile of regions has between one snapshot of the channel and the
 * next. The profile is a channel of its own, `also` of this one, whose rows are told
 * apart by the number of the snapshot that comes next: timeseries.snapshot, which the
 * snapshots have, too.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/event.h"
#include "runtime/channel/log.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"
#include "runtime/channel/unsupported.h"
#include "runtime/config/configurations.h"
#include "runtime/events/hooks.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct service_metric metrics[] = {
	{"timeseries.snapshot", SERVICE_GAUGE, TRM_TYPE_UINT, false},
	{"timeseries.starttime", SERVICE_GAUGE, TRM_TYPE_DOUBLE, false},
	{"timeseries.duration", SERVICE_GAUGE, TRM_TYPE_DOUBLE, false},
};

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void timeseries_put(uint64_t *to, double value)
{
	memcpy(to, &value, sizeof(value));
}

static void timeseries_sample(struct channel_thread *own,
			      const struct runtime_event *event, uint64_t *ret_values)
{
	struct channel *channel = own->channel;
	double now = seconds_now(), before = channel->service_data.series_second;

	/* Not a snapshot, but where measuring begins. */
	if (own->generation != channel->generation) {
		if (before == 0)
			channel->service_data.series_second = now;
		return;
	}
	/* What the thread did until now is of this snapshot. */
	channel_settle(channel->also, own->thread, event->before, event->now);
	ret_values[0] = channel->also->service_data.series++;
	timeseries_put(&ret_values[1], before);
	timeseries_put(&ret_values[2], now - before);
	channel->service_data.series_second = now;
}

/* Services and settings of an option of reports, NAME or NAME=VALUE. */
static void add_option(const struct channel *channel, struct settings *settings,
		       char *services, size_t size, char *text)
{
	char *sign = strchr(text, '='), key[64];
	const struct configuration_option *option;
	size_t used = strlen(services);

	if (sign)
		*sign = '\0';
	option = configuration_option_find(text);
	if (!option) {
		const char *why = unsupported_why(text);
		const char *near = settings_nearest(text, configuration_option_name_at);

		log_warn("%s: timeseries: Profile config error: Unknown option: %s%s%s%s",
			 channel->name, text,
			 why || near ? why ? ": " : "; did you mean '" : "",
			 why    ? why
			 : near ? near
				: "",
			 !why && near ? "'?" : "");
		return;
	}
	if (option->services && used < size)
		snprintf(services + used, size - used, ",%s", option->services);
	if (!option->setting)
		return;
	snprintf(key, sizeof(key), "%.*s", (int)strcspn(option->setting, "="),
		 option->setting);
	settings_add(settings, key, sign ? sign + 1 : "true");
}

static const char *timeseries_start(struct channel *channel)
{
	const char *options =
		settings_get(&channel->settings, "TIMESERIES_PROFILE_OPTIONS");
	char services[1024] = "event,timer,aggregate,timeseries_profile", word[128];
	struct settings settings = {.count = 0};

	if (channel->also)
		return "the channel has another one beside it";
	for (size_t length; options && *options;
	     options += length + (options[length] == ',')) {
		length = strcspn(options, ",");
		snprintf(word, sizeof(word), "%.*s", (int)length, options);
		if (length)
			add_option(channel, &settings, services, sizeof(services), word);
	}
	settings_add(&settings, "SERVICES_ENABLE", services);
	settings_add(&settings, "CHANNEL_FLUSH_ON_EXIT", "false");
	channel->also = channel_create("timeseries.profile", &settings);
	channel->timed = true;
	return channel->also ? NULL : "there is no room for its profile";
}

static void timeseries_finish(struct channel *channel)
{
	log_inform("%s: timeseries: Processed %llu snapshots", channel->name,
		   (unsigned long long)channel->also->service_data.series);
}

const struct service service_timeseries = {
	.name = "timeseries",
	.about = "a profile of regions from each snapshot to the next",
	.keys = "TIMESERIES_PROFILE_OPTIONS",
	.metrics = metrics,
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.start = timeseries_start,
	.sample = timeseries_sample,
	.finish = timeseries_finish,
};

/* The profile's part of it. */
static const struct service_metric keys[] = {
	{"timeseries.snapshot", SERVICE_KEY, TRM_TYPE_UINT, false},
};

static void sample_key(struct channel_thread *own, const struct runtime_event *event,
		       uint64_t *ret_values)
{
	(void)event;
	ret_values[0] =
		__atomic_load_n(&own->channel->service_data.series, __ATOMIC_RELAXED);
}

const struct service service_timeseries_profile = {
	.name = "timeseries_profile",
	.about = "tells the snapshots of the service timeseries apart, in its profile",
	.metrics = keys,
	.metric_count = sizeof(keys) / sizeof(keys[0]),
	.sample = sample_key,
};
