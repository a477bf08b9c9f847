#include "coverage/coverage.h"

#include "base/array.h"
#include "code/scan/function_discovery.h"
#include "coverage/lines.h"
#include "image/demangle.h"
#include "image/find.h"
#include "image/image.h"
#include "image/lines.h"
#include "image/lookup.h"
#include "image/open.h"
#include "report/blocks.h"
#include "report/edges.h"
#include "report/select.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { UNPLACED = UINT32_MAX };

/* What the profile has of one module. */
struct known {
	struct VECTOR(const struct report_function *) executed;
	struct table calls;   /* of those, by address */
	struct table counted; /* those with counts of blocks: index in executed */
	struct table skipped; /* functions left out, by address */
};

/* One module being joined with its file. */
struct joining {
	struct coverage *coverage;
	const struct coverage_wish *wish;
	const char *source;
	const struct known *known;
	const struct image *image;
	struct image_lines *lines;   /* NULL if there are none */
	struct lines *counted_lines; /* the same, or where there are no blocks */
	uint32_t module;             /* index in coverage.modules */
	struct table file_by_number; /* of the lines to coverage.paths, plus 1 */
};

static struct coverage_module *module_of(const struct joining *joining)
{
	return &joining->coverage->modules.items[joining->module];
}

static uint32_t name_of(struct coverage *coverage, const char *name)
{
	return string_table_intern(&coverage->names, name);
}

/* What is known of each module of the profile; the caller frees it with forget. */
static struct known *look_up(const struct report_profile *profile)
{
	struct known *known =
		memory_allocate_zeroed(profile->modules.count, sizeof(*known));

	vector_for_each (&profile->functions, function) {
		struct known *of = &known[function->module];

		if (!function->executed)
			continue;
		if (function->blocks)
			*table_insert(&of->counted, function->offset, NULL) =
				of->executed.count;
		vector_push(&of->executed, function);
		*table_insert(&of->calls, function->offset, NULL) += function->calls;
	}
	vector_for_each (&profile->skips, skip) {
		const struct report_function *function =
			&profile->functions.items[skip->function];

		table_insert(&known[function->module].skipped, function->offset, NULL);
	}
	return known;
}

static void forget_known(struct known *known, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		vector_deinit(&known[i].executed);
		table_deinit(&known[i].calls);
		table_deinit(&known[i].counted);
		table_deinit(&known[i].skipped);
	}
	free(known);
}

/* Functions that were executed, of a module whose file says nothing. */
static void add_executed(struct joining *joining)
{
	struct coverage *coverage = joining->coverage;

	if (joining->source)
		return;
	vector_for_each (&joining->known->executed, function) {
		uint32_t name = name_of(coverage, (*function)->name);

		vector_push(&coverage->functions, ((struct coverage_function){
							  .module = joining->module,
							  .name = name,
							  .linked = name,
							  .offset = (*function)->offset,
							  .calls = (*function)->calls,
						  }));
	}
}

/* Gives the function its place, if the debug information has one. False if it is not of
 * the source files that are wanted. */
static bool set_place(struct joining *joining, size_t index,
		      struct coverage_function *function)
{
	struct image_place place = {0};
	const char *path = NULL;

	if (joining->lines)
		place = joining->lines->places.items[index];
	if (place.line)
		path = joining->lines->files.strings[place.file];
	if (joining->source && (!path || !text_glob(joining->source, path)))
		return false;
	if (!path)
		return true;
	uint64_t *file = table_insert(&joining->file_by_number, place.file, NULL);

	if (!*file)
		*file = 1 + string_table_intern(&joining->coverage->paths, path);
	function->file = (uint32_t)(*file - 1);
	function->line = place.line;
	return true;
}

