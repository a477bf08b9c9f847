/* The program's own context: nothing is put into its code, it says by itself. */
#include "collect/collect.h"

const struct collector collector_regions = {
	.name = "regions",
	.summary = "time and number of the program's own regions",
	.regions = true,
};

const struct collector collector_trace = {
	.name = "trace",
	.summary = "every begin and end of the program's own regions, with its time",
	.regions = true,
	.trace = true,
};

const struct collector collector_openmp = {
	.name = "openmp",
	.summary = "the program's own regions, and parallel regions, loops, tasks and "
		   "barriers of OpenMP",
	.regions = true,
	.openmp = true,
};

const struct collector collector_mpi = {
	.name = "mpi",
	.summary = "the program's own regions, and calls of MPI functions with their "
		   "messages",
	.regions = true,
	.mpi = true,
};
