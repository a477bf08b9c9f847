/*
 * Measurement of a parallel program whose output a program takes itself: with the
 * interface of LLNL's Caliper.
 *
 *     std::shared_ptr<cali::CollectiveOutputChannel> channel;
 *     std::string error;
 *
 *     std::tie(channel, error) = cali::make_collective_output_channel("runtime-report");
 *     channel->start();
 *     ...
 *     channel->collective_flush(std::cout, MPI_COMM_WORLD);
 *
 * The program needs libtrammel-mpi: linked in front of the MPI library, or preloaded.
 */
#ifndef CALI_COLLECTIVEOUTPUTCHANNEL_H
#define CALI_COLLECTIVEOUTPUTCHANNEL_H

#include "cali-manager.h"

#if defined(__cplusplus) && defined(__has_include)
#if __has_include(<mpi.h>)
#include <mpi.h>
#include <stdio.h>

#include <memory>
#include <ostream>
#include <string>
#include <utility>

namespace cali
{

class CollectiveOutputChannel
{
	std::unique_ptr<struct cali_manager, void (*)(struct cali_manager *)> manager_;

	/* A rank of no communicator has what it measured itself. */
	void flush(const MPI_Comm &comm, const char *path)
	{
		cali_manager_flush_across(manager_.get(),
					  comm == MPI_COMM_NULL ? nullptr : &comm, path);
	}

      public:
	/* See make_collective_output_channel(). */
	explicit CollectiveOutputChannel(const char *configuration)
	    : manager_(cali_manager_create(), cali_manager_destroy)
	{
		cali_manager_add(manager_.get(), configuration);
	}

	void start()
	{
		cali_manager_start(manager_.get());
	}
	void stop()
	{
		cali_manager_stop(manager_.get());
	}

	/* By all ranks of the communicator: the first of them writes what all have to
	 * its stream, or where the configuration says. */
	std::ostream &collective_flush(std::ostream &stream, MPI_Comm comm);
	void collective_flush(MPI_Comm comm)
	{
		flush(comm, nullptr);
	}

	/* What was wrong with the configuration; "": nothing. */
	std::string error_msg() const
	{
		return cali_manager_message(manager_.get());
	}
	/* Whether ranks write its output together. */
	bool is_collective() const
	{
		return cali_manager_is_across(manager_.get());
	}
};

/* The file goes when it is closed. */
inline std::ostream &CollectiveOutputChannel::collective_flush(std::ostream &stream,
							       MPI_Comm comm)
{
	FILE *file = tmpfile();
	char part[4096];
	size_t length;

	if (!file) {
		stream.setstate(std::ios::failbit);
		flush(comm, "/dev/null");
		return stream;
	}
	flush(comm, ("/proc/self/fd/" + std::to_string(fileno(file))).c_str());
	rewind(file);
	while ((length = fread(part, 1, sizeof(part), file)) > 0)
		stream.write(part, static_cast<std::streamsize>(length));
	fclose(file);
	return stream;
}

/* A channel, or none and why. */
inline std::pair<std::shared_ptr<CollectiveOutputChannel>, std::string>
make_collective_output_channel(const char *configuration)
{
	auto made = std::make_shared<CollectiveOutputChannel>(configuration);
	std::string error = made->error_msg();

	if (error.empty() && !made->is_collective())
		error = std::string("'") + configuration +
			"' has no output of all ranks: is libtrammel-mpi there?";
	if (!error.empty())
		made.reset();
	return std::make_pair(made, error);
}

} // namespace cali

#endif
#endif

#endif
