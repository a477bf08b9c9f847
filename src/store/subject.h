/* What rows of reports about a database are: functions of images; and for contexts that
 * are about no code, their path as text. */
#ifndef TRAMMEL_STORE_SUBJECT_H
#define TRAMMEL_STORE_SUBJECT_H

#include "base/table.h"
#include "store/facts.h"
#include "store/sql/sql.h"

struct subjects {
	struct sql *sql;
	struct record_model *model;
	const struct facts *facts;
	struct table known, images;
};

/* Finds the image with this path and build id (each may be ""), made if it is new. */
struct trm_error *subjects_image(struct subjects *subjects, const char *path,
				 const char *build, int64_t *ret_image);

/* Finds the function that a record in this image (of a process) is about; `node` is its
 * node, and `offset` the function's address, 0 if it is not known. */
struct trm_error *subjects_find(struct subjects *subjects, record_node node,
				uint64_t image, uint64_t offset, int64_t *ret_function);

/* Frees what was remembered. */
void subjects_deinit(struct subjects *subjects);

#endif
