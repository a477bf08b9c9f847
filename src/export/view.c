#include "export/view.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "base/text.h"
#include "export/places.h"
#include "report/demangle.h"
#include "report/samples.h"

#include <stdlib.h>
#include <string.h>

/* Names and units of the types, by kind. Those of events have their own. */
static const struct {
	const char *name, *unit;
} kinds[] = {
	[EXPORT_CALLS] = {"calls", "count"},
	[EXPORT_INSTRUCTIONS] = {"instructions", "count"},
	[EXPORT_TIME] = {"time", "nanoseconds"},
	[EXPORT_LOADS] = {"loads", "count"},
	[EXPORT_STORES] = {"stores", "count"},
	[EXPORT_BYTES_LOADED] = {"bytes_loaded", "bytes"},
	[EXPORT_BYTES_STORED] = {"bytes_stored", "bytes"},
	[EXPORT_ENTRIES] = {"entries", "count"},
	[EXPORT_REGION_TIME] = {"region_time", "nanoseconds"},
	[EXPORT_SAMPLES] = {"samples", "count"},
};

uint32_t export_type_find(const struct export_view *view, enum export_kind kind)
{
	vector_for_each (&view->types, type)
		if (type->kind == kind)
			return (uint32_t)(type - view->types.items);
	return EXPORT_NONE;
}

uint32_t export_type_main(const struct export_view *view)
{
	static const enum export_kind order[] = {
		EXPORT_EVENTS,  EXPORT_TIME,        EXPORT_INSTRUCTIONS,
		EXPORT_CALLS,   EXPORT_REGION_TIME, EXPORT_BYTES_LOADED,
		EXPORT_ENTRIES,
	};

	/* Of several events the first that anything was counted of. */
	for (size_t i = 0; i < array_count(order); i++)
		vector_for_each (&view->types, type)
			if (type->kind == order[i] && type->total)
				return (uint32_t)(type - view->types.items);
	return view->types.count ? 0 : EXPORT_NONE;
}

/* Makes a type, and returns its index. */
static uint32_t make_type(struct export_view *view, enum export_kind kind,
			  const char *name, const char *unit)
{
	vector_push(&view->types, ((struct export_type){kind, name, unit, 0}));
	return (uint32_t)view->types.count - 1;
}

static uint32_t type_of(struct export_view *view, enum export_kind kind)
{
	uint32_t type = export_type_find(view, kind);

	return type != EXPORT_NONE
		       ? type
		       : make_type(view, kind, kinds[kind].name, kinds[kind].unit);
}

static uint32_t frame_of(struct export_view *view, uint32_t module, uint64_t offset,
			 const char *name)
{
	const uint64_t key[] = {module, offset, (uintptr_t)name};
	bool made;
	uint64_t *index =
		table_insert(&view->by_frame, hash_bytes(key, sizeof(key)), &made);

	if (made) {
		*index = view->frames.count;
		vector_push(&view->frames,
			    ((struct export_frame){
				    .name = name, .module = module, .offset = offset}));
	}
	return (uint32_t)*index;
}

uint32_t export_frame_of(struct export_view *view, uint32_t index)
{
	const struct report_function *function = &view->profile->functions.items[index];

	return frame_of(view, function->module, function->offset, function->name);
}

static uint32_t node_of(struct export_view *view, uint32_t parent, uint32_t frame,
			uint64_t address)
{
	const uint64_t key[] = {parent, frame, address};
	bool made;
	uint64_t *index =
		table_insert(&view->by_node, hash_bytes(key, sizeof(key)), &made);

	if (made) {
		*index = view->nodes.count;
		vector_push(&view->nodes, ((struct export_node){parent, frame, address}));
	}
	return (uint32_t)*index;
}

/* Where something is counted. */
struct place {
	uint32_t node, image, thread;
};

static void add_value(struct export_view *view, struct place place, enum export_kind kind,
		      uint64_t value)
{
	uint32_t type;

	if (!value)
		return;
	type = type_of(view, kind);
	vector_push(&view->counts, ((struct export_count){place.node, type, place.image,
							  place.thread, value}));
	view->types.items[type].total = export_sum(view->types.items[type].total, value);
}

