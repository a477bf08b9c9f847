/*
 * callpath: contexts are told apart by the functions that are being called, too: at each
 * snapshot, or, with the service sampler, where its timer struck.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/paths.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"

static void end_thread(void)
{
	paths_end_thread();
}

static const char *callpath_start(struct channel *channel)
{
	if (settings_is_true(&channel->settings, "CALLPATH_USE_NAME", false))
		channel->lookups |= CONTEXT_LOOK_NAMES;
	return paths_add(channel);
}

const struct service service_callpath = {
	.name = "callpath",
	.about = "the functions that were being called, at each snapshot or sample",
	.keys = "CALLPATH_USE_NAME CALLPATH_SKIP_FRAMES CALLPATH_EVENTS",
	.start = callpath_start,
	.end_thread = end_thread,
};
