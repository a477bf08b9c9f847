/* The readers of all formats: see struct import_format. Only for the files of this
 * folder.
 */
#ifndef TRAMMEL_IMPORT_READERS_H
#define TRAMMEL_IMPORT_READERS_H

#include "import/import.h"
#include "import/sink.h"

/* Reads an input of one format. */
typedef struct trm_error *import_reader(struct import_input *input,
					const struct import_options *options,
					struct import_sink *sink);
/* Tells whether an input looks like one of a format. */
typedef bool import_looks(const struct import_input *input);

import_reader import_callgrind, import_perf_script, import_folded, import_pprof,
	import_gcov;
import_looks import_is_callgrind, import_is_perf_script, import_is_folded,
	import_is_pprof, import_is_gcov;

#endif
