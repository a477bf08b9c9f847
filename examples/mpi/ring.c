/*
 * A token goes round a ring of ranks, and each step is summed up: what an MPI program's
 * profile has.
 *
 *     mpicc -O2 ring.c -o ring
 *     trammel run -m mpi -- mpirun -n 8 ./ring
 */
#include <mpi.h>
#include <stdio.h>
#include <trammel/annotate.h>

static long pass_on(int rank, int ranks, long token)
{
	long received;

	TRM_REGION("pass on");
	if (rank % 2) {
		MPI_Recv(&received, 1, MPI_LONG, rank - 1, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		MPI_Send(&token, 1, MPI_LONG, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
	} else {
		MPI_Send(&token, 1, MPI_LONG, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
		MPI_Recv(&received, 1, MPI_LONG, (rank + ranks - 1) % ranks, 0,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	return received + rank;
}

int main(int argc, char **argv)
{
	long token, sum = 0;
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	token = rank;
	for (int step = 0; ranks % 2 == 0 && step < 10; step++) {
		TRM_LOOP("step", step)
		{
			token = pass_on(rank, ranks, token);
			MPI_Allreduce(&token, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
		}
	}
	if (!rank)
		printf("%ld\n", sum);
	MPI_Finalize();
	return 0;
}
