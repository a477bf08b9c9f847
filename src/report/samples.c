#include "report/samples.h"

#include "base/array.h"
#include "base/path.h"
#include "record/model.h"
#include "report/regions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t report_event_find(struct report_profile *profile, const char *name)
{
	for (uint32_t i = 0; i < profile->events.count; i++)
		if (profile->events.items[i].name == name)
			return i;
	vector_push(&profile->events, ((struct report_event){.name = name}));
	return (uint32_t)profile->events.count - 1;
}

void report_event_add(struct report_profile *profile, const struct record_model *model,
		      const struct record_pair *pairs, size_t count)
{
	struct report_event event = {.name = report_keep(profile, "")};
	const struct {
		const char *name;
		uint64_t *number;
	} rows[] = {
		{"event.frequency", &event.frequency},
		{"event.period", &event.period},
		{"event.samples", &event.samples},
		{"event.total", &event.total},
		{"event.time.ns", &event.time_ns},
		{"event.looks", &event.looks},
		{"event.kernel", &event.kernel},
		{"event.running.ns", &event.running_ns},
	};
	struct report_event *of;

	for (size_t i = 0; i < count; i++) {
		const char *name = record_attribute_name(model, pairs[i].attribute);
		const struct record_value value = pairs[i].value;

		for (size_t row = 0; row < array_count(rows); row++)
			if (value.type == RECORD_UINT && !strcmp(name, rows[row].name))
				*rows[row].number = value.u;
		if (value.type == RECORD_STRING && !strcmp(name, "event"))
			event.name = report_keep(profile, value.bytes);
		if (value.type == RECORD_STRING && !strcmp(name, "event.unit"))
			event.is_clock = !strcmp(value.bytes, "ns");
	}
	const uint32_t index = report_event_find(profile, event.name);

	of = &profile->events.items[index];
	event.samples += of->samples;
	event.looks += of->looks;
	event.kernel |= of->kernel;
	event.total += of->total;
	event.time_ns += of->time_ns;
	event.running_ns += of->running_ns;
	*of = event;
}

/* A frame of a path; the node of its function. */
struct frame {
	const char *module, *function;
	record_node node;
};

/* Whether a place is known in which frames that were listed are not too deep. */
static bool is_known(const struct report_tree *tree, record_node node, size_t frames,
		     uint32_t *ret_place)
{
	return frames && report_tree_known(tree, node, ret_place) &&
	       *ret_place != REPORT_NONE &&
	       tree->nodes.items[*ret_place].depth + 1 + frames <= REPORT_REGION_DEPTH;
}

/* The frames of a node, the innermost first: the function, and the calls that led to it,
 * up to one whose place is known, REPORT_NONE: all of them. At most `most`. */
static size_t list_frames(const struct report_tree *tree,
			  const struct record_model *model, record_node node,
			  struct frame *frames, size_t most, uint32_t *ret_place)
{
	size_t count = 0;
	record_node of = 0;
	const char *name = NULL;

	*ret_place = REPORT_NONE;
	for (; node && count < most; node = record_node_parent(model, node)) {
		if (is_known(tree, node, name ? 0 : count, ret_place))
			return count;
		const struct record_pair pair = record_node_pair(model, node);
		const char *attribute = record_attribute_name(model, pair.attribute);

		if (pair.value.type != RECORD_STRING)
			continue;
		if (!strcmp(attribute, "function") || !strcmp(attribute, "frame")) {
			name = pair.value.bytes;
			of = node;
		} else if (name && (!strcmp(attribute, "module.path") ||
				    !strcmp(attribute, "frame.module"))) {
			frames[count++] = (struct frame){pair.value.bytes, name, of};
			name = NULL;
		}
	}
	return count;
}

static uint32_t add_place(struct report_profile *profile, uint32_t parent,
			  const char *module, uint32_t label)
{
	struct report_tree *tree = &profile->stacks;
	const uint32_t outer =
		parent == REPORT_NONE ? UINT32_MAX : tree->nodes.items[parent].depth;

	vector_push(&tree->nodes, ((struct report_region){
					  .parent = parent,
					  .depth = outer + 1,
					  .attribute = report_keep(profile, "frame"),
					  .label = profile->strings.strings[label],
					  .function = REPORT_NONE,
					  .module = module,
				  }));
	return (uint32_t)tree->nodes.count - 1;
}

/* The place of a frame in the tree, below another one. Most functions have one. */
static uint32_t find_place(struct report_profile *profile, uint32_t parent,
			   const struct frame *frame)
{
	struct report_tree *tree = &profile->stacks;
	const uint32_t label = string_table_intern(&profile->strings, frame->function);
	const char *module = report_keep(profile, frame->module);
	const uint64_t key[] = {parent, (uintptr_t)module, label};
	bool made;

	while (tree->by_label.count <= label)
		vector_push(&tree->by_label, 0);
	uint32_t *first = &tree->by_label.items[label];

	if (!*first) {
		*first = (uint32_t)tree->nodes.count + 1;
		return add_place(profile, parent, module, label);
	}
	if (tree->nodes.items[*first - 1].parent == parent &&
	    tree->nodes.items[*first - 1].module == module)
		return *first - 1;
	uint64_t *index =
		table_insert(&tree->by_frame, hash_bytes(key, sizeof(key)), &made);

	if (made)
		*index = add_place(profile, parent, module, label);
	return (uint32_t)*index;
}

