/* Writes .cali files, in C++11; what they are: docs/caliper.md. */
#ifndef CALI_READER_CALIWRITER_H
#define CALI_READER_CALIWRITER_H

#include "../cali.h"

#ifdef __cplusplus

#include "../common/OutputStream.h"
#include "RecordProcessor.h"

#include <map>
#include <memory>

namespace cali
{

/* Copies write to the same stream, which has each node once. */
class CaliWriter
{
	struct State {
		OutputStream stream;
		std::map<const Node *, cali_id_t> ids;
		cali_id_t next = FirstNodes::COUNT;
		size_t count = 0;
	};
	std::shared_ptr<State> state_;

	cali_id_t write_node(const CaliperMetadataAccessInterface &nodes,
			     const Node *node);
	cali_id_t write_metadata(const CaliperMetadataAccessInterface &nodes,
				 const Node *attribute, cali_id_t above);
	void write(const CaliperMetadataAccessInterface &nodes, const char *kind,
		   const std::vector<Entry> &record);

      public:
	CaliWriter()
	{
	}
	explicit CaliWriter(OutputStream &stream) : state_(std::make_shared<State>())
	{
		state_->stream = stream;
	}
	/* Lines: of nodes and of records. */
	size_t num_written() const
	{
		return state_ ? state_->count : 0;
	}
	void write_snapshot(const CaliperMetadataAccessInterface &nodes,
			    const std::vector<Entry> &record)
	{
		write(nodes, "ctx", record);
	}
	void write_globals(const CaliperMetadataAccessInterface &nodes,
			   const std::vector<Entry> &globals)
	{
		write(nodes, "globals", globals);
	}
	/* What the attribute is, which no record need have. */
	void write_attribute(const CaliperMetadataAccessInterface &nodes,
			     const Attribute &attribute)
	{
		if (state_ && state_->stream.stream())
			write_node(nodes, attribute.node());
	}
};

/* What the program says of its own attributes, which their nodes do not have above them.
 */
inline cali_id_t CaliWriter::write_metadata(const CaliperMetadataAccessInterface &nodes,
					    const Node *attribute, cali_id_t above)
{
	struct Said {
		std::vector<Entry> entries;
		static void add(void *context, cali_id_t key, cali_variant_t value)
		{
			static_cast<Said *>(context)->entries.push_back(
				Entry(Attribute(key), Variant(value)));
		}
	} said;

	if (Attribute::is_attribute(attribute) && attribute->is_program_node())
		cali_attribute_each_metadata(attribute->id(), Said::add, &said);
	for (const Entry &entry : said.entries) {
		const cali_id_t key = write_node(nodes, entry.node());
		const cali_id_t id = state_->next++;

		*state_->stream.stream()
			<< "__rec=node,id=" << id << ",attr=" << key << ",data=";
		entry.value().write_cali(*state_->stream.stream())
			<< ",parent=" << above << '\n';
		state_->count++;
		above = id;
	}
	return above;
}

/* Those that it needs first. CALI_INV_ID: it is the root, or none. */
inline cali_id_t CaliWriter::write_node(const CaliperMetadataAccessInterface &nodes,
					const Node *node)
{
	if (!node || node->attribute() == CALI_INV_ID)
		return CALI_INV_ID;
	if (node->id() < FirstNodes::COUNT)
		return node->id();
	auto found = state_->ids.find(node);

	if (found != state_->ids.end())
		return found->second;
	const cali_id_t attribute =
		node->attribute() < FirstNodes::COUNT
			? node->attribute()
			: write_node(nodes, nodes.node(node->attribute()));
	const cali_id_t parent =
		write_metadata(nodes, node, write_node(nodes, node->parent()));
	const cali_id_t id = state_->next++;
	std::ostream &stream = *state_->stream.stream();

	state_->ids[node] = id;
	state_->count++;
	stream << "__rec=node,id=" << id << ",attr=" << attribute << ",data=";
	node->data().write_cali(stream);
	if (parent != CALI_INV_ID)
		stream << ",parent=" << parent;
	stream << '\n';
	return id;
}

inline void CaliWriter::write(const CaliperMetadataAccessInterface &nodes,
			      const char *kind, const std::vector<Entry> &record)
{
	std::string references;
	std::vector<std::pair<cali_id_t, Variant>> values;

	if (!state_ || !state_->stream.stream())
		return;
	for (const Entry &entry : record) {
		const cali_id_t id = write_node(nodes, entry.node());

		if (entry.is_immediate())
			values.push_back(std::make_pair(id, entry.value()));
		else if (id != CALI_INV_ID)
			references += "=" + std::to_string(id);
	}
	if (references.empty() && values.empty())
		return;
	std::ostream &stream = *state_->stream.stream();

	stream << "__rec=" << kind << (references.empty() ? "" : ",ref") << references;
	if (!values.empty())
		stream << ",attr";
	for (const auto &pair : values)
		stream << '=' << pair.first;
	if (!values.empty())
		stream << ",data";
	for (const auto &pair : values)
		pair.second.write_cali(stream << '=');
	stream << '\n';
	state_->count++;
}

} // namespace cali

#endif

#endif
