#include "context/save.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "context/cursor.h"
#include "context/merge.h"
#include "record/known.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"

#include <inttypes.h>
#include <string.h>

struct trm_error *context_saving_init(struct context_saving *saving,
				      struct trm_writer *writer,
				      struct record_model *model)
{
	const struct record_attribute_row rows[] = {
		{"image", &saving->image},           {"thread", &saving->thread},
		{"count", &saving->count},           {"time.ns", &saving->time},
		{"time.offset.ns", &saving->offset}, {"event", &saving->event},
		{"interval", &saving->interval},     {"process.begin.ns", &saving->begin},
	};

	saving->first_ns = 0;
	saving->writer = writer;
	saving->model = model;
	return record_attributes_intern(model, rows, array_count(rows));
}

/* Whether docs/profile.md has another meaning for the name. */
static bool is_taken(const char *name)
{
	static const char *const names[] = {
		"block",
		"calls",
		"count",
		"edge",
		"event",
		"context.faults",
		"function",
		"host",
		"image",
		"interval",
		"module",
		"module.path",
		"process",
		"process.begin.ns",
		"process.parent",
		"process.reason",
		"process.state",
		"program",
		"run",
		"run.command",
		"run.exit",
		"run.measure",
		"run.start",
		"run.state",
		"run.wall.ns",
		"thread",
		"threads",
		"time.ns",
		"time.offset.ns",
		"trm.version",
	};

	for (size_t i = 0; i < array_count(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

enum { GLOBALS_MAX = 8, PAIRS_MAX = GLOBALS_MAX + 8 };

/* The attributes of a process in the profile; a name that is taken, be it for another
 * type, gets the type behind it. */
struct names {
	record_attribute *of, *sum, *least, *most,
		*times; /* by attribute of the process */
	/* What holds for the whole process, in all its records. */
	struct record_pair globals[GLOBALS_MAX];
	size_t global_count;
};

static record_attribute intern_attribute(struct record_model *model, const char *prefix,
					 const struct context_known_attribute *known,
					 enum record_type type, uint32_t properties)
{
	struct text name = {0};
	record_attribute id;

	text_format(&name, "%s%s", prefix, known->name);
	if (is_taken(name.data))
		text_format(&name, ".%s", record_type_name(type));
	id = record_attribute_make(model, name.data, type, properties);
	text_deinit(&name);
	return id;
}

/* A metric that is metadata of the process: its value is that of each record. */
static bool is_global(const struct context_known_attribute *known)
{
	const uint32_t wanted = RECORD_AS_VALUE | RECORD_AGGREGATABLE | RECORD_GLOBAL;

	return (known->properties & wanted) == wanted;
}

static void add_global(struct names *names, const struct context_process *process,
		       const struct context_path *path, uint64_t bits)
{
	const struct context_known_attribute *known =
		&process->attributes.items[path->attribute];
	record_attribute id = names->of[path->attribute];

	if (!path->metric || !path->count || !is_global(known))
		return;
	for (size_t i = 0; i < names->global_count; i++)
		if (names->globals[i].attribute == id)
			return;
	if (names->global_count < GLOBALS_MAX)
		names->globals[names->global_count++] =
			(struct record_pair){id, {.type = known->type, .u = bits}};
}

static void find_globals(struct names *names, const struct context_process *process)
{
	vector_for_each (&process->threads, thread)
		vector_for_each (&thread->paths, path)
			add_global(names, process, path, path->most);
	vector_for_each (&process->rows, row) {
		struct context_path path =
			process->threads.items[0].paths.items[row->node];

		path.count = row->count;
		add_global(names, process, &path, row->most);
	}
}

static void names_init(struct names *names, struct record_model *model,
		       const struct context_process *process)
{
	const uint32_t value = RECORD_AS_VALUE, sum = value | RECORD_AGGREGATABLE;
	size_t count = process->attributes.count;
	record_attribute *all = memory_allocate_zeroed(5 * count, sizeof(*all));

	*names = (struct names){.of = all,
				.sum = all + count,
				.least = all + 2 * count,
				.most = all + 3 * count,
				.times = all + 4 * count};
	for (size_t i = 1; i < count; i++) {
		const struct context_known_attribute *known =
			&process->attributes.items[i];

		if (is_global(known)) {
			names->of[i] =
				intern_attribute(model, "", known, known->type, value);
			continue;
		}
		names->of[i] = intern_attribute(model, "", known, known->type,
						known->properties &
							~(uint32_t)CONTEXT_OF_LIBRARY);
		if (!(known->properties & RECORD_AGGREGATABLE))
			continue;
		names->sum[i] = intern_attribute(model, "sum#", known,
						 context_sum_type(known->type), sum);
		names->least[i] =
			intern_attribute(model, "min#", known, known->type, value);
		names->most[i] =
			intern_attribute(model, "max#", known, known->type, value);
		names->times[i] =
			intern_attribute(model, "count#", known, RECORD_UINT, sum);
	}
	find_globals(names, process);
}

/* What is hidden is left out: its time is that of what it is in. */
static bool is_hidden(const struct context_process *process, uint32_t attribute)
{
	return attribute < process->attributes.count &&
	       process->attributes.items[attribute].properties & RECORD_HIDDEN;
}

/* The nodes of a thread's paths in the profile; of a metric that of its place. */
static record_node *make_nodes(const struct context_saving *saving,
			       const struct context_process *process,
			       const struct names *names,
			       const struct context_known_thread *thread)
{
	record_node *nodes = memory_allocate_zeroed(thread->paths.count, sizeof(*nodes));

	for (size_t i = 1; i < thread->paths.count; i++) {
		const struct context_path *path = &thread->paths.items[i];

		nodes[i] = nodes[path->parent];
		if (!path->metric && !is_hidden(process, path->attribute))
			nodes[i] = record_node_child(saving->model, nodes[path->parent],
						     names->of[path->attribute],
						     path->value);
	}
	return nodes;
}

/* A thread's record: who, where. */
struct place {
	uint64_t image, tid; /* tid 0: of several threads */
	record_node node;
	uint64_t interval; /* from 1; 0: they are not told apart */
	bool unbounded;    /* least and most of a metric are not known */
};

static size_t begin_pairs(const struct context_saving *saving, const struct names *names,
			  const struct place *place, struct record_pair *pairs)
{
	size_t count = 0;

	pairs[count++] = (struct record_pair){saving->image, record_uint(place->image)};
	if (place->tid)
		pairs[count++] =
			(struct record_pair){saving->thread, record_uint(place->tid)};
	if (place->interval)
		pairs[count++] = (struct record_pair){saving->interval,
						      record_uint(place->interval)};
	memcpy(pairs + count, names->globals, names->global_count * sizeof(*pairs));
	return count + names->global_count;
}

enum record_type context_sum_type(enum record_type type)
{
	return type == RECORD_BOOL ? RECORD_UINT : type;
}

static struct record_value bits_of(enum record_type type, uint64_t bits)
{
	return (struct record_value){.type = type, .u = bits};
}

/* What a path had; `path` tells what it is, the numbers are those of `of`. */
static void save_path(const struct context_saving *saving,
		      const struct context_process *process, const struct names *names,
		      const struct place *place, const struct context_path *of)
{
	struct record_pair pairs[PAIRS_MAX];
	size_t count = begin_pairs(saving, names, place, pairs);
	enum record_type type = process->attributes.items[of->attribute].type;
	bool hidden = is_hidden(process, of->attribute);

	if ((!of->count && !of->ticks) ||
	    (of->metric &&
	     (hidden || is_global(&process->attributes.items[of->attribute]))))
		return;
	if (of->metric) {
		uint32_t a = of->attribute;
		const struct record_pair metric[] = {
			{names->times[a], record_uint(of->count)},
			{names->sum[a], bits_of(context_sum_type(type), of->ticks)},
			{names->least[a], bits_of(type, of->least)},
			{names->most[a], bits_of(type, of->most)},
		};

		memcpy(pairs + count, metric, sizeof(metric));
		count += place->unbounded ? 2 : 4;
	} else {
		pairs[count++] = (struct record_pair){
			saving->count, record_uint(hidden ? 0 : of->count)};
		pairs[count++] = (struct record_pair){
			saving->time, record_uint(context_ns(process, of->ticks))};
	}
	trm_writer_record(saving->writer, place->node, pairs, count);
}

static void save_thread(const struct context_saving *saving,
			const struct context_process *process, const struct names *names,
			const struct context_known_thread *thread, uint64_t image)
{
	scoped_free record_node *nodes = make_nodes(saving, process, names, thread);

	for (size_t i = 0; i < thread->paths.count; i++)
		save_path(saving, process, names,
			  &(struct place){image, thread->tid, nodes[i], 0, false},
			  &thread->paths.items[i]);
}

static void save_rows(const struct context_saving *saving,
		      const struct context_process *process, const struct names *names,
		      uint64_t image)
{
	if (!process->rows.count)
		return;
	const struct context_known_thread *ended = &process->threads.items[0];
	scoped_free record_node *nodes = make_nodes(saving, process, names, ended);

	vector_for_each (&process->rows, row) {
		struct context_path path = context_path_of_row(ended, row);

		save_path(saving, process, names,
			  &(struct place){image, row->tid, nodes[row->node], 0, false},
			  &path);
	}
}

/* The trace of a thread, with the nodes of its paths. */
struct cursor {
	struct context_cursor trace;
	record_node *nodes;
	record_node current;
};

/* A process whose trace is saved, or what of it lies between two moments. */
struct tracing {
	const struct context_saving *saving;
	const struct context_process *process;
	const struct names *names;
	uint64_t image;
	/* NULL: all of it. */
	const struct context_part_spool *part;
	uint64_t from, to; /* ticks */
};

/* `set`: the value that was set; NULL: it is another event. */
static void write_event(const struct tracing *tracing, const struct cursor *cursor,
			record_node node, const char *kind, uint64_t ticks,
			const struct record_pair *set)
{
	const struct context_saving *saving = tracing->saving;
	uint64_t begin = tracing->process->head->begin.ticks;
	struct place place = {tracing->image, cursor->trace.thread->tid, node, 0, false};
	struct record_pair pairs[PAIRS_MAX];
	size_t count = begin_pairs(saving, tracing->names, &place, pairs);

	pairs[count++] = (struct record_pair){
		saving->offset,
		record_uint(
			context_ns(tracing->process, ticks > begin ? ticks - begin : 0))};
	pairs[count++] = (struct record_pair){saving->event, record_string(kind)};
	if (set)
		pairs[count++] = *set;
	trm_writer_record(saving->writer, node, pairs, count);
}

static void save_event(const struct tracing *tracing, const struct cursor *cursor)
{
	static const char *const kinds[] = {
		[CONTEXT_EVENT_BEGIN] = "begin", [CONTEXT_EVENT_END] = "end",
		[CONTEXT_EVENT_MOVE] = "move",   [CONTEXT_EVENT_SET] = "set",
		[CONTEXT_EVENT_CHANGE] = "set",
	};
	const struct context_trace_event *event = &cursor->trace.event;
	struct record_pair pair;

	if (event->kind != CONTEXT_EVENT_SET) {
		write_event(tracing, cursor, cursor->nodes[event->what],
			    kinds[event->kind], event->ticks, NULL);
		return;
	}
	pair = (struct record_pair){
		tracing->names->of[event->what],
		context_value(tracing->process, event->what, event->value)};
	write_event(tracing, cursor, cursor->current, kinds[event->kind], event->ticks,
		    &pair);
}

static bool is_shown(const struct tracing *tracing, const struct cursor *cursor)
{
	const struct context_trace_event *event = &cursor->trace.event;

	return event->kind == CONTEXT_EVENT_MOVE ||
	       !is_hidden(tracing->process,
			  event->kind == CONTEXT_EVENT_SET
				  ? event->what
				  : cursor->trace.thread->paths.items[event->what]
					    .attribute);
}

/* Goes on behind an event. */
static void pass_event(struct cursor *cursor)
{
	const struct context_trace_event *event = &cursor->trace.event;

	if (event->kind == CONTEXT_EVENT_END)
		cursor->current =
			cursor->nodes[cursor->trace.thread->paths.items[event->what]
					      .parent];
	else if (event->kind != CONTEXT_EVENT_SET)
		cursor->current = cursor->nodes[event->what];
}

/* To the first event of a part; what was open before goes on in it. */
static void begin_part(const struct tracing *tracing, struct cursor *cursor)
{
	for (; context_cursor_valid(&cursor->trace) &&
	       cursor->trace.event.ticks < tracing->from;
	     context_cursor_next(&cursor->trace))
		if (context_cursor_is_sound(&cursor->trace, tracing->process))
			pass_event(cursor);
	if (cursor->current)
		write_event(tracing, cursor, cursor->current, "move", tracing->from,
			    NULL);
}

/* What is open in a part's end goes on without being told of. */
static void end_parts(const struct tracing *tracing, const struct cursor *cursors,
		      uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (cursors[i].current && context_part_alive(tracing->part, i))
			write_event(tracing, &cursors[i], 0, "move", tracing->to, NULL);
}

static void merge_events(const struct tracing *tracing, struct cursor *cursors,
			 struct merge *merge)
{
	for (uint32_t top; merge_top(merge, &top);) {
		struct cursor *cursor = &cursors[top];
		bool more;

		if (tracing->part && cursor->trace.event.ticks > tracing->to)
			return;
		if (context_cursor_is_sound(&cursor->trace, tracing->process)) {
			if (is_shown(tracing, cursor))
				save_event(tracing, cursor);
			pass_event(cursor);
		}
		context_cursor_next(&cursor->trace);
		more = context_cursor_valid(&cursor->trace);
		merge_next(merge, more, more ? cursor->trace.event.ticks : 0);
	}
}

/* What the times of the process's events are counted from. */
static void save_begin(const struct tracing *tracing)
{
	const struct context_saving *saving = tracing->saving;
	uint64_t begin = tracing->process->head->begin.ns;
	const struct record_pair pairs[] = {
		{saving->image, record_uint(tracing->image)},
		{saving->begin, record_uint(begin - saving->first_ns)},
	};

	if (saving->first_ns && begin >= saving->first_ns)
		trm_writer_record(saving->writer, 0, pairs, 2);
}

/* All threads' events in the order of time. */
static void save_trace(const struct tracing *tracing)
{
	const struct context_process *process = tracing->process;
	uint32_t count = (uint32_t)process->threads.count;
	struct cursor *cursors = memory_allocate_zeroed(count + 1, sizeof(*cursors));
	struct merge merge;

	merge_init(&merge, count);
	for (uint32_t i = 0; i < count; i++) {
		struct cursor *cursor = &cursors[i];

		cursor->trace.thread = &process->threads.items[i];
		if (!cursor->trace.thread->events.count ||
		    !context_cursor_valid(&cursor->trace))
			continue;
		cursor->nodes = make_nodes(tracing->saving, process, tracing->names,
					   cursor->trace.thread);
		if (tracing->part)
			begin_part(tracing, cursor);
		if (context_cursor_valid(&cursor->trace))
			merge_add(&merge, i, cursor->trace.event.ticks);
	}
	if (merge.count)
		save_begin(tracing);
	merge_events(tracing, cursors, &merge);
	if (tracing->part)
		end_parts(tracing, cursors, count);
	for (size_t i = 0; i < count; i++)
		free(cursors[i].nodes);
	free(cursors);
	merge_deinit(&merge);
}

static void save_paths(const struct context_saving *saving,
		       const struct context_process *process, const struct names *names,
		       uint64_t image)
{
	for (size_t i = 0; i < process->threads.count; i++)
		save_thread(saving, process, names, &process->threads.items[i], image);
	save_rows(saving, process, names, image);
}

void context_save_paths(const struct context_saving *saving,
			const struct context_process *process, uint64_t image)
{
	struct names names;

	names_init(&names, saving->model, process);
	save_paths(saving, process, &names, image);
	free(names.of);
}

/* What the program said of the run. Where another process said so before, it is a record
 * of this one. */
static void save_globals(const struct context_saving *saving,
			 const struct context_process *process, const struct names *names,
			 uint64_t image)
{
	struct record_pair *pairs =
		memory_allocate_zeroed(process->globals.count + 1, sizeof(*pairs));
	size_t count = 0;

	pairs[count++] = (struct record_pair){saving->image, record_uint(image)};
	vector_for_each (&process->globals, global) {
		record_attribute id = names->of[global->attribute];
		struct record_value value =
			context_value(process, global->attribute, global->bits);

		if (process->attributes.items[global->attribute].properties &
		    RECORD_AGGREGATABLE)
			continue; /* in all records */
		if (!trm_writer_global_once(saving->writer, id, value))
			pairs[count++] = (struct record_pair){id, value};
	}
	if (count > 1)
		trm_writer_record(saving->writer, 0, pairs, count);
	free(pairs);
}

void context_save(const struct context_saving *saving,
		  const struct context_process *process, uint64_t image)
{
	struct names names;

	names_init(&names, saving->model, process);
	save_globals(saving, process, &names, image);
	save_paths(saving, process, &names, image);
	save_trace(&(struct tracing){saving, process, &names, image, NULL, 0, 0});
	free(names.of);
}

/* The nodes of a process's paths; of a metric that of its place. */
static record_node *make_part_nodes(const struct context_saving *saving,
				    const struct names *names,
				    const struct context_process *process,
				    const struct context_part_spool *part)
{
	record_node *nodes = memory_allocate_zeroed(part->paths.count, sizeof(*nodes));

	for (size_t i = 1; i < part->paths.count; i++) {
		const struct context_part_path *path = &part->paths.items[i];

		nodes[i] = nodes[path->parent];
		if (!path->metric && path->attribute < process->attributes.count &&
		    !is_hidden(process, path->attribute))
			nodes[i] = record_node_child(
				saving->model, nodes[path->parent],
				names->of[path->attribute],
				context_value(process, path->attribute, path->bits));
	}
	return nodes;
}

static void save_parts(const struct tracing *tracing, bool intervals)
{
	const struct context_part_spool *part = tracing->part;
	scoped_free record_node *nodes =
		make_part_nodes(tracing->saving, tracing->names, tracing->process, part);

	vector_for_each (&part->rows, row) {
		const struct context_part_sums *sums = &row->sums;
		const struct context_part_path *path = &part->paths.items[sums->path];
		const struct context_path of = {
			.attribute = path->attribute,
			.metric = path->metric,
			.count = sums->count,
			.ticks = sums->ticks,
			.least = sums->least,
			.most = sums->most,
		};
		const struct place place = {tracing->image, sums->tid, nodes[sums->path],
					    intervals ? row->interval + 1 : 0,
					    !row->bounded};

		if (path->attribute < tracing->process->attributes.count)
			save_path(tracing->saving, tracing->process, tracing->names,
				  &place, &of);
	}
}

void context_save_parts(const struct context_saving *saving,
			const struct context_process *process, uint64_t image,
			const struct context_parts *parts, bool intervals)
{
	struct tracing tracing = {
		.saving = saving,
		.process = process,
		.image = image,
		.part = context_parts_of(parts, process),
		.from = context_part_ticks(process, &parts->start),
		.to = context_part_ticks(process, &parts->end),
	};
	struct names names;

	if (!parts->start.ns || !tracing.part)
		return;
	names_init(&names, saving->model, process);
	save_globals(saving, process, &names, image);
	tracing.names = &names;
	save_parts(&tracing, intervals);
	save_trace(&tracing);
	free(names.of);
}

static void describe_pair(const struct context_process *process, uint32_t attribute,
			  uint64_t value, struct text *text)
{
	if (!attribute || attribute >= process->attributes.count) {
		text_add(text, "nothing");
		return;
	}
	text_add(text, process->attributes.items[attribute].name);
	if (!value)
		return;
	text_add(text, "=");
	record_value_text(text, context_value(process, attribute, value));
}

static void begin_line(struct text *text)
{
	if (text->length)
		text_add(text, "\n");
}

void context_describe_faults(const struct context_process *process, struct text *text)
{
	const struct context_spool *head = process->head;
	uint64_t dropped = 0;

	for (uint32_t i = 0; i < head->fault_count && i < CONTEXT_FAULTS_MAX; i++) {
		const struct context_fault *fault = &head->faults[i];

		begin_line(text);
		text_add(text, "end of ");
		describe_pair(process, fault->attribute, fault->value, text);
		text_add(text, " while the innermost that is open is ");
		describe_pair(process, fault->open_attribute, fault->open_value, text);
		text_format(text, ", %" PRIu64 " %s: %s", fault->count,
			    fault->count == 1 ? "time" : "times",
			    fault->repaired ? "what was open inside was ended, too"
					    : "ignored");
	}
	vector_for_each (&process->threads, thread)
		dropped += thread->dropped;
	const struct {
		uint64_t count;
		const char *what;
	} losses[] = {
		{head->lost_in_handlers,
		 "lost: a signal handler said them while its thread was recording"},
		{head->lost_for_memory, "lost: there was no memory for new contexts"},
		{head->lost_for_type,
		 "lost: a value that the type of its attribute cannot hold"},
		{head->lost_for_name,
		 "lost: the name of the attribute is empty or longer than 4,000 bytes"},
		{dropped, "not traced: there was no room in the spool's file system"},
	};

	for (size_t i = 0; i < array_count(losses); i++) {
		if (!losses[i].count)
			continue;
		begin_line(text);
		text_format(text, "%" PRIu64 " %s %s", losses[i].count,
			    losses[i].count == 1 ? "event" : "events", losses[i].what);
	}
	if (head->overflows) {
		begin_line(text);
		text_add(text, "sums of values that the program set are wrong: 64 bits "
			       "did not hold them");
	}
	if (!head->lost_children)
		return;
	begin_line(text);
	text_format(
		text, "%" PRIu64 " forked %s not recorded: no spool could be made there",
		head->lost_children, head->lost_children == 1 ? "process" : "processes");
}
