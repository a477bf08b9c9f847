/* Traces of channels: all threads' snapshots, read on in the order of time. */
#include "context/traces.h"

#include "context/channel_view.h"
#include "context/merge.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "wire/context_channel.h"

/* A thread's trace, read on snapshot by snapshot. */
struct cursor {
	uint32_t thread;
	const struct context_block *const *block, *const *end; /* its blocks */
	const uint64_t *at;
	size_t left;      /* words of the block */
	size_t size;      /* words of the snapshot */
	uint64_t before;  /* ticks of the one before */
	uint64_t resumed; /* ticks when the channel was last started; 0: it goes on */
	bool follows;     /* there was one */
	struct held_values values, given; /* set; of the next one alone */
	uint64_t *begins;                 /* of nodes, ticks; 0: not seen */
};

static uint32_t kind_of(const struct cursor *cursor)
{
	return (uint32_t)(cursor->at[1] >> 2 * CONTEXT_SNAPSHOT_BITS);
}

/* Whether there is a snapshot; what of a block makes no sense is left out. */
static bool cursor_valid(const struct channel_view *view, struct cursor *cursor)
{
	for (;;) {
		if (cursor->left > 1 && kind_of(cursor) < CONTEXT_SNAPSHOT_KINDS) {
			cursor->size = CONTEXT_SNAPSHOT_WORDS + view->traced +
				       (context_snapshot_has_value(kind_of(cursor)) != 0);
			if (cursor->size <= cursor->left)
				return true;
		}
		if (cursor->block == cursor->end)
			return false;
		cursor->at = (const void *)(*cursor->block + 1);
		cursor->left = (*cursor->block)->used / sizeof(*cursor->at);
		cursor->block++;
	}
}

static void cursor_skip(struct cursor *cursor)
{
	cursor->at += cursor->size;
	cursor->left -= cursor->size;
}

static uint32_t number_of(const struct cursor *cursor)
{
	return cursor->at[1] & ((1u << CONTEXT_SNAPSHOT_BITS) - 1);
}

/* Of what the event is; false: of nothing that is known. */
static bool event_of(const struct channel_view *view,
		     const struct context_known_thread *thread,
		     const struct cursor *cursor, struct held *ret_event)
{
	uint32_t kind = kind_of(cursor), number = number_of(cursor);

	if ((kind >= CONTEXT_SNAPSHOT_PUSH && kind < CONTEXT_SNAPSHOT_GIVEN) || !number)
		return false;
	if (context_snapshot_has_value(kind)) {
		*ret_event = (struct held){number, cursor->at[2], cursor->at[0]};
		return number < view->process->attributes.count;
	}
	if (number >= thread->paths.count)
		return false;
	*ret_event =
		(struct held){thread->paths.items[number].attribute, 0, cursor->at[0]};
	return true;
}

static bool is_end(const struct cursor *cursor)
{
	return kind_of(cursor) == CONTEXT_SNAPSHOT_END ||
	       kind_of(cursor) == CONTEXT_SNAPSHOT_UNSET ||
	       kind_of(cursor) == CONTEXT_SNAPSHOT_DROPPED;
}

static void note_event(struct cursor *cursor, const struct held *event)
{
	struct held *held = held_find(&cursor->values, event->attribute);

	if (!context_snapshot_has_value(kind_of(cursor))) {
		cursor->begins[number_of(cursor)] = cursor->at[0];
		return;
	}
	if (held && is_end(cursor))
		vector_remove_swap(&cursor->values,
				   (size_t)(held - cursor->values.items));
	else if (held)
		*held = *event;
	else if (!is_end(cursor))
		vector_push(&cursor->values, *event);
}

static struct record_value value_of(const struct channel_view *view,
				    const struct context_known_thread *thread,
				    const struct cursor *cursor, const struct held *event)
{
	return context_snapshot_has_value(kind_of(cursor))
		       ? context_value(view->process, event->attribute, event->bits)
		       : thread->paths.items[number_of(cursor)].value;
}

