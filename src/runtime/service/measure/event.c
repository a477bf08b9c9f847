/* event: begin, end and set of attributes make snapshots. */
#include "runtime/channel/channel.h"
#include "runtime/channel/filter.h"
#include "runtime/channel/log.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"
#include "runtime/channel/trigger.h"
#include "wire/context_channel.h"

#include <string.h>

enum { LEVEL_PHASE = 4, LEVEL_MAX = 7 };

static uint32_t level_of(const struct settings *settings, const char *text)
{
	uint64_t level = strcmp(text, "phase") != 0
				 ? settings_number(settings, "EVENT_REGION_LEVEL", 0)
				 : LEVEL_PHASE;

	if (level > LEVEL_MAX)
		log_warn("EVENT_REGION_LEVEL is from 0 to %d, or phase, not '%s': 0 "
			 "is taken",
			 LEVEL_MAX, text);
	return level > LEVEL_MAX ? 0 : (uint32_t)level;
}

static const char *event_start(struct channel *channel)
{
	const char *level = settings_get(&channel->settings, "EVENT_REGION_LEVEL");

	channel->triggers = true;
	if (!settings_is_true(&channel->settings, "EVENT_ENABLE_SNAPSHOT_INFO", true))
		channel->says |= CONTEXT_SAYS_NO_EVENTS;
	channel->level = level ? level_of(&channel->settings, level) : 0;
	channel->filter = filter_create(&channel->settings);
	channel->trigger = triggers_create(&channel->settings);
	return NULL;
}

const struct service service_event = {
	.name = "event",
	.about = "a snapshot at each begin, end and set",
	.keys = "EVENT_REGION_LEVEL EVENT_INCLUDE_REGIONS EVENT_EXCLUDE_REGIONS "
		"EVENT_INCLUDE_BRANCHES EVENT_TRIGGER "
		"EVENT_ENABLE_SNAPSHOT_INFO",
	.start = event_start,
};
