/* Records of a profile that are kept as they are, in a profile of their own: what is
 * known of runs, processes and modules, and what has an order. */
#ifndef TRAMMEL_STORE_REST_H
#define TRAMMEL_STORE_REST_H

#include "base/error.h"
#include "record/record.h"
#include "store/sql/sql.h"

/* A profile in memory that is being written. */
struct rest {
	int fd;
	struct trm_writer *writer;
};

/* Begins a profile of records of `model`. */
struct trm_error *rest_begin(struct record_model *model, struct rest *ret_rest);

/* Ends it and puts it into the database, as that of `profile`, behind what is there;
 * frees everything. If `error` is not NULL, only frees, and returns it. */
struct trm_error *rest_end(struct rest *rest, struct sql *sql, int64_t profile,
			   struct trm_error *error) __attribute__((warn_unused_result));

/* Frees it without putting it anywhere; returns `error`. */
struct trm_error *rest_drop(struct rest *rest, struct trm_error *error)
	__attribute__((warn_unused_result));

/* Reads the records that were kept of a profile into `model`. */
struct trm_error *rest_read(struct sql *sql, int64_t profile, struct record_model *model,
			    const struct trm_visitor *visitor);

#endif
