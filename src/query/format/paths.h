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

/* Cells of paths are not needed: the tree shows them. */
void query_leave_out_paths(struct query_result *result);

/* The lines in the order in which they are shown: siblings as their first rows are. */
void query_lines_make(struct query_lines *lines, const struct query_result *result);

enum {
	/* Deeper nodes are shown no further to the right, but with their level. */
	QUERY_INDENTED_LEVELS = 64,
	/* Bytes of a path in one cell. */
	QUERY_CELL_BYTES = 1000,
};

/* Adds the label of a line: "name", or "(level) name" where it is that deep. */
void query_add_line_label(struct text *out, const struct query_result *result,
			  const struct query_line *line);

/* Adds the last word of the path. */
void query_add_label(struct text *out, const struct query_result *result, uint32_t key);

#endif
