#include "report/text/report.h"

#include "base/array.h"
#include "report/blocks.h"
#include "report/edges.h"
#include "report/load.h"
#include "report/runs.h"
#include "report/select.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"
#include "report/text/head.h"
#include "report/text/probes.h"
#include "report/text/regions.h"
#include "report/text/tools.h"
#include "report/text/samples.h"
#include "report/values.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LIMIT_REPORT = 30, LIMIT_SUMMARY = 10 };

/* What the functions below need. */
struct view {
	const struct report_profile *profile;
	const struct report_options *options;
	struct text_style style;
	size_t limit;
	bool summary;
	struct text *out;
};

static void add_module_name(struct grid *grid, const struct report_module *module)
{
	grid_add_text(grid, module->ambiguous ? module->path : module->name);
}

/* Prints the grid, frees it, and says how many of the rows are not there. */
static void finish_grid(const struct view *view, struct grid *grid, size_t rows,
			const char *one, const char *many)
{
	text_add(view->out, "\n");
	grid_print(grid, &view->style, view->out);
	grid_deinit(grid);
	if (rows > view->limit)
		report_add_more(view->out, rows - view->limit, one, many);
}

/* Profiles of blocks say how many instructions were executed. */
static void add_instruction_columns(struct grid *grid,
				    const struct report_profile *profile)
{
	if (!profile->blocks.count)
		return;
	grid_add_column(grid, "Instructions", true);
	grid_add_column(grid, "Share", true);
}

/* `known`: 0 if nobody counted them. */
static void add_instructions(struct grid *grid, const struct report_profile *profile,
			     uint64_t known, uint64_t instructions)
{
	if (!profile->blocks.count)
		return;
	if (!known) {
		grid_add_text(grid, "?");
		grid_add_text(grid, "");
		return;
	}
	grid_add_number(grid, instructions);
	grid_add_share(grid, instructions, profile->instructions);
}

static void add_time_columns(struct grid *grid, const struct report_profile *profile)
{
	if (!profile->graph.nodes.count)
		return;
	grid_add_column(grid, "Inclusive", true);
	grid_add_column(grid, "Exclusive", true);
}

static void add_times(struct grid *grid, const struct report_profile *profile,
		      const struct report_function *function)
{
	const uint64_t times[] = {function->inclusive_ns, function->ns};

	for (size_t i = 0; i < 2 && profile->graph.nodes.count; i++) {
		struct text text = {0};

		if (function->timed)
			report_add_duration(&text, times[i]);
		grid_add_text(grid, text.data ? text.data : "?");
		text_deinit(&text);
	}
}

static void add_exit_columns(struct grid *grid, const struct report_profile *profile)
{
	if (!profile->exits)
		return;
	grid_add_column(grid, "Returned", true);
	grid_add_column(grid, "Tail calls", true);
	grid_add_column(grid, "Otherwise", true);
}

static void add_exits(struct grid *grid, const struct report_profile *profile,
		      const struct report_function *function)
{
	const uint64_t numbers[] = {function->returned, function->tail_calls,
				    report_left_otherwise(function)};

	for (size_t i = 0; i < array_count(numbers) && profile->exits; i++) {
		if (function->blocks)
			grid_add_number(grid, numbers[i]);
		else
			grid_add_text(grid, "?");
	}
}

/* Profiles of memory say how often, and how many bytes. */
static void add_memory_columns(struct grid *grid, const struct report_profile *profile)
{
	if (!profile->memory)
		return;
	grid_add_column(grid, "Loads", true);
	grid_add_column(grid, "Bytes", true);
	grid_add_column(grid, "Stores", true);
	grid_add_column(grid, "Bytes", true);
}

static void add_memory(struct grid *grid, const struct report_profile *profile,
		       const struct report_memory *memory)
{
	if (!profile->memory)
		return;
	grid_add_number(grid, memory->loads);
	grid_add_number(grid, memory->bytes_loaded);
	grid_add_number(grid, memory->stores);
	grid_add_number(grid, memory->bytes_stored);
}

/* In a profile of samples alone nobody counted calls. */
static bool has_calls(const struct report_profile *profile)
{
	return !profile->coverage && (profile->counts.count || !profile->events.count);
}

