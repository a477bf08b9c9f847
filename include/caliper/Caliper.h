/*
 * The state of a program by objects, in C++11: see caliper/cali.h.
 */
#ifndef CALI_CALIPER_H
#define CALI_CALIPER_H

#include "cali.h"
#include "common/Variant.h"

#ifdef __cplusplus

#include <string>
#include <vector>

namespace cali
{

class Attribute
{
	cali_id_t id_;

      public:
	Attribute() : id_(CALI_INV_ID)
	{
	}
	explicit Attribute(cali_id_t id) : id_(id)
	{
	}
	cali_id_t id() const
	{
		return id_;
	}
	explicit operator bool() const
	{
		return id_ != CALI_INV_ID;
	}
	std::string name() const
	{
		const char *name = cali_attribute_name(id_);

		return name ? name : "";
	}
	const char *name_c_str() const
	{
		return cali_attribute_name(id_);
	}
	cali_attr_type type() const
	{
		return cali_attribute_type(id_);
	}
	int properties() const
	{
		return cali_attribute_properties(id_);
	}
	bool is_nested() const
	{
		return properties() & CALI_ATTR_NESTED;
	}
	bool store_as_value() const
	{
		return properties() & CALI_ATTR_ASVALUE;
	}
	bool is_hidden() const
	{
		return properties() & CALI_ATTR_HIDDEN;
	}
	bool is_global() const
	{
		return properties() & CALI_ATTR_GLOBAL;
	}
	bool skip_events() const
	{
		return properties() & CALI_ATTR_SKIP_EVENTS;
	}
	bool operator==(const Attribute &other) const
	{
		return id_ == other.id_;
	}
	bool operator<(const Attribute &other) const
	{
		return id_ < other.id_;
	}
};

/* An attribute with a value. */
class Entry
{
	Attribute attribute_;
	Variant value_;

      public:
	Entry()
	{
	}
	Entry(const Attribute &attribute, const Variant &value)
	    : attribute_(attribute), value_(value)
	{
	}
	cali_id_t attribute() const
	{
		return attribute_.id();
	}
	Variant value() const
	{
		return value_;
	}
	bool empty() const
	{
		return value_.empty();
	}
};

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
	explicit operator bool() const
	{
		return cali_is_initialized();
	}

	/* `count` attributes that say something of the new one, with their values. */
	Attribute create_attribute(const std::string &name, cali_attr_type type,
				   int properties = CALI_ATTR_DEFAULT, int count = 0,
				   const Attribute *about = nullptr,
				   const Variant *values = nullptr);
	Attribute get_attribute(const std::string &name) const
	{
		return Attribute(cali_find_attribute(name.c_str()));
	}
	Attribute get_attribute(cali_id_t id) const
	{
		return Attribute(id);
	}
	bool attribute_exists(const std::string &name) const
	{
		return cali_find_attribute(name.c_str()) != CALI_INV_ID;
	}

	void begin(const Attribute &attribute, const Variant &value)
	{
		cali_begin_variant(attribute.id(), value.c_variant());
	}
	void end(const Attribute &attribute)
	{
		cali_end(attribute.id());
	}
	void set(const Attribute &attribute, const Variant &value)
	{
		cali_set_variant(attribute.id(), value.c_variant());
	}
	/* What is open or set of it; empty: nothing is. */
	Entry get(const Attribute &attribute) const
	{
		return Entry(attribute, Variant(cali_get(attribute.id())));
	}

	/* It measures from now on. */
	Channel create_channel(const char *name, const RuntimeConfig &settings);
	void delete_channel(Channel &channel);
	void activate_channel(Channel &channel);
	void deactivate_channel(Channel &channel);
	void flush_and_write(Channel &channel);
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

inline void Caliper::delete_channel(Channel &channel)
{
	cali_delete_channel(channel.id());
	channel = Channel();
}

inline void Caliper::flush_and_write(Channel &channel)
{
	cali_channel_flush(channel.id(), 0);
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
