#include "query/format/trace_json.h"

#include "base/json_write.h"
#include "record/model.h"
#include "record/value.h"

#include <inttypes.h>
#include <string.h>

void trace_json_init(struct trace_json *json, struct text *out, bool pretty)
{
	*json = (struct trace_json){
		.out = out,
		.pretty = pretty,
		.frames = record_model_create(),
	};
	json->frame = record_attribute_make(json->frames, "frame", RECORD_STRING, 0);
	text_add(out, "{\"displayTimeUnit\": \"ns\",\n\"traceEvents\": [");
}

/* The name of a member of an object; the first one has "{" before it. */
static void add_member(struct trace_json *json, const char *begin, const char *name)
{
	text_add(json->out, begin);
	if (json->pretty)
		text_add(json->out, "\n ");
	text_format(json->out, "%s\"%s\": ", *begin == ',' && !json->pretty ? " " : "",
		    name);
}

static void end_object(struct trace_json *json)
{
	text_add(json->out, json->pretty ? "\n}" : "}");
}

static void add_microseconds(struct text *out, int64_t ns)
{
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	text_format(out, "%s%" PRIu64, ns < 0 ? "-" : "", size / 1000);
	if (size % 1000)
		text_format(out, ".%03" PRIu64, size % 1000);
}

static void begin_item(struct trace_json *json, bool *any)
{
	text_add(json->out, *any ? ",\n" : "\n");
	*any = true;
}

static void add_place(struct trace_json *json, struct trace_place place)
{
	add_member(json, ",", "pid");
	text_format(json->out, "%" PRId64, place.process);
	add_member(json, ",", "tid");
	text_format(json->out, "%" PRId64, place.thread);
}

static void add_frame(struct trace_json *json, uint32_t frame)
{
	if (!frame)
		return;
	add_member(json, ",", "sf");
	text_format(json->out, "%" PRIu32, frame);
}

void trace_json_event(struct trace_json *json, const struct trace_event *event)
{
	struct text *out = json->out;

	begin_item(json, &json->any);
	add_member(json, "{", "ph");
	text_format(out, "\"%c\"", event->phase);
	add_member(json, ",", "name");
	text_add_json(out, event->name);
	if (event->category) {
		add_member(json, ",", "cat");
		text_add_json(out, event->category);
	}
	if (event->phase != 'M') {
		add_member(json, ",", "ts");
		add_microseconds(out, event->ns);
	}
	if (event->phase == 'X') {
		add_member(json, ",", "dur");
		add_microseconds(out, event->duration_ns);
	}
	add_place(json, event->place);
	if (event->phase == 'i') {
		/* As long as the thread's row is high. */
		add_member(json, ",", "s");
		text_add(out, "\"t\"");
	}
	add_frame(json, event->frame);
	if (event->args) {
		add_member(json, ",", "args");
		text_add(out, event->args);
	}
	end_object(json);
}

uint32_t trace_json_frame(struct trace_json *json, uint32_t caller,
			  struct record_value name)
{
	struct text text = {0};

	if (name.type != RECORD_STRING) {
		record_value_text(&text, name);
		name = record_string(text.data);
	}
	uint32_t frame = record_node_child(json->frames, caller, json->frame, name);

	text_deinit(&text);
	return frame;
}

void trace_json_sample(struct trace_json *json, const struct trace_sample *sample)
{
	vector_push(&json->samples, *sample);
}

void trace_json_global(struct trace_json *json, const char *name,
		       struct record_value value)
{
	record_attribute attribute =
		record_attribute_make(json->frames, name, value.type, 0);
	record_node node = record_node_child(json->frames, 0, attribute, value);

	vector_for_each (&json->globals, known) {
		if (record_node_pair(json->frames, *known).attribute == attribute) {
			*known = node;
			return;
		}
	}
	vector_push(&json->globals, node);
}

