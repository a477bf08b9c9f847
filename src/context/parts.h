/*
 * Parts of a run: what processes said in each of them. Their spools only grow, so of each
 * part the difference is kept between what they have at its end and what they had when it
 * began. A context that was open then has the part's share of its time, and no entry.
 */
#ifndef TRAMMEL_CONTEXT_PARTS_H
#define TRAMMEL_CONTEXT_PARTS_H

#include "base/table.h"
#include "context/reader.h"

/* A path of any thread of a process; those around it stand before it. */
struct context_part_path {
	uint32_t parent; /* index; the root, 0, is its own */
	uint32_t attribute;
	uint64_t bits;
	bool metric;
};

/* What a thread had in a path. */
struct context_part_sums {
	uint32_t thread, tid, path;
	uint64_t count, ticks, least, most; /* as those of struct context_path */
};

struct context_part_marks VECTOR(struct context_part_sums);

struct context_part_row {
	struct context_part_sums sums;
	uint32_t interval;
	/* Of a metric: its least and most are those of this part. */
	bool bounded;
};

struct context_part_spool {
	uint32_t pid;
	struct context_moment begin; /* by which it is known, with the pid */
	struct VECTOR(struct context_part_path) paths;
	struct table by_hash;           /* indices of paths */
	struct context_part_marks mark; /* what it had last, by thread and path */
	struct VECTOR(uint32_t) alive;  /* numbers of threads when the last part ended */
	struct VECTOR(struct context_part_row) rows;
};

struct context_parts {
	struct VECTOR(struct context_part_spool) spools;
	/* From the first part's begin to the last one's end; 0: there is none. */
	struct context_moment start, end;
	bool open; /* what comes from now on is told */
};

/* Now a part ends, if one was open, and another one begins if `open`: what the processes
 * of a folder said since the last time is of that interval (from 0). Threads should
 * stand. */
void context_parts_take(struct context_parts *parts, const char *folder,
			uint32_t interval, bool open);
void context_parts_deinit(struct context_parts *parts);

/* What is known of a process; NULL: nothing. */
const struct context_part_spool *context_parts_of(const struct context_parts *parts,
						  const struct context_process *process);
/* A moment of the parts on the clock of a process. */
uint64_t context_part_ticks(const struct context_process *process,
			    const struct context_moment *moment);
/* Whether a thread was alive when the last part ended. */
bool context_part_alive(const struct context_part_spool *spool, uint32_t thread);

#endif
