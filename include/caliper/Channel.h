/*
 * Channels by objects, and what happens in them, in C++11: see caliper/cali.h.
 */
#ifndef CALI_CHANNEL_H
#define CALI_CHANNEL_H

#include "SnapshotRecord.h"
#include "cali-channel.h"
#include "cali.h"

#ifdef __cplusplus

#include "callback.hpp"
#include "common/CaliperMetadataAccessInterface.h"

#include <cctype>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace cali
{

class Caliper;

/* What programs hand on of a channel: its number, under another type. */
struct ChannelBody;

/* Takes a record; where attributes and nodes are that it refers to. */
typedef std::function<void(CaliperMetadataAccessInterface &, const std::vector<Entry> &)>
	SnapshotFlushFn;

/* The text of a setting. */
class SettingText_
{
	std::string text_;

      public:
	explicit SettingText_(const char *text) : text_(text ? text : "")
	{
	}
	std::string to_string() const
	{
		return text_;
	}
	bool to_bool() const
	{
		return text_ == "true" || text_ == "1" || text_ == "t" || text_ == "yes";
	}
	int to_int() const
	{
		return std::atoi(text_.c_str());
	}
	uint64_t to_uint() const
	{
		return std::strtoull(text_.c_str(), nullptr, 10);
	}
};

/* Settings for a channel, or those that one has. */
class RuntimeConfig
{
	cali_configset_t set_;
	cali_id_t channel_ = CALI_INV_ID;

      public:
	RuntimeConfig() : set_(cali_create_configset(nullptr))
	{
	}
	explicit RuntimeConfig(cali_id_t channel)
	    : set_(cali_create_configset(nullptr)), channel_(channel)
	{
	}
	RuntimeConfig(RuntimeConfig &&other)
	    : set_(other.set_), channel_(other.channel_),
	      reads_environment(other.reads_environment)
	{
		other.set_ = nullptr;
	}
	~RuntimeConfig()
	{
		if (set_)
			cali_delete_configset(set_);
	}
	/* Of a channel: get("recorder", "filename"). Empty: it is not set. */
	SettingText_ get(const char *set, const char *key) const
	{
		std::string name = std::string(set) + "_" + key;

		for (char &c : name)
			c = static_cast<char>(
				std::toupper(static_cast<unsigned char>(c)));
		return SettingText_(cali_channel_setting(channel_, name.c_str()));
	}
	RuntimeConfig(const RuntimeConfig &) = delete;
	RuntimeConfig &operator=(const RuntimeConfig &) = delete;

	void set(const char *key, const char *value)
	{
		cali_configset_set(set_, key, value);
	}
	/* Whether variables go before these: of the channel, when it is made. */
	void allow_read_env(bool allow)
	{
		reads_environment = allow;
	}
	cali_configset_t settings() const
	{
		return set_;
	}

	bool reads_environment = true;
};

class Channel
{
	cali_id_t id_;

      public:
	Channel() : id_(CALI_INV_ID)
	{
	}
	explicit Channel(cali_id_t id) : id_(id)
	{
	}
	explicit Channel(ChannelBody *body) : id_(reinterpret_cast<uintptr_t>(body))
	{
	}
	cali_id_t id() const
	{
		return id_;
	}
	ChannelBody *body() const
	{
		return reinterpret_cast<ChannelBody *>(static_cast<uintptr_t>(id_));
	}
	operator bool() const
	{
		return id_ != CALI_INV_ID;
	}
	/* What it was made with, and the environment says of it. */
	RuntimeConfig config() const
	{
		return RuntimeConfig(id_);
	}
	std::string name() const;

	/*
	 * Functions that see what happens in the channel: to be connected while no other
	 * thread annotates. They stay with copies, until the channel is deleted.
	 */
	struct Events {
		typedef util::callback<void(Caliper *, ChannelBody *, const Attribute &,
					    const Variant &)>
			update_cbvec;
		typedef util::callback<void(Caliper *, ChannelBody *, SnapshotView)>
			event_cbvec;
		typedef util::callback<void(Caliper *, Channel *)> caliper_cbvec;
		typedef util::callback<void(Caliper *, const Attribute &)>
			attribute_cbvec;
		typedef util::callback<void(Caliper *, SnapshotView, SnapshotBuilder &)>
			snapshot_cbvec;
		typedef util::callback<void(Caliper *, SnapshotView, SnapshotView)>
			process_snapshot_cbvec;
		typedef util::callback<void(Caliper *, std::vector<Entry> &)>
			edit_snapshot_cbvec;
		typedef util::callback<void(Caliper *, SnapshotView, SnapshotFlushFn)>
			flush_cbvec;
		typedef util::callback<void(Caliper *, ChannelBody *, const void *,
					    const char *, size_t, size_t, const size_t *,
					    size_t, const Attribute *, const Variant *)>
			track_mem_cbvec;
		typedef util::callback<void(Caliper *, ChannelBody *, const void *)>
			untrack_mem_cbvec;

		/* Before and behind the begin of a value; before one takes another's
		 * place; before its end. What these annotate is recorded, and they see
		 * it, too; they must end what they begin. */
		update_cbvec pre_begin_evt, post_begin_evt, pre_set_evt, pre_end_evt;
		/* Caliper::async_event(). */
		event_cbvec async_event;
		/* At each snapshot, by an event or a push: the first may add to it, the
		 * others see all of it, behind what is given for its moment. What is
		 * added is in the channel's traces and, of attributes that can be summed
		 * up, in its sums, unless the function annotates, too. Only values tell
		 * no contexts apart: nodes are values there. */
		snapshot_cbvec snapshot;
		process_snapshot_cbvec process_snapshot;
		/* By Caliper::flush_and_write(), clear() and delete_channel(), or at the
		 * program's end. */
		event_cbvec pre_flush_evt, write_output_evt, post_flush_evt;
		/* By flush_and_write() and flush(): records besides those of the
		 * channel's services, and what is changed in any before it is written. */
		flush_cbvec flush_evt;
		edit_snapshot_cbvec postprocess_snapshot;
		caliper_cbvec clear_evt, pre_finish_evt, finish_evt;
		/* Behind ChannelController::on_create(). */
		caliper_cbvec post_init_evt;
		/* An attribute was made by this interface; a thread has its first event
		 * in the channel, and ends. */
		attribute_cbvec create_attr_evt;
		caliper_cbvec create_thread_evt, release_thread_evt;
		/* Memory has a name, and has it no more. */
		track_mem_cbvec track_mem_evt;
		untrack_mem_cbvec untrack_mem_evt;
		/* For programs that call it: nothing of this library does. */
		attribute_cbvec subscribe_attribute;
		cali_id_t channel = CALI_INV_ID;
	};
	Events &events();
	bool is_active() const
	{
		return cali_channel_is_active(id_);
	}
	void activate()
	{
		cali_activate_channel(id_);
	}
	void deactivate()
	{
		cali_deactivate_channel(id_);
	}
};

inline std::string Channel::name() const
{
	const char *name = cali_channel_name(id_);

	return name ? name : "";
}

inline bool operator==(const Channel &a, const Channel &b)
{
	return a.id() == b.id();
}

inline bool operator!=(const Channel &a, const Channel &b)
{
	return a.id() != b.id();
}

} // namespace cali

#endif

#endif
