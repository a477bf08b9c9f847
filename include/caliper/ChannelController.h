/*
 * A channel with its settings, of which programs derive controllers of their own: see
 * caliper/cali.h. The channel is made at the first start().
 */
#ifndef CALI_CHANNELCONTROLLER_H
#define CALI_CHANNELCONTROLLER_H

#include "Caliper.h"

#ifdef __cplusplus

#include <map>
#include <memory>
#include <string>

namespace cali
{

typedef std::map<std::string, std::string> info_map_t;

/* What the copies of a controller share. */
struct ChannelControllerState {
	std::string name;
	int flags;
	config_map_t config;
	info_map_t metadata;
	Channel channel;
	std::shared_ptr<void> owner; /* of the channel, if it is another's */

	ChannelControllerState(const char *name_, int flags_, const config_map_t &config_)
	    : name(name_), flags(flags_), config(config_)
	{
	}
	ChannelControllerState(const ChannelControllerState &) = delete;
	ChannelControllerState &operator=(const ChannelControllerState &) = delete;
	~ChannelControllerState()
	{
		if (channel && !owner)
			Caliper().delete_channel(channel);
	}
};

} // namespace cali

namespace cali
{

/* Copies are the same controller; its channel ends with the last of them. */
class ChannelController
{
	std::shared_ptr<ChannelControllerState> state_;

      protected:
	/* Changes count until the channel is made. */
	config_map_t &config()
	{
		return state_->config;
	}
	/* Globals that are said when the channel is made. */
	info_map_t &metadata()
	{
		return state_->metadata;
	}
	Channel create();
	/* The channel was just made. */
	virtual void on_create(Caliper *, Channel &)
	{
	}

      public:
	/* `flags`: cali_channel_opt. */
	ChannelController(const char *name, int flags, const config_map_t &config)
	    : state_(std::make_shared<ChannelControllerState>(name, flags, config))
	{
	}
	/* Of a channel that is there, and stays as long as its owner does. */
	ChannelController(const Channel &channel, const std::shared_ptr<void> &owner)
	    : ChannelController(channel.name().c_str(), 0, config_map_t())
	{
		state_->channel = channel;
		state_->owner = owner;
	}
	virtual ~ChannelController()
	{
	}

	Channel channel()
	{
		return state_->channel;
	}
	ChannelBody *channel_body()
	{
		return state_->channel.body();
	}
	void start();
	void stop();
	bool is_active() const
	{
		return is_instantiated() && state_->channel.is_active();
	}
	bool is_instantiated() const
	{
		return static_cast<bool>(state_->channel);
	}
	std::string name() const
	{
		return state_->name;
	}
	virtual void flush();
	config_map_t copy_config() const
	{
		return state_->config;
	}
};

} // namespace cali

namespace cali
{

inline void ChannelController::start()
{
	create().activate();
}

inline void ChannelController::stop()
{
	state_->channel.deactivate();
}

inline void ChannelController::flush()
{
	if (is_instantiated())
		Caliper().flush_and_write(state_->channel);
}

inline Channel ChannelController::create()
{
	if (is_instantiated())
		return state_->channel;

	Caliper caliper;

	state_->channel = Channel(create_channel(
		state_->name.c_str(), state_->flags | CALI_CHANNEL_LEAVE_INACTIVE,
		state_->config));
	if (!state_->channel)
		return state_->channel;
	on_create(&caliper, state_->channel);
	if (ChannelEvents_::all().count(state_->channel.id()))
		state_->channel.events().post_init_evt(&caliper, &state_->channel);
	for (const auto &pair : state_->metadata)
		cali_set_global_string_byname(pair.first.c_str(), pair.second.c_str());
	return state_->channel;
}

} // namespace cali

#endif

#endif
