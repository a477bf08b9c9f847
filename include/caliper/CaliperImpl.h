/* What the functions of cali::Caliper do: see caliper/Caliper.h. */
#ifndef CALI_CALIPERIMPL_H
#define CALI_CALIPERIMPL_H

#include "Caliper.h"
#include "ChannelEvents.h"

#ifdef __cplusplus

#include "common/ProgramNodes.h"

#include <cstdlib>

namespace cali
{

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
	return get_attribute(name);
}

inline std::vector<Attribute> Caliper::get_all_attributes() const
{
	std::vector<Attribute> found;

	for (cali_id_t id = FirstNodes::COUNT; cali_attribute_name(id); id++)
		found.push_back(Attribute(id));
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

inline void Caliper::begin(ChannelBody *body, const Attribute &attribute,
			   const Variant &value)
{
	cali_channel_begin_variant(Channel(body).id(), attribute.id(), value.c_variant());
}

inline void Caliper::end(ChannelBody *body, const Attribute &attribute)
{
	cali_channel_end(Channel(body).id(), attribute.id());
}

inline void Caliper::set(ChannelBody *body, const Attribute &attribute,
			 const Variant &value)
{
	cali_channel_set_variant(Channel(body).id(), attribute.id(), value.c_variant());
}

inline void Caliper::end_with_value_check(const Attribute &attribute,
					  const Variant &value)
{
	if (attribute.type() == CALI_TYPE_STRING)
		cali_safe_end_string(attribute.id(), value.to_string().c_str());
	else
		end(attribute);
}

inline Variant Caliper::exchange(const Attribute &attribute, const Variant &value)
{
	const Variant before(cali_get(attribute.id()));

	set(attribute, value);
	return before;
}

inline Entry value_entry_(const Attribute &attribute, const Variant &value)
{
	if (value.empty())
		return Entry();
	if (attribute.store_as_value())
		return Entry(attribute, value);
	return Entry(ProgramNodes::all().child(nullptr, attribute.id(), value));
}

inline Entry Caliper::get(const Attribute &attribute) const
{
	return value_entry_(attribute, Variant(cali_get(attribute.id())));
}

inline Entry Caliper::get(ChannelBody *body, const Attribute &attribute) const
{
	return value_entry_(
		attribute, Variant(cali_channel_get(Channel(body).id(), attribute.id())));
}

inline Entry Caliper::get_path_node()
{
	FixedSizeSnapshotRecord<ChannelEvents_::SNAPSHOT_MAX> record;

	pull_context(record.builder());
	for (const Entry &entry : record.view())
		if (entry.is_reference() &&
		    !(Attribute(entry.attribute()).properties() & CALI_ATTR_UNALIGNED))
			return entry;
	return Entry();
}

inline Entry Caliper::get_blackboard_entry(const Attribute &attribute)
{
	if (attribute.store_as_value() || attribute.properties() & CALI_ATTR_UNALIGNED)
		return get(attribute);
	return get_path_node();
}

inline std::vector<Entry> Caliper::get_globals(ChannelBody *body)
{
	std::vector<Entry> found = get_globals();

	for (const Attribute &attribute : get_all_attributes()) {
		Entry entry = attribute.is_global() ? get(body, attribute) : Entry();

		if (!entry.empty())
			found.push_back(entry);
	}
	return found;
}

inline std::vector<Entry> Caliper::get_globals()
{
	std::vector<Entry> found;

	for (const Attribute &attribute : get_all_attributes()) {
		Entry entry = attribute.is_global() ? get(attribute) : Entry();

		if (!entry.empty())
			found.push_back(entry);
	}
	return found;
}

} // namespace cali

namespace cali
{

/* Sorts what is open, innermost first, into paths and values. */
struct ContextEntries_ {
	std::vector<Entry> path, unaligned, values;

