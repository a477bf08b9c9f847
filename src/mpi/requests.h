/* Requests that are not done yet. */
#ifndef TRAMMEL_MPI_REQUESTS_H
#define TRAMMEL_MPI_REQUESTS_H

#include "mpi/calls.h"

/* Notes a receive, whose message is known when `request` is complete. */
void mpi_track_receive(MPI_Request request, MPI_Comm comm);

/* Notes a persistent send of `count` items to rank `peer`, which sends when it is
 * started. */
void mpi_track_send(MPI_Request request, MPI_Comm comm, int peer, int count,
		    MPI_Datatype type);
/* Forgets a request, which the program frees. */
void mpi_untrack(MPI_Request request);
/* Counts the messages of `count` persistent requests that were started. */
void mpi_started(struct mpi_call *call, const MPI_Request *requests, int count);

/* Begins a wait for `count` requests. Returns the statuses that the function fills in:
 * `statuses`, or statuses in `waiting` if the program wants none. */
MPI_Status *mpi_wait_begin(struct mpi_waiting *waiting, const MPI_Request *requests,
			   int count, MPI_Status *statuses, int status_count);

/* Notes that `count` requests are complete. `indices`: their places among the requests,
 * or NULL for the first ones; `statuses`: one for each. */
void mpi_wait_done(struct mpi_call *call, struct mpi_waiting *waiting, int count,
		   const int *indices, const MPI_Status *statuses);
/* Ends a wait: forgets the requests that the library has set to null, and frees the
 * memory of mpi_wait_begin(). */
void mpi_wait_end(struct mpi_waiting *waiting, const MPI_Request *requests);

#endif
