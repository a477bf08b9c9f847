/* Attributes with values, in C++11: see caliper/cali.h. */
#ifndef CALI_COMMON_ENTRY_H
#define CALI_COMMON_ENTRY_H

#include "Attribute.h"
#include "Node.h"
#include "Variant.h"

#ifdef __cplusplus

#include <cstring>

namespace cali
{

class CaliperMetadataAccessInterface;

/* A path, by its last node; or an attribute's node and a value ("immediate"). */
class Entry
{
	Node *node_;
	Variant value_;

	/* The innermost of a path that has the attribute; NULL: none. */
	Node *find(cali_id_t attribute) const
	{
		Node *node = is_immediate() ? nullptr : node_;

		while (node && node->attribute() != attribute)
			node = node->parent();
		return node;
	}

      public:
	constexpr static size_t MAX_PACKED_SIZE = 30;

	Entry() : node_(nullptr)
	{
	}
	Entry(Node *node) : node_(node), value_(node ? node->data() : Variant())
	{
	}
	Entry(const Attribute &attribute, const Variant &value)
	    : node_(attribute.node()), value_(value)
	{
	}

	/* NULL: it is empty. */
	Node *node() const
	{
		return node_;
	}
	bool empty() const
	{
		return !node_;
	}
	bool is_immediate() const
	{
		return Attribute::is_attribute(node_);
	}
	bool is_reference() const
	{
		return node_ && !is_immediate();
	}
	cali_id_t attribute() const
	{
		return is_immediate() ? node_->id()
		       : node_        ? node_->attribute()
				      : CALI_INV_ID;
	}
	/* How often the path has it; CALI_INV_ID: how long it is. */
	int count(cali_id_t attribute = CALI_INV_ID) const;
	int count(const Attribute &attribute) const
	{
		return count(attribute.id());
	}
	Variant value() const
	{
		return value_;
	}
	/* The innermost one of the attribute; empty: there is none. */
	Variant value(cali_id_t attribute) const
	{
		Node *found = find(attribute);

		if (is_immediate() && node_->id() == attribute)
			return value_;
		return found ? found->data() : Variant();
	}
	Variant value(const Attribute &attribute) const
	{
		return attribute ? value(attribute.id()) : Variant();
	}
	Entry get(const Attribute &attribute) const
	{
		if (is_immediate())
			return node_ == attribute.node() ? *this : Entry();
		return attribute ? Entry(find(attribute.id())) : Entry();
	}
	/* Into at most MAX_PACKED_SIZE bytes, of which it returns how many they are;
	 * valid in this process. */
	size_t pack(unsigned char *bytes) const;
	/* Adds how many were read to `read`. */
	static Entry unpack(const CaliperMetadataAccessInterface &nodes,
			    const unsigned char *bytes, size_t *read);
};

inline int Entry::count(cali_id_t attribute) const
{
	int found = 0;

	if (is_immediate())
		return attribute == CALI_INV_ID || attribute == node_->id();
	for (Node *node = node_; node && node->attribute() != CALI_INV_ID;
	     node = node->parent())
		found += attribute == CALI_INV_ID || node->attribute() == attribute;
	return found;
}

inline size_t Entry::pack(unsigned char *bytes) const
{
	const cali_id_t id = node_ ? node_->id() : CALI_INV_ID;

	std::memcpy(bytes, &id, sizeof(id));
	return sizeof(id) + (is_immediate() ? value_.pack(bytes + sizeof(id)) : 0);
}

inline bool operator==(const Entry &a, const Entry &b)
{
	const bool same = a.node() == b.node() ||
			  (a.node() && b.node() && a.node()->id() == b.node()->id());

	return same && (!a.is_immediate() || a.value() == b.value());
}

inline bool operator!=(const Entry &a, const Entry &b)
{
	return !(a == b);
}

} // namespace cali

#endif

#endif