static void add_call_columns(struct grid *grid, const struct report_profile *profile)
{
	if (!has_calls(profile))
		return;
	grid_add_column(grid, "Calls", true);
	grid_add_column(grid, "Share", true);
}

static void add_calls(struct grid *grid, const struct report_profile *profile,
		      uint64_t calls)
{
	if (!has_calls(profile))
		return;
	grid_add_number(grid, calls);
	grid_add_share(grid, calls, profile->calls);
}

static void add_functions(const struct view *view)
{
	const struct report_profile *profile = view->profile;
	const struct report_function **rows =
		report_profile_functions(profile, view->options->sort);
	struct grid grid = {0};

	report_add_sample_columns(&grid, profile);
	add_call_columns(&grid, profile);
	add_exit_columns(&grid, profile);
	add_memory_columns(&grid, profile);
	add_instruction_columns(&grid, profile);
	add_time_columns(&grid, profile);
	grid_add_column(&grid, "Module", false);
	grid_add_column(&grid, "Function", false);
	for (size_t i = 0; i < profile->executed && i < view->limit; i++) {
		report_add_sample_cells(&grid, profile, rows[i]);
		add_calls(&grid, profile, rows[i]->calls);
		add_exits(&grid, profile, rows[i]);
		add_memory(&grid, profile, &rows[i]->memory);
		add_instructions(&grid, profile, rows[i]->blocks, rows[i]->instructions);
		add_times(&grid, profile, rows[i]);
		add_module_name(&grid, &profile->modules.items[rows[i]->module]);
		grid_add_text(&grid, rows[i]->name);
	}
	free(rows);
	finish_grid(view, &grid, profile->executed, "function", "functions");
}

static void add_blocks(const struct view *view)
{
	const struct report_profile *profile = view->profile;
	struct report_block *rows = report_profile_blocks(profile, view->options->sort);
	size_t count = profile->executed_blocks;
	uint64_t total = 0;
	struct grid grid = {0};
	char address[24];

	for (size_t i = 0; i < count; i++)
		total += rows[i].count;
	grid_add_column(&grid, "Count", true);
	grid_add_column(&grid, "Share", true);
	grid_add_column(&grid, "Instructions", true);
	grid_add_column(&grid, "Module", false);
	grid_add_column(&grid, "Address", true);
	grid_add_column(&grid, "Function", false);
	for (size_t i = 0; i < count && i < view->limit; i++) {
		const struct report_function *function =
			&profile->functions.items[rows[i].function];

		snprintf(address, sizeof(address), "0x%" PRIx64, rows[i].address);
		grid_add_number(&grid, rows[i].count);
		grid_add_share(&grid, rows[i].count, total);
		grid_add_number(&grid, rows[i].instructions);
		add_module_name(&grid, &profile->modules.items[function->module]);
		grid_add_text(&grid, address);
		grid_add_text(&grid, function->name);
	}
	free(rows);
	finish_grid(view, &grid, count, "block", "blocks");
}

static void add_arcs(const struct view *view)
{
	const struct report_profile *profile = view->profile;
	struct grid grid = {0};
	uint64_t total = 0;
	size_t count;
	struct report_arc *rows = report_profile_arcs(profile, &view->options->arcs,
						      view->options->sort, true, &count);

	for (size_t i = 0; i < count; i++)
		total += rows[i].count;
	grid_add_column(&grid, "Calls", true);
	grid_add_column(&grid, "Share", true);
	grid_add_column(&grid, "From module", false);
	grid_add_column(&grid, "Address", true);
	grid_add_column(&grid, "Caller", false);
	grid_add_column(&grid, "By", false);
	grid_add_column(&grid, "Module", false);
	grid_add_column(&grid, "Function", false);
	for (size_t i = 0; i < count && i < view->limit; i++) {
		const struct report_arc *arc = &rows[i];
		const struct report_function *function =
			&profile->functions.items[arc->function];
		char address[24] = "?";

		if (arc->site)
			snprintf(address, sizeof(address), "0x%" PRIx64, arc->site);
		grid_add_number(&grid, arc->count);
		grid_add_share(&grid, arc->count, total);
		if (arc->caller_module == REPORT_UNKNOWN)
			grid_add_text(&grid, "?");
		else
			add_module_name(&grid,
					&profile->modules.items[arc->caller_module]);
		grid_add_text(&grid, address);
		grid_add_text(&grid, report_arc_caller(profile, arc));
		grid_add_text(&grid, arc->kind);
		add_module_name(&grid, &profile->modules.items[function->module]);
		grid_add_text(&grid, function->name);
	}
	free(rows);
	finish_grid(view, &grid, count, "call site", "call sites");
}