/* Of a function whose blocks were not counted one line is known: that of the calls. */
static void add_first_line(struct joining *joining,
			   const struct coverage_function *function)
{
	if (joining->counted_lines && function->line && function->calls &&
	    !table_find(&joining->known->counted, function->offset, &(uint64_t){0}))
		vector_push(&joining->coverage->lines,
			    ((struct coverage_line){function->file, function->line,
						    function->calls}));
}

static void add_branches(struct joining *joining, const struct report_function *function)
{
	size_t count;
	struct report_edge *edges =
		report_function_edges(joining->coverage->profile, function, &count);

	lines_add_branches(joining->counted_lines, joining->module, edges, count);
	free(edges);
}

/* The cold parts that blocks lie in. Of others it is not known whether they were to be
 * measured. */
static void add_parts(const struct image_ranges *parts, const struct report_block *blocks,
		      size_t count, struct image_ranges *ranges)
{
	const struct image_range *last = NULL;

	for (size_t i = 0; i < count; i++) {
		size_t at = ranges_find(parts->items, parts->count, blocks[i].address);
		const struct image_range *part = &parts->items[at];

		if (at == parts->count || part->start > blocks[i].address || part == last)
			continue;
		vector_push(ranges, *part);
		last = part;
	}
}

/* Adds the lines of a function, if its blocks were counted or it was not executed. */
static void add_lines(struct joining *joining, const struct image_function *from,
		      bool executed)
{
	uint64_t index;
	struct image_ranges ranges = {0};
	struct report_block *blocks = NULL;
	size_t count = 0;

	if (!joining->counted_lines)
		return;
	if (table_find(&joining->known->counted, from->address, &index)) {
		blocks = report_function_blocks(joining->coverage->profile,
						joining->known->executed.items[index],
						&count);
		add_branches(joining, joining->known->executed.items[index]);
	} else if (executed) {
		return;
	}
	vector_push(&ranges,
		    ((struct image_range){from->address, from->address + from->size}));
	add_parts(&joining->image->cold_parts, blocks, count, &ranges);
	lines_add(joining->counted_lines, &ranges, blocks, count);
	vector_deinit(&ranges);
	free(blocks);
}

/* Whether the run was to measure the function, and did. */
static bool is_covered(const struct joining *joining, const struct image_function *from,
		       const char *name, bool executed)
{
	const struct coverage_wish *wish = joining->wish;
	const struct coverage_module *module = module_of(joining);

	if (executed)
		return true;
	return module->complete &&
	       !table_find(&joining->known->skipped, from->address, NULL) &&
	       (!wish->wanted || wish->wanted(wish->context, module->module->path,
					      joining->image, name, from->address));
}

/* Adds a function of the module's file, unless nobody counted it. */
static void add_known(struct joining *joining, size_t index)
{
	struct coverage *coverage = joining->coverage;
	const struct image_function *from = &joining->image->functions.items[index];
	const char *linked = joining->image->names.items + from->name;
	struct coverage_function function = {.module = joining->module,
					     .offset = from->address};
	bool executed =
		table_find(&joining->known->calls, from->address, &function.calls);
	char unnamed[32], *name = NULL;

	if (from->name) {
		name = image_demangle(linked);
	} else {
		snprintf(unnamed, sizeof(unnamed), "sub_%" PRIx64, from->address);
		linked = unnamed;
	}
	if (is_covered(joining, from, name ? name : unnamed, executed)) {
		add_lines(joining, from, executed);
		if (set_place(joining, index, &function)) {
			add_first_line(joining, &function);
			function.linked = name_of(coverage, linked);
			function.name = name_of(coverage, name ? name : unnamed);
			vector_push(&coverage->functions, function);
		}
	}
	free(name);
}

/* Whether all that was executed begins where functions of the file do. */
static bool offsets_fit(const struct joining *joining)
{
	vector_for_each (&joining->known->executed, function)
		if (image_function_at(joining->image, (*function)->offset) ==
		    joining->image->functions.count)
			return false;
	return true;
}

