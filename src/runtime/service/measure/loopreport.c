/*
 * loopreport: what loop-report prints at a flush of what loop_monitor traced: see struct
 * publish_loops. Over all ranks each sums up its own trace, and these sums are merged.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/filename.h"
#include "runtime/channel/log.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"
#include "runtime/libraries/ranks.h"

#include <stdio.h>
#include <string.h>

static struct publish_loops loops; /* of the flush under way */

static const char *loopreport_start(struct channel *channel)
{
	channel->mpi.across =
		settings_is_true(&channel->settings, "LOOPREPORT_ACROSS", false);
	return channel->mpi.across && !ranks_are_known()
		       ? "there is no MPI, or no libtrammel-mpi for it"
		       : NULL;
}

static void loopreport_print(struct channel *channel)
{
	const struct settings *settings = &channel->settings;
	bool plain = settings_is_true(settings, "LOOPREPORT_PLAIN", false);
	const char *name = settings_get(settings, "LOOPREPORT_FILENAME");
	const char *folder = settings_get(settings, "RECORDER_DIRECTORY");
	struct publish_output output = {
		.path = filename_expand(name && *name ? name : "stdout",
					folder ? folder : ""),
		.append = settings_is_true(settings, "REPORT_APPEND", false),
	};

	loops = (struct publish_loops){
		.summary = settings_get(settings, "LOOPREPORT_SUMMARY_LOCAL"),
		.summary_across = settings_get(settings, "LOOPREPORT_SUMMARY_CONFIG"),
		.series = settings_get(settings, "LOOPREPORT_TIMESERIES_LOCAL"),
		.series_across = settings_get(settings, "LOOPREPORT_TIMESERIES_CONFIG"),
		.rows_max = settings_number(settings, "LOOPREPORT_MAXROWS", 20),
		.with_summary = settings_is_true(settings, "LOOPREPORT_SUMMARY", true),
		.regions = settings_get(settings, "LOOPREPORT_REGIONS_LOCAL"),
		.regions_across = settings_get(settings, "LOOPREPORT_REGIONS_CONFIG"),
		.options = settings_get(settings, "LOOPREPORT_OPTIONS"),
		.with_series = settings_is_true(settings, "LOOPREPORT_TIMESERIES", true),
	};
	if (loops.regions)
		loops.with_series = channel->also != NULL;
	if (!plain && !loops.summary) {
		log_warn("'%s': loopreport prints what loop-report asks for only",
			 channel->name);
		return;
	}
	if (!output.path && !channel->mpi.across)
		return;
	if (!output.path) /* the others wait */
		output.path = "/dev/null";
	if (plain) {
		output.query = loops.summary;
		output.across = loops.summary_across;
	} else {
		output.loops = &loops;
		output.across = channel->mpi.across ? "SELECT * FORMAT cali" : NULL;
	}
	channel_output_add(channel, &output);
}

/* What was asked for, as metadata of the run: opts:NAME. */
static void say_options(struct channel *channel, const struct publish_sink *sink)
{
	const char *line = settings_get(&channel->settings, "LOOPREPORT_OPTION_VALUES");

	for (const char *end; line && *line; line = end + 1) {
		const char *sign = strchr(line, '=');
		char name[128];

		end = strchr(line, '\n');
		if (!sign || !end || sign > end)
			return;
		snprintf(name, sizeof(name), "opts:%.*s", (int)(sign - line), line);
		sink->global(sink->context,
			     sink->attribute(sink->context, name, TRM_TYPE_STRING,
					     TRM_AS_VALUE | TRM_GLOBAL),
			     (struct publish_value){.type = TRM_TYPE_STRING,
						    .size = (uint32_t)(end - sign - 1),
						    .bytes = sign + 1});
	}
}

const struct service service_loopreport = {
	.name = "loopreport",
	.about = "prints what loop-report does, of the configuration of that name",
	.start = loopreport_start,
	.write = say_options,
	.flush = loopreport_print,
};