static void add_edges(const struct view *view)
{
	const struct report_profile *profile = view->profile;
	struct report_edge *rows = report_profile_edges(profile, view->options->sort);
	size_t count = profile->passed_edges;
	uint64_t total = 0;
	struct grid grid = {0};
	char cell[24];

	for (size_t i = 0; i < count; i++)
		total += rows[i].count;
	grid_add_column(&grid, "Count", true);
	grid_add_column(&grid, "Share", true);
	grid_add_column(&grid, "Way", false);
	grid_add_column(&grid, "Module", false);
	grid_add_column(&grid, "From", true);
	grid_add_column(&grid, "To", true);
	grid_add_column(&grid, "Function", false);
	for (size_t i = 0; i < count && i < view->limit; i++) {
		const struct report_function *function =
			&profile->functions.items[rows[i].function];

		grid_add_number(&grid, rows[i].count);
		grid_add_share(&grid, rows[i].count, total);
		grid_add_text(&grid, rows[i].kind);
		add_module_name(&grid, &profile->modules.items[function->module]);
		snprintf(cell, sizeof(cell), "0x%" PRIx64, rows[i].address);
		grid_add_text(&grid, cell);
		snprintf(cell, sizeof(cell), "0x%" PRIx64, rows[i].to);
		grid_add_text(&grid, rows[i].to ? cell : "");
		grid_add_text(&grid, function->name);
	}
	free(rows);
	finish_grid(view, &grid, count, "edge", "edges");
}

/* `calls`: with the columns of calls, as the main table has them. */
static void add_modules(const struct view *view, bool calls)
{
	const struct report_profile *profile = view->profile;
	struct grid grid = {0};
	size_t count;
	const struct report_module **rows =
		report_profile_modules(profile, view->options->sort, &count);

	report_add_samples_columns(&grid, profile);
	if (calls) {
		add_call_columns(&grid, profile);
		add_instruction_columns(&grid, profile);
	}
	grid_add_column(&grid, "Executed", true);
	grid_add_column(&grid, "Known", true);
	grid_add_column(&grid, "Part", true);
	grid_add_column(&grid, "Module", false);
	for (size_t i = 0; i < count && i < view->limit; i++) {
		report_add_samples_cells(&grid, profile, rows[i]->samples);
		if (calls) {
			add_calls(&grid, profile, rows[i]->calls);
			add_instructions(&grid, profile, 1, rows[i]->instructions);
		}
		grid_add_number(&grid, rows[i]->functions);
		grid_add_number(&grid, rows[i]->known);
		grid_add_share(&grid, rows[i]->functions, rows[i]->known);
		add_module_name(&grid, rows[i]);
	}
	free(rows);
	finish_grid(view, &grid, count, "module", "modules");
}

static void add_id(struct grid *grid, const struct report_image *image)
{
	char digits[24] = "?";

	if (image->described)
		snprintf(digits, sizeof(digits), "%" PRIu64, image->process);
	grid_add_text(grid, digits);
}

