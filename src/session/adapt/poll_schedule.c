#include "session/adapt/poll_schedule.h"

#include "base/clock.h"
#include "session/thread/stop.h"

#include <stdlib.h>

#define FIRST_NS 20000000u

/* The pause is one in so many of the time since the begin. */
enum { LOOKS = 12 };

/* Nanoseconds from the program's begin. */
static uint64_t first_ns(void)
{
	const char *text = getenv("TRAMMEL_LOOK_US");

	return text ? strtoull(text, NULL, 10) * 1000 : FIRST_NS;
}

bool poll_schedule_is_dense(void)
{
	return first_ns() < FIRST_NS;
}

uint64_t poll_schedule_wait(const struct session *session, struct poll_schedule *looks,
			    uint64_t *ret_now)
{
	const uint64_t now = clock_now_ns();

	if (!session->window.base)
		return UINT64_MAX;
	if (!looks->begin) {
		looks->begin = now;
		looks->next = now + first_ns();
	}
	if (now < looks->next)
		return looks->next - now;
	*ret_now = now;
	return stop_must_wait(session, now - looks->next) ? STOP_WAIT_NS : 0;
}

static uint64_t pause_after(const struct poll_schedule *looks, uint64_t end,
			    const struct poll_schedule_limits *limits)
{
	const uint64_t age = end - looks->begin, first = first_ns();
	uint64_t pause = age / LOOKS < first ? first : age / LOOKS;

	if (poll_schedule_is_dense())
		return first;
	if (pause > limits->longest_ns)
		pause = limits->longest_ns;
	if (looks->spent * limits->share > age + pause)
		pause = looks->spent * limits->share - age;
	return pause;
}

uint64_t poll_schedule_pause(struct poll_schedule *looks, uint64_t since,
			     const struct poll_schedule_limits *limits)
{
	const uint64_t end = clock_now_ns();
	uint64_t pause;

	looks->spent += end - since;
	pause = pause_after(looks, end, limits);
	looks->next = end + pause;
	return pause;
}

bool poll_schedule_may_change(const struct process *process)
{
	const struct space *space = process->space;

	return space && space->family && !space->bare && space->references == 1 &&
	       !process->image->ended && !process->watched;
}
