/* event: begin, end and set of attributes make snapshots. */
#include "runtime/channel/channel.h"

#include <string.h>

static const char *start(struct channel *channel)
{
	const char *level = settings_get(&channel->settings, "EVENT_REGION_LEVEL");

	channel->triggers = true;
	if (!settings_is_true(&channel->settings, "EVENT_ENABLE_SNAPSHOT_INFO", true))
		channel->says |= CONTEXT_SAYS_NO_EVENTS;
	if (level && !strcmp(level, "phase"))
		channel->level = 4;
	else if (level)
		channel->level = (uint32_t)settings_number(&channel->settings,
							   "EVENT_REGION_LEVEL", 0);
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
	.start = start,
};
