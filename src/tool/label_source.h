/*
 * Labels as a source of points: routines of an analysis are called where labels are.
 */
#ifndef TRAMMEL_TOOL_LABEL_SOURCE_H
#define TRAMMEL_TOOL_LABEL_SOURCE_H

#include "base/error.h"
#include "code/points/points.h"
#include "tool/labels.h"

struct label_source {
	struct labels labels; /* of all files */
	struct VECTOR(
		char *) routines; /* of the analysis, by word from first_routine on */
	uint32_t first_routine;
	struct point_data *data; /* for texts; not owned */
	struct point_source source;
	struct label_plan *plan; /* what was added so far */
};

/* Reads the files and looks which routines the analysis, a shared object, has.
 * `data` takes the labels' texts. `ret_notes` gets a line for each kind of labels that
 * has none: these are skipped. Errors: those of labels_read and image_open; two files
 * label the same module. The caller deinits it. */
struct trm_error *label_source_init(struct label_source *source, const char *const *files,
				    size_t file_count, const char *analysis,
				    uint32_t first_routine, struct point_data *data,
				    struct text *ret_notes);
void label_source_deinit(struct label_source *source);

#endif
