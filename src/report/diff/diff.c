#include "report/diff/diff.h"

#include "base/array.h"
#include "base/path.h"
#include "report/arcs.h"
#include "report/samples.h"

#include <inttypes.h>
#include <string.h>

struct comparing {
	const struct diff_options *options;
	struct diff *diff;
	struct string_table keys; /* numbers are indices of rows */
	struct text key;          /* scratch of find_row */
};

static struct diff_row *find_row(struct comparing *comparing, const char *module,
				 const char *name)
{
	struct diff *diff = comparing->diff;

	comparing->key.length = 0;
	/* No name of a module has a slash, as that is a file's. */
	text_format(&comparing->key, "%s/%s", module, name);

	uint32_t index = string_table_intern(&comparing->keys, comparing->key.data);

	if (index == diff->rows.count)
		vector_push(&diff->rows,
			    ((struct diff_row){.module = memory_copy_string(module),
					       .name = memory_copy_string(name)}));
	return &diff->rows.items[index];
}

static bool is_wanted(const struct report_module *module,
		      const struct diff_options *options)
{
	return !options->module || text_glob(options->module, module->name) ||
	       text_glob(options->module, module->path);
}

static void add_functions(struct comparing *comparing, int side)
{
	const struct report_profile *profile = comparing->diff->sides[side];
	bool modules = comparing->options->by == DIFF_BY_MODULE;
	struct diff_row *row;

	vector_for_each (&profile->functions, function) {
		const struct report_module *module =
			&profile->modules.items[function->module];

		if (!function->executed || !is_wanted(module, comparing->options))
			continue;
		row = find_row(comparing, module->name, modules ? "" : function->name);
		row->calls[side] +=
			comparing->diff->samples ? function->samples : function->calls;
		row->uncounted |= !modules && !function->blocks;
	}
}

static void add_sampled_programs(struct comparing *comparing, int side)
{
	const struct report_profile *profile = comparing->diff->sides[side];

	vector_for_each (&profile->samples, sample) {
		const struct report_function *function =
			&profile->functions.items[sample->function];
		const struct report_image *image = &profile->images.items[sample->image];

		if (sample->event || !is_wanted(&profile->modules.items[function->module],
						comparing->options))
			continue;
		find_row(comparing, "", path_name(image->program))->calls[side] +=
			sample->samples;
	}
}

/* A function that several processes of a program executed is covered once there. */
static void add_programs(struct comparing *comparing, int side)
{
	const struct report_profile *profile = comparing->diff->sides[side];
	struct table covered = {0};

	if (comparing->diff->samples)
		add_sampled_programs(comparing, side);
	vector_for_each (&profile->counts, count) {
		const struct report_function *function =
			&profile->functions.items[count->function];
		const struct report_image *image = &profile->images.items[count->image];
		struct diff_row *row;
		bool new = true;

		if (!is_wanted(&profile->modules.items[function->module],
			       comparing->options))
			continue;
		row = find_row(comparing, "", path_name(image->program));
		if (profile->coverage)
			table_insert(&covered,
				     (uint64_t)(row - comparing->diff->rows.items) << 32 |
					     count->function,
				     &new);
		row->calls[side] += profile->coverage ? new : count->calls;
	}
	table_deinit(&covered);
}

/* The row of a block: its function's, module's or program's, or one of its own. */
static struct diff_row *block_row(struct comparing *comparing,
				  const struct report_profile *profile,
				  const struct report_block *block)
{
	const struct report_function *function =
		&profile->functions.items[block->function];
	const struct report_module *module = &profile->modules.items[function->module];
	const struct report_image *image = &profile->images.items[block->image];
	struct text name = {0};
	struct diff_row *row;

	switch (comparing->options->by) {
	case DIFF_BY_PROGRAM:
		return find_row(comparing, "", path_name(image->program));
	case DIFF_BY_MODULE:
		return find_row(comparing, module->name, "");
	case DIFF_BY_FUNCTION:
		return find_row(comparing, module->name, function->name);
	default:
		break;
	}
	text_format(&name, "%s+0x%" PRIx64, function->name,
		    block->address - function->offset);
	row = find_row(comparing, module->name, name.data);
	text_deinit(&name);
	return row;
}

static void add_blocks(struct comparing *comparing, int side)
{
	const struct report_profile *profile = comparing->diff->sides[side];

	vector_for_each (&profile->blocks, block) {
		uint32_t module = profile->functions.items[block->function].module;
		struct diff_row *row;

		if (!block->count ||
		    !is_wanted(&profile->modules.items[module], comparing->options))
			continue;
		row = block_row(comparing, profile, block);
		row->instructions[side] += report_block_instructions(block);
		if (comparing->options->by == DIFF_BY_BLOCK)
			row->calls[side] += block->count;
	}
}

