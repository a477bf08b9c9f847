#include "cli/commands.h"

#include "report/json/json.h"
#include "report/text/report.h"

#include <errno.h>
#include <popt.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* The command line, words as given; all strings are popt's copies. */
struct arguments {
	int json, all, verbose, no_pager, help;
	char *by, *process, *module, *limit, *sort, *colour;
	char *file;
};

static struct arguments arguments;

static const struct poptOption option_table[] = {
	{"by", 0, POPT_ARG_STRING, &arguments.by, 0,
	 "what a row is: function (the default), module or process", "WHAT"},
	{"sort", 0, POPT_ARG_STRING, &arguments.sort, 0,
	 "order of the rows: calls (the default), name or module", "KEY"},
	{"process", 0, POPT_ARG_STRING, &arguments.process, 0,
	 "only what this process executed", "PID"},
	{"module", 0, POPT_ARG_STRING, &arguments.module, 0,
	 "only modules whose name or path matches the shell pattern", "GLOB"},
	{"limit", 'n', POPT_ARG_STRING, &arguments.limit, 0,
	 "at most N rows a table; the default is 30", "N"},
	{"all", 'a', POPT_ARG_NONE, &arguments.all, 0, "all rows", NULL},
	{"verbose", 'v', POPT_ARG_NONE, &arguments.verbose, 0,
	 "name the functions that were not instrumented", NULL},
	{"json", 0, POPT_ARG_NONE, &arguments.json, 0, "one JSON object, with all rows",
	 NULL},
	{"color", 0, POPT_ARG_STRING, &arguments.colour, 0,
	 "colours: auto (the default: on a terminal), always or never", "WHEN"},
	{"no-pager", 0, POPT_ARG_NONE, &arguments.no_pager, 0,
	 "do not page reports longer than the screen", NULL},
	{"help", 'h', POPT_ARG_NONE, &arguments.help, 0, "show this help", NULL},
	POPT_TABLEEND};

static void print_help(void)
{
	puts("Usage: trammel report [OPTION]... FILE\n"
	     "Shows a profile that `trammel run` wrote.\n");
	for (const struct poptOption *option = option_table; option->longName; option++) {
		char name[64];

		snprintf(name, sizeof(name), "--%s%s%s", option->longName,
			 option->argDescrip ? "=" : "",
			 option->argDescrip ? option->argDescrip : "");
		if (option->shortName)
			printf("  -%c, %-16s %s\n", option->shortName, name,
			       option->descrip);
		else
			printf("      %-16s %s\n", name, option->descrip);
	}
}

/* The option that is nearest to a mistyped one; NULL if none is near. */
static const char *nearest_option(const char *typed)
{
	const char *best = NULL;
	size_t best_distance = 4;
	char name[64];

	snprintf(name, sizeof(name), "%s", typed + strspn(typed, "-"));
	name[strcspn(name, "=")] = '\0';
	for (const struct poptOption *option = option_table; option->longName; option++) {
		size_t distance = text_distance(name, option->longName);

		if (distance < best_distance && distance < strlen(option->longName)) {
			best = option->longName;
			best_distance = distance;
		}
	}
	return best;
}

static struct trm_error *describe_option_error(poptContext context, int code)
{
	const char *typed = poptBadOption(context, POPT_BADOPTION_NOALIAS);
	const char *best = code == POPT_ERROR_BADOPT ? nearest_option(typed) : NULL;
	int length = (int)strcspn(typed, "=");

	if (code != POPT_ERROR_BADOPT)
		return trm_error_create(TRM_ERROR_USAGE, "option '%.*s': %s", length,
					typed, poptStrerror(code));
	if (best)
		return trm_error_create(TRM_ERROR_USAGE,
					"unknown option '%.*s': did you mean '--%s'?",
					length, typed, best);
	return trm_error_create(TRM_ERROR_USAGE,
				"unknown option '%.*s': trammel report --help shows all",
				length, typed);
}

static struct trm_error *parse_arguments(int argc, const char **argv)
{
	poptContext context = poptGetContext("report", argc, argv, option_table, 0);
	int code;
	struct trm_error *error = NULL;

	while ((code = poptGetNextOpt(context)) > 0)
		;
	const char *file = code == -1 ? poptGetArg(context) : NULL;

	if (code < -1)
		error = describe_option_error(context, code);
	else if (!arguments.help && !file)
		error = trm_error_create(TRM_ERROR_USAGE,
					 "no file: trammel report FILE, a profile that "
					 "trammel run wrote");
	else if (!arguments.help && poptPeekArg(context))
		error = trm_error_create(
			TRM_ERROR_USAGE,
			"one file at a time, not '%s' too: put profiles behind "
			"each other with cat to see them together",
			poptPeekArg(context));
	if (!error && file)
		arguments.file = memory_copy_string(file);
	poptFreeContext(context);
	return error;
}

static void free_arguments(void)
{
	free(arguments.by);
	free(arguments.process);
	free(arguments.module);
	free(arguments.limit);
	free(arguments.sort);
	free(arguments.colour);
	free(arguments.file);
	arguments = (struct arguments){0};
}

