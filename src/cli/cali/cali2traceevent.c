/*
 * `cali2traceevent`: the program of this name of LLNL's Caliper, with its options. See
 * man/cali2traceevent.1.md. Options become those of the format trace-event of a query.
 */
#include "query/parse.h"
#include "query/run.h"
#include "cli/cali/options.h"
#include "query/query.h"
#include "record/trm_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_WRONG = 1, STATUS_FAILED = 4 };

enum option {
	OPTION_COUNTERS,
	OPTION_PRETTY,
	OPTION_SORT,
	OPTION_SYNC,
	OPTION_PROCESSES,
	OPTION_THREADS,
	OPTION_VERBOSE,
	OPTION_HELP,
	OPTION_COUNT
};

static const struct cali_option options[OPTION_COUNT + 1] = {
	[OPTION_COUNTERS] = {"counters", 0, "GROUP=ATTRIBUTES",
			     "show these as counters, those of a group together"},
	[OPTION_PRETTY] = {"pretty", 0, NULL, "a line for each member of each event"},
	[OPTION_SORT] = {"sort", 0, NULL, "for old scripts: events come in any order"},
	[OPTION_SYNC] = {"sync", 0, NULL,
			 "shift the processes' times to one another: reads files twice"},
	[OPTION_PROCESSES] = {"pid-attributes", 0, "ATTRIBUTES",
			      "what tells processes apart, before mpi.rank"},
	[OPTION_THREADS] = {"tid-attributes", 0, "ATTRIBUTES",
			    "what tells threads apart, before thread, omp.thread.id and "
			    "pthread.id"},
	[OPTION_VERBOSE] = {"verbose", 'v', NULL, "say which files are read"},
	[OPTION_HELP] = {"help", 'h', NULL, "this help"},
};

static struct {
	bool given[OPTION_COUNT];
	struct text format; /* options of the query's format */
	struct cali_words files;
	const char *output; /* NULL: standard output */
	FILE *out;
} arguments;

static void take_option(int option, const char *argument)
{
	if (options[option].argument || option == OPTION_PRETTY ||
	    option == OPTION_SYNC) {
		text_add(&arguments.format, arguments.format.length ? ", " : "(");
		text_add(&arguments.format, options[option].name);
	}
	if (options[option].argument) {
		text_add(&arguments.format, "=");
		cali_add_quoted(&arguments.format, argument, "");
	}
	arguments.given[option] = true;
}

static void print_help(FILE *out)
{
	fputs("cali2traceevent [OPTION]... FILE... [OUTPUT.json]\n"
	      "  Writes traces (.cali, .trm) as Perfetto and chrome://tracing read "
	      "them.\n\n",
	      out);
	cali_options_print(options, out);
}

static int report_error(struct trm_error *error, int status)
{
	fprintf(stderr, "cali2traceevent: %s\n", error->message);
	trm_error_destroy(error);
	return status;
}

static struct trm_error *read_file(const char *path, struct record_model *model,
				   const struct trm_visitor *visitor, char **ret_warning)
{
	if (arguments.given[OPTION_VERBOSE])
		fprintf(stderr, "Processing %s\n", path);
	return trm_read(path, model, visitor, ret_warning);
}

static struct trm_error *write_part(const struct text *text)
{
	if (fwrite(text->data ? text->data : "", 1, text->length, arguments.out) ==
	    text->length)
		return NULL;
	return trm_error_system(errno, "cannot write");
}

static struct trm_error *convert_profiles(const struct query *query)
{
	const struct query_style style = {0};
	struct text warnings = {0};
	struct trm_error *error;

	arguments.out = arguments.output ? fopen(arguments.output, "we") : stdout;
	if (!arguments.out)
		return trm_error_system(errno, "cannot open '%s'", arguments.output);
	error = query_stream(query, arguments.files.items, arguments.files.count, &style,
			     write_part, &warnings);
	if (fflush(arguments.out) && !error)
		error = trm_error_system(errno, "cannot write");
	if (arguments.output && fclose(arguments.out) && !error)
		error = trm_error_system(errno, "cannot write '%s'", arguments.output);
	text_print_warnings(&warnings, "cali2traceevent");
	text_deinit(&warnings);
	return error;
}

static int run_conversion(void)
{
	struct cali_words *files = &arguments.files;
	const char *last = files->items[files->count - 1];
	size_t length = strlen(last);
	struct text text = {0};
	struct query *query;
	size_t place;

	if (files->count > 1 && length > 5 && !strcmp(last + length - 5, ".json")) {
		arguments.output = last;
		files->count--;
	}
	text_add(&text, "FORMAT trace-event");
	if (arguments.format.length) {
		text_add(&text, arguments.format.data);
		text_add(&text, ")");
	}
	struct trm_error *error = query_parse(text.data, &query, &place);

	text_deinit(&text);
	if (error)
		return report_error(error, STATUS_WRONG);
	query->read = read_file;
	error = convert_profiles(query);
	query_destroy(query);
	return error ? report_error(error, STATUS_FAILED) : 0;
}

int main(int argc, const char **argv)
{
	const char *unknown =
		cali_options_parse(options, argv, take_option, &arguments.files);
	int status = STATUS_WRONG;

	(void)argc;
	if (unknown)
		fprintf(stderr,
			"cali2traceevent: unknown option \"%s\": see cali2traceevent "
			"--help\n",
			unknown);
	else if (arguments.given[OPTION_HELP])
		print_help(stdout);
	else if (!arguments.files.count)
		print_help(stderr);
	else
		status = run_conversion();
	if (!unknown && arguments.given[OPTION_HELP])
		status = 0;
	text_deinit(&arguments.format);
	vector_deinit(&arguments.files);
	return status;
}
