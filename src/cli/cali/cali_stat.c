/*
 * `cali-stat`: the program of this name of LLNL's Caliper, with its options and its
 * output. See man/cali-stat.1.md.
 */
#include "record/cali_writer.h"
#include "record/model.h"
#include "base/cleanup.h"
#include "cli/cali/count.h"
#include "cli/cali/options.h"
#include "record/record.h"
#include "record/trm_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As Caliper has them, but for the last: it says 0. */
enum { STATUS_OPTION = 255, STATUS_OUTPUT = 254, STATUS_READ = 4 };

enum option { OPTION_REUSE, OPTION_OUTPUT, OPTION_HELP, OPTION_COUNT };

static const struct cali_option options[OPTION_COUNT + 1] = {
	[OPTION_REUSE] = {"reuse-statistics", 'r', NULL,
			  "how often each attribute's values in the tree are used"},
	[OPTION_OUTPUT] = {"output", 'o', "FILE", "write there"},
	[OPTION_HELP] = {"help", 'h', NULL, "this help"},
};

static struct {
	const char *given[OPTION_COUNT];
	struct cali_words files;
} arguments;

static void take_option(int option, const char *argument)
{
	if (!arguments.given[option])
		arguments.given[option] = argument;
}

/* Counts what is written of a profile that is no .cali file, as one of it would be. */
struct rewriting {
	struct cali_counts *counts;
	struct cali_writer *writer;
	struct text out;
};

static void count_written(struct rewriting *rewriting)
{
	const char *line = rewriting->out.data, *end = line + rewriting->out.length;

	while (line < end) {
		cali_counts_line(rewriting->counts, line);
		line = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
	}
	rewriting->out.length = 0;
}

static void on_record(void *context, record_node node, const struct record_pair *pairs,
		      size_t count)
{
	struct rewriting *rewriting = context;

	cali_writer_record(rewriting->writer, node, pairs, count);
	count_written(rewriting);
}

static void on_global(void *context, record_attribute attribute,
		      struct record_value value)
{
	struct rewriting *rewriting = context;

	cali_writer_global(rewriting->writer, attribute, value);
}

/* `file` is at its begin; a pipe cannot be opened again. */
static struct trm_error *read_profile(FILE *file, const char *path,
				      struct record_model *model,
				      const struct trm_visitor *visitor,
				      char **ret_warning)
{
	struct trm_error *error;
	struct text all = {0};
	char bytes[4096];
	size_t got;

	if (lseek(fileno(file), 0, SEEK_CUR) >= 0)
		return trm_read(path, model, visitor, ret_warning);
	text_add(&all, "");
	while ((got = fread(bytes, 1, sizeof(bytes), file)))
		text_add_bytes(&all, bytes, got);
	error = trm_read_memory(all.data, all.length, path, model, visitor, ret_warning);
	text_deinit(&all);
	return error;
}

static struct trm_error *count_profile(struct cali_counts *counts, FILE *file,
				       const char *path)
{
	struct rewriting rewriting = {.counts = counts};
	const struct trm_visitor visitor = {
		.context = &rewriting, .record = on_record, .global = on_global};
	struct record_model *model = record_model_create();
	char *warning = NULL;

	text_add(&rewriting.out, "");
	rewriting.writer = cali_writer_create(&rewriting.out);
	cali_writer_use(rewriting.writer, model);
	struct trm_error *error = read_profile(file, path, model, &visitor, &warning);

	cali_writer_finish(rewriting.writer);
	count_written(&rewriting);
	text_deinit(&rewriting.out);
	record_model_destroy(model);
	if (warning)
		fprintf(stderr, "cali-stat: warning: %s\n", warning);
	free(warning);
	return error;
}

static void count_lines(struct cali_counts *counts, FILE *file, const char *path)
{
	scoped_free char *line = NULL;
	size_t size = 0;
	uint64_t lines = 0, wrong = 0, first = 0;
	ssize_t length;

	while ((length = getline(&line, &size, file)) > 0) {
		lines++;
		/* The last line of a file that was cut off. */
		bool whole = line[length - 1] == '\n';

		if (whole && cali_counts_line(counts, line))
			continue;
		if (!wrong++)
			first = lines;
	}
	if (wrong)
		fprintf(stderr,
			"cali-stat: warning: '%s', line %" PRIu64
			": it makes no sense; %" PRIu64 " lines are left out\n",
			path, first, wrong);
}

static struct trm_error *count_file(struct cali_counts *counts, const char *path)
{
	scoped_file FILE *file = fopen(path, "re");
	struct trm_error *error = NULL;
	int first;

	if (!file)
		return trm_error_system(errno, "cannot open '%s'", path);
	first = getc(file);
	ungetc(first, file);
	cali_counts_begin(counts);
	if (first == '_' || first == '\n')
		count_lines(counts, file, path);
	else
		error = count_profile(counts, file, path);
	cali_counts_end(counts);
	return error;
}