	static int add(void *context, cali_id_t id, cali_variant_t value)
	{
		ContextEntries_ &all = *static_cast<ContextEntries_ *>(context);
		const Attribute attribute(id);
		std::vector<Entry> &to = attribute.store_as_value() ? all.values
					 : attribute.properties() & CALI_ATTR_UNALIGNED
						 ? all.unaligned
						 : all.path;

		to.push_back(Entry(attribute, Variant(value)));
		return 1;
	}
	static void append(const std::vector<Entry> &path, SnapshotBuilder &builder)
	{
		Node *node = nullptr;

		for (size_t i = path.size(); i--;)
			node = ProgramNodes::all().child(node, path[i].node()->id(),
							 path[i].value());
		if (node)
			builder.append(Entry(node));
	}
};

inline void Caliper::pull_context(SnapshotBuilder &builder)
{
	std::vector<unsigned char> bytes(4096);
	size_t size = cali_pull_snapshot(0, bytes.size(), bytes.data());
	ContextEntries_ all;

	if (size > bytes.size()) {
		bytes.resize(size);
		size = cali_pull_snapshot(0, bytes.size(), bytes.data());
	}
	if (size)
		cali_unpack_snapshot(bytes.data(), nullptr, ContextEntries_::add, &all);
	ContextEntries_::append(all.path, builder);
	ContextEntries_::append(all.unaligned, builder);
	builder.append(all.values.size(), all.values.data());
}

inline void Caliper::pull_snapshot(ChannelBody *body, SnapshotView given,
				   SnapshotBuilder &builder)
{
	Channel::Events *events = ChannelEvents_::find(Channel(body).id());

	builder.append(given);
	pull_context(builder);
	if (events)
		events->snapshot(this, given, builder);
}

/* Attributes and values one by one, paths outermost first. */
struct GivenValues_ {
	std::vector<cali_id_t> attributes;
	std::vector<cali_variant_t> values;

	explicit GivenValues_(SnapshotView given)
	{
		for (const Entry &entry : given)
			if (entry.is_immediate())
				add(entry.attribute(), entry.value());
			else
				add_path(entry.node());
	}

      private:
	void add(cali_id_t attribute, const Variant &value)
	{
		attributes.push_back(attribute);
		values.push_back(value.c_variant());
	}
	void add_path(const Node *node)
	{
		if (!node || node->attribute() == CALI_INV_ID)
			return;
		add_path(node->parent());
		add(node->attribute(), node->data());
	}
};

inline void Caliper::push_snapshot(ChannelBody *body, SnapshotView given)
{
	const GivenValues_ all(given);

	cali_channel_push_snapshot(Channel(body).id(), 0,
				   static_cast<int>(all.values.size()),
				   all.attributes.data(), all.values.data());
}

inline void Caliper::push_snapshot_replace(ChannelBody *body, SnapshotView given,
					   const Entry &)
{
	push_snapshot(body, given);
}

inline void Caliper::async_event(SnapshotView given)
{
	const GivenValues_ all(given);

	cali_push_snapshot(0, static_cast<int>(all.values.size()), all.attributes.data(),
			   all.values.data());
	for (const auto &one : ChannelEvents_::all())
		if (cali_channel_is_active(one.first))
			one.second->async_event(this, Channel(one.first).body(), given);
}

inline void Caliper::memory_region_begin(const void *place, const char *label,
					 size_t element_size, size_t dimension_count,
					 const size_t *dimensions, size_t extra_count,
					 const Attribute *extra_attributes,
					 const Variant *extra_values)
{
	ChannelEvents_::extra() = {extra_count, extra_attributes, extra_values};
	cali_datatracker_track_dimensional(place, label, element_size, dimensions,
					   dimension_count);
	ChannelEvents_::extra() = {0, nullptr, nullptr};
}

inline void Caliper::memory_region_begin(ChannelBody *, const void *place,
					 const char *label, size_t element_size,
					 size_t dimension_count, const size_t *dimensions,
					 size_t extra_count,
					 const Attribute *extra_attributes,
					 const Variant *extra_values)
{
	memory_region_begin(place, label, element_size, dimension_count, dimensions,
			    extra_count, extra_attributes, extra_values);
}

inline void Caliper::memory_region_end(const void *place)
{
	cali_datatracker_untrack(place);
}

inline void Caliper::memory_region_end(ChannelBody *, const void *place)
{
	memory_region_end(place);
}

inline void Caliper::make_record(size_t count, const Attribute attributes[],
				 const Variant values[], SnapshotBuilder &builder,
				 Node *parent)
{
	Node *path = parent;

	for (size_t i = 0; i < count; i++)
		if (attributes[i].store_as_value())
			builder.append(attributes[i], values[i]);
		else
			path = make_tree_entry(attributes[i], values[i], path);
	if (path && path != parent)
		builder.append(Entry(path));
}

inline Node *Caliper::node(cali_id_t id) const
{
	return ProgramNodes::all().node(id);
}

inline Node *Caliper::make_tree_entry(size_t count, const Node *nodes[], Node *parent)
{
	for (size_t i = 0; i < count; i++)
		parent = ProgramNodes::all().child(parent, nodes[i]->attribute(),
						   nodes[i]->data());
	return parent;
}

inline Node *Caliper::make_tree_entry(const Attribute &attribute, const Variant &value,
				      Node *parent)
{
	return make_tree_entry(attribute, 1, &value, parent);
}

inline Node *Caliper::make_tree_entry(const Attribute &attribute, size_t count,
				      const Variant values[], Node *parent)
{
	for (size_t i = 0; i < count; i++)
		parent = ProgramNodes::all().child(parent, attribute.id(), values[i]);
	return parent;
}

} // namespace cali

