/* The writers of all formats: see struct export_format. Only for the files of this
 * folder.
 */
#ifndef TRAMMEL_EXPORT_FORMATS_H
#define TRAMMEL_EXPORT_FORMATS_H

#include "export/format.h"

/* Writes a view in one format. */
typedef struct trm_error *export_writer(struct export_view *view,
					const struct export_options *options,
					struct export_out *out);

export_writer export_pprof, export_callgrind, export_speedscope, export_firefox,
	export_perf_script, export_folded, export_cachegrind, export_csv,
	export_json_lines;

#endif
