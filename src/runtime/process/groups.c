/* Groups of channels for programs: include/trammel/channel.h. */
#include "runtime/process/groups.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/channel_values.h"
#include "runtime/channel/event.h"
#include "runtime/channel/registry.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"
#include "runtime/channel/snapshot_values.h"
#include "runtime/channel/sums.h"
#include "runtime/config/config_text.h"
#include "runtime/config/specs.h"
#include "runtime/events/caliper_host_api.h"
#include "runtime/libraries/ranks.h"
#include "runtime/process/start.h"
#include "runtime/service/table.h"
#include "runtime/store/lock.h"
#include "runtime/store/memory.h"

#include "trammel/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

enum { MESSAGE_MAX = 2048, GROUPS_MAX = 128 };

struct trm_channels {
	struct channel *items[CHANNELS_MAX];
	size_t count;
	bool used, is_part; /* of another group, whose the channel is */
	char message[MESSAGE_MAX];
};

static struct {
	struct runtime_lock lock;
	struct trm_channels *items[GROUPS_MAX];
} groups;

static struct trm_channels *new_group(void)
{
	struct trm_channels *found = NULL;

	runtime_lock(&groups.lock);
	for (size_t i = 0; i < GROUPS_MAX && !found; i++) {
		if (!groups.items[i])
			groups.items[i] = runtime_map(sizeof(*found));
		if (groups.items[i] && !groups.items[i]->used)
			found = groups.items[i];
	}
	if (found) {
		found->used = true;
		found->count = 0;
		found->is_part = false;
		found->message[0] = '\0';
	}
	runtime_unlock(&groups.lock);
	return found;
}

PUBLIC struct trm_channels *trm_channels_create_with(struct trm_specs *specs,
						     const char *configuration)
{
	struct trm_channels *group = new_group();

	start_library();
	if (group)
		group->count =
			config_text_create(specs, configuration, false, group->items,
					   group->message, sizeof(group->message));
	return group;
}

PUBLIC struct trm_channels *trm_channels_create(const char *configuration)
{
	return trm_channels_create_with(NULL, configuration);
}

PUBLIC struct trm_channels *trm_channels_create_of(const char *name,
						   const char *const (*pairs)[2],
						   bool reads_environment)
{
	static struct settings settings; /* too large for a stack */
	static struct runtime_lock lock;
	struct trm_channels *group = new_group();

	if (!group)
		return NULL;
	start_library();
	runtime_lock(&lock);
	settings = (struct settings){.reads_environment = reads_environment};
	for (; pairs && (*pairs)[0] && (*pairs)[1]; pairs++)
		settings_add(&settings, (*pairs)[0], (*pairs)[1]);
	group->items[0] = channel_create(name, &settings);
	group->count = group->items[0] != NULL;
	runtime_unlock(&lock);
	return group;
}

struct trm_channels *channels_one_of(const struct trm_channels *group, size_t number,
				     const char **ret_name)
{
	struct trm_channels *part = group && number < group->count ? new_group() : NULL;

	if (!part)
		return NULL;
	part->items[0] = group->items[number];
	part->count = 1;
	part->is_part = true;
	*ret_name = part->items[0]->name;
	return part;
}

PUBLIC void trm_channels_destroy(struct trm_channels *group)
{
	for (size_t i = 0; group && !group->is_part && i < group->count; i++)
		channel_destroy(group->items[i]);
	if (group)
		group->used = false;
}

PUBLIC const char *trm_channels_message(const struct trm_channels *group)
{
	return group ? group->message : "there is no memory for channels";
}

PUBLIC const char *trm_channels_configuration(size_t number, const char **ret_about)
{
	return trm_specs_configuration(NULL, number, ret_about);
}

PUBLIC const char *trm_channels_option(const char *configuration, size_t number,
				       const char **ret_about)
{
	return trm_specs_option(NULL, configuration, number, ret_about);
}

PUBLIC const char *trm_channels_service(size_t number, const char **ret_about,
					const char **ret_settings)
{
	const struct service *found;

	services_register();
	found = service_at(number);
	if (found) {
		*ret_about = found->about;
		*ret_settings = found->keys ? found->keys : "";
	}
	return found ? found->name : NULL;
}

PUBLIC size_t trm_channels_count(const struct trm_channels *group)
{
	return group ? group->count : 0;
}

