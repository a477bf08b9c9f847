#include "cli/measuring.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "cli/commands.h"
#include "cli/options/words.h"
#include "cli/pbo.h"
#include "cli/probes.h"
#include "cli/tool/value_profiler.h"
#include "collect/collect.h"
#include "collect/probes/source.h"
#include "probe/parse.h"
#include "report/text/report.h"
#include "session/count/window.h"
#include "session/options/by_region.h"
#include "session/options/options.h"
#include "session/state/memory.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <strings.h>

void measuring_print_help(void)
{
	puts("\nMeasurements (-m):");
	for (const struct collector *const *c = collectors; *c; c++)
		printf("  %-14s %s\n", (*c)->name, (*c)->summary);
	puts("\nSeveral are separated by commas: they are measured in one run.");
	puts("\nPATTERN is a glob: FUNCTION, MODULE:FUNCTION, or MODULE: for whole "
	     "modules;\n"
	     "or addresses as reports show them: MODULE:0x1000-0x2000. Several are "
	     "separated\n"
	     "by commas. --skip wins over --only. MODULE is a glob for a file's name or "
	     "path,\n"
	     "or the name that programs are linked to (libc.so.6); PROGRAM is a glob for "
	     "a\n"
	     "file's name or path.\n"
	     "TIME is a number of seconds, or one with ms, s, m or h behind it: 10, "
	     "500ms.\n"
	     "LENGTH is a TIME, or with -m blocks a number of instructions with k, M or "
	     "G\n"
	     "behind it: 10M.\n");
}

static char *default_output(const char *program)
{
	struct text path = {0};

	text_format(&path, "%s.trm", path_name(program));
	return path.data;
}

/* Returns the path that --output means: `%p` stands for the process of trammel, `%%` for
 * "%", and a folder for the usual name in it. The caller frees it. */
static char *resolve_output(const char *given, const char *program)
{
	struct text path = {0};
	struct stat info;

	for (const char *at = given; *at; at++) {
		const bool is_mark = *at == '%' && (at[1] == 'p' || at[1] == '%');

		if (is_mark && *++at == 'p')
			text_format(&path, "%d", getpid());
		else
			text_add_bytes(&path, at, 1);
	}
	if (path.length && !stat(path.data, &info) && S_ISDIR(info.st_mode))
		text_format(&path, "%s%s.trm",
			    path.data[path.length - 1] == '/' ? "" : "/",
			    path_name(program));
	return path.data ? path.data : memory_copy_string("");
}

struct trm_error *measuring_read(poptContext context, struct measuring *given,
				 const char *command, bool *ret_help)
{
	struct trm_error *error = NULL;
	int option;

	*ret_help = false;
	given->options.memory_limit = memory_default_limit();
	given->options.tool_ns = 10000000000;
	while (!error && (option = poptGetNextOpt(context)) > 0) {
		char *argument = poptGetOptArg(context);

		if (option == OPTION_HELP) {
			*ret_help = true;
			return NULL;
		}
		error = measuring_take_word(given, option, argument);
		free(argument);
	}
	if (!error && option != -1)
		error = trm_error_create(
			TRM_ERROR_USAGE, "%s: %s. See 'trammel help %s'.",
			poptBadOption(context, 0), poptStrerror(option), command);
	return error;
}

int measuring_parse(poptContext context, struct measuring *given, const char *command,
		    void (*help)(poptContext context))
{
	bool wants_help;
	struct trm_error *error = measuring_read(context, given, command, &wants_help);

	if (wants_help) {
		help(context);
		return EXIT_DONE + 1;
	}
	if (!error)
		return 0;
	if (given->probe_place.length)
		fputs(given->probe_place.data, stderr);
	trm_error_print(error);
	return EXIT_USAGE + 1;
}

static struct trm_error *read_calls(const char *text, enum calls *ret_calls)
{
	static const char *const names[] = {
		[CALLS_AUTO] = "auto",
		[CALLS_IN_PLACE] = "in-place",
		[CALLS_RELOCATED] = "relocated",
	};

	for (size_t i = 0; text && i < array_count(names); i++) {
		if (strcmp(text, names[i]) != 0)
			continue;
		*ret_calls = (enum calls)i;
		return NULL;
	}
	return text ? trm_error_create(TRM_ERROR_USAGE,
				       "--calls=%s: it is one of auto, in-place and "
				       "relocated",
				       text)
		    : NULL;
}

