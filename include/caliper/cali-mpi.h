/* For programs of several ranks: calls of MPI functions are regions where libtrammel-mpi
 * is linked or preloaded, and need no word of the program. */
#ifndef CALI_CALI_MPI_H
#define CALI_CALI_MPI_H

#include "cali.h"

#ifdef __has_include
#if __has_include(<mpi.h>)
#include <mpi.h>
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Nothing is left to be done, as with LLNL's Caliper from 2.0 on. */
static inline void cali_mpi_init(void)
{
}

#ifdef __cplusplus
}
#endif

#endif
