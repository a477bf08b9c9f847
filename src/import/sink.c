#include "import/sink.h"

#include "base/array.h"
#include "base/path.h"
#include "base/table.h"
#include "base/text.h"
#include "base/vector.h"
#include "record/known.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"

#include <string.h>

/* What is made of a type. */
enum meaning {
	MEANS_EVENT, /* samples of an event of this name */
	MEANS_SAMPLES,
	MEANS_CALLS,
	MEANS_INSTRUCTIONS,
	MEANS_TIME,
	MEANS_LOADS,
	MEANS_STORES,
	MEANS_BYTES_LOADED,
	MEANS_BYTES_STORED,
	MEANS_ENTRIES,
	MEANS_REGION_TIME,
	MEANS_COUNT
};

/* Types that are no events, and the measurement that they come of. */
static const struct {
	const char *name, *unit, *measure;
} meanings[MEANS_COUNT] = {
	[MEANS_EVENT] = {NULL, NULL, "samples"},
	[MEANS_SAMPLES] = {"samples", "count", "samples"},
	[MEANS_CALLS] = {"calls", "count", "functions"},
	[MEANS_INSTRUCTIONS] = {"instructions", "count", "blocks"},
	[MEANS_TIME] = {"time", "nanoseconds", "callgraph"},
	[MEANS_LOADS] = {"loads", "count", "memory"},
	[MEANS_STORES] = {"stores", "count", "memory"},
	[MEANS_BYTES_LOADED] = {"bytes_loaded", "bytes", "memory"},
	[MEANS_BYTES_STORED] = {"bytes_stored", "bytes", "memory"},
	[MEANS_ENTRIES] = {"entries", "count", "regions"},
	[MEANS_REGION_TIME] = {"region_time", "nanoseconds", "regions"},
};

struct type {
	enum meaning meaning;
	char *name;
	bool clock;              /* of an event: nanoseconds */
	uint64_t samples, total; /* of an event, so far */
};

/* A module whose build id is known. */
struct module {
	char *path, *build_id;
};

struct names {
	record_attribute image, process, program, module, path, build_id, known,
		instrumented, function, offset, calls, block, block_size,
		block_instructions, count, caller_path, caller, arc_kind, arc_count,
		graph_path, graph_offset, graph_function, graph_calls, graph_time, thread,
		loads, stores, bytes_loaded, bytes_stored, frame_module, frame, event,
		unit, event_samples, event_total, samples, sample_events, sample_address,
		region, time, file, line;
};

struct import_sink {
	struct record_model *model;
	struct trm_writer *writer;
	struct names names;
	struct VECTOR(struct type) types;
	struct table image_of; /* of processes: number + 1 of the image */
	uint64_t images;
	struct table module_seen;  /* hash of path and image */
	struct table context_seen; /* nodes of contexts that have a record */
	struct VECTOR(struct module) modules;
	uint32_t measured; /* a bit for each enum meaning */
	bool with_arcs, with_callers;
	char *command, *program;
	const char *format;
	bool any;
};

static void make_names(struct import_sink *sink)
{
	struct names *n = &sink->names;
	const struct record_attribute_row rows[] = {
		{"image", &n->image},
		{"process", &n->process},
		{"program", &n->program},
		{"module", &n->module},
		{"module.path", &n->path},
		{"buildid", &n->build_id},
		{"functions.known", &n->known},
		{"functions.instrumented", &n->instrumented},
		{"function", &n->function},
		{"offset", &n->offset},
		{"calls", &n->calls},
		{"block", &n->block},
		{"block.size", &n->block_size},
		{"block.instructions", &n->block_instructions},
		{"count", &n->count},
		{"caller.path", &n->caller_path},
		{"caller", &n->caller},
		{"arc.kind", &n->arc_kind},
		{"arc.count", &n->arc_count},
		{"graph.path", &n->graph_path},
		{"graph.offset", &n->graph_offset},
		{"graph.function", &n->graph_function},
		{"graph.calls", &n->graph_calls},
		{"graph.time.exclusive.ns", &n->graph_time},
		{"thread", &n->thread},
		{"function.loads", &n->loads},
		{"function.stores", &n->stores},
		{"function.loads.bytes", &n->bytes_loaded},
		{"function.stores.bytes", &n->bytes_stored},
		{"frame.module", &n->frame_module},
		{"frame", &n->frame},
		{"event", &n->event},
		{"event.unit", &n->unit},
		{"event.samples", &n->event_samples},
		{"event.total", &n->event_total},
		{"samples", &n->samples},
		{"sample.events", &n->sample_events},
		{"sample.address", &n->sample_address},
		{"region", &n->region},
		{"time.ns", &n->time},
		{"source.file", &n->file},
		{"source.line", &n->line},
	};

	/* A new model has none of them with another type. */
	trm_error_destroy(record_attributes_intern(sink->model, rows, array_count(rows)));
}