/* Why the file is not the one that was measured; NULL if it is. */
static const char *find_mismatch(const struct joining *joining)
{
	const struct image *image = joining->image;
	const struct report_module *module = module_of(joining)->module;

	if (!image_is_build(image, module->build_id))
		return "the file is another build now";
	return offsets_fit(joining) ? NULL : "the file is another one now";
}

static void join_functions(struct joining *joining)
{
	struct coverage_module *module = module_of(joining);

	/* A debug file that came later, or another version of trammel, finds functions
	 * that nobody has looked at in the run. */
	module->complete = module->module->instrumented &&
			   joining->image->functions.count == module->module->known;
	for (size_t i = 0; i < joining->image->functions.count; i++)
		add_known(joining, i);
}

/* The same with the lines of all code, where blocks were counted. */
static struct trm_error *join_lines(struct joining *joining)
{
	struct image_rows rows;
	struct lines lines = {
		.coverage = joining->coverage, .rows = &rows, .source = joining->source};
	struct trm_error *error = image_rows_init(&rows, joining->image);

	joining->counted_lines = error ? NULL : &lines;
	join_functions(joining);
	joining->counted_lines = NULL;
	if (error)
		return error;
	image_rows_deinit(&rows);
	table_deinit(&lines.file_by_number);
	return NULL;
}

/* Joins with the file; what keeps that from being, or from being whole, if anything. */
static char *join_file(struct joining *joining)
{
	struct coverage_module *module = module_of(joining);
	const char *mismatch = find_mismatch(joining);
	struct image_lines lines;
	char *trouble = NULL;

	if (mismatch) {
		add_executed(joining);
		return memory_copy_string(mismatch);
	}
	struct trm_error *error = image_lines_init(&lines, joining->image);

	joining->lines = error ? NULL : &lines;
	module->has_lines = !error;
	if (joining->lines && joining->coverage->profile->blocks.count)
		error = join_lines(joining);
	else
		join_functions(joining);
	if (error)
		trouble = memory_copy_string(error->message);
	else if (!module->complete)
		trouble = memory_copy_string(
			module->module->instrumented
				? "other functions are known now than when it was "
				  "measured: those not executed are left out"
				: "it was not measured");
	else if (lines.lack)
		trouble = memory_copy_string(lines.lack);
	if (joining->lines)
		image_lines_deinit(&lines);
	trm_error_destroy(error);
	table_deinit(&joining->file_by_number);
	return trouble;
}

static void add_module(struct joining *joining)
{
	struct coverage_module *module = module_of(joining);
	struct image *image;
	struct trm_error *error =
		image_open_build(module->module->path, module->module->build_id, &image);

	/* What fits nevertheless is shown. */
	if (error && error->code == TRM_ERROR_FORMAT) {
		trm_error_destroy(error);
		error = image_open(module->module->path, NULL, &image);
	}
	if (error) {
		add_executed(joining);
		module->trouble =
			error->system_code
				? memory_copy_string(strerror(error->system_code))
				: memory_copy_string("its file cannot be read");
		trm_error_destroy(error);
		return;
	}
	if (image->functions.count < module->module->known)
		discovery_complete(image);
	joining->image = image;
	module->trouble = join_file(joining);
	image_close(image);
}

/* The numbers of paths become those of files, in the order of the paths. */
static int compare_paths(const void *left, const void *right, void *context)
{
	const struct coverage *coverage = context;
	const uint32_t *a = left, *b = right;

	return strcmp(coverage->paths.strings[*a], coverage->paths.strings[*b]);
}

