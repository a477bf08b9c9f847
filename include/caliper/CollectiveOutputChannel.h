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
#include "common/OutputStream.h"

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
	std::shared_ptr<struct cali_manager> manager_; /* or, where it is NULL: */
	std::shared_ptr<ChannelController> channel_;

	/* A rank of no communicator has what it measured itself. */
	void flush(const MPI_Comm &comm, const char *path)
	{
		const MPI_Comm *ranks = comm == MPI_COMM_NULL ? nullptr : &comm;

		if (manager_)
			cali_manager_flush_across(manager_.get(), ranks, path);
		else
			cali_channel_flush_across(channel_->channel().id(), ranks, path);
	}

      public:
	/* See make_collective_output_channel(). */
	explicit CollectiveOutputChannel(const char *configuration)
	    : manager_(cali_manager_create(), cali_manager_destroy)
	{
		cali_manager_add(manager_.get(), configuration);
	}
	explicit CollectiveOutputChannel(
		const std::shared_ptr<ChannelController> &channel)
	    : channel_(channel)
	{
	}
	/* NULL: ranks do not write its output together. */
	static std::shared_ptr<CollectiveOutputChannel>
	from(const std::shared_ptr<ChannelController> &channel);

	void start();
	void stop();

	/* By all ranks of the communicator: the first of them writes what all have to
	 * its stream, or where the configuration says. */
	std::ostream &collective_flush(std::ostream &stream, MPI_Comm comm);
	void collective_flush(OutputStream &stream, MPI_Comm comm);
	void collective_flush(MPI_Comm comm)
	{
		flush(comm, nullptr);
	}

	/* What was wrong with the configuration; "": nothing. */
	std::string error_msg() const
	{
		return manager_ ? cali_manager_message(manager_.get()) : "";
	}
	/* Whether ranks write its output together. */
	bool is_collective() const
	{
		return manager_ ? cali_manager_is_across(manager_.get())
				: cali_channel_is_across(channel_->channel().id());
	}
};

inline void CollectiveOutputChannel::start()
{
	if (manager_)
		cali_manager_start(manager_.get());
	else
		channel_->start();
}

inline void CollectiveOutputChannel::stop()
{
	if (manager_)
		cali_manager_stop(manager_.get());
	else
		channel_->stop();
}

inline std::ostream &CollectiveOutputChannel::collective_flush(std::ostream &stream,
							       MPI_Comm comm)
{
	if (!write_by_file_(stream,
			    [this, comm](const char *path) { flush(comm, path); }))
		flush(comm, "/dev/null");
	return stream;
}

/* Only the first rank opens a file. */
inline void CollectiveOutputChannel::collective_flush(OutputStream &stream, MPI_Comm comm)
{
	std::ostream none(nullptr);
	int rank = 0;

	if (comm != MPI_COMM_NULL)
		MPI_Comm_rank(comm, &rank);
	collective_flush(rank || !stream.stream() ? none : *stream.stream(), comm);
}

inline std::shared_ptr<CollectiveOutputChannel>
CollectiveOutputChannel::from(const std::shared_ptr<ChannelController> &channel)
{
	std::shared_ptr<CollectiveOutputChannel> made;

	if (channel && cali_channel_is_across(channel->channel().id()))
		made = std::make_shared<CollectiveOutputChannel>(channel);
	return made;
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
