/*
 * What the OpenMP run-time library has told (foreign/openmp.c), for the service openmp.
 */
#ifndef TRAMMEL_RUNTIME_SERVICE_CALLS_OPENMP_LIBRARY_H
#define TRAMMEL_RUNTIME_SERVICE_CALLS_OPENMP_LIBRARY_H

#include "runtime/store/state.h"

#include <stdbool.h>
#include <stdint.h>

struct openmp_library {
	bool wanted; /* whoever asks for a tool gets this one */
	bool asked;  /* the library has asked for a tool */
	bool heard;  /* and has this one */
};
extern struct openmp_library openmp_library;

/* What this thread is in OpenMP, as the library says it. */
struct openmp_own_place {
	uint32_t size, number; /* of the innermost team; size 0: in no team */
	uint32_t type;         /* of thread_begin; 0: not told */
};
extern runtime_local struct openmp_own_place openmp_own_place;

/* The name of a thread's type (1 to 3), a string of the spool. */
void openmp_name_type(uint32_t type, uint64_t name);

/* Whoever asks for a tool gets this one from now on. False: it was asked for before, and
 * is not there. */
bool openmp_want(void);

/* What this thread is in OpenMP. Of the innermost team: its size, and the thread's number
 * in it; -1: it is in none, or in one that nobody told of. `type`: string of the spool:
 * initial, worker or other; 0: not known. */
struct openmp_place {
	int64_t size, number;
	uint64_t type;
};
struct openmp_place openmp_place(void);

#endif