static void add_edge(struct comparing *comparing, int side,
		     const struct report_edge *edge)
{
	const struct report_profile *profile = comparing->diff->sides[side];
	const struct report_function *function =
		&profile->functions.items[edge->function];
	const struct report_module *module = &profile->modules.items[function->module];
	struct text name = {0};

	if (!edge->count || !is_wanted(module, comparing->options))
		return;
	text_format(&name, "%s+0x%" PRIx64 " -> ", function->name,
		    edge->from - function->offset);
	if (edge->to)
		text_format(&name, "+0x%" PRIx64, edge->to - function->offset);
	else
		text_add(&name, "out");
	find_row(comparing, module->name, name.data)->calls[side] += edge->count;
	text_deinit(&name);
}

static void add_edges(struct comparing *comparing, int side)
{
	vector_for_each (&comparing->diff->sides[side]->edges, edge)
		add_edge(comparing, side, edge);
}

/* All calls of one function by another, as both may have moved. */
static void add_arc(struct comparing *comparing, int side, const struct report_arc *arc)
{
	const struct report_profile *profile = comparing->diff->sides[side];
	const struct report_function *function = &profile->functions.items[arc->function];
	const struct report_module *module = &profile->modules.items[function->module];
	struct text name = {0};

	if (!is_wanted(module, comparing->options))
		return;
	if (arc->caller_module != REPORT_UNKNOWN &&
	    arc->caller_module != function->module)
		text_format(&name,
			    "%s:", profile->modules.items[arc->caller_module].name);
	text_format(&name, "%s -> %s", report_arc_caller(profile, arc), function->name);
	find_row(comparing, module->name, name.data)->calls[side] += arc->count;
	text_deinit(&name);
}

static void add_arcs(struct comparing *comparing, int side)
{
	vector_for_each (&comparing->diff->sides[side]->arcs, arc)
		add_arc(comparing, side, arc);
}

/* Beside blocks, which add instructions to other rows, too. */
static void (*const adders[])(struct comparing *comparing, int side) = {
	[DIFF_BY_FUNCTION] = add_functions, [DIFF_BY_MODULE] = add_functions,
	[DIFF_BY_PROGRAM] = add_programs,   [DIFF_BY_BLOCK] = NULL,
	[DIFF_BY_EDGE] = add_edges,         [DIFF_BY_ARC] = add_arcs,
};

static struct trm_error *check_counts(const struct report_profile *profile,
				      const char *file,
				      const struct diff_options *options)
{
	const struct {
		bool wanted;
		size_t count;
		const char *what, *measure;
	} rows[] = {
		{options->by == DIFF_BY_BLOCK || options->sort == DIFF_SORT_INSTRUCTIONS,
		 profile->blocks.count, "counts of blocks", "blocks"},
		{options->by == DIFF_BY_EDGE, profile->edges.count, "counts of edges",
		 "edges"},
		{options->by == DIFF_BY_ARC, profile->arcs.count, "calls by call site",
		 "calls"},
	};

	for (size_t i = 0; i < array_count(rows); i++)
		if (rows[i].wanted && !rows[i].count)
			return trm_error_create(
				TRM_ERROR_USAGE,
				"no %s in '%s': measure with trammel run -m %s",
				rows[i].what, file, rows[i].measure);
	return NULL;
}

static bool has_samples_alone(const struct report_profile *profile)
{
	return profile->events.count && !profile->counts.count;
}

static struct trm_error *check_sides(const struct report_profile *a,
				     const struct report_profile *b,
				     const struct diff_options *options)
{
	const struct report_profile *sides[] = {a, b};
	bool there = !options->module;

	if (a->coverage != b->coverage)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"'%s' has %s, '%s' %s: these cannot be compared, measure the "
			"same in both",
			options->files[DIFF_A], a->coverage ? "coverage" : "calls",
			options->files[DIFF_B], b->coverage ? "coverage" : "calls");
	if (has_samples_alone(a) != has_samples_alone(b))
		return trm_error_create(
			TRM_ERROR_USAGE,
			"only one of '%s' and '%s' has samples and no counts: these "
			"cannot be compared, measure the same in both",
			options->files[DIFF_A], options->files[DIFF_B]);
	for (int side = DIFF_A; side < DIFF_SIDES; side++)
		vector_for_each (&sides[side]->modules, module)
			there |= is_wanted(module, options);
	if (!there)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"no module '%s' in these profiles: trammel report "
			"--by module shows those that are",
			options->module);
	for (int side = DIFF_A; side < DIFF_SIDES; side++)
		TRM_TRY(check_counts(sides[side], options->files[side], options));
	return NULL;
}

