/* Branches that were taken, added up: from where, to where, how often the processor noted
 * them beside samples. */
#ifndef TRAMMEL_SAMPLE_BRANCHES_H
#define TRAMMEL_SAMPLE_BRANCHES_H

#include "base/table.h"
#include "base/vector.h"

#include <stdint.h>

/* A place: link-time address in a module. */
struct sample_place {
	uint32_t module; /* or SAMPLE_NOWHERE */
	uint64_t address;
};

struct sample_branch {
	uint32_t image;
	struct sample_place from, to; /* the branch, and what it leads to */
	uint64_t count, missed;       /* `missed`: of these, predicted otherwise */
};

/* All-zero is empty. */
struct sample_branches {
	struct VECTOR(struct sample_branch) rows;
	struct table by_place; /* index, by hashes */
	uint64_t dropped;      /* that there was no room for */
};

/* Adds the numbers of a branch. */
void sample_branches_add(struct sample_branches *branches,
			 const struct sample_branch *branch);

void sample_branches_deinit(struct sample_branches *branches);

#endif
