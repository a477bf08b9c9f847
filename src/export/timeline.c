#include "export/timeline.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "record/model.h"
#include "record/trm_reader.h"
#include "record/value.h"

#include <stdlib.h>
#include <string.h>

/* The contexts that are open in a thread, the outermost first. */
struct open VECTOR(record_node);

struct reading {
	const struct report_profile *profile;
	struct record_model *model;
	struct export_timeline *timeline;
	struct VECTOR(struct open) open; /* by thread */
	struct table thread_of;          /* hash of image and number: index */
	struct table begin_of;           /* by image: when it began to record */
	struct open path;                /* of the record at hand */
};

/* What an event record says. */
struct event {
	const char *kind;
	uint64_t image, thread, ns, begin;
	bool timed, begins;
};

static struct event read_event(const struct reading *reading,
			       const struct record_pair *pairs, size_t count)
{
	struct event event = {.kind = ""};
	const struct {
		const char *name;
		uint64_t *number;
		bool *there;
	} rows[] = {
		{"image", &event.image, NULL},
		{"thread", &event.thread, NULL},
		{"time.offset.ns", &event.ns, &event.timed},
		{"process.begin.ns", &event.begin, &event.begins},
	};

	for (size_t i = 0; i < count; i++) {
		const char *name =
			record_attribute_name(reading->model, pairs[i].attribute);
		const struct record_value value = pairs[i].value;

		if (value.type == RECORD_STRING && !strcmp(name, "event"))
			event.kind = value.bytes;
		for (size_t k = 0; k < array_count(rows); k++) {
			if (value.type != RECORD_UINT || strcmp(name, rows[k].name) != 0)
				continue;
			*rows[k].number = value.u;
			if (rows[k].there)
				*rows[k].there = true;
		}
	}
	return event;
}

static bool is_selected(const struct reading *reading, uint64_t number)
{
	vector_for_each (&reading->profile->images, image)
		if (image->number == number)
			return image->selected;
	return true;
}

static uint32_t thread_of(struct reading *reading, const struct event *event)
{
	const uint64_t key[] = {event->image, event->thread};
	bool made;
	uint64_t *index =
		table_insert(&reading->thread_of, hash_bytes(key, sizeof(key)), &made);

	if (made) {
		*index = reading->timeline->threads.count;
		vector_push(&reading->timeline->threads,
			    ((struct export_thread){event->image, event->thread,
						    UINT64_MAX, 0}));
		vector_add(&reading->open);
	}
	return (uint32_t)*index;
}

/* The label of a context, as reports of regions have it. */
static uint32_t name_of(struct reading *reading, record_node node)
{
	const struct record_pair pair = record_node_pair(reading->model, node);
	const char *attribute = record_attribute_name(reading->model, pair.attribute);
	struct text text = {0};

	if (strcmp(attribute, "region") != 0 && strcmp(attribute, "loop") != 0 &&
	    strcmp(attribute, "mpi.function") != 0 && strncmp(attribute, "omp.", 4) != 0)
		text_format(&text, "%s=", attribute);
	text_add(&text, "");
	record_value_text(&text, pair.value);
	uint32_t name = string_table_intern(&reading->timeline->names, text.data);

	text_deinit(&text);
	return name;
}

/* The nested nodes of a path, the outermost first. */
static void list_path(struct reading *reading, record_node node)
{
	struct open *path = &reading->path;

	path->count = 0;
	for (; node; node = record_node_parent(reading->model, node)) {
		const struct record_pair pair = record_node_pair(reading->model, node);

		if (record_attribute_properties(reading->model, pair.attribute) &
		    RECORD_NESTED)
			vector_push(path, node);
	}
	for (size_t i = 0; i < path->count / 2; i++) {
		record_node other = path->items[path->count - 1 - i];

		path->items[path->count - 1 - i] = path->items[i];
		path->items[i] = other;
	}
}