static void add_processes(const struct view *view, bool calls)
{
	const struct report_profile *profile = view->profile;
	struct grid grid = {0};
	size_t count;
	const struct report_image **rows = report_profile_images(profile, &count);

	calls &= has_calls(profile);
	grid_add_column(&grid, "Process", true);
	report_add_samples_columns(&grid, profile);
	if (calls)
		grid_add_column(&grid, "Calls", true);
	grid_add_column(&grid, "Functions", true);
	grid_add_column(&grid, "Threads", true);
	grid_add_column(&grid, "State", false);
	grid_add_column(&grid, "Program", false);
	for (size_t i = 0; i < count && i < view->limit; i++) {
		add_id(&grid, rows[i]);
		report_add_samples_cells(&grid, profile, rows[i]->samples);
		if (calls)
			grid_add_number(&grid, rows[i]->calls);
		grid_add_number(&grid, rows[i]->functions);
		grid_add_number(&grid, rows[i]->threads);
		grid_add_text(&grid, rows[i]->state);
		grid_add_text(&grid, rows[i]->program);
	}
	free(rows);
	finish_grid(view, &grid, count, "process", "processes");
}

/* Seconds with as many digits as the intervals need. */
static void add_seconds(struct grid *grid, uint64_t ns)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%.3f", (double)ns / 1e9);
	grid_add_text(grid, digits);
}

static void add_intervals(const struct view *view)
{
	const struct report_profile *profile = view->profile;
	size_t count = profile->intervals.count;
	bool regions = profile->regions.nodes.count, calls = profile->modules.count;
	struct grid grid = {0};

	grid_add_column(&grid, "Interval", true);
	grid_add_column(&grid, "From s", true);
	grid_add_column(&grid, "To s", true);
	if (regions)
		grid_add_column(&grid, "Regions", true);
	if (calls)
		grid_add_column(&grid, profile->coverage ? "Functions" : "Calls", true);
	if (calls && !profile->coverage)
		grid_add_column(&grid, "Share", true);
	add_instruction_columns(&grid, profile);
	for (size_t i = 0; i < count && i < view->limit; i++) {
		const struct report_interval *interval = &profile->intervals.items[i];

		grid_add_number(&grid, interval->number);
		add_seconds(&grid, interval->start_ns);
		add_seconds(&grid, interval->end_ns);
		if (regions)
			grid_add_number(&grid, interval->regions);
		if (calls)
			grid_add_number(&grid, interval->calls);
		if (calls && !profile->coverage)
			grid_add_share(&grid, interval->calls, profile->calls);
		add_instructions(&grid, profile, 1, interval->instructions);
	}
	finish_grid(view, &grid, count, "interval", "intervals");
}

static int by_calls(const void *left, const void *right)
{
	const struct report_thread *a = *(const struct report_thread *const *)left;
	const struct report_thread *b = *(const struct report_thread *const *)right;

	return compare_numbers(b->calls, a->calls)
		       ?: compare_numbers(b->samples, a->samples)
		       ?: compare_numbers(a->number, b->number);
}

/* Those of the selection, most calls first. */
static const struct report_thread **sorted_threads(const struct report_profile *profile,
						   size_t *ret_count)
{
	const struct report_thread **rows =
		memory_allocate_zeroed(profile->threads.count, sizeof(*rows));

	*ret_count = 0;
	vector_for_each (&profile->threads, thread)
		if (thread->selected)
			rows[(*ret_count)++] = thread;
	qsort(rows, *ret_count, sizeof(*rows), by_calls);
	return rows;
}

static void add_threads(const struct view *view)
{
	const struct report_profile *profile = view->profile;
	struct grid grid = {0};
	char digits[24];
	size_t count;
	const struct report_thread **rows = sorted_threads(profile, &count);

	report_add_samples_columns(&grid, profile);
	if (profile->coverage) {
		grid_add_column(&grid, "Functions", true);
		grid_add_column(&grid, "Share", true);
	}
	add_call_columns(&grid, profile);
	add_instruction_columns(&grid, profile);
	grid_add_column(&grid, "Process", true);
	grid_add_column(&grid, "Thread", true);
	grid_add_column(&grid, "Program", false);
	for (size_t i = 0; i < count && i < view->limit; i++) {
		const struct report_image *image = &profile->images.items[rows[i]->image];

		report_add_samples_cells(&grid, profile, rows[i]->samples);
		if (profile->coverage) {
			grid_add_number(&grid, rows[i]->calls);
			grid_add_share(&grid, rows[i]->calls, profile->calls);
		}
		add_calls(&grid, profile, rows[i]->calls);
		add_instructions(&grid, profile, 1, rows[i]->instructions);
		add_id(&grid, image);
		snprintf(digits, sizeof(digits), "%" PRIu64, rows[i]->number);
		grid_add_text(&grid, digits);
		grid_add_text(&grid, image->program);
	}
	free(rows);
	finish_grid(view, &grid, count, "thread", "threads");
}

