/* Settings, channels, managers, and snapshots that the program asks for. */
#include "cali/configure.h"

#include "cali/annotate.h"
#include "cali/own.h"
#include "cali/track.h"
#include "cali/variant.h"
#include "cali/watch.h"
#include "caliper/cali-manager.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PUBLIC void cali_config_preset(const char *key, const char *value)
{
	const struct trm_runtime_host *host = trm_runtime_host();

	if (host)
		host->set_usual(key, value, true);
}

PUBLIC void cali_config_set(const char *key, const char *value)
{
	const struct trm_runtime_host *host = trm_runtime_host();

	if (host)
		host->set_usual(key, value, false);
}

enum { PAIRS_MAX = 64 };

struct _cali_configset_t {
	const char *pairs[PAIRS_MAX + 1][2];
	size_t count;
};

PUBLIC void cali_configset_set(cali_configset_t set, const char *key, const char *value)
{
	if (set && set->count == PAIRS_MAX && own_ready())
		own_host->warn("no room for the setting '%s': there are %d", key,
			       PAIRS_MAX);
	if (!set || set->count == PAIRS_MAX)
		return;
	set->pairs[set->count][0] = strdup(key);
	set->pairs[set->count][1] = strdup(value);
	set->count++;
}

PUBLIC cali_configset_t cali_create_configset(const char *pairs[][2])
{
	cali_configset_t set = calloc(1, sizeof(*set));

	for (; pairs && (*pairs)[0] && (*pairs)[1]; pairs++)
		cali_configset_set(set, (*pairs)[0], (*pairs)[1]);
	return set;
}

PUBLIC void cali_delete_configset(cali_configset_t set)
{
	for (size_t i = 0; set && i < 2 * set->count; i++)
		free((void *)(uintptr_t)set->pairs[i / 2][i % 2]);
	free(set);
}

/* By number less 1. */
static struct {
	struct trm_channels *channels;
	char *name;
} known[OWN_CHANNELS];

struct trm_channels *own_channel(cali_id_t channel)
{
	return channel - 1 < OWN_CHANNELS ? known[channel - 1].channels : NULL;
}

cali_id_t own_add_channel(struct trm_channels *channels, const char *name)
{
	size_t i = 0;

	while (i < OWN_CHANNELS && known[i].channels)
		i++;
	if (!channels || i == OWN_CHANNELS) {
		trm_channels_destroy(channels);
		return CALI_INV_ID;
	}
	known[i].channels = channels;
	known[i].name = strdup(name);
	return i + 1;
}

PUBLIC cali_id_t cali_create_channel(const char *name, int flags, cali_configset_t set)
{
	struct trm_channels *made;
	cali_id_t channel;

	if (!own_ready())
		return CALI_INV_ID;
	made = trm_channels_create_of(name,
				      set ? (const char *const(*)[2])set->pairs : NULL,
				      flags & CALI_CHANNEL_ALLOW_READ_ENV);
	if (!trm_channels_count(made)) {
		trm_channels_destroy(made);
		return CALI_INV_ID;
	}
	channel = own_add_channel(made, name);
	if (!(flags & CALI_CHANNEL_LEAVE_INACTIVE))
		trm_channels_start(own_channel(channel));
	return channel;
}

PUBLIC void cali_delete_channel(cali_id_t channel)
{
	own_forget(channel);
	trm_channels_destroy(own_channel(channel));
	if (!own_channel(channel))
		return;
	free(known[channel - 1].name);
	known[channel - 1].name = NULL;
	known[channel - 1].channels = NULL;
}

PUBLIC const char *cali_channel_name(cali_id_t channel)
{
	return own_channel(channel) ? known[channel - 1].name : NULL;
}

PUBLIC bool cali_channel_has(cali_id_t channel, const char *service)
{
	return own_ready() && own_host->has(own_channel(channel), service);
}

PUBLIC bool cali_channel_ends_written(cali_id_t channel)
{
	return own_ready() &&
	       own_host->is_true(own_channel(channel), "CHANNEL_FLUSH_ON_EXIT", true);
}

PUBLIC void cali_channel_flush_of(cali_id_t channel, const char *path)
{
	if (own_ready())
		own_host->flush_of(own_channel(channel), path);
}

