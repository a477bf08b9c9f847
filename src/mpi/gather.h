/* Sending profiles to rank 0. */
#ifndef TRAMMEL_MPI_GATHER_H
#define TRAMMEL_MPI_GATHER_H

#include "mpi/calls.h"

/* Sends the profiles to rank 0, as the program is about to finalise MPI. */
void mpi_finalising(void);

#endif
