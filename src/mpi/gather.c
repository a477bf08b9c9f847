/*
 * At the end of MPI: what all ranks recorded becomes one profile, of rank 0's.
 *
 * This is done only if TRAMMEL_MPI_OUTPUT says where the profile is to go. Every rank of
 * the job must have that, as a job of which some programs do not have this library would
 * wait for ever; whether a rank has recorded something makes no difference.
 */
#include "mpi/gather.h"

#include "mpi/calls.h"
#include "mpi/reduce.h"
#include "publish/gather.h"
#include "runtime/process/plugin_api.h"

#include <stdio.h>
#include <stdlib.h>

struct gathering {
	const struct publish_gather *functions; /* NULL: not to be had */
	struct context_gather *sums;
};

static void add_bytes(void *context, const void *bytes, uint64_t size)
{
	const struct gathering *gathering = context;

	if (gathering->sums)
		gathering->functions->add(gathering->sums, bytes, size);
}

static void *pack_sums(void *context, uint64_t *ret_size)
{
	const struct gathering *gathering = context;

	return gathering->sums ? gathering->functions->pack(gathering->sums, ret_size)
			       : NULL;
}

static void open_own(struct gathering *gathering, const struct runtime_outside *runtime,
		     int rank)
{
	const char *spool = runtime->spool();

	gathering->functions = runtime->publisher(PUBLISH_GATHER);
	if (!gathering->functions || gathering->functions->abi != PUBLISH_GATHER_ABI)
		return;
	gathering->sums = gathering->functions->create();
	gathering->functions->add_own(gathering->sums, spool, (uint32_t)rank);
}

static void write_profile(const struct gathering *gathering, const char *output,
			  const struct runtime_outside *runtime)
{
	char command[8192];

	runtime->command(command, sizeof(command));
	gathering->functions->write(gathering->sums, output, command);
}

static void gather_ranks(const char *output, const struct runtime_outside *runtime)
{
	struct gathering gathering = {.functions = NULL};
	MPI_Comm world = mpi_handles()->world;
	int rank = 0;

	mpi_functions()->Comm_rank(world, &rank);
	if (runtime)
		open_own(&gathering, runtime, rank);
	if (mpi_reduce(world, &(struct publish_sums){&gathering, add_bytes, pack_sums})) {
		if (gathering.sums)
			write_profile(&gathering, output, runtime);
		else
			fprintf(stderr,
				"trammel: rank 0 does not record, and writes no '%s'\n",
				output);
	}
	if (gathering.sums)
		gathering.functions->destroy(gathering.sums);
}

void mpi_finalising(void)
{
	const char *output = getenv("TRAMMEL_MPI_OUTPUT");
	const struct runtime_outside *runtime;

	if (!mpi_fits())
		return;
	runtime = outside_find();
	if (runtime)
		runtime->parting();
	if (!output || !*output)
		return;
	gather_ranks(output, runtime);
	if (runtime)
		runtime->disown();
}
