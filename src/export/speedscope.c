/*
 * speedscope's own format: JSON with the frames once, and for each type of numbers a
 * profile of stacks with weights. Its reader calculates with doubles: where numbers
 * exceed 2^53, they are halved until they do not, and the profile's name says so. Of
 * traces there is a profile for each thread, with regions as they began and ended.
 *
 * Source: github.com/jlfwong/speedscope, src/lib/file-format-spec.ts
 */
#include "base/cleanup.h"
#include "base/json_write.h"
#include "base/path.h"
#include "export/formats.h"
#include "export/timeline.h"
#include "report/runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DOUBLE_BITS = 53 };

static void add_frames(const struct export_view *view,
		       const struct export_timeline *timeline, struct export_out *out)
{
	text_add(&out->text, "\"shared\": {\"frames\": [");
	vector_for_each (&view->frames, frame) {
		json_begin_item(&out->text);
		json_add_text(&out->text, "name", frame->name);
		if (frame->file)
			json_add_text(&out->text, "file", frame->file);
		else
			json_add_string(&out->text, "file",
					export_module_path(view, frame));
		if (frame->line)
			json_add_number(&out->text, "line", frame->line);
		text_add(&out->text, "}");
		export_out_drain(out);
	}
	for (size_t i = 0; i < timeline->names.count; i++) {
		json_begin_item(&out->text);
		json_add_text(&out->text, "name", timeline->names.strings[i]);
		text_add(&out->text, "}");
		export_out_drain(out);
	}
	text_add(&out->text, "\n]}");
}

static void add_stacks(const struct export_view *view, uint32_t type,
		       struct export_out *out)
{
	uint32_t nodes[EXPORT_DEPTH_MAX];
	bool first = true;

	vector_for_each (&view->counts, row) {
		if (row->type != type)
			continue;
		size_t count = export_stack(view, row->node, nodes);

		text_add(&out->text, first ? "\n[" : ",\n[");
		first = false;
		while (count--)
			text_format(&out->text, "%" PRIu32 "%s",
				    view->nodes.items[nodes[count]].frame,
				    count ? "," : "]");
		export_out_drain(out);
	}
}

static void add_weights(const struct export_view *view, uint32_t type, unsigned halved,
			struct export_out *out)
{
	bool first = true;

	vector_for_each (&view->counts, row) {
		if (row->type != type)
			continue;
		text_format(&out->text, "%s%" PRIu64, first ? "" : ",",
			    row->value >> halved);
		first = false;
		export_out_drain(out);
	}
}

static uint64_t sum_weights(const struct export_view *view, uint32_t type,
			    unsigned halved)
{
	uint64_t sum = 0;

	vector_for_each (&view->counts, row)
		if (row->type == type)
			sum = export_sum(sum, row->value >> halved);
	return sum;
}

static void add_profile(const struct export_view *view, uint32_t index,
			struct export_out *out)
{
	const struct export_type *type = &view->types.items[index];
	struct text name = {0};
	unsigned halved = 0;

	while (sum_weights(view, index, halved) >> DOUBLE_BITS)
		halved++;
	text_add(&name, type->name);
	if (halved)
		text_format(&name, " (1 is 2^%u)", halved);
	json_begin_item(&out->text);
	json_add_text(&out->text, "type", "sampled");
	json_add_text(&out->text, "name", name.data);
	json_add_text(&out->text, "unit",
		      halved || !strcmp(type->unit, "count") ? "none" : type->unit);
	json_add_number(&out->text, "startValue", 0);
	json_add_number(&out->text, "endValue", sum_weights(view, index, halved));
	text_add(&out->text, ", \"samples\": [");
	add_stacks(view, index, out);
	text_add(&out->text, "],\n\"weights\": [");
	add_weights(view, index, halved, out);
	text_add(&out->text, "]}");
	text_deinit(&name);
}

/* The process of an image, by its number. */
static uint64_t process_of(const struct export_view *view, uint64_t number)
{
	vector_for_each (&view->profile->images, image)
		if (image->number == number)
			return image->process;
	return number;
}

/* Adds the events of a thread, `*first` being the first of them; goes behind the last.
 * Frames of events follow those of the view. */
static void add_thread(const struct export_view *view,
		       const struct export_timeline *timeline, uint32_t index,
		       size_t *first, struct export_out *out)
{
	const struct export_thread *thread = &timeline->threads.items[index];
	struct text name = {0};

	text_format(&name, "process %" PRIu64 ", thread %" PRIu64,
		    process_of(view, thread->image), thread->number);
	json_begin_item(&out->text);
	json_add_text(&out->text, "type", "evented");
	json_add_text(&out->text, "name", name.data);
	json_add_text(&out->text, "unit", "nanoseconds");
	json_add_number(&out->text, "startValue", thread->first_ns);
	json_add_number(&out->text, "endValue", thread->last_ns);
	text_add(&out->text, ", \"events\": [");
	for (bool any = false; *first < timeline->events.count &&
			       timeline->events.items[*first].thread == index;
	     any = true) {
		const struct export_event *event = &timeline->events.items[(*first)++];

		text_format(&out->text, "%s\n{\"type\": \"%s\", \"frame\": %zu, ",
			    any ? "," : "", event->opens ? "O" : "C",
			    view->frames.count + event->name);
		text_format(&out->text, "\"at\": %" PRIu64 "}", event->ns);
		export_out_drain(out);
	}
	text_add(&out->text, "]}");
	text_deinit(&name);
}

static void add_threads(const struct export_view *view,
			const struct export_timeline *timeline, struct export_out *out)
{
	size_t first = 0;

	for (uint32_t i = 0; i < timeline->threads.count; i++)
		add_thread(view, timeline, i, &first, out);
}

struct trm_error *export_speedscope(struct export_view *view,
				    const struct export_options *options,
				    struct export_out *out)
{
	const struct report_image *images = view->profile->images.items;
	uint32_t wanted, before = 0;
	scoped(export_timeline_deinit) struct export_timeline timeline = {0};

	TRM_TRY(export_choose_type(view, options, &wanted));
	if (options->path)
		TRM_TRY(export_timeline_read(&timeline, view->profile, options->path));
	for (uint32_t type = 0; type < wanted; type++)
		before += view->types.items[type].total > 0;
	text_add(&out->text, "{");
	json_add_text(&out->text, "$schema",
		      "https://www.speedscope.app/file-format-schema.json");
	json_add_text(&out->text, "exporter", "trammel " TRAMMEL_VERSION);
	if (view->profile->images.count)
		json_add_string(&out->text, "name", path_name(images[0].program));
	json_add_number(&out->text, "activeProfileIndex", before);
	text_add(&out->text, ",\n");
	add_frames(view, &timeline, out);
	text_add(&out->text, ",\n\"profiles\": [");
	for (uint32_t type = 0; type < view->types.count; type++)
		if (view->types.items[type].total || type == wanted)
			add_profile(view, type, out);
	add_threads(view, &timeline, out);
	text_add(&out->text, "\n]}\n");
	return NULL;
}
