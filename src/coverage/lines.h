/* Lines of the source with counts, computed from the counts of blocks. Only for the
 * files of this folder. */
#ifndef TRAMMEL_COVERAGE_LINES_H
#define TRAMMEL_COVERAGE_LINES_H

#include "coverage/coverage.h"
#include "image/lines.h"

/* The lines of one module. */
struct lines {
	struct coverage *coverage;
	const struct image_rows *rows;
	const char *source;          /* glob for the paths of files; NULL: all */
	struct table file_by_number; /* of the rows to coverage.paths, plus 1; LEFT_OUT */
};

/*
 * Adds the lines of a function, each with the most that a block was executed that has
 * code of it. `ranges` are its code: its own, and its cold parts. `blocks` are the
 * executed ones, by address; all others count 0.
 */
void lines_add(struct lines *lines, const struct image_ranges *ranges,
	       const struct report_block *blocks, size_t block_count);

/* Adds the branches of a function: its edges, by block. */
void lines_add_branches(struct lines *lines, uint32_t module,
			const struct report_edge *edges, size_t count);

/* Sorts the branches of all functions, sums duplicates, and counts them for the files,
 * as lines_finish does for lines. */
void lines_finish_branches(struct coverage *coverage);

/* Sorts the lines of all functions, sums the entries of each line, and counts the
 * lines for the files. The lines must have the numbers of their files. */
void lines_finish(struct coverage *coverage);

#endif
