/*
 * A query over the records of several processes that cannot read each other's files. Each
 * feeds it with what it has itself; then one after the other takes in what another has
 * packed, and the last one has the result. It is that of query_run() over all their
 * files.
 */
#ifndef TRAMMEL_QUERY_GATHER_H
#define TRAMMEL_QUERY_GATHER_H

#include "query/query.h"

struct query_gather;

/* The query must live as long as this and its result. */
struct query_gather *query_gather_create(const struct query *query);
void query_gather_destroy(struct query_gather *gather);

/* Takes in a file's records. `warnings` gets lines. */
struct trm_error *query_gather_read(struct query_gather *gather, const char *path,
				    struct text *warnings);
/* Takes in what another process packed. Errors: it is not that of the same query, of this
 * program; what came before the fault may be in. */
struct trm_error *query_gather_add(struct query_gather *gather, const void *bytes,
				   size_t size);
/* Groups and rows, to be free()d; run metadata is not in it. */
void query_gather_pack(const struct query_gather *gather, void **ret_bytes,
		       size_t *ret_size);
/* Makes the result, which is the gather's own. Nothing may be taken in behind it. */
struct query_result *query_gather_result(struct query_gather *gather,
					 struct text *ret_warnings);

#endif
