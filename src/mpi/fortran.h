/* Arguments of MPI's Fortran functions. */
#ifndef TRAMMEL_MPI_FORTRAN_H
#define TRAMMEL_MPI_FORTRAN_H

#include "mpi/calls.h"

/* fortran.c: what Fortran arguments are. `error`: NULL, or where the error code is. */
MPI_Comm mpi_comm_of(const void *comm);
/* Converts a Fortran handle of a datatype. */
MPI_Datatype mpi_type_of(const void *type);
/* Returns the buffer, or MPI_IN_PLACE if it is Fortran's variable of that name. */
const void *mpi_buffer_of(const void *buffer);
/* Tells whether a function failed. `error`: NULL, or where the error code is. */
bool mpi_failed(const void *error);
/* Returns the status, or `words` if it is Fortran's MPI_STATUS_IGNORE. */
void *mpi_status_of(void *status, MPI_Fint *words);
/* Converts a Fortran status. */
void mpi_status_take(const void *status, MPI_Status *ret_status);

#endif
