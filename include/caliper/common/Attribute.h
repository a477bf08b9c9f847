/* What attributes are, in C++11: see caliper/cali.h. */
#ifndef CALI_COMMON_ATTRIBUTE_H
#define CALI_COMMON_ATTRIBUTE_H

#include "../cali.h"
#include "Node.h"
#include "ProgramNodes.h"
#include "Variant.h"

#ifdef __cplusplus

#include <iostream>
#include <string>

namespace cali
{

/* Of the program, or of what was read from a file: by its node. */
class Attribute
{
	Node *node_;

	explicit Attribute(Node *node) : node_(node)
	{
	}
	/* The value of an attribute of attributes; empty: there is none. */
	Variant find(cali_id_t key) const
	{
		Node *node = node_;

		while (node && node->attribute() != key)
			node = node->parent();
		return node ? node->data() : Variant();
	}
	bool has(int property) const
	{
		return properties() & property;
	}

      public:
	constexpr static cali_id_t NAME_ATTR_ID = FirstNodes::NAME;
	constexpr static cali_id_t TYPE_ATTR_ID = FirstNodes::TYPE;
	constexpr static cali_id_t PROP_ATTR_ID = FirstNodes::PROP;

	constexpr Attribute() : node_(nullptr)
	{
	}
	/* The program's own of this id, which may be none. */
	explicit Attribute(cali_id_t id) : node_(ProgramNodes::all().attribute(id))
	{
	}
	/* None: the node is that of no attribute. */
	static Attribute make_attribute(Node *node)
	{
		return is_attribute(node) ? Attribute(node) : Attribute();
	}
	static bool is_attribute(const Node *node)
	{
		return node && node->attribute() == NAME_ATTR_ID;
	}
	operator bool() const
	{
		return node_ != nullptr;
	}
	Node *node() const
	{
		return node_;
	}
	cali_id_t id() const
	{
		return node_ ? node_->id() : CALI_INV_ID;
	}
	std::string name() const
	{
		return node_ ? node_->data().to_string() : "";
	}
	/* NULL: it is none. */
	const char *name_c_str() const
	{
		return node_ ? static_cast<const char *>(node_->data().data()) : nullptr;
	}
	cali_attr_type type() const
	{
		return node_ ? find(TYPE_ATTR_ID).to_attr_type() : CALI_TYPE_INV;
	}
	int properties() const
	{
		return node_ ? find(PROP_ATTR_ID).to_int() : 0;
	}
	/* What another one says of it; empty: nothing. */
	Variant get(const Attribute &key) const
	{
		Variant found = key ? find(key.id()) : Variant();

		return found.empty() && node_ && node_->is_program_node()
			       ? Variant(cali_attribute_metadata(id(), key.id()))
			       : found;
	}
	bool is_nested() const
	{
		return has(CALI_ATTR_NESTED);
	}
	bool store_as_value() const
	{
		return has(CALI_ATTR_ASVALUE);
	}
	bool is_autocombineable() const
	{
		return !has(CALI_ATTR_ASVALUE) && !has(CALI_ATTR_NOMERGE);
	}
	bool is_hidden() const
	{
		return has(CALI_ATTR_HIDDEN);
	}
	bool is_global() const
	{
		return has(CALI_ATTR_GLOBAL);
	}
	bool skip_events() const
	{
		return has(CALI_ATTR_SKIP_EVENTS);
	}
	int level() const
	{
		return (properties() & CALI_ATTR_LEVEL_MASK) >> 16;
	}
};

inline bool operator==(const Attribute &a, const Attribute &b)
{
	return a.node() == b.node();
}

inline bool operator!=(const Attribute &a, const Attribute &b)
{
	return a.node() != b.node();
}

inline bool operator<(const Attribute &a, const Attribute &b)
{
	return a.id() < b.id();
}

/* What it is, for messages. */
inline std::ostream &operator<<(std::ostream &stream, const Attribute &attribute)
{
	char properties[128];

	cali_prop2string(attribute.properties(), properties, sizeof(properties));
	return stream << "{ \"id\" : " << attribute.id() << ", \"name\" : \""
		      << attribute.name() << "\", \"type\" : \""
		      << cali_type2string(attribute.type()) << "\", \"properties\" : \""
		      << properties << "\" }";
}

} // namespace cali

#endif

#endif
