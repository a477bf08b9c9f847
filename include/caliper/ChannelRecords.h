/* Records of a channel, for the program, and changed by it: see caliper/Channel.h. */
#ifndef CALI_CHANNELRECORDS_H
#define CALI_CHANNELRECORDS_H

#include "Caliper.h"

#ifdef __cplusplus

#include "reader/CaliReader.h"
#include "reader/CaliWriter.h"

#include <map>
#include <sstream>

namespace cali
{

/* Records of a file by attributes and nodes of the program. */
class ProgramRecords_
{
	Caliper &caliper_;
	std::map<const Node *, Node *> known_;

	static bool is_metadata(const Node *node)
	{
		return node->attribute() != Attribute::TYPE_ATTR_ID &&
		       node->attribute() != Attribute::PROP_ATTR_ID;
	}
	Attribute make(CaliperMetadataAccessInterface &from, const Attribute &attribute)
	{
		std::vector<Attribute> about;
		std::vector<Variant> values;

		for (Node *node = attribute.node()->parent();
		     node && node->attribute() != CALI_INV_ID; node = node->parent())
			if (is_metadata(node)) {
				about.push_back(find(from, node->attribute()));
				values.push_back(node->data());
			}
		return caliper_.create_attribute(
			attribute.name(), attribute.type(), attribute.properties(),
			static_cast<int>(about.size()), about.data(), values.data());
	}
	Attribute find(CaliperMetadataAccessInterface &from, cali_id_t id)
	{
		const Attribute attribute = from.get_attribute(id);
		Node *&known = known_[attribute.node()];

		if (!known)
			known = make(from, attribute).node();
		return Attribute::make_attribute(known);
	}
	Node *path(CaliperMetadataAccessInterface &from, const Node *node)
	{
		if (!node || node->attribute() == CALI_INV_ID)
			return nullptr;
		Node *&known = known_[node];

		if (!known)
			known = caliper_.make_tree_entry(find(from, node->attribute()),
							 node->data(),
							 path(from, node->parent()));
		return known;
	}

      public:
	explicit ProgramRecords_(Caliper &caliper) : caliper_(caliper)
	{
	}
	std::vector<Entry> take(CaliperMetadataAccessInterface &from,
				const std::vector<Entry> &record)
	{
		std::vector<Entry> result;

		for (const Entry &entry : record)
			result.push_back(entry.is_immediate()
						 ? Entry(find(from, entry.attribute()),
							 entry.value())
						 : Entry(path(from, entry.node())));
		return result;
	}
};

/* The records, as the program's functions change them. Returns the run's metadata. */
inline std::vector<Entry> flush_edited_(Caliper &caliper, Channel channel,
					SnapshotView about, SnapshotFlushFn take)
{
	Channel::Events *events = ChannelEvents_::find(channel.id());
	ProgramRecords_ records(caliper);
	CaliperMetadataDB nodes;
	std::stringstream text;
	const SnapshotFlushFn edit = [&](CaliperMetadataAccessInterface &of,
					 const std::vector<Entry> &record) {
		std::vector<Entry> edited = record;

		if (events)
			events->postprocess_snapshot(&caliper, edited);
		take(of, edited);
	};

	write_report_for_query(channel.id(), "SELECT * FORMAT cali", 0, text);
	CaliReader().read(text, nodes, nullptr,
			  [&](CaliperMetadataAccessInterface &from,
			      const std::vector<Entry> &record) {
				  edit(caliper, records.take(from, record));
			  });
	if (events)
		events->flush_evt(&caliper, about, edit);
	return records.take(nodes, nodes.get_globals());
}

inline void Caliper::flush(ChannelBody *body, SnapshotView about, SnapshotFlushFn take)
{
	flush_edited_(*this, Channel(body), about, take);
}

/* What the channel's services write, of records that the program has changed. */
inline void write_edited_(Caliper &caliper, Channel channel, SnapshotView about)
{
	std::ostringstream text;
	OutputStream stream;

	stream.set_stream(&text);
	CaliWriter writer(stream);
	const std::vector<Entry> globals =
		flush_edited_(caliper, channel, about,
			      [&](CaliperMetadataAccessInterface &nodes,
				  const std::vector<Entry> &record) {
				      writer.write_snapshot(nodes, record);
			      });

	writer.write_globals(caliper, globals);
	read_by_file_(text.str(), [=](const char *path) {
		cali_channel_flush_of(channel.id(), path);
	});
}

inline void Caliper::flush_and_write(Channel channel, SnapshotView about)
{
	Channel::Events none, *found = ChannelEvents_::find(channel.id());
	Channel::Events &events = found ? *found : none;

	events.pre_flush_evt(this, channel.body(), about);
	if (ChannelEvents_::edits(events))
		write_edited_(*this, channel, about);
	else
		cali_channel_flush(channel.id(), 0);
	events.write_output_evt(this, channel.body(), about);
	events.post_flush_evt(this, channel.body(), about);
}

} // namespace cali

#endif

#endif
