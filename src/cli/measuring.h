/* Options and the final summary, shared by the commands that measure. */
#ifndef TRAMMEL_CLI_MEASURING_H
#define TRAMMEL_CLI_MEASURING_H

#include "base/error.h"
#include "base/text.h"
#include "probe/program.h"
#include "cli/tool/using.h"
#include "session/options/options.h"

#include <popt.h>

/* Numbers that popt returns for options that need more than storing one word. */
enum measuring_option {
	OPTION_ONLY = 1,
	OPTION_SKIP,
	OPTION_AFTER,
	OPTION_FOR,
	OPTION_INTERVAL,
	OPTION_START_AT,
	OPTION_START_AT_LOAD,
	OPTION_START_AT_SIGNAL,
	OPTION_STOP_AT,
	OPTION_STOP_AT_LOAD,
	OPTION_STOP_AT_SIGNAL,
	OPTION_ONLY_PROGRAM,
	OPTION_SKIP_PROGRAM,
	OPTION_REGIONS,
	OPTION_BY_REGION,
	OPTION_EVENT,
	OPTION_FREQUENCY,
	OPTION_PERIOD,
	OPTION_NINTERPRET,
	OPTION_VFREQ,
	OPTION_SEED,
	OPTION_VALUES,
	OPTION_VALUES_PLUGIN,
	OPTION_MEMORY,
	OPTION_TOOL,
	OPTION_TOOL_OUTPUT,
	OPTION_TOOL_TIMEOUT,
	OPTION_PROBE,
	OPTION_PROBE_FILE,
	OPTION_LABELS,
	OPTION_ANALYSIS,
	OPTION_ELSEWHERE, /* not this file's */
	OPTION_HELP,
};

/* Storage for the values of the options. */
struct measuring {
	char *output, *measure, *calls, *threshold;
	int quiet, verbose, threads, no_follow, kernel, branches;
	struct text window;         /* the options of the measured window, as given */
	struct collector collector; /* all that is measured, in one */
	struct patterns regions;    /* functions that are regions */
	struct probe_program probes;
	struct text probe_place; /* where an error of a probe is; empty: none is */
	char *with_probes;       /* the list of measurements, the probes among them */
	struct tool_using using; /* tools, and labels */
	struct session_options options;
};

#define MEASURING_WORD(name, value, help, argument)                                      \
	{                                                                                \
		name, 0, POPT_ARG_STRING, NULL, value, help, argument                    \
	}

