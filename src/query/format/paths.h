/*
 * The paths of a result as a tree, for the formats that show one.
 */
#ifndef TRAMMEL_QUERY_FORMAT_PATHS_H
#define TRAMMEL_QUERY_FORMAT_PATHS_H

#include "query/result.h"

/* A line of the tree: a row, or a node that no row has. */
struct query_line {
	uint32_t key;  /* of the part's keys: the path; 0: rows without one */
	size_t depth;  /* 0: the root */
	size_t parent; /* line of the node above; SIZE_MAX: none */
	const struct query_row *row; /* or NULL */
};

struct query_lines VECTOR(struct query_line);

/* The lines in the order in which they are shown: siblings as their first rows are. */
void query_lines_make(struct query_lines *lines, const struct query_result *result);

/* Adds the last word of the path. */
void query_add_label(struct text *out, const struct query_result *result, uint32_t key);

#endif
