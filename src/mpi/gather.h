/* Sending profiles to rank 0. */
#ifndef TRAMMEL_MPI_GATHER_H
#define TRAMMEL_MPI_GATHER_H

#include "mpi/calls.h"

/* gather.c: the program ends MPI. */
void mpi_finalising(void);

#endif
