/* Sums up records, in C++11: AGGREGATE and GROUP BY of a query. */
#ifndef CALI_READER_AGGREGATOR_H
#define CALI_READER_AGGREGATOR_H

#include "../cali.h"

#ifdef __cplusplus

#include "QueryRecords.h"
#include "QueryText.h"

#include <memory>

namespace cali
{

/* Copies have the same records. Without GROUP BY, records are told apart by all that is
 * no value of the moment. */
class Aggregator
{
	struct State {
		std::string query;
		QueryRecords records;
	};
	std::shared_ptr<State> state_;

      public:
	explicit Aggregator(const QuerySpec &spec) : state_(std::make_shared<State>())
	{
		state_->query = QueryText::write(spec, QUERY_AGGREGATE);
	}
	void add(CaliperMetadataAccessInterface &nodes, const EntryList &record)
	{
		state_->records.add(nodes, record);
	}
	void operator()(CaliperMetadataAccessInterface &nodes, const EntryList &record)
	{
		add(nodes, record);
	}
	/* A record for each group. What they refer to stays as long as this. */
	void flush(CaliperMetadataAccessInterface &nodes, SnapshotProcessFn take)
	{
		state_->records.push(nodes, state_->query, take);
	}
	static const QuerySpec::FunctionSignature *aggregation_defs()
	{
		return QueryText::aggregations();
	}
	static std::string
	get_aggregation_attribute_name(const QuerySpec::AggregationOp &op)
	{
		return QueryText::name_of(op);
	}
};

} // namespace cali

#endif

#endif
