/* The trace of a thread in a spool, read event by event. */
#ifndef TRAMMEL_CONTEXT_CURSOR_H
#define TRAMMEL_CONTEXT_CURSOR_H

#include "context/reader.h"
#include "wire/context_event.h"

struct context_trace_event {
	enum context_event_kind kind;
	uint32_t what;
	uint64_t ticks;
	uint64_t value; /* of a CONTEXT_EVENT_SET */
};

/* All-zero but for `thread` is in front of the first event. */
struct context_cursor {
	const struct context_known_thread *thread;
	size_t block;
	const uint32_t *at, *end;
	uint64_t time; /* ticks, up to which it was read */
	struct context_trace_event event;
	uint32_t cells; /* of the event */
};

/* Whether there is an event: it is read then. */
bool context_cursor_valid(struct context_cursor *cursor);

/* Goes on behind the event. */
void context_cursor_next(struct context_cursor *cursor);

/* Whether the file can be right with the event. */
bool context_cursor_is_sound(const struct context_cursor *cursor,
			     const struct context_process *process);

/* Called when a thread is in another path of its own, `path`, from a moment on:
 * nanoseconds of CLOCK_MONOTONIC. */
typedef void context_moved(void *context, uint64_t ns, uint32_t path);

/* Visits all moves that a thread's trace tells of, in the order of time. */
void context_cursor_follow(const struct context_process *process,
			   const struct context_known_thread *thread,
			   context_moved *moved, void *context);

/* Adds the regions of a path: "main/solve", from the outermost to the innermost; nothing
 * where there is none. */
void context_path_add(const struct context_process *process,
		      const struct context_known_thread *thread, uint32_t path,
		      struct text *text);

#endif