/* Profiles have metadata of the run by itself; in what others read it is part of each
 * record, as from the peer. */
static void note_run(struct channel_view *view, const struct held *event,
		     const struct record_value *value)
{
	record_attribute attribute = view->attributes[event->attribute];

	if (!view->saving->image && attribute != view->rank.attribute)
		view_say_run(view, attribute, value);
}

/* What holds from the event on, in this thread and others. */
static void note_held(struct channel_view *view,
		      const struct context_known_thread *thread, struct cursor *cursor,
		      const struct held *event)
{
	const uint32_t none = RECORD_NESTED | RECORD_HIDDEN | RECORD_GLOBAL;
	uint32_t properties = view_properties(view, event->attribute);
	struct record_value value = value_of(view, thread, cursor, event);

	if ((properties & (RECORD_GLOBAL | RECORD_AGGREGATABLE)) == RECORD_GLOBAL) {
		note_run(view, event, is_end(cursor) ? NULL : &value);
		return;
	}
	note_event(cursor, event);
	if (properties & RECORD_SCOPE_PROCESS && !(properties & none))
		shared_note(&view->shared, event->attribute, cursor->thread,
			    is_end(cursor) ? NULL : &value);
}

/* The attribute of what happens to another one, which is made once. */
static record_attribute event_attribute(const struct channel_view *view, uint32_t kind,
					uint32_t number)
{
	const uint32_t kept = RECORD_AS_VALUE | RECORD_SCOPE_PROCESS |
			      RECORD_SCOPE_THREAD | RECORD_SCOPE_TASK | RECORD_UNALIGNED |
			      RECORD_LEVEL_MASK;
	const struct context_known_attribute *known =
		&view->process->attributes.items[number];
	record_attribute *made =
		&view->events[kind * view->process->attributes.count + number];

	if (!*made)
		*made = 1 + view_make(view, context_snapshot_prefix(kind), known->name,
				      known->type,
				      (known->properties & kept) | RECORD_SKIP_EVENTS);
	return *made - 1;
}

/* event.begin#region=foo: what is part of the tree is a node of it here, too. Returns the
 * record's node. */
static record_node add_event(const struct channel_view *view,
			     const struct context_known_thread *thread,
			     const struct cursor *cursor, const struct held *event,
			     record_node node, struct channel_pairs *pairs)
{
	uint32_t properties = view_properties(view, event->attribute);
	struct record_value value = value_of(view, thread, cursor, event);
	record_attribute attribute;

	if (properties & RECORD_HIDDEN)
		return node;
	attribute = event_attribute(view, kind_of(cursor), event->attribute);
	if (!(properties & RECORD_AS_VALUE))
		return record_node_child(view->saving->model, node, attribute, value);
	pairs_add(pairs, attribute, value);
	return node;
}

/* What only ends have: how often it ended, and the time since it began. */
static void add_end(const struct channel_view *view, struct cursor *cursor,
		    const struct held *event, struct channel_pairs *pairs)
{
	uint32_t kind = kind_of(cursor);
	const struct held *held = held_find(&cursor->values, event->attribute);
	uint32_t properties = view_properties(view, event->attribute);
	uint64_t begin = kind == CONTEXT_SNAPSHOT_END ? cursor->begins[number_of(cursor)]
			 : kind == CONTEXT_SNAPSHOT_UNSET && held ? held->since
								  : 0;

	if (properties & RECORD_HIDDEN)
		return;
	/* Iterations of a loop, too. */
	if (kind == CONTEXT_SNAPSHOT_END ? properties & RECORD_NESTED
					 : held != NULL && kind == CONTEXT_SNAPSHOT_UNSET)
		pairs_add(pairs, view->regions, record_uint(1));
	if (begin && begin < cursor->resumed)
		begin = cursor->resumed;
	for (uint32_t i = 0; begin && i < view->metric_count; i++) {
		const uint32_t wanted = CONTEXT_METRIC_AT_END | CONTEXT_METRIC_TICKS;

		if ((view->channel->metrics[i].flags & wanted) == wanted)
			pairs_add(pairs, view->values[i],
				  record_uint(view_ns(view, cursor->at[0] - begin)));
	}
}

