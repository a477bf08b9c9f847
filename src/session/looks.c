#include "session/looks.h"

#include <stdlib.h>

#define FIRST_NS 20000000u

/* The pause is one in so many of the time since the begin. */
enum { LOOKS = 12 };

uint64_t looks_first(void)
{
	const char *text = getenv("TRAMMEL_LOOK_US");

	return text ? strtoull(text, NULL, 10) * 1000 : FIRST_NS;
}

bool looks_are_many(void)
{
	return looks_first() < FIRST_NS;
}

uint64_t looks_wait(struct looks *looks, uint64_t now)
{
	if (!looks->begin) {
		looks->begin = now;
		looks->next = now + looks_first();
	}
	return now < looks->next ? looks->next - now : 0;
}

static uint64_t pause_after(const struct looks *looks, uint64_t end,
			    const struct looks_limits *limits)
{
	const uint64_t age = end - looks->begin, first = looks_first();
	uint64_t pause = age / LOOKS < first ? first : age / LOOKS;

	if (looks_are_many())
		return first;
	if (pause > limits->longest_ns)
		pause = limits->longest_ns;
	if (looks->spent * limits->share > age + pause)
		pause = looks->spent * limits->share - age;
	return pause;
}

uint64_t looks_pause(struct looks *looks, uint64_t since,
		     const struct looks_limits *limits)
{
	const uint64_t end = session_now();
	uint64_t pause;

	looks->spent += end - since;
	pause = pause_after(looks, end, limits);
	looks->next = end + pause;
	return pause;
}
