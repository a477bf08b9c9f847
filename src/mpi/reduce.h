/* Queries over the profiles of all ranks. */
#ifndef TRAMMEL_MPI_REDUCE_H
#define TRAMMEL_MPI_REDUCE_H

#include "mpi/calls.h"

/* Notes that this process, and not a child of it, is to be a rank. */
void mpi_initialising(void);

/* Combines the sums of all ranks of `comm` along a binomial tree; collective. Returns
 * true in the first rank of the communicator once it has all of them. */
bool mpi_reduce(MPI_Comm comm, const struct publish_sums *sums);

#endif
