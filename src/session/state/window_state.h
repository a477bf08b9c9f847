/* The part of a run that is counted, as far as it is known: see session/count/window.h.
 */
#ifndef TRAMMEL_SESSION_STATE_WINDOW_STATE_H
#define TRAMMEL_SESSION_STATE_WINDOW_STATE_H

#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

struct progress {
	uint64_t ended;              /* instructions of counters that are gone */
	uint64_t before;             /* all instructions when the interval began */
	uint64_t total;              /* all instructions at the last look */
	uint64_t looked_ns, next_ns; /* clock_now_ns() then, and when to look again */
	struct VECTOR(int64_t *) weights; /* by file: instructions for each count of a
					     slot */
};

enum window_state {
	WINDOW_AWAITED, /* counting has not begun yet */
	WINDOW_OPEN,
	WINDOW_CLOSED, /* counting is over */
};

/* Interval, in nanoseconds since the program, or the attachment, began. */
struct window_interval {
	uint64_t start_ns, end_ns;
};

struct window {
	enum window_state state;
	uint64_t base; /* clock_now_ns() when the program began; 0: it did not yet */
	uint64_t start_ns, end_ns;                       /* as in intervals; 0: not yet */
	struct VECTOR(struct window_interval) intervals; /* the last one is going on */
	struct progress progress;
	bool standing; /* all threads stand meanwhile: see window_is_exact */
};

#endif
