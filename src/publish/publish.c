#include "publish/publish.h"

#include "context/profile.h"
#include "report/text/report.h"

__attribute__((visibility("default"))) publish_function trammel_publish;

void trammel_publish(const struct publish_request *request)
{
	const struct context_run run = {
		.measure = request->measure,
		.command = request->command,
		.start = (time_t)request->start,
		.wall_ns = request->wall_ns,
		.first = request->pid,
		.exit = "",
		.exit_state = "exited",
	};
	struct trm_error *error;

	if (request->abi != PUBLISH_ABI)
		return;
	error = context_profile_write(request->output, request->folder, &run);
	if (!error && request->print)
		error = report_text_summary(stderr, request->output, NULL);
	if (error)
		trm_error_print(error);
}
