/* The library's life: constructor, links of annotated modules, end. */
#include "runtime/process/start.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/control.h"
#include "runtime/channel/event.h"
#include "runtime/config/configure.h"
#include "runtime/events/classes.h"
#include "runtime/events/hooks.h"
#include "runtime/events/recording.h"
#include "runtime/events/seccomp_guard.h"
#include "runtime/events/spans.h"
#include "runtime/process/standalone.h"
#include "runtime/service/table.h"
#include "runtime/store/folder.h"
#include "runtime/store/links.h"
#include "runtime/store/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDER_MAX = 4096 };

/* What the environment asks for. */
struct request {
	const char *folder;
	bool traces;
	bool spans; /* functions are to be regions, too */
	bool told;  /* a tracer is to hear of each region */
};

static const struct runtime_hooks hooks = {
	.event = channels_event,
	.leave_thread = channels_leave_thread,
	.keep_nodes = channels_keep_nodes,
	.end_thread = channels_end_thread,
	.record_child = recording_begin_child,
	.begin_child = channels_resume,
	.offer_child = channels_offer,
};

/* "regions", "regions,trace,spans,told" */
static bool read_request(struct request *ret_request)
{
	const char *what = getenv("TRAMMEL_CONTEXT");
	const char *folder = getenv("TRAMMEL_CONTEXT_FOLDER");

	if (!what)
		return false;
	if (!folder)
		folder = standalone_begin();
	if (!folder || strlen(folder) >= FOLDER_MAX)
		return false;
	*ret_request = (struct request){folder, strstr(what, "trace") != NULL,
					strstr(what, "spans") != NULL,
					strstr(what, "told") != NULL};
	return true;
}

/* Nothing is said when something cannot be had: the program is not ours. Who asked for
 * the measurement finds no spool. A library that the program is linked with may be
 * initialised, and annotated, before this one: what comes first starts it. */
__attribute__((constructor(101))) void start_library(void)
{
	static bool started;
	int saved = errno;
	struct request request;

	if (started)
		return;
	started = true;
	runtime_hooks = hooks;
	services_register();
	seccomp_guard_init();
	if (getenv("TRAMMEL_CONTEXT_CLASSES"))
		classes_begin(getenv("TRAMMEL_CONTEXT_CLASSES"));
	if (read_request(&request)) {
		if (request.told)
			recording_tell();
		if (recording_begin(request.folder, request.traces) && request.spans)
			spans_start();
	}
	links_activate(recording_measures());
	channels_start();
	errno = saved;
}

bool start_host(void)
{
	start_library();
	return recording_ensure();
}

__attribute__((visibility("default"))) void trm_runtime_link(struct trm_link *link)
{
	if (link->abi != TRM_ABI)
		return;
	start_library();
	recording_link(link, spans_events());
}

__attribute__((visibility("default"))) void trm_runtime_unlink(struct trm_link *link)
{
	recording_unlink(link);
}

__attribute__((destructor(101))) static void finish(void)
{
	channels_finish();
	if (!runtime_state->recording)
		return;
	if (!recording_has_spool()) {
		folder_leave(recording_is_kept());
		return;
	}
	recording_end();
	standalone_end(recording_traces());
}
