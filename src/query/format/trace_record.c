#include "query/format/trace_record.h"

#include "base/cleanup.h"
#include "record/model.h"

#include <stdlib.h>
#include <string.h>

static const char *const fields[TRACE_FIELD_COUNT] = {
	[TRACE_CUDA_KIND] = "cupti.activity.kind",
	[TRACE_CUDA_START] = "cupti.activity.start",
	[TRACE_CUDA_DURATION] = "cupti.activity.duration",
	[TRACE_CUDA_NAME] = "cupti.kernel.name",
	[TRACE_ROCM_KIND] = "rocm.activity",
	[TRACE_ROCM_START] = "rocm.starttime",
	[TRACE_ROCM_DURATION] = "rocm.activity.duration",
	[TRACE_ROCM_NAME] = "rocm.kernel.name",
	[TRACE_CUDA_TIME] = "cupti.timestamp",
	[TRACE_ROCM_TIME] = "rocm.host.timestamp",
	[TRACE_TIME_NS] = "time.offset.ns",
	[TRACE_TIME] = "time.offset",
	[TRACE_BLOCK_BEGIN] = "gputrace.begin",
	[TRACE_BLOCK_END] = "gputrace.end",
	[TRACE_BLOCK_TIME] = "gputrace.timestamp",
	[TRACE_BLOCK] = "gputrace.block",
	[TRACE_BLOCK_REGION] = "gputrace.region",
	[TRACE_UMPIRE_NAME] = "umpire.alloc.name",
	[TRACE_UMPIRE_SIZE] = "umpire.alloc.current.size",
	[TRACE_SAMPLED_FUNCTION] = "source.function#cali.sampler.pc",
	[TRACE_SAMPLED_PC] = "cali.sampler.pc",
	[TRACE_SAMPLES] = "sampler.samples",
	[TRACE_CPU] = "cpuinfo.cpu",
	[TRACE_SYNC] = "ts.sync",
	[TRACE_EVENT] = "event",
	[TRACE_IMAGE] = "image",
	[TRACE_PROCESS] = "process",
	[TRACE_PROCESS_BEGIN] = "process.begin.ns",
	[TRACE_PROGRAM] = "program",
};

/* Fields of times: the first one that a record has counts. */
static const struct {
	enum trace_field field;
	int64_t ns; /* of its unit */
} times[] = {
	{TRACE_CUDA_TIME, 1},  {TRACE_ROCM_TIME, 1},  {TRACE_TIME_NS, 1},
	{TRACE_TIME, 1000},    {TRACE_BLOCK_TIME, 1}, {TRACE_CUDA_START, 1},
	{TRACE_ROCM_START, 1},
};

static const char *const processes[] = {"mpi.rank"};
static const char *const threads[] = {"thread", "trm.thread", "omp.thread.id",
				      "pthread.id"};

static const struct {
	const char *prefix;
	enum trace_happening happening;
} happenings[] = {
	{"event.begin#", TRACE_BEGIN},
	{"event.end#", TRACE_END},
	{"event.set#", TRACE_SET},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int64_t trace_whole(struct record_value value)
{
	switch (value.type) {
	case RECORD_STRING:
		return strtoll(value.bytes, NULL, 10);
	case RECORD_DOUBLE:
		return value.d > -9e18 && value.d < 9e18 ? (int64_t)value.d : 0;
	case RECORD_BLOB:
		return 0;
	default:
		return value.i;
	}
}

/* "group=a,b": a group of counters; without its name it is "counter". */
static void add_counters(struct trace_reader *reader, const char *given)
{
	scoped_free char *copy = memory_copy_string(given);
	char *rest = copy, *sign = strchr(copy, '='), *name;
	const char *group = "counter";

	if (sign && sign > copy) {
		*sign = '\0';
		group = copy;
		rest = sign + 1;
	}
	while ((name = strsep(&rest, ",")))
		if (*name)
			vector_push(&reader->counters,
				    ((struct trace_counter){
					    .group = memory_copy_string(group),
					    .name = memory_copy_string(name)}));
}

/* Adds names: given ones come before known ones. */
static void add_names(struct trace_names *names, const char *given,
		      const char *const *known, size_t count)
{
	scoped_free char *copy = memory_copy_string(given ? given : "");
	char *rest = copy, *name;

	while ((name = strsep(&rest, ",")))
		if (*name)
			vector_push(names, memory_copy_string(name));
	for (size_t i = 0; i < count; i++)
		vector_push(names, memory_copy_string(known[i]));
}

void trace_reader_init(struct trace_reader *reader, const struct query *query,
		       struct trace_json *json)
{
	*reader = (struct trace_reader){.json = json};
	add_names(&reader->processes, query_option(query, "pid-attributes"), processes,
		  COUNT(processes));
	add_names(&reader->threads, query_option(query, "tid-attributes"), threads,
		  COUNT(threads));
	vector_for_each (&query->options, option)
		if (!strcmp(option->name, "counters"))
			add_counters(reader, option->value);
}

void trace_reader_deinit(struct trace_reader *reader)
{
	vector_for_each (&reader->processes, name)
		free(*name);
	vector_for_each (&reader->threads, name)
		free(*name);
	vector_for_each (&reader->counters, counter) {
		free(counter->group);
		free(counter->name);
	}
	vector_deinit(&reader->processes);
	vector_deinit(&reader->threads);
	vector_deinit(&reader->counters);
	vector_deinit(&reader->attributes);
	vector_deinit(&reader->nodes);
	string_table_deinit(&reader->kinds);
}

void trace_reader_use(struct trace_reader *reader, const struct record_model *model)
{
	reader->model = model;
	reader->attributes.count = reader->nodes.count = 0;
	vector_push(&reader->nodes, ((struct trace_node){false, 0})); /* the root */
}

static int find_name(const struct trace_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->items[i], name))
			return (int)i;
	return -1;
}

