/*
 * Running queries over files, with several threads.
 */
#ifndef TRAMMEL_QUERY_RUN_H
#define TRAMMEL_QUERY_RUN_H

#include "query/result.h"

/*
 * Runs a query over files, with up to `threads` threads. The order of the files only
 * affects rows that ORDER BY leaves unordered. `ret_warnings` gets lines, maybe none; the
 * caller frees it. The query must live as long as the result.
 */
struct trm_error *query_run(const struct query *query, const char *const *paths,
			    size_t count, size_t threads,
			    struct query_result **ret_result, struct text *ret_warnings);

/* Runs a query that can stream (query_can_stream) over files and prints it by `write`,
 * with bounded memory for its rows. */
struct trm_error *query_stream(const struct query *query, const char *const *paths,
			       size_t count, const struct query_style *style,
			       query_writer write, struct text *ret_warnings);

/* Adds a line for each column with rounded numbers. */
void query_warn_of_rounding(const struct query_result *result, struct text *warnings);

#endif
