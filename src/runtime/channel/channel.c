/* The life of channels: made of settings, started and stopped, flushed. */
#include "runtime/channel/channel.h"

#include "runtime/channel/channels.h"
#include "runtime/channel/code.h"
#include "runtime/channel/control.h"
#include "runtime/channel/event.h"
#include "runtime/channel/fault_report.h"
#include "runtime/channel/log.h"
#include "runtime/channel/output.h"
#include "runtime/channel/paths.h"
#include "runtime/channel/registry.h"
#include "runtime/channel/rows.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"
#include "runtime/channel/unsupported.h"
#include "runtime/channel/usage.h"
#include "runtime/events/events.h"
#include "runtime/events/recording.h"
#include "runtime/libraries/publisher.h"
#include "runtime/libraries/ranks.h"
#include "runtime/store/attributes.h"
#include "runtime/store/lock.h"
#include "runtime/store/memory.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"
#include "wire/context_channel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One channel is written at a time. */
static struct runtime_lock writing;

static pid_t maker; /* of the channels: a child of fork writes to other files */

static void add_metrics(struct channel *channel, const struct service *service)
{
	size_t count = service->metrics_of ? service->metrics_of(channel)
					   : service->metric_count;

	for (size_t i = 0; i < count; i++) {
		const struct service_metric *metric = &service->metrics[i];
		uint32_t number = channel->metric_count++;

		channel->metrics[number] = (struct channel_metric){
			metric, metric->kind, (uint16_t)metric->type,
			/* The time follows from the stamps. */
			!metric->ticks && metric->kind != SERVICE_AT_END};
		if (metric->kind != SERVICE_KEY || channel->key_count == CHANNEL_KEYS_MAX)
			continue;
		uint32_t attribute =
			attributes_create(metric->name, metric->type, TRM_AS_VALUE);

		if (attribute)
			channel->keys[channel->key_count++] = (struct channel_key){
				metric->name, attribute, (int)number};
	}
}

bool channel_has(const struct channel *channel, const char *service)
{
	for (uint32_t i = 0; i < channel->service_count; i++)
		if (!strcmp(channel->services[i]->name, service))
			return true;
	return false;
}

int channel_metric(const struct channel *channel, const char *name)
{
	for (uint32_t i = 0; i < channel->metric_count; i++)
		if (!strcmp(channel->metrics[i].metric->name, name))
			return (int)i;
	return -1;
}

static void add_service(struct channel *channel, const char *name)
{
	const struct service *service = service_find(name);
	const char *reason;

	if (!service) {
		const char *why = unsupported_why(name);
		const char *near = why ? NULL : settings_nearest(name, service_name_at);

		if (why)
			log_warn("'%s': the service '%s' cannot be had: %s",
				 channel->name, name, why);
		else
			log_warn("'%s': there is no service '%s'%s%s%s", channel->name,
				 name, near ? "; did you mean '" : "", near ? near : "",
				 near ? "'?" : "");
		return;
	}
	if (channel_has(channel, service->name))
		return;
	if (channel->service_count == CHANNEL_SERVICES_MAX ||
	    channel->metric_count + service->metric_count > CHANNEL_METRICS_MAX) {
		log_warn("'%s': the service '%s' cannot be had: there is no room "
			 "for more than %d services with %d metrics",
			 channel->name, name, CHANNEL_SERVICES_MAX, CHANNEL_METRICS_MAX);
		return;
	}
	reason = service->start ? service->start(channel) : NULL;
	if (reason) {
		log_warn("'%s': the service '%s' cannot be had: %s", channel->name, name,
			 reason);
		return;
	}
	channel->services[channel->service_count++] = service;
	log_inform("%s: Registered %s service", channel->name, name);
	channel->runs_user_code |= service->runs_user_code;
	if (service->sample)
		channel->samplers[channel->sampler_count++] =
			(struct channel_sampler){service->sample, channel->metric_count};
	add_metrics(channel, service);
	if (service->on_event && channel->looker_count < CHANNEL_LOOKERS_MAX)
		channel->lookers[channel->looker_count++] = service->on_event;
	if (service->on_snapshot)
		channel->sinks[channel->sink_count++] = service->on_snapshot;
}

