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
	std::vector<std::shared_ptr<struct cali_manager>> managers_;

	bool is_in() const
	{
		return comm_ != MPI_COMM_NULL;
	}

      public:
	explicit MpiChannelManager(MPI_Comm comm) : comm_(comm)
	{
	}

	/* The manager's channels themselves: it may be gone before this one is. */
	void add(const ConfigManager &manager)
	{
		managers_.push_back(manager.manager_);
	}
	void start()
	{
		for (auto &manager : managers_)
			if (is_in())
				cali_manager_start(manager.get());
	}
	void stop()
	{
		for (auto &manager : managers_)
			if (is_in())
				cali_manager_stop(manager.get());
	}
	/* By all ranks of the communicator. */
	void collective_flush()
	{
		for (auto &manager : managers_)
			if (is_in())
				cali_manager_flush_across(manager.get(), &comm_, nullptr);
	}
};

} // namespace cali

#endif
#endif

#endif
