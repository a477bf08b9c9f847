/*
 * At the end of MPI: what all ranks recorded becomes one profile, of rank 0's. Each rank
 * packs the sums of its own, takes in what those below it in a binomial tree have packed,
 * and sends all of it on.
 *
 * This is done only if TRAMMEL_MPI_OUTPUT says where the profile is to go. Every rank of
 * the job must have that, as a job of which some programs do not have this library would
 * wait for ever; whether a rank has recorded something makes no difference.
 */
#include "mpi/calls.h"
#include "publish/gather.h"
#include "runtime/outside.h"

#include <stdio.h>
#include <stdlib.h>

enum { PIECE = 1 << 30, TAG = 1 };

struct gathering {
	const struct mpi_functions *mpi;
	const struct publish_gather *functions; /* NULL: not to be had */
	struct context_gather *sums;
	MPI_Comm comm;
	int rank, ranks;
};

static void send_bytes(const struct gathering *to, int rank, const char *bytes,
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
static char *receive_bytes(const struct gathering *from, int rank, uint64_t *ret_size)
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

static void take_in(const struct gathering *gathering, int rank)
{
	uint64_t size;
	char *bytes = receive_bytes(gathering, rank, &size);

	if (gathering->sums && size)
		gathering->functions->add(gathering->sums, bytes, size);
	free(bytes);
}

static void pass_on(const struct gathering *gathering, int rank)
{
	char *bytes = NULL;
	uint64_t size = 0;

	if (gathering->sums)
		bytes = gathering->functions->pack(gathering->sums, &size);
	send_bytes(gathering, rank, bytes, bytes ? size : 0);
	free(bytes);
}

static void reduce(const struct gathering *gathering)
{
	for (int step = 1; step < gathering->ranks; step *= 2) {
		if (gathering->rank & step) {
			pass_on(gathering, gathering->rank - step);
			return;
		}
		if (gathering->rank + step < gathering->ranks)
			take_in(gathering, gathering->rank + step);
	}
}

static void open_own(struct gathering *gathering, const struct runtime_outside *runtime)
{
	const char *spool = runtime->spool();

	gathering->functions = runtime->publisher(PUBLISH_GATHER);
	if (!gathering->functions || gathering->functions->abi != PUBLISH_GATHER_ABI)
		return;
	gathering->sums = gathering->functions->create();
	gathering->functions->add_own(gathering->sums, spool, (uint32_t)gathering->rank);
}

static void write_profile(const struct gathering *gathering, const char *output,
			  const struct runtime_outside *runtime)
{
	char command[8192];

	runtime->command(command, sizeof(command));
	gathering->functions->write(gathering->sums, output, command);
}

static void gather(const char *output, const struct runtime_outside *runtime)
{
	struct gathering gathering = {.mpi = mpi_functions()};
	const struct mpi_functions *mpi = gathering.mpi;

	if (mpi->Comm_dup(mpi_handles()->world, &gathering.comm))
		return;
	mpi->Comm_rank(gathering.comm, &gathering.rank);
	mpi->Comm_size(gathering.comm, &gathering.ranks);
	if (runtime)
		open_own(&gathering, runtime);
	reduce(&gathering);
	if (!gathering.rank && gathering.sums)
		write_profile(&gathering, output, runtime);
	else if (!gathering.rank)
		fprintf(stderr, "trammel: rank 0 does not record, and writes no \"%s\"\n",
			output);
	if (gathering.sums)
		gathering.functions->destroy(gathering.sums);
	mpi->Comm_free(&gathering.comm);
}

void mpi_finalising(void)
{
	const char *output = getenv("TRAMMEL_MPI_OUTPUT");
	const struct runtime_outside *runtime;

	if (!output || !*output || !mpi_fits())
		return;
	runtime = outside_find();
	gather(output, runtime);
	if (runtime)
		runtime->disown();
}
