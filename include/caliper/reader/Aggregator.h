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
 * no value of the moment. What one makes can be added to another one, which then has the
 * records of both: its records have what means, ratios and the like are made of, as
 * hidden attributes. */
class Aggregator
{
	struct State {
		std::string query;
		QueryRecords records;
		bool counts; /* only, so that there are groups; nobody asked for it */
	};
	std::shared_ptr<State> state_;

	static EntryList without(const EntryList &record, cali_id_t attribute)
	{
		EntryList rest;

		for (const Entry &entry : record)
			if (entry.attribute() != attribute)
				rest.push_back(entry);
		return rest;
	}

      public:
	explicit Aggregator(const QuerySpec &spec) : state_(std::make_shared<State>())
	{
		state_->query = QueryText::write(spec, QUERY_AGGREGATE);
		state_->counts =
			spec.aggregate.list.empty() &&
			spec.aggregate.selection == QuerySpec::AggregationSelection::None;
		if (state_->counts)
			state_->query += " aggregate count()";
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
		if (!state_->counts) {
			state_->records.push(nodes, state_->query, take);
			return;
		}
		state_->records.push(
			nodes, state_->query,
			[&](CaliperMetadataAccessInterface &of, const EntryList &record) {
				take(of, without(record, of.get_attribute("count").id()));
			});
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
