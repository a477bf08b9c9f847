#include "context/channels.h"

#include "context/merge.h"
#include "context/save.h"
#include "context/shared.h"

enum { PAIRS_MAX = 5 * CONTEXT_METRICS_MAX + 32 };

/* Attributes of the profile that a metric becomes. */
struct sums {
	record_attribute sum, least, most, mean, count;
};

struct view {
	const struct context_channel_saving *saving;
	const struct context_process *process;
	const struct context_channel *channel;
	uint32_t metric_count;
	struct sums metrics[CONTEXT_METRICS_MAX];
	record_attribute values[CONTEXT_METRICS_MAX]; /* of traces */
	uint32_t strings[CONTEXT_METRICS_MAX]; /* the process's number; 0: no strings */
	record_attribute image, thread, count, regions, offset, duration, is_main, slot,
		pthread;
	struct record_pair rank;      /* of all records; attribute 0: none */
	record_attribute *attributes; /* by the process's number */
	record_node **nodes;          /* by thread; NULL: not needed yet */
	struct shared_values shared;  /* as far as the traces are read */
};

struct pairs {
	struct record_pair items[PAIRS_MAX];
	size_t count;
};

static record_attribute make(const struct view *view, const char *prefix,
			     const char *name, enum record_type type, uint32_t properties)
{
	struct text text = {0};
	record_attribute id;

	text_format(&text, "%s%s", prefix, name);
	id = record_attribute_make(view->saving->model, text.data, type, properties);
	text_deinit(&text);
	return id;
}

static struct sums make_sums(const struct view *view, const char *name,
			     enum record_type type)
{
	const uint32_t value = RECORD_AS_VALUE, sum = value | RECORD_AGGREGATABLE;

	return (struct sums){
		make(view, "sum#", name, context_sum_type(type), sum),
		make(view, "min#", name, type, value),
		make(view, "max#", name, type, value),
		make(view, "avg#", name, RECORD_DOUBLE, value),
		make(view, "count#", name, RECORD_UINT, sum),
	};
}

static enum record_type type_of(const struct context_channel_metric *metric)
{
	return metric->type < RECORD_TYPE_COUNT ? (enum record_type)metric->type
						: RECORD_UINT;
}

static void make_metrics(struct view *view)
{
	const struct context_channel *channel = view->channel;

	view->metric_count = channel->metric_count < CONTEXT_METRICS_MAX
				     ? channel->metric_count
				     : CONTEXT_METRICS_MAX;
	for (uint32_t i = 0; i < view->metric_count; i++) {
		const struct context_channel_metric *metric = &channel->metrics[i];
		char name[CONTEXT_CHANNEL_NAME + 1] = "";

		memcpy(name, metric->name, CONTEXT_CHANNEL_NAME);
		if (!(metric->flags & CONTEXT_METRIC_KEY))
			view->metrics[i] = make_sums(view, name, type_of(metric));
		if (metric->flags & (CONTEXT_METRIC_TRACED | CONTEXT_METRIC_AT_END))
			view->values[i] =
				make(view, "", name, type_of(metric), RECORD_AS_VALUE);
	}
}

/* As the profile has them. */
static uint32_t record_properties(uint32_t properties)
{
	uint32_t none = RECORD_GLOBAL | CONTEXT_OF_LIBRARY;

	if (properties & CONTEXT_DETAIL)
		none |= RECORD_NESTED;
	return properties & ~none;
}

static void find_rank(struct view *view)
{
	const struct context_process *process = view->process;

	vector_for_each (&process->globals, global) {
		const struct context_known_attribute *known =
			&process->attributes.items[global->attribute];

		if (!strcmp(known->name, "mpi.rank") && known->type == RECORD_INT)
			view->rank = (struct record_pair){
				make(view, "", known->name, known->type, RECORD_AS_VALUE),
				context_value(process, global->attribute, global->bits)};
	}
}

/* Values that are strings of the process are those of its attributes. */
static void find_strings(struct view *view)
{
	for (uint32_t i = 0; i < view->metric_count; i++)
		for (size_t j = 1; j < view->process->attributes.count; j++) {
			const struct context_known_attribute *known =
				&view->process->attributes.items[j];

			if (type_of(&view->channel->metrics[i]) == RECORD_STRING &&
			    known->type == RECORD_STRING &&
			    view->attributes[j] == view->values[i])
				view->strings[i] = (uint32_t)j;
		}
}

