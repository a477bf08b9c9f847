/*
 * debug: a message (LOG_VERBOSITY=1) of each event and each snapshot. It writes in the
 * middle of the program: it is for looking on, not for measuring.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/log.h"
#include "runtime/channel/service.h"
#include "runtime/events/hooks.h"
#include "runtime/service/print_path.h"
#include "runtime/store/attributes.h"
#include "runtime/store/strings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { VALUE_MAX = 200 };

static const char *const words[CONTEXT_SNAPSHOT_KINDS] = {
	[RUNTIME_BEGIN] = "begin",     [RUNTIME_END] = "end",
	[RUNTIME_CHANGE] = "set",      [RUNTIME_SET] = "set",
	[RUNTIME_START] = "begin",     [RUNTIME_UNSET] = "end",
	[RUNTIME_ITERATION] = "begin",
};

static void print_value(const struct runtime_event *event,
			const struct context_attribute *known, char *text)
{
	uint64_t bits = event->node && event->kind != RUNTIME_ITERATION
				? event->node->value
				: event->value;
	double number;

	memcpy(&number, &bits, sizeof(number));
	if (known->type == TRM_TYPE_STRING)
		snprintf(text, VALUE_MAX, "%.190s", bits ? strings_at(bits)->bytes : "");
	else if (known->type == TRM_TYPE_DOUBLE)
		snprintf(text, VALUE_MAX, "%g", number);
	else
		snprintf(text, VALUE_MAX, "%lld", (long long)bits);
}

static void debug_look(struct channel_thread *own, const struct runtime_event *event)
{
	const struct context_attribute *known = attributes_get(event->attribute);
	int saved = errno;
	char text[VALUE_MAX];

	if (!own->told)
		log_inform("%s: Event: create_thread", own->channel->name);
	own->told = true;
	if (known && event->kind < RUNTIME_BEGAN && words[event->kind]) {
		print_value(event, known, text);
		log_inform("Event: pre_%s (%s=%s)", words[event->kind],
			   strings_at(known->name)->bytes, text);
	}
	errno = saved;
}

static void debug_take(struct channel_thread *own, const struct runtime_event *event)
{
	char path[900];
	size_t at = print_path(path, sizeof(path), event->before, 0);
	int saved = errno;

	(void)own;
	log_inform("Event: process_snapshot: { %.*s }", (int)(sizeof(path) - at),
		   path + at);
	errno = saved;
}

static void debug_leave(struct channel *channel, const struct context_thread *thread)
{
	(void)thread;
	log_inform("%s: Event: release_thread", channel->name);
}

static void debug_finish(struct channel *channel)
{
	log_inform("%s: Event: finish", channel->name);
}

const struct service service_debug = {
	.name = "debug",
	.about = "a message of each event and each snapshot",
	.on_event = debug_look,
	.on_snapshot = debug_take,
	.leave = debug_leave,
	.finish = debug_finish,
};
