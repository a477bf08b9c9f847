/*
 * What libtrammel.so and libtrammel-mpi.so agree about: what the latter has, and the
 * attributes of calls of MPI.
 */
#ifndef TRAMMEL_RUNTIME_LIBRARIES_RANKS_API_H
#define TRAMMEL_RUNTIME_LIBRARIES_RANKS_API_H

#include "publish/publish.h"
#include "wire/context.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Properties of attributes that are of calls of MPI: channels see them if they ask for
 * that; and of those that say more of such a call, and are no regions in channels. */
enum {
	RUNTIME_OF_MPI = CONTEXT_OF_MPI,
	RUNTIME_DETAIL = CONTEXT_DETAIL,
};

/* Of mpi.rank and mpi.size, which all records of a process have. */
#define RUNTIME_RANK_PROPERTIES                                                          \
	(TRM_AS_VALUE | TRM_AGGREGATABLE | TRM_GLOBAL | TRM_SKIP_EVENTS)

/* What libtrammel-mpi.so has: an object of this name. */
#define RUNTIME_RANKS         "trammel_ranks"
#define RUNTIME_RANKS_LIBRARY "libtrammel-mpi.so.0"
enum { RUNTIME_RANKS_ABI = 2 };

/* A function that begins and ends the region of another one, which it calls. */
struct runtime_wrapper {
	const char *name; /* of that */
	void *wrapper;
};

struct runtime_ranks {
	uint32_t abi;
	/* Whether all ranks can do something together: not before MPI is initialised, nor
	 * when it was finalised. A child of fork has what the MPI library had in memory,
	 * and must not use it. `usual`: the process that is no child, unless another one
	 * was seen to initialise MPI. */
	bool (*are_together)(pid_t usual);
	/* This one, when they are together, and how many there are. */
	int (*rank)(int *ret_ranks);
	/* `processes`: a communicator; NULL: all ranks. */
	publish_reduce *reduce;
	publish_spread *spread;
	/* For programs that the library is not in from the beginning. */
	const struct runtime_wrapper *wrappers;
	const size_t *wrapper_count;
};

#endif
