/*
 * Sums of a metric by regions, over records that are given one by one, in C++11:
 *
 *     cali::NestedInclusiveRegionProfile profile(nodes, "sum#time.duration.ns");
 *
 *     reader.read("app.cali", nodes, nullptr, profile);
 *     std::tie(by_path, in_regions, total) = profile.result();
 */
#ifndef CALI_READER_REGIONPROFILES_H
#define CALI_READER_REGIONPROFILES_H

#include "../cali.h"

#ifdef __cplusplus

#include "RecordProcessor.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace cali
{

/* Nested: by paths, with / between; flat: by names. Copies are the same profile. */
template <bool nested, bool inclusive> class RegionSums
{
	struct State {
		std::string metric, region;
		std::map<std::string, double> sums;
		double in_regions, total;
	};
	std::shared_ptr<State> state_;

	bool is_region(CaliperMetadataAccessInterface &nodes, const Node *node) const
	{
		const Attribute attribute = nodes.get_attribute(node->attribute());

		return state_->region.empty() ? attribute.is_nested()
					      : attribute.name() == state_->region;
	}
	/* The next region from a node on outwards; NULL: there is none. */
	const Node *find(CaliperMetadataAccessInterface &nodes, const Node *node) const
	{
		while (node && node->attribute() != CALI_INV_ID &&
		       !is_region(nodes, node))
			node = node->parent();
		return node && node->attribute() != CALI_INV_ID ? node : nullptr;
	}
	std::string name(CaliperMetadataAccessInterface &nodes, const Node *node) const
	{
		const Node *above = nested ? find(nodes, node->parent()) : nullptr;

		return (above ? name(nodes, above) + "/" : "") + node->data().to_string();
	}
	/* Whether the path is in a region. Without what is in others, only the innermost
	 * value counts: it is of a region, or the path is in none. */
	bool add(CaliperMetadataAccessInterface &nodes, const Node *path, double value)
	{
		const bool none = !inclusive && !is_region(nodes, path);
		const Node *node = none ? nullptr : find(nodes, path);
		const bool found = node;

		for (; node; node = inclusive ? find(nodes, node->parent()) : nullptr)
			state_->sums[name(nodes, node)] += value;
		return found;
	}

      public:
	/* `region`: the attribute of the regions that count; "": all that are nested. */
	RegionSums(CaliperMetadataAccessInterface &, const char *metric,
		   const char *region = "")
	    : state_(std::make_shared<State>())
	{
		state_->metric = metric;
		state_->region = region ? region : "";
	}
	void operator()(CaliperMetadataAccessInterface &nodes, const EntryList &record)
	{
		const Attribute metric = nodes.get_attribute(state_->metric);
		double value = 0;
		bool found = false;

		for (const Entry &entry : record)
			if (metric && !entry.value(metric).empty())
				value = entry.value(metric).to_double();
		state_->total += value;
		for (const Entry &entry : record)
			if (!found && entry.is_reference())
				found = add(nodes, entry.node(), value);
		if (found)
			state_->in_regions += value;
	}
	/* By region; in any region; of all records. */
	std::tuple<std::map<std::string, double>, double, double> result() const
	{
		return std::make_tuple(state_->sums, state_->in_regions, state_->total);
	}
};

typedef RegionSums<false, false> FlatExclusiveRegionProfile;
typedef RegionSums<false, true> FlatInclusiveRegionProfile;
typedef RegionSums<true, false> NestedExclusiveRegionProfile;
typedef RegionSums<true, true> NestedInclusiveRegionProfile;

} // namespace cali

#endif

#endif
