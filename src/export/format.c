#include "export/format.h"

#include "export/formats.h"
#include "export/places.h"

#include <string.h>

#define ANYTHING "any measurement of functions, calls, regions or samples"

const struct export_format export_formats[] = {
	{.name = "pprof",
	 .needs = ANYTHING,
	 .reads = "go tool pprof, speedscope, Grafana Pyroscope, Parca",
	 .places = true,
	 .compressed = true,
	 .bounded = true,
	 .binary = true,
	 .write = export_pprof},
	{.name = "callgrind",
	 .needs = ANYTHING,
	 .reads = "KCachegrind, callgrind_annotate, speedscope",
	 .places = true,
	 .write = export_callgrind},
	{.name = "speedscope",
	 .needs = ANYTHING,
	 .reads = "speedscope",
	 .places = true,
	 .write = export_speedscope},
	{.name = "firefox",
	 .needs = ANYTHING,
	 .reads = "profiler.firefox.com",
	 .places = true,
	 .write = export_firefox},
	{.name = "perf-script",
	 .needs = ANYTHING,
	 .reads = "stackcollapse-perf.pl, speedscope, FlameScope, Firefox Profiler",
	 .one_type = true,
	 .write = export_perf_script},
	{.name = "folded",
	 .needs = ANYTHING,
	 .reads = "flamegraph.pl, inferno, speedscope",
	 .one_type = true,
	 .write = export_folded},
	{.name = "cachegrind",
	 .needs = ANYTHING,
	 .reads = "cg_annotate, cg_diff, cg_merge",
	 .places = true,
	 .write = export_cachegrind},
	{.name = "csv",
	 .needs = ANYTHING,
	 .reads = "spreadsheets, R, pandas, sqlite3's .import",
	 .places = true,
	 .records = true,
	 .write = export_csv},
	{.name = "json-lines",
	 .needs = ANYTHING,
	 .reads = "jq, pandas, DuckDB",
	 .places = true,
	 .records = true,
	 .write = export_json_lines},
	{.name = NULL},
};

const struct export_format *export_format_find(const char *name)
{
	for (const struct export_format *format = export_formats; format->name; format++)
		if (!strcmp(format->name, name))
			return format;
	return NULL;
}

struct trm_error *export_choose_type(const struct export_view *view,
				     const struct export_options *options,
				     uint32_t *ret_type)
{
	struct text names = {0};
	uint32_t type = export_type_main(view);

	if (!options->type && type == EXPORT_NONE)
		return trm_error_create(TRM_ERROR_USAGE,
					"nothing was measured that can be exported");
	*ret_type = type;
	if (!options->type)
		return NULL;
	vector_for_each (&view->types, row) {
		*ret_type = (uint32_t)(row - view->types.items);
		if (!strcmp(row->name, options->type)) {
			text_deinit(&names);
			return NULL;
		}
		text_format(&names, "%s%s", names.length ? ", " : "", row->name);
	}
	struct trm_error *error = trm_error_create(
		TRM_ERROR_USAGE, "no numbers of type '%s' in this profile: it has %s",
		options->type, names.data ? names.data : "none");

	text_deinit(&names);
	return error;
}

struct trm_error *export_write(const struct export_format *format,
			       struct report_profile *profile,
			       const struct export_options *options, int fd,
			       bool compressed)
{
	struct export_view view;
	struct export_out out;
	struct trm_error *error, *disk;

	export_out_init(&out, fd, compressed || format->compressed);
	export_view_init(&view, profile);
	if (format->places)
		export_places_open(&view);
	export_view_add_blocks(&view, options->addresses);
	error = format->write(&view, options, &out);
	export_view_deinit(&view);
	disk = export_out_finish(&out);
	if (!error)
		return disk;
	trm_error_destroy(disk);
	return error;
}