struct import_sink *import_sink_create(int fd, const char *format)
{
	struct import_sink *sink = memory_allocate_zeroed(1, sizeof(*sink));

	sink->model = record_model_create();
	sink->writer = trm_writer_create(fd, sink->model);
	sink->format = format;
	make_names(sink);
	return sink;
}

uint32_t import_type(struct import_sink *sink, const char *name, const char *unit)
{
	struct type type = {.name = memory_copy_string(name),
			    .clock = !strcmp(unit, "nanoseconds")};

	for (enum meaning i = MEANS_SAMPLES; i < MEANS_COUNT; i++)
		if (!strcmp(name, meanings[i].name) && !strcmp(unit, meanings[i].unit))
			type.meaning = i;
	/* Those of further events. */
	if (!strncmp(name, "samples:", 8))
		type.meaning = MEANS_SAMPLES;
	vector_push(&sink->types, type);
	return (uint32_t)sink->types.count - 1;
}

const char *import_unit_of(const char *name)
{
	for (enum meaning i = MEANS_SAMPLES; i < MEANS_COUNT; i++)
		if (!strcmp(name, meanings[i].name))
			return meanings[i].unit;
	return strstr(name, "clock") ? "nanoseconds" : "count";
}

bool import_is_known(const char *name)
{
	for (enum meaning i = MEANS_CALLS; i < MEANS_COUNT; i++)
		if (!strcmp(name, meanings[i].name))
			return true;
	return false;
}

uint32_t import_event(struct import_sink *sink, const char *name, const char *unit)
{
	uint32_t first = import_type(sink, meanings[MEANS_SAMPLES].name, "count");

	import_type(sink, name, unit);
	sink->types.items[first + 1].meaning = MEANS_EVENT;
	return first;
}

static record_node child_of(struct import_sink *sink, record_node parent,
			    record_attribute attribute, const char *text)
{
	return record_node_child(sink->model, parent, attribute, record_string(text));
}

/* Modules that are not known have one name. */
static const char *path_of(const struct import_frame *frame)
{
	return *frame->module ? frame->module : "[unknown]";
}

static void write_module(struct import_sink *sink, const char *path, uint64_t image)
{
	const struct names *n = &sink->names;
	const char *build_id = "";
	uint64_t key[] = {hash_bytes(path, strlen(path)), image};
	bool made;

	table_insert(&sink->module_seen, hash_bytes(key, sizeof(key)), &made);
	if (!made)
		return;
	vector_for_each (&sink->modules, module)
		if (!strcmp(module->path, path))
			build_id = module->build_id;
	const struct record_pair pairs[] = {
		{n->image, record_uint(image)},
		{n->build_id, record_string(build_id)},
		{n->known, record_uint(0)},
		{n->instrumented, record_uint(0)},
	};
	record_node node = child_of(sink, 0, n->module, path_name(path));

	trm_writer_record(sink->writer, child_of(sink, node, n->path, path), pairs,
			  array_count(pairs));
}

static uint64_t image_of(struct import_sink *sink, uint64_t process)
{
	bool made;
	uint64_t *image = table_insert(&sink->image_of, process, &made);

	if (made) {
		*image = ++sink->images;
		const struct record_pair pairs[] = {
			{sink->names.image, record_uint(*image)},
			{sink->names.process, record_uint(process)},
			{sink->names.program,
			 record_string(sink->program ? sink->program : "")},
		};

		trm_writer_record(sink->writer, 0, pairs, array_count(pairs));
	}
	return *image;
}

