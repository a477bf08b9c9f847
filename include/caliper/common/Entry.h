/* Attributes with values, in C++11: see caliper/cali.h. */
#ifndef CALI_COMMON_ENTRY_H
#define CALI_COMMON_ENTRY_H

#include "Attribute.h"
#include "Node.h"
#include "Variant.h"

#ifdef __cplusplus

namespace cali
{

/* An attribute with a value. */
class Entry
{
	Attribute attribute_;
	Variant value_;

      public:
	Entry()
	{
	}
	Entry(const Entry &) = default;
	Entry &operator=(const Entry &) = default;
	Entry(const Attribute &attribute, const Variant &value)
	    : attribute_(attribute), value_(value)
	{
	}
	explicit Entry(const Node *node)
	    : attribute_(node->attribute()), value_(node->data())
	{
	}
	/* NULL: it is empty. */
	Node *node() const
	{
		return empty() ? nullptr : Node::of(attribute_.id(), value_);
	}
	bool is_immediate() const
	{
		return !empty() && attribute_.store_as_value();
	}
	bool is_reference() const
	{
		return !empty() && !attribute_.store_as_value();
	}
	cali_id_t attribute() const
	{
		return attribute_.id();
	}
	Variant value() const
	{
		return value_;
	}
	Variant value(const Attribute &attribute) const
	{
		return get(attribute).value();
	}
	/* This one, if it is of that attribute; else an empty one. */
	Entry get(const Attribute &attribute) const
	{
		return attribute == attribute_ ? *this : Entry();
	}
	bool operator==(const Entry &other) const
	{
		return attribute_ == other.attribute_ && value_ == other.value_;
	}
	bool empty() const
	{
		return value_.empty();
	}
};

} // namespace cali

#endif

#endif