/* The functions that are regions are those that code is put into. */
static struct trm_error *take_spans(struct measuring *given)
{
	if (!given->collector.slot_size && given->options.only.count)
		return trm_error_create(TRM_ERROR_USAGE,
					"--regions: --only is for functions that are "
					"counted: leave it out");
	if (given->collector.paths)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"--regions cannot be given with -m paths: measure "
			"them one after the other");
	collector_add_spans(&given->collector);
	*(given->collector.spans_alone ? &given->options.only : &given->options.regions) =
		given->regions;
	given->regions = (struct patterns){0};
	return NULL;
}

/* What only counts of code can have. */
static struct trm_error *check_regions(struct measuring *given)
{
	static const char *const what[2][2][2] = {
		{{"regions", "regions,trace"}, {"regions,spans", "regions,trace,spans"}},
		{{"regions,openmp", "regions,trace,openmp"},
		 {"regions,spans,openmp", "regions,trace,spans,openmp"}}};
	const struct session_options *options = &given->options;
	bool spans = given->regions.count;
	/* Of samples it must be known later in which region they are. */
	bool trace = given->collector.trace || given->collector.samples;

	if (!given->collector.regions && !spans)
		return NULL;
	given->options.context.what = what[given->collector.openmp][spans][trace];
	given->options.context.mpi = given->collector.mpi;
	if (spans)
		return take_spans(given);
	if (given->collector.slot_size)
		return NULL;
	if (options->only.count || options->skip.count)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"-m %s measures what programs say of themselves: --only and "
			"--skip are for counts of code",
			given->collector.name);
	/* No function's calls are regions, but parts and processes are told apart. */
	if (given->window.length || options->only_programs.count ||
	    options->skip_programs.count || given->no_follow) {
		collector_add_spans(&given->collector);
		given->options.hooks_alone = true;
	}
	return NULL;
}

/* Threads are looked at in an interval; those that run are sampled as often. */
static struct trm_error *check_stacks(struct measuring *given)
{
	const uint64_t usual_ns = 100000000;
	struct session_samples *samples = &given->options.samples;
	struct session_window *window = &given->options.window;

	if (samples->events || samples->rate.frequency || samples->rate.period)
		return trm_error_create(TRM_ERROR_USAGE,
					"-m stacks looks at threads every --interval: "
					"leave --event, --frequency and --period out");
	if (given->kernel || given->branches)
		return trm_error_create(TRM_ERROR_USAGE,
					"-m stacks is of user code: leave --kernel and "
					"--branches out");
	if (strcmp(given->with_probes, "stacks") != 0)
		return trm_error_create(TRM_ERROR_USAGE,
					"-m stacks is for programs that are not traced, "
					"and alone: measure '%s' in runs of their own",
					given->with_probes);
	if (window->interval_instructions)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"threads are looked at every --interval, which is "
			"a time: write 100ms");
	samples->look_ns = window->interval_ns ? window->interval_ns : usual_ns;
	samples->rate.period = samples->look_ns;
	samples->events = memory_copy_string("task-clock");
	window->interval_ns = 0;
	return NULL;
}

/* Values are sampled in a program that is traced, with code of counters in it or not. */
static struct trm_error *check_values(struct measuring *given)
{
	struct session_options *options = &given->options;
	struct session_values *values = &options->values;

	if (!given->collector.values) {
		if (!values->length && !values->every && !values->seed &&
		    !values->kinds && !values->profiler)
			return NULL;
		return trm_error_create(TRM_ERROR_USAGE,
					"--ninterpret, --vfreq, --seed, --values and "
					"--values-plugin are for values: give -m values");
	}
	values->on = true;
	values->length = values->length ?: VALUES_LENGTH;
	values->every = values->every ?: 1;
	TRM_TRY(value_kinds_read(values));
	if (given->collector.slot_size)
		return NULL;
	if (options->only.count || options->skip.count)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"-m values takes samples of all that runs: --only "
			"and --skip are for counts of code, and for "
			"-m values:exact");
	collector_add_values(&given->collector);
	/* No function has this name: all files have hooks, and nothing else. */
	patterns_add(&options->only, "*:(none)");
	return NULL;
}

/* Whether functions are chosen, or parts of a run other than by time: only what is
 * counted in code can be told apart so. */