static bool is_selected(const struct report_profile *profile, uint32_t image,
			uint32_t function)
{
	return profile->images.items[image].selected &&
	       (function == REPORT_NONE ||
		profile->modules.items[profile->functions.items[function].module]
			.selected);
}

static struct place flat_place(struct export_view *view, uint32_t function,
			       uint32_t image, uint64_t address)
{
	return (struct place){
		node_of(view, EXPORT_NONE, export_frame_of(view, function), address),
		image, EXPORT_NONE};
}

/* Adds to the calls of a function in an image that are known with their callers. */
static void add_known(struct table *known, uint32_t image, uint32_t function,
		      uint64_t calls)
{
	uint64_t *sum = table_insert(known, (uint64_t)image << 32 | function, NULL);

	*sum = export_sum(*sum, calls);
}

/* The call sites are there, too, where they were counted; contexts tell more. */
static void add_arcs(struct export_view *view, struct table *known)
{
	struct report_profile *profile = view->profile;
	scoped_free bool *placed =
		memory_allocate_zeroed(profile->images.count + 1, sizeof(*placed));

	vector_for_each (&profile->graph.counts, row)
		placed[row->image] = true;
	vector_for_each (&profile->arcs, arc) {
		uint32_t parent = EXPORT_NONE;

		if (placed[arc->image] || arc->caller == REPORT_UNKNOWN ||
		    !is_selected(profile, arc->image, arc->function))
			continue;
		parent = node_of(view, EXPORT_NONE, export_frame_of(view, arc->caller),
				 arc->site);
		add_value(view,
			  (struct place){
				  node_of(view, parent,
					  export_frame_of(view, arc->function),
					  profile->functions.items[arc->function].offset),
				  arc->image, EXPORT_NONE},
			  EXPORT_CALLS, arc->count);
		add_known(known, arc->image, arc->function, arc->count);
	}
}

/* The nodes of a tree of the profile. Of a call graph the address is the function's, as
 * it is not known from where calls were made. */
static uint32_t *nodes_of_tree(struct export_view *view, const struct report_tree *tree)
{
	uint32_t *nodes = memory_allocate_zeroed(tree->nodes.count + 1, sizeof(*nodes));

	for (size_t i = 0; i < tree->nodes.count; i++) {
		const struct report_region *region = &tree->nodes.items[i];
		uint32_t parent = region->parent == REPORT_NONE ? EXPORT_NONE
								: nodes[region->parent];
		bool call = region->function != REPORT_NONE;
		uint32_t frame = call ? export_frame_of(view, region->function)
				      : frame_of(view, EXPORT_NONE, 0, region->label);

		nodes[i] = node_of(view, parent, frame,
				   call ? view->frames.items[frame].offset : 0);
	}
	return nodes;
}

static void add_contexts(struct export_view *view, struct table *known)
{
	const struct report_tree *tree = &view->profile->graph;
	scoped_free uint32_t *nodes = nodes_of_tree(view, tree);

	vector_for_each (&tree->counts, row) {
		uint32_t function = tree->nodes.items[row->region].function;
		struct place place = {nodes[row->region], row->image, EXPORT_NONE};

		if (!is_selected(view->profile, row->image, function))
			continue;
		add_value(view, place, EXPORT_CALLS, row->count);
		add_value(view, place, EXPORT_TIME, row->ns);
		if (function != REPORT_NONE)
			add_known(known, row->image, function, row->count);
	}
}

static void add_regions(struct export_view *view)
{
	const struct report_tree *tree = &view->profile->regions;
	scoped_free uint32_t *nodes = nodes_of_tree(view, tree);

	vector_for_each (&tree->counts, row) {
		struct place place = {nodes[row->region], row->image, EXPORT_NONE};

		if (!view->profile->images.items[row->image].selected)
			continue;
		add_value(view, place, EXPORT_ENTRIES, row->count);
		/* Where times were told with those inside, rounding can leave less than
		 * nothing. */
		if ((int64_t)row->ns > 0)
			add_value(view, place, EXPORT_REGION_TIME, row->ns);
	}
}