static void sort_files(struct coverage *coverage)
{
	size_t count = coverage->paths.count;
	uint32_t *order = memory_allocate_zeroed(count, sizeof(*order));
	uint32_t *file_of = memory_allocate_zeroed(count, sizeof(*file_of));

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	if (count)
		qsort_r(order, count, sizeof(*order), compare_paths, coverage);
	for (uint32_t i = 0; i < count; i++) {
		file_of[order[i]] = i;
		vector_push(
			&coverage->files,
			((struct coverage_file){.path = coverage->paths.strings[order[i]],
						.complete = true}));
	}
	vector_for_each (&coverage->functions, function)
		function->file = function->line ? file_of[function->file] : UNPLACED;
	vector_for_each (&coverage->lines, line)
		line->file = file_of[line->file];
	vector_for_each (&coverage->branches, branch)
		branch->file = file_of[branch->file];
	free(order);
	free(file_of);
}

static int by_number(uint64_t a, uint64_t b)
{
	return compare_numbers(a, b);
}

static int compare_functions(const void *left, const void *right, void *context)
{
	const struct coverage *coverage = context;
	const struct coverage_function *a = left, *b = right;
	int result = by_number(a->file, b->file);

	if (!result)
		result = by_number(a->line, b->line);
	/* Without a place, modules come first. */
	if (!result && !a->line)
		result = by_number(a->module, b->module);
	if (!result && a->linked != b->linked)
		result = strcmp(coverage->names.strings[a->linked],
				coverage->names.strings[b->linked]);
	if (!result)
		result = by_number(a->module, b->module);
	return result ? result : by_number(a->offset, b->offset);
}

size_t coverage_same(const struct coverage *coverage, size_t first, uint64_t *ret_calls)
{
	const struct coverage_function *items = coverage->functions.items;
	size_t end = first;

	*ret_calls = 0;
	do {
		if (!coverage->profile->coverage)
			*ret_calls += items[end].calls;
		else
			*ret_calls |= items[end].calls;
		end++;
	} while (end < coverage->functions.count && items[first].line &&
		 items[end].file == items[first].file &&
		 items[end].line == items[first].line &&
		 items[end].linked == items[first].linked);
	return end;
}

static void count_files(struct coverage *coverage)
{
	uint64_t calls;

	for (size_t i = 0; i < coverage->functions.count;) {
		size_t end = coverage_same(coverage, i, &calls);
		const struct coverage_function *function = &coverage->functions.items[i];

		if (function->line) {
			struct coverage_file *file =
				&coverage->files.items[function->file];

			file->functions++;
			file->executed += calls > 0;
			for (; i < end; i++)
				file->complete &=
					coverage->modules
						.items[coverage->functions.items[i]
							       .module]
						.complete;
		}
		i = end;
	}
}

void coverage_init(struct coverage *coverage, const struct report_profile *profile,
		   const struct coverage_wish *wish, const char *source)
{
	size_t count;
	const struct report_module **modules =
		report_profile_modules(profile, REPORT_SORT_NAME, &count);
	struct known *known = look_up(profile);

	*coverage = (struct coverage){.profile = profile};
	for (size_t i = 0; i < count; i++)
		vector_push(&coverage->modules,
			    ((struct coverage_module){.module = modules[i]}));
	for (uint32_t i = 0; i < count; i++) {
		struct joining joining = {
			.coverage = coverage,
			.wish = wish,
			.source = source,
			.known = &known[modules[i] - profile->modules.items],
			.module = i,
		};

		add_module(&joining);
	}
	free(modules);
	forget_known(known, profile->modules.count);
	sort_files(coverage);
	if (coverage->functions.count)
		qsort_r(coverage->functions.items, coverage->functions.count,
			sizeof(*coverage->functions.items), compare_functions, coverage);
	count_files(coverage);
	lines_finish(coverage);
	lines_finish_branches(coverage);
}

void coverage_deinit(struct coverage *coverage)
{
	vector_for_each (&coverage->modules, module)
		free(module->trouble);
	vector_deinit(&coverage->modules);
	vector_deinit(&coverage->files);
	vector_deinit(&coverage->functions);
	vector_deinit(&coverage->lines);
	vector_deinit(&coverage->branches);
	string_table_deinit(&coverage->names);
	string_table_deinit(&coverage->paths);
}
