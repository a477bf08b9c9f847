/* Attributes and nodes of a program, or of what was read, in C++11: see caliper/cali.h.
 */
#ifndef CALI_COMMON_CALIPERMETADATAACCESSINTERFACE_H
#define CALI_COMMON_CALIPERMETADATAACCESSINTERFACE_H

#include "Attribute.h"
#include "Entry.h"

#ifdef __cplusplus

#include <string>
#include <vector>

namespace cali
{

class CaliperMetadataAccessInterface
{
      public:
	virtual ~CaliperMetadataAccessInterface()
	{
	}
	/* NULL, or none: there is no such one. */
	virtual Node *node(cali_id_t id) const = 0;
	virtual Attribute get_attribute(cali_id_t id) const = 0;
	virtual Attribute get_attribute(const std::string &name) const = 0;
	virtual std::vector<Attribute> get_all_attributes() const = 0;
	/* `count` attributes that say something of the new one, with their values. */
	virtual Attribute create_attribute(const std::string &name, cali_attr_type type,
					   int properties = CALI_ATTR_DEFAULT,
					   int count = 0,
					   const Attribute *about = nullptr,
					   const Variant *values = nullptr) = 0;
	/* A path of what these nodes say, the first one outermost; NULL: below the root.
	 */
	virtual Node *make_tree_entry(size_t count, const Node *nodes[],
				      Node *parent = nullptr) = 0;
	virtual std::vector<Entry> get_globals() = 0;

	/* Of which another one says something, and that have all these properties. */
	std::vector<Attribute> find_attributes_with(const Attribute &about) const
	{
		std::vector<Attribute> found;

		for (const Attribute &attribute : get_all_attributes())
			if (!attribute.get(about).empty())
				found.push_back(attribute);
		return found;
	}
	std::vector<Attribute> find_attributes_with_prop(int properties) const
	{
		std::vector<Attribute> found;

		for (const Attribute &attribute : get_all_attributes())
			if ((attribute.properties() & properties) == properties)
				found.push_back(attribute);
		return found;
	}
};

/* The innermost part of a path that is nested; empty: there is none. */
inline Entry get_path_entry(const CaliperMetadataAccessInterface &nodes,
			    const Entry &entry)
{
	Node *node = entry.is_reference() ? entry.node() : nullptr;

	while (node && node->attribute() != CALI_INV_ID &&
	       !nodes.get_attribute(node->attribute()).is_nested())
		node = node->parent();
	return node && node->attribute() != CALI_INV_ID ? Entry(node) : Entry();
}

inline Entry Entry::unpack(const CaliperMetadataAccessInterface &nodes,
			   const unsigned char *bytes, size_t *read)
{
	cali_id_t id;
	size_t used = sizeof(id);
	Entry entry;

	std::memcpy(&id, bytes, sizeof(id));
	entry = Entry(nodes.node(id));
	if (entry.is_immediate())
		entry.value_ = Variant::unpack(bytes + used, &used);
	if (read)
		*read += used;
	return entry;
}

} // namespace cali

#endif

#endif
