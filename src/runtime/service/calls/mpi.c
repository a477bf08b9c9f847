/*
 * mpi: calls of MPI functions are regions, and messages metrics. mpireport: a query over
 * what all ranks have. mpiflush: channels are written when the ranks part.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/filename.h"
#include "runtime/channel/filter.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"
#include "runtime/events/hooks.h"
#include "runtime/libraries/ranks.h"
#include "runtime/service/calls/mpi_messages.h"
#include "runtime/service/calls/mpi_pattern.h"

#include <string.h>

static const char not_there[] = "there is no MPI, or no libtrammel-mpi for it";

/* Without a list no call is seen: the rank alone is known then, as with LLNL's Caliper.
 */
static const char *mpi_start(struct channel *channel)
{
	const struct settings *settings = &channel->settings;
	const char *wanted = settings_get(settings, "MPI_WHITELIST");
	const char *unwanted = settings_get(settings, "MPI_BLACKLIST");

	if (!ranks_are_known())
		return not_there;
	channel->mpi.messages = settings_is_true(settings, "MPI_MSG_TRACING", false);
	const char *why = channel->mpi.messages ? mpi_messages_start() : NULL;

	if (!why && settings_is_true(settings, "MPI_MSG_PATTERN", false))
		why = mpi_pattern_start(channel);
	if (why)
		return why;
	if (channel->mpi.messages || channel->mpi.patterns)
		ranks_watch_calls();
	if (wanted && !strcmp(wanted, "all"))
		wanted = "";
	else if ((!wanted || !*wanted) && (!unwanted || !*unwanted))
		return NULL;
	channel->mpi.calls = true;
	ranks_watch_calls();
	channel->mpi.call_filter = filter_create_of(wanted, unwanted);
	return NULL;
}

static void mpi_look(struct channel_thread *own, const struct runtime_event *event)
{
	mpi_messages_look(own, event);
	mpi_pattern_look(own, event);
}

const struct service service_mpi = {
	.name = "mpi",
	.about = "calls of MPI functions are regions, messages metrics",
	.keys = "MPI_WHITELIST MPI_BLACKLIST MPI_MSG_TRACING MPI_MSG_PATTERN",
	.start = mpi_start,
	.on_event = mpi_look,
	.free_thread = mpi_pattern_deinit,
};

static const char *start_report(struct channel *channel)
{
	const struct settings *settings = &channel->settings;

	if (!ranks_are_known())
		return not_there;
	channel->mpi.across = true;
	channel->mpi.parts =
		settings_is_true(settings, "MPIREPORT_WRITE_ON_FINALIZE", true);
	return NULL;
}

static void mpi_report(struct channel *channel)
{
	const struct settings *settings = &channel->settings;
	const char *across = settings_get(settings, "MPIREPORT_CONFIG");
	const char *query = settings_get(settings, "MPIREPORT_LOCAL_CONFIG");
	const char *name = settings_get(settings, "MPIREPORT_FILENAME");
	const char *folder = settings_get(settings, "RECORDER_DIRECTORY");

	name = filename_expand(name && *name ? name : "stdout", folder ? folder : "");
	if (!name) /* the others wait */
		name = "/dev/null";
	channel_output_add(
		channel,
		&(struct publish_output){
			.query = query && *query ? query : NULL,
			.across = across && *across ? across : "SELECT * FORMAT table",
			.path = name,
			.append = settings_is_true(settings, "MPIREPORT_APPEND", false),
			.caliper = across && channel_is_caliper(channel),
		});
}

const struct service service_mpireport = {
	.name = "mpireport",
	.about = "prints a query of what all ranks measured",
	.keys = "MPIREPORT_CONFIG MPIREPORT_LOCAL_CONFIG MPIREPORT_FILENAME "
		"MPIREPORT_APPEND MPIREPORT_WRITE_ON_FINALIZE",
	.start = start_report,
	.flush = mpi_report,
};

static const char *start_flush(struct channel *channel)
{
	if (!ranks_are_known())
		return not_there;
	channel->mpi.parts = true;
	return NULL;
}

const struct service service_mpiflush = {
	.name = "mpiflush",
	.about = "writes what was measured in MPI_Finalize",
	.start = start_flush,
};