static void add_services(struct channel *channel, const char *names)
{
	char name[64];

	for (size_t length; *names; names += length + (names[length] != '\0')) {
		length = strcspn(names, ", \t:");
		if (length >= sizeof(name))
			log_warn("'%s': there is no service '%.*s'", channel->name,
				 (int)length, names);
		if (!length || length >= sizeof(name))
			continue;
		memcpy(name, names, length);
		name[length] = '\0';
		add_service(channel, name);
	}
}

static bool take_slot(struct channel *channel)
{
	static uint32_t made;

	runtime_lock(&channels.lock);
	for (uint32_t i = 0; i < CHANNELS_MAX && !channel->used; i++) {
		if (channels.items[i])
			continue;
		channel->number = i;
		channel->id = ++made;
		channel->used = true;
		channels.items[i] = channel;
	}
	runtime_unlock(&channels.lock);
	return channel->used;
}

struct channel *channel_create(const char *name, const struct settings *settings)
{
	struct channel *channel =
		recording_ensure() ? runtime_map(sizeof(*channel)) : NULL;
	const char *services;

	if (!channel)
		return NULL;
	if (!take_slot(channel)) {
		log_warn("no room for the channel '%s': there are %d", name,
			 CHANNELS_MAX);
		runtime_unmap(channel, sizeof(*channel));
		return NULL;
	}
	if (!maker)
		maker = getpid();
	snprintf(channel->name, sizeof(channel->name), "%s", name);
	channel->settings = *settings;
	channel->stopped = settings_is_true(settings, "CHANNEL_STOPPED", false);
	if (settings_is_true(settings, "CHANNEL_MAIN_THREAD", false))
		channel->says |= CONTEXT_SAYS_MAIN;
	services = settings_get(settings, "SERVICES_ENABLE");
	add_services(channel, services ? services : "");
	channel->row_width = ROW_METRICS + 3 * channel->metric_count;
	if (channel->row_width < ROW_MIN_WIDTH)
		channel->row_width = ROW_MIN_WIDTH;
	paths_settle(channel);
	while ((channel->row_width * sizeof(uint64_t) << (channel->row_shift + 1)) +
		       sizeof(struct context_block) <=
	       CONTEXT_BLOCK)
		channel->row_shift++;
	return channel;
}

static uint32_t flags_of(const struct channel_metric *metric)
{
	return (metric->kind == SERVICE_AT_END ? CONTEXT_METRIC_AT_END : 0) |
	       (metric->kind == SERVICE_KEY ? CONTEXT_METRIC_KEY : 0) |
	       (metric->metric->ticks ? CONTEXT_METRIC_TICKS : 0) |
	       (metric->traced ? CONTEXT_METRIC_TRACED : 0);
}

/* What the channel measures, for those who read the spool. */
static struct context_channel *describe_channel(const struct channel *channel)
{
	struct context_channel *record = (void *)spool_block(CONTEXT_CHANNEL, 0, 1);

	if (!record)
		return NULL;
	record->begin = channel->clock.begin;
	memcpy(record->name, channel->name, sizeof(record->name));
	record->row_words = channel->row_width;
	record->row_shift = channel->row_shift;
	record->path_attribute = channel->paths ? channel->paths->attribute : 0;
	for (uint32_t i = 0; i < channel->metric_count; i++) {
		const struct channel_metric *metric = &channel->metrics[i];

		snprintf(record->metrics[i].name, sizeof(record->metrics[i].name), "%s",
			 metric->metric->name);
		record->metrics[i].type = metric->type;
		record->metrics[i].flags = flags_of(metric);
	}
	record->metric_count = channel->metric_count;
	record->lookups = channel->lookups;
	record->says = channel->says;
	record->active = channel->active;
	record->stopped = record->wanted = channel->stopped;
	record->head.clearing = channel->clearing;
	__atomic_store_n(&record->head.channel, channel->id, __ATOMIC_RELEASE);
	return record;
}

bool channel_describe(struct channel *channel)
{
	if (!channel->record)
		channel->record = describe_channel(channel);
	return channel->record != NULL;
}

struct context_block *channel_block(const struct channel_thread *own,
				    enum context_block_kind kind, uint32_t run)
{
	struct context_block *block = spool_block(kind, own->thread->number, run);

	if (!block)
		return NULL;
	block->clearing = own->clearing;
	__atomic_store_n(&block->channel, own->channel->id, __ATOMIC_RELEASE);
	return block;
}