namespace cali
{

inline Channel Caliper::create_channel(const char *name, const RuntimeConfig &settings)
{
	return Channel(cali_create_channel(
		name, settings.reads_environment ? CALI_CHANNEL_ALLOW_READ_ENV : 0,
		settings.settings()));
}

inline void Caliper::delete_channel(Channel &channel)
{
	Channel::Events *events = ChannelEvents_::find(channel.id());

	if (events) {
		ChannelEvents_::finish(*events);
		ChannelEvents_::all().erase(channel.id());
	}
	cali_delete_channel(channel.id());
	channel = Channel();
}

inline std::vector<Channel> Caliper::get_all_channels()
{
	std::vector<Channel> found;

	for (cali_id_t id = 1; id <= CALI_CHANNELS_MAX; id++)
		if (cali_channel_name(id))
			found.push_back(Channel(id));
	return found;
}

inline Channel Caliper::get_channel(cali_id_t id)
{
	return cali_channel_name(id) ? Channel(id) : Channel();
}

inline void Caliper::activate_channel(Channel &channel)
{
	channel.activate();
}

inline void Caliper::deactivate_channel(Channel &channel)
{
	channel.deactivate();
}

inline void Caliper::flush_and_write(ChannelBody *body, SnapshotView about)
{
	flush_and_write(Channel(body), about);
}

inline void Caliper::clear(Channel *channel)
{
	Channel::Events *events = ChannelEvents_::find(channel->id());

	cali_channel_clear(channel->id());
	if (events)
		events->clear_evt(this, channel);
}

inline void Caliper::finalize()
{
	for (Channel &channel : get_all_channels()) {
		if (cali_channel_ends_written(channel.id()))
			flush_and_write(channel);
		delete_channel(channel);
	}
}

} // namespace cali

