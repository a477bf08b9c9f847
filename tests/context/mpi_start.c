/* A rank that was annotated for LLNL's Caliper: C and C++ build it. */
#include <caliper/cali-mpi.h>
#include <caliper/cali.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	cali_mpi_init();
	cali_begin_region("started");
	cali_end_region("started");
	MPI_Finalize();
	return 0;
}