/* Which of three words an option's value is; the first if it was not given. */
static struct trm_error *choose(const char *option, const char *given,
				const char *const words[3], int *ret_index)
{
	int best = 0;
	size_t best_distance = SIZE_MAX;

	for (int i = 0; i < 3; i++) {
		size_t distance = given ? text_distance(given, words[i]) : (size_t)i;

		if (distance < best_distance) {
			best = i;
			best_distance = distance;
		}
	}
	if (best_distance && best_distance <= 2)
		return trm_error_create(TRM_ERROR_USAGE,
					"--%s '%s' is unknown: did you mean '%s'?",
					option, given, words[best]);
	if (best_distance)
		return trm_error_create(TRM_ERROR_USAGE,
					"--%s '%s' is unknown: choose %s, %s or %s",
					option, given, words[0], words[1], words[2]);
	*ret_index = best;
	return NULL;
}

/* A decimal number; 0 if the option was not given. */
static struct trm_error *parse_number(const char *option, const char *given,
				      uint64_t least, uint64_t *ret_number)
{
	char *end;

	*ret_number = 0;
	if (!given)
		return NULL;
	errno = 0;
	*ret_number = strtoull(given, &end, 10);
	if (errno || !*given || *end || strspn(given, "0123456789") != strlen(given) ||
	    *ret_number < least)
		return trm_error_create(TRM_ERROR_USAGE,
					"--%s '%s' is no number from %llu up", option,
					given, (unsigned long long)least);
	return NULL;
}

static struct trm_error *read_options(struct report_options *options,
				      struct report_filter *filter)
{
	static const char *const by[] = {"function", "module", "process"};
	static const char *const sorts[] = {"calls", "name", "module"};
	static const char *const colours[] = {"auto", "always", "never"};
	int chosen_by, chosen_sort, chosen_colour;
	uint64_t limit;

	TRM_TRY(choose("by", arguments.by, by, &chosen_by));
	TRM_TRY(choose("sort", arguments.sort, sorts, &chosen_sort));
	TRM_TRY(choose("color", arguments.colour, colours, &chosen_colour));
	TRM_TRY(parse_number("limit", arguments.limit, 1, &limit));
	TRM_TRY(parse_number("process", arguments.process, 0, &filter->process));
	filter->one_process = arguments.process != NULL;
	filter->module = arguments.module;
	*options = (struct report_options){
		.by = (enum report_by)chosen_by,
		.sort = (enum report_sort)chosen_sort,
		.limit = limit,
		.all = arguments.all,
		.verbose = arguments.verbose,
	};
	options->colour = report_colour_on(stdout, (enum report_colour)chosen_colour)
				  ? REPORT_COLOUR_ALWAYS
				  : REPORT_COLOUR_NEVER;
	return NULL;
}

/* Shows the text with $PAGER. False if it could not be started. */
static bool show_paged(const struct text *text)
{
	const char *pager = getenv("PAGER");
	void (*old)(int);
	FILE *pipe;
	int status;

	if (!pager)
		pager = "less -RFX";
	if (!*pager)
		return false;
	/* Who leaves the pager early does not want to hear of a broken pipe. */
	old = signal(SIGPIPE, SIG_IGN);
	pipe = popen(pager, "w");
	if (pipe)
		fwrite(text->data, 1, text->length, pipe);
	status = pipe ? pclose(pipe) : -1;
	signal(SIGPIPE, old);
	/* 126 and 127 are the shell's: there is no such pager. */
	return status != -1 && !(WIFEXITED(status) && WEXITSTATUS(status) >= 126);
}

static struct trm_error *show(const struct text *text, size_t screen_lines)
{
	size_t lines = 0;

	for (size_t i = 0; i < text->length; i++)
		lines += text->data[i] == '\n';
	if (screen_lines && lines >= screen_lines && !arguments.no_pager &&
	    show_paged(text))
		return NULL;
	errno = 0;
	if (fwrite(text->data, 1, text->length, stdout) != text->length || fflush(stdout))
		return trm_error_system(errno, "cannot write the report");
	return NULL;
}

static struct trm_error *report_profile(const struct report_profile *profile,
					struct report_options *options)
{
	struct text text = {0};
	size_t lines;
	struct trm_error *error;

	report_terminal_size(stdout, &options->width, &lines);
	if (arguments.json)
		report_json(profile, options, &text);
	else
		report_text(profile, options, &text);
	error = show(&text, arguments.json ? 0 : lines);
	text_deinit(&text);
	return error;
}

static struct trm_error *report(int argc, const char **argv)
{
	struct report_profile *profile;
	struct report_options options;
	struct report_filter filter;

	TRM_TRY(parse_arguments(argc, argv));
	if (arguments.help) {
		print_help();
		return NULL;
	}
	TRM_TRY(read_options(&options, &filter));
	TRM_TRY(report_profile_load(arguments.file, &profile));
	if (profile->warning)
		fprintf(stderr, "trammel: warning: %s\n", profile->warning);
	struct trm_error *error = report_profile_select(profile, &filter);

	if (!error)
		error = report_profile(profile, &options);
	report_profile_destroy(profile);
	return error;
}

int cmd_report(int argc, const char **argv)
{
	struct trm_error *error = report(argc, argv);
	int status = EXIT_DONE;

	if (error) {
		status = error->code == TRM_ERROR_USAGE ? EXIT_USAGE : EXIT_FAILED;
		trm_error_print(error);
	}
	free_arguments();
	return status;
}
