/* The records of a .cali file, counted as LLNL Caliper's cali-stat counts them. A node
 * has four elements (its number, attribute, value and parent); a snapshot has one for
 * each node that it refers to and two for each of its own values. Sizes are estimates:
 * 8 bytes an element, plus the bytes of strings. */
#ifndef TRAMMEL_CLI_CALI_COUNT_H
#define TRAMMEL_CLI_CALI_COUNT_H

#include "base/table.h"
#include "base/text.h"
#include "base/vector.h"

/* Counts of the nodes of one attribute, keyed by its name. */
struct cali_reuse {
	uint64_t nodes;    /* node records with the attribute */
	uint64_t uses;     /* those records, and paths of snapshots with such a node */
	uint64_t elements; /* different values */
};

/* A node of the file at hand. */
struct cali_counted {
	uint32_t attribute; /* item of `reuse` */
	uint32_t parent; /* index in `nodes`, smaller than this node's own; 0: the root */
	uint32_t depth;  /* nodes on its path */
	uint32_t names;  /* of an attribute's node: the item of `reuse` + 1 */
	bool text;       /* below the type of strings, or of bytes */
	uint64_t uses;   /* by snapshots, as the end of a path */
};

struct cali_counts {
	uint64_t snapshots, nodes;
	uint64_t least, most; /* elements of a snapshot */
	uint64_t references;  /* to nodes, from snapshots */
	uint64_t values;      /* of snapshots' own */
	uint64_t attributes;  /* that snapshots have, on paths and of their own */
	uint64_t node_bytes;
	struct string_table names;
	struct VECTOR(struct cali_reuse) reuse; /* by number of the name */
	struct table elements;                  /* hashes of attribute and value */
	/* Of the current file: */
	struct table node_of; /* from the number in the file to the item */
	struct VECTOR(struct cali_counted) nodes_known; /* index 0 is unused */
	struct text bytes;                              /* scratch */
};

void cali_counts_init(struct cali_counts *counts);
void cali_counts_deinit(struct cali_counts *counts);
/* Begins a new file, whose node numbers are independent of the files before. */
void cali_counts_begin(struct cali_counts *counts);
/* Counts a line, which ends with a new line. False: it makes no sense. */
bool cali_counts_line(struct cali_counts *counts, const char *line);
/* The file is over: its paths are told to their attributes. */
void cali_counts_end(struct cali_counts *counts);

#endif