PUBLIC bool cali_channel_is_across(cali_id_t channel)
{
	return trm_channels_are_across(own_channel(channel));
}

PUBLIC void cali_channel_flush_across(cali_id_t channel, const void *communicator,
				      const char *path)
{
	trm_channels_flush_across(own_channel(channel), communicator, path);
}

PUBLIC void cali_activate_channel(cali_id_t channel)
{
	trm_channels_start(own_channel(channel));
	trm_channels_start(own_watch(channel));
}

PUBLIC void cali_deactivate_channel(cali_id_t channel)
{
	trm_channels_stop(own_watch(channel));
	trm_channels_stop(own_channel(channel));
}

PUBLIC int cali_channel_is_active(cali_id_t channel)
{
	return trm_channels_are_active(own_channel(channel));
}

PUBLIC void cali_channel_clear(cali_id_t channel)
{
	trm_channels_clear(own_channel(channel));
}

PUBLIC void cali_channel_flush(cali_id_t channel, int options)
{
	trm_channels_flush(own_channel(channel));
	if (options & CALI_FLUSH_CLEAR_BUFFERS)
		trm_channels_clear(own_channel(channel));
}

PUBLIC void cali_channel_report(cali_id_t channel, const char *query, int options,
				const char *path)
{
	if (own_ready())
		own_host->report(own_channel(channel), query, path);
	if (options & CALI_FLUSH_CLEAR_BUFFERS)
		trm_channels_clear(own_channel(channel));
}

PUBLIC void cali_channel_report_across(cali_id_t channel, const char *query,
				       const char *across, const void *communicator,
				       const char *path)
{
	if (own_ready())
		own_host->report_across(own_channel(channel), query, across, communicator,
					path);
}

PUBLIC bool cali_query_check(const char *text, char *message, size_t size,
			     size_t *ret_place)
{
	struct trm_runtime_query query = {
		.text = text, .message = message, .message_size = size};
	bool right = own_ready() && own_host->query(&query);

	*ret_place = query.place;
	return right;
}

PUBLIC bool cali_query_run(const char *text, const char *profile, const char *path)
{
	char message[512] = "there is no library for queries";
	bool right = own_ready() && own_host->query(&(struct trm_runtime_query){
					    .text = text,
					    .profile = profile,
					    .path = path,
					    .message = message,
					    .message_size = sizeof(message)});

	if (!right && own_ready())
		own_host->warn("%s", message);
	return right;
}

PUBLIC void cali_flush(int options)
{
	if (own_ready())
		own_host->flush_all(options & CALI_FLUSH_CLEAR_BUFFERS);
}

enum { SNAPSHOT_MAX = 64, ADDRESSES = 4 };

static size_t take_entries(int n, const cali_id_t attributes[],
			   const cali_variant_t values[], trm_attribute *ret_attributes,
			   struct trm_value *ret_values)
{
	size_t count = 0;

	for (int i = 0; i < n && count < SNAPSHOT_MAX; i++) {
		if (!cali_attribute_name(attributes[i]))
			continue;
		ret_attributes[count] = own_number(attributes[i]);
		ret_values[count++] = own_value(values[i]);
	}
	return count;
}

/* Values of a snapshot, including those that describe addresses. */
struct entries {
	trm_attribute attributes[SNAPSHOT_MAX + ADDRESSES * OWN_PLACE_VALUES];
	struct trm_value values[SNAPSHOT_MAX + ADDRESSES * OWN_PLACE_VALUES];
	struct own_place places[ADDRESSES];
	size_t count;
};

static void take_all(int n, const cali_id_t attributes[], const cali_variant_t values[],
		     struct entries *ret_entries)
{
	struct entries *all = ret_entries;
	size_t given = take_entries(n, attributes, values, all->attributes, all->values);

	all->count = given;
	for (size_t i = 0, found = 0; i < given && found < ADDRESSES; i++) {
		struct own_place *place = &all->places[found];
		size_t more = own_resolve(all->attributes[i], all->values[i].as.u, place);

		memcpy(all->attributes + all->count, place->attributes,
		       more * sizeof(*all->attributes));
		memcpy(all->values + all->count, place->values,
		       more * sizeof(*all->values));
		all->count += more;
		found += more != 0;
	}
}

