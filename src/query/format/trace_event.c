/* Events of traces for Perfetto and chrome://tracing. See trace_json.h. */
#include "base/json_write.h"
#include "record/model.h"
#include "record/value.h"
#include "query/format.h"
#include "query/format/trace_record.h"
#include "query/format/trace_spans.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a process that are no threads have numbers that no thread has. */
enum { ROW_CUDA = 1000000001, ROW_ROCM, ROW_BLOCKS = 1000001000 };

/* A process, as far as its record tells. */
struct image {
	int64_t number, process, begin_ns;
	char *program;
};

/* Simultaneous times of the clocks of a process, or of all of a file. */
struct clock {
	int64_t of, ns;
};

struct clocks VECTOR(struct clock);

struct events {
	struct trace_json json;
	struct trace_reader reader;
	struct trace_spans *spans;
	const struct record_model *model;
	struct VECTOR(struct image) images;
	int64_t run; /* files, and runs in them; the process of what has none */
	bool fresh;  /* nothing was read of the file */
	char *file;  /* its name without folders */
	bool told;   /* an event was written */
	/* With the option sync files are read twice, first only for this. */
	bool looking;
	struct clocks processes, files;
	int64_t start_seconds;
	struct VECTOR(record_node) chain; /* scratch */
};

/* A record with what follows from it. */
struct happening {
	struct events *events;
	const struct trace_record *record;
	struct trace_place place;
	int64_t ns;
};

static void *create_trace(const struct query *query, struct text *out)
{
	struct events *events = memory_allocate_zeroed(1, sizeof(*events));

	trace_json_init(&events->json, out, query_option(query, "pretty") != NULL);
	trace_reader_init(&events->reader, query, &events->json);
	events->spans = trace_spans_create(&events->json);
	events->looking = query_option(query, "sync") != NULL;
	events->run = -1;
	return events;
}

static void forget_images(struct events *events)
{
	vector_for_each (&events->images, image)
		free(image->program);
	events->images.count = 0;
}