static void add_totals(const struct view *view)
{
	struct text *out = view->out;

	text_add(out, "\n");
	report_add_count(out, view->profile->executed, "function", "functions");
	text_add(out, has_calls(view->profile) || view->profile->coverage
			      ? " executed"
			      : " with samples");
	if (has_calls(view->profile)) {
		text_add(out, ", ");
		report_add_count(out, view->profile->calls, "call", "calls");
	}
	text_add(out, "\n");
}

/* Whether only functions with points of probes were counted: what others did is not
 * known. */
static bool counts_points_alone(const struct view *view)
{
	vector_for_each (&view->profile->runs, run)
		if (strcmp(report_run_text(run, "run.measure"), "probes") != 0)
			return false;
	return view->options->by == REPORT_BY_FUNCTION;
}

static void add_tables(const struct view *view)
{
	const struct report_profile *profile = view->profile;
	enum report_by by = view->options->by;
	bool coverage = profile->coverage;
	size_t images = 0;

	vector_for_each (&profile->images, image)
		images += image->selected;

	if (profile->regions.nodes.count &&
	    (by == REPORT_BY_REGION || by == REPORT_BY_FUNCTION))
		report_add_regions(view->out, profile, view->limit, &view->style);
	if (by == REPORT_BY_GRAPH && profile->graph.nodes.count)
		report_add_graph(view->out, profile, view->limit, &view->style);
	if (by == REPORT_BY_GRAPH && !profile->graph.nodes.count)
		report_add_stacks(view->out, profile, view->limit, &view->style);
	if (by == REPORT_BY_INTERVAL)
		add_intervals(view);
	if (by == REPORT_BY_REGION || !profile->modules.count ||
	    (by == REPORT_BY_FUNCTION && profile->regions.nodes.count &&
	     !profile->executed))
		return;
	/* Coverage is first of all a matter of modules. */
	if (coverage || by == REPORT_BY_MODULE)
		add_modules(view, !coverage);
	if (by == REPORT_BY_PROCESS)
		add_processes(view, !coverage);
	if (by == REPORT_BY_BLOCK)
		add_blocks(view);
	if (by == REPORT_BY_ARC)
		add_arcs(view);
	if (by == REPORT_BY_THREAD)
		add_threads(view);
	if (by == REPORT_BY_EDGE)
		add_edges(view);
	if (by == REPORT_BY_FUNCTION && !(coverage && view->summary) &&
	    !counts_points_alone(view))
		add_functions(view);
	if (!coverage && by != REPORT_BY_MODULE && by != REPORT_BY_PROCESS &&
	    !counts_points_alone(view))
		add_modules(view, false);
	if (images > 1 && by != REPORT_BY_PROCESS)
		add_processes(view, false);
}

/* A summary does not repeat what tools have printed. */
static void add_tools(const struct view *view)
{
	const struct report_profile *profile = view->profile;

	if (view->summary && report_run_global(&profile->runs.items[0], "tool.printed"))
		report_add_tool_names(view->out, profile);
	else
		report_add_tools(view->out, profile, view->limit, &view->style);
}

/* Whether counts of functions are wanted: they are there if tools alone measured, too. */
static bool shows_counts(const struct view *view)
{
	const struct report_run *run = &view->profile->runs.items[0];

	return !view->summary ||
	       (!view->profile->tool_tables.count &&
		!report_run_global(run, "tool.printed")) ||
	       strcmp(report_run_text(run, "run.measure"), "tools") != 0;
}