struct channel *channel_at(uint32_t number)
{
	return number < CHANNELS_MAX ? channels.items[number] : NULL;
}

/* The clock that the channel needs runs; nothing measures with it yet. */
static void begin_channel(struct channel *channel)
{
	channel->clock.started = runtime_ticks();
	if (channel->clock.begin.ticks)
		return;
	channel->clock.begin = state_moment();
	if (channel->record && runtime_state->recording)
		channel->record->begin = channel->clock.begin;
}

/* Events are seen while a channel is active, also if it is stopped from outside: that it
 * is wanted again is seen at an event. Times are taken while one wants them. */
void channels_watch(struct channel *starting)
{
	uint32_t measuring = 0;
	bool timed = false, active = false;

	for (uint32_t i = 0; i < CHANNELS_MAX; i++) {
		struct channel *channel = channels.items[i];

		if (!channel || !channel->active)
			continue;
		active = true;
		if (channel->stopped)
			continue;
		measuring |= 1u << i;
		timed |= channel->timed;
	}
	__atomic_store_n(&channels.active, channels.active & measuring, __ATOMIC_RELEASE);
	recording_watch(channels.keeps | (active ? RUNTIME_CHANNELS : 0), timed);
	if (starting)
		begin_channel(starting);
	__atomic_store_n(&channels.active, measuring, __ATOMIC_RELEASE);
}

void channels_keep(void)
{
	channels.keeps = RUNTIME_KEEPS;
	channels_watch(NULL);
}

static bool set_active(struct channel *channel, bool active)
{
	channel->active = active;
	channel->generation++;
	channels_watch(channel_measures(channel) ? channel : NULL);
	channel_say_state(channel);
	return channel_measures(channel);
}

/* Its generation stays: what other threads have measured since is theirs. */
void channel_activate_thread(struct channel *channel, bool active)
{
	struct context_thread *thread;

	if (channel->also)
		channel_activate_thread(channel->also, active);
	if (channel->active && !channel->scoped)
		return; /* all threads are measured */
	if (!active)
		channel_close(channel);
	channel->scoped = true;
	channels_here[channel->number] = active ? channel->id : 0;
	if (!active)
		return;
	if (!channel->active)
		set_active(channel, true);
	thread = channel->stopped ? NULL : events_enter();
	if (!thread)
		return;
	channel_baseline(channel, thread);
	events_leave();
}

void channel_activate(struct channel *channel, bool active)
{
	struct context_thread *thread;

	if (channel->also)
		channel_activate(channel->also, active);
	if (channel->active == active && !channel->scoped)
		return;
	if (!active)
		channel_close(channel);
	channel->scoped = false;
	if (!set_active(channel, active))
		return;
	thread = events_enter();
	if (!thread)
		return;
	channel_baseline(channel, thread);
	events_leave();
}

void channel_clear(struct channel *channel)
{
	if (channel->also)
		channel_clear(channel->also);
	runtime_lock(&channel->lock);
	channel->clearing++;
	channel->generation++;
	channel->clock.started = runtime_ticks();
	if (channel->record && runtime_state->recording)
		channel->record->head.clearing = channel->clearing;
	if (channel->ended)
		channel_thread_destroy(channel->ended);
	channel->ended = NULL;
	runtime_unlock(&channel->lock);
}

static void finish_channel(struct channel *channel)
{
	for (uint32_t i = 0; i < channel->service_count; i++)
		if (channel->services[i]->finish)
			channel->services[i]->finish(channel);
}

void channel_destroy(struct channel *channel)
{
	finish_channel(channel);
	channel_activate(channel, false);
	if (channel->also)
		channel_destroy(channel->also);
	runtime_lock(&channels.lock);
	channels.items[channel->number] = NULL;
	runtime_unlock(&channels.lock);
	/* Other threads may look at the channel for a last time: it stays. */
	channel->threads = NULL;
	runtime_lock(&channel->lock);
	channel->values.held_count = 0;
	runtime_unlock(&channel->lock);
	if (channel->record && runtime_state->recording)
		spool_free(&channel->record->head);
	channel->record = NULL;
}

bool channel_is_caliper(const struct channel *channel)
{
	const char *dialect = settings_get(&channel->settings, "QUERY_DIALECT");

	return dialect ? !strcmp(dialect, "caliper") : channels.keeps;
}