static void begin_run(void *sink)
{
	struct events *events = sink;

	trace_spans_close(events->spans);
	forget_images(events);
	/* The first one of a file is told like the others. */
	events->run += !events->fresh;
	events->fresh = false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void use_model(void *sink, const struct record_model *model, const char *path)
{
	struct events *events = sink;

	begin_run(events);
	events->fresh = true;
	events->model = model;
	events->file = memory_copy_string(*path ? base_name(path) : "stdin");
	trace_reader_use(&events->reader, model);
}

static void leave_file(void *sink)
{
	struct events *events = sink;

	trace_spans_close(events->spans);
	free(events->file);
	events->file = NULL;
}

static const struct clock *find_clock(const struct clocks *clocks, int64_t of)
{
	vector_for_each (clocks, clock)
		if (clock->of == of)
			return clock;
	return NULL;
}

static bool wants_again(void *sink)
{
	struct events *events = sink;
	struct clocks *clocks =
		events->processes.count ? &events->processes : &events->files;
	int64_t latest = INT64_MIN, earliest = INT64_MAX;

	if (!events->looking)
		return false;
	begin_run(events);
	events->looking = false;
	events->run = -1;
	/* From here on they are how much later each is shown: points at which all were
	 * are one, and what began later is later. */
	vector_for_each (clocks, clock) {
		latest = clock->ns > latest ? clock->ns : latest;
		earliest = clock->ns < earliest ? clock->ns : earliest;
	}
	vector_for_each (clocks, clock)
		clock->ns = clocks == &events->processes ? latest - clock->ns
							 : clock->ns - earliest;
	return true;
}

static struct image *find_image(struct events *events, int64_t number)
{
	vector_for_each (&events->images, image)
		if (image->number == number)
			return image;
	return NULL;
}

static void note_process(struct events *events, const struct trace_record *record)
{
	int64_t number = trace_whole(record->values[TRACE_IMAGE]);
	struct record_value program = record->values[TRACE_PROGRAM];
	struct image *image = find_image(events, number);

	if (!image) {
		vector_push(&events->images, ((struct image){.number = number}));
		image = &events->images.items[events->images.count - 1];
	}
	if (trace_has(record, TRACE_PROCESS))
		image->process = trace_whole(record->values[TRACE_PROCESS]);
	if (trace_has(record, TRACE_PROCESS_BEGIN))
		image->begin_ns = trace_whole(record->values[TRACE_PROCESS_BEGIN]);
	if (trace_has(record, TRACE_PROGRAM) && program.type == RECORD_STRING &&
	    !image->program)
		image->program = memory_copy_string(base_name(program.bytes));
}

static void name_rows(struct events *events, struct happening *happening,
		      const struct image *image)
{
	const struct trace_place_known *process = &happening->record->process,
				       *thread = &happening->record->thread;
	struct trace_place place = happening->place;
	struct text name = {0};

	if (process->priority >= 0)
		text_format(&name, "%s %" PRId64,
			    strcmp(process->attribute, "mpi.rank") ? process->attribute
								   : "rank",
			    process->number);
	else
		text_add(&name, image && image->program ? image->program : events->file);
	trace_json_name(&events->json, place, true, name.data);
	name.length = 0;
	if (thread->priority < 0)
		text_add(&name, "");
	else if (image && image->process == thread->number)
		text_add(&name, "main thread");
	else if (!strcmp(thread->attribute, "omp.thread.id"))
		text_format(&name, "OpenMP thread %" PRId64, thread->number);
	else
		text_add(&name, "thread");
	if (name.length)
		trace_json_name(&events->json, place, false, name.data);
	text_deinit(&name);
}

static void find_place(struct happening *happening)
{
	struct events *events = happening->events;
	const struct trace_record *record = happening->record;
	const struct image *image = NULL;
	const struct clock *clock;

	if (trace_has(record, TRACE_IMAGE))
		image = find_image(events, trace_whole(record->values[TRACE_IMAGE]));
	happening->place.process = record->process.priority >= 0 ? record->process.number
				   : image                       ? image->process
								 : events->run;
	happening->place.thread =
		record->thread.priority >= 0 ? record->thread.number : 0;
	happening->ns = record->ns + (image ? image->begin_ns : 0);
	clock = events->processes.count
			? find_clock(&events->processes, happening->place.process)
			: find_clock(&events->files, events->run);
	if (events->looking)
		return;
	if (clock)
		happening->ns += clock->ns;
	name_rows(events, happening, image);
}

static struct trace_mark mark_of(const struct happening *happening, const char *category,
				 uint32_t kind, record_node node, const char *name)
{
	return (struct trace_mark){
		.place = happening->place,
		.ns = happening->ns,
		.kind = kind,
		.category = category,
		.name = name,
		.node = node,
		.frame = happening->record->frame,
	};
}

/* A node of the context that begins or ends. */
static struct trace_mark mark_of_node(const struct happening *happening, record_node node)
{
	struct events *events = happening->events;
	const struct trace_bound *bound = trace_reader_bound(&events->reader, node);

	return mark_of(happening, bound->subject, bound->kind, node,
		       trace_json_label(&events->json, bound->subject,
					record_node_pair(events->model, node).value));
}

static void add_counter(const struct happening *happening, const char *group,
			const struct text *args)
{
	struct events *events = happening->events;

	trace_json_event(&events->json, &(struct trace_event){.phase = 'C',
							      .name = group,
							      .ns = happening->ns,
							      .place = happening->place,
							      .args = args->data});
}

static void add_arg(struct text *args, const char *name, struct record_value value)
{
	text_add(args, args->length ? "" : "{");
	json_add_key(args, name);
	record_value_json(args, value);
}

/* Adds the counters that the query names, members of a group together. */
static void add_counters(const struct happening *happening)
{
	const struct trace_reader *reader = &happening->events->reader;
	struct text args = {0};

	for (size_t i = 0; i < reader->counters.count; i++) {
		const struct trace_counter *counter = &reader->counters.items[i];
		bool last = i + 1 == reader->counters.count ||
			    strcmp(counter[1].group, counter->group) != 0;

		if (counter->present)
			add_arg(&args, counter->name, query_double(counter->value));
		if (last && args.length) {
			text_add(&args, "}");
			add_counter(happening, counter->group, &args);
			args.length = 0;
		}
	}
	text_deinit(&args);
}

/* Numbers are shown as such; other values as moments. */
static void on_set(const struct happening *happening, const struct trace_bound *subject,
		   struct record_value value)
{
	struct events *events = happening->events;
	bool number = query_is_there(query_number(value)) && value.type != RECORD_BOOL;
	struct text args = {0};

	/* The number is in its row already. */
	if (subject->process >= 0 || subject->thread >= 0)
		return;
	if (!strncmp(subject->subject, "iteration#", strlen("iteration#"))) {
		trace_spans_iterate(events->spans, happening->place, trace_whole(value));
		return;
	}
	add_arg(&args, subject->subject, value);
	text_add(&args, "}");
	if (number)
		add_counter(happening, subject->subject, &args);
	else
		trace_json_event(&events->json, &(struct trace_event){
							.phase = 'i',
							.name = subject->subject,
							.category = subject->subject,
							.ns = happening->ns,
							.place = happening->place,
							.args = args.data,
						});
	text_deinit(&args);
}

static void on_happening(const struct happening *happening)
{
	struct events *events = happening->events;
	const struct trace_record *record = happening->record;
	const struct trace_bound *subject = record->subject;

	if (record->happening == TRACE_SET) {
		on_set(happening, subject, record->value);
		return;
	}
	struct trace_mark mark =
		mark_of(happening, subject->subject, subject->kind, 0,
			trace_json_label(&events->json, subject->subject, record->value));

	if (record->happening == TRACE_BEGIN)
		trace_spans_begin(events->spans, &mark);
	else
		trace_spans_end(events->spans, &mark);
}

static void begin_node(const struct happening *happening, record_node node)
{
	struct trace_mark mark = mark_of_node(happening, node);

	trace_spans_begin(happening->events->spans, &mark);
}

static void end_node(const struct happening *happening, record_node node)
{
	struct trace_mark mark = mark_of_node(happening, node);

	trace_spans_end(happening->events->spans, &mark);
}

/* Another context becomes current: nodes that it does not have end, and its other nodes
 * begin. So spans inside of a node that ends or changes are split in two: viewers want
 * nested spans. */
static void move_to(const struct happening *happening, record_node to)
{
	struct events *events = happening->events;
	struct trace_spans *spans = events->spans;
	size_t open = 0, common = 0, count;

	events->chain.count = 0;
	for (; to; to = record_node_parent(events->model, to))
		vector_push(&events->chain, to);
	count = events->chain.count;
	while (trace_spans_open(spans, happening->place, open) != UINT32_MAX)
		open++;
	while (common < open && common < count &&
	       trace_spans_open(spans, happening->place, open - 1 - common) ==
		       events->chain.items[count - 1 - common])
		common++;
	for (; open > common; open--)
		end_node(happening, trace_spans_open(spans, happening->place, 0));
	for (; common < count; common++)
		begin_node(happening, events->chain.items[count - 1 - common]);
}

/* Handles events of a run: the last node of the chain begins, ends, or becomes current.
 */
static void on_word(const struct happening *happening)
{
	const struct events *events = happening->events;
	const struct trace_record *record = happening->record;
	struct record_value word = record->values[TRACE_EVENT];
	const char *what = word.type == RECORD_STRING ? word.bytes : "";
	record_node node = record->node, last;

	if (!strcmp(what, "set") && record->set) {
		on_set(happening, record->set, record->set_value);
		return;
	}
	last = trace_spans_open(events->spans, happening->place, 0);
	if (!strcmp(what, "end")) {
		if (last == node)
			end_node(happening, node);
		else if (node)
			move_to(happening, record_node_parent(events->model, node));
	} else if (node && last == record_node_parent(events->model, node)) {
		begin_node(happening, node);
	} else {
		move_to(happening, node);
	}
}

/* A span in a row of its own. */
static void add_activity(const struct happening *happening, int64_t row,
			 const char *row_name, const struct trace_event *given)
{
	struct events *events = happening->events;
	struct trace_event event = *given;

	event.phase = 'X';
	event.place = (struct trace_place){happening->place.process, row};
	trace_json_name(&events->json, event.place, false, row_name);
	trace_json_event(&events->json, &event);
}

static void on_gpu(const struct happening *happening, enum trace_field kind, int64_t row,
		   const char *row_name)
{
	const struct trace_record *record = happening->record;
	const struct record_value *values = record->values + kind;
	enum trace_field name = trace_has(record, kind + 3) ? kind + 3 : kind;
	struct text category = {0}, label = {0};
	int64_t moved = happening->ns - record->ns;

	record_value_text(&category, values[0]);
	record_value_text(&label, record->values[name]);
	if (trace_has(record, kind + 1) && trace_has(record, kind + 2))
		add_activity(happening, row, row_name,
			     &(struct trace_event){
				     .name = label.length ? label.data : "",
				     .category = category.length ? category.data : "",
				     .ns = trace_whole(values[1]) + moved,
				     .duration_ns = trace_whole(values[2])});
	text_deinit(&category);
	text_deinit(&label);
}

static void on_cuda(const struct happening *happening)
{
	on_gpu(happening, TRACE_CUDA_KIND, ROW_CUDA, "CUDA");
}

static void on_rocm(const struct happening *happening)
{
	on_gpu(happening, TRACE_ROCM_KIND, ROW_ROCM, "ROCm");
}

static void on_block(const struct happening *happening)
{
	const struct trace_record *record = happening->record;
	struct events *events = happening->events;
	int64_t block = trace_has(record, TRACE_BLOCK)
				? trace_whole(record->values[TRACE_BLOCK])
				: 0;
	const char *name = trace_has(record, TRACE_BLOCK_REGION)
				   ? trace_json_label(&events->json, "gputrace.region",
						      record->values[TRACE_BLOCK_REGION])
				   : "";
	struct trace_mark mark = mark_of(happening, "gpu", UINT32_MAX, 0, name);
	struct text row = {0};

	mark.place.thread = ROW_BLOCKS + block;
	text_format(&row, "block %" PRId64, block);
	trace_json_name(&events->json, mark.place, false, row.data);
	text_deinit(&row);
	if (trace_has(record, TRACE_BLOCK_BEGIN))
		trace_spans_begin(events->spans, &mark);
	else
		trace_spans_end(events->spans, &mark);
}

static void on_allocation(const struct happening *happening)
{
	const struct trace_record *record = happening->record;
	struct text name = {0}, args = {0};

	text_add(&name, "Alloc ");
	record_value_text(&name, record->values[TRACE_UMPIRE_NAME]);
	if (trace_has(record, TRACE_UMPIRE_SIZE)) {
		add_arg(&args, "size", record->values[TRACE_UMPIRE_SIZE]);
		text_add(&args, "}");
		add_counter(happening, name.data, &args);
	}
	text_deinit(&name);
	text_deinit(&args);
}

/* Perfetto shows no samples as such, so that they are moments, too. */
static void on_sample(const struct happening *happening)
{
	struct events *events = happening->events;
	const struct trace_record *record = happening->record;
	struct trace_sample sample = {happening->ns, happening->place, 1, record->frame,
				      -1};
	struct record_value function = record_string("sample");

	if (trace_has(record, TRACE_SAMPLES))
		sample.weight = (uint64_t)trace_whole(record->values[TRACE_SAMPLES]);
	if (!sample.weight)
		return;
	if (trace_has(record, TRACE_CPU))
		sample.cpu = (int32_t)trace_whole(record->values[TRACE_CPU]);
	if (trace_has(record, TRACE_SAMPLED_FUNCTION))
		function = record->values[TRACE_SAMPLED_FUNCTION];
	else if (record->frame)
		function = record_node_pair(events->json.frames, record->frame).value;
	trace_json_sample(&events->json, &sample);
	trace_json_event(&events->json,
			 &(struct trace_event){
				 .phase = 'i',
				 .name = trace_json_label(&events->json, "", function),
				 .category = "sample",
				 .ns = happening->ns,
				 .place = happening->place,
				 .frame = record->frame,
			 });
}

/* Handlers, by the first field that a record has. */
static const struct {
	enum trace_field field;
	void (*tell)(const struct happening *happening);
} kinds[] = {
	{TRACE_CUDA_KIND, on_cuda},
	{TRACE_ROCM_KIND, on_rocm},
	{TRACE_UMPIRE_NAME, on_allocation},
	{TRACE_SAMPLED_FUNCTION, on_sample},
	{TRACE_SAMPLED_PC, on_sample},
	{TRACE_BLOCK_BEGIN, on_block},
	{TRACE_BLOCK_END, on_block},
	{TRACE_EVENT, on_word},
	{TRACE_NO_FIELD, NULL},
};

static void tell_happening(const struct happening *happening)
{
	const struct trace_record *record = happening->record;
	int i = 0;

	add_counters(happening);
	while (kinds[i].tell && !trace_has(record, kinds[i].field))
		i++;
	if (kinds[i].tell)
		kinds[i].tell(happening);
	else if (record->happening)
		on_happening(happening);
	else if (trace_has(record, TRACE_SAMPLES))
		on_sample(happening);
}

static void note_sync(struct happening *happening)
{
	struct clocks *clocks = &happening->events->processes;

	if (!find_clock(clocks, happening->place.process))
		vector_push(clocks,
			    ((struct clock){happening->place.process, happening->ns}));
}

static void on_record(void *sink, record_node node, const struct record_pair *pairs,
		      size_t count)
{
	struct events *events = sink;
	struct happening happening = {
		.events = events,
		.record = trace_reader_read(&events->reader, node, pairs, count),
	};

	if (trace_has(happening.record, TRACE_IMAGE) &&
	    (trace_has(happening.record, TRACE_PROCESS) ||
	     trace_has(happening.record, TRACE_PROCESS_BEGIN)))
		note_process(events, happening.record);
	if (!happening.record->timed)
		return;
	find_place(&happening);
	if (events->looking) {
		if (trace_has(happening.record, TRACE_SYNC))
			note_sync(&happening);
	} else if (!trace_has(happening.record, TRACE_SYNC)) {
		events->told = true;
		tell_happening(&happening);
	}
}

static void on_global(void *sink, record_attribute attribute, struct record_value value)
{
	struct events *events = sink;
	const char *name = record_attribute_name(events->model, attribute);

	if (!events->looking) {
		trace_json_global(&events->json, name, value);
	} else if (!strcmp(name, "starttime.sec")) {
		events->start_seconds = trace_whole(value);
	} else if (!strcmp(name, "starttime.nsec")) {
		vector_push(
			&events->files,
			((struct clock){events->run, events->start_seconds * 1000000000 +
							     trace_whole(value)}));
	}
}

static void finish_trace(void *sink, struct text *warnings)
{
	struct events *events = sink;

	if (!events->told)
		text_add(warnings, "no record is one of an event: 'trammel run -m "
				   "regions,trace' and the configuration event-trace "
				   "record them\n");
	begin_run(events);
	trace_spans_destroy(events->spans);
	trace_json_finish(&events->json);
	trace_reader_deinit(&events->reader);
	vector_deinit(&events->images);
	vector_deinit(&events->processes);
	vector_deinit(&events->files);
	vector_deinit(&events->chain);
	free(events->file);
	free(events);
}

const struct query_sink query_sink_trace_event = {
	.create = create_trace,
	.use = use_model,
	.record = on_record,
	.global = on_global,
	.run = begin_run,
	.leave = leave_file,
	.again = wants_again,
	.finish = finish_trace,
};
