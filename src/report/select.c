#include "report/select.h"

#include "base/search.h"
#include "base/text.h"
#include "report/blocks.h"
#include "report/edges.h"
#include "report/probes.h"
#include "report/regions.h"
#include "report/samples.h"

#include <inttypes.h>
#include <string.h>

static void select_modules(struct report_profile *profile, const char *glob)
{
	vector_for_each (&profile->modules, module) {
		module->selected = !glob || text_glob(glob, module->name) ||
				   text_glob(glob, module->path);
		module->loaded = false;
		module->reason = NULL;
		module->unmeasured = 0;
		module->known = module->instrumented = 0;
		module->functions = module->calls = module->instructions =
			module->blocks = 0;
	}
}

static void select_images(struct report_profile *profile,
			  const struct report_filter *filter)
{
	vector_for_each (&profile->images, image) {
		image->selected = !filter->one_process ||
				  (image->described && image->process == filter->process);
		image->functions = image->calls = image->instructions = 0;
	}
}

static void add_loads(struct report_profile *profile)
{
	vector_for_each (&profile->loads, load) {
		struct report_module *module = &profile->modules.items[load->module];

		if (!profile->images.items[load->image].selected)
			continue;
		module->loaded = true;
		if (load->known > module->known)
			module->known = load->known;
		if (load->instrumented > module->instrumented)
			module->instrumented = load->instrumented;
		if (!*load->reason)
			continue;
		module->reason = load->reason;
		module->unmeasured++;
	}
}

static void add_counts(struct report_profile *profile)
{
	vector_for_each (&profile->counts, count) {
		struct report_function *function =
			&profile->functions.items[count->function];
		struct report_module *module = &profile->modules.items[function->module];
		struct report_image *image = &profile->images.items[count->image];

		if (!image->selected || !module->selected)
			continue;
		/* Coverage of several images is still 1 a function. */
		uint64_t calls = profile->coverage ? !function->executed : count->calls;

		module->functions += !function->executed;
		module->loaded = function->executed = true;
		image->functions++;
		image->calls += count->calls;
		function->calls += calls;
		function->returned += count->returned;
		function->tail_calls += count->tail_calls;
		report_memory_add(&function->memory, &count->memory);
		module->calls += calls;
		profile->calls += calls;
	}
}

static void add_regions_of_intervals(struct report_profile *profile)
{
	vector_for_each (&profile->regions.counts, row) {
		size_t at = search_first(profile->intervals.count, middle,
					 profile->intervals.items[middle].number <
						 row->interval);

		if (at < profile->intervals.count &&
		    profile->intervals.items[at].number == row->interval &&
		    profile->images.items[row->image].selected)
			profile->intervals.items[at].regions += row->count;
	}
}

static void add_parts(struct report_profile *profile)
{
	vector_for_each (&profile->intervals, interval)
		interval->calls = interval->instructions = interval->regions = 0;
	add_regions_of_intervals(profile);
	vector_for_each (&profile->threads, thread) {
		thread->selected = profile->images.items[thread->image].selected;
		thread->calls = thread->instructions = 0;
	}
	vector_for_each (&profile->parts, part) {
		if (!profile->images.items[part->image].selected ||
		    !profile->modules.items[part->module].selected)
			continue;
		if (part->interval != REPORT_NONE) {
			struct report_interval *interval =
				&profile->intervals.items[part->interval];

			interval->calls += part->calls;
			interval->instructions += part->instructions;
		}
		if (part->thread != REPORT_NONE) {
			struct report_thread *thread =
				&profile->threads.items[part->thread];

			thread->calls += part->calls;
			thread->instructions += part->instructions;
		}
	}
}

static struct trm_error *check_filter(const struct report_profile *profile,
				      const struct report_filter *filter)
{
	bool image_there = !filter->one_process, module_there = !filter->module;

	vector_for_each (&profile->images, image)
		image_there |= image->selected;
	vector_for_each (&profile->modules, module)
		module_there |= module->selected;
	if (!image_there)
		return trm_error_create(TRM_ERROR_USAGE,
					"no process %" PRIu64
					" in this profile: --by process "
					"shows those that are",
					filter->process);
	if (!module_there)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"no module '%s' in this profile: --by module shows "
			"those that are",
			filter->module);
	return NULL;
}

struct trm_error *report_profile_select(struct report_profile *profile,
					const struct report_filter *filter)
{
	select_modules(profile, filter->module);
	select_images(profile, filter);
	TRM_TRY(check_filter(profile, filter));
	profile->calls = profile->instructions = 0;
	profile->executed = 0;
	profile->counted = profile->executed_blocks = 0;
	vector_for_each (&profile->functions, function) {
		function->executed = false;
		function->calls = function->blocks = function->instructions = 0;
		function->ns = function->inclusive_ns = 0;
		function->returned = function->tail_calls = 0;
		function->memory = (struct report_memory){0};
		function->timed = false;
	}
	add_loads(profile);
	add_counts(profile);
	report_samples_select(profile);
	report_blocks_select(profile);
	report_trees_select(profile);
	report_probes_select(profile);
	report_edges_select(profile);
	add_parts(profile);
	vector_for_each (&profile->functions, function)
		profile->executed += function->executed;
	return NULL;
}