static record_node function_node(struct import_sink *sink, record_node parent,
				 const struct import_frame *frame)
{
	const struct names *n = &sink->names;
	record_node node = child_of(sink, parent, n->module, path_name(path_of(frame)));

	node = child_of(sink, node, n->path, path_of(frame));
	return child_of(sink, node, n->function, frame->function);
}

static record_node line_node(struct import_sink *sink, record_node node,
			     const struct import_frame *frame)
{
	if (*frame->file)
		node = child_of(sink, node, sink->names.file, frame->file);
	if (frame->line)
		node = record_node_child(sink->model, node, sink->names.line,
					 record_uint(frame->line));
	return node;
}

/* Writes a record of a function: its address, the image, the thread, and more pairs. */
static void write_function(struct import_sink *sink, record_node node,
			   const struct import_place *place,
			   const struct record_pair *more, size_t count)
{
	struct record_pair pairs[10] = {
		{sink->names.offset, record_address(place->frames->offset)},
		{sink->names.image, record_uint(image_of(sink, place->process))},
	};
	size_t used = 2;

	if (place->thread)
		pairs[used++] = (struct record_pair){sink->names.thread,
						     record_uint(place->thread)};
	for (size_t i = 0; i < count; i++)
		pairs[used++] = more[i];
	trm_writer_record(sink->writer, node, pairs, used);
}

/* One number of a function's. */
static void write_number(struct import_sink *sink, const struct import_place *place,
			 record_attribute attribute, uint64_t value)
{
	const struct record_pair pair = {attribute, record_uint(value)};

	write_function(sink, function_node(sink, 0, place->frames), place, &pair, 1);
}

/* A record of a context; of each context above there is one, too. */
static void write_context(struct import_sink *sink, record_node node,
			  const struct import_place *place, uint64_t calls, uint64_t ns)
{
	const struct record_pair pairs[] = {
		{sink->names.graph_calls, record_uint(calls)},
		{sink->names.graph_time, record_uint(ns)},
	};

	write_function(sink, node, place, pairs, 1 + (ns > 0));
}

static void add_context(struct import_sink *sink, const struct import_place *place,
			uint64_t calls, uint64_t ns)
{
	const struct names *n = &sink->names;
	record_node node = 0;

	for (size_t i = place->count; i-- > 0;) {
		const struct import_frame *frame = &place->frames[i];
		bool made;

		node = child_of(sink, node, n->graph_path, path_of(frame));
		node = record_node_child(sink->model, node, n->graph_offset,
					 record_address(frame->offset));
		node = child_of(sink, node, n->graph_function, frame->function);
		table_insert(&sink->context_seen, node, &made);
		if (made && i)
			write_context(sink, node,
				      &(struct import_place){frame, 1, place->process,
							     place->thread},
				      0, 0);
	}
	write_context(sink, node, place, calls, ns);
}

static void add_instructions(struct import_sink *sink, const struct import_place *place,
			     uint64_t count)
{
	const struct names *n = &sink->names;
	const struct import_frame *frame = place->frames;
	const struct record_pair pairs[] = {
		{n->block, record_address(frame->address ?: frame->offset)},
		{n->block_size, record_uint(1)},
		{n->block_instructions, record_uint(1)},
		{n->count, record_uint(count)},
	};

	write_function(sink, line_node(sink, function_node(sink, 0, frame), frame), place,
		       pairs, array_count(pairs));
}

static void add_event(struct import_sink *sink, const struct import_place *place,
		      struct type *type, uint64_t samples, uint64_t events)
{
	const struct names *n = &sink->names;
	const struct import_frame *frame = place->frames;
	const struct record_pair pairs[] = {
		{n->event, record_string(type->name)},
		{n->sample_address, record_address(frame->address ?: frame->offset)},
		{n->samples, record_uint(samples)},
		{n->sample_events, record_uint(events)},
	};
	record_node node = 0;

