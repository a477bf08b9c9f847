/* Queries over the profiles of all ranks. */
#ifndef TRAMMEL_MPI_REDUCE_H
#define TRAMMEL_MPI_REDUCE_H

#include "mpi/calls.h"

/* This process, and no child of it, will be a rank. */
void mpi_initialising(void);

/* reduce.c: puts together what ranks have, along a binomial tree; collective. Returns
 * whether this rank, the first of the communicator, has it all. */
bool mpi_reduce(MPI_Comm comm, const struct publish_sums *sums);

#endif
