/*
 * The interface between libtrammel.so and libtrammel-mpi.so: the object of the latter,
 * and the attributes of calls of MPI.
 */
#ifndef TRAMMEL_RUNTIME_LIBRARIES_RANKS_API_H
#define TRAMMEL_RUNTIME_LIBRARIES_RANKS_API_H

#include "publish/publish.h"
#include "wire/context.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Properties of attributes: of calls of MPI, which only channels see that ask for them;
 * and of details of such a call, which are not regions in channels. */
enum {
	RUNTIME_OF_MPI = CONTEXT_OF_MPI,
	RUNTIME_DETAIL = CONTEXT_DETAIL,
};

/* Properties of mpi.rank and mpi.size, which all records of a process have. */
#define RUNTIME_RANK_PROPERTIES                                                          \
	(TRM_AS_VALUE | TRM_AGGREGATABLE | TRM_GLOBAL | TRM_SKIP_EVENTS)

/* Name of the object in libtrammel-mpi.so. */
#define RUNTIME_RANKS         "trammel_ranks"
#define RUNTIME_RANKS_LIBRARY "libtrammel-mpi.so.0"
enum { RUNTIME_RANKS_ABI = 2 };

/* A function that begins and ends the region of another one, which it calls. */
struct runtime_wrapper {
	const char *name; /* of the function */
	void *wrapper;
};

struct runtime_ranks {
	uint32_t abi;
	/* Tells whether all ranks can act together: not before MPI is initialised, nor
	 * after it was finalised. A child of fork has a copy of the MPI library's
	 * memory, and must not use it. `usual`: the process that is not a child, unless
	 * another process was seen to initialise MPI. */
	bool (*are_together)(pid_t usual);
	/* Returns the number of this rank, and how many ranks there are; called while
	 * they can act together. */
	int (*rank)(int *ret_ranks);
	/* `processes`: a communicator; NULL: all ranks. */
	publish_reduce *reduce;
	publish_spread *spread;
	/* For programs that load the library later. */
	const struct runtime_wrapper *wrappers;
	const size_t *wrapper_count;
};

#endif
