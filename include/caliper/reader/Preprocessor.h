/* Gives records more values, in C++11: LET of a query. */
#ifndef CALI_READER_PREPROCESSOR_H
#define CALI_READER_PREPROCESSOR_H

#include "../cali.h"

#ifdef __cplusplus

#include "QueryRecords.h"
#include "QueryText.h"

#include <memory>

namespace cali
{

/* Each record is a query of its own: a whole query over all is sooner done. */
class Preprocessor
{
	struct State {
		std::string query;
		std::mutex lock;
		/* What records refer to that were made. */
		std::deque<QueryRecords> made;
	};
	std::shared_ptr<State> state_;

      public:
	explicit Preprocessor(const QuerySpec &spec) : state_(std::make_shared<State>())
	{
		state_->query = QueryText::write(spec, QUERY_LET);
	}
	/* The record with what LET makes of it, which stays as long as this. */
	EntryList process(CaliperMetadataAccessInterface &nodes, const EntryList &record)
	{
		std::lock_guard<std::mutex> guard(state_->lock);
		EntryList result = record;
		size_t known = values(record);

		if (state_->query.empty())
			return result;
		state_->made.emplace_back();
		state_->made.back().add(nodes, record);
		/* What LET makes comes behind what the record has. */
		state_->made.back().push(
			nodes, state_->query + " select *",
			[&](CaliperMetadataAccessInterface &, const EntryList &more) {
				for (const Entry &entry : more)
					if (entry.is_immediate() && !(known && known--))
						result.push_back(entry);
			});
		return result;
	}
	void operator()(CaliperMetadataAccessInterface &nodes, const EntryList &record,
			SnapshotProcessFn push)
	{
		push(nodes, process(nodes, record));
	}
	static const QuerySpec::FunctionSignature *preprocess_defs()
	{
		return QueryText::functions();
	}

      private:
	static size_t values(const EntryList &record)
	{
		return static_cast<size_t>(std::count_if(
			record.begin(), record.end(),
			[](const Entry &entry) { return entry.is_immediate(); }));
	}
};

} // namespace cali

#endif

#endif
