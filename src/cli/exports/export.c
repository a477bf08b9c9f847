/* `trammel export`: see man/trammel-export.1.md. */
#include "cli/commands.h"
#include "cli/exports/exporting.h"
#include "cli/showing.h"

#include "base/json_write.h"
#include "export/format.h"
#include "record/output.h"
#include "report/load.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static struct {
	struct showing shown;
	int list, addresses, jumps, split;
	char *to, *output, *type, *table;
} arguments;

static const struct poptOption option_table[] = {
	{"to", 0, POPT_ARG_STRING, &arguments.to, 0, "the format to write", "FORMAT"},
	{"output", 'o', POPT_ARG_STRING, &arguments.output, 0,
	 "write it here (default: to standard output); as gzip if it ends in .gz",
	 "FILE"},
	{"list", 0, POPT_ARG_NONE, &arguments.list, 0,
	 "show the formats, what each needs and what reads it", NULL},
	{"type", 0, POPT_ARG_STRING, &arguments.type, 0,
	 "the numbers to show first, or alone: calls, instructions, time, an event ...",
	 "NAME"},
	{"table", 0, POPT_ARG_STRING, &arguments.table, 0,
	 "csv, json-lines: this table of tools, probes or waits alone", "NAME"},
	{"addresses", 0, POPT_ARG_NONE, &arguments.addresses, 0,
	 "callgrind: costs by instruction, too", NULL},
	{"jumps", 0, POPT_ARG_NONE, &arguments.jumps, 0,
	 "callgrind: with jumps, of profiles of edges", NULL},
	{"split-inlined", 0, POPT_ARG_NONE, &arguments.split, 0,
	 "pprof: a location for each inlined function", NULL},
	SHOWING_PROCESS(arguments.shown),
	SHOWING_INTERVAL(arguments.shown),
	SHOWING_MODULE(arguments.shown),
	SHOWING_JSON(arguments.shown),
	SHOWING_HELP(arguments.shown),
	POPT_TABLEEND};

static void list_json(struct text *text)
{
	text_add(text, "{\"formats\": [");
	for (size_t i = 0; exporting_formats(i); i++) {
		const struct export_format *format = exporting_formats(i);

		json_begin_item(text);
		json_add_text(text, "format", format->name);
		json_add_text(text, "needs", format->needs);
		json_add_text(text, "readers", format->reads);
		json_add_boolean(text, "source", format->places);
		json_add_boolean(text, "binary", format->binary);
		json_add_boolean(text, "one.type", format->one_type);
		text_add(text, "}");
	}
	text_add(text, "]}\n");
}

static void list_text(struct text *text)
{
	for (size_t i = 0; exporting_formats(i); i++) {
		const struct export_format *format = exporting_formats(i);

		text_format(text, "%-12s needs  %s\n%-12s for    %s\n", format->name,
			    format->needs, "", format->reads);
	}
}

static struct trm_error *list_formats(void)
{
	struct text text = {0};

	if (arguments.shown.json)
		list_json(&text);
	else
		list_text(&text);
	return showing_print(&arguments.shown, &text, false);
}

/* The format asked for; an error names all. */
static struct trm_error *choose_format(const struct export_format **ret_format)
{
	struct text names = {0};

	for (size_t i = 0; exporting_formats(i); i++) {
		*ret_format = exporting_formats(i);
		if (arguments.to && !strcmp((*ret_format)->name, arguments.to)) {
			text_deinit(&names);
			return NULL;
		}
		text_format(&names, "%s%s", i ? ", " : "", (*ret_format)->name);
	}
	struct trm_error *error =
		arguments.to
			? trm_error_create(TRM_ERROR_USAGE,
					   "--to '%s' is no format: choose one of %s",
					   arguments.to, names.data)
			: trm_error_create(TRM_ERROR_USAGE,
					   "no format: --to with one of %s", names.data);

	text_deinit(&names);
	return error;
}

/* Several profiles are merged to one. */
static struct trm_error *load_profiles(const struct report_filter *filter,
				       char **ret_path, int *ret_fd,
				       struct report_profile **ret_profile)
{
	struct text path = {0};
	struct trm_error *error;

	if (arguments.shown.words.count == 1) {
		*ret_path = memory_copy_string(arguments.shown.words.items[0]);
		return showing_load(*ret_path, filter, ret_profile);
	}
	*ret_fd = memfd_create("trammel", MFD_CLOEXEC);
	if (*ret_fd < 0)
		return trm_error_create(TRM_ERROR_SYSTEM,
					"no memory for a merged profile");
	TRM_TRY(showing_merge(&arguments.shown, *ret_fd));
	text_format(&path, "/proc/self/fd/%d", *ret_fd);
	*ret_path = path.data;
	error = showing_load(*ret_path, filter, ret_profile);
	return error;
}

