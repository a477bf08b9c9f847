/*
 * A service from outside, as a library; ABI: of which version. With -DPROGRAM a program
 * that adds it by itself. `services.py` knows what must come of it.
 */
#include <trammel/channel.h>
#include <trammel/service.h>

#include <stdio.h>
#include <string.h>

#ifndef ABI
#define ABI TRM_SERVICE_ABI
#endif

static _Thread_local uint64_t calls;
static unsigned begins, ends, texts;

static const char *start(const char *(*setting)(const void *context, const char *key),
			 const void *context)
{
	return setting(context, "TICKER_FAILS");
}

static void sample(uint64_t *ret_values)
{
	ret_values[0] = ++calls;
	ret_values[1] = 7;
}

static void event(const struct trm_service_event *event)
{
	begins += event->kind == TRM_SERVICE_BEGIN;
	ends += event->kind == TRM_SERVICE_END;
	texts += event->name && !strcmp(event->name, "region") &&
		 event->value.type == TRM_TYPE_STRING &&
		 strlen(event->value.as.bytes) == event->value.size;
}

static void flush(const char *channel)
{
	fprintf(stderr, "ticker of %s: %u begins, %u ends, %u texts\n", channel, begins,
		ends, texts);
}

static const struct trm_service_metric metrics[] = {
	{"ticker.calls", TRM_SERVICE_DELTA, TRM_TYPE_UINT},
	{"ticker.seven", TRM_SERVICE_GAUGE, TRM_TYPE_INT},
};

static const struct trm_service ticker = {
	.abi = ABI,
	.name = "ticker",
	.about = "counts snapshots",
	.metrics = metrics,
	.metric_count = 2,
	.start = start,
	.sample = sample,
	.event = event,
	.flush = flush,
};

#ifndef PROGRAM
const struct trm_service *const trm_services[] = {&ticker, NULL};
#else
static const char *wrong(struct trm_service service)
{
	const char *text = trm_service_add(&service);

	return text ? text : "nothing";
}

static void mistakes(void)
{
	struct trm_service other = ticker;

	printf("again: %s\n", wrong(ticker));
	other.abi = 99;
	printf("version: %s\n", wrong(other));
	other = ticker;
	other.name = "timer";
	printf("name: %s\n", wrong(other));
	other.name = "many";
	other.metric_count = TRM_SERVICE_METRICS_MAX + 1;
	printf("many: %s\n", wrong(other));
	other.metric_count = 2;
	other.sample = NULL;
	printf("sample: %s\n", wrong(other));
}

/* As "name=value ". */
static bool print_one(void *context, const char *name, const struct trm_value *value)
{
	if (value->type == TRM_TYPE_STRING)
		printf("%s=%s ", name, (const char *)value->as.bytes);
	else
		printf("%s=%lld ", name, (long long)value->as.i);
	return --*(int *)context > 0;
}

/* What is open, no more than so many. */
static void pull(int most)
{
	printf("%zu seen\n", trm_snapshot_pull(print_one, &most));
}

static void pulls(void)
{
	trm_attribute value = trm_attribute_create("value", TRM_TYPE_INT, TRM_AS_VALUE);

	pull(9);
	trm_begin("region", "work");
	trm_begin("level", 3);
	trm_set(value, 17);
	pull(9);
	pull(2);
	trm_end("level");
	trm_end("region");
	pull(9);
	fflush(stdout);
}

int main(void)
{
	static const char *const pairs[][2] = {
		{"SERVICES_ENABLE", "event,aggregate,report,ticker"},
		{"REPORT_CONFIG",
		 "SELECT path, sum(sum#ticker.calls) AS calls FORMAT json"},
		{NULL, NULL}};
	const char *text = trm_service_add(&ticker);
	struct trm_channels *channels;

	printf("first: %s\n", text ? text : "nothing");
	mistakes();
	fflush(stdout);
	channels = trm_channels_create_of("own", pairs, false);
	pull(9);
	trm_channels_start(channels);
	pulls();
	for (int i = 0; i < 4; i++) {
		trm_begin("region", "work");
		trm_end("region");
	}
	trm_channels_flush(channels);
	trm_channels_destroy(channels);
	return 0;
}
#endif
