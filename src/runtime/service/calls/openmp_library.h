/*
 * State that the OpenMP run-time library has reported (foreign/openmp.c), for the service
 * openmp.
 */
#ifndef TRAMMEL_RUNTIME_SERVICE_CALLS_OPENMP_LIBRARY_H
#define TRAMMEL_RUNTIME_SERVICE_CALLS_OPENMP_LIBRARY_H

#include "runtime/store/state.h"

#include <stdbool.h>
#include <stdint.h>

struct openmp_library {
	bool wanted; /* a library that asks for a tool gets this one */
	bool asked;  /* the library has asked for a tool */
	bool heard;  /* and has this one */
};
extern struct openmp_library openmp_library;

/* The place of this thread in OpenMP, as the library reports it. */
struct openmp_own_place {
	uint32_t size, number; /* of the innermost team; size 0: in no team */
	uint32_t type;         /* of thread_begin; 0: not told */
};
extern runtime_local struct openmp_own_place openmp_own_place;

/* Sets the name of a thread's type (1 to 3) to a string of the spool. */
void openmp_name_type(uint32_t type, uint64_t name);

/* Offers this tool to each library that asks for one from now on. Returns false if a
 * library asked before, and does not have this tool. */
bool openmp_want(void);

/* The place of this thread in OpenMP. `size`, `number`: of the innermost team, and of
 * the thread in it; -1: in no team, or in a team that was not reported. `type`: a string
 * of the spool: initial, worker or other; 0: not known. */
struct openmp_place {
	int64_t size, number;
	uint64_t type;
};
struct openmp_place openmp_place(void);

#endif