static void bind_attribute(struct trace_reader *reader, const char *name)
{
	struct trace_bound bound = {
		.field = 0,
		.process = find_name(&reader->processes, name),
		.thread = find_name(&reader->threads, name),
		.counter = -1,
		.frame = !strcmp(name, "source.function#callpath.address"),
	};

	while (bound.field < TRACE_FIELD_COUNT && strcmp(fields[bound.field], name) != 0)
		bound.field++;
	for (size_t i = 0; i < reader->counters.count; i++)
		if (!strcmp(reader->counters.items[i].name, name))
			bound.counter = (int)i;
	for (size_t i = 0; i < COUNT(happenings); i++) {
		size_t length = strlen(happenings[i].prefix);

		if (!strncmp(name, happenings[i].prefix, length)) {
			bound.happening = happenings[i].happening;
			name += length;
			break;
		}
	}
	bound.kind = string_table_intern(&reader->kinds, name);
	bound.subject = reader->kinds.strings[bound.kind];
	vector_push(&reader->attributes, bound);
}

static bool is_wanted(const struct trace_bound *bound)
{
	return bound->field != TRACE_NO_FIELD || bound->process >= 0 ||
	       bound->thread >= 0 || bound->counter >= 0 || bound->happening;
}

/* A record comes behind the definitions that it needs. */
static void learn_definitions(struct trace_reader *reader)
{
	while (reader->attributes.count < record_attribute_count(reader->model))
		bind_attribute(reader,
			       record_attribute_name(
				       reader->model,
				       (record_attribute)reader->attributes.count));
	while (reader->nodes.count < record_node_count(reader->model)) {
		record_node node = (record_node)reader->nodes.count;
		struct record_pair pair = record_node_pair(reader->model, node);
		const struct trace_bound *bound =
			&reader->attributes.items[pair.attribute];
		struct trace_node seen =
			reader->nodes.items[record_node_parent(reader->model, node)];

		seen.wanted |= is_wanted(bound);
		if (bound->frame)
			seen.frame =
				trace_json_frame(reader->json, seen.frame, pair.value);
		vector_push(&reader->nodes, seen);
	}
}

static void take_place(struct trace_place_known *known, int priority, const char *name,
		       struct record_value value)
{
	if (priority >= 0 && (known->priority < 0 || priority < known->priority))
		*known = (struct trace_place_known){priority, name, trace_whole(value)};
}

static void take_pair(struct trace_reader *reader, const struct record_pair *pair)
{
	struct trace_record *record = &reader->record;
	const struct trace_bound *bound = &reader->attributes.items[pair->attribute];

	if (bound->field != TRACE_NO_FIELD && !trace_has(record, bound->field)) {
		record->present |= (uint64_t)1 << bound->field;
		record->values[bound->field] = pair->value;
	}
	take_place(&record->process, bound->process, bound->subject, pair->value);
	take_place(&record->thread, bound->thread, bound->subject, pair->value);
	if (bound->happening && !record->happening) {
		record->happening = bound->happening;
		record->subject = bound;
		record->value = pair->value;
	}
	if (bound->counter >= 0 && !reader->counters.items[bound->counter].present) {
		struct record_value number = query_number(pair->value);

		reader->counters.items[bound->counter].present = query_is_there(number);
		if (query_is_there(number))
			reader->counters.items[bound->counter].value =
				query_as_double(number);
	}
}

static void find_time(struct trace_record *record)
{
	for (size_t i = 0; i < COUNT(times) && !record->timed; i++) {
		struct record_value value = record->values[times[i].field];

		if (!trace_has(record, times[i].field))
			continue;
		record->timed = true;
		record->ns = value.type == RECORD_DOUBLE
				     ? (int64_t)(value.d * (double)times[i].ns)
				     : trace_whole(value) * times[i].ns;
	}
}

const struct trace_record *trace_reader_read(struct trace_reader *reader,
					     record_node node,
					     const struct record_pair *pairs,
					     size_t count)
{
	struct trace_record *record = &reader->record;

	if (node >= reader->nodes.count ||
	    reader->attributes.count < record_attribute_count(reader->model))
		learn_definitions(reader);
	record->node = node;
	record->present = 0;
	record->process.priority = record->thread.priority = -1;
	record->timed = false;
	record->happening = TRACE_NOTHING;
	record->frame = reader->nodes.items[node].frame;
	record->set = NULL;
	vector_for_each (&reader->counters, counter)
		counter->present = false;
	for (size_t i = 0; i < count; i++) {
		take_pair(reader, &pairs[i]);
		if (i && reader->attributes.items[pairs[i - 1].attribute].field ==
				 TRACE_EVENT) {
			record->set = &reader->attributes.items[pairs[i].attribute];
			record->set_value = pairs[i].value;
		}
	}
	for (; reader->nodes.items[node].wanted;
	     node = record_node_parent(reader->model, node)) {
		struct record_pair pair = record_node_pair(reader->model, node);

		take_pair(reader, &pair);
	}
	find_time(record);
	return record;
}

const struct trace_bound *trace_reader_bound(const struct trace_reader *reader,
					     record_node node)
{
	return &reader->attributes.items[record_node_pair(reader->model, node).attribute];
}