/* That there is nothing to be shown. Notes in the head say why there is no sample. */
static void add_nothing(const struct view *view)
{
	const struct report_profile *profile = view->profile;
	struct text why = {0};

	if (report_values_explain(profile, &why))
		text_format(view->out, "\nNo values: %s.\n", why.data);
	else if (!has_calls(profile) && !profile->coverage)
		text_add(view->out, "\nNo sample was taken.\n");
	else if (report_has_measured_code(profile))
		text_add(view->out, "\nNo function was executed that was measured.\n");
	else
		text_add(view->out, "\nNo region was entered.\n");
	text_deinit(&why);
}

static void add_report(const struct view *view)
{
	const struct report_profile *profile = view->profile;

	report_add_head(view->out, profile, view->limit, &view->style);
	report_add_events(view->out, profile, &view->style);
	report_add_instructions(view->out, profile);
	if (profile->probes.count && view->options->by == REPORT_BY_FUNCTION)
		report_add_probes(view->out, profile, view->limit);
	if (view->options->by == REPORT_BY_FUNCTION)
		add_tools(view);
	if (!shows_counts(view))
		text_add(view->out, "");
	else if (profile->executed || profile->regions.nodes.count ||
		 view->options->by != REPORT_BY_FUNCTION)
		add_tables(view);
	else if (!profile->probes.count && !profile->tool_tables.count)
		add_nothing(view);
	if (profile->executed && shows_counts(view) && !counts_points_alone(view))
		add_totals(view);
	report_add_skipped(view->out, profile, view->options->verbose);
	report_add_unmeasured(view->out, profile, view->limit);
}

static size_t limit_of(const struct report_options *options, size_t usual)
{
	return options->all ? SIZE_MAX : options->limit ? options->limit : usual;
}

void report_text(const struct report_profile *profile,
		 const struct report_options *options, struct text *out)
{
	struct view view = {
		.profile = profile,
		.options = options,
		.style = {options->colour == REPORT_COLOUR_ALWAYS, options->width},
		.limit = limit_of(options, LIMIT_REPORT),
		.out = out,
	};

	add_report(&view);
}

bool report_colour_on(FILE *out, enum report_colour colour)
{
	const char *forbidden = getenv("NO_COLOR");

	if (colour != REPORT_COLOUR_AUTO)
		return colour == REPORT_COLOUR_ALWAYS;
	return isatty(fileno(out)) && !(forbidden && *forbidden);
}

void report_terminal_size(FILE *out, size_t *ret_columns, size_t *ret_lines)
{
	struct winsize size = {0};

	*ret_columns = *ret_lines = 0;
	if (!isatty(fileno(out)))
		return;
	if (ioctl(fileno(out), TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row)
		size = (struct winsize){.ws_col = 80, .ws_row = 24};
	*ret_columns = size.ws_col;
	*ret_lines = size.ws_row;
}

/* Paths have a command of their own. */
static void add_paths_hint(const struct view *view, const char *profile_path)
{
	static const char *const paths[] = {"paths", NULL};

	if (view->profile->executed && report_has_measured(view->profile, paths))
		text_format(view->out,
			    "Hot paths: trammel paths %s, or with a FUNCTION\n",
			    profile_path);
}

struct trm_error *report_text_summary(FILE *out, const char *profile_path,
				      const struct report_options *options)
{
	static const struct report_options usual;
	struct report_profile *profile;
	struct text text = {0};
	size_t columns, lines;

	if (!options)
		options = &usual;
	TRM_TRY(report_profile_load_short(profile_path, &profile));
	struct report_options sorted = *options;

	if (profile->events.count)
		sorted.sort = REPORT_SORT_SAMPLES;
	report_terminal_size(out, &columns, &lines);

	struct view view = {
		.profile = profile,
		.options = &sorted,
		.style = {report_colour_on(out, options->colour),
			  options->width ? options->width : columns},
		.limit = limit_of(options, LIMIT_SUMMARY),
		.summary = true,
		.out = &text,
	};
	struct trm_error *error =
		report_profile_select(profile, &(struct report_filter){0});

	if (!error) {
		add_report(&view);
		add_paths_hint(&view, profile_path);
		errno = 0;
		fwrite(text.data, 1, text.length, out);
		if (fflush(out))
			error = trm_error_system(errno, "cannot write the report");
	}
	text_deinit(&text);
	report_profile_destroy(profile);
	return error;
}
