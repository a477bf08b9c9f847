/*
 * For programs of several ranks: calls of MPI functions are regions where libtrammel-mpi
 * is linked or preloaded, and need no word of the program: cali_mpi_init(), of
 * caliper/cali.h, does nothing, as with LLNL's Caliper from 2.0 on. In C++ a program may
 * write a report of all ranks by queries of its own.
 */
#ifndef CALI_CALI_MPI_H
#define CALI_CALI_MPI_H

#include "cali.h"

#ifdef __has_include
#if __has_include(<mpi.h>)
#include <mpi.h>

#ifdef __cplusplus
#include "Caliper.h"
#include "reader/QueryText.h"

namespace cali
{

/* What a channel has, by all ranks of the communicator: the first one writes a query over
 * what another makes in each of them to its stream. */
inline void collective_flush(OutputStream &stream, Caliper &, ChannelBody *body,
			     SnapshotView, const QuerySpec &local,
			     const QuerySpec &across, MPI_Comm comm)
{
	const MPI_Comm *ranks = comm == MPI_COMM_NULL ? nullptr : &comm;
	int rank = 0;

	if (ranks)
		MPI_Comm_rank(comm, &rank);
	std::ostream *own = rank ? nullptr : stream.stream();
	const auto write = [&](const char *path) {
		cali_channel_report_across(Channel(body).id(),
					   QueryText::of(local).c_str(),
					   QueryText::of(across).c_str(), ranks, path);
	};

	if (!own || !write_by_file_(*own, write))
		write("/dev/null");
}

} // namespace cali
#endif

#endif
#endif

#endif
