/* Attributes with values, in C++11: see caliper/cali.h. */
#ifndef CALI_COMMON_ENTRY_H
#define CALI_COMMON_ENTRY_H

#include "Attribute.h"
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
	cali_id_t attribute() const
	{
		return attribute_.id();
	}
	Variant value() const
	{
		return value_;
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
