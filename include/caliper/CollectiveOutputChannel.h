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

/* Programs may derive classes of their own, with what they do at a flush. */
class CollectiveOutputChannel
{
      public:
	virtual ~CollectiveOutputChannel()
	{
	}
	/* NULL: ranks do not write its output together. */
	static std::shared_ptr<CollectiveOutputChannel>
	from(const std::shared_ptr<ChannelController> &channel);

	virtual void start() = 0;
	virtual void stop() = 0;
	/* By all ranks of the communicator: the first of them writes what all have to
	 * its stream. */
	virtual void collective_flush(OutputStream &stream, MPI_Comm comm) = 0;
	/* The same to where the configuration says. */
	virtual void collective_flush(MPI_Comm comm)
	{
		OutputStream stream;

		stream.set_stream(OutputStream::StdOut);
		collective_flush(stream, comm);
	}
	std::ostream &collective_flush(std::ostream &stream, MPI_Comm comm)
	{
		OutputStream own;

		own.set_stream(&stream);
		collective_flush(own, comm);
		return stream;
	}
};

/* Of a configuration, or of a channel that is there. */
class ConfiguredOutputChannel : public CollectiveOutputChannel
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
	explicit ConfiguredOutputChannel(const char *configuration)
	    : manager_(cali_manager_create(), cali_manager_destroy)
	{
		cali_manager_add(manager_.get(), configuration);
	}
	explicit ConfiguredOutputChannel(
		const std::shared_ptr<ChannelController> &channel)
	    : channel_(channel)
	{
	}

	void start() override;
	void stop() override;
	using CollectiveOutputChannel::collective_flush;
	void collective_flush(OutputStream &stream, MPI_Comm comm) override;
	void collective_flush(MPI_Comm comm) override
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

inline void ConfiguredOutputChannel::start()
{
	if (manager_)
		cali_manager_start(manager_.get());
	else
		channel_->start();
}

inline void ConfiguredOutputChannel::stop()
{
	if (manager_)
		cali_manager_stop(manager_.get());
	else
		channel_->stop();
}

/* Only the first rank opens a file. */
inline void ConfiguredOutputChannel::collective_flush(OutputStream &stream, MPI_Comm comm)
{
	std::ostream none(nullptr);
	int rank = 0;

	if (comm != MPI_COMM_NULL)
		MPI_Comm_rank(comm, &rank);
	std::ostream &own = rank || !stream.stream() ? none : *stream.stream();

	if (!write_by_file_(own, [this, comm](const char *path) { flush(comm, path); }))
		flush(comm, "/dev/null");
}

inline std::shared_ptr<CollectiveOutputChannel>
CollectiveOutputChannel::from(const std::shared_ptr<ChannelController> &channel)
{
	std::shared_ptr<CollectiveOutputChannel> made =
		std::dynamic_pointer_cast<CollectiveOutputChannel>(channel);

	if (!made && channel && cali_channel_is_across(channel->channel().id()))
		made = std::make_shared<ConfiguredOutputChannel>(channel);
	return made;
}

/* A channel, or none and why. */
inline std::pair<std::shared_ptr<CollectiveOutputChannel>, std::string>
make_collective_output_channel(const char *configuration)
{
	auto made = std::make_shared<ConfiguredOutputChannel>(configuration);
	std::string error = made->error_msg();

	if (error.empty() && !made->is_collective())
		error = std::string("'") + configuration +
			"' has no output of all ranks: is libtrammel-mpi there?";
	if (!error.empty())
		made.reset();
	return std::make_pair(std::shared_ptr<CollectiveOutputChannel>(made), error);
}

} // namespace cali

#endif
#endif

#endif
