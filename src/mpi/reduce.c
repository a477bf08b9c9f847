/*
 * What ranks have is put together: each takes in what those below it in a binomial tree
 * have packed, and sends all of it on.
 */
#include "mpi/reduce.h"

#include "mpi/calls.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

enum { PIECE = 1 << 30, TAG = 1 };

struct reduction {
	const struct mpi_functions *mpi;
	const struct publish_sums *sums;
	MPI_Comm comm;
	int rank, ranks;
};

static void send_bytes(const struct reduction *to, int rank, const char *bytes,
		       uint64_t size)
{
	MPI_Datatype byte = mpi_handles()->byte;

	to->mpi->Send(&size, (int)sizeof(size), byte, rank, TAG, to->comm);
	for (uint64_t at = 0; at < size; at += PIECE) {
		uint64_t left = size - at;

		to->mpi->Send(bytes + at, left < PIECE ? (int)left : PIECE, byte, rank,
			      TAG, to->comm);
	}
}

/* What a rank has sent; without memory for it the program has none for its own end. */
static char *receive_bytes(const struct reduction *from, int rank, uint64_t *ret_size)
{
	MPI_Datatype byte = mpi_handles()->byte;
	MPI_Status status;
	uint64_t size = 0;
	char *bytes;

	from->mpi->Recv(&size, (int)sizeof(size), byte, rank, TAG, from->comm, &status);
	bytes = malloc(size ? size : 1);
	if (!bytes)
		abort();
	for (uint64_t at = 0; at < size; at += PIECE) {
		uint64_t left = size - at;

		from->mpi->Recv(bytes + at, left < PIECE ? (int)left : PIECE, byte, rank,
				TAG, from->comm, &status);
	}
	*ret_size = size;
	return bytes;
}

static void take_in(const struct reduction *reduction, int rank)
{
	uint64_t size;
	char *bytes = receive_bytes(reduction, rank, &size);

	if (size)
		reduction->sums->add(reduction->sums->context, bytes, size);
	free(bytes);
}

static void pass_on(const struct reduction *reduction, int rank)
{
	uint64_t size = 0;
	char *bytes = reduction->sums->pack(reduction->sums->context, &size);

	send_bytes(reduction, rank, bytes, bytes ? size : 0);
	free(bytes);
}

static void climb_tree(const struct reduction *reduction)
{
	for (int step = 1; step < reduction->ranks; step *= 2) {
		if (reduction->rank & step) {
			pass_on(reduction, reduction->rank - step);
			return;
		}
		if (reduction->rank + step < reduction->ranks)
			take_in(reduction, reduction->rank + step);
	}
}

/* The way back: from the rank that has it to those below it in the tree. */
static void descend_tree(const struct reduction *reduction, void **bytes, uint64_t *size)
{
	int step = 1;

	while (step < reduction->ranks && !(reduction->rank & step))
		step *= 2;
	if (reduction->rank)
		*bytes = receive_bytes(reduction, reduction->rank - step, size);
	while ((step /= 2) > 0)
		if (reduction->rank + step < reduction->ranks)
			send_bytes(reduction, reduction->rank + step, *bytes, *size);
}

static void spread_bytes(MPI_Comm comm, void **bytes, uint64_t *size)
{
	struct reduction reduction = {.mpi = mpi_functions()};

	if (reduction.mpi->Comm_dup(comm, &reduction.comm))
		return;
	reduction.mpi->Comm_rank(reduction.comm, &reduction.rank);
	reduction.mpi->Comm_size(reduction.comm, &reduction.ranks);
	descend_tree(&reduction, bytes, size);
	reduction.mpi->Comm_free(&reduction.comm);
}

/* The program's messages and these must not meet. */
bool mpi_reduce(MPI_Comm comm, const struct publish_sums *sums)
{
	struct reduction reduction = {.mpi = mpi_functions(), .sums = sums};

	if (reduction.mpi->Comm_dup(comm, &reduction.comm))
		return true;
	reduction.mpi->Comm_rank(reduction.comm, &reduction.rank);
	reduction.mpi->Comm_size(reduction.comm, &reduction.ranks);
	climb_tree(&reduction);
	reduction.mpi->Comm_free(&reduction.comm);
	return !reduction.rank;
}

/* The process that initialised MPI; 0: its call was not seen. */
static pid_t process;

void mpi_initialising(void)
{
	process = getpid();
}

/* What knows the ranks of the program's kind of MPI; NULL: this one does. */
static const struct runtime_ranks *other_ranks(void)
{
	void *other = mpi_other();

	return other ? dlsym(other, RUNTIME_RANKS) : NULL;
}

static bool are_together(pid_t usual)
{
	const struct runtime_ranks *other = other_ranks();
	int initialised = 0, finalised = 0;

	if (other)
		return other->are_together(usual);

	if ((process ? process : usual) != getpid() || !mpi_fits())
		return false;
	mpi_functions()->Initialized(&initialised);
	mpi_functions()->Finalized(&finalised);
	return initialised && !finalised;
}

static int rank_of(int *ret_ranks)
{
	const struct runtime_ranks *other = other_ranks();
	int own = 0;

	if (other)
		return other->rank(ret_ranks);

	mpi_functions()->Comm_rank(mpi_handles()->world, &own);
	mpi_functions()->Comm_size(mpi_handles()->world, ret_ranks);
	return own;
}

static bool reduce_ranks(void *communicator, const struct publish_sums *sums)
{
	const struct runtime_ranks *other = other_ranks();
	const MPI_Comm *comm = communicator;

	if (other)
		return other->reduce(communicator, sums);
	return mpi_reduce(comm ? *comm : mpi_handles()->world, sums);
}

static void spread_from_root(void *communicator, void **bytes, uint64_t *size)
{
	const struct runtime_ranks *other = other_ranks();
	const MPI_Comm *comm = communicator;

	if (other)
		other->spread(communicator, bytes, size);
	else
		spread_bytes(comm ? *comm : mpi_handles()->world, bytes, size);
}

__attribute__((visibility("default"))) extern const struct runtime_ranks trammel_ranks;
const struct runtime_ranks trammel_ranks = {
	RUNTIME_RANKS_ABI, are_together,       rank_of, reduce_ranks, spread_from_root,
	mpi_wrappers,      &mpi_wrapper_count,
};
