/*
 * The paths of a result as a tree, for formats that show one.
 */
#ifndef TRAMMEL_QUERY_FORMAT_PATHS_H
#define TRAMMEL_QUERY_FORMAT_PATHS_H

#include "query/result.h"

/* A line of the tree: a row, or a node without a row. */
struct query_line {
	uint32_t key;  /* of the part's keys: the path; 0: rows without a path */
	size_t depth;  /* 0: the root */
	size_t parent; /* line of the node above; SIZE_MAX: none */
	const struct query_row *row; /* NULL: a node without a row */
};

struct query_lines VECTOR(struct query_line);

/* Leaves out the cells of paths: the tree shows them. */
void query_leave_out_paths(struct query_result *result);

/* Makes the lines in display order: siblings in the order of their first rows. */
void query_lines_make(struct query_lines *lines, const struct query_result *result);

enum {
	/* The deepest indentation; below, the level is printed instead. */
	QUERY_INDENTED_LEVELS = 64,
	/* The most bytes of a path in one cell. */
	QUERY_CELL_BYTES = 1000,
};

/* Adds the label of a line: "name", or "(level) name" below the deepest indentation. */
void query_add_line_label(struct text *out, const struct query_result *result,
			  const struct query_line *line);

#endif
