/* Chooses records, in C++11: WHERE of a query. */
#ifndef CALI_READER_RECORDSELECTOR_H
#define CALI_READER_RECORDSELECTOR_H

#include "../cali.h"

#ifdef __cplusplus

#include "QueryText.h"
#include "RecordProcessor.h"

#include <functional>

namespace cali
{

/* Records for which all conditions hold. Of an attribute that is in a path several times,
 * it is enough if one value passes; != holds where none is equal. */
class RecordSelector
{
	typedef QuerySpec::Condition Condition;

	std::vector<Condition> conditions_;

	static bool compares(Condition::Op op, const Variant &value,
			     const Variant &wanted)
	{
		switch (op) {
		case Condition::LessThan:
			return value < wanted;
		case Condition::GreaterThan:
			return value > wanted;
		case Condition::LessOrEqual:
			return !(value > wanted);
		case Condition::GreaterOrEqual:
			return !(value < wanted);
		case Condition::Equal:
		case Condition::NotEqual:
			return value == wanted;
		default:
			return true;
		}
	}
	static bool any(const Entry &entry, cali_id_t attribute,
			const std::function<bool(const Variant &)> &passes)
	{
		if (entry.is_immediate())
			return entry.attribute() == attribute && passes(entry.value());
		for (const Node *node = entry.node(); node; node = node->parent())
			if (node->attribute() == attribute && passes(node->data()))
				return true;
		return false;
	}
	static bool holds(const CaliperMetadataAccessInterface &nodes,
			  const EntryList &record, const Condition &condition)
	{
		const Attribute attribute = nodes.get_attribute(condition.attr_name);
		const bool none = condition.op == Condition::NotExist ||
				  condition.op == Condition::NotEqual;
		const Variant wanted =
			Variant::from_string(attribute.type(), condition.value.c_str());

		if (!attribute)
			return none;
		for (const Entry &entry : record)
			if (any(entry, attribute.id(), [&](const Variant &value) {
				    return compares(condition.op, value, wanted);
			    }))
				return !none;
		return none;
	}
	bool passes(const CaliperMetadataAccessInterface &nodes,
		    const EntryList &record) const
	{
		for (const Condition &condition : conditions_)
			if (!holds(nodes, record, condition))
				return false;
		return true;
	}

      public:
	explicit RecordSelector(const QuerySpec &spec) : conditions_(spec.filter.list)
	{
	}
	explicit RecordSelector(const Condition &condition)
	{
		if (condition.op != Condition::None)
			conditions_.push_back(condition);
	}
	bool pass(const CaliperMetadataAccessInterface &nodes, const EntryList &record)
	{
		return passes(nodes, record);
	}
	void operator()(CaliperMetadataAccessInterface &nodes, const EntryList &record,
			SnapshotProcessFn push) const
	{
		if (passes(nodes, record))
			push(nodes, record);
	}
	/* Conditions with commas between; one that makes no sense has the operator None.
	 */
	static std::vector<Condition> parse(const std::string &text)
	{
		return QueryText::conditions_of(text);
	}
};

} // namespace cali

#endif

#endif
