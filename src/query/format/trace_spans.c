#include "query/format/trace_spans.h"

#include "base/array.h"
#include "record/model.h"
#include "record/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A begin, or an end whose begin was not seen. */
struct half {
	int64_t ns;
	uint32_t kind;
	uint32_t frame;
	record_node node;
	record_node name; /* kept in trace_spans.names */
	const char *category;
	bool iterates;
	int64_t iteration; /* its number, if it is one */
};

struct halves VECTOR(struct half);

/* A part of a thread's trace in the order of time. */
struct part {
	int64_t first_ns;
	struct halves ends, begins;
};

struct thread {
	struct trace_place place;
	struct part
		part; /* current part; its begins are the open spans, outermost first */
	int64_t last_ns;
	bool begun;
	struct VECTOR(struct part) parts; /* before it in the file */
};

struct trace_spans {
	struct trace_json *json;
	struct table thread_of; /* by hash of the place: number + 1 */
	struct VECTOR(struct thread) threads;
	struct record_model *names;
	record_attribute name;
	struct text args; /* scratch */
};

struct trace_spans *trace_spans_create(struct trace_json *json)
{
	struct trace_spans *spans = memory_allocate_zeroed(1, sizeof(*spans));

	spans->json = json;
	spans->names = record_model_create();
	spans->name = record_attribute_make(spans->names, "name", RECORD_STRING, 0);
	return spans;
}

static void part_deinit(struct part *part)
{
	vector_deinit(&part->ends);
	vector_deinit(&part->begins);
}

static void forget_threads(struct trace_spans *spans)
{
	vector_for_each (&spans->threads, thread) {
		vector_for_each (&thread->parts, part)
			part_deinit(part);
		vector_deinit(&thread->parts);
		part_deinit(&thread->part);
	}
	vector_deinit(&spans->threads);
	table_deinit(&spans->thread_of);
	spans->thread_of = (struct table){0};
}

void trace_spans_destroy(struct trace_spans *spans)
{
	forget_threads(spans);
	record_model_destroy(spans->names);
	text_deinit(&spans->args);
	free(spans);
}

static struct thread *thread_of(struct trace_spans *spans, struct trace_place place)
{
	bool is_new;
	uint64_t *number = table_insert(&spans->thread_of,
					hash_bytes(&place, sizeof(place)), &is_new);

	if (is_new) {
		*number = spans->threads.count;
		vector_push(&spans->threads, ((struct thread){.place = place}));
	}
	return &spans->threads.items[*number];
}

/* Finds the thread of an event; begins another part where time jumps back. */
static struct thread *thread_at(struct trace_spans *spans, struct trace_place place,
				int64_t ns)
{
	struct thread *thread = thread_of(spans, place);

	if (thread->begun && ns < thread->last_ns) {
		vector_push(&thread->parts, thread->part);
		thread->part = (struct part){0};
		thread->begun = false;
	}
	if (!thread->begun)
		thread->part.first_ns = ns;
	thread->begun = true;
	thread->last_ns = ns;
	return thread;
}

static struct half half_of(struct trace_spans *spans, const struct trace_mark *mark)
{
	return (struct half){
		.ns = mark->ns,
		.kind = mark->kind,
		.frame = mark->frame,
		.node = mark->node,
		.name = record_node_child(spans->names, 0, spans->name,
					  record_string(mark->name)),
		.category = mark->category,
	};
}

/* The innermost beginning of the kind; NULL if there is none. */
static struct half *find_open(struct halves *begins, uint32_t kind)
{
	for (size_t i = begins->count; i-- > 0;)
		if (begins->items[i].kind == kind)
			return &begins->items[i];
	return NULL;
}

static void take_out(struct halves *begins, struct half *begin)
{
	size_t behind = (size_t)(begins->items + begins->count - (begin + 1));

	memmove(begin, begin + 1, behind * sizeof(*begin));
	begins->count--;
}

/* A span of which the end's name, kind and frame are told; 'B': it has no end. */
static void tell_span(struct trace_spans *spans, struct trace_place place, char phase,
		      const struct half *begin, const struct trace_mark *end)
{
	spans->args.length = 0;
	if (begin->iterates)
		text_format(&spans->args, "{\"iteration\": %" PRId64 "}",
			    begin->iteration);
	trace_json_event(spans->json,
			 &(struct trace_event){
				 .phase = phase,
				 .name = end->name,
				 .category = end->category,
				 .ns = begin->ns,
				 .duration_ns = end->ns - begin->ns,
				 .place = place,
				 .frame = end->frame ? end->frame : begin->frame,
				 .args = spans->args.length ? spans->args.data : NULL,
			 });
}

void trace_spans_begin(struct trace_spans *spans, const struct trace_mark *mark)
{
	struct thread *thread = thread_at(spans, mark->place, mark->ns);

	vector_push(&thread->part.begins, half_of(spans, mark));
}

void trace_spans_end(struct trace_spans *spans, const struct trace_mark *mark)
{
	struct thread *thread = thread_at(spans, mark->place, mark->ns);
	struct half *begin = find_open(&thread->part.begins, mark->kind);

	if (!begin) {
		vector_push(&thread->part.ends, half_of(spans, mark));
		return;
	}
	tell_span(spans, mark->place, 'X', begin, mark);
	take_out(&thread->part.begins, begin);
}

void trace_spans_iterate(struct trace_spans *spans, struct trace_place place,
			 int64_t iteration)
{
	struct halves *begins = &thread_of(spans, place)->part.begins;

	if (!begins->count)
		return;
	begins->items[begins->count - 1].iterates = true;
	begins->items[begins->count - 1].iteration = iteration;
}

record_node trace_spans_open(struct trace_spans *spans, struct trace_place place,
			     size_t depth)
{
	const struct halves *begins = &thread_of(spans, place)->part.begins;

	return depth < begins->count ? begins->items[begins->count - 1 - depth].node
				     : UINT32_MAX;
}

COMPARE_BY(compare_parts, struct part, first_ns);

static struct trace_mark mark_of(const struct trace_spans *spans, const struct half *half)
{
	return (struct trace_mark){
		.ns = half->ns,
		.category = half->category,
		.name = record_node_pair(spans->names, half->name).value.bytes,
		.frame = half->frame,
	};
}

/* Matches the ends of a part with spans that were open before it, and adds those that it
 * left open. */
static void join_part(struct trace_spans *spans, const struct thread *thread,
		      int64_t first_ns, const struct part *part, struct halves *open)
{
	vector_for_each (&part->ends, end) {
		struct half *begin = find_open(open, end->kind);
		struct half unseen = {.ns = first_ns};
		struct trace_mark mark = mark_of(spans, end);

		tell_span(spans, thread->place, 'X', begin ? begin : &unseen, &mark);
		if (begin)
			take_out(open, begin);
	}
	vector_for_each (&part->begins, begin)
		vector_push(open, *begin);
}

static void close_thread(struct trace_spans *spans, struct thread *thread)
{
	struct halves open = {0};

	vector_push(&thread->parts, thread->part);
	thread->part = (struct part){0};
	qsort(thread->parts.items, thread->parts.count, sizeof(struct part),
	      compare_parts);
	vector_for_each (&thread->parts, part)
		join_part(spans, thread, thread->parts.items[0].first_ns, part, &open);
	vector_for_each (&open, begin) {
		struct trace_mark mark = mark_of(spans, begin);

		tell_span(spans, thread->place, 'B', begin, &mark);
	}
	vector_deinit(&open);
}

void trace_spans_close(struct trace_spans *spans)
{
	vector_for_each (&spans->threads, thread)
		close_thread(spans, thread);
	forget_threads(spans);
}