static bool ends_in_gz(const char *path)
{
	size_t length = path ? strlen(path) : 0;

	return length > 3 && !strcmp(path + length - 3, ".gz");
}

/* The table asked for; an error names all. */
static struct trm_error *choose_table(const struct export_record_list *records,
				      const struct export_format *format,
				      const struct export_records **ret_table)
{
	struct text names = {0};
	struct trm_error *error;

	*ret_table = NULL;
	if (!arguments.table)
		return NULL;
	if (!format->records)
		return trm_error_create(TRM_ERROR_USAGE,
					"--table is for csv and json-lines");
	*ret_table = export_records_find(records, arguments.table);
	if (*ret_table)
		return NULL;
	export_records_names(records, &names);
	error = trm_error_create(TRM_ERROR_USAGE,
				 "no table '%s' in this profile: it has %s",
				 arguments.table, names.length ? names.data : "none");
	text_deinit(&names);
	return error;
}

/* Says which tables a format does not hold. */
static void tell_left_out(const struct export_record_list *records,
			  const struct export_format *format)
{
	const bool csv = !strcmp(format->name, "csv");
	struct text names = {0};

	if (!records->tables.count || arguments.table || (format->records && !csv))
		return;
	export_records_names(records, &names);
	fprintf(stderr, "trammel: note: left out are the tables %s: %s\n", names.data,
		csv ? "--table NAME writes one"
		    : "json-lines and sqlite hold them, and csv with --table");
	text_deinit(&names);
}

static struct trm_error *write_to_output(const struct exporting *exporting)
{
	const struct export_format *format = exporting->format;
	struct trm_output output;

	if (!arguments.output && format->binary && isatty(STDOUT_FILENO))
		return trm_error_create(TRM_ERROR_USAGE,
					"%s is not for terminals: write it to a file "
					"with -o",
					format->name);
	if (!arguments.output)
		return exporting_write(exporting, STDOUT_FILENO, NULL, false);
	TRM_TRY(trm_output_open(arguments.output, &output));
	return trm_output_close(&output,
				exporting_write(exporting, output.fd, output.part,
						ends_in_gz(arguments.output)));
}

static struct trm_error *write_records(const struct export_format *format,
				       struct report_profile *profile, const char *path,
				       const struct export_record_list *records)
{
	struct export_options options = {
		.path = path,
		.type = arguments.type,
		.records = records,
		.addresses = arguments.addresses,
		.jumps = arguments.jumps,
		.split = arguments.split,
	};
	const struct showing *shown = &arguments.shown;
	const struct exporting exporting = {
		.format = format,
		.profile = profile,
		.path = path,
		.module = shown->module,
		.selects = shown->module || shown->process || shown->interval,
		.options = &options,
	};

	TRM_TRY(choose_table(records, format, &options.table));
	tell_left_out(records, format);
	return write_to_output(&exporting);
}

static struct trm_error *write_profile(const struct export_format *format,
				       struct report_profile *profile, const char *path)
{
	struct export_record_list records;
	struct trm_error *error = export_records_init(&records, profile, path);

	if (!error)
		error = write_records(format, profile, path, &records);
	export_records_deinit(&records);
	return error;
}

static struct trm_error *run_export(int *ret_status)
{
	scoped_profile struct report_profile *profile = NULL;
	const struct export_format *format = NULL;
	struct report_filter filter;
	scoped_free char *path = NULL;
	scoped_fd int fd = -1;

	(void)ret_status;
	if (arguments.list)
		return list_formats();
	TRM_TRY(choose_format(&format));
	if (!arguments.shown.words.count)
		return trm_error_create(TRM_ERROR_USAGE,
					"no profile: trammel export --to %s -o FILE "
					"PROFILE",
					format->name);
	TRM_TRY(showing_filter(&arguments.shown, &filter));
	TRM_TRY(load_profiles(&filter, &path, &fd, &profile));
	return write_profile(format, profile, path);
}

const struct command cmd_export = {
	.name = "export",
	.summary = "write a profile for other viewers",
	.usage = "Usage: trammel export --to FORMAT [OPTION]... PROFILE...\n"
		 "       trammel export --list\n"
		 "Writes a profile in a format that other programs read.\n",
	.options = option_table,
	.given = &arguments.shown,
	.run = run_export,
};
