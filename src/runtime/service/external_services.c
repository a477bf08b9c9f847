/*
 * Services from outside: their functions know nothing of channels. A function of a
 * service is not told which service it is called for, so each place has functions of its
 * own.
 */
#include "runtime/service/external_services.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/log.h"
#include "runtime/channel/registry.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"
#include "runtime/events/caliper_host_api.h"
#include "runtime/events/hooks.h"
#include "runtime/service/table.h"
#include "runtime/store/attributes.h"
#include "runtime/store/lock.h"
#include "runtime/store/strings.h"
#include "runtime/store/values.h"

#include "trammel/service.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	struct runtime_lock lock;
	uint32_t count;
	const struct trm_service *given[TRM_SERVICES_MAX];
	struct service services[TRM_SERVICES_MAX];
	struct service_metric metrics[TRM_SERVICES_MAX][TRM_SERVICE_METRICS_MAX];
} outside;

static const char *setting_of(const void *context, const char *key)
{
	const struct channel *channel = context;

	return settings_get(&channel->settings, key);
}

static const char *start_at(uint32_t place, struct channel *channel)
{
	return outside.given[place]->start(setting_of, channel);
}

static void sample_at(uint32_t place, uint64_t *ret_values)
{
	int saved = errno;

	outside.given[place]->sample(ret_values);
	errno = saved;
}

static void take_at(uint32_t place, const struct channel_thread *own,
		    const struct runtime_event *event)
{
	const struct context_attribute *known =
		event->attribute ? attributes_get(event->attribute) : NULL;
	struct trm_service_event told = {
		.kind = event->kind,
		.attribute = event->attribute,
		.channel = own->channel->name,
	};
	int saved = errno;

	if (known) {
		told.name = strings_at(known->name)->bytes;
		told.value = values_from_bits(known, event->value);
	}
	outside.given[place]->event(&told);
	errno = saved;
}

#define PLACES(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

#define DEFINE_PLACE(n)                                                                  \
	static const char *start_##n(struct channel *channel)                            \
	{                                                                                \
		return start_at(n, channel);                                             \
	}                                                                                \
	static void sample_##n(struct channel_thread *own,                               \
			       const struct runtime_event *event, uint64_t *ret_values)  \
	{                                                                                \
		(void)own;                                                               \
		(void)event;                                                             \
		sample_at(n, ret_values);                                                \
	}                                                                                \
	static void take_##n(struct channel_thread *own,                                 \
			     const struct runtime_event *event)                          \
	{                                                                                \
		take_at(n, own, event);                                                  \
	}                                                                                \
	static void flush_##n(struct channel *channel)                                   \
	{                                                                                \
		outside.given[n]->flush(channel->name);                                  \
	}
PLACES(DEFINE_PLACE)

