/* The options of measurements as knobs of a configuration: the one table of `trammel
 * run`. */
#ifndef TRAMMEL_AGENT_KNOBS_H
#define TRAMMEL_AGENT_KNOBS_H

#include "base/error.h"
#include "cli/measuring.h"
#include "protocol/frame.h"

/* Fields of requests whose names begin so are options. */
#define KNOBS_PREFIX "option."

/* Reads the options of a request into `given`, which is all zero before, and --db into
 * `ret_database`, which is NULL before and the caller's to free. */
struct trm_error *knobs_read(const Trm__Request *request, struct measuring *given,
			     char **ret_database);

/* Adds a row for each option to an answer: name, kind ("flag", "time", ...), adds
 * (whether several values of it add up), default and about. */
void knobs_list(Trm__Answer *answer);

/* Adds a row of texts: name, value, name, value, ..., NULL. */
void knobs_add_row(Trm__Answer *answer, ...) __attribute__((sentinel));

/* Frees what was added. */
void knobs_free_rows(Trm__Answer *answer);

#endif
