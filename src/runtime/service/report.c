/* report: a query over what the channel has, printed at a flush. recorder: a file. */
#include "runtime/channel/channel.h"
#include "runtime/channel/filename.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"

#include <string.h>

static const char *report_usual(const char *text, const char *otherwise)
{
	return text && *text ? text : otherwise;
}

static void print_report(struct channel *channel)
{
	const struct settings *settings = &channel->settings;
	const char *query = settings_get(settings, "REPORT_CONFIG");
	const char *name = settings_get(settings, "REPORT_FILENAME");

	name = filename_expand(report_usual(name, "stdout"), "");
	if (name)
		channel_output_add(
			channel,
			&(struct publish_output){
				.query = report_usual(query, "SELECT * FORMAT table"),
				.path = name,
				.append = settings_is_true(settings, "REPORT_APPEND",
							   false),
				.caliper = query && channel_is_caliper(channel),
			});
}

const struct service service_report = {
	.name = "report",
	.about = "prints a query of what was measured",
	.keys = "REPORT_CONFIG REPORT_FILENAME REPORT_APPEND",
	.flush = print_report,
};

/* The ending of the name says what the file is, unless a query does. */
static const struct {
	const char *ending, *query;
} endings[] = {
	{".trm", NULL},
	{".json", "SELECT * FORMAT json"},
	{".csv", "SELECT * FORMAT csv"},
	{"", "SELECT * FORMAT cali"},
};

static const char *query_for(const char *name)
{
	size_t length = strlen(name), i = 0;

	for (;; i++) {
		size_t ending = strlen(endings[i].ending);

		if (ending <= length &&
		    !strcmp(name + length - ending, endings[i].ending))
			return endings[i].query;
	}
}

static void report_record(struct channel *channel)
{
	const struct settings *settings = &channel->settings;
	const char *query = settings_get(settings, "RECORDER_CONFIG");
	const char *name = settings_get(settings, "RECORDER_FILENAME");
	const char *folder = settings_get(settings, "RECORDER_DIRECTORY");

	name = filename_expand(report_usual(name, "%program%-%pid%.cali"),
			       report_usual(folder, ""));
	if (name)
		channel_output_add(
			channel, &(struct publish_output){
					 .query = query ? query : query_for(name),
					 .path = name,
					 .caliper = query && channel_is_caliper(channel),
				 });
}

const struct service service_recorder = {
	.name = "recorder",
	.about = "writes what was measured to a file: .cali, .trm, .json or .csv",
	.keys = "RECORDER_FILENAME RECORDER_DIRECTORY RECORDER_CONFIG",
	.flush = report_record,
};
