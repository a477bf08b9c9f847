/* Requests that are not done yet. */
#ifndef TRAMMEL_MPI_REQUESTS_H
#define TRAMMEL_MPI_REQUESTS_H

#include "mpi/calls.h"

/* requests.c: requests whose messages are known when they are complete. */
void mpi_track_receive(MPI_Request request, MPI_Comm comm);

/* A persistent one, which sends when it is started. */
void mpi_track_send(MPI_Request request, MPI_Comm comm, int peer, int count,
		    MPI_Datatype type);
void mpi_untrack(MPI_Request request);
void mpi_started(struct mpi_call *call, const MPI_Request *requests, int count);

/* Returns the statuses that the function is to fill in; `statuses` unless the program
 * wants none. */
MPI_Status *mpi_wait_begin(struct mpi_waiting *waiting, const MPI_Request *requests,
			   int count, MPI_Status *statuses, int status_count);

/* So many are complete; `indices`: which (NULL: the first ones), `statuses`: of each. */
void mpi_wait_done(struct mpi_call *call, struct mpi_waiting *waiting, int count,
		   const int *indices, const MPI_Status *statuses);
void mpi_wait_end(struct mpi_waiting *waiting, const MPI_Request *requests);

#endif
