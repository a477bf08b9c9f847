#include "page/timeline.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/json_write.h"
#include "export/timeline.h"

#include <stdlib.h>
#include <string.h>

/* More phases than these are not drawn: the shortest are left out. */
enum { SPANS_MAX = 200000 };

/* A phase of a thread, from its begin to its end. */
struct span {
	uint32_t thread, name, depth;
	uint64_t start_ns, length_ns;
};
struct spans VECTOR(struct span);

static void add_intervals(const struct report_profile *profile, struct text *out)
{
	json_begin_list(out, "intervals");
	vector_for_each (&profile->intervals, interval) {
		json_begin_item(out);
		json_add_number(out, "number", interval->number);
		json_add_number(out, "start.ns", interval->start_ns);
		json_add_number(out, "end.ns", interval->end_ns);
		json_add_number(out, "calls", interval->calls);
		json_add_number(out, "instructions", interval->instructions);
		text_add(out, "}");
	}
	text_add(out, "]");
}

/* Makes spans of events, in the order in which they begin. Those of a thread stand
 * together, nested. */
static void make_spans(const struct export_timeline *timeline, struct spans *spans)
{
	struct VECTOR(size_t) open = {0};

	vector_for_each (&timeline->events, event) {
		if (event->opens) {
			vector_push(&open, spans->count);
			vector_push(spans, ((struct span){event->thread, event->name,
							  (uint32_t)open.count - 1,
							  event->ns, 0}));
		} else if (open.count) {
			struct span *span = &spans->items[open.items[--open.count]];

			span->length_ns = event->ns - span->start_ns;
		}
	}
	vector_deinit(&open);
}

COMPARE_BY(by_length, struct span, length_ns);

/* Leaves out the shortest spans, so that at most SPANS_MAX are left. Returns how many. */
static size_t drop_short(struct spans *spans)
{
	const size_t all = spans->count;
	struct span *sorted;
	uint64_t least;

	if (all <= SPANS_MAX)
		return 0;
	sorted = memory_allocate(all * sizeof(*sorted));
	memcpy(sorted, spans->items, all * sizeof(*sorted));
	qsort(sorted, all, sizeof(*sorted), by_length);
	least = sorted[all - SPANS_MAX].length_ns;
	free(sorted);
	spans->count = 0;
	for (size_t i = 0; i < all && spans->count < SPANS_MAX; i++)
		if (spans->items[i].length_ns >= least)
			spans->items[spans->count++] = spans->items[i];
	return all - spans->count;
}

/* Adds a list of one number of each item of a vector. */
#define ADD_NUMBERS(out, name, list, number)                                             \
	do {                                                                             \
		scoped_free uint64_t *values_ =                                          \
			memory_allocate(((list)->count + 1) * sizeof(*values_));         \
		for (size_t i_ = 0; i_ < (list)->count; i_++)                            \
			values_[i_] = (list)->items[i_].number;                          \
		text_add((out)->json, "\"" name "\":");                                  \
		page_add_numbers(out, values_, (list)->count, false, false);             \
	} while (0)

/* What all spans of one name took. */
struct sum {
	uint64_t times, ns, longest_ns;
};

/* Adds the sums of all spans by name, also of those that are left out afterwards. */
static void add_sums(const struct export_timeline *timeline, const struct spans *spans,
		     struct text *out)
{
	scoped_free struct sum *sums =
		memory_allocate_zeroed(timeline->names.count + 1, sizeof(*sums));

	vector_for_each (spans, span) {
		struct sum *sum = &sums[span->name];

		sum->times++;
		sum->ns += span->length_ns;
		if (span->length_ns > sum->longest_ns)
			sum->longest_ns = span->length_ns;
	}
	json_begin_list(out, "sums");
	for (size_t i = 0; i < timeline->names.count; i++) {
		json_begin_item(out);
		json_add_text(out, "name", timeline->names.strings[i]);
		json_add_number(out, "times", sums[i].times);
		json_add_number(out, "time.ns", sums[i].ns);
		json_add_number(out, "longest.ns", sums[i].longest_ns);
		text_add(out, "}");
	}
	text_add(out, "]");
}

static void add_spans(const struct export_timeline *timeline, struct page_out *out)
{
	struct spans spans = {0};
	size_t dropped;

	make_spans(timeline, &spans);
	add_sums(timeline, &spans, out->json);
	dropped = drop_short(&spans);
	text_add(out->json, ",\n\"names\":[");
	for (size_t i = 0; i < timeline->names.count; i++) {
		text_add(out->json, i ? "," : "");
		text_add_json(out->json, timeline->names.strings[i]);
	}
	text_add(out->json, "],\n\"spans\":{");
	ADD_NUMBERS(out, "thread", &spans, thread);
	text_add(out->json, ",");
	ADD_NUMBERS(out, "name", &spans, name);
	text_add(out->json, ",");
	ADD_NUMBERS(out, "depth", &spans, depth);
	text_add(out->json, ",");
	ADD_NUMBERS(out, "start.ns", &spans, start_ns);
	text_add(out->json, ",");
	ADD_NUMBERS(out, "length.ns", &spans, length_ns);
	text_format(out->json, ",\"left.out\":%zu}", dropped);
	vector_deinit(&spans);
}

