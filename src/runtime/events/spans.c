/*
 * Spans: functions of the program that are regions without its doing. Code at their
 * entries and returns calls the functions below (resident/spans.S), on a stack of
 * its own.
 *
 * A call is known by where its return address lies on the stack. What lies at or below
 * the place of the next call or return is over, however it was left: so exceptions and
 * longjmp need no care of their own. The program's annotations are such events, too, as
 * what they begin and end must lie in what is open then.
 */
#include "runtime/events/spans.h"

#include "runtime/events/bank.h"
#include "runtime/events/caliper_host_api.h"
#include "runtime/events/events.h"
#include "runtime/events/spans_calls.h"
#include "runtime/events/spans_fast.h"
#include "runtime/store/attributes.h"
#include "runtime/store/memory.h"
#include "runtime/store/state.h"
#include "wire/bank.h"
#include "wire/control.h"
#include "wire/layout.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

runtime_local struct spans_calls spans_calls;
uint32_t spans_attribute;

static bool make_room(void)
{
	const uint32_t room = spans_calls.room ? 2 * spans_calls.room
					       : 4096 / sizeof(struct spans_frame);
	struct spans_frame *frames;

	if (likely(spans_calls.count < spans_calls.room))
		return true;
	frames = runtime_map(room * sizeof(*frames));
	if (!frames)
		return false;
	if (spans_calls.count)
		memcpy(frames, spans_calls.frames, spans_calls.count * sizeof(*frames));
	if (spans_calls.room)
		runtime_unmap(spans_calls.frames, spans_calls.room * sizeof(*frames));
	spans_calls.frames = frames;
	spans_calls.room = room;
	return true;
}

bool spans_hold(const struct context_node *node)
{
	for (uint32_t i = spans_calls.count; i-- > 0;)
		if (spans_calls.frames[i].node == node)
			return true;
	return false;
}

/* Ends what lies at a place of the stack, or below. */
static void drop_spans(struct context_thread *thread, uint64_t place)
{
	while (spans_is_over(place)) {
		const struct spans_frame *frame =
			&spans_calls.frames[--spans_calls.count];

		events_end_node(thread, frame->node, spans_attribute, frame->value);
	}
}

static void begin_span(uint64_t place, const char *name)
{
	int saved = errno;
	struct context_thread *thread = spans_calls.over ? NULL : events_enter();
	const struct context_node *from;

	if (!thread)
		return;
	drop_spans(thread, place);
	from = thread->node;
	if (make_room())
		events_begin_node(thread, spans_attribute, name);
	if (thread->node != from)
		spans_calls.frames[spans_calls.count++] =
			(struct spans_frame){place, thread->node, thread->node->value};
	events_leave();
	errno = saved;
}

static void end_span(uint64_t place)
{
	int saved = errno;
	struct context_thread *thread;

	if (!spans_is_over(place) || !(thread = events_enter()))
		return;
	drop_spans(thread, place);
	events_leave();
	errno = saved;
}

/* What this calls itself may be a span. */
void spans_end_thread(void)
{
	struct spans_frame *frames = spans_calls.frames;
	size_t size = spans_calls.room * sizeof(*frames);

	spans_calls.over = true;
	spans_calls.frames = NULL;
	spans_calls.count = spans_calls.room = 0;
	in_order();
	if (size)
		runtime_unmap(frames, size);
}

/* Where the return address of the function lies that says this: calls up to there are
 * over. */
#define HERE ((uint64_t)__builtin_frame_address(0) + sizeof(void *))

static void begin_value(trm_attribute number, const struct trm_value *value)
{
	end_span(HERE);
	events_api.begin(number, value);
}

static void end_value(trm_attribute number)
{
	end_span(HERE);
	events_api.end(number);
}

static void set_value(trm_attribute number, const struct trm_value *value)
{
	end_span(HERE);
	events_api.set(number, value);
}

static void enter_site(struct trm_site *site)
{
	end_span(HERE);
	events_api.enter(site);
}

static void leave_site(struct trm_site *site)
{
	end_span(HERE);
	events_api.leave(site);
}

static void iterate_site(struct trm_site *site, int64_t iteration)
{
	end_span(HERE);
	events_api.iterate(site, iteration);
}

static void begin_text(trm_attribute number, const char *text)
{
	end_span(HERE);
	events_begin_text(number, text);
}

static void end_text(trm_attribute number, const char *text)
{
	end_span(HERE);
	events_end_text(number, text);
}

static struct trm_api spans_api;

const struct trm_api *spans_events(void)
{
	return spans_attribute ? &spans_api : &events_api;
}

void spans_join_host(struct trm_runtime_host *host)
{
	if (!spans_attribute)
		return;
	host->events = &spans_api;
	host->begin_text = begin_text;
	host->end_text = end_text;
}

/* The control page of whoever measures the program; NULL: nobody does. */
static struct wire_control *find_control(void)
{
	const struct wire_bank *bank = bank_find();

	return bank ? (struct wire_control *)(uintptr_t)bank->control : NULL;
}

void spans_start(void)
{
	struct wire_control *control = find_control();

	if (!control || __atomic_load_n(&control->span_begin, __ATOMIC_RELAXED))
		return;
	spans_attribute = attributes_create("region", TRM_TYPE_STRING, TRM_NESTED);
	if (!spans_attribute)
		return;
	spans_api = events_api;
	spans_api.begin = begin_value;
	spans_api.end = end_value;
	spans_api.set = set_value;
	spans_api.enter = enter_site;
	spans_api.leave = leave_site;
	spans_api.iterate = iterate_site;
	control->span_try_begin = (uintptr_t)spans_try_begin;
	control->span_try_end = (uintptr_t)spans_try_end;
	__atomic_store_n(&control->span_end, (uintptr_t)end_span, __ATOMIC_RELEASE);
	__atomic_store_n(&control->span_begin, (uintptr_t)begin_span, __ATOMIC_RELEASE);
}