static bool has_parts_of_code(const struct session_options *options)
{
	const struct session_window *window = &options->window;

	return options->only.count || options->skip.count || window->interval_ns ||
	       window->interval_instructions || window->start.calls.count ||
	       window->start.loads.count || window->start.signals ||
	       window->stop.calls.count || window->stop.loads.count ||
	       window->stop.signals;
}

/* Waits are those of all the program, which is not changed. */
static struct trm_error *check_waits(struct measuring *given)
{
	const uint64_t usual_ns = 100000;
	struct session_options *options = &given->options;

	if (given->threshold && !given->collector.waits)
		return trm_error_create(TRM_ERROR_USAGE,
					"--threshold is for waits: give -m waits");
	if (!given->collector.waits)
		return NULL;
	if (strcmp(given->with_probes, "waits") != 0 || given->regions.count ||
	    options->tools.count)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"-m waits changes nothing of the program, and is "
			"measured alone: measure '%s' in runs of their own",
			given->with_probes);
	if (has_parts_of_code(options))
		return trm_error_create(
			TRM_ERROR_USAGE,
			"-m waits follows all calls, and those of the times that --after "
			"and --for say: other parts and functions are for counts of "
			"code");
	options->samples.threshold_ns = usual_ns;
	return given->threshold && strcmp(given->threshold, "0") != 0
		       ? measuring_time("threshold", given->threshold,
					&options->samples.threshold_ns)
	       : given->threshold ? (options->samples.threshold_ns = 0, NULL)
				  : NULL;
}

/* Samples are taken of what runs, however it was changed; regions have a profile of
 * their own. */
static struct trm_error *check_samples(struct measuring *given)
{
	TRM_TRY(check_waits(given));

	struct session_options *options = &given->options;
	const struct collector *collector = &given->collector;
	struct session_samples *samples = &options->samples;
	const bool asked = samples->events || samples->rate.frequency ||
			   samples->rate.period || given->kernel || given->branches;

	if (asked && !collector->samples &&
	    !(collector->values && !samples->events && !samples->rate.period))
		return trm_error_create(
			TRM_ERROR_USAGE,
			"--event, --frequency, --period, --kernel and --branches are "
			"for samples: give -m samples");
	if (!collector->samples)
		return NULL;
	if (samples->rate.frequency && samples->rate.period)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"--frequency and --period say the same in two ways: "
			"leave one out");
	if (collector->stacks)
		TRM_TRY(check_stacks(given));
	if (collector->stacks && (collector->regions || given->regions.count))
		return trm_error_create(TRM_ERROR_USAGE,
					"stacks and regions cannot be measured together: "
					"-m samples,regions tells where regions run");
	if (!samples->events)
		samples->events =
			memory_copy_string(given->branches ? "cycles" : "cpu-clock");
	samples->rate.kernel = given->kernel;
	samples->rate.branches = given->branches;
	if (!samples->rate.frequency)
		samples->rate.frequency = SAMPLE_FREQUENCY;
	samples->rate.callpath = collector->callpath;
	if (collector->slot_size)
		return NULL;
	if (has_parts_of_code(options))
		return trm_error_create(
			TRM_ERROR_USAGE,
			"-m %s takes samples of all that runs, and of the times that "
			"--after and --for say: other parts and functions are for "
			"counts of code",
			collector->name);
	return options->tools.count
		       ? trm_error_create(
				 TRM_ERROR_USAGE,
				 "--tool is for programs that are traced: give a "
				 "measurement that counts, too")
		       : NULL;
}

/* Values of all executions are a tool's. */
static struct trm_error *add_exact_values(struct measuring *given, const char *list)
{
	scoped_free char *copy = memory_copy_string(list);
	char *rest = copy, *name;
	bool exact = false, sampled = false, regions = given->regions.count;

	while ((name = strsep(&rest, ","))) {
		exact |= !strcmp(name, collector_values_exact.name);
		sampled |= !strcmp(name, collector_values.name);
		regions |= !strcmp(name, collector_regions.name) ||
			   !strcmp(name, collector_trace.name);
	}
	if (exact && sampled)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"values of all executions and of samples cannot be "
			"told apart in one profile: leave one out");
	if (exact)
		tool_choices_add(&given->options.tools,
				 regions ? "values:by=region" : "values");
	return NULL;
}

