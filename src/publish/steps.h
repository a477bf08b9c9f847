/* Queries over profiles in memory, one behind the other. */
#ifndef TRAMMEL_PUBLISH_STEPS_H
#define TRAMMEL_PUBLISH_STEPS_H

#include "base/error.h"
#include "base/text.h"
#include "query/query.h"

/* A query's text; `caliper`: as LLNL's Caliper has them. */
struct trm_error *step_parse(const char *text, bool caliper, struct query **ret_query);

/* Adds the result of a query over a profile in memory. */
struct trm_error *step_add(const char *query, bool caliper, int profile,
			   struct text *out);

/* Adds the result of a query over several profiles in memory. */
struct trm_error *step_add_all(const char *query, bool caliper, const int *profiles,
			       size_t count, struct text *out);

/* Writes the result of a query to a file in memory, which the caller closes; it is a
 * profile if the query's format is one. */
struct trm_error *step_run(const char *query, bool caliper, int profile, int *ret_fd);

/* A file in memory that has the text. */
struct trm_error *step_keep(const struct text *text, int *ret_fd);

#endif
