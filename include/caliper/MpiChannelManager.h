/*
 * Measurements of the ranks of a communicator, with the interface of LLNL's Caliper: what
 * a ConfigManager has is started, stopped and flushed by these ranks alone.
 *
 *     cali::ConfigManager manager("runtime-report");
 *     cali::MpiChannelManager ranks(half);
 *
 *     ranks.add(manager);
 *     ranks.start();
 *     ...
 *     ranks.collective_flush();
 */
#ifndef CALI_MPICHANNELMANAGER_H
#define CALI_MPICHANNELMANAGER_H

#include "CollectiveOutputChannel.h"
#include "cali-manager.h"

#if defined(__cplusplus) && defined(__has_include)
#if __has_include(<mpi.h>)
#include <mpi.h>

#include <memory>
#include <vector>

namespace cali
{

/* In a rank that is not of the communicator (MPI_COMM_NULL) nothing happens. */
class MpiChannelManager
{
	MPI_Comm comm_;
	std::vector<ConfigManager> managers_;
	std::vector<std::shared_ptr<ChannelController>> channels_;

	bool is_in() const
	{
		return comm_ != MPI_COMM_NULL;
	}
	/* Controllers of the program's own may be collective by themselves. */
	void flush(const std::shared_ptr<ChannelController> &channel)
	{
		auto own = std::dynamic_pointer_cast<CollectiveOutputChannel>(channel);

		if (own)
			own->collective_flush(comm_);
		else if (cali_channel_is_across(channel->channel().id()))
			cali_channel_flush_across(channel->channel().id(), &comm_,
						  nullptr);
		else
			channel->flush();
	}

      public:
	explicit MpiChannelManager(MPI_Comm comm) : comm_(comm)
	{
	}

	/* The manager's channels themselves: it may be gone before this one is. */
	void add(const ConfigManager &manager)
	{
		managers_.push_back(manager);
	}
	void add(const std::shared_ptr<ChannelController> &channel)
	{
		channels_.push_back(channel);
	}
	void start();
	void stop();
	/* By all ranks of the communicator. */
	void collective_flush();
};

inline void MpiChannelManager::start()
{
	for (auto &manager : managers_)
		if (is_in())
			manager.start();
	for (auto &channel : channels_)
		if (is_in())
			channel->start();
}

inline void MpiChannelManager::stop()
{
	for (auto &manager : managers_)
		if (is_in())
			manager.stop();
	for (auto &channel : channels_)
		if (is_in())
			channel->stop();
}

inline void MpiChannelManager::collective_flush()
{
	for (auto &manager : managers_) {
		if (is_in())
			cali_manager_flush_across(manager.manager(), &comm_, nullptr);
		for (auto &channel : manager.state_->controllers)
			if (is_in())
				flush(channel);
	}
	for (auto &channel : channels_)
		if (is_in())
			flush(channel);
}

} // namespace cali

#endif
#endif

#endif
