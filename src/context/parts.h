/* Counts of regions in parts of a run. Spools only grow, so each part stores the
 * difference between their state at its end and at its begin. A region that was open
 * at the begin of a part gets its share of time, but no entry. */
#ifndef TRAMMEL_CONTEXT_PARTS_H
#define TRAMMEL_CONTEXT_PARTS_H

#include "base/table.h"
#include "context/reader.h"

/* A path in any thread of a process; outer paths stand before inner ones. */
struct context_part_path {
	uint32_t parent; /* index; the root, 0, is its own */
	uint32_t attribute;
	uint64_t bits;
	bool metric;
};

/* Sums of a thread in a path. */
struct context_part_sums {
	uint32_t thread, tid, path;
	uint64_t count, ticks, least, most; /* as in struct context_path */
};

struct context_part_marks VECTOR(struct context_part_sums);

struct context_part_row {
	struct context_part_sums sums;
	uint32_t interval;
	/* For a metric: `least` and `most` are limited to this part. */
	bool bounded;
};

struct context_part_spool {
	uint32_t pid;
	struct context_moment begin; /* by which it is known, with the pid */
	struct VECTOR(struct context_part_path) paths;
	struct table by_hash;           /* indices of paths */
	struct context_part_marks mark; /* the last state, by thread and path */
	struct VECTOR(uint32_t) alive;  /* numbers of threads when the last part ended */
	struct VECTOR(struct context_part_row) rows;
};

struct context_parts {
	struct VECTOR(struct context_part_spool) spools;
	/* From the begin of the first part to the end of the last; 0: no part yet. */
	struct context_moment start, end;
	bool open; /* a part is open: changes are recorded */
};

/* Ends the open part, if any, and begins the next if `open`: changes in the spools of
 * a folder since the last call belong to `interval` (from 0). Threads should be
 * stopped. */
void context_parts_take(struct context_parts *parts, const char *folder,
			uint32_t interval, bool open);
void context_parts_deinit(struct context_parts *parts);

/* Returns the parts of a process; NULL: none. */
const struct context_part_spool *context_parts_of(const struct context_parts *parts,
						  const struct context_process *process);
/* A moment of the parts on the clock of a process. */
uint64_t context_part_ticks(const struct context_process *process,
			    const struct context_moment *moment);
/* Tells whether a thread was alive when the last part ended. */
bool context_part_alive(const struct context_part_spool *spool, uint32_t thread);

#endif