namespace cali
{

/* What was added behind so many entries is the channel's own. */
inline void ChannelEvents_::add(Channel::Events &events, SnapshotView record,
				size_t before)
{
	const GivenValues_ all(
		SnapshotView(record.size() - before, record.data() + before));

	cali_channel_add_to_snapshot(events.channel, static_cast<int>(all.values.size()),
				     all.attributes.data(), all.values.data());
}

/* A snapshot for those who want one. */
inline void ChannelEvents_::take(Channel::Events &events, SnapshotView given)
{
	FixedSizeSnapshotRecord<SNAPSHOT_MAX> record;
	Caliper caliper;

	if (events.snapshot.empty() && events.process_snapshot.empty())
		return;
	record.builder().append(given);
	caliper.pull_context(record.builder());
	const size_t before = record.builder().size();

	events.snapshot(&caliper, given, record.builder());
	if (!events.snapshot.empty())
		add(events, record.view(), before);
	events.process_snapshot(&caliper, given, record.view());
}

/* The snapshot is of what was before the event, and has what it is. */
inline void ChannelEvents_::tell_event(Channel::Events &events, enum cali_event_kind kind,
				       const Attribute &attribute, const Variant &value)
{
	static const char *const names[] = {"event.begin#", "event.set#", "event.end#"};
	Channel::Events::update_cbvec *called[] = {
		&events.pre_begin_evt,
		&events.pre_set_evt,
		&events.pre_end_evt,
		&events.post_begin_evt,
	};
	const bool wanted = !events.snapshot.empty() || !events.process_snapshot.empty();
	Caliper caliper;

	(*called[kind])(&caliper, Channel(events.channel).body(), attribute, value);
	if (kind == CALI_EVENT_BEGAN || !wanted || attribute.skip_events() ||
	    !cali_channel_has(events.channel, "event"))
		return;
	const Attribute marker = caliper.create_attribute(
		names[kind] + attribute.name(), attribute.type(),
		CALI_ATTR_SKIP_EVENTS | (attribute.properties() & CALI_ATTR_ASVALUE));

	take(events, marker.store_as_value()
			     ? Entry(marker, value)
			     : Entry(caliper.make_tree_entry(marker, value)));
}

inline void ChannelEvents_::tell(void *context, enum cali_event_kind kind,
				 cali_id_t attribute, cali_variant_t value)
{
	Channel::Events &events = *static_cast<Channel::Events *>(context);
	Channel channel(events.channel);
	Caliper caliper;

	if (kind == CALI_EVENT_ATTRIBUTE)
		events.create_attr_evt(&caliper, Attribute(attribute));
	else if (kind == CALI_EVENT_THREAD)
		events.create_thread_evt(&caliper, &channel);
	else if (kind == CALI_EVENT_THREAD_END)
		events.release_thread_evt(&caliper, &channel);
	else
		tell_event(events, kind, Attribute(attribute), Variant(value));
}

inline void ChannelEvents_::snapshot(void *context, int n, const cali_id_t attributes[],
				     const cali_variant_t values[])
{
	FixedSizeSnapshotRecord<SNAPSHOT_MAX> given;
	std::vector<Attribute> all;
	std::vector<Variant> data;
	Caliper caliper;

	for (int i = 0; i < n; i++) {
		all.push_back(Attribute(attributes[i]));
		data.push_back(Variant(values[i]));
	}
	caliper.make_record(all.size(), all.data(), data.data(), given.builder());
	take(*static_cast<Channel::Events *>(context), given.view());
}

inline void ChannelEvents_::track(void *context, const void *place, const char *label,
				  size_t element_size, const size_t *dimensions,
				  size_t dimension_count)
{
	Channel::Events &events = *static_cast<Channel::Events *>(context);
	Caliper caliper;

	events.track_mem_evt(&caliper, Channel(events.channel).body(), place, label,
			     element_size, dimension_count, dimensions, extra().count,
			     extra().attributes, extra().values);
}

inline void ChannelEvents_::untrack(void *context, const void *place)
{
	Channel::Events &events = *static_cast<Channel::Events *>(context);
	Caliper caliper;

	events.untrack_mem_evt(&caliper, Channel(events.channel).body(), place);
}

inline void ChannelEvents_::finish(Channel::Events &events)
{
	Channel channel(events.channel);
	Caliper caliper;

	events.pre_finish_evt(&caliper, &channel);
	events.finish_evt(&caliper, &channel);
}

/* In front of what is written at the end. */
inline void ChannelEvents_::finish_all()
{
	Known known;

	for (const auto &one : all())
		if (edits(*one.second) && cali_channel_ends_written(one.first))
			Caliper().flush_and_write(Channel(one.first));
	known.swap(all());
	for (const auto &one : known)
		finish(*one.second);
}

inline Channel::Events &Channel::events()
{
	static const int at_exit = std::atexit(ChannelEvents_::finish_all);
	static const struct cali_watcher watcher = {
		ChannelEvents_::tell, ChannelEvents_::snapshot, ChannelEvents_::track,
		ChannelEvents_::untrack};
	Events *&known = ChannelEvents_::all()[id_];

	(void)at_exit;
	if (!known) {
		known = new Events;
		known->channel = id_;
		cali_channel_watch_all(id_, &watcher, known);
	}
	return *known;
}

} // namespace cali

#include "ChannelRecords.h"

#endif

#endif