PUBLIC void cali_push_snapshot(int scope, int n, const cali_id_t attributes[],
			       const cali_variant_t values[])
{
	struct entries all;

	(void)scope;
	if (!own_ready())
		return;
	take_all(n, attributes, values, &all);
	own_host->push(NULL, all.attributes, all.values, all.count);
	own_tell_snapshot(CALI_INV_ID, n, attributes, values);
}

PUBLIC void cali_channel_push_snapshot(cali_id_t channel, int scope, int n,
				       const cali_id_t attributes[],
				       const cali_variant_t values[])
{
	struct entries all;

	(void)scope;
	if (!own_ready() || !own_channel(channel))
		return;
	take_all(n, attributes, values, &all);
	own_host->push_to(own_channel(channel), all.attributes, all.values, all.count);
	own_tell_snapshot(channel, n, attributes, values);
}

PUBLIC void cali_channel_add_to_snapshot(cali_id_t channel, int n,
					 const cali_id_t attributes[],
					 const cali_variant_t values[])
{
	struct entries all;

	if (!own_ready() || !own_channel(channel))
		return;
	take_all(n, attributes, values, &all);
	own_host->add(own_channel(channel), all.attributes, all.values, all.count);
}

/*
 * A snapshot in memory: the number of its entries (2 bytes), and for each the attribute
 * and the variant, packed. Programs keep them in few bytes.
 */
enum { HEAD = 2, ENTRY_MAX = 32, ENTRIES_MAX = UINT16_MAX };

struct packing {
	unsigned char *bytes;
	size_t size, needed;
	uint16_t count; /* of entries that found room */
	bool full;
};

static bool pack_pair(void *context, trm_attribute attribute,
		      const struct trm_value *value)
{
	struct packing *packing = context;
	unsigned char entry[ENTRY_MAX];
	size_t length = own_pack(own_id(attribute), entry);

	length += cali_variant_pack(own_variant(value->type, value), entry + length);
	packing->full |= packing->needed + length > packing->size;
	if (!packing->full) {
		memcpy(packing->bytes + packing->needed, entry, length);
		packing->count++;
	}
	packing->needed += length;
	return packing->count < ENTRIES_MAX;
}

PUBLIC size_t cali_pull_snapshot(int scope, size_t size, unsigned char *bytes)
{
	struct packing packing = {.bytes = bytes, .size = size, .needed = HEAD};

	(void)scope;
	if (!own_ready())
		return 0;
	own_host->visit(pack_pair, &packing);
	if (size >= HEAD)
		memcpy(bytes, &packing.count, HEAD);
	return packing.needed;
}

PUBLIC size_t cali_channel_pull_snapshot(cali_id_t channel, int scope, size_t size,
					 unsigned char *bytes)
{
	(void)channel;
	return cali_pull_snapshot(scope, size, bytes);
}

PUBLIC void cali_find_all_in_snapshot(const unsigned char *bytes, cali_id_t attribute,
				      size_t *read, cali_entry_proc_fn function,
				      void *context)
{
	size_t at = HEAD;
	bool ok, wanted = true;
	uint16_t count;

	memcpy(&count, bytes, HEAD);
	for (; count; count--) {
		uint64_t number = own_unpack(bytes + at, &at);
		cali_variant_t value = cali_variant_unpack(bytes + at, &at, &ok);

		if (wanted && (attribute == CALI_INV_ID || number == attribute))
			wanted = function(context, number, value);
	}
	if (read)
		*read = at;
}

PUBLIC void cali_unpack_snapshot(const unsigned char *bytes, size_t *read,
				 cali_entry_proc_fn function, void *context)
{
	cali_find_all_in_snapshot(bytes, CALI_INV_ID, read, function, context);
}

static int take_first(void *context, cali_id_t attribute, cali_variant_t value)
{
	(void)attribute;
	*(cali_variant_t *)context = value;
	return 0;
}

PUBLIC cali_variant_t cali_find_first_in_snapshot(const unsigned char *bytes,
						  cali_id_t attribute, size_t *read)
{
	cali_variant_t found = cali_make_empty_variant();

	cali_find_all_in_snapshot(bytes, attribute, read, take_first, &found);
	return found;
}
