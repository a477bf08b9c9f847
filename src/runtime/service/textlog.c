/*
 * textlog: a line on standard error for each region that ends, with its path and time,
 * for regions that took TEXTLOG_MIN_US microseconds and longer (default: all). It writes
 * in the middle of the program: it is for looking on, not for measuring.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"
#include "runtime/events/hooks.h"
#include "runtime/service/print_path.h"
#include "runtime/store/lock.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static const char *textlog_start(struct channel *channel)
{
	channel->timed = true;
	channel->service_data.log_us =
		settings_number(&channel->settings, "TEXTLOG_MIN_US", 0);
	return NULL;
}

static void textlog_take(struct channel_thread *own, const struct runtime_event *event)
{
	uint64_t ns, began = event->kind == RUNTIME_END ? event->node->began : 0;
	char line[1024], path[900];
	int saved = errno;

	if (event->kind != RUNTIME_END || runtime_sealed)
		return;
	ns = (uint64_t)((double)(event->now - began) *
			state_tick_ns(&runtime_spool->begin));
	if (ns < own->channel->service_data.log_us * 1000)
		return;
	size_t at = print_path(path, sizeof(path), event->node, 0);
	int length = snprintf(line, sizeof(line), "[%u] %.*s: %.3f ms\n", own->tid,
			      (int)(sizeof(path) - at), path + at, (double)ns / 1e6);

	if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
		own->dropped++;
	errno = saved;
}

const struct service service_textlog = {
	.name = "textlog",
	.about = "a line on standard error for each region that ends",
	.keys = "TEXTLOG_MIN_US",
	.start = textlog_start,
	.on_snapshot = textlog_take,
};
