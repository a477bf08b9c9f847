/* Runs queries over records, in C++11: see caliper/reader/CalQLParser.h. */
#ifndef CALI_READER_QUERYPROCESSOR_H
#define CALI_READER_QUERYPROCESSOR_H

#include "../cali.h"

#ifdef __cplusplus

#include "../common/OutputStream.h"
#include "CaliWriter.h"
#include "QuerySpec.h"
#include "RecordProcessor.h"

#include <memory>
#include <mutex>
#include <sstream>

namespace cali
{

/* Copies are the same query. Records are kept until flush(), which writes the result. */
class QueryProcessor
{
	struct State {
		QuerySpec spec;
		OutputStream result, records;
		std::ostringstream text;
		CaliWriter writer;
		std::mutex lock;
	};
	std::shared_ptr<State> state_;

      public:
	QueryProcessor(const QuerySpec &spec, OutputStream &stream)
	    : state_(std::make_shared<State>())
	{
		state_->spec = spec;
		state_->result = stream;
		state_->records.set_stream(&state_->text);
		state_->writer = CaliWriter(state_->records);
	}
	void process_record(CaliperMetadataAccessInterface &nodes,
			    const EntryList &record)
	{
		std::lock_guard<std::mutex> guard(state_->lock);

		state_->writer.write_snapshot(nodes, record);
	}
	void operator()(CaliperMetadataAccessInterface &nodes, const EntryList &record)
	{
		process_record(nodes, record);
	}
	/* The result with the run's metadata. */
	void flush(CaliperMetadataAccessInterface &nodes)
	{
		const std::string query = state_->spec.text;

		state_->writer.write_globals(nodes, nodes.get_globals());
		if (!state_->result.stream())
			return;
		read_by_file_(state_->text.str(), [this, &query](const char *records) {
			write_by_file_(*state_->result.stream(), [&](const char *path) {
				cali_query_run(query.c_str(), records, path);
			});
		});
	}
};

} // namespace cali

#endif

#endif
