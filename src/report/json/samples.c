#include "report/json/samples.h"

#include "report/json/parts.h"
#include "report/regions.h"
#include "report/samples.h"

#include <stdlib.h>

static void add_sampled(struct text *out, struct report_sampled sampled)
{
	json_add_number(out, "samples", sampled.samples);
	json_add_number(out, "sample.events", sampled.events);
}

void json_add_function_samples(struct text *out, const struct report_profile *profile,
			       const struct report_function *function)
{
	if (!profile->events.count)
		return;
	add_sampled(out, report_function_samples(profile, function, 0));
	if (profile->events.count < 2)
		return;
	json_add_key(out, "samples.by_event");
	text_add(out, "[");
	for (uint32_t i = 0; i < profile->events.count; i++) {
		text_add(out, i ? ", {" : "{");
		json_add_string(out, "event", profile->events.items[i].name);
		add_sampled(out, report_function_samples(profile, function, i));
		text_add(out, "}");
	}
	text_add(out, "]");
}

void json_add_events(struct text *out, const struct report_profile *profile)
{
	json_begin_list(out, "events");
	vector_for_each (&profile->events, event) {
		json_begin_item(out);
		json_add_string(out, "event", event->name);
		json_add_string(out, "event.unit", event->is_clock ? "ns" : "");
		if (event->frequency)
			json_add_number(out, "event.frequency", event->frequency);
		if (event->period)
			json_add_number(out, "event.period", event->period);
		json_add_number(out, "event.samples", event->samples);
		if (event->looks)
			json_add_number(out, "event.looks", event->looks);
		json_add_number(out, "event.total", event->total);
		json_add_number(out, "event.time.ns", event->time_ns);
		json_add_number(out, "event.running.ns", event->running_ns);
		text_add(out, "}");
	}
	text_add(out, "]");
}

void json_add_stacks(struct text *out, const struct report_profile *profile)
{
	const struct report_tree *tree = &profile->stacks;
	size_t count;
	const struct report_region **rows = report_tree_rows(tree, &count);
	uint64_t *numbers = memory_allocate_zeroed(tree->nodes.count, sizeof(*numbers));

	for (size_t i = 0; i < count; i++) {
		json_begin_item(out);
		json_add_string(out, "function", rows[i]->label);
		json_add_number(out, "context", i + 1);
		numbers[rows[i] - tree->nodes.items] = i + 1;
		if (rows[i]->parent != REPORT_NONE)
			json_add_number(out, "parent", numbers[rows[i]->parent]);
		json_add_number(out, "samples", rows[i]->count);
		json_add_number(out, "sample.events", rows[i]->ns);
		json_add_number(out, "sample.events.inclusive", rows[i]->inclusive_ns);
		text_add(out, "}");
	}
	free(numbers);
	free(rows);
}
