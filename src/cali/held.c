/* Values and settings of a channel alone. */
#include "cali/annotate.h"
#include "cali/configure.h"
#include "cali/own.h"
#include "cali/variant.h"
#include "cali/watch.h"
#include "caliper/cali-channel.h"
#include "trammel/channel.h"

#include <stdio.h>

/* By enum trm_runtime_holding. */
static const struct {
	const char *prefix; /* of the event's attribute */
	enum cali_event_kind kind;
} events[] = {
	[TRM_HOLD_BEGIN] = {"event.begin#", CALI_EVENT_BEGIN},
	[TRM_HOLD_SET] = {"event.set#", CALI_EVENT_SET},
	[TRM_HOLD_END] = {"event.end#", CALI_EVENT_END},
};

/* A snapshot in front of it, where events make such. */
static void take_snapshot(cali_id_t channel, cali_id_t attribute,
			  enum trm_runtime_holding how, cali_variant_t value)
{
	char name[256];
	cali_id_t event;

	if (!own_host->has(own_channel(channel), "event"))
		return;
	snprintf(name, sizeof(name), "%s%s", events[how].prefix,
		 cali_attribute_name(attribute));
	event = cali_create_attribute(name, cali_attribute_type(attribute),
				      CALI_ATTR_ASVALUE | CALI_ATTR_SKIP_EVENTS);
	if (event != CALI_INV_ID)
		cali_channel_push_snapshot(channel, 0, 1, &event, &value);
}

static void hold_value(cali_id_t channel, cali_id_t attribute,
		       enum trm_runtime_holding how, cali_variant_t variant)
{
	const struct trm_value value = own_value(variant);
	int properties = cali_attribute_properties(attribute);
	bool told = !(properties & CALI_ATTR_SKIP_EVENTS);

	if (told) {
		own_tell_value(channel, events[how].kind, attribute, variant);
		take_snapshot(channel, attribute, how, variant);
	}
	own_host->hold(own_channel(channel), how, own_number(attribute), &value);
	if (told && how == TRM_HOLD_BEGIN)
		own_tell_value(channel, CALI_EVENT_BEGAN, attribute, variant);
}

static bool is_known(cali_id_t channel, cali_id_t attribute)
{
	return own_ready() && own_channel(channel) && cali_attribute_name(attribute);
}

PUBLIC void cali_channel_begin_variant(cali_id_t channel, cali_id_t attribute,
				       cali_variant_t value)
{
	if (is_known(channel, attribute))
		hold_value(channel, attribute, TRM_HOLD_BEGIN, value);
}

PUBLIC void cali_channel_set_variant(cali_id_t channel, cali_id_t attribute,
				     cali_variant_t value)
{
	if (is_known(channel, attribute))
		hold_value(channel, attribute, TRM_HOLD_SET, value);
}

PUBLIC void cali_channel_end(cali_id_t channel, cali_id_t attribute)
{
	cali_variant_t value = cali_channel_get(channel, attribute);

	if (!cali_variant_is_empty(value))
		hold_value(channel, attribute, TRM_HOLD_END, value);
}

PUBLIC cali_variant_t cali_channel_get(cali_id_t channel, cali_id_t attribute)
{
	struct trm_value value;

	if (!is_known(channel, attribute) ||
	    !own_host->held(own_channel(channel), own_number(attribute), &value))
		return cali_make_empty_variant();
	return own_variant(value.type, &value);
}

PUBLIC const char *cali_channel_setting(cali_id_t channel, const char *key)
{
	return own_ready() && own_channel(channel)
		       ? own_host->setting(own_channel(channel), key)
		       : NULL;
}
