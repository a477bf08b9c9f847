/*
 * The state of a program by objects, in C++11: see caliper/cali.h.
 */
#ifndef CALI_CALIPER_H
#define CALI_CALIPER_H

#include "SnapshotRecord.h"
#include "cali-channel.h"
#include "cali.h"

#ifdef __cplusplus

#include "callback.hpp"

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace cali
{

/* Settings for a channel. */
class RuntimeConfig
{
	cali_configset_t set_;

      public:
	RuntimeConfig() : set_(cali_create_configset(nullptr))
	{
	}
	~RuntimeConfig()
	{
		cali_delete_configset(set_);
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

/* What programs hand on of a channel: its number, under another type. */
struct ChannelBody;

class Caliper;

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
	explicit operator bool() const
	{
		return id_ != CALI_INV_ID;
	}
	bool operator==(const Channel &other) const
	{
		return id_ == other.id_;
	}
	bool operator!=(const Channel &other) const
	{
		return id_ != other.id_;
	}
	std::string name() const;
	/* Functions that see what happens in the channel: to be connected while no other
	 * thread annotates. They stay with copies, until the channel is deleted. */
	struct Events {
		typedef util::callback<void(Caliper *, ChannelBody *, const Attribute &,
					    const Variant &)>
			update_cbvec;
		typedef util::callback<void(Caliper *, ChannelBody *, SnapshotView)>
			event_cbvec;
		typedef util::callback<void(Caliper *, Channel *)> caliper_cbvec;
		typedef util::callback<void(Caliper *, const Attribute &)>
			attribute_cbvec;

		/* Before and behind the begin of a value; before one takes another's
		 * place; before its end. What these annotate is recorded, and they see
		 * it, too; they must end what they begin. */
		update_cbvec pre_begin_evt, post_begin_evt, pre_set_evt, pre_end_evt;
		/* By Caliper::flush_and_write(), clear() and delete_channel(), or at the
		 * program's end. */
		event_cbvec pre_flush_evt, write_output_evt, post_flush_evt;
		caliper_cbvec clear_evt, pre_finish_evt, finish_evt;
		/* Behind ChannelController::on_create(). */
		caliper_cbvec post_init_evt;
		/* An attribute was made by this interface; a thread has its first event
		 * in the channel, and ends. */
		attribute_cbvec create_attr_evt;
		caliper_cbvec create_thread_evt, release_thread_evt;
		cali_id_t channel = CALI_INV_ID;
	};
	Events &events();
	bool is_active() const
	{
		return cali_channel_is_active(id_);
	}
	void activate();
	void deactivate();
};

inline std::string Channel::name() const
{
	const char *name = cali_channel_name(id_);

	return name ? name : "";
}

inline void Channel::activate()
{
	cali_activate_channel(id_);
}

inline void Channel::deactivate()
{
	cali_deactivate_channel(id_);
}

class Caliper
{
      public:
	Caliper()
	{
		cali_init();
	}
	static Caliper instance()
	{
		return Caliper();
	}
	static bool is_initialized()
	{
		return cali_is_initialized();
	}
	/* Any function of this class may be called in a handler. */
	static Caliper sigsafe_instance()
	{
		return Caliper();
	}
	explicit operator bool() const
	{
		return cali_is_initialized();
	}

	/* `count` attributes that say something of the new one, with their values. */
	Attribute create_attribute(const std::string &name, cali_attr_type type,
				   int properties = CALI_ATTR_DEFAULT, int count = 0,
				   const Attribute *about = nullptr,
				   const Variant *values = nullptr);
	Attribute get_attribute(const std::string &name) const;
	Attribute get_attribute(cali_id_t id) const;
	bool attribute_exists(const std::string &name) const;

	void begin(const Attribute &attribute, const Variant &value);
	void end(const Attribute &attribute);
	void set(const Attribute &attribute, const Variant &value);
	/* Says it, if another value is the innermost one. */
	void end_with_value_check(const Attribute &attribute, const Variant &value);
	/* What is open or set of it; empty: nothing is. */
	Entry get(const Attribute &attribute) const
	{
		return Entry(attribute, Variant(cali_get(attribute.id())));
	}

	/* It measures from now on. */
	Channel create_channel(const char *name, const RuntimeConfig &settings);
	void delete_channel(Channel &channel);
	/* Those that there are, and one by its number. */
	std::vector<Channel> get_all_channels();
	Channel get_channel(cali_id_t id);
	void activate_channel(Channel &channel);
	void deactivate_channel(Channel &channel);
	void flush_and_write(Channel channel, SnapshotView about = SnapshotView());
	void flush_and_write(ChannelBody *body, SnapshotView about = SnapshotView());
	void clear(Channel *channel);
	/* What is open and set now, innermost first; behind it, what is given. */
	void pull_context(SnapshotBuilder &builder);
	void pull_snapshot(ChannelBody *body, SnapshotView given,
			   SnapshotBuilder &builder);
	/* All that there are; and metadata of the run. */
	std::vector<Attribute> get_all_attributes() const;
	std::vector<Entry> get_globals();
	std::vector<Entry> get_globals(ChannelBody *body);
	/* Memory that has a name: as cali_datatracker_track_dimensional. */
	void memory_region_begin(const void *place, const char *label,
				 size_t element_size, size_t dimension_count,
				 const size_t *dimensions);
	void memory_region_end(const void *place);
	/* A snapshot in the channel, with these values for its moment. */
	void push_snapshot(ChannelBody *body, SnapshotView given);
};

inline Attribute Caliper::create_attribute(const std::string &name, cali_attr_type type,
					   int properties, int count,
					   const Attribute *about, const Variant *values)
{
	std::vector<cali_id_t> ids;
	std::vector<cali_variant_t> texts;

	for (int i = 0; i < count; i++) {
		ids.push_back(about[i].id());
		texts.push_back(values[i].c_variant());
	}
	return Attribute(cali_create_attribute_with_metadata(
		name.c_str(), type, properties, count, ids.data(), texts.data()));
}

inline Channel Caliper::create_channel(const char *name, const RuntimeConfig &settings)
{
	return Channel(cali_create_channel(
		name, settings.reads_environment ? CALI_CHANNEL_ALLOW_READ_ENV : 0,
		settings.settings()));
}

/* Kept for good: a thread may be in the middle of an event. */
struct ChannelEvents_ {
	static std::map<cali_id_t, Channel::Events *> &all()
	{
		static auto *known = new std::map<cali_id_t, Channel::Events *>;

		return *known;
	}
	static void tell(void *context, enum cali_event_kind kind, cali_id_t attribute,
			 cali_variant_t value)
	{
		Channel::Events &events = *static_cast<Channel::Events *>(context);
		Channel channel(events.channel);
		Channel::Events::update_cbvec *called[] = {
			&events.pre_begin_evt,
			&events.pre_set_evt,
			&events.pre_end_evt,
			&events.post_begin_evt,
		};
		Caliper caliper;

		if (kind == CALI_EVENT_ATTRIBUTE)
			events.create_attr_evt(&caliper, Attribute(attribute));
		else if (kind == CALI_EVENT_THREAD)
			events.create_thread_evt(&caliper, &channel);
		else if (kind == CALI_EVENT_THREAD_END)
			events.release_thread_evt(&caliper, &channel);
		else
			(*called[kind])(&caliper, channel.body(), Attribute(attribute),
					Variant(value));
	}
	static void finish(Channel::Events &events)
	{
		Channel channel(events.channel);
		Caliper caliper;

		events.pre_finish_evt(&caliper, &channel);
		events.finish_evt(&caliper, &channel);
	}
	/* In front of what is written at the end. */
	static void finish_all()
	{
		std::map<cali_id_t, Channel::Events *> known;

		known.swap(all());
		for (const auto &one : known)
			finish(*one.second);
	}
};

inline Channel::Events &Channel::events()
{
	Events *&known = ChannelEvents_::all()[id_];

	static const int at_exit = std::atexit(ChannelEvents_::finish_all);

	(void)at_exit;
	if (!known) {
		known = new Events;
		known->channel = id_;
		cali_channel_watch(id_, ChannelEvents_::tell, known);
	}
	return *known;
}

} // namespace cali

namespace cali
{

inline void Caliper::delete_channel(Channel &channel)
{
	auto found = ChannelEvents_::all().find(channel.id());

	if (found != ChannelEvents_::all().end()) {
		ChannelEvents_::finish(*found->second);
		ChannelEvents_::all().erase(found);
	}
	cali_delete_channel(channel.id());
	channel = Channel();
}

inline void Caliper::flush_and_write(Channel channel, SnapshotView about)
{
	auto found = ChannelEvents_::all().find(channel.id());
	Channel::Events none;
	Channel::Events &events =
		found == ChannelEvents_::all().end() ? none : *found->second;

	events.pre_flush_evt(this, channel.body(), about);
	cali_channel_flush(channel.id(), 0);
	events.write_output_evt(this, channel.body(), about);
	events.post_flush_evt(this, channel.body(), about);
}

inline void Caliper::flush_and_write(ChannelBody *body, SnapshotView about)
{
	flush_and_write(Channel(body), about);
}

inline void Caliper::clear(Channel *channel)
{
	auto found = ChannelEvents_::all().find(channel->id());

	cali_channel_clear(channel->id());
	if (found != ChannelEvents_::all().end())
		found->second->clear_evt(this, channel);
}

} // namespace cali

namespace cali
{

struct SnapshotEntries_ {
	static int add(void *context, cali_id_t attribute, cali_variant_t value)
	{
		static_cast<SnapshotBuilder *>(context)->append(Attribute(attribute),
								Variant(value));
		return 1;
	}
};

inline void Caliper::pull_context(SnapshotBuilder &builder)
{
	std::vector<unsigned char> bytes(4096);
	size_t size = cali_pull_snapshot(0, bytes.size(), bytes.data());

	if (size > bytes.size()) {
		bytes.resize(size);
		size = cali_pull_snapshot(0, bytes.size(), bytes.data());
	}
	if (size)
		cali_unpack_snapshot(bytes.data(), nullptr, SnapshotEntries_::add,
				     &builder);
}

inline void Caliper::pull_snapshot(ChannelBody *, SnapshotView given,
				   SnapshotBuilder &builder)
{
	pull_context(builder);
	builder.append(given);
}

inline void Caliper::push_snapshot(ChannelBody *body, SnapshotView given)
{
	std::vector<cali_id_t> attributes;
	std::vector<cali_variant_t> values;

	for (const Entry &entry : given) {
		attributes.push_back(entry.attribute());
		values.push_back(entry.value().c_variant());
	}
	cali_channel_push_snapshot(Channel(body).id(), 0, static_cast<int>(given.size()),
				   attributes.data(), values.data());
}

inline void Caliper::memory_region_begin(const void *place, const char *label,
					 size_t element_size, size_t dimension_count,
					 const size_t *dimensions)
{
	cali_datatracker_track_dimensional(place, label, element_size, dimensions,
					   dimension_count);
}

inline void Caliper::memory_region_end(const void *place)
{
	cali_datatracker_untrack(place);
}

inline Attribute Caliper::get_attribute(const std::string &name) const
{
	return Attribute(cali_find_attribute(name.c_str()));
}

inline Attribute Caliper::get_attribute(cali_id_t id) const
{
	return Attribute(id);
}

inline bool Caliper::attribute_exists(const std::string &name) const
{
	return get_attribute(name).id() != CALI_INV_ID;
}

inline std::vector<Entry> Caliper::get_globals(ChannelBody *)
{
	return get_globals();
}

inline std::vector<Attribute> Caliper::get_all_attributes() const
{
	std::vector<Attribute> found;

	/* Their numbers go from 1 on. */
	for (cali_id_t id = 1; cali_attribute_name(id); id++)
		found.push_back(Attribute(id));
	return found;
}

inline std::vector<Entry> Caliper::get_globals()
{
	std::vector<Entry> found;

	for (const Attribute &attribute : get_all_attributes())
		if (attribute.is_global() && !get(attribute).value().empty())
			found.push_back(get(attribute));
	return found;
}

inline void Caliper::begin(const Attribute &attribute, const Variant &value)
{
	cali_begin_variant(attribute.id(), value.c_variant());
}

inline void Caliper::end(const Attribute &attribute)
{
	cali_end(attribute.id());
}

inline void Caliper::set(const Attribute &attribute, const Variant &value)
{
	cali_set_variant(attribute.id(), value.c_variant());
}

inline Channel Caliper::get_channel(cali_id_t id)
{
	return cali_channel_name(id) ? Channel(id) : Channel();
}

} // namespace cali

namespace cali
{

inline std::vector<Channel> Caliper::get_all_channels()
{
	std::vector<Channel> found;

	for (cali_id_t id = 1; id <= CALI_CHANNELS_MAX; id++)
		if (cali_channel_name(id))
			found.push_back(Channel(id));
	return found;
}

inline void Caliper::end_with_value_check(const Attribute &attribute,
					  const Variant &value)
{
	if (attribute.type() == CALI_TYPE_STRING)
		cali_safe_end_string(attribute.id(), value.to_string().c_str());
	else
		end(attribute);
}

inline void Caliper::activate_channel(Channel &channel)
{
	channel.activate();
}

inline void Caliper::deactivate_channel(Channel &channel)
{
	channel.deactivate();
}

} // namespace cali

#endif

#endif
