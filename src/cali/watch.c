/* Events of channels, told to the program: by a channel of their own with one service. */
#include "cali/watch.h"

#include "cali/annotate.h"
#include "cali/configure.h"
#include "cali/own.h"
#include "cali/variant.h"
#include "trammel/service.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVICE "cali.callbacks"

static const char prefix[] = "callbacks.";

/* By channel: index is its number less 1. */
static struct watch {
	struct trm_channels *channels; /* NULL: no callbacks */
	struct cali_watcher watcher;
	void *context;
	uint32_t number; /* of this one alone, from 1 on */
} watches[OWN_CHANNELS];

/* By channel: the number of the watch that knows this thread already. */
static _Thread_local uint32_t knows[OWN_CHANNELS];
static pthread_key_t ends;

/* By enum trm_service_event_kind. */
static const signed char kinds[] = {
	[TRM_SERVICE_BEGIN] = CALI_EVENT_BEGIN,
	[TRM_SERVICE_END] = CALI_EVENT_END,
	[TRM_SERVICE_CHANGE] = CALI_EVENT_SET,
	[TRM_SERVICE_SET] = CALI_EVENT_SET,
	[TRM_SERVICE_START] = CALI_EVENT_BEGIN,
	[TRM_SERVICE_UNSET] = CALI_EVENT_END,
	[TRM_SERVICE_ITERATION] = -1,
	[TRM_SERVICE_PUSH] = -1,
	[TRM_SERVICE_SAMPLE] = -1,
	[TRM_RUNTIME_BEGAN] = CALI_EVENT_BEGAN,
};

static void tell_thread(const struct watch *watch, enum cali_event_kind kind)
{
	watch->watcher.event(watch->context, kind, CALI_INV_ID,
			     cali_make_empty_variant());
}

/* A thread's first event in the channel. */
static void know_thread(const struct watch *watch)
{
	uint32_t *known = &knows[watch - watches];

	if (*known == watch->number)
		return;
	*known = watch->number;
	pthread_setspecific(ends, knows);
	tell_thread(watch, CALI_EVENT_THREAD);
}

static void end_thread(void *unused)
{
	(void)unused;
	for (size_t i = 0; i < OWN_CHANNELS; i++)
		if (watches[i].channels && knows[i] == watches[i].number)
			tell_thread(&watches[i], CALI_EVENT_THREAD_END);
}

void own_tell_attribute(cali_id_t attribute)
{
	for (size_t i = 0; i < OWN_CHANNELS; i++)
		if (watches[i].channels)
			watches[i].watcher.event(watches[i].context, CALI_EVENT_ATTRIBUTE,
						 attribute, cali_make_empty_variant());
}

/* Whether it sees what is none of events now. */
static bool is_watching(size_t i)
{
	return watches[i].channels && cali_channel_is_active(i + 1);
}

void own_tell_snapshot(cali_id_t channel, int n, const cali_id_t attributes[],
		       const cali_variant_t values[])
{
	for (size_t i = 0; i < OWN_CHANNELS; i++)
		if (is_watching(i) && watches[i].watcher.snapshot &&
		    (channel == CALI_INV_ID || channel == i + 1))
			watches[i].watcher.snapshot(watches[i].context, n, attributes,
						    values);
}

void own_tell_value(cali_id_t channel, enum cali_event_kind kind, cali_id_t attribute,
		    cali_variant_t value)
{
	if (is_watching(channel - 1))
		watches[channel - 1].watcher.event(watches[channel - 1].context, kind,
						   attribute, value);
}

void own_tell_track(const void *place, const char *label, size_t element_size,
		    const size_t *dimensions, size_t dimension_count)
{
	for (size_t i = 0; i < OWN_CHANNELS; i++)
		if (is_watching(i) && watches[i].watcher.track)
			watches[i].watcher.track(watches[i].context, place, label,
						 element_size, dimensions,
						 dimension_count);
}

void own_tell_untrack(const void *place)
{
	for (size_t i = 0; i < OWN_CHANNELS; i++)
		if (is_watching(i) && watches[i].watcher.untrack)
			watches[i].watcher.untrack(watches[i].context, place);
}

/* The name of the channel says whose events these are. */
static void tell_event(const struct trm_service_event *event)
{
	size_t number;
	const struct watch *watch;

	if (kinds[event->kind] < 0 || strncmp(event->channel, prefix, strlen(prefix)))
		return;
	number = strtoul(event->channel + strlen(prefix), NULL, 10);
	if (number >= OWN_CHANNELS)
		return;
	watch = &watches[number];
	know_thread(watch);
	watch->watcher.event(watch->context, (enum cali_event_kind)kinds[event->kind],
			     own_id(event->attribute),
			     own_variant(event->value.type, &event->value));
}

static const struct trm_service service = {
	.abi = TRM_SERVICE_ABI,
	.name = SERVICE,
	.about = "functions of the program's own that see events (cali::Channel)",
	.event = tell_event,
};

static void add_service(void)
{
	own_host->add_watcher(&service);
	pthread_key_create(&ends, end_thread);
}

PUBLIC bool cali_channel_watch_all(cali_id_t channel, const struct cali_watcher *watcher,
				   void *context)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	static uint32_t count;
	static const char *const pairs[][2] = {
		{"CALI_SERVICES_ENABLE", "event," SERVICE},
		{"CALI_CHANNEL_FLUSH_ON_EXIT", "false"},
		{NULL, NULL},
	};
	char name[32];
	struct watch *watch;

	if (!own_ready() || !own_channel(channel) || watches[channel - 1].channels)
		return false;
	pthread_once(&once, add_service);
	snprintf(name, sizeof(name), "%s%zu", prefix, (size_t)channel - 1);
	watch = &watches[channel - 1];
	watch->watcher = *watcher;
	watch->context = context;
	watch->number = ++count;
	knows[channel - 1] = watch->number;
	watch->channels = trm_channels_create_of(name, pairs, false);
	if (!trm_channels_count(watch->channels)) {
		trm_channels_destroy(watch->channels);
		watch->channels = NULL;
	}
	if (cali_channel_is_active(channel))
		trm_channels_start(watch->channels);
	return watch->channels;
}

PUBLIC bool cali_channel_watch(cali_id_t channel, cali_event_fn function, void *context)
{
	return cali_channel_watch_all(channel, &(struct cali_watcher){.event = function},
				      context);
}

struct trm_channels *own_watch(cali_id_t channel)
{
	return channel - 1 < OWN_CHANNELS ? watches[channel - 1].channels : NULL;
}

void own_forget(cali_id_t channel)
{
	trm_channels_destroy(own_watch(channel));
	if (own_watch(channel))
		watches[channel - 1].channels = NULL;
}