PUBLIC void trm_channels_start(struct trm_channels *group)
{
	for (size_t i = 0; group && i < group->count; i++)
		channel_activate(group->items[i], true);
}

PUBLIC void trm_channels_stop(struct trm_channels *group)
{
	for (size_t i = 0; group && i < group->count; i++)
		channel_activate(group->items[i], false);
}

PUBLIC void trm_channels_start_thread(struct trm_channels *group)
{
	for (size_t i = 0; group && i < group->count; i++)
		channel_activate_thread(group->items[i], true);
}

PUBLIC void trm_channels_stop_thread(struct trm_channels *group)
{
	for (size_t i = 0; group && i < group->count; i++)
		channel_activate_thread(group->items[i], false);
}

PUBLIC bool trm_channels_are_active(const struct trm_channels *group)
{
	return group && group->count && group->items[0]->active;
}

PUBLIC void trm_channels_flush(struct trm_channels *group)
{
	for (size_t i = 0; group && i < group->count; i++)
		channel_flush(group->items[i]);
}

PUBLIC bool trm_channels_are_across(const struct trm_channels *group)
{
	for (size_t i = 0; group && i < group->count; i++)
		if (group->items[i]->mpi.across)
			return true;
	return false;
}

PUBLIC void trm_channels_flush_across(struct trm_channels *group,
				      const void *communicator, const char *path)
{
	ranks_choose(communicator, !communicator);
	for (size_t i = 0; group && i < group->count; i++)
		channel_flush_to(group->items[i], path);
	ranks_choose(NULL, false);
}

void channels_flush_of(struct trm_channels *group, const char *path)
{
	for (size_t i = 0; group && i < group->count; i++)
		channel_flush_of(group->items[i], path);
}

bool channels_have(const struct trm_channels *group, const char *service)
{
	for (size_t i = 0; group && i < group->count; i++)
		if (!channel_has(group->items[i], service))
			return false;
	return group && group->count;
}

bool channels_are_true(const struct trm_channels *group, const char *key, bool otherwise)
{
	for (size_t i = 0; group && i < group->count; i++)
		if (!settings_is_true(&group->items[i]->settings, key, otherwise))
			return false;
	return group && group->count;
}

void channels_report(struct trm_channels *group, const char *query, const char *path)
{
	for (size_t i = 0; group && i < group->count; i++)
		channel_report(group->items[i], query, path);
}

void channels_report_across(struct trm_channels *group, const char *query,
			    const char *across, const void *communicator,
			    const char *path)
{
	ranks_choose(communicator, false);
	for (size_t i = 0; group && i < group->count; i++)
		channel_report_across(group->items[i], query, across, path);
	ranks_choose(NULL, false);
}

void channels_sums(struct trm_channels *group, const char *metric,
		   const struct trm_runtime_sums *sums)
{
	for (size_t i = 0; group && i < group->count; i++)
		channel_sums(group->items[i], metric, sums);
}

PUBLIC void trm_channels_clear(struct trm_channels *group)
{
	for (size_t i = 0; group && i < group->count; i++)
		channel_clear(group->items[i]);
}

void channels_push_to(struct trm_channels *group, const trm_attribute *attributes,
		      const struct trm_value *values, size_t count)
{
	if (group)
		channels_give(group->items, group->count,
			      &(struct given_values){attributes, values, count});
}

void channels_add_to(struct trm_channels *group, const trm_attribute *attributes,
		     const struct trm_value *values, size_t count)
{
	if (group)
		channels_add(group->items, group->count,
			     &(struct given_values){attributes, values, count});
}

void channels_hold_in(struct trm_channels *group, enum trm_runtime_holding how,
		      trm_attribute attribute, const struct trm_value *value)
{
	if (group)
		channels_hold(group->items, group->count, how, attribute, value);
}

bool channels_held(const struct trm_channels *group, trm_attribute attribute,
		   struct trm_value *ret_value)
{
	return group && group->count &&
	       channel_held(group->items[0], attribute, ret_value);
}

const char *channels_setting(const struct trm_channels *group, const char *key)
{
	return group && group->count ? settings_get(&group->items[0]->settings, key)
				     : NULL;
}

PUBLIC void trm_channels_snapshot(struct trm_channels *group)
{
	for (size_t i = 0; group && i < group->count; i++)
		channel_push(group->items[i]);
}