static void view_init(struct view *view, const struct context_channel_saving *saving,
		      const struct context_process *process,
		      const struct context_channel *channel)
{
	const uint32_t value = RECORD_AS_VALUE, sum = value | RECORD_AGGREGATABLE;

	*view = (struct view){
		.saving = saving,
		.process = process,
		.channel = channel,
		.attributes = memory_allocate_zeroed(process->attributes.count,
						     sizeof(*view->attributes)),
		.nodes = memory_allocate_zeroed(process->threads.count + 1,
						sizeof(*view->nodes)),
	};
	make_metrics(view);
	if (saving->image)
		view->image = make(view, "", "image", RECORD_UINT, value);
	view->thread = make(view, "", "thread", RECORD_UINT, value);
	if (channel->says & CONTEXT_SAYS_MAIN)
		view->is_main = make(view, "", "pthread.is_master", RECORD_BOOL, value);
	if (channel->says & CONTEXT_SAYS_PTHREAD)
		view->pthread = make(view, "", "pthread.id", RECORD_UINT, value);
	if (channel->says & CONTEXT_SAYS_SLOTS)
		view->slot = make(view, "", "aggregate.slot", RECORD_UINT, value);
	view->count = make(view, "", "count", RECORD_UINT, sum);
	view->regions = make(view, "", "region.count", RECORD_UINT, sum);
	for (size_t i = 1; i < process->attributes.count; i++) {
		const struct context_known_attribute *known =
			&process->attributes.items[i];

		view->attributes[i] = make(view, "", known->name, known->type,
					   record_properties(known->properties));
	}
	find_rank(view);
	find_strings(view);
}

static void view_deinit(struct view *view)
{
	for (size_t i = 0; i < view->process->threads.count; i++)
		free(view->nodes[i]);
	free(view->nodes);
	free(view->attributes);
	vector_deinit(&view->shared);
}

static const struct context_known_thread *thread_at(const struct view *view,
						    uint32_t number)
{
	return number < view->process->threads.count
		       ? &view->process->threads.items[number]
		       : NULL;
}

static uint32_t properties_of(const struct view *view, uint32_t attribute)
{
	return view->process->attributes.items[attribute].properties;
}

static record_node make_node(const struct view *view, record_node parent,
			     const struct context_path *path)
{
	const struct context_channel_saving *saving = view->saving;
	record_attribute attribute = view->attributes[path->attribute];

	if (saving->look_up && path->value.type == RECORD_ADDRESS)
		parent = saving->look_up(saving->context, parent, attribute,
					 path->value.u);
	return record_node_child(saving->model, parent, attribute, path->value);
}

/* The nodes of a thread's contexts in the profile; what is no part of the tree there has
 * its parent's. */
static const record_node *nodes_of(struct view *view, uint32_t number)
{
	const struct context_known_thread *thread = thread_at(view, number);
	record_node *nodes = view->nodes[number];

	if (nodes)
		return nodes;
	nodes = memory_allocate_zeroed(thread->paths.count + 1, sizeof(*nodes));
	for (size_t i = 1; i < thread->paths.count; i++) {
		const struct context_path *path = &thread->paths.items[i];
		bool part = !path->metric && !(properties_of(view, path->attribute) &
					       (RECORD_AS_VALUE | RECORD_HIDDEN));

		nodes[i] = part ? make_node(view, nodes[path->parent], path)
				: nodes[path->parent];
	}
	view->nodes[number] = nodes;
	return nodes;
}

static uint64_t ns_of(const struct view *view, uint64_t ticks)
{
	return context_scale(ticks, view->saving->ns_per_tick);
}

static void add(struct pairs *pairs, record_attribute attribute,
		struct record_value value)
{
	if (pairs->count < PAIRS_MAX)
		pairs->items[pairs->count++] = (struct record_pair){attribute, value};
}

static void add_bits(struct pairs *pairs, record_attribute attribute,
		     enum record_type type, uint64_t bits)
{
	add(pairs, attribute, (struct record_value){.type = type, .u = bits});
}