	for (size_t i = place->count; i-- > 1;) {
		node = child_of(sink, node, n->frame_module, path_of(&place->frames[i]));
		node = child_of(sink, node, n->frame, place->frames[i].function);
	}
	write_function(sink, line_node(sink, function_node(sink, node, frame), frame),
		       place, pairs, array_count(pairs));
	type->samples += samples;
	type->total += events;
}

/* Regions, and functions that something says more of than reports of functions show. */
static void add_region(struct import_sink *sink, const struct import_place *place,
		       uint64_t entries, uint64_t ns)
{
	const struct names *n = &sink->names;
	const struct record_pair pairs[] = {
		{n->image, record_uint(image_of(sink, place->process))},
		{n->count, record_uint(entries)},
		{n->time, record_uint(ns)},
	};
	record_node node = 0;

	for (size_t i = place->count; i-- > 0;)
		node = child_of(sink, node, n->region, place->frames[i].function);
	trm_writer_record(sink->writer, node, pairs, array_count(pairs));
}

static void add_value(struct import_sink *sink, const struct import_place *place,
		      const struct type *type, uint64_t value)
{
	const struct names *n = &sink->names;
	const record_attribute numbers[MEANS_COUNT] = {
		[MEANS_CALLS] = n->calls,
		[MEANS_LOADS] = n->loads,
		[MEANS_STORES] = n->stores,
		[MEANS_BYTES_LOADED] = n->bytes_loaded,
		[MEANS_BYTES_STORED] = n->bytes_stored,
	};

	switch (type->meaning) {
	case MEANS_INSTRUCTIONS:
		add_instructions(sink, place, value);
		break;
	case MEANS_TIME:
		add_context(sink, place, 0, value);
		break;
	case MEANS_ENTRIES:
		add_region(sink, place, value, 0);
		break;
	case MEANS_REGION_TIME:
		add_region(sink, place, 0, value);
		break;
	default:
		write_number(sink, place, numbers[type->meaning], value);
		if (type->meaning == MEANS_CALLS && place->count > 1)
			add_context(sink, place, value, 0);
	}
}

static void note_modules(struct import_sink *sink, const struct import_place *place)
{
	uint64_t image = image_of(sink, place->process);

	for (size_t i = 0; i < place->count; i++)
		if (!place->frames[i].region)
			write_module(sink, path_of(&place->frames[i]), image);
}

/* Whether samples belong to an event behind them; else they are one themselves. */
static bool has_event(const struct import_sink *sink, uint32_t type)
{
	return type + 1 < sink->types.count &&
	       sink->types.items[type].meaning == MEANS_SAMPLES &&
	       sink->types.items[type + 1].meaning == MEANS_EVENT;
}

/* Time is that of calls; without calls it is an event like others. */
static bool is_event(const struct import_sink *sink, const struct type *type)
{
	if (type->meaning != MEANS_TIME)
		return type->meaning <= MEANS_SAMPLES;
	vector_for_each (&sink->types, other)
		if (other->meaning == MEANS_CALLS)
			return false;
	return true;
}

static void note_measured(struct import_sink *sink, const struct type *type,
			  const struct import_place *place)
{
	enum meaning meaning = is_event(sink, type) ? MEANS_EVENT : type->meaning;

	sink->any = true;
	sink->measured |= 1u << meaning;
	sink->with_callers |= meaning == MEANS_EVENT && place->count > 1;
}

void import_values(struct import_sink *sink, const struct import_place *place,
		   uint32_t first, const uint64_t *values, size_t count)
{
	struct import_place kept = *place;

	if (kept.count > IMPORT_DEPTH_MAX)
		kept.count = IMPORT_DEPTH_MAX;
	note_modules(sink, &kept);
	for (size_t i = 0; i < count; i++) {
		uint32_t index = first + (uint32_t)i;
		bool paired = i && has_event(sink, index - 1);
		uint64_t samples = paired ? values[i - 1] : values[i];

		if ((!values[i] && !samples) || has_event(sink, index))
			continue;
		struct type *type = &sink->types.items[index];

		note_measured(sink, type, &kept);
		if (is_event(sink, type))
			add_event(sink, &kept, type, samples, values[i]);
		else
			add_value(sink, &kept, type, values[i]);
	}
}

