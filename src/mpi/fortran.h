/* Fortran's handles. */
#ifndef TRAMMEL_MPI_FORTRAN_H
#define TRAMMEL_MPI_FORTRAN_H

#include "mpi/calls.h"

/* fortran.c: what Fortran arguments are. `error`: NULL, or where the error code is. */
MPI_Comm mpi_comm_of(const void *comm);

MPI_Datatype mpi_type_of(const void *type);
const void *mpi_buffer_of(const void *buffer);
bool mpi_failed(const void *error);
void *mpi_status_of(void *status, MPI_Fint *words);
void mpi_status_take(const void *status, MPI_Status *ret_status);

#endif
