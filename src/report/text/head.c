#include "report/text/head.h"

#include "report/runs.h"
#include "report/select.h"
#include "report/text/amounts.h"

#include <inttypes.h>
#include <string.h>

#define BOLD  "\033[1m"
#define PLAIN "\033[0m"

static bool find_uint(const struct report_run *run, const char *name,
		      uint64_t *ret_number)
{
	const struct record_value *value = report_run_global(run, name);

	if (value && value->type == RECORD_UINT)
		*ret_number = value->u;
	return value && value->type == RECORD_UINT;
}

/*
 * How many processes and threads a run had. An exec makes a new image in the same process
 * and thread.
 */
static void add_processes(struct text *out, const struct report_profile *profile,
			  uint32_t run)
{
	uint64_t processes = 0, threads = 0;

	vector_for_each (&profile->images, image) {
		bool goes_on = !strcmp(image->state, "exec");

		if (image->run != run || !image->described)
			continue;
		processes += !goes_on;
		threads += image->threads - (goes_on && image->threads);
	}
	if (processes) {
		text_add(out, ", ");
		report_add_count(out, processes, "process", "processes");
	}
	if (threads) {
		text_add(out, ", ");
		report_add_count(out, threads, "thread", "threads");
	}
}

/* What part of the run was counted. */
static void add_window(struct text *out, const struct report_run *run)
{
	const char *asked = report_run_text(run, "run.window");
	uint64_t start, end;

	if (!*asked)
		return;
	if (find_uint(run, "window.start.ns", &start) &&
	    find_uint(run, "window.end.ns", &end))
		text_format(out, "  counted from %.3f s to %.3f s", (double)start / 1e9,
			    (double)end / 1e9);
	else
		text_add(out, "  nothing was counted: what counting begins with did not "
			      "happen");
	text_add(out, " (");
	report_add_visible(out, asked);
	text_add(out, ")\n");
}

/* The lines of a global: options that meant nothing, and what a program said wrongly. */
static void add_warnings(struct text *out, const struct report_run *run, const char *name,
			 const struct text_style *style)
{
	const char *line = report_run_text(run, name);

	while (*line) {
		size_t length = strcspn(line, "\n");
		char *one = strndup(line, length);

		text_format(out, "  %swarning:%s ", style->colour ? BOLD : "",
			    style->colour ? PLAIN : "");
		report_add_visible(out, one ? one : "");
		text_add(out, "\n");
		free(one);
		line += length + (line[length] != '\0');
	}
}

static void add_run(struct text *out, const struct report_profile *profile,
		    uint32_t index, const struct text_style *style)
{
	const struct report_run *run = &profile->runs.items[index];
	const char *command = report_run_text(run, "run.command");
	const char *exit = report_run_text(run, "run.exit");
	const char *only = report_run_text(run, "run.only");
	const char *skip = report_run_text(run, "run.skip");
	const char *regions = report_run_text(run, "run.regions");
	uint64_t wall = 0, ns;

	text_add(out, style->colour ? BOLD : "");
	report_add_visible(out, *command ? command : "(unknown command)");
	text_add(out, style->colour ? PLAIN "\n  " : "\n  ");
	bool attached = find_uint(run, "attach.stop.ns", &ns);

	if (!strcmp(exit, "running")) {
		text_add(out, attached ? "attached, still running" : "still running");
	} else {
		if (!strncmp(exit, "SIG", 3))
			text_add(out, "killed by ");
		else
			text_add(out, *exit ? "exit " : "exit unknown");
		report_add_visible(out, exit);
	}
	if (find_uint(run, "run.wall.ns", &wall)) {
		text_add(out, ", wall time ");
		report_add_duration(out, wall);
	}
	if (find_uint(run, "run.instrument.ns", &ns)) {
		text_add(out, ", instrumenting ");
		report_add_duration(out, ns);
		/* Processes are instrumented at the same time. */
		text_add(out, wall && ns > wall ? " (sum over processes)" : "");
	}
	if (find_uint(run, "attach.stop.ns", &ns)) {
		text_add(out, ", stopped for ");
		report_add_duration(out, ns);
	}
	add_processes(out, profile, index);
	text_add(out, "\n");
	add_window(out, run);
	if (*only || *skip) {
		text_add(out, *only ? "  only " : "  ");
		report_add_visible(out, only);
		text_add(out, *skip ? *only ? ", without " : "without " : "");
		report_add_visible(out, skip);
		text_add(out, "\n");
	}
	if (*regions) {
		text_add(out, "  regions ");
		report_add_visible(out, regions);
		text_add(out, "\n");
	}
	add_warnings(out, run, "run.incomplete", style);
	add_warnings(out, run, "run.unmatched", style);
	add_warnings(out, run, "context.faults", style);
}

void report_add_head(struct text *out, const struct report_profile *profile, size_t limit,
		     const struct text_style *style)
{
	for (size_t i = 0; i < profile->runs.count && i < limit; i++)
		add_run(out, profile, (uint32_t)i, style);
	if (profile->runs.count > limit)
		report_add_more(out, profile->runs.count - limit, "run", "runs");
}

/* "  2 functions counted at their entry only" where blocks were to be counted. */
static void add_entries_only(struct text *out, const struct report_profile *profile)
{
	if (!profile->executed || !report_has_measured_blocks(profile))
		return;
	text_add(out, "  ");
	report_add_count(out, profile->executed, "function", "functions");
	text_add(out, " counted at their entry only: none of them can be moved\n");
}