/* Whose record it is. */
static void begin(const struct view *view, const struct context_known_thread *thread,
		  struct pairs *pairs)
{
	pairs->count = 0;
	if (view->saving->image)
		add(pairs, view->image, record_uint(view->saving->image));
	if (thread->tid)
		add(pairs, view->thread, record_uint(thread->tid));
	if (view->channel->says & CONTEXT_SAYS_MAIN)
		add_bits(pairs, view->is_main, RECORD_BOOL,
			 thread->tid == view->process->head->pid);
	if (view->channel->says & CONTEXT_SAYS_PTHREAD && thread->tid)
		add(pairs, view->pthread, record_uint(thread->tid));
	if (view->rank.attribute)
		add(pairs, view->rank.attribute, view->rank.value);
}

/* Values that tell contexts apart, and are no part of the tree. */
static void add_keys(const struct view *view, const struct context_known_thread *thread,
		     uint32_t number, struct pairs *pairs)
{
	while (number) {
		const struct context_path *path = &thread->paths.items[number];

		if (!path->metric &&
		    properties_of(view, path->attribute) & RECORD_AS_VALUE)
			add(pairs, view->attributes[path->attribute], path->value);
		number = path->parent;
	}
}

static struct record_value mean_of(enum record_type type, uint64_t sum, uint64_t count)
{
	const struct record_value value = {.u = sum};
	double all = type == RECORD_DOUBLE ? value.d
		     : type == RECORD_INT  ? (double)value.i
					   : (double)value.u;

	return (struct record_value){.type = RECORD_DOUBLE,
				     .d = count ? all / (double)count : 0};
}

static void add_sums(struct pairs *pairs, const struct sums *sums, enum record_type type,
		     const uint64_t cells[3], uint64_t count)
{
	add_bits(pairs, sums->sum, context_sum_type(type), cells[0]);
	add_bits(pairs, sums->least, type, cells[1]);
	add_bits(pairs, sums->most, type, cells[2]);
	add(pairs, sums->mean, mean_of(type, cells[0], count));
	add(pairs, sums->count, record_uint(count));
}

/* Sum, least and most; of ticks, as nanoseconds. */
static void scale_cells(const struct view *view, const uint64_t *cells, bool ticks,
			uint64_t ret_cells[3])
{
	for (int i = 0; i < 3; i++)
		ret_cells[i] = ticks ? ns_of(view, cells[i]) : cells[i];
}

static void add_metrics(const struct view *view, const uint64_t *row, struct pairs *pairs)
{
	for (uint32_t i = 0; i < view->metric_count; i++) {
		const struct context_channel_metric *metric = &view->channel->metrics[i];
		const uint64_t *cells = row + CONTEXT_SUMS_METRICS + 3 * (size_t)i;
		bool at_end = metric->flags & CONTEXT_METRIC_AT_END;
		uint64_t count = row[at_end ? CONTEXT_SUMS_ENDS : CONTEXT_SUMS_SNAPSHOTS];
		uint64_t ns[3];

		if (metric->flags & CONTEXT_METRIC_KEY || !count)
			continue;
		scale_cells(view, cells, metric->flags & CONTEXT_METRIC_TICKS, ns);
		add_sums(pairs, &view->metrics[i], type_of(metric), ns, count);
	}
}

/* Whether it is a region, or a call path or what tells contexts apart below one. */
static bool is_of_region(const struct view *view,
			 const struct context_known_thread *thread, uint32_t node)
{
	const struct context_path *path = &thread->paths.items[node];

	while (node && (path->attribute == view->channel->path_attribute ||
			properties_of(view, path->attribute) & RECORD_AS_VALUE)) {
		node = path->parent;
		path = &thread->paths.items[node];
	}
	return node && (properties_of(view, path->attribute) &
			(RECORD_NESTED | RECORD_HIDDEN)) == RECORD_NESTED;
}