static void add_event(struct reading *reading, uint32_t thread, record_node node,
		      bool opens, uint64_t ns)
{
	vector_push(&reading->timeline->events,
		    ((struct export_event){thread, name_of(reading, node), opens, ns}));
}

/* Closes what is open and not in the path any more, and opens what is new. */
static void change_path(struct reading *reading, uint32_t thread, uint64_t ns)
{
	struct open *open = &reading->open.items[thread];
	const struct open *path = &reading->path;
	size_t common = 0;

	while (common < open->count && common < path->count &&
	       open->items[common] == path->items[common])
		common++;
	while (open->count > common)
		add_event(reading, thread, open->items[--open->count], false, ns);
	for (; common < path->count; common++) {
		add_event(reading, thread, path->items[common], true, ns);
		vector_push(open, path->items[common]);
	}
}

static void see_record(void *context, record_node node, const struct record_pair *pairs,
		       size_t count)
{
	struct reading *reading = context;
	const struct event event = read_event(reading, pairs, count);
	uint64_t begin = 0;

	if (event.begins)
		*table_insert(&reading->begin_of, event.image, NULL) = event.begin;
	if (!*event.kind || !event.timed || !is_selected(reading, event.image))
		return;
	uint32_t index = thread_of(reading, &event);
	struct export_thread *thread = &reading->timeline->threads.items[index];

	table_find(&reading->begin_of, event.image, &begin);
	uint64_t ns = begin + event.ns;

	if (ns < thread->last_ns)
		ns = thread->last_ns;
	thread->last_ns = ns;
	if (ns < thread->first_ns)
		thread->first_ns = ns;
	/* The path of an end has what ends in it. */
	bool ends = !strcmp(event.kind, "end");

	list_path(reading, ends ? record_node_parent(reading->model, node) : node);
	/* An end without a begin was open since the trace began: it is left out. */
	change_path(reading, index, ns);
}

/* Brings events of each thread together, in their order. */
static void sort_events(struct export_timeline *timeline)
{
	size_t count = timeline->events.count, threads = timeline->threads.count;
	scoped_free struct export_event *sorted =
		memory_allocate_zeroed(count + 1, sizeof(*sorted));
	scoped_free size_t *next = memory_allocate_zeroed(threads + 2, sizeof(*next));

	vector_for_each (&timeline->events, event)
		next[event->thread + 1]++;
	for (size_t i = 1; i <= threads; i++)
		next[i] += next[i - 1];
	vector_for_each (&timeline->events, event)
		sorted[next[event->thread]++] = *event;
	if (count)
		memcpy(timeline->events.items, sorted, count * sizeof(*sorted));
}

static void close_all(struct reading *reading)
{
	reading->path.count = 0;
	for (uint32_t i = 0; i < reading->timeline->threads.count; i++)
		change_path(reading, i, reading->timeline->threads.items[i].last_ns);
}

struct trm_error *export_timeline_read(struct export_timeline *timeline,
				       const struct report_profile *profile,
				       const char *path)
{
	struct reading reading = {
		.profile = profile, .model = record_model_create(), .timeline = timeline};
	struct trm_visitor visitor = {.context = &reading, .record = see_record};
	char *warning = NULL;

	*timeline = (struct export_timeline){0};
	struct trm_error *error = trm_read(path, reading.model, &visitor, &warning);

	if (!error) {
		close_all(&reading);
		sort_events(timeline);
	}
	free(warning);
	vector_for_each (&reading.open, open)
		vector_deinit(open);
	vector_deinit(&reading.open);
	vector_deinit(&reading.path);
	table_deinit(&reading.thread_of);
	table_deinit(&reading.begin_of);
	record_model_destroy(reading.model);
	return error;
}

void export_timeline_deinit(struct export_timeline *timeline)
{
	string_table_deinit(&timeline->names);
	vector_deinit(&timeline->threads);
	vector_deinit(&timeline->events);
}
