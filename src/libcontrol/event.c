#include "libcontrol/event.h"

#include "base/array.h"
#include "libcontrol/objects.h"
#include "libcontrol/process.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* `struct trm_event` is its ticket. */
struct control_event {
	Trm__Message *message;
	struct trm_process *process;
};

static const char *const kind_names[TRM_EVENT_COUNT] = {
	[TRM_EVENT_NONE] = "none",         [TRM_EVENT_STARTED] = "started",
	[TRM_EVENT_ENDED] = "ended",       [TRM_EVENT_MEASURED] = "measured",
	[TRM_EVENT_FORK] = "fork",         [TRM_EVENT_EXEC] = "exec",
	[TRM_EVENT_THREAD] = "thread",     [TRM_EVENT_THREAD_ENDED] = "thread ended",
	[TRM_EVENT_LOADED] = "loaded",     [TRM_EVENT_UNLOADED] = "unloaded",
	[TRM_EVENT_FUNCTION] = "function", [TRM_EVENT_BREAKPOINT] = "breakpoint",
	[TRM_EVENT_SIGNAL] = "signal",     [TRM_EVENT_TIMER] = "timer",
	[TRM_EVENT_COUNTER] = "counter",   [TRM_EVENT_ANNOTATION] = "annotation",
	[TRM_EVENT_USER] = "user",         [TRM_EVENT_OUTPUT] = "output",
	[TRM_EVENT_STOPPED] = "stopped",   [TRM_EVENT_LOST] = "lost",
};

struct trm_event *event_create(const struct control_engine *engine, Trm__Message *message)
{
	struct control_event *event = memory_allocate_zeroed(1, sizeof(*event));

	event->message = message;
	event->process = process_ticket(engine, message->event->process);
	return object_add(OBJECT_EVENT, event);
}

/* NULL: it is no event. */
static const struct control_event *find_event(const struct trm_event *ticket)
{
	void *object = NULL;

	trm_error_destroy(object_find(ticket, OBJECT_EVENT, &object));
	return object;
}

EXPORT enum trm_event_kind trm_event_kind(const struct trm_event *ticket)
{
	const struct control_event *event = find_event(ticket);
	uint32_t kind = event ? event->message->event->kind : 0;

	return kind < TRM_EVENT_COUNT ? (enum trm_event_kind)kind : TRM_EVENT_NONE;
}

EXPORT void trm_event_context(const struct trm_event *ticket,
			      struct trm_context *ret_context)
{
	const struct control_event *found = find_event(ticket);
	struct trm_context context = {.size = ret_context->size};

	if (found) {
		const Trm__Event *event = found->message->event;

		context.number = event->number;
		context.time_ns = event->time_ns;
		context.address = event->address;
		context.value = event->value;
		context.pid = (int)event->pid;
		context.tid = (int)event->tid;
	}
	memcpy(ret_context, &context,
	       context.size < sizeof(context) ? context.size : sizeof(context));
}

EXPORT struct trm_process *trm_event_process(const struct trm_event *ticket)
{
	const struct control_event *event = find_event(ticket);

	return event ? event->process : NULL;
}

EXPORT const char *trm_event_text(const struct trm_event *ticket)
{
	const struct control_event *event = find_event(ticket);

	return event ? event->message->event->text : "";
}

EXPORT const void *trm_event_data(const struct trm_event *ticket, size_t *ret_size)
{
	const struct control_event *event = find_event(ticket);

	*ret_size = event ? event->message->event->data.len : 0;
	return event ? event->message->event->data.data : NULL;
}

EXPORT const char *trm_event_failure(const struct trm_event *ticket)
{
	const struct control_event *event = find_event(ticket);

	return event && event->message->event->fault
		       ? event->message->event->fault->message
		       : NULL;
}

EXPORT const char *trm_event_kind_name(enum trm_event_kind kind)
{
	return (unsigned int)kind < TRM_EVENT_COUNT ? kind_names[kind] : "none";
}

EXPORT void trm_event_release(struct trm_event *ticket)
{
	struct control_event *event = object_remove(ticket, OBJECT_EVENT);

	if (!event)
		return;
	frame_free(event->message);
	free(event);
}
