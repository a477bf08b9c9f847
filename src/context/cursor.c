#include "context/cursor.h"

#include "record/value.h"

#include <string.h>

static bool open_block(struct context_cursor *cursor)
{
	if (cursor->block == cursor->thread->events.count)
		return false;
	cursor->at = context_block_events(cursor->thread->events.items[cursor->block++],
					  &cursor->end);
	cursor->time = 0;
	return true;
}

static uint64_t cells_value(const uint32_t *cells)
{
	uint64_t value;

	memcpy(&value, cells, sizeof(value));
	return value;
}

/* The event at the cursor, whose head is not that of a time. */
static void read_event(struct context_cursor *cursor, struct context_event_head head)
{
	bool is_set = head.kind == CONTEXT_EVENT_SET;
	uint32_t passed = head.is_short ? head.ticks : cursor->at[1];

	cursor->event = (struct context_trace_event){
		head.kind, head.what, cursor->time + passed,
		is_set ? cells_value(cursor->at + CONTEXT_CELLS_LONG) : 0};
	cursor->cells = is_set          ? CONTEXT_CELLS_SET
			: head.is_short ? CONTEXT_CELLS_SHORT
					: CONTEXT_CELLS_LONG;
}

/* What is behind a cell without a kind was
 * never written. */
bool context_cursor_valid(struct context_cursor *cursor)
{
	for (;;) {
		struct context_event_head head =
			context_event_head(cursor->at < cursor->end ? *cursor->at : 0);

		if (!head.kind) {
			if (!open_block(cursor))
				return false;
		} else if (head.kind != CONTEXT_EVENT_TIME) {
			read_event(cursor, head);
			return true;
		} else {
			cursor->time = cells_value(cursor->at + 1);
			cursor->at += CONTEXT_CELLS_TIME;
		}
	}
}

void context_cursor_next(struct context_cursor *cursor)
{
	cursor->time = cursor->event.ticks;
	cursor->at += cursor->cells;
}

bool context_cursor_is_sound(const struct context_cursor *cursor,
			     const struct context_process *process)
{
	const struct context_trace_event *event = &cursor->event;

	return event->kind <= CONTEXT_EVENT_CHANGE &&
	       event->what < (event->kind == CONTEXT_EVENT_SET
				      ? process->attributes.count
				      : cursor->thread->paths.count);
}

static uint64_t moment_of(const struct context_process *process, uint64_t ticks)
{
	const struct context_moment *begin = &process->head->begin;

	return ticks > begin->ticks
		       ? begin->ns + context_ns(process, ticks - begin->ticks)
		       : begin->ns;
}

void context_cursor_follow(const struct context_process *process,
			   const struct context_known_thread *thread,
			   context_moved *moved, void *context)
{
	struct context_cursor cursor = {.thread = thread};

	for (; context_cursor_valid(&cursor); context_cursor_next(&cursor)) {
		const struct context_trace_event *event = &cursor.event;
		uint32_t path = event->what;

		if (event->kind == CONTEXT_EVENT_SET ||
		    !context_cursor_is_sound(&cursor, process))
			continue;
		if (event->kind == CONTEXT_EVENT_END)
			path = thread->paths.items[path].parent;
		moved(context, moment_of(process, event->ticks), path);
	}
}

void context_path_add(const struct context_process *process,
		      const struct context_known_thread *thread, uint32_t path,
		      struct text *text)
{
	const struct context_path *paths = thread->paths.items;
	struct VECTOR(uint32_t) chain = {0};

	for (; path && path < thread->paths.count; path = paths[path].parent)
		if (process->attributes.items[paths[path].attribute].properties &
		    RECORD_NESTED)
			vector_push(&chain, path);
	while (chain.count) {
		if (text->length)
			text_add(text, "/");
		record_value_text(text, paths[chain.items[--chain.count]].value);
	}
	vector_deinit(&chain);
}
