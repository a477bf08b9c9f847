/*
 * A query over the records of several processes that cannot read each other's files. Each
 * process adds its own files; then one after the other adds what another has packed, and
 * the last one has the result, which equals that of query_run() over all files.
 */
#ifndef TRAMMEL_QUERY_GATHER_H
#define TRAMMEL_QUERY_GATHER_H

#include "query/query.h"

struct query_gather;

/* Creates a gather; the query must live as long as it and its result. */
struct query_gather *query_gather_create(const struct query *query);
void query_gather_destroy(struct query_gather *gather);

/* Adds the records of a file. `warnings` gets lines. */
struct trm_error *query_gather_read(struct query_gather *gather, const char *path,
				    struct text *warnings);
/* Adds data packed by another process. Errors: it is not from the same query and program
 * version; data in front of the fault may have been added. */
struct trm_error *query_gather_add(struct query_gather *gather, const void *bytes,
				   size_t size);
/* Packs groups and rows, without run metadata; free() the bytes. */
void query_gather_pack(const struct query_gather *gather, void **ret_bytes,
		       size_t *ret_size);
/* Makes the result, which the gather owns. Nothing may be added afterwards. */
struct query_result *query_gather_result(struct query_gather *gather,
					 struct text *ret_warnings);

#endif
