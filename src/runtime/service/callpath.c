/*
 * callpath: contexts are told apart by the functions that are being called, too: at each
 * snapshot, or, with the service sampler, where its timer struck.
 */
#include "runtime/channel/paths.h"

static void end_thread(void)
{
	paths_end_thread();
}

const struct service service_callpath = {
	.name = "callpath",
	.about = "the functions that were being called, at each snapshot or sample",
	.keys = "CALLPATH_SKIP_FRAMES CALLPATH_EVENTS",
	.start = paths_add,
	.end_thread = end_thread,
};