static uint64_t row_distance(const uint64_t numbers[DIFF_SIDES])
{
	uint64_t a = numbers[DIFF_A], b = numbers[DIFF_B];

	return a < b ? b - a : a - b;
}

static bool numbers_differ(const uint64_t numbers[DIFF_SIDES], double threshold)
{
	return row_distance(numbers) &&
	       (!numbers[DIFF_A] ||
		(long double)row_distance(numbers) * 100 >
			(long double)threshold * (long double)numbers[DIFF_A]);
}

/* Numbers of samples differ by chance: two standard deviations are no difference. */
static bool calls_differ(const struct diff *diff, const struct diff_row *row,
			 double threshold)
{
	const long double a = (long double)row->calls[DIFF_A];
	const long double b = (long double)row->calls[DIFF_B];

	return numbers_differ(row->calls, threshold) &&
	       (!diff->samples || (a - b) * (a - b) > 4 * (a + b));
}

/* Keeps the rows that differ, and counts the others. */
static void sift_rows(struct diff *diff, double threshold)
{
	size_t kept = 0;

	vector_for_each (&diff->rows, row) {
		for (int side = DIFF_A; side < DIFF_SIDES; side++) {
			diff->calls[side] += row->calls[side];
			diff->instructions[side] += row->instructions[side];
		}
		if (calls_differ(diff, row, threshold) ||
		    (diff->blocks && !row->uncounted &&
		     numbers_differ(row->instructions, threshold))) {
			diff->rows.items[kept++] = *row;
			continue;
		}
		diff->equal++;
		free(row->module);
		free(row->name);
	}
	diff->rows.count = kept;
}

/* How many times one side is the other one; what is new or gone comes first. */
static long double row_factor(const struct diff_row *row)
{
	long double a = (long double)row->calls[DIFF_A];
	long double b = (long double)row->calls[DIFF_B];

	return a < b ? b / a : a / b;
}

static int by_distance(const uint64_t a[DIFF_SIDES], const uint64_t b[DIFF_SIDES])
{
	return (row_distance(a) < row_distance(b)) - (row_distance(a) > row_distance(b));
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct diff_options *options = context;
	const struct diff_row *a = left, *b = right;
	int result = 0;

	if (options->sort == DIFF_SORT_NAME)
		result = strcmp(a->name, b->name);
	else if (options->sort == DIFF_SORT_MODULE)
		result = strcmp(a->module, b->module);
	else if (options->sort == DIFF_SORT_RATIO)
		result =
			(row_factor(a) < row_factor(b)) - (row_factor(a) > row_factor(b));
	else if (options->sort == DIFF_SORT_INSTRUCTIONS)
		result = by_distance(a->instructions, b->instructions);
	if (!result)
		result = by_distance(a->calls, b->calls);
	if (!result)
		result = strcmp(a->module, b->module);
	return result ? result : strcmp(a->name, b->name);
}

struct trm_error *report_diff(const struct report_profile *a,
			      const struct report_profile *b,
			      const struct diff_options *options, struct diff *ret_diff)
{
	struct diff diff = {.sides = {a, b},
			    .samples = has_samples_alone(a) && has_samples_alone(b),
			    .blocks = a->blocks.count && b->blocks.count &&
				      options->by <= DIFF_BY_BLOCK};
	struct comparing comparing = {.options = options, .diff = &diff};
	struct diff_options order = *options;

	TRM_TRY(check_sides(a, b, options));
	for (int side = DIFF_A; side < DIFF_SIDES; side++) {
		if (adders[options->by])
			adders[options->by](&comparing, side);
		if (diff.blocks)
			add_blocks(&comparing, side);
	}
	string_table_deinit(&comparing.keys);
	text_deinit(&comparing.key);
	sift_rows(&diff, options->threshold);
	if (diff.rows.count)
		qsort_r(diff.rows.items, diff.rows.count, sizeof(*diff.rows.items),
			compare_rows, &order);
	*ret_diff = diff;
	return NULL;
}

void report_diff_deinit(struct diff *diff)
{
	vector_for_each (&diff->rows, row) {
		free(row->module);
		free(row->name);
	}
	vector_deinit(&diff->rows);
}