static void add_value(const struct channel_view *view, const struct held *held,
		      struct channel_pairs *pairs)
{
	uint32_t properties = view_properties(view, held->attribute);
	uint64_t bits =
		properties & CONTEXT_OF_TICKS ? view_ns(view, held->bits) : held->bits;

	if (!(properties & RECORD_HIDDEN))
		pairs_add(pairs, view->attributes[held->attribute],
			  context_value(view->process, held->attribute, bits));
}

/* What is set, unless another value was given for this snapshot; what was given. */
static void add_values(const struct channel_view *view, struct cursor *cursor,
		       struct channel_pairs *pairs)
{
	vector_for_each (&cursor->values, held)
		if (!held_find(&cursor->given, held->attribute) &&
		    !shared_find(&view->shared, held->attribute, cursor->thread))
			add_value(view, held, pairs);
	vector_for_each (&cursor->given, held)
		add_value(view, held, pairs);
	vector_for_each (&view->shared, value)
		if (value->thread != cursor->thread &&
		    !held_find(&cursor->given, value->attribute))
			pairs_add(pairs, view->attributes[value->attribute],
				  value->value);
	cursor->given.count = 0;
}

/* What a snapshot of a trace has of each metric. */
static void add_traced(const struct channel_view *view, const uint64_t *word,
		       struct channel_pairs *pairs)
{
	for (uint32_t i = 0; i < view->metric_count; i++) {
		const struct context_channel_metric *metric = &view->channel->metrics[i];
		uint64_t bits;

		if (!(metric->flags & CONTEXT_METRIC_TRACED))
			continue;
		bits = *word++;
		if (metric->flags & CONTEXT_METRIC_KEY && bits == CONTEXT_NO_KEY)
			continue;
		if (view->strings[i])
			pairs_add(pairs, view->values[i],
				  context_value(view->process, view->strings[i], bits));
		else if (view_metric_type(metric) != RECORD_STRING)
			pairs_add_bits(pairs, view->values[i], view_metric_type(metric),
				       bits);
	}
}

/* Values that were added to the snapshot when it was taken stand behind it. */
static void take_added(const struct channel_view *view, struct cursor *cursor)
{
	const struct context_known_thread *thread = view_thread(view, cursor->thread);
	struct cursor ahead = *cursor;
	struct held held;

	for (cursor_skip(&ahead);
	     cursor_valid(view, &ahead) && kind_of(&ahead) == CONTEXT_SNAPSHOT_ADDED;
	     cursor_skip(&ahead))
		if (event_of(view, thread, &ahead, &held))
			vector_push(&cursor->given, held);
}

static void save_snapshot(struct channel_view *view, struct cursor *cursor)
{
	const struct context_known_thread *thread = view_thread(view, cursor->thread);
	uint32_t node = (uint32_t)(cursor->at[1] >> CONTEXT_SNAPSHOT_BITS) &
			((1u << CONTEXT_SNAPSHOT_BITS) - 1);
	const uint64_t *word = cursor->at + CONTEXT_SNAPSHOT_WORDS +
			       (context_snapshot_has_value(kind_of(cursor)) != 0);
	uint64_t now = cursor->at[0], start = view->channel->begin.ticks;
	struct channel_pairs pairs;
	struct held event;
	record_node of;

	if (node >= thread->paths.count)
		return;
	of = view_node(view, cursor->thread, node);
	take_added(view, cursor);
	view_begin(view, thread, &pairs);
	pairs_add(&pairs, view->offset,
		  record_uint(now > start ? view_ns(view, now - start) : 0));
	if (cursor->follows)
		pairs_add(&pairs, view->duration,
			  record_uint(view_ns(view, now - cursor->before)));
	if (event_of(view, thread, cursor, &event)) {
		if (!(view->channel->says & CONTEXT_SAYS_NO_EVENTS))
			of = add_event(view, thread, cursor, &event, of, &pairs);
		add_end(view, cursor, &event, &pairs);
		add_values(view, cursor, &pairs);
		note_held(view, thread, cursor, &event);
	} else {
		add_values(view, cursor, &pairs);
	}
	add_traced(view, word, &pairs);
	trm_writer_record(view->saving->writer, of, pairs.items, pairs.count);
}

