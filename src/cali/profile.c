/* Times of regions, told to the program itself. */
#include "cali/annotate.h"
#include "cali/configure.h"
#include "cali/own.h"
#include "caliper/cali-profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State of passing on the rows of a channel. */
struct telling {
	cali_region_time_fn function;
	void *context;
	cali_id_t type; /* CALI_INV_ID: all nested ones */
	bool inclusive;
	double row, regions, total; /* seconds */
	bool counted;               /* the row is the time of a region */
};

static void take_row(void *context, double ns)
{
	struct telling *telling = context;

	telling->row = ns * 1e-9;
	telling->total += telling->row;
	telling->counted = false;
}

static bool is_wanted(const struct telling *telling, trm_attribute attribute)
{
	return telling->type == CALI_INV_ID
		       ? cali_attribute_properties(own_id(attribute)) & CALI_ATTR_NESTED
		       : telling->type == own_id(attribute);
}

static const char *name_of(const struct trm_value *value, char *text, size_t size)
{
	if (value->type == TRM_TYPE_STRING)
		return value->as.bytes;
	if (value->type == TRM_TYPE_DOUBLE)
		snprintf(text, size, "%.17g", value->as.d);
	else if (value->type == TRM_TYPE_INT)
		snprintf(text, size, "%lld", (long long)value->as.i);
	else if (value->type == TRM_TYPE_BOOL)
		snprintf(text, size, "%s", value->as.u ? "true" : "false");
	else
		snprintf(text, size, "%llu", (unsigned long long)value->as.u);
	return text;
}

static bool take_open(void *context, trm_attribute attribute,
		      const struct trm_value *value)
{
	struct telling *telling = context;
	char text[32];

	if (!is_wanted(telling, attribute))
		return true;
	if (!telling->counted)
		telling->regions += telling->row;
	telling->counted = true;
	telling->function(telling->context, name_of(value, text, sizeof(text)),
			  telling->row);
	return telling->inclusive;
}

PUBLIC void cali_channel_region_times(cali_id_t channel, int inclusive, const char *type,
				      cali_region_time_fn function, void *context,
				      double *ret_regions, double *ret_total)
{
	struct telling telling = {
		.function = function,
		.context = context,
		.type = type && *type ? cali_find_attribute(type) : CALI_INV_ID,
		.inclusive = inclusive,
	};

	if (own_ready())
		own_host->sums(own_channel(channel), "time.duration.ns",
			       &(struct trm_runtime_sums){&telling, take_row, take_open});
	*ret_regions = telling.regions;
	*ret_total = telling.total;
}

struct region {
	char *name;
	double seconds;
};

struct profile {
	cali_id_t channel; /* CALI_INV_ID: it was not started yet */
	struct region *regions;
	size_t count, size;
	double in_regions, total;
};

static void forget_regions(struct profile *profile)
{
	for (size_t i = 0; i < profile->count; i++)
		free(profile->regions[i].name);
	profile->count = 0;
	profile->in_regions = profile->total = 0;
}

static struct region *find_region(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->count; i++)
		if (!strcmp(profile->regions[i].name, name))
			return &profile->regions[i];
	return NULL;
}

static struct region *add_region(struct profile *profile, const char *name)
{
	struct region *regions = profile->regions;

	if (profile->count == profile->size) {
		regions = realloc(regions, 2 * (profile->size + 8) * sizeof(*regions));
		if (!regions)
			return NULL;
		profile->regions = regions;
		profile->size = 2 * (profile->size + 8);
	}
	regions[profile->count] = (struct region){strdup(name), 0};
	return regions[profile->count].name ? &regions[profile->count++] : NULL;
}

static void take_region(void *context, const char *name, double seconds)
{
	struct profile *profile = context;
	struct region *region = find_region(profile, name);

	if (!region)
		region = add_region(profile, name);
	if (region)
		region->seconds += seconds;
}

static void fetch_times(struct profile *profile, bool inclusive)
{
	if (!profile)
		return;
	forget_regions(profile);
	cali_channel_region_times(profile->channel, inclusive, NULL, take_region, profile,
				  &profile->in_regions, &profile->total);
}

PUBLIC cali_BufferedRegionProfile *
cali_BufferedRegionProfile_new(cali_BufferedRegionProfile *profile)
{
	struct profile *made = calloc(1, sizeof(*made));

	if (made)
		made->channel = CALI_INV_ID;
	*profile = (cali_BufferedRegionProfile){made, 0};
	return profile;
}

PUBLIC void cali_BufferedRegionProfile_delete(cali_BufferedRegionProfile *profile)
{
	struct profile *own = profile->addr;

	profile->addr = NULL;
	if (!own)
		return;
	cali_delete_channel(own->channel);
	forget_regions(own);
	free(own->regions);
	free(own);
}

PUBLIC void cali_BufferedRegionProfile_start(cali_BufferedRegionProfile *profile)
{
	const char *pairs[][2] = {{"CALI_SERVICES_ENABLE", "event,timer,aggregate"},
				  {"CALI_EVENT_ENABLE_SNAPSHOT_INFO", "false"},
				  {"CALI_CHANNEL_FLUSH_ON_EXIT", "false"},
				  {NULL, NULL}};
	struct profile *own = profile->addr;
	cali_configset_t set;

	if (!own)
		return;
	if (own->channel == CALI_INV_ID) {
		set = cali_create_configset(pairs);
		own->channel = cali_create_channel("region-profile",
						   CALI_CHANNEL_LEAVE_INACTIVE, set);
		cali_delete_configset(set);
	}
	cali_activate_channel(own->channel);
}

PUBLIC void cali_BufferedRegionProfile_stop(cali_BufferedRegionProfile *profile)
{
	const struct profile *own = profile->addr;

	if (own)
		cali_deactivate_channel(own->channel);
}

PUBLIC void cali_BufferedRegionProfile_clear(cali_BufferedRegionProfile *profile)
{
	struct profile *own = profile->addr;

	if (!own)
		return;
	forget_regions(own);
	cali_channel_clear(own->channel);
}

PUBLIC void cali_BufferedRegionProfile_fetch_exclusive_region_times(
	cali_BufferedRegionProfile *profile)
{
	fetch_times(profile->addr, false);
}

PUBLIC void cali_BufferedRegionProfile_fetch_inclusive_region_times(
	cali_BufferedRegionProfile *profile)
{
	fetch_times(profile->addr, true);
}

PUBLIC double
cali_BufferedRegionProfile_total_profiling_time(const cali_BufferedRegionProfile *profile)
{
	const struct profile *own = profile->addr;

	return own ? own->total : 0;
}

PUBLIC double
cali_BufferedRegionProfile_total_region_time(const cali_BufferedRegionProfile *profile)
{
	const struct profile *own = profile->addr;

	return own ? own->in_regions : 0;
}

PUBLIC double cali_BufferedRegionProfile_region_time(cali_BufferedRegionProfile *profile,
						     const char *region)
{
	const struct region *found =
		profile->addr ? find_region(profile->addr, region) : NULL;

	return found ? found->seconds : 0;
}