static void add_size(FILE *out, uint64_t bytes)
{
	static const char *const units[] = {"", "KiB", "MiB", "GiB"};
	double size = (double)bytes;
	char text[40];
	int unit = 0;

	for (; size > 1024 && unit < 3; unit++)
		size /= 1024;
	snprintf(text, sizeof(text), "%g%s", size, units[unit]);
	fprintf(out, "%-15s", text);
}

static void print_counts(const struct cali_counts *counts, FILE *out)
{
	uint64_t in_nodes = 4 * counts->nodes;
	uint64_t in_snapshots = counts->references + 2 * counts->values;
	double snapshots = (double)counts->snapshots;

	fprintf(out,
		"Number of records\n"
		"Total          Nodes          Snapshots\n"
		"%-15" PRIu64 "%-15" PRIu64 "%-15" PRIu64 "\n",
		counts->snapshots + counts->nodes, counts->nodes, counts->snapshots);
	fprintf(out,
		"\nNumber of elements\n"
		"Total          Nodes          Tree refs      Direct val\n"
		"%-15" PRIu64 "%-15" PRIu64 "%-15" PRIu64 "%-15" PRIu64 "\n",
		in_snapshots + in_nodes, in_nodes, counts->references,
		2 * counts->values);
	fputs("\nData size (est.)\n"
	      "Total          Nodes          Snapshots\n",
	      out);
	add_size(out, counts->node_bytes + 8 * counts->references);
	add_size(out, counts->node_bytes);
	add_size(out, 8 * counts->references);
	fputs("\n", out);
	if (!counts->snapshots)
		return;
	fprintf(out,
		"\nElements/snapshot\n"
		"Min            Max            Average\n"
		"%-15" PRIu64 "%-15" PRIu64 "%-15g\n",
		counts->least, counts->most, (double)in_snapshots / snapshots);
	fprintf(out,
		"\nAttributes referenced in snapshot records\n"
		"Total          Average        Refs/Elem\n"
		"%-15" PRIu64 "%-15g%-15g\n",
		counts->attributes, (double)counts->attributes / snapshots,
		(double)counts->attributes / (double)(in_snapshots + in_nodes));
}

static void print_reuse(const struct cali_counts *counts, FILE *out)
{
	fputs("\nReuse statistics:\n"
	      "Attribute                       #nodes      #elem       #uses       "
	      "#uses/elem  #uses/node\n",
	      out);
	for (size_t i = 0; i < counts->reuse.count; i++) {
		const struct cali_reuse *reuse = &counts->reuse.items[i];
		double uses = (double)reuse->uses;

		if (reuse->nodes)
			fprintf(out, "%-32s%-12" PRIu64 "%-12" PRIu64 "%-12g%-12g%-12g\n",
				counts->names.strings[i], reuse->nodes, reuse->elements,
				uses, uses / (double)reuse->elements,
				uses / (double)reuse->nodes);
	}
}

static int run_statistics(FILE *out)
{
	struct cali_counts counts;
	int status = 0;

	cali_counts_init(&counts);
	if (!arguments.files.count)
		vector_push(&arguments.files, "/dev/stdin");
	vector_for_each (&arguments.files, file) {
		struct trm_error *error = count_file(&counts, *file);

		if (!error)
			continue;
		fprintf(stderr, "Error reading %s: %s\n", *file, error->message);
		trm_error_destroy(error);
		status = STATUS_READ;
	}
	print_counts(&counts, out);
	if (arguments.given[OPTION_REUSE])
		print_reuse(&counts, out);
	cali_counts_deinit(&counts);
	return status;
}

static int open_and_run(void)
{
	const char *path = arguments.given[OPTION_OUTPUT];
	FILE *out = path ? fopen(path, "we") : stdout;

	if (!out) {
		fprintf(stderr, "cali-stat: error: could not open output file %s: %s\n",
			path, strerror(errno));
		return STATUS_OUTPUT;
	}
	int status = run_statistics(out);

	if ((path ? fclose(out) : fflush(out)) && !status) {
		fprintf(stderr, "cali-stat: error: cannot write: %s\n", strerror(errno));
		return STATUS_READ;
	}
	return status;
}

int main(int argc, const char **argv)
{
	const char *unknown =
		cali_options_parse(options, argv, take_option, &arguments.files);
	int status = 0;

	(void)argc;
	if (unknown) {
		fprintf(stderr,
			"cali-stat: error: unknown option: %s\n  Available options:\n",
			unknown);
		cali_options_print(options, stderr);
		status = STATUS_OPTION;
	} else if (arguments.given[OPTION_HELP]) {
		puts("cali-stat [OPTION]... [FILE]...\n"
		     "  Counts what .cali and .trm files are made of.\n");
		cali_options_print(options, stdout);
	} else {
		status = open_and_run();
	}
	vector_deinit(&arguments.files);
	return status;
}