/* The rows of a popt table; `given` is a struct measuring. */
#define MEASURING_OPTIONS(given)                                                           \
	{"output",        'o', POPT_ARG_STRING,                                            \
	 &(given).output, 0,   "write the profile here (default PROGRAM.trm)",             \
	 "FILE"},                                                                          \
		{"measure",        'm', POPT_ARG_STRING,                                   \
		 &(given).measure, 0,   "what to measure (default functions)",             \
		 "NAME,..."},                                                              \
		MEASURING_WORD("only", OPTION_ONLY, "measure only functions that match",   \
			       "PATTERN"),                                                 \
		MEASURING_WORD("skip", OPTION_SKIP,                                        \
			       "do not measure functions that match", "PATTERN"),          \
		{"calls",        0, POPT_ARG_STRING,                                       \
		 &(given).calls, 0, "where relocated functions make calls (default auto)", \
		 "HOW"},                                                                   \
		MEASURING_WORD("after", OPTION_AFTER, "begin to count after this time",    \
			       "TIME"),                                                    \
		MEASURING_WORD("for", OPTION_FOR, "end the measurement after this time",   \
			       "TIME"),                                                    \
		MEASURING_WORD("interval", OPTION_INTERVAL,                                \
			       "tell the counts of intervals apart", "LENGTH"),            \
		MEASURING_WORD(                                                            \
			"start-at", OPTION_START_AT,                                       \
			"begin to count at the first call of a function that matches",     \
			"PATTERN"),                                                        \
		MEASURING_WORD("start-at-load", OPTION_START_AT_LOAD,                      \
			       "begin to count when a module that matches is loaded",      \
			       "MODULE"),                                                  \
		MEASURING_WORD("start-at-signal", OPTION_START_AT_SIGNAL,                  \
			       "begin to count when a process gets this signal",           \
			       "SIGNAL"),                                                  \
		MEASURING_WORD("stop-at", OPTION_STOP_AT,                                  \
			       "end the measurement at the first call of a function "      \
			       "that matches",                                             \
			       "PATTERN"),                                                 \
		MEASURING_WORD(                                                            \
			"stop-at-load", OPTION_STOP_AT_LOAD,                               \
			"end the measurement when a module that matches is loaded",        \
			"MODULE"),                                                         \
		MEASURING_WORD("stop-at-signal", OPTION_STOP_AT_SIGNAL,                    \
			       "end the measurement when a process gets this signal",      \
			       "SIGNAL"),                                                  \
		{"threads",                                                                \
		 0,                                                                        \
		 POPT_ARG_NONE,                                                            \
		 &(given).threads,                                                         \
		 0,                                                                        \
		 "tell the counts of threads apart",                                       \
		 NULL},                                                                    \
		{"no-follow",                                                              \
		 0,                                                                        \
		 POPT_ARG_NONE,                                                            \
		 &(given).no_follow,                                                       \
		 0,                                                                        \
		 "let child processes run unmeasured",                                     \
		 NULL},                                                                    \
		MEASURING_WORD("only-program", OPTION_ONLY_PROGRAM,                        \
			       "measure only processes of programs that match",            \
			       "PROGRAM"),                                                 \
		MEASURING_WORD("skip-program", OPTION_SKIP_PROGRAM,                        \
			       "do not measure processes of programs that match",          \
			       "PROGRAM"),                                                 \
		MEASURING_WORD("event", OPTION_EVENT,                                      \
			       "take samples by these events (default cpu-clock)",         \
			       "NAME,..."),                                                \
		MEASURING_WORD("frequency", OPTION_FREQUENCY,                              \
			       "take so many samples a second (default 1000)", "HZ"),      \
		MEASURING_WORD("period", OPTION_PERIOD,                                    \
			       "take a sample each time so many events have happened",     \
			       "NUMBER"),                                                  \
		{"kernel",                                                                 \
		 0,                                                                        \
		 POPT_ARG_NONE,                                                            \
		 &(given).kernel,                                                          \
		 0,                                                                        \
		 "take samples of the kernel's code, too",                                 \
		 NULL},                                                                    \
		{"branches",                                                               \
		 0,                                                                        \
		 POPT_ARG_NONE,                                                            \
		 &(given).branches,                                                        \
		 0,                                                                        \
		 "take the last branches with each sample",                                \
		 NULL},                                                                    \
		MEASURING_WORD("ninterpret", OPTION_NINTERPRET,                            \
			       "values: of so many instructions each time (default 8)",    \
			       "NUMBER"),                                                  \
		MEASURING_WORD("vfreq", OPTION_VFREQ,                                      \
			       "values: at each so many interrupts (default 1)",           \
			       "NUMBER"),                                                  \
		MEASURING_WORD("seed", OPTION_SEED,                                        \
			       "values: begin the jitter of their moments with this",      \
			       "NUMBER"),                                                  \
		MEASURING_WORD("values", OPTION_VALUES,                                    \
			       "values: which: vprof, vaddr, vreplay, vlatency",           \
			       "KIND,..."),                                                \
		MEASURING_WORD("values-plugin", OPTION_VALUES_PLUGIN,                      \
			       "values: a profiler of one's own, too", "FILE"),            \
		MEASURING_WORD("probe", OPTION_PROBE,                                      \
			       "measure this at points of the program, see "               \
			       "trammel-probe(7)",                                         \
			       "PROBE"),                                                   \
		MEASURING_WORD("probe-file", OPTION_PROBE_FILE,                            \
			       "the same, with probes in a file", "FILE"),                 \
		MEASURING_WORD("memory", OPTION_MEMORY,                                    \
			       "take no more than this for counters and code (default: "   \
			       "a quarter of the memory)",                                 \
			       "SIZE")

