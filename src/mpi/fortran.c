/*
 * Arguments of MPI functions as Fortran has them: references to numbers, and addresses of
 * variables that stand for constants.
 */
#include "mpi/fortran.h"

#include "mpi/calls.h"

_Static_assert(sizeof(MPI_Status) <= MPI_STATUS_WORDS * sizeof(MPI_Fint),
	       "a status fits in the words");

static MPI_Fint number_at(const void *argument)
{
	return *(const MPI_Fint *)argument;
}

MPI_Comm mpi_comm_of(const void *comm)
{
#ifdef OPEN_MPI
	return mpi_functions()->Comm_f2c(number_at(comm));
#else
	return (MPI_Comm)number_at(comm);
#endif
}

MPI_Datatype mpi_type_of(const void *type)
{
#ifdef OPEN_MPI
	return mpi_functions()->Type_f2c(number_at(type));
#else
	return (MPI_Datatype)number_at(type);
#endif
}

/* A variable whose address stands for a constant: a common block, as gfortran calls it;
 * with MPICH there is a pointer to it. Looked up once. */
struct stand_in {
	const char *open_mpi, *mpich;
	uint32_t known;
	const void *address;
};

static bool is_variable(struct stand_in *stand_in, const void *argument)
{
	if (!__atomic_load_n(&stand_in->known, __ATOMIC_ACQUIRE)) {
		const void *address = mpi_find(stand_in->open_mpi);
		const void *const *pointer =
			address ? NULL : (const void *const *)mpi_find(stand_in->mpich);

		stand_in->address = pointer ? *pointer : address;
		__atomic_store_n(&stand_in->known, 1, __ATOMIC_RELEASE);
	}
	return argument && argument == stand_in->address;
}

const void *mpi_buffer_of(const void *buffer)
{
	static struct stand_in in_place = {"mpi_fortran_in_place_", "MPIR_F_MPI_IN_PLACE",
					   0, NULL};

	return is_variable(&in_place, buffer) ? MPI_IN_PLACE : buffer;
}

bool mpi_failed(const void *error)
{
	return error && number_at(error) != MPI_SUCCESS;
}

void *mpi_status_of(void *status, MPI_Fint *words)
{
	static struct stand_in ignored = {"mpi_fortran_status_ignore_",
					  "MPI_F_STATUS_IGNORE", 0, NULL};

	return is_variable(&ignored, status) ? words : status;
}

void mpi_status_take(const void *status, MPI_Status *ret_status)
{
	mpi_functions()->Status_f2c(status, ret_status);
}