/* The measurements of -m, and the probes. */
static struct trm_error *choose_measures(struct measuring *given)
{
	const char *list = given->measure                ? given->measure
			   : given->options.by_region.on ? "functions"
			   : given->regions.count        ? "regions"
			   : given->probes.probes.count  ? "probes"
							 : "functions";
	struct text whole = {0};

	TRM_TRY(add_exact_values(given, list));
	TRM_TRY(tool_using_begin(&given->using, &given->options));
	if (given->using.points && !given->measure && !strcmp(list, "functions"))
		list = "tools";
	text_add(&whole, list);
	if (given->using.points && !strstr(list, "tools"))
		text_add(&whole, ",tools");
	if (given->probes.probes.count && !strstr(list, "probes"))
		text_add(&whole, ",probes");
	if ((given->options.by_region.on || given->using.regions ||
	     probe_program_has_regions(&given->probes)) &&
	    !strstr(list, "regions"))
		text_add(&whole, ",regions");
	given->with_probes = whole.data;
	TRM_TRY(collector_combine(given->with_probes, &given->collector));
	if (given->options.by_region.on)
		probe_program_add_phases(&given->probes);
	if (given->using.points || probe_program_calls(&given->probes))
		collector_add_routines(&given->collector);
	if (given->probes.probes.count)
		probes_source_begin(&given->options, &given->probes);
	else if (strstr(list, "probes"))
		return trm_error_create(TRM_ERROR_USAGE,
					"-m probes measures what --probe says: give one");
	return NULL;
}

struct trm_error *measuring_check(struct measuring *given, const char *program)
{
	struct trm_error *error = choose_measures(given);

	given->options.collector = &given->collector;
	if (!error && given->collector.points)
		given->options.points.items[given->options.points.count++] =
			given->collector.points;
	if (!error && given->probes.probes.count)
		error = probes_check(&given->probes, program, &given->probe_place);
	if (!error)
		error = read_calls(given->calls, &given->options.calls);
	if (!error && given->collector.calls && !given->collector.graph &&
	    given->options.calls == CALLS_RELOCATED)
		error = trm_error_create(
			TRM_ERROR_USAGE,
			"-m calls knows call sites by their return addresses, which "
			"--calls=relocated changes: leave one out");
	if (!error)
		error = check_values(given);
	if (!error)
		error = check_samples(given);
	if (!error)
		error = by_region_check(&given->options, given->with_probes,
					&given->regions);
	if (!error)
		error = check_regions(given);
	char *output = given->output ? resolve_output(given->output, program)
				     : default_output(program);

	free(given->output);
	given->options.output = given->output = output;
	given->options.quiet = given->quiet;
	given->options.verbose = given->verbose;
	given->options.threads = given->threads;
	given->options.no_follow = given->no_follow;
	given->options.window.words = given->window.data;
	if (!error)
		error = window_check(&given->options);
	return error;
}

bool measuring_complete(struct measuring *given, const char *program)
{
	struct trm_error *error = measuring_check(given, program);

	if (error && given->probe_place.length)
		fputs(given->probe_place.data, stderr);
	if (error)
		trm_error_print(error);
	return !error;
}

void measuring_deinit(struct measuring *given)
{
	probes_source_end(&given->options);
	probe_program_deinit(&given->probes);
	text_deinit(&given->probe_place);
	free(given->with_probes);
	patterns_deinit(&given->options.only);
	patterns_deinit(&given->options.skip);
	patterns_deinit(&given->regions);
	patterns_deinit(&given->options.regions);
	patterns_deinit(&given->options.only_programs);
	patterns_deinit(&given->options.skip_programs);
	window_edge_deinit(&given->options.window.start);
	window_edge_deinit(&given->options.window.stop);
	tool_using_end(&given->using);
	tool_choices_deinit(&given->options.tools);
	free(given->options.tool_output);
	free(given->options.samples.events);
	free(given->options.values.kinds);
	text_deinit(&given->window);
	free(given->output);
	free(given->measure);
	free(given->calls);
	free(given->threshold);
}

void measuring_summarize(const struct measuring *given)
{
	struct report_options report = {.verbose = given->verbose != 0};
	struct trm_error *error = NULL;

	if (!given->quiet)
		error = report_text_summary(stderr, given->options.output, &report);
	if (error)
		trm_error_print(error);
	else if (given->options.collector->pbo)
		pbo_write_beside(given->options.output, given->quiet);
}