/* The rows for tools that run inside the program. */
#define MEASURING_TOOLS                                                                  \
	MEASURING_WORD("tool", OPTION_TOOL, "load this tool into the program",           \
		       "FILE[:WORDS]"),                                                  \
		MEASURING_WORD("labels", OPTION_LABELS,                                  \
			       "call routines of --analysis at these labels", "FILE"),   \
		MEASURING_WORD("analysis", OPTION_ANALYSIS,                              \
			       "the tool with the routines for --labels", "FILE"),       \
		MEASURING_WORD("tool-output", OPTION_TOOL_OUTPUT,                        \
			       "write what tools print here (default: standard error)",  \
			       "FILE"),                                                  \
		MEASURING_WORD(                                                          \
			"tool-timeout", OPTION_TOOL_TIMEOUT,                             \
			"switch tools off if a call takes this long (default 10s)",      \
			"TIME")

/* All that `trammel run` can be told of a measurement. */
#define MEASURING_RUN_OPTIONS(given)                                                     \
	MEASURING_OPTIONS(given),                                                        \
		MEASURING_WORD("regions", OPTION_REGIONS,                                \
			       "record calls of functions that match as regions",        \
			       "PATTERN"),                                               \
		{"by-region",                                                            \
		 0,                                                                      \
		 POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL,                                \
		 NULL,                                                                   \
		 OPTION_BY_REGION,                                                       \
		 "tell apart what was counted in each region; also in those of "         \
		 "--regions "                                                            \
		 "PATTERN",                                                              \
		 "PATTERN"},                                                             \
		{"threshold",                                                            \
		 0,                                                                      \
		 POPT_ARG_STRING,                                                        \
		 &(given).threshold,                                                     \
		 0,                                                                      \
		 "leave out waits that are shorter (default 100us)",                     \
		 "TIME"},                                                                \
		MEASURING_TOOLS

/* Where it is measured. */
#define MEASURING_FAR_OPTIONS                                                            \
	MEASURING_WORD("host", OPTION_ELSEWHERE,                                         \
		       "do it on these hosts, by ssh; @FILE: those in a file",           \
		       "HOST,..."),                                                      \
		MEASURING_WORD(                                                          \
			"agent-command", OPTION_ELSEWHERE,                               \
			"do it behind this command (%h: the host), which leads to "      \
			"'trammel agent --stdio'",                                       \
			"COMMAND")

/* Where options are from, and where it is measured: see options/configured.h. */
#define MEASURING_WAY_OPTIONS                                                            \
	{"options",                                                                      \
	 'f',                                                                            \
	 POPT_ARG_STRING,                                                                \
	 NULL,                                                                           \
	 OPTION_ELSEWHERE,                                                               \
	 "read options from this file, too",                                             \
	 "FILE"},                                                                        \
		MEASURING_FAR_OPTIONS

/* The option rows that stand last in each table. */
#define MEASURING_LAST_OPTIONS(given)                                                    \
	{"quiet", 'q', POPT_ARG_NONE, &(given).quiet, 0, "no summary at the end", NULL}, \
		{"verbose",                                                              \
		 'v',                                                                    \
		 POPT_ARG_NONE,                                                          \
		 &(given).verbose,                                                       \
		 0,                                                                      \
		 "name the functions that were not instrumented",                        \
		 NULL},                                                                  \
	{                                                                                \
		"help", 'h', POPT_ARG_NONE, NULL, OPTION_HELP, "show this help", NULL    \
	}

/* Prints the help on measurements, patterns and times, which follows popt's own help. */
void measuring_print_help(void);

/* Reads the options; `ret_help`: the help was asked for. */
struct trm_error *measuring_read(poptContext context, struct measuring *given,
				 const char *command, bool *ret_help);

/* Reads the options; 0: go on, else the exit status plus 1. `help` prints the help. */
int measuring_parse(poptContext context, struct measuring *given, const char *command,
		    void (*help)(poptContext context));

/* Completes given->options for a program; false, with a message, if -m is wrong, or
 * options contradict each other. */
bool measuring_complete(struct measuring *given, const char *program);

/* The same; what is wrong is returned. given->probe_place then has the place in a probe.
 */
struct trm_error *measuring_check(struct measuring *given, const char *program);

void measuring_deinit(struct measuring *given);

/* Prints the summary of the profile unless it was switched off, and writes the files
 * for compilers that the measurement asks for. */
void measuring_summarize(const struct measuring *given);

#endif
