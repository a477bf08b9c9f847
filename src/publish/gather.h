/* Part of libtrammel-report.so: one profile of all ranks of a parallel program. Each
 * rank reports its errors in a line on standard error. */
#ifndef TRAMMEL_PUBLISH_GATHER_H
#define TRAMMEL_PUBLISH_GATHER_H

#include <stdint.h>

enum { PUBLISH_GATHER_ABI = 1 };
#define PUBLISH_GATHER "trammel_gather"

struct context_gather;

/* The functions of the library, found by dlsym as PUBLISH_GATHER. */
struct publish_gather {
	uint32_t abi;
	struct context_gather *(*create)(void);
	void (*destroy)(struct context_gather *gather);
	/* Adds the data of this process, before all others; `spool`: NULL if it has
	 * none. */
	void (*add_own)(struct context_gather *gather, const char *spool, uint32_t rank);
	/* Adds the packed data of another rank. */
	void (*add)(struct context_gather *gather, const void *bytes, uint64_t size);
	/* Returns all data packed; the caller frees it. NULL: nothing to send. */
	void *(*pack)(struct context_gather *gather, uint64_t *ret_size);
	/* Writes the profile: by the rank that took in all others. `command`: as a shell
	 * would need it. */
	void (*write)(struct context_gather *gather, const char *path,
		      const char *command);
};

#endif