void channel_output_add(struct channel *channel, const struct publish_output *output)
{
	if (channel->flush.output_count == CHANNEL_OUTPUTS_MAX)
		return;
	struct publish_output *added =
		&channel->flush.outputs[channel->flush.output_count++];

	*added = *output;
	if (!channel->flush.redirected)
		return;
	added->path = channel->flush.redirected;
	added->append = true;
}

/* What ranks_reduce() gave. */
struct reduction {
	struct channel *channel;
	publish_reduce *reduce;
	publish_spread *spread;
	void *processes;
};

/* Others may be waiting for threads of this process, which the channel's lock must not
 * hold up meanwhile. */
static bool reduce_sums(void *processes, const struct publish_sums *sums)
{
	struct reduction *reduction = processes;
	bool has_all;

	runtime_unlock(&reduction->channel->lock);
	has_all = reduction->reduce(reduction->processes, sums);
	runtime_lock(&reduction->channel->lock);
	return has_all;
}

static void spread_bytes(void *processes, void **bytes, uint64_t *size)
{
	struct reduction *reduction = processes;

	runtime_unlock(&reduction->channel->lock);
	reduction->spread(reduction->processes, bytes, size);
	runtime_lock(&reduction->channel->lock);
}

/* Whether all ranks write what is written now. */
static bool is_across(const struct channel *channel)
{
	for (uint32_t i = 0; i < channel->flush.output_count; i++)
		if (channel->flush.outputs[i].across)
			return true;
	return channel->mpi.across;
}

double channel_tick_ns(struct channel *channel)
{
	const uint64_t elapsed = runtime_clock_ns() - channel->clock.begin.ns;

	if (elapsed / 2 >= channel->clock.tick_elapsed_ns) {
		channel->clock.tick_ns = state_tick_ns(&channel->clock.begin);
		channel->clock.tick_elapsed_ns = elapsed;
	}
	return channel->clock.tick_ns;
}

static void publish_records(struct channel *channel)
{
	publish_channel_function *function =
		(publish_channel_function *)publisher_find(PUBLISH_CHANNEL);
	struct reduction reduction = {.channel = channel};
	size_t size;
	void *spool;

	if (!function)
		return;
	reduction.reduce = is_across(channel) ? ranks_reduce(&reduction.processes) : NULL;
	reduction.spread = reduction.reduce ? ranks_spread() : NULL;
	runtime_lock(&channel->lock);
	channel_describe(channel);
	if (channel->also)
		channel_describe(channel->also);
	spool = spool_gather(&size);
	function(&(struct publish_channel){
		.abi = PUBLISH_ABI,
		.name = channel->name,
		.fill = output_fill,
		.context = channel,
		.outputs = channel->flush.outputs,
		.output_count = channel->flush.output_count,
		.records = channel->flush.replaced,
		.lookups = channel->lookups,
		.spool = spool,
		.spool_size = size,
		.number = channel->id,
		.also = channel->also ? channel->also->id : 0,
		.ns_per_tick = channel_tick_ns(channel),
		.reduce = reduction.reduce ? reduce_sums : NULL,
		.spread = reduction.spread ? spread_bytes : NULL,
		.processes = &reduction,
	});
	runtime_unmap(spool, size);
	runtime_unlock(&channel->lock);
}

/* `alone`: the only output; NULL: what the services have. */
static void flush_as(struct channel *channel, const char *path,
		     const struct publish_output *alone)
{
	int saved = errno;

	if (runtime_sealed) /* no file may be opened any more */
		return;
	ranks_say(); /* which may make attributes */
	channel_close(channel);
	if (channel->also)
		channel_close(channel->also);
	if (!events_enter())
		return;
	log_inform("%s: Flushing", channel->name);
	runtime_lock(&writing);
	channel->flush.redirected = path;
	channel->flush.output_count = 0;
	for (uint32_t i = 0; !alone && i < channel->service_count; i++)
		if (channel->services[i]->flush)
			channel->services[i]->flush(channel);
	if (alone)
		channel_output_add(channel, alone);
	if (channel->flush.output_count)
		publish_records(channel);
	if (channel->record && !alone)
		channel->record->flushed = 1;
	channel->flush.flushes += !alone;
	runtime_unlock(&writing);
	events_leave();
	errno = saved;
}