void import_arc(struct import_sink *sink, const struct import_frame *caller,
		const struct import_frame *callee, uint64_t calls, bool counted)
{
	const struct names *n = &sink->names;
	const struct import_place place = {callee, 1, 0, 0};
	const struct record_pair pairs[] = {
		{n->arc_kind, record_string("unknown")},
		{n->arc_count, record_uint(calls)},
	};
	record_node node;

	if (!calls)
		return;
	note_modules(sink, &place);
	node = function_node(sink, 0, callee);
	node = child_of(sink, node, n->caller_path, path_of(caller));
	node = child_of(sink, node, n->caller, caller->function);
	write_function(sink, node, &place, pairs, array_count(pairs));
	if (counted)
		write_number(sink, &place, n->calls, calls);
	sink->with_arcs = sink->any = true;
}

void import_module(struct import_sink *sink, const char *path, const char *build_id)
{
	if (*path && *build_id)
		vector_push(&sink->modules,
			    ((struct module){memory_copy_string(path),
					     memory_copy_string(build_id)}));
}

void import_command(struct import_sink *sink, const char *command)
{
	if (!sink->command && *command)
		sink->command = memory_copy_string(command);
}

void import_program(struct import_sink *sink, const char *path)
{
	if (!sink->program && *path)
		sink->program = memory_copy_string(path);
}

static void write_global(struct import_sink *sink, const char *name, const char *value)
{
	record_attribute attribute = record_attribute_make(
		sink->model, name, RECORD_STRING, RECORD_AS_VALUE | RECORD_GLOBAL);

	trm_writer_global(sink->writer, attribute, record_string(value));
}

/* What is there, as `run.measure` has it. */
static void write_measure(struct import_sink *sink)
{
	struct text text = {0};

	for (size_t i = 0; i < MEANS_COUNT; i++) {
		const char *measure = meanings[i].measure;

		if (!(sink->measured & 1u << i) ||
		    (text.data && strstr(text.data, measure)))
			continue;
		text_format(&text, "%s%s", text.length ? "," : "", measure);
		if (i == MEANS_EVENT && sink->with_callers)
			text_add(&text, ":callpath");
	}
	if (sink->with_arcs)
		text_add(&text, text.length ? ",calls" : "calls");
	write_global(sink, "run.measure", text.data ? text.data : "functions");
	text_deinit(&text);
}

static void write_events(struct import_sink *sink)
{
	const struct names *n = &sink->names;

	vector_for_each (&sink->types, type) {
		if (!type->samples)
			continue;
		const struct record_pair pairs[] = {
			{n->event, record_string(type->name)},
			{n->unit, record_string(type->clock ? "ns" : "")},
			{n->event_samples, record_uint(type->samples)},
			{n->event_total, record_uint(type->total)},
		};

		trm_writer_record(sink->writer, 0, pairs, array_count(pairs));
	}
}

struct trm_error *import_sink_finish(struct import_sink *sink,
				     const struct import_input *input)
{
	struct trm_error *error = NULL, *disk;
	const char *command = sink->command ? sink->command : sink->program;

	write_events(sink);
	write_measure(sink);
	write_global(sink, "import.format", sink->format);
	if (command)
		write_global(sink, "run.command", command);
	if (!sink->any)
		error = import_fault(input, "there are no counts in it");
	disk = trm_writer_finish(sink->writer);
	vector_for_each (&sink->types, type)
		free(type->name);
	vector_deinit(&sink->types);
	table_deinit(&sink->image_of);
	table_deinit(&sink->module_seen);
	table_deinit(&sink->context_seen);
	vector_for_each (&sink->modules, module) {
		free(module->path);
		free(module->build_id);
	}
	vector_deinit(&sink->modules);
	record_model_destroy(sink->model);
	free(sink->command);
	free(sink->program);
	free(sink);
	if (!error)
		return disk;
	trm_error_destroy(disk);
	return error;
}
