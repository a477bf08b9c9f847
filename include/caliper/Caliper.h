/*
 * The state of a program by objects, in C++11: see caliper/cali.h.
 */
#ifndef CALI_CALIPER_H
#define CALI_CALIPER_H

#include "Channel.h"
#include "SnapshotRecord.h"
#include "cali-channel.h"
#include "cali.h"
#include "cali_datatracker.h"

#ifdef __cplusplus

#include "common/CaliperMetadataAccessInterface.h"

#include <string>
#include <vector>

namespace cali
{

/* Values that are begun and set for a channel (ChannelBody) are of it alone: see
 * cali-channel.h. What is done with memory for one is done for all. */
class Caliper : public CaliperMetadataAccessInterface
{
	bool in_handler_;

	explicit Caliper(bool in_handler) : in_handler_(in_handler)
	{
		cali_init();
	}

      public:
	Caliper() : Caliper(false)
	{
	}
	static Caliper instance()
	{
		return Caliper();
	}
	static bool is_initialized()
	{
		return cali_is_initialized();
	}
	/* For a signal handler, which may begin, end, set and get. */
	static Caliper sigsafe_instance()
	{
		return Caliper(true);
	}
	bool is_signal() const
	{
		return in_handler_;
	}
	operator bool() const
	{
		return cali_is_initialized();
	}
	/* Writes what all channels have that are flushed at the end, and ends those of
	 * this interface: no annotation comes behind it. */
	void finalize();
	static void release()
	{
		Caliper().finalize();
	}

	Attribute create_attribute(const std::string &name, cali_attr_type type,
				   int properties = CALI_ATTR_DEFAULT, int count = 0,
				   const Attribute *about = nullptr,
				   const Variant *values = nullptr) override;
	Attribute get_attribute(const std::string &name) const override;
	Attribute get_attribute(cali_id_t id) const override;
	bool attribute_exists(const std::string &name) const;
	std::vector<Attribute> get_all_attributes() const override;

	void begin(const Attribute &attribute, const Variant &value);
	void end(const Attribute &attribute);
	void set(const Attribute &attribute, const Variant &value);
	void begin(ChannelBody *, const Attribute &attribute, const Variant &value);
	void end(ChannelBody *, const Attribute &attribute);
	void set(ChannelBody *, const Attribute &attribute, const Variant &value);
	/* Says it, if another value is the innermost one. */
	void end_with_value_check(const Attribute &attribute, const Variant &value);
	/* Sets a value, and returns the one that was. */
	Variant exchange(const Attribute &attribute, const Variant &value);
	/* The innermost value, without what is around it; empty: there is none. */
	Entry get(const Attribute &attribute) const;
	Entry get(ChannelBody *, const Attribute &attribute) const;
	/* The path of all that is open and no value of its own; empty: nothing is. And
	 * that which an attribute belongs to, or its value. */
	Entry get_path_node();
	Entry get_blackboard_entry(const Attribute &attribute);
	/* Metadata of the run. */
	std::vector<Entry> get_globals() override;
	/* With those of the channel alone. */
	std::vector<Entry> get_globals(ChannelBody *);

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
	/* The records that flush_and_write() would write. */
	void flush(ChannelBody *body, SnapshotView about, SnapshotFlushFn take);
	void clear(Channel *channel);

	/* What is open and set now: a path, then values. */
	void pull_context(SnapshotBuilder &builder);
	/* The same behind what is given, and then what the channel's functions add. */
	void pull_snapshot(ChannelBody *body, SnapshotView given,
			   SnapshotBuilder &builder);
	/* A snapshot in the channel, with these values for its moment. */
	void push_snapshot(ChannelBody *body, SnapshotView given);
	/* The same; what is open there stays as it is. */
	void push_snapshot_replace(ChannelBody *body, SnapshotView given,
				   const Entry &target);
	/* A snapshot in all channels that measure, of an event that ended elsewhere. */
	void async_event(SnapshotView given);

	/* Memory that has a name: as cali_datatracker_track_dimensional. What is said of
	 * it besides goes to functions of channels. */
	void memory_region_begin(const void *place, const char *label,
				 size_t element_size, size_t dimension_count,
				 const size_t *dimensions, size_t extra_count = 0,
				 const Attribute *extra_attributes = nullptr,
				 const Variant *extra_values = nullptr);
	void memory_region_begin(ChannelBody *, const void *place, const char *label,
				 size_t element_size, size_t dimension_count,
				 const size_t *dimensions, size_t extra_count = 0,
				 const Attribute *extra_attributes = nullptr,
				 const Variant *extra_values = nullptr);
	void memory_region_end(const void *place);
	void memory_region_end(ChannelBody *, const void *place);

	/* Entries of these: paths below the parent, and values. */
	void make_record(size_t count, const Attribute attributes[],
			 const Variant values[], SnapshotBuilder &builder,
			 Node *parent = nullptr);
	Node *node(cali_id_t id) const override;
	Node *make_tree_entry(size_t count, const Node *nodes[],
			      Node *parent = nullptr) override;
	Node *make_tree_entry(const Attribute &attribute, const Variant &value,
			      Node *parent = nullptr);
	Node *make_tree_entry(const Attribute &attribute, size_t count,
			      const Variant values[], Node *parent = nullptr);
};

} // namespace cali

#include "ChannelEvents.h"
#include "CaliperImpl.h"

#endif

#endif