#define ROW(n)                                                                           \
	{.start = start_##n,                                                             \
	 .sample = sample_##n,                                                           \
	 .on_snapshot = take_##n,                                                        \
	 .flush = flush_##n},
static const struct service places[TRM_SERVICES_MAX] = {PLACES(ROW)};

/* Both sides count these alike. */
_Static_assert((int)TRM_SERVICE_DELTA == (int)SERVICE_DELTA &&
		       (int)TRM_SERVICE_KEY == (int)SERVICE_KEY &&
		       (int)TRM_SERVICE_BEGIN == (int)RUNTIME_BEGIN &&
		       (int)TRM_SERVICE_SAMPLE == (int)RUNTIME_SAMPLE,
	       "trammel/service.h");
_Static_assert((int)TRM_RUNTIME_BEGAN == (int)RUNTIME_BEGAN,
	       "runtime/process/caliper_host.h");

static void fill_service(uint32_t place, const struct trm_service *given, bool tells)
{
	struct service *service = &outside.services[place];

	for (size_t i = 0; i < given->metric_count; i++)
		outside.metrics[place][i] = (struct service_metric){
			given->metrics[i].name, given->metrics[i].kind,
			given->metrics[i].type, false};
	*service = (struct service){
		.name = given->name,
		.about = given->about,
		.metrics = outside.metrics[place],
		.metric_count = given->metric_count,
		.start = given->start ? places[place].start : NULL,
		.sample = given->sample ? places[place].sample : NULL,
		.on_snapshot = given->event ? places[place].on_snapshot : NULL,
		.end_thread = given->end_thread,
		.flush = given->flush ? places[place].flush : NULL,
		.runs_user_code = tells,
	};
	outside.given[place] = given;
}

static bool is_there(const char *name)
{
	const char *known;

	services_register();
	for (size_t i = 0; (known = service_name_at(i)); i++)
		if (!strcmp(known, name))
			return true;
	return false;
}

static const char *wrong_metrics(const struct trm_service *given)
{
	if (given->metric_count > TRM_SERVICE_METRICS_MAX)
		return "it has more than 16 metrics";
	if (given->metric_count && !given->sample)
		return "it has metrics and no function 'sample'";
	for (size_t i = 0; i < given->metric_count; i++) {
		const struct trm_service_metric *metric = &given->metrics[i];

		if (!metric->name || !*metric->name || metric->kind > TRM_SERVICE_KEY ||
		    (metric->type != TRM_TYPE_INT && metric->type != TRM_TYPE_UINT &&
		     metric->type != TRM_TYPE_DOUBLE))
			return "a metric has no name, kind or type of a number";
	}
	return NULL;
}

static const char *add_service(const struct trm_service *given, bool tells)
{
	const char *wrong;

	/* No other word of another version is where this one looks for it. */
	if (given->abi != TRM_SERVICE_ABI)
		return "it was built for another version of trammel/service.h; build it "
		       "again";
	if (!given->name || !*given->name)
		return "it has no name";
	wrong = wrong_metrics(given);
	if (wrong)
		return wrong;
	runtime_lock(&outside.lock);
	if (is_there(given->name))
		wrong = "there is a service of this name";
	else if (outside.count == TRM_SERVICES_MAX)
		wrong = "there are 8 services from outside already";
	else
		fill_service(outside.count, given, tells);
	if (!wrong)
		__atomic_store_n(&outside.count, outside.count + 1, __ATOMIC_RELEASE);
	runtime_unlock(&outside.lock);
	return wrong;
}

__attribute__((visibility("default"))) const char *
trm_service_add(const struct trm_service *given)
{
	return add_service(given, false);
}

const char *external_service_add_watcher(const struct trm_service *given)
{
	return add_service(given, true);
}

static void load_service(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct trm_service *const *list =
		library ? dlsym(library, "trm_services") : NULL;

	if (!list)
		log_warn("TRAMMEL_SERVICE_LIBRARIES: '%s' has no services: %s", path,
			 dlerror());
	for (; list && *list; list++) {
		const struct trm_service *given = *list;
		const char *wrong = trm_service_add(given);

		if (wrong && given->abi != TRM_SERVICE_ABI)
			log_warn("'%s': a service cannot be had: it was built for "
				 "version %u of trammel/service.h, and this is "
				 "version %d; build it again",
				 path, given->abi, TRM_SERVICE_ABI);
		else if (wrong)
			log_warn("'%s': the service '%s' cannot be had: %s", path,
				 given->name ? given->name : "", wrong);
	}
}

static void load_all(void)
{
	/* Whoever runs a program that gives rights must not load code into it. */
	const char *at =
		runtime_sealed ? NULL : secure_getenv("TRAMMEL_SERVICE_LIBRARIES");
	char path[4096];

	while (at && *at) {
		size_t length = strcspn(at, ":");

		if (length && length < sizeof(path)) {
			memcpy(path, at, length);
			path[length] = '\0';
			load_service(path);
		}
		at += length + (at[length] == ':');
	}
}

void external_services_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_all);
}

const struct service *external_service_at(size_t index)
{
	return index < __atomic_load_n(&outside.count, __ATOMIC_ACQUIRE)
		       ? &outside.services[index]
		       : NULL;
}
