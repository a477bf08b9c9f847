/*
 * OpenMP: what the run-time library tells tools (OpenMP API 5.2, chapter 19, "OMPT
 * Interface"; LLVM's libomp has it) becomes regions. Parallel regions, worksharing, tasks
 * and waiting are nested in what the thread was in; what the threads of a team do hangs
 * below the parallel region, in the context of the thread that met it.
 */
#ifndef TRAMMEL_RUNTIME_OPENMP_H
#define TRAMMEL_RUNTIME_OPENMP_H

#include <stdbool.h>
#include <stdint.h>

/* Whoever asks for a tool gets this one from now on. False: it was asked for before, and
 * is not there. */
bool openmp_want(void);
/* A run-time library told something. */
bool openmp_is_heard(void);
/* What this thread is in OpenMP. Of the innermost team: its size, and the thread's number
 * in it; -1: it is in none, or in one that nobody told of. `type`: string of the spool:
 * initial, worker or other; 0: not known. */
struct openmp_place {
	int64_t size, number;
	uint64_t type;
};
struct openmp_place openmp_place(void);
/* In a thread that ends. */
void openmp_end_thread(void);

#endif