static void save_row(struct view *view, uint32_t number, uint32_t node,
		     const uint64_t *row)
{
	const struct context_known_thread *thread = thread_at(view, number);
	const struct context_path *path = &thread->paths.items[node];
	struct pairs pairs;

	bool hidden = properties_of(view, path->attribute) & RECORD_HIDDEN;

	if (path->metric && hidden)
		return;
	begin(view, thread, &pairs);
	add_keys(view, thread, node, &pairs);
	if (path->metric) {
		const struct context_known_attribute *known =
			&view->process->attributes.items[path->attribute];
		struct sums sums = make_sums(view, known->name, known->type);
		uint64_t cells[3];

		scale_cells(view, row + CONTEXT_SUMS_METRICS,
			    known->properties & CONTEXT_OF_TICKS, cells);
		add_sums(&pairs, &sums, known->type, cells, row[CONTEXT_SUMS_SNAPSHOTS]);
	} else {
		bool snapshots = view->channel->says & CONTEXT_SAYS_SNAPSHOTS;

		add(&pairs, view->count,
		    record_uint(hidden ? 0
				       : row[snapshots ? CONTEXT_SUMS_SNAPSHOTS
						       : CONTEXT_SUMS_ENDS]));
		if (view->channel->says & CONTEXT_SAYS_SLOTS)
			add(&pairs, view->slot, record_uint(node));
		if (is_of_region(view, thread, node))
			add(&pairs, view->regions, record_uint(row[CONTEXT_SUMS_ENDS]));
		add_metrics(view, row, &pairs);
	}
	trm_writer_record(view->saving->writer, nodes_of(view, number)[node], pairs.items,
			  pairs.count);
}

static bool is_of(const struct context_channel *channel,
		  const struct context_block *block)
{
	return block->channel == channel->head.channel &&
	       block->clearing == channel->head.clearing;
}

