/* What attributes are, in C++11: see caliper/cali.h. */
#ifndef CALI_COMMON_ATTRIBUTE_H
#define CALI_COMMON_ATTRIBUTE_H

#include "../cali.h"
#include "Variant.h"

#ifdef __cplusplus

#include <string>

namespace cali
{

class Attribute
{
	cali_id_t id_;

      public:
	Attribute() : id_(CALI_INV_ID)
	{
	}
	explicit Attribute(cali_id_t id) : id_(id)
	{
	}
	cali_id_t id() const
	{
		return id_;
	}
	explicit operator bool() const
	{
		return id_ != CALI_INV_ID;
	}
	std::string name() const
	{
		const char *name = cali_attribute_name(id_);

		return name ? name : "";
	}
	const char *name_c_str() const
	{
		return cali_attribute_name(id_);
	}
	cali_attr_type type() const
	{
		return cali_attribute_type(id_);
	}
	int properties() const
	{
		return cali_attribute_properties(id_);
	}
	/* What another one says of it; empty: nothing. */
	Variant get(const Attribute &key) const;
	bool is_nested() const
	{
		return properties() & CALI_ATTR_NESTED;
	}
	bool store_as_value() const
	{
		return properties() & CALI_ATTR_ASVALUE;
	}
	bool is_hidden() const
	{
		return properties() & CALI_ATTR_HIDDEN;
	}
	bool is_global() const
	{
		return properties() & CALI_ATTR_GLOBAL;
	}
	bool skip_events() const
	{
		return properties() & CALI_ATTR_SKIP_EVENTS;
	}
	bool operator==(const Attribute &other) const
	{
		return id_ == other.id_;
	}
	bool operator!=(const Attribute &other) const;
	bool operator<(const Attribute &other) const
	{
		return id_ < other.id_;
	}
};

} // namespace cali

namespace cali
{

inline bool Attribute::operator!=(const Attribute &other) const
{
	return id_ != other.id_;
}

inline Variant Attribute::get(const Attribute &key) const
{
	return Variant(cali_attribute_metadata(id_, key.id_));
}

} // namespace cali

#endif

#endif
