/* Shows records, in C++11: SELECT, ORDER BY and FORMAT of a query. */
#ifndef CALI_READER_FORMATPROCESSOR_H
#define CALI_READER_FORMATPROCESSOR_H

#include "../cali.h"

#ifdef __cplusplus

#include "QueryRecords.h"
#include "QueryText.h"

#include <memory>

namespace cali
{

/* Copies have the same records, which are written by flush(). */
class FormatProcessor
{
	struct State {
		std::string query;
		OutputStream result;
		QueryRecords records;
	};
	std::shared_ptr<State> state_;

      public:
	FormatProcessor(const QuerySpec &spec, OutputStream &stream)
	    : state_(std::make_shared<State>())
	{
		state_->query =
			QueryText::write(spec, QUERY_SELECT | QUERY_ORDER | QUERY_FORMAT);
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
	void flush(CaliperMetadataAccessInterface &nodes)
	{
		if (state_->result.stream())
			state_->records.write(nodes, state_->query,
					      *state_->result.stream());
	}
	static const QuerySpec::FunctionSignature *formatter_defs()
	{
		return QueryText::formats();
	}
};

} // namespace cali

#endif

#endif
