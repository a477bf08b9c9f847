/* Runs queries over records, in C++11: see caliper/reader/CalQLParser.h. */
#ifndef CALI_READER_QUERYPROCESSOR_H
#define CALI_READER_QUERYPROCESSOR_H

#include "../cali.h"

#ifdef __cplusplus

#include "QueryRecords.h"
#include "QueryText.h"

#include <memory>

namespace cali
{

/* Copies are the same query. Records are kept until flush(), which writes the result. */
class QueryProcessor
{
	struct State {
		std::string query;
		OutputStream result;
		QueryRecords records;
	};
	std::shared_ptr<State> state_;

      public:
	QueryProcessor(const QuerySpec &spec, OutputStream &stream)
	    : state_(std::make_shared<State>())
	{
		state_->query = QueryText::of(spec);
		state_->result = stream;
	}
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
