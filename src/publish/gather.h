/*
 * libtrammel-report.so, once more: one profile of all ranks of a parallel program. What
 * goes wrong is said on standard error, in a line, by the rank where it does.
 */
#ifndef TRAMMEL_PUBLISH_GATHER_H
#define TRAMMEL_PUBLISH_GATHER_H

#include <stdint.h>

enum { PUBLISH_GATHER_ABI = 1 };
#define PUBLISH_GATHER "trammel_gather"

struct context_gather;

/* The object of that name. */
struct publish_gather {
	uint32_t abi;
	struct context_gather *(*create)(void);
	void (*destroy)(struct context_gather *gather);
	/* Takes in what this process recorded, first of all; `spool`: NULL if nothing. */
	void (*add_own)(struct context_gather *gather, const char *spool, uint32_t rank);
	/* Takes in what another rank packed. */
	void (*add)(struct context_gather *gather, const void *bytes, uint64_t size);
	/* All of it, to be free()d; NULL: nothing to be sent. */
	void *(*pack)(struct context_gather *gather, uint64_t *ret_size);
	/* Writes the profile: by the rank that took in all others. `command`: as a shell
	 * would need it. */
	void (*write)(struct context_gather *gather, const char *path,
		      const char *command);
};

#endif
