#include "report/text/samples.h"

#include "report/runs.h"
#include "report/samples.h"
#include "report/text/amounts.h"

#include <inttypes.h>
#include <string.h>

/* The number that all runs have together. */
static uint64_t sum_globals(const struct report_profile *profile, const char *name)
{
	uint64_t sum = 0;

	vector_for_each (&profile->runs, run) {
		const struct record_value *value = report_run_global(run, name);

		if (value && value->type == RECORD_UINT)
			sum += value->u;
	}
	return sum;
}

/* "1,000 Hz asked, 968 Hz got" or "every 1,000,000th, 998,000 got". */
static void add_rate(struct text *out, const struct report_event *event)
{
	const uint64_t time = event->is_clock ? event->total : event->time_ns;

	if (event->frequency) {
		text_add_grouped(out, event->frequency);
		text_add(out, " Hz asked");
		if (time)
			text_format(out, ", %.0f Hz got",
				    (double)(event->looks ?: event->samples) * 1e9 /
					    (double)time);
		return;
	}
	/* Of an imported profile nobody knows how they were taken. */
	if (!event->period) {
		text_add(out, "imported");
		return;
	}
	text_add(out, "one each ");
	text_add_grouped(out, event->period);
	text_add(out, event->is_clock ? " ns asked" : " events asked");
	if (event->samples) {
		text_add(out, ", each ");
		text_add_grouped(out, event->total / event->samples);
		text_add(out, " got");
	}
}

/* A counter that had to share the processor's registers with others: what its samples
 * stand for was corrected. */
static void add_part(struct text *out, const struct report_event *event)
{
	const uint64_t time = event->time_ns;

	/* Below a hundredth it is the time that switching them took. */
	if (event->running_ns && event->running_ns < time - time / 100)
		text_format(out, ", counted %.0f %% of the time",
			    100 * (double)event->running_ns / (double)time);
}

static void add_event(struct text *out, const struct report_event *event)
{
	text_add(out, "  ");
	report_add_visible(out, event->name);
	text_add(out, ": ");
	/* Each one that there was. */
	if (!event->frequency && !event->period) {
		report_add_count(out, event->samples, "", "");
		text_add(out, "in ");
		report_add_duration(out, event->total);
		text_add(out, "\n");
		return;
	}
	report_add_count(out, event->samples, "sample", "samples");
	text_add(out, event->kernel ? ", " : " of user code, ");
	if (event->looks) {
		report_add_count(out, event->looks, "look", "looks");
		text_add(out, ", ");
	}
	add_rate(out, event);
	text_add(out, " of ");
	if (event->is_clock) {
		report_add_duration(out, event->total);
	} else {
		text_add_grouped(out, event->total);
		text_add(out, " events");
	}
	add_part(out, event);
	text_add(out, "\n");
}

/* What is not in the samples, and what they cost. */
static void add_quality(struct text *out, const struct report_profile *profile)
{
	static const struct {
		const char *name, *one, *many;
	} rows[] = {
		{"samples.lost", "record lost", "records lost"},
		{"samples.throttled", "pause since they came too fast",
		 "pauses since they came too fast"},
		{"samples.dropped", "sample without room", "samples without room"},
		{"samples.cut_off", "stack longer than its copy",
		 "stacks longer than their copies"},
	};
	const uint64_t own = sum_globals(profile, "samples.own.ns");
	uint64_t all = own;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		all += sum_globals(profile, rows[i].name);
	/* Waits are followed, not sampled. */
	if (!all)
		return;
	text_add(out, "  ");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint64_t number = sum_globals(profile, rows[i].name);

		if (i && !number)
			continue;
		report_add_count(out, number, rows[i].one, rows[i].many);
		text_add(out, ", ");
	}
	text_add(out, "sampling took ");
	report_add_duration(out, own);
	text_add(out, "\n");
}

static void add_notes(struct text *out, const struct report_run *run,
		      const struct text_style *style)
{
	const char *line = report_run_text(run, "samples.notes");

	while (*line) {
		const size_t length = strcspn(line, "\n");
		char *one = strndup(line, length);

		text_format(out, "  %swarning:%s ", style->colour ? "\033[1m" : "",
			    style->colour ? "\033[0m" : "");
		report_add_visible(out, one ? one : "");
		text_add(out, "\n");
		free(one);
		line += length + (line[length] != '\0');
	}
}

void report_add_events(struct text *out, const struct report_profile *profile,
		       const struct text_style *style)
{
	if (!profile->events.count)
		return;
	vector_for_each (&profile->events, event)
		add_event(out, event);
	add_quality(out, profile);
	vector_for_each (&profile->runs, run)
		add_notes(out, run, style);
}

void report_add_sample_columns(struct grid *grid, const struct report_profile *profile)
{
	vector_for_each (&profile->events, event) {
		const bool alone = profile->events.count == 1;

		grid_add_column(grid, alone ? "Samples" : event->name, true);
		grid_add_column(grid, "Share", true);
		if (event->is_clock)
			grid_add_column(grid, "Time", true);
	}
	if (profile->events.count && profile->counts.count && !profile->coverage)
		grid_add_column(grid, "Each call", true);
}

static void add_duration(struct grid *grid, uint64_t ns)
{
	struct text text = {0};

	report_add_duration(&text, ns);
	grid_add_text(grid, text.data);
	text_deinit(&text);
}

void report_add_each(struct text *out, const struct report_profile *profile,
		     uint64_t samples, uint64_t events, uint64_t count)
{
	const bool is_clock = profile->events.items[0].is_clock;
	const double error = 100 * report_samples_error(samples);

	text_add(out, "");
	if (!samples || !count)
		return;
	if (is_clock && events / count >= 1000)
		report_add_duration(out, events / count);
	else
		text_format(out, "%.3g%s", (double)events / (double)count,
			    is_clock ? " ns" : "");
	text_format(out, " \xc2\xb1%.0f %%", error < 100 ? error : 100);
}

void report_add_sample_cells(struct grid *grid, const struct report_profile *profile,
			     const struct report_function *function)
{
	for (uint32_t i = 0; i < profile->events.count; i++) {
		const struct report_event *event = &profile->events.items[i];
		const struct report_sampled sampled =
			report_function_samples(profile, function, i);

		grid_add_number(grid, sampled.samples);
		grid_add_share(grid, sampled.events, event->events);
		if (event->is_clock)
			add_duration(grid, sampled.events);
	}
	if (profile->events.count && profile->counts.count && !profile->coverage) {
		const struct report_sampled sampled =
			report_function_samples(profile, function, 0);
		struct text text = {0};

		report_add_each(&text, profile, sampled.samples, sampled.events,
				function->calls);
		grid_add_text(grid, text.data);
		text_deinit(&text);
	}
}

void report_add_samples_columns(struct grid *grid, const struct report_profile *profile)
{
	if (!profile->events.count)
		return;
	grid_add_column(grid, "Samples", true);
	grid_add_column(grid, "Share", true);
}

void report_add_samples_cells(struct grid *grid, const struct report_profile *profile,
			      uint64_t samples)
{
	if (!profile->events.count)
		return;
	grid_add_number(grid, samples);
	grid_add_share(grid, samples, profile->events.items[0].selected);
}