void channel_flush(struct channel *channel)
{
	flush_as(channel, NULL, NULL);
}

void channel_flush_to(struct channel *channel, const char *path)
{
	flush_as(channel, path, NULL);
}

void channel_flush_of(struct channel *channel, const char *path)
{
	channel->flush.replaced = path;
	flush_as(channel, NULL, NULL);
	channel->flush.replaced = NULL;
}

void channel_report(struct channel *channel, const char *query, const char *path)
{
	flush_as(channel, NULL,
		 &(struct publish_output){
			 .query = query,
			 .path = path,
			 .append = true,
			 .caliper = channel_is_caliper(channel),
		 });
}

void channel_report_across(struct channel *channel, const char *query, const char *across,
			   const char *path)
{
	flush_as(channel, NULL,
		 &(struct publish_output){
			 .query = *query ? query : NULL,
			 .across = across,
			 .path = path,
			 .append = true,
			 .caliper = true,
		 });
}

bool channel_is_child(void)
{
	return maker && maker != getpid();
}

/* A child of fork has what it measures itself. */
void channels_resume(void)
{
	channels.lock.taken = writing.taken = 0;
	code_resume();
	for (uint32_t i = 0; i < CHANNELS_MAX; i++) {
		struct channel *channel = channels.items[i];

		if (!channel)
			continue;
		channel->lock.taken = 0;
		channel->threads = NULL;
		channel->ended = NULL;
		channel->record = NULL;
		if (channels_here[i] == channel->id)
			channels_here[i] += CHANNEL_CHILD;
		channel->id += CHANNEL_CHILD;
		channels_own[i] = NULL;
		channel->clock.started = runtime_ticks();
		channel->clock.begin = state_moment();
	}
}

/* What was wanted since the last event. */
static void obey_last(void)
{
	struct context_thread *thread =
		runtime_state->recording && runtime_spool->asked ? events_enter() : NULL;

	if (!thread)
		return;
	channels_obey(thread, thread->node, runtime_ticks());
	events_leave();
}

static bool flushes_at_end(const struct channel *channel)
{
	return settings_is_true(&channel->settings, "CHANNEL_FLUSH_ON_EXIT", true);
}

/* A channel that the program flushed by itself is its own business. In the order in
 * which channels were made, which is the same in all ranks. */
void channels_part(void)
{
	ranks_say();
	for (uint32_t i = 0; i < CHANNELS_MAX; i++) {
		struct channel *channel = channels.items[i];

		if (!channel || !runtime_state->recording || !channel->mpi.parts)
			continue;
		if (!channel->flush.flushes)
			channel_flush(channel);
		channel->mpi.parted = true;
	}
}

/* Whether nothing was said: a child has nothing to write then, nor has a program that may
 * know nothing of what its environment wants; what another one wrote to the same file
 * stays. What is measured without a word is not nothing. */
static bool is_silent(const struct channel *channel)
{
	if (channel_is_child())
		return !channel->threads;
	if (!channel->given || attributes_told() || !channel->triggers ||
	    channel->paths || channel->ended)
		return false;
	for (const struct channel_thread *own = channel->threads; own; own = own->next)
		if (own->rows.most || own->traced)
			return false;
	return true;
}

/* A rank that ends before the others waits for none of them. */
void channels_finish(void)
{
	bool any = false;

	obey_last();
	ranks_choose(NULL, true);
	for (uint32_t i = 0; i < CHANNELS_MAX; i++) {
		struct channel *channel = channels.items[i];

		if (!channel || !runtime_state->recording)
			continue;
		if (channel->active)
			finish_channel(channel);
		if (channel->mpi.parted ||
		    (channel->mpi.across && channel->flush.flushes) ||
		    is_silent(channel) || !flushes_at_end(channel))
			continue;
		channel_flush(channel);
		any = true;
	}
	/* A spool has them, too, for whoever reads it. */
	if (any && !recording_has_spool())
		faults_say();
	any = false;
	for (uint32_t i = 0; i < CHANNELS_MAX; i++) {
		if (!channels.items[i])
			continue;
		any |= channels.items[i]->active;
		channels.items[i]->active = false;
	}
	if (any)
		channels_watch(NULL);
	if (channels.keeps) /* programs with <caliper/cali.h> */
		usage_say();
}
