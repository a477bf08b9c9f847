/* Records that a query is run over, in C++11: what Aggregator.h and others share. */
#ifndef CALI_READER_QUERYRECORDS_H
#define CALI_READER_QUERYRECORDS_H

#include "../cali.h"

#ifdef __cplusplus

#include "../cali-channel.h"
#include "../common/OutputStream.h"
#include "CaliReader.h"
#include "CaliWriter.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <sstream>

namespace cali
{

class QueryRecords
{
	OutputStream stream_;
	std::ostringstream text_;
	CaliWriter writer_;
	std::mutex lock_;
	/* What results refer to stays as long as this. */
	std::deque<CaliperMetadataDB> results_;

	static Node *import_path(CaliperMetadataAccessInterface &to,
				 const CaliperMetadataAccessInterface &from,
				 const Node *node);
	static Attribute import_attribute(CaliperMetadataAccessInterface &to,
					  const Attribute &attribute)
	{
		return to.create_attribute(attribute.name(), attribute.type(),
					   attribute.properties());
	}
	bool any_ = false; /* there are records */
	static EntryList import_record(CaliperMetadataAccessInterface &to,
				       const CaliperMetadataAccessInterface &from,
				       const EntryList &record);

      public:
	QueryRecords()
	{
		stream_.set_stream(&text_);
		writer_ = CaliWriter(stream_);
	}
	void add(CaliperMetadataAccessInterface &nodes, const EntryList &record)
	{
		std::lock_guard<std::mutex> guard(lock_);

		any_ = true;
		if (record.empty())
			text_ << "__rec=ctx,\n";
		else
			writer_.write_snapshot(nodes, record);
	}
	/* The result, with the run's metadata, as its format has it. */
	void write(CaliperMetadataAccessInterface &nodes, const std::string &query,
		   std::ostream &stream);
	/* The result's records, which are of `nodes`. */
	void push(CaliperMetadataAccessInterface &nodes, const std::string &query,
		  const SnapshotProcessFn &take);
};

inline Node *QueryRecords::import_path(CaliperMetadataAccessInterface &to,
				       const CaliperMetadataAccessInterface &from,
				       const Node *node)
{
	if (!node || node->attribute() == CALI_INV_ID)
		return nullptr;
	const Attribute attribute =
		import_attribute(to, from.get_attribute(node->attribute()));
	const Node said(CALI_INV_ID, attribute.id(), node->data());
	const Node *all[] = {&said};

	return to.make_tree_entry(1, all, import_path(to, from, node->parent()));
}

inline EntryList QueryRecords::import_record(CaliperMetadataAccessInterface &to,
					     const CaliperMetadataAccessInterface &from,
					     const EntryList &record)
{
	EntryList made;

	for (const Entry &entry : record)
		made.push_back(
			entry.is_immediate()
				? Entry(import_attribute(to, from.get_attribute(
								     entry.attribute())),
					entry.value())
				: Entry(import_path(to, from, entry.node())));
	return made;
}

inline void QueryRecords::write(CaliperMetadataAccessInterface &nodes,
				const std::string &query, std::ostream &stream)
{
	std::lock_guard<std::mutex> guard(lock_);

	writer_.write_globals(nodes, nodes.get_globals());
	/* Of what an operator takes it matters that it might be there. */
	for (const Attribute &attribute : nodes.get_all_attributes())
		writer_.write_attribute(nodes, attribute);
	read_by_file_(text_.str(), [&](const char *records) {
		write_by_file_(stream, [&](const char *path) {
			cali_query_run(query.c_str(), records, path);
		});
	});
}

inline void QueryRecords::push(CaliperMetadataAccessInterface &nodes,
			       const std::string &query, const SnapshotProcessFn &take)
{
	std::stringstream result;

	if (!any_)
		return;
	write(nodes, query + " format cali", result);
	results_.emplace_back();
	CaliReader().read(
		result, results_.back(), nullptr,
		[&](CaliperMetadataAccessInterface &from, const EntryList &record) {
			take(nodes, import_record(nodes, from, record));
		});
}

/* What writes the result of a query: copies have the same records, which are kept until
 * flush(). */
class QueryOutput
{
	struct State {
		std::string query;
		OutputStream result;
		QueryRecords records;
	};
	std::shared_ptr<State> state_;

      protected:
	QueryOutput(const std::string &query, const OutputStream &stream)
	    : state_(std::make_shared<State>())
	{
		state_->query = query;
		state_->result = stream;
	}

      public:
	void process_record(CaliperMetadataAccessInterface &nodes,
			    const EntryList &record)
	{
		state_->records.add(nodes, record);
	}
	void operator()(CaliperMetadataAccessInterface &nodes, const EntryList &record)
	{
		process_record(nodes, record);
	}
	/* The result with the run's metadata. */
	void flush(CaliperMetadataAccessInterface &nodes)
	{
		if (state_->result.stream())
			state_->records.write(nodes, state_->query,
					      *state_->result.stream());
	}
};

} // namespace cali

#endif

#endif