static uint32_t place_of(struct report_profile *profile, const struct record_model *model,
			 record_node node)
{
	static struct frame frames[REPORT_REGION_DEPTH];
	struct report_tree *tree = &profile->stacks;
	uint32_t place;

	if (report_tree_known(tree, node, &place))
		return place;
	size_t count =
		list_frames(tree, model, node, frames, REPORT_REGION_DEPTH, &place);
	/* Outer frames may have been left out: their places are of this path alone. */
	const bool cut = count == REPORT_REGION_DEPTH;

	while (count) {
		place = find_place(profile, place, &frames[--count]);
		if (!cut)
			report_tree_know(tree, frames[count].node, place);
	}
	report_tree_know(tree, node, place);
	return place;
}

void report_sample_add(struct report_profile *profile, const struct record_model *model,
		       record_node node, const struct report_sample *sample)
{
	struct report_region_count count = {
		.image = sample->image,
		.timed = true,
		.count = sample->samples,
		.ns = sample->events,
	};

	count.region = place_of(profile, model, node);
	vector_push(&profile->samples, *sample);
	profile->samples.items[profile->samples.count - 1].place = count.region;
	if (count.region == REPORT_NONE)
		return;
	/* The counts of the tree are of one event: others would be added to them. */
	if (sample->event)
		return;
	profile->stacks.nodes.items[count.region].function = sample->function;
	profile->with_callers |=
		profile->stacks.nodes.items[count.region].parent != REPORT_NONE;
	vector_push(&profile->stacks.counts, count);
}

static bool is_selected(const struct report_profile *profile,
			const struct report_sample *sample)
{
	const uint32_t module = profile->functions.items[sample->function].module;

	return profile->images.items[sample->image].selected &&
	       profile->modules.items[module].selected;
}

static void add_sample(struct report_profile *profile, const struct report_sample *sample)
{
	struct report_function *function = &profile->functions.items[sample->function];
	struct report_module *module = &profile->modules.items[function->module];
	struct report_event *event = &profile->events.items[sample->event];
	struct report_sampled *sampled =
		&profile->sampled[sample->function * profile->events.count +
				  sample->event];

	module->functions += !function->executed;
	module->loaded = function->executed = true;
	sampled->samples += sample->samples;
	sampled->events += sample->events;
	event->selected += sample->samples;
	event->events += sample->events;
	if (sample->event)
		return;
	function->samples += sample->samples;
	module->samples += sample->samples;
	profile->images.items[sample->image].samples += sample->samples;
	if (sample->thread != REPORT_NONE)
		profile->threads.items[sample->thread].samples += sample->samples;
}

void report_samples_select(struct report_profile *profile)
{
	if (!profile->events.count)
		return;
	free(profile->sampled);
	profile->sampled = memory_allocate_zeroed((profile->functions.count + 1) *
							  profile->events.count,
						  sizeof(*profile->sampled));
	vector_for_each (&profile->functions, function)
		function->samples = 0;
	vector_for_each (&profile->modules, module)
		module->samples = 0;
	vector_for_each (&profile->images, image)
		image->samples = 0;
	vector_for_each (&profile->threads, thread)
		thread->samples = 0;
	vector_for_each (&profile->events, event)
		event->selected = event->events = 0;
	vector_for_each (&profile->samples, sample)
		if (is_selected(profile, sample))
			add_sample(profile, sample);
}

struct report_sampled report_function_samples(const struct report_profile *profile,
					      const struct report_function *function,
					      uint32_t event)
{
	const size_t index = (size_t)(function - profile->functions.items);

	return profile->sampled ? profile->sampled[index * profile->events.count + event]
				: (struct report_sampled){0};
}

COMPARE_BY(by_address, struct report_sample, address);

struct report_sample *report_samples_within(const struct report_profile *profile,
					    const struct report_function *function,
					    size_t *ret_count)
{
	const uint32_t index = (uint32_t)(function - profile->functions.items);
	struct VECTOR(struct report_sample) found = {0};
	size_t kept = 0;

	vector_for_each (&profile->samples, sample)
		if (sample->function == index && !sample->event &&
		    is_selected(profile, sample))
			vector_push(&found, *sample);
	if (found.count)
		qsort(found.items, found.count, sizeof(*found.items), by_address);
	for (size_t i = 0; i < found.count; i++) {
		struct report_sample *last = kept ? &found.items[kept - 1] : NULL;

		if (last && last->address == found.items[i].address) {
			last->samples += found.items[i].samples;
			last->events += found.items[i].events;
		} else {
			found.items[kept++] = found.items[i];
		}
	}
	*ret_count = kept;
	return found.items;
}

double report_samples_error(uint64_t samples)
{
	return samples ? 2 / sqrt((double)samples) : 1;
}
