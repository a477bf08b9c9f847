/* Events of channels, told to the program: by a channel of their own with one service. */
#include "cali/own.h"

#include "caliper/cali-channel.h"
#include "trammel/channel.h"
#include "trammel/service.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVICE "cali.callbacks"

static const char prefix[] = "callbacks.";

/* Of a channel, by its number less 1. */
static struct watch {
	struct trm_channels *channels; /* NULL: nobody looks */
	cali_event_fn function;
	void *context;
} watches[OWN_CHANNELS];

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

/* The name of the channel says whose events these are. */
static void tell(const struct trm_service_event *event)
{
	size_t number;
	const struct watch *watch;

	if (kinds[event->kind] < 0 || strncmp(event->channel, prefix, strlen(prefix)))
		return;
	number = strtoul(event->channel + strlen(prefix), NULL, 10);
	if (number >= OWN_CHANNELS)
		return;
	watch = &watches[number];
	watch->function(watch->context, (enum cali_event_kind)kinds[event->kind],
			event->attribute, own_variant(event->value.type, &event->value));
}

static const struct trm_service service = {
	.abi = TRM_SERVICE_ABI,
	.name = SERVICE,
	.about = "functions of the program's own that see events (cali::Channel)",
	.event = tell,
};

static void add_service(void)
{
	own_host->add_watcher(&service);
}

PUBLIC bool cali_channel_watch(cali_id_t channel, cali_event_fn function, void *context)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
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
	watch->function = function;
	watch->context = context;
	watch->channels = trm_channels_create_of(name, pairs, false);
	if (!trm_channels_count(watch->channels)) {
		trm_channels_destroy(watch->channels);
		watch->channels = NULL;
	}
	if (cali_channel_is_active(channel))
		trm_channels_start(watch->channels);
	return watch->channels;
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
