/* For programs of several ranks: calls of MPI functions are regions where libtrammel-mpi
 * is linked or preloaded, and need no word of the program: cali_mpi_init(), of
 * caliper/cali.h, does nothing, as with LLNL's Caliper from 2.0 on. */
#ifndef CALI_CALI_MPI_H
#define CALI_CALI_MPI_H

#include "cali.h"

#ifdef __has_include
#if __has_include(<mpi.h>)
#include <mpi.h>
#endif
#endif

#endif