/* Calls whose callers are not known, and what else is known by function. Coverage of
 * several images is still 1 a function. */
static void add_functions(struct export_view *view, const struct table *known)
{
	const struct report_profile *profile = view->profile;
	scoped_free bool *covered =
		memory_allocate_zeroed(profile->functions.count + 1, sizeof(*covered));

	vector_for_each (&profile->counts, count) {
		uint64_t placed = 0, calls = count->calls;

		if (!is_selected(profile, count->image, count->function))
			continue;
		if (profile->coverage)
			calls = calls && !covered[count->function];
		covered[count->function] |= count->calls > 0;
		table_find(known, (uint64_t)count->image << 32 | count->function,
			   &placed);
		struct place place =
			flat_place(view, count->function, count->image,
				   profile->functions.items[count->function].offset);

		add_value(view, place, EXPORT_CALLS, calls > placed ? calls - placed : 0);
		add_value(view, place, EXPORT_LOADS, count->memory.loads);
		add_value(view, place, EXPORT_STORES, count->memory.stores);
		add_value(view, place, EXPORT_BYTES_LOADED, count->memory.bytes_loaded);
		add_value(view, place, EXPORT_BYTES_STORED, count->memory.bytes_stored);
	}
}

static bool is_wanted(const struct export_view *view, const struct report_block *block)
{
	return block->count && block->instructions &&
	       is_selected(view->profile, block->image, block->function);
}

static void add_block_frames(struct export_view *view)
{
	vector_for_each (&view->profile->blocks, block) {
		if (!is_wanted(view, block))
			continue;
		export_frame_of(view, block->function);
		type_of(view, EXPORT_INSTRUCTIONS);
	}
}

void export_view_add_blocks(struct export_view *view, bool each)
{
	struct export_stretches stretches = {0};

	vector_for_each (&view->profile->blocks, block) {
		if (!is_wanted(view, block))
			continue;
		export_cut_block(view, block, each, &stretches);
		vector_for_each (&stretches, stretch)
			add_value(view,
				  flat_place(view, block->function, block->image,
					     stretch->address),
				  EXPORT_INSTRUCTIONS,
				  block->count * stretch->instructions);
	}
	vector_deinit(&stretches);
}

/* The module of a frame; the profile may have no functions of it. */
static uint32_t module_at(struct export_view *view, struct table *modules,
			  const char *path)
{
	bool made;
	uint64_t *index = table_insert(modules, (uintptr_t)path, &made);

	if (!made)
		return (uint32_t)*index;
	vector_for_each (&view->profile->modules, module) {
		*index = (uint64_t)(module - view->profile->modules.items);
		if (module->path == path)
			return (uint32_t)*index;
	}
	*index = view->profile->modules.count;
	bool all = true;

	vector_for_each (&view->profile->modules, module)
		all &= module->selected;
	vector_push(&view->profile->modules,
		    ((struct report_module){
			    .name = report_keep(view->profile, path_name(path)),
			    .path = path,
			    .build_id = report_keep(view->profile, ""),
			    .selected = all,
		    }));
	return (uint32_t)*index;
}

static const char *readable_name(struct export_view *view, const char *name)
{
	scoped_free char *demangled = report_demangle(name);

	return demangled ? report_keep(view->profile, demangled) : name;
}

/* The callers of samples: functions of which the profile may not know more than the name.
 */