void trace_json_name(struct trace_json *json, struct trace_place place, bool of_process,
		     const char *name)
{
	const int64_t key[3] = {place.process, of_process ? 0 : place.thread, of_process};
	bool is_new;
	uint64_t *number =
		table_insert(&json->row_of, hash_bytes(key, sizeof(key)), &is_new);

	if (!is_new)
		return;
	*number = json->rows.count;
	vector_push(&json->rows,
		    ((struct trace_row){place, memory_copy_string(name), of_process}));
}

static void add_rows(struct trace_json *json)
{
	struct text args = {0};

	vector_for_each (&json->rows, row) {
		args.length = 0;
		text_add(&args, "{");
		json_add_text(&args, "name", row->name);
		text_add(&args, "}");
		trace_json_event(json, &(struct trace_event){
					       .phase = 'M',
					       .name = row->of_process ? "process_name"
								       : "thread_name",
					       .place = row->place,
					       .args = args.data});
		free(row->name);
	}
	text_deinit(&args);
}

static void add_globals(struct trace_json *json)
{
	struct text value = {0};
	bool any = false;

	if (!json->globals.count)
		return;
	text_add(json->out, ",\n\"otherData\": {");
	vector_for_each (&json->globals, global) {
		struct record_pair pair = record_node_pair(json->frames, *global);

		begin_item(json, &any);
		text_add_json(json->out,
			      record_attribute_name(json->frames, pair.attribute));
		text_add(json->out, ": ");
		value.length = 0;
		text_add(&value, "");
		record_value_text(&value, pair.value);
		text_add_json(json->out, value.data);
	}
	text_add(json->out, "\n}");
	text_deinit(&value);
}

static void add_frames(struct trace_json *json)
{
	bool any = false;

	for (record_node node = 1; node < record_node_count(json->frames); node++) {
		struct record_pair pair = record_node_pair(json->frames, node);
		record_node caller = record_node_parent(json->frames, node);

		if (pair.attribute != json->frame)
			continue;
		if (!any)
			text_add(json->out, ",\n\"stackFrames\": {");
		begin_item(json, &any);
		text_format(json->out, "\"%" PRIu32 "\": ", node);
		add_member(json, "{", "name");
		text_add_json(json->out, pair.value.bytes);
		add_member(json, ",", "category");
		text_add(json->out, "\"callstack\"");
		if (caller) {
			add_member(json, ",", "parent");
			text_format(json->out, "%" PRIu32, caller);
		}
		end_object(json);
	}
	if (any)
		text_add(json->out, "\n}");
}

static void add_samples(struct trace_json *json)
{
	bool any = false;

	if (!json->samples.count)
		return;
	text_add(json->out, ",\n\"samples\": [");
	vector_for_each (&json->samples, sample) {
		begin_item(json, &any);
		add_member(json, "{", "name");
		text_add(json->out, "\"sampler\"");
		add_member(json, ",", "weight");
		text_format(json->out, "%" PRIu64, sample->weight);
		add_member(json, ",", "ts");
		add_microseconds(json->out, sample->ns);
		add_place(json, sample->place);
		if (sample->cpu >= 0) {
			add_member(json, ",", "cpu");
			text_format(json->out, "%" PRId32, sample->cpu);
		}
		add_frame(json, sample->frame);
		end_object(json);
	}
	text_add(json->out, "\n]");
}

void trace_json_finish(struct trace_json *json)
{
	add_rows(json);
	text_add(json->out, "\n]");
	add_globals(json);
	add_frames(json);
	add_samples(json);
	text_add(json->out, "\n}\n");
	record_model_destroy(json->frames);
	vector_deinit(&json->globals);
	vector_deinit(&json->samples);
	vector_deinit(&json->rows);
	table_deinit(&json->row_of);
	text_deinit(&json->name);
}

const char *trace_json_label(struct trace_json *json, const char *attribute,
			     struct record_value value)
{
	static const char iteration[] = "iteration#";
	size_t skipped =
		strncmp(attribute, iteration, strlen(iteration)) ? 0 : strlen(iteration);

	json->name.length = 0;
	text_add(&json->name, "");
	if (value.type != RECORD_STRING)
		text_format(&json->name, "%s=", attribute + skipped);
	record_value_text(&json->name, value);
	return json->name.data;
}
