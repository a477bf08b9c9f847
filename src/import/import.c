#include "import/import.h"

#include "base/text.h"
#include "import/readers.h"
#include "import/sink.h"

#include <string.h>

/* In the order in which files are tried. */
const struct import_format import_formats[] = {
	{"callgrind", "valgrind --tool=callgrind, trammel, pprof -callgrind",
	 import_is_callgrind, import_callgrind},
	{"gcov", "gcov --json-format", import_is_gcov, import_gcov},
	{"pprof", "go, gperftools' converters, trammel", import_is_pprof, import_pprof},
	{"perf-script", "perf script", import_is_perf_script, import_perf_script},
	{"folded", "stackcollapse-*.pl, inferno", import_is_folded, import_folded},
	{.name = NULL},
};

struct trm_error *import_format_find(const char *name, const struct import_input *input,
				     const struct import_format **ret_format)
{
	struct text names = {0};

	for (const struct import_format *format = import_formats; format->name;
	     format++) {
		if (name ? !strcmp(format->name, name) : format->looks(input)) {
			*ret_format = format;
			text_deinit(&names);
			return NULL;
		}
		text_format(&names, "%s%s", names.length ? ", " : "", format->name);
	}
	struct trm_error *error =
		name ? trm_error_create(TRM_ERROR_USAGE,
					"--from '%s' is no format: choose one of %s",
					name, names.data)
		     : trm_error_create(TRM_ERROR_FORMAT,
					"'%s' looks like none of %s: choose one with "
					"--from",
					input->path, names.data);

	text_deinit(&names);
	return error;
}

struct trm_error *import_write(const struct import_format *format,
			       struct import_input *input,
			       const struct import_options *options, int fd)
{
	struct import_sink *sink = import_sink_create(fd, format->name);
	struct trm_error *error, *rest;

	input->at = input->bytes;
	input->line = 0;
	error = format->read(input, options, sink);
	rest = import_sink_finish(sink, input);
	if (!error)
		return rest;
	trm_error_destroy(rest);
	return error;
}
