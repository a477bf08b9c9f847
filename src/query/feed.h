/*
 * Reading of files into parts: records become rows or are added to groups.
 */
#ifndef TRAMMEL_QUERY_FEED_H
#define TRAMMEL_QUERY_FEED_H

#include "query/part.h"

/* Reads a file into the part. `warnings` gets lines. */
struct trm_error *query_part_read(struct query_part *part, const char *path,
				  struct text *warnings);

#endif