static uint32_t *callers_of_samples(struct export_view *view)
{
	const struct report_tree *tree = &view->profile->stacks;
	uint32_t *nodes = memory_allocate_zeroed(tree->nodes.count + 1, sizeof(*nodes));
	struct table modules = {0}, functions = {0};

	vector_for_each (&view->profile->functions, function) {
		const uint64_t key[] = {function->module, (uintptr_t)function->name};

		*table_insert(&functions, hash_bytes(key, sizeof(key)), NULL) =
			(uint64_t)(function - view->profile->functions.items);
	}
	for (size_t i = 0; i < tree->nodes.count; i++) {
		const struct report_region *region = &tree->nodes.items[i];
		uint32_t module = module_at(view, &modules, region->module);
		const char *name = readable_name(view, region->label);
		const uint64_t key[] = {module, (uintptr_t)name};
		uint64_t function;
		uint32_t parent = region->parent == REPORT_NONE ? EXPORT_NONE
								: nodes[region->parent];
		bool is_known =
			table_find(&functions, hash_bytes(key, sizeof(key)), &function);
		uint32_t frame = is_known ? export_frame_of(view, (uint32_t)function)
					  : frame_of(view, module, 0, name);

		nodes[i] = node_of(view, parent, frame, 0);
	}
	table_deinit(&modules);
	table_deinit(&functions);
	return nodes;
}

/* The types of events: samples of the first are just that. */
static void make_events(struct export_view *view)
{
	struct report_profile *profile = view->profile;

	vector_for_each (&profile->events, event) {
		struct text name = {0};

		text_add(&name, "samples");
		if (event != profile->events.items)
			text_format(&name, ":%s", event->name);
		make_type(view, EXPORT_SAMPLES, report_keep(profile, name.data), "count");
		make_type(view, EXPORT_EVENTS, event->name,
			  event->is_clock ? "nanoseconds" : "count");
		text_deinit(&name);
	}
}

static void add_count(struct export_view *view, struct place place, uint32_t type,
		      uint64_t value)
{
	vector_push(&view->counts, ((struct export_count){place.node, type, place.image,
							  place.thread, value}));
	view->types.items[type].total = export_sum(view->types.items[type].total, value);
}

static void add_samples(struct export_view *view)
{
	const struct report_profile *profile = view->profile;
	scoped_free uint32_t *callers = callers_of_samples(view);
	uint32_t first = (uint32_t)view->types.count;

	make_events(view);
	vector_for_each (&profile->samples, sample) {
		uint32_t caller =
			sample->place == REPORT_NONE
				? REPORT_NONE
				: profile->stacks.nodes.items[sample->place].parent;
		struct place place = {
			.image = sample->image,
			.thread = sample->thread,
		};

		if (!is_selected(profile, sample->image, sample->function))
			continue;
		place.node = node_of(
			view, caller == REPORT_NONE ? EXPORT_NONE : callers[caller],
			export_frame_of(view, sample->function), sample->address);
		add_count(view, place, first + 2 * sample->event, sample->samples);
		add_count(view, place, first + 2 * sample->event + 1, sample->events);
	}
}

void export_view_init(struct export_view *view, struct report_profile *profile)
{
	struct table known = {0};

	*view = (struct export_view){.profile = profile};
	add_samples(view);
	if (profile->counts.count)
		type_of(view, EXPORT_CALLS);
	add_contexts(view, &known);
	add_arcs(view, &known);
	add_functions(view, &known);
	add_block_frames(view);
	add_regions(view);
	if (!view->types.count)
		type_of(view, EXPORT_CALLS);
	table_deinit(&known);
}

void export_view_deinit(struct export_view *view)
{
	export_places_close(view);
	table_deinit(&view->by_frame);
	table_deinit(&view->by_node);
	vector_deinit(&view->types);
	vector_deinit(&view->frames);
	vector_deinit(&view->nodes);
	vector_deinit(&view->counts);
}

const char *export_module_name(const struct export_view *view,
			       const struct export_frame *frame)
{
	return frame->module == EXPORT_NONE
		       ? ""
		       : view->profile->modules.items[frame->module].name;
}

const char *export_module_path(const struct export_view *view,
			       const struct export_frame *frame)
{
	return frame->module == EXPORT_NONE
		       ? ""
		       : view->profile->modules.items[frame->module].path;
}

size_t export_stack(const struct export_view *view, uint32_t node, uint32_t *ret_nodes)
{
	size_t count = 0;

	for (; node != EXPORT_NONE && count < EXPORT_DEPTH_MAX;
	     node = view->nodes.items[node].parent)
		ret_nodes[count++] = node;
	return count;
}