/* "  1,234 instructions in 56 blocks; 2 functions without counts of blocks"; "reached"
 * where nothing was counted but what was executed at all. */
void report_add_instructions(struct text *out, const struct report_profile *profile)
{
	size_t without = profile->executed - profile->counted;

	if (!profile->blocks.count) {
		add_entries_only(out, profile);
		return;
	}
	text_add(out, profile->coverage ? "  reached " : "  ");
	report_add_count(out, profile->instructions, "instruction", "instructions");
	text_add(out, " in ");
	report_add_count(out, profile->executed_blocks, "block", "blocks");
	if (without) {
		text_add(out, "; ");
		report_add_count(out, without, "function", "functions");
		text_add(out, " without counts of blocks");
	}
	if (profile->faulty) {
		text_add(out, "; ");
		report_add_count(out, profile->faulty, "function", "functions");
		text_add(out, " with counters that contradict each other");
	}
	text_add(out, "\n");
}

static void add_image_name(struct text *out, const struct report_image *image)
{
	text_format(out, "process %" PRIu64, image->process);
	if (*image->program) {
		text_add(out, " (");
		report_add_visible(out, image->program);
		text_add(out, ")");
	}
}

/* "Not measured: libx.so (in 3 processes): no room for trampolines within 2 GiB". */
static void add_unmeasured_modules(struct text *out, const struct report_profile *profile,
				   size_t limit)
{
	size_t shown = 0;

	vector_for_each (&profile->modules, module) {
		if (!module->selected || !module->reason || shown++ >= limit)
			continue;
		text_add(out, "Not measured: ");
		report_add_visible(out, module->name);
		if (module->unmeasured > 1) {
			text_add(out, " (in ");
			report_add_count(out, module->unmeasured, "process", "processes");
			text_add(out, ")");
		}
		text_add(out, ": ");
		report_add_visible(out, module->reason);
		text_add(out, "\n");
	}
	if (shown > limit)
		report_add_more(out, shown - limit, "unmeasured module",
				"unmeasured modules");
}

void report_add_unmeasured(struct text *out, const struct report_profile *profile,
			   size_t limit)
{
	size_t shown = 0, running = 0;

	add_unmeasured_modules(out, profile, limit);

	vector_for_each (&profile->images, image) {
		if (!image->selected || !*image->reason || shown++ >= limit)
			continue;
		text_add(out, !strcmp(image->state, "released") ? "Released: "
								: "Not measured: ");
		add_image_name(out, image);
		text_add(out, ": ");
		report_add_visible(out, image->reason);
		text_add(out, "\n");
	}
	if (shown > limit)
		report_add_more(out, shown - limit, "released process",
				"released processes");
	vector_for_each (&profile->images, image) {
		if (!image->selected || strcmp(image->state, "running") ||
		    running++ >= limit)
			continue;
		text_add(out, "Still running: ");
		add_image_name(out, image);
		text_add(out, "\n");
	}
	if (running > limit)
		report_add_more(out, running - limit, "running process",
				"running processes");
}

/* "3 functions not instrumented: no room (2), undecodable (1)", the most frequent first;
 * without numbers if there is one reason. */
static void add_reasons(struct text *out, const struct report_skip *const *skips,
			size_t count)
{
	struct reason {
		const char *text;
		size_t count;
	};
	struct VECTOR(struct reason) reasons = {0};

	for (size_t i = 0; i < count; i++) {
		if (!i || skips[i]->reason != skips[i - 1]->reason)
			vector_push(&reasons, ((struct reason){skips[i]->reason, 0}));
		reasons.items[reasons.count - 1].count++;
	}
	for (size_t shown = 0; reasons.count; shown++) {
		struct reason *most = reasons.items;

		vector_for_each (&reasons, reason)
			if (reason->count > most->count)
				most = reason;
		text_add(out, shown ? ", " : ": ");
		report_add_visible(out, most->text);
		if (most->count < count) {
			text_add(out, " (");
			text_add_grouped(out, most->count);
			text_add(out, ")");
		}
		memmove(most, most + 1,
			(size_t)(reasons.items + --reasons.count - most) * sizeof(*most));
	}
	vector_deinit(&reasons);
}

/* `one`, `many`: what they are, for their number. */
static void add_skips(struct text *out, const struct report_profile *profile,
		      const struct report_skips *list, const char *one, const char *many,
		      bool verbose)
{
	size_t count;
	const struct report_skip **skips = report_profile_skips(profile, list, &count);

	if (count) {
		report_add_count(out, count, one, many);
		add_reasons(out, skips, count);
		text_add(out, verbose ? "\n" : "; --verbose names them\n");
	}
	for (size_t i = 0; verbose && i < count; i++) {
		const struct report_function *function =
			&profile->functions.items[skips[i]->function];

		text_add(out, "  ");
		report_add_visible(out, skips[i]->reason);
		text_add(out, "  ");
		report_add_visible(out, profile->modules.items[function->module].name);
		text_add(out, ":");
		report_add_visible(out, function->name);
		text_format(out, " (0x%" PRIx64 ")\n", skips[i]->address);
	}
	free(skips);
}

void report_add_skipped(struct text *out, const struct report_profile *profile,
			bool verbose)
{
	add_skips(out, profile, &profile->skips, "function not instrumented",
		  "functions not instrumented", verbose);
	add_skips(out, profile, &profile->cold_parts, "cold part without counts",
		  "cold parts without counts", verbose);
}
