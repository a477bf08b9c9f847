/* Where the functions of a profile are in the source. */
#ifndef TRAMMEL_ANNOTATE_SOURCES_H
#define TRAMMEL_ANNOTATE_SOURCES_H

#include "base/table.h"
#include "report/profile.h"

#include <stdint.h>

struct function_sources {
	struct string_table paths;
	const char **files; /* of each function of the profile; NULL: not known */
	uint32_t *lines;    /* 0: not known */
};

/* Finds the source files of the functions of selected modules that anything was counted
 * or sampled in, from the files of the modules, as far as these are the measured ones
 * and have debug information. The caller deinits it. */
void function_sources_init(struct function_sources *sources,
			   const struct report_profile *profile);
void function_sources_deinit(struct function_sources *sources);

#endif
