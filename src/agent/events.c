#include "agent/events.h"

#include "protocol/protocol.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static void keep_event(struct events *events, Trm__Event *event)
{
	struct timespec now;
	struct text frame = {0};
	Trm__Message message = TRM__MESSAGE__INIT;

	clock_gettime(CLOCK_REALTIME, &now);
	event->number = ++events->last;
	if (!event->time_ns)
		event->time_ns =
			(uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	message.kind_case = TRM__MESSAGE__KIND_EVENT;
	message.event = event;
	frame_add(&frame, &message);
	events->bytes += frame.length;
	vector_push(&events->kept,
		    ((struct event_kept){event->number, frame.data, frame.length}));
}

static bool is_needed(const Trm__Event *event)
{
	return event->kind == PROTOCOL_EVENT_MEASURED ||
	       event->kind == PROTOCOL_EVENT_STARTED ||
	       event->kind == PROTOCOL_EVENT_OUTPUT;
}

void events_add(struct events *events, Trm__Event *event)
{
	Trm__Event lost = TRM__EVENT__INIT;

	/* Without these nobody would know that it is over; and what a program wrote is
	 * read only while there is room, but for the rest when it ends. */
	if (!events_have_room(events) && !is_needed(event)) {
		events->left_out++;
		return;
	}
	if (events->left_out) {
		lost.kind = PROTOCOL_EVENT_LOST;
		lost.value = (int64_t)events->left_out;
		events->left_out = 0;
		keep_event(events, &lost);
	}
	keep_event(events, event);
}

bool events_have_room(const struct events *events)
{
	return events->bytes < EVENTS_KEPT_MAX;
}

void events_arrived(struct events *events, uint64_t number)
{
	size_t gone = 0;

	while (gone < events->sent && events->kept.items[gone].number <= number) {
		events->bytes -= events->kept.items[gone].size;
		events->flying -= events->kept.items[gone].size;
		free(events->kept.items[gone].frame);
		gone++;
	}
	events->sent -= gone;
	events->kept.count -= gone;
	if (gone)
		memmove(events->kept.items, events->kept.items + gone,
			events->kept.count * sizeof(*events->kept.items));
}

void events_begin_again(struct events *events)
{
	events->sent = events->flying = 0;
}

void events_send(struct events *events, struct text *out)
{
	while (events->sent < events->kept.count && events->flying < PROTOCOL_WINDOW) {
		const struct event_kept *event = &events->kept.items[events->sent++];

		text_add_bytes(out, event->frame, event->size);
		events->flying += event->size;
	}
}

void events_deinit(struct events *events)
{
	vector_for_each (&events->kept, event)
		free(event->frame);
	vector_deinit(&events->kept);
}