/* A snapshot, or a mark; behind it then. */
static void read_snapshot(struct channel_view *view, struct cursor *cursor)
{
	const struct context_known_thread *thread = view_thread(view, cursor->thread);
	uint32_t kind = kind_of(cursor);
	struct held held;

	if (kind >= CONTEXT_SNAPSHOT_GIVEN) {
		if (!event_of(view, thread, cursor, &held))
			; /* of nothing that is known */
		else if (kind == CONTEXT_SNAPSHOT_ADDED)
			; /* it was taken with the snapshot */
		else if (kind == CONTEXT_SNAPSHOT_GIVEN)
			vector_push(&cursor->given, held);
		else
			note_held(view, thread, cursor, &held);
		cursor_skip(cursor);
		return;
	}
	if (kind == CONTEXT_SNAPSHOT_RESUME)
		cursor->resumed = cursor->at[2];
	else
		save_snapshot(view, cursor);
	cursor->before = cursor->at[0];
	cursor->follows = true;
	cursor_skip(cursor);
}

/* The blocks of this channel's traces, by thread and in order. */
static struct context_blocks trace_blocks(const struct channel_view *view)
{
	struct context_blocks all = context_blocks_of(view->process, CONTEXT_SNAPSHOTS);
	struct context_blocks found = {0};

	vector_for_each (&all, block)
		if (view_has(view->channel, *block) && view_thread(view, (*block)->owner))
			vector_push(&found, *block);
	vector_deinit(&all);
	context_blocks_sort(&found);
	return found;
}

/* All threads' snapshots in the order of time. */
static void merge_traces(struct channel_view *view, const struct context_blocks *blocks)
{
	struct VECTOR(struct cursor) cursors = {0};
	struct merge merge;

	for (size_t i = 0, next; i < blocks->count; i = next) {
		uint32_t owner = blocks->items[i]->owner;

		for (next = i;
		     next < blocks->count && blocks->items[next]->owner == owner;)
			next++;
		vector_push(&cursors,
			    ((struct cursor){
				    .thread = owner,
				    .block = blocks->items + i,
				    .end = blocks->items + next,
				    .begins = memory_allocate_zeroed(
					    view_thread(view, owner)->paths.count + 1,
					    sizeof(uint64_t)),
			    }));
	}
	merge_init(&merge, cursors.count);
	for (uint32_t i = 0; i < cursors.count; i++)
		if (cursor_valid(view, &cursors.items[i]))
			merge_add(&merge, i, cursors.items[i].at[0]);
	for (uint32_t top; merge_top(&merge, &top);) {
		struct cursor *cursor = &cursors.items[top];
		bool more;

		read_snapshot(view, cursor);
		more = cursor_valid(view, cursor);
		merge_next(&merge, more, more ? cursor->at[0] : 0);
	}
	merge_deinit(&merge);
	vector_for_each (&cursors, cursor) {
		free(cursor->begins);
		vector_deinit(&cursor->values);
		vector_deinit(&cursor->given);
	}
	vector_deinit(&cursors);
}

void view_save_traces(struct channel_view *view)
{
	struct context_blocks blocks = trace_blocks(view);
	for (uint32_t i = 0; i < view->metric_count; i++)
		view->traced +=
			(view->channel->metrics[i].flags & CONTEXT_METRIC_TRACED) != 0;
	if (blocks.count) {
		view->offset = view_make_ns(view, "time.offset.ns", VIEW_VALUE);
		view->duration = view_make_ns(view, "time.duration.ns", VIEW_SUM);
		merge_traces(view, &blocks);
	}
	vector_deinit(&blocks);
}
