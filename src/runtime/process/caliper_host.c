#include "runtime/process/caliper_host.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/log.h"
#include "runtime/channel/settings.h"
#include "runtime/channel/snapshot_values.h"
#include "runtime/config/config_text.h"
#include "runtime/config/configure.h"
#include "runtime/events/caliper_host_api.h"
#include "runtime/events/events.h"
#include "runtime/events/spans.h"
#include "runtime/libraries/publisher.h"
#include "runtime/process/groups.h"
#include "runtime/process/start.h"
#include "runtime/service/calls/async_event.h"
#include "runtime/service/calls/heap.h"
#include "runtime/service/external_services.h"
#include "runtime/store/attributes.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"
#include "runtime/store/values.h"

#include "trammel/service.h"

#include <errno.h>

static bool describe_attribute(trm_attribute attribute, const char **ret_name,
			       uint32_t *ret_type, uint32_t *ret_properties)
{
	const struct context_attribute *known = attributes_get(attribute);

	if (!known)
		return false;
	*ret_name = strings_at(known->name)->bytes;
	*ret_type = known->type;
	*ret_properties = known->properties;
	return true;
}

static void say_property(trm_attribute attribute, trm_attribute key,
			 const struct trm_value *value)
{
	const struct context_attribute *known = attributes_get(key);
	struct context_thread *thread = known ? events_enter() : NULL;
	uint64_t bits;

	if (!thread)
		return;
	if (events_to_bits(known, value, &bits))
		attributes_say(attribute, key, bits);
	events_leave();
}

struct visiting {
	trm_runtime_visit *visit;
	void *context;
	bool stopped;
};

static void visit_one(void *context, uint32_t attribute, uint64_t bits)
{
	struct visiting *visiting = context;
	const struct context_attribute *known = attributes_get(attribute);

	if (visiting->stopped || !known || known->properties & TRM_HIDDEN)
		return;
	const struct trm_value value = values_from_bits(known, bits);

	visiting->stopped = !visiting->visit(visiting->context, attribute, &value);
}

static void visit_attributes(trm_runtime_visit *function, void *context)
{
	struct visiting visiting = {function, context, false};
	struct context_thread *thread = events_enter();

	if (!thread)
		return;
	for (const struct context_node *node = thread->node; node->parent;
	     node = node->parent)
		visit_one(&visiting, node->attribute, node->value);
	for (uint32_t i = 1; i < values_room(); i++) {
		const struct moment *moment = values_get(i);

		if (moment)
			visit_one(&visiting, i, moment->bits);
	}
	values_each_process(visit_one, &visiting);
	events_leave();
}

struct pulling {
	trm_snapshot_visit *visit;
	void *context;
	size_t count;
};

static bool pull_one(void *context, trm_attribute attribute,
		     const struct trm_value *value)
{
	struct pulling *pulling = context;

	pulling->count++;
	return pulling->visit(pulling->context,
			      strings_at(attributes_get(attribute)->name)->bytes, value);
}

__attribute__((visibility("default"))) size_t
trm_snapshot_pull(trm_snapshot_visit *function, void *context)
{
	struct pulling pulling = {function, context, 0};
	int saved = errno;

	if (runtime_self)
		visit_attributes(pull_one, &pulling);
	errno = saved;
	return pulling.count;
}

static bool wishes_of(const struct channel *channel, const struct trm_runtime_wish *wish)
{
	return channel && channel_measures(channel) &&
	       channel_has(channel, wish->service) &&
	       (!wish->also || channel_has(channel, wish->also)) &&
	       settings_is_true(&channel->settings, wish->key, wish->otherwise);
}

static bool is_wanted(const struct trm_runtime_wish *wish)
{
	for (uint32_t i = 0; i < CHANNELS_MAX; i++)
		if (wishes_of(channel_at(i), wish))
			return true;
	return false;
}

static void push_value(const struct trm_runtime_wish *wish,
		       const trm_attribute *attributes, const struct trm_value *values,
		       size_t count)
{
	struct channel *wanted_of[CHANNELS_MAX];
	size_t found = 0;

	for (uint32_t i = 0; i < CHANNELS_MAX; i++) {
		struct channel *channel = channel_at(i);

		if (channel && (!wish || wishes_of(channel, wish)))
			wanted_of[found++] = channel;
	}
	channels_give(wanted_of, found,
		      &(struct given_values){attributes, values, count});
}

static void flush_all(bool clear)
{
	for (uint32_t i = 0; i < CHANNELS_MAX; i++) {
		struct channel *channel = channel_at(i);

		if (channel)
			channel_flush(channel);
		if (channel && clear)
			channel_clear(channel);
	}
}

static bool run_query(struct trm_runtime_query *query)
{
	publish_query_function *function =
		(publish_query_function *)publisher_find(PUBLISH_QUERY);
	struct publish_query request = {
		.abi = PUBLISH_ABI,
		.text = query->text,
		.profile = query->profile,
		.path = query->path,
		.message = query->message,
		.message_size = query->message_size,
	};
	bool right = function && function(&request);

	query->place = request.place;
	return right;
}

static struct trm_runtime_host host = {
	.size = sizeof(host),
	.events = &events_api,
	.find = attributes_find,
	.describe = describe_attribute,
	.say = say_property,
	.begin_text = events_begin_text,
	.end_text = events_end_text,
	.get = events_get,
	.visit = visit_attributes,
	.wanted = is_wanted,
	.push = push_value,
	.push_to = channels_push_to,
	.add = channels_add_to,
	.hold = channels_hold_in,
	.held = channels_held,
	.setting = channels_setting,
	.part = channels_one_of,
	.warn = log_warn,
	.set_usual = settings_set_usual,
	.configure = channels_configure,
	.read_file = settings_read_file,
	.flush_all = flush_all,
	.sums = channels_sums,
	.report = channels_report,
	.async = async_event_say,
	.report_across = channels_report_across,
	.query = run_query,
	.add_watcher = external_service_add_watcher,
	.ask = config_text_ask,
	.has = channels_have,
	.is_true = channels_are_true,
	.flush_of = channels_flush_of,
	.watch_heap = heap_watch,
};

__attribute__((visibility("default"))) const struct trm_runtime_host *
trm_runtime_host(void)
{
	if (!start_host())
		return NULL;
	channels_keep();
	spans_join_host(&host);
	return &host;
}