static const struct report_image *image_of(const struct report_profile *profile,
					   uint64_t number)
{
	vector_for_each (&profile->images, image)
		if (image->number == number)
			return image;
	return NULL;
}

/* Adds the threads with events: numbers of spans are places in this list. */
static void add_lanes(const struct report_profile *profile,
		      const struct export_timeline *timeline, struct text *out)
{
	json_begin_list(out, "lanes");
	vector_for_each (&timeline->threads, thread) {
		const struct report_image *image = image_of(profile, thread->image);

		json_begin_item(out);
		json_add_number(out, "process", image ? image->process : thread->image);
		json_add_number(out, "thread", thread->number);
		json_add_number(out, "first.ns", thread->first_ns);
		json_add_number(out, "last.ns", thread->last_ns);
		text_add(out, "}");
	}
	text_add(out, "]");
}

/* Adds the threads that are told apart: numbers of parts are places in this list. */
static void add_threads(const struct report_profile *profile, struct text *out)
{
	text_add(out, "\"threads\": [");
	vector_for_each (&profile->threads, thread) {
		json_begin_item(out);
		json_add_number(out, "process",
				profile->images.items[thread->image].process);
		json_add_number(out, "thread", thread->number);
		json_add_number(out, "calls", thread->calls);
		json_add_number(out, "instructions", thread->instructions);
		json_add_number(out, "samples", thread->samples);
		text_add(out, "}");
	}
	text_add(out, "]");
}

/* What a thread, or a phase, did in an interval. */
struct cell {
	uint32_t of, interval;
	uint64_t first, second;
};
struct cells {
	struct VECTOR(struct cell) list;
	struct table by_place;
};

static void add_to_cell(struct cells *cells, uint32_t of, uint32_t interval,
			uint64_t first, uint64_t second)
{
	bool made;
	uint64_t *index =
		table_insert(&cells->by_place, (uint64_t)of << 32 | interval, &made);

	if (made) {
		*index = cells->list.count;
		vector_push(&cells->list,
			    ((struct cell){.of = of, .interval = interval}));
	}
	cells->list.items[*index].first += first;
	cells->list.items[*index].second += second;
}

static void deinit_cells(struct cells *cells)
{
	vector_deinit(&cells->list);
	table_deinit(&cells->by_place);
}

static void add_parts(const struct report_profile *profile, struct page_out *out)
{
	struct cells cells = {0};

	vector_for_each (&profile->parts, part)
		if (part->interval != REPORT_NONE && part->thread != REPORT_NONE &&
		    profile->images.items[part->image].selected &&
		    profile->modules.items[part->module].selected)
			add_to_cell(&cells, part->thread, part->interval, part->calls,
				    part->instructions);
	text_add(out->json, ",\n\"parts\":{");
	ADD_NUMBERS(out, "thread", &cells.list, of);
	text_add(out->json, ",");
	ADD_NUMBERS(out, "interval", &cells.list, interval);
	text_add(out->json, ",");
	ADD_NUMBERS(out, "calls", &cells.list, first);
	text_add(out->json, ",");
	ADD_NUMBERS(out, "instructions", &cells.list, second);
	text_add(out->json, "}");
	deinit_cells(&cells);
}

/* The place of an interval, by its number. */
static bool find_interval(const struct table *places, uint64_t number, uint32_t *ret_at)
{
	uint64_t at;

	if (!number || !table_find(places, number, &at))
		return false;
	*ret_at = (uint32_t)at;
	return true;
}

static void add_phases(const struct report_profile *profile, struct page_out *out)
{
	struct table places = {0};
	struct cells cells = {0};
	uint32_t at;

	for (size_t i = 0; i < profile->intervals.count; i++)
		*table_insert(&places, profile->intervals.items[i].number, NULL) = i;
	vector_for_each (&profile->regions.counts, count)
		if (profile->images.items[count->image].selected &&
		    find_interval(&places, count->interval, &at))
			add_to_cell(&cells, count->region, at, count->count, count->ns);
	text_add(out->json, ",\n\"phases\":{");
	ADD_NUMBERS(out, "node", &cells.list, of);
	text_add(out->json, ",");
	ADD_NUMBERS(out, "interval", &cells.list, interval);
	text_add(out->json, ",");
	ADD_NUMBERS(out, "count", &cells.list, first);
	text_add(out->json, ",");
	ADD_NUMBERS(out, "time.ns", &cells.list, second);
	text_add(out->json, "}");
	deinit_cells(&cells);
	table_deinit(&places);
}

struct trm_error *page_add_timeline(const struct report_profile *profile,
				    const char *path, struct page_out *out)
{
	struct export_timeline timeline = {0};
	struct trm_error *error = NULL;

	/* Events are of regions, which have their sums, too. */
	if (profile->regions.nodes.count)
		error = export_timeline_read(&timeline, profile, path);
	add_intervals(profile, out->json);
	text_add(out->json, ",\n\"timeline\":{");
	add_threads(profile, out->json);
	add_lanes(profile, &timeline, out->json);
	add_spans(&timeline, out);
	add_parts(profile, out);
	add_phases(profile, out);
	text_add(out->json, "}");
	export_timeline_deinit(&timeline);
	return error;
}