/* What the comparisons need; qsort_r hands it through. */
struct order {
	const struct report_profile *profile;
	enum report_sort sort;
};

static int by_number_down(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int compare_functions(const void *left, const void *right, void *context)
{
	const struct order *order = context;
	const struct report_function *a = *(const struct report_function *const *)left;
	const struct report_function *b = *(const struct report_function *const *)right;
	const struct report_module *modules = order->profile->modules.items;
	int result = 0;

	if (order->sort == REPORT_SORT_CALLS && !order->profile->coverage)
		result = by_number_down(a->calls, b->calls)
				 ?: by_number_down(a->samples, b->samples);
	else if (order->sort == REPORT_SORT_SAMPLES)
		result = by_number_down(a->samples, b->samples);
	else if (order->sort == REPORT_SORT_INSTRUCTIONS)
		result = by_number_down(a->instructions, b->instructions);
	else if (order->sort == REPORT_SORT_BYTES)
		result = by_number_down(a->memory.bytes_loaded + a->memory.bytes_stored,
					b->memory.bytes_loaded + b->memory.bytes_stored);
	else if (order->sort == REPORT_SORT_NAME)
		result = strcmp(a->name, b->name);
	if (!result)
		result = report_module_compare(&modules[a->module], &modules[b->module]);
	if (!result && order->sort == REPORT_SORT_MODULE)
		result = by_number_down(a->calls, b->calls);
	if (!result)
		result = strcmp(a->name, b->name);
	return result ? result : by_number_down(b->offset, a->offset);
}

static int compare_modules(const void *left, const void *right, void *context)
{
	const struct order *order = context;
	const struct report_module *a = *(const struct report_module *const *)left;
	const struct report_module *b = *(const struct report_module *const *)right;
	int result = 0;

	if (order->sort == REPORT_SORT_CALLS)
		result = order->profile->coverage
				 ? by_number_down(a->functions, b->functions)
				 : by_number_down(a->calls, b->calls)
					   ?: by_number_down(a->samples, b->samples);
	else if (order->sort == REPORT_SORT_SAMPLES)
		result = by_number_down(a->samples, b->samples);
	else if (order->sort == REPORT_SORT_INSTRUCTIONS)
		result = by_number_down(a->instructions, b->instructions);
	return result ? result : report_module_compare(a, b);
}

static int compare_skips(const void *left, const void *right, void *context)
{
	const struct order *order = context;
	const struct report_function *items = order->profile->functions.items;
	const struct report_skip *a = *(const struct report_skip *const *)left;
	const struct report_skip *b = *(const struct report_skip *const *)right;
	const struct report_function *functions[] = {&items[a->function],
						     &items[b->function]};
	int result = strcmp(a->reason, b->reason);

	if (!result)
		result = compare_functions(&functions[0], &functions[1], context);
	return result ? result : by_number_down(b->address, a->address);
}

const struct report_function **
report_profile_functions(const struct report_profile *profile, enum report_sort sort)
{
	const struct report_function **rows =
		memory_allocate_zeroed(profile->executed, sizeof(*rows));
	struct order order = {profile, sort};
	size_t count = 0;

	vector_for_each (&profile->functions, function)
		if (function->executed)
			rows[count++] = function;
	qsort_r(rows, count, sizeof(*rows), compare_functions, &order);
	return rows;
}

const struct report_module **report_profile_modules(const struct report_profile *profile,
						    enum report_sort sort,
						    size_t *ret_count)
{
	const struct report_module **rows =
		memory_allocate_zeroed(profile->modules.count, sizeof(*rows));
	struct order order = {profile, sort};

	*ret_count = 0;
	vector_for_each (&profile->modules, module)
		if (module->selected && module->loaded)
			rows[(*ret_count)++] = module;
	qsort_r(rows, *ret_count, sizeof(*rows), compare_modules, &order);
	return rows;
}

const struct report_image **report_profile_images(const struct report_profile *profile,
						  size_t *ret_count)
{
	const struct report_image **rows =
		memory_allocate_zeroed(profile->images.count, sizeof(*rows));

	*ret_count = 0;
	vector_for_each (&profile->images, image)
		if (image->selected)
			rows[(*ret_count)++] = image;
	return rows;
}

const struct report_skip **report_profile_skips(const struct report_profile *profile,
						const struct report_skips *skips,
						size_t *ret_count)
{
	const struct report_skip **rows =
		memory_allocate_zeroed(skips->count, sizeof(*rows));
	struct order order = {profile, REPORT_SORT_MODULE};

	*ret_count = 0;
	vector_for_each (skips, skip) {
		uint32_t module = profile->functions.items[skip->function].module;

		if (profile->modules.items[module].selected &&
		    profile->modules.items[module].loaded)
			rows[(*ret_count)++] = skip;
	}
	qsort_r(rows, *ret_count, sizeof(*rows), compare_skips, &order);
	return rows;
}