static void save_sums(struct view *view)
{
	const struct context_channel *channel = view->channel;
	struct context_blocks blocks = context_blocks_of(view->process, CONTEXT_SUMS);
	size_t words = (CONTEXT_BLOCK - sizeof(struct context_block)) / sizeof(uint64_t);
	size_t width = channel->row_words;

	if (width < CONTEXT_SUMS_WORDS_MIN ||
	    width < CONTEXT_SUMS_METRICS + 3 * (size_t)view->metric_count)
		blocks.count = 0; /* the file is wrong */
	vector_for_each (&blocks, block) {
		const struct context_known_thread *thread =
			thread_at(view, (*block)->owner);
		const uint64_t *row = (const void *)(*block + 1);
		uint64_t node = (*block)->order;

		if (!is_of(channel, *block))
			continue;
		for (size_t i = 0; thread && i < words / width; i++, node++, row += width)
			if (node < thread->paths.count &&
			    (row[CONTEXT_SUMS_SNAPSHOTS] || row[CONTEXT_SUMS_ENDS]))
				save_row(view, (*block)->owner, (uint32_t)node, row);
	}
	vector_deinit(&blocks);
}

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
static bool cursor_valid(struct cursor *cursor, size_t traced)
{
	for (;;) {
		if (cursor->left > 1 && kind_of(cursor) < CONTEXT_SNAPSHOT_KINDS) {
			cursor->size = CONTEXT_SNAPSHOT_WORDS + traced +
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
static bool event_of(const struct view *view, const struct context_known_thread *thread,
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

static struct record_value value_of(const struct view *view,
				    const struct context_known_thread *thread,
				    const struct cursor *cursor, const struct held *event)
{
	return context_snapshot_has_value(kind_of(cursor))
		       ? context_value(view->process, event->attribute, event->bits)
		       : thread->paths.items[number_of(cursor)].value;
}

/* What holds from the event on, in this thread and others. */
static void note(struct view *view, const struct context_known_thread *thread,
		 struct cursor *cursor, const struct held *event)
{
	const uint32_t none = RECORD_NESTED | RECORD_HIDDEN | RECORD_GLOBAL;
	uint32_t properties = properties_of(view, event->attribute);
	struct record_value value = value_of(view, thread, cursor, event);

	note_event(cursor, event);
	if (properties & RECORD_SCOPE_PROCESS && !(properties & none))
		shared_note(&view->shared, event->attribute, cursor->thread,
			    is_end(cursor) ? NULL : &value);
}

/* event.begin#region=foo */
static void add_event(const struct view *view, const struct context_known_thread *thread,
		      const struct cursor *cursor, const struct held *event,
		      struct pairs *pairs)
{
	static const char *const prefixes[CONTEXT_SNAPSHOT_KINDS] = {
		[CONTEXT_SNAPSHOT_BEGIN] = "event.begin#",
		[CONTEXT_SNAPSHOT_END] = "event.end#",
		[CONTEXT_SNAPSHOT_CHANGE] = "event.set#",
		[CONTEXT_SNAPSHOT_SET] = "event.set#",
		[CONTEXT_SNAPSHOT_START] = "event.begin#",
		[CONTEXT_SNAPSHOT_UNSET] = "event.end#",
		[CONTEXT_SNAPSHOT_ITERATION] = "event.begin#",
	};
	const struct context_known_attribute *known =
		&view->process->attributes.items[event->attribute];

	if (!(known->properties & RECORD_HIDDEN))
		add(pairs,
		    make(view, prefixes[kind_of(cursor)], known->name, known->type,
			 RECORD_AS_VALUE),
		    value_of(view, thread, cursor, event));
}

/* What only ends have: how often it ended, and the time since it began. */
static void add_end(const struct view *view, struct cursor *cursor,
		    const struct held *event, struct pairs *pairs)
{
	uint32_t kind = kind_of(cursor);
	const struct held *held = held_find(&cursor->values, event->attribute);
	uint32_t properties = properties_of(view, event->attribute);
	uint64_t begin = kind == CONTEXT_SNAPSHOT_END ? cursor->begins[number_of(cursor)]
			 : kind == CONTEXT_SNAPSHOT_UNSET && held ? held->since
								  : 0;

	if (properties & RECORD_HIDDEN)
		return;
	/* Iterations of a loop, too. */
	if (kind == CONTEXT_SNAPSHOT_END ? properties & RECORD_NESTED
					 : held != NULL && kind == CONTEXT_SNAPSHOT_UNSET)
		add(pairs, view->regions, record_uint(1));
	if (begin && begin < cursor->resumed)
		begin = cursor->resumed;
	for (uint32_t i = 0; begin && i < view->metric_count; i++) {
		const uint32_t wanted = CONTEXT_METRIC_AT_END | CONTEXT_METRIC_TICKS;

		if ((view->channel->metrics[i].flags & wanted) == wanted)
			add(pairs, view->values[i],
			    record_uint(ns_of(view, cursor->at[0] - begin)));
	}
}

static void add_value(const struct view *view, const struct held *held,
		      struct pairs *pairs)
{
	uint32_t properties = properties_of(view, held->attribute);
	uint64_t bits =
		properties & CONTEXT_OF_TICKS ? ns_of(view, held->bits) : held->bits;

	if (!(properties & RECORD_HIDDEN))
		add(pairs, view->attributes[held->attribute],
		    context_value(view->process, held->attribute, bits));
}

/* What is set, unless another value was given for this snapshot; what was given. */
static void add_values(const struct view *view, struct cursor *cursor,
		       struct pairs *pairs)
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
			add(pairs, view->attributes[value->attribute], value->value);
	cursor->given.count = 0;
}

/* What a snapshot of a trace has of each metric. */
static void add_traced(const struct view *view, const uint64_t *word, struct pairs *pairs)
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
			add(pairs, view->values[i],
			    context_value(view->process, view->strings[i], bits));
		else if (type_of(metric) != RECORD_STRING)
			add_bits(pairs, view->values[i], type_of(metric), bits);
	}
}

static void save_snapshot(struct view *view, struct cursor *cursor)
{
	const struct context_known_thread *thread = thread_at(view, cursor->thread);
	uint32_t node = (uint32_t)(cursor->at[1] >> CONTEXT_SNAPSHOT_BITS) &
			((1u << CONTEXT_SNAPSHOT_BITS) - 1);
	const uint64_t *word = cursor->at + CONTEXT_SNAPSHOT_WORDS +
			       (context_snapshot_has_value(kind_of(cursor)) != 0);
	uint64_t now = cursor->at[0], start = view->channel->begin.ticks;
	struct pairs pairs;
	struct held event;

	if (node >= thread->paths.count)
		return;
	begin(view, thread, &pairs);
	add(&pairs, view->offset,
	    record_uint(now > start ? ns_of(view, now - start) : 0));
	if (cursor->follows)
		add(&pairs, view->duration,
		    record_uint(ns_of(view, now - cursor->before)));
	if (event_of(view, thread, cursor, &event)) {
		if (!(view->channel->says & CONTEXT_SAYS_NO_EVENTS))
			add_event(view, thread, cursor, &event, &pairs);
		add_end(view, cursor, &event, &pairs);
		add_values(view, cursor, &pairs);
		note(view, thread, cursor, &event);
	} else {
		add_values(view, cursor, &pairs);
	}
	add_traced(view, word, &pairs);
	trm_writer_record(view->saving->writer, nodes_of(view, cursor->thread)[node],
			  pairs.items, pairs.count);
}

/* A snapshot, or a mark; behind it then. */
static void read_snapshot(struct view *view, struct cursor *cursor)
{
	const struct context_known_thread *thread = thread_at(view, cursor->thread);
	uint32_t kind = kind_of(cursor);
	struct held held;

	if (kind >= CONTEXT_SNAPSHOT_GIVEN) {
		if (!event_of(view, thread, cursor, &held))
			; /* of nothing that is known */
		else if (kind == CONTEXT_SNAPSHOT_GIVEN)
			vector_push(&cursor->given, held);
		else
			note(view, thread, cursor, &held);
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
static struct context_blocks trace_blocks(const struct view *view)
{
	struct context_blocks all = context_blocks_of(view->process, CONTEXT_SNAPSHOTS);
	struct context_blocks found = {0};

	vector_for_each (&all, block)
		if (is_of(view->channel, *block) && thread_at(view, (*block)->owner))
			vector_push(&found, *block);
	vector_deinit(&all);
	context_blocks_sort(&found);
	return found;
}

/* All threads' snapshots in the order of time. */
static void merge_traces(struct view *view, const struct context_blocks *blocks,
			 size_t traced)
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
					    thread_at(view, owner)->paths.count + 1,
					    sizeof(uint64_t)),
			    }));
	}
	merge_init(&merge, cursors.count);
	for (uint32_t i = 0; i < cursors.count; i++)
		if (cursor_valid(&cursors.items[i], traced))
			merge_add(&merge, i, cursors.items[i].at[0]);
	for (uint32_t top; merge_top(&merge, &top);) {
		struct cursor *cursor = &cursors.items[top];
		bool more;

		read_snapshot(view, cursor);
		more = cursor_valid(cursor, traced);
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

static void save_traces(struct view *view)
{
	struct context_blocks blocks = trace_blocks(view);
	size_t traced = 0;

	for (uint32_t i = 0; i < view->metric_count; i++)
		traced += (view->channel->metrics[i].flags & CONTEXT_METRIC_TRACED) != 0;
	if (blocks.count) {
		view->offset =
			make(view, "", "time.offset.ns", RECORD_UINT, RECORD_AS_VALUE);
		view->duration = make(view, "", "time.duration.ns", RECORD_UINT,
				      RECORD_AS_VALUE | RECORD_AGGREGATABLE);
		merge_traces(view, &blocks, traced);
	}
	vector_deinit(&blocks);
}

struct context_channels context_channels_of(const struct context_process *process)
{
	struct context_blocks blocks = context_blocks_of(process, CONTEXT_CHANNEL);
	struct context_channels channels = {0};

	vector_for_each (&blocks, block)
		vector_push(&channels, (const void *)*block);
	vector_deinit(&blocks);
	return channels;
}

void context_channel_save(const struct context_channel_saving *saving,
			  const struct context_process *process, uint32_t channel)
{
	struct context_channels channels = context_channels_of(process);
	struct view view;

	vector_for_each (&channels, known) {
		if ((*known)->head.channel != channel)
			continue;
		view_init(&view, saving, process, *known);
		save_sums(&view);
		save_traces(&view);
		view_deinit(&view);
		break;
	}
	vector_deinit(&channels);
}

bool context_channel_has(const struct context_process *process, uint32_t channel)
{
	static const enum context_block_kind kinds[] = {CONTEXT_SUMS, CONTEXT_SNAPSHOTS};
	bool found = false;

	for (size_t i = 0; i < 2; i++) {
		struct context_blocks blocks = context_blocks_of(process, kinds[i]);

		vector_for_each (&blocks, block)
			found |= (*block)->channel == channel;
		vector_deinit(&blocks);
	}
	return found;
}
