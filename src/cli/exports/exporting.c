#include "cli/exports/exporting.h"

#include "base/array.h"
#include "cli/exports/covering.h"
#include "cli/exports/sqlite.h"
#include "cli/pbo.h"
#include "cli/showing.h"
#include "export/gcov.h"
#include "query/parse.h"
#include "query/query.h"
#include "query/run.h"

#include <stdio.h>
#include <string.h>

static struct trm_error *make_lcov(const struct exporting *exporting, struct text *text)
{
	struct coverage coverage;

	covering_init(&coverage, exporting->profile, NULL);
	covering_tracefile(&coverage, false, text);
	coverage_deinit(&coverage);
	return NULL;
}

static struct trm_error *make_gcov(const struct exporting *exporting, struct text *text)
{
	const struct report_profile *profile = exporting->profile;
	struct coverage coverage;

	covering_init(&coverage, profile, NULL);
	covering_warn(&coverage);
	export_gcov(&coverage,
		    profile->images.count ? profile->images.items[0].program : "", text);
	coverage_deinit(&coverage);
	return NULL;
}

static struct trm_error *make_fdata(const struct exporting *exporting, struct text *text)
{
	TRM_TRY(showing_need_blocks(exporting->profile, exporting->path));
	return pbo_make(exporting->profile, false, exporting->module, text);
}

static struct trm_error *make_autofdo(const struct exporting *exporting,
				      struct text *text)
{
	TRM_TRY(showing_need_blocks(exporting->profile, exporting->path));
	return pbo_make(exporting->profile, true, exporting->module, text);
}

/* Where the query at hand writes: its writer is told nothing else. */
static struct export_out *query_out;

static struct trm_error *write_part(const struct text *text)
{
	text_add_bytes(&query_out->text, text->data ? text->data : "", text->length);
	export_out_drain(query_out);
	return NULL;
}

/* Writes what a query without groups makes of the file itself, record by record. */
static struct trm_error *write_query(const struct exporting *exporting,
				     struct export_out *out)
{
	const struct query_style style = {0};
	struct text warnings = {0};
	struct query *query = NULL;
	size_t place;

	if (exporting->selects)
		return trm_error_create(TRM_ERROR_USAGE,
					"--process, --interval and --module are not for "
					"%s: choose records with trammel query 'WHERE "
					"... FORMAT %s'",
					exporting->format->name, exporting->format->name);
	struct text words = {0};

	text_format(&words, "FORMAT %s", exporting->format->name);
	struct trm_error *error = query_parse(words.data, &query, &place);

	text_deinit(&words);
	if (error)
		return error;
	query_out = out;
	error = query_stream(query, &exporting->path, 1, &style, write_part, &warnings);
	text_print_warnings(&warnings, "trammel");
	text_deinit(&warnings);
	query_destroy(query);
	return error;
}

/* Formats that other commands write, too. */
static const struct other {
	struct export_format format;
	struct trm_error *(*make)(const struct exporting *exporting, struct text *text);
	struct trm_error *(*write)(const struct exporting *exporting,
				   struct export_out *out);
	struct trm_error *(*write_file)(const struct exporting *exporting,
					const char *path);
} others[] = {
	{.format = {.name = "lcov",
		    .needs = "functions, better blocks or edges; debug information",
		    .reads = "lcov, genhtml, editors",
		    .places = true},
	 .make = make_lcov},
	{.format = {.name = "gcov",
		    .needs = "functions, better blocks or edges; debug information",
		    .reads = "what reads gcov --json-format: gcovr, grcov, scripts",
		    .places = true},
	 .make = make_gcov},
	{.format = {.name = "fdata",
		    .needs = "blocks or edges; a program linked with --emit-relocs",
		    .reads = "llvm-bolt"},
	 .make = make_fdata},
	{.format = {.name = "autofdo",
		    .needs = "blocks or edges; debug information",
		    .reads = "clang -fprofile-sample-use, llvm-profdata",
		    .places = true},
	 .make = make_autofdo},
	{.format = {.name = "trace-event",
		    .needs = "regions with trace",
		    .reads = "Perfetto, chrome://tracing, speedscope"},
	 .write = write_query},
	{.format = {.name = "cali",
		    .needs = "anything",
		    .reads = "LLNL's Caliper, Hatchet",
		    .records = true},
	 .write = write_query},
	{.format = {.name = "sqlite",
		    .needs = "any measurement of functions, calls, regions or samples",
		    .reads = "sqlite3, Datasette, pandas",
		    .places = true,
		    .bounded = true,
		    .binary = true,
		    .records = true},
	 .write_file = exporting_sqlite},
};

const struct export_format *exporting_formats(size_t number)
{
	size_t count = 0;

	while (export_formats[count].name)
		count++;
	if (number < count)
		return &export_formats[number];
	number -= count;
	return number < array_count(others) ? &others[number].format : NULL;
}

static const struct other *find_other(const struct export_format *format)
{
	for (size_t i = 0; i < array_count(others); i++)
		if (&others[i].format == format)
			return &others[i];
	return NULL;
}

/* Whether any sum is more than the format has room for. */
static bool is_too_large(const struct report_profile *profile)
{
	vector_for_each (&profile->functions, function)
		if (function->calls > INT64_MAX || function->instructions > INT64_MAX ||
		    function->samples > INT64_MAX || function->inclusive_ns > INT64_MAX)
			return true;
	return false;
}

static struct trm_error *write_other(const struct other *other,
				     const struct exporting *exporting, int fd,
				     bool compressed)
{
	struct export_out out;
	struct trm_error *error, *disk;

	export_out_init(&out, fd, compressed);
	error = other->make ? other->make(exporting, &out.text)
			    : other->write(exporting, &out);
	disk = export_out_finish(&out);
	if (!error)
		return disk;
	trm_error_destroy(disk);
	return error;
}

struct trm_error *exporting_write(const struct exporting *exporting, int fd,
				  const char *path, bool compressed)
{
	const struct export_format *format = exporting->format;
	const struct other *other = find_other(format);

	if (format->bounded && is_too_large(exporting->profile))
		fprintf(stderr,
			"trammel: warning: there are counts of 2^63 and more, which %s "
			"has no room for: they are written as 2^63 - 1\n",
			format->name);
	if (!other)
		return export_write(format, exporting->profile, exporting->options, fd,
				    compressed);
	if (!other->write_file)
		return write_other(other, exporting, fd, compressed);
	if (!path || compressed)
		return trm_error_create(TRM_ERROR_USAGE,
					"%s is a file that is written to here and there: "
					"name one with -o, without .gz",
					format->name);
	return other->write_file(exporting, path);
}
