/* Attributes and nodes of files, in C++11: see caliper/reader/CaliReader.h. */
#ifndef CALI_READER_CALIPERMETADATADB_H
#define CALI_READER_CALIPERMETADATADB_H

#include "../cali.h"

#ifdef __cplusplus

#include "RecordProcessor.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>

namespace cali
{

/* From ids of a file to those here; the first ones are the same everywhere. */
typedef std::map<cali_id_t, cali_id_t> IdMap;

/* Of any number of files, and of other such objects: equal nodes are one. Threads may add
 * to it side by side. */
class CaliperMetadataDB : public CaliperMetadataAccessInterface
{
	typedef std::tuple<const Node *, cali_id_t, Variant> Key;

	mutable std::recursive_mutex lock_;
	mutable FirstNodes first_;
	std::vector<std::unique_ptr<Node>> nodes_;
	std::map<Key, Node *> children_;
	std::map<std::string, Node *> attributes_;
	std::set<std::string> texts_;
	std::map<std::string, std::string> aliases_, units_; /* by attribute */
	Attribute alias_, unit_;
	EntryList globals_;

	typedef std::lock_guard<std::recursive_mutex> Guard;

	Variant keep(const Variant &value);
	Variant read(cali_id_t attribute, const std::string &text);
	Node *child(Node *parent, cali_id_t attribute, const Variant &value);
	Node *import_node(const CaliperMetadataAccessInterface &from, const Node *node);
	Entry import_entry(const CaliperMetadataAccessInterface &from,
			   const Entry &entry);
	static bool has(const Entry &entry, cali_id_t attribute, const Variant &value)
	{
		const Node *node = entry.node();

		while (node && !node->equals(attribute, value))
			node = node->parent();
		return node != nullptr;
	}
	/* Ids that the file does not have are those here. */
	static cali_id_t mapped(cali_id_t id, const IdMap &ids)
	{
		auto found = ids.find(id);

		return found == ids.end() ? id : found->second;
	}
	Node *describe(Node *above, const std::string &name,
		       const std::map<std::string, std::string> &said,
		       const Attribute &about)
	{
		auto found = said.find(name);

		return found == said.end()
			       ? above
			       : child(above, about.id(), Variant(found->second));
	}

      public:
	CaliperMetadataDB()
	{
		alias_ = create_attribute("attribute.alias", CALI_TYPE_STRING,
					  CALI_ATTR_SKIP_EVENTS);
		unit_ = create_attribute("attribute.unit", CALI_TYPE_STRING,
					 CALI_ATTR_SKIP_EVENTS);
	}

	/* A node of a file, whose ids are put into `ids`; others are those here.
	 * CALI_INV_ID as the parent: none. NULL: an id is none of these. */
	Node *merge_node(cali_id_t node, cali_id_t attribute, cali_id_t parent,
			 const Variant &value, IdMap &ids);
	Node *merge_node(cali_id_t node, cali_id_t attribute, cali_id_t parent,
			 const std::string &text, IdMap &ids);
	/* A record of a file, or of another one of these. What it has not is left out. */
	EntryList merge_snapshot(size_t node_count, const cali_id_t nodes[],
				 size_t value_count, const cali_id_t attributes[],
				 const Variant values[], const IdMap &ids) const;
	EntryList merge_snapshot(const CaliperMetadataAccessInterface &from,
				 const EntryList &record);
	Entry merge_entry(cali_id_t node_id, const IdMap &ids) const
	{
		return Entry(node(mapped(node_id, ids)));
	}
	Entry merge_entry(cali_id_t attribute, const std::string &text, const IdMap &ids);
	void merge_global(cali_id_t node, const IdMap &ids);
	void merge_global(cali_id_t attribute, const std::string &text, const IdMap &ids);

	Node *node(cali_id_t id) const override;
	Attribute get_attribute(cali_id_t id) const override
	{
		return Attribute::make_attribute(node(id));
	}
	Attribute get_attribute(const std::string &name) const override;
	std::vector<Attribute> get_all_attributes() const override;
	Attribute create_attribute(const std::string &name, cali_attr_type type,
				   int properties = CALI_ATTR_DEFAULT, int count = 0,
				   const Attribute *about = nullptr,
				   const Variant *values = nullptr) override;
	Node *make_tree_entry(size_t count, const Node *nodes[],
			      Node *parent = nullptr) override;
	Node *make_tree_entry(size_t count, const Attribute attributes[],
			      const Variant values[], Node *parent = nullptr);

	std::vector<Entry> get_globals() override;
	/* One that is a value takes the place of the last one; others come along. What is
	 * no global is left out. */
	void set_global(const Attribute &attribute, const Variant &value);
	std::vector<Entry> import_globals(CaliperMetadataAccessInterface &from)
	{
		return import_globals(from, from.get_globals());
	}
	/* They take the place of those that were here. */
	std::vector<Entry> import_globals(CaliperMetadataAccessInterface &from,
					  const std::vector<Entry> &globals);
	/* Titles and units by attributes' names, for attributes that are created after
	 * this. */
	void add_attribute_aliases(const std::map<std::string, std::string> &aliases)
	{
		Guard guard(lock_);

		for (const auto &pair : aliases)
			aliases_[pair.first] = pair.second;
	}
	void add_attribute_units(const std::map<std::string, std::string> &units)
	{
		Guard guard(lock_);

		for (const auto &pair : units)
			units_[pair.first] = pair.second;
	}
	std::ostream &print_statistics(std::ostream &stream) const;
};

} // namespace cali

namespace cali
{

/* Where its text or bytes stay. The length of a text may count its 0. */
inline Variant CaliperMetadataDB::keep(const Variant &value)
{
	if (!value.has_unmanaged_data())
		return value;
	const char *bytes = static_cast<const char *>(value.data());
	size_t size = value.size();

	if (value.type() == CALI_TYPE_STRING && size && !bytes[size - 1])
		size--;
	const std::string &kept = *texts_.insert(std::string(bytes, size)).first;

	return Variant(value.type(), kept.data(), kept.size());
}

/* What a file says of an attribute's value; properties are numbers. */
inline Variant CaliperMetadataDB::read(cali_id_t attribute, const std::string &text)
{
	const cali_attr_type type = get_attribute(attribute).type();

	return keep(type == CALI_TYPE_STRING || type == CALI_TYPE_USR
			    ? Variant(type, text.data(), text.size())
			    : Variant::from_string(type, text.c_str()));
}

inline Node *CaliperMetadataDB::child(Node *parent, cali_id_t attribute,
				      const Variant &value)
{
	Guard guard(lock_);
	parent = parent ? parent : first_.root();
	const Variant kept = keep(value);
	auto found = children_.find(Key(parent, attribute, kept));

	if (found != children_.end())
		return found->second;
	Node *made = new Node(FirstNodes::COUNT + nodes_.size(), attribute, kept);

	nodes_.push_back(std::unique_ptr<Node>(made));
	parent->append(made);
	children_.insert(std::make_pair(Key(parent, attribute, kept), made));
	if (attribute == Attribute::NAME_ATTR_ID)
		attributes_.insert(std::make_pair(kept.to_string(), made));
	return made;
}

inline Node *CaliperMetadataDB::merge_node(cali_id_t id, cali_id_t attribute,
					   cali_id_t parent, const Variant &value,
					   IdMap &ids)
{
	Guard guard(lock_);
	Node *above = parent == CALI_INV_ID ? first_.root() : node(mapped(parent, ids));
	Node *made;

	attribute = mapped(attribute, ids);
	/* Files may have the first ones, too. */
	if (id < FirstNodes::COUNT)
		return first_.at(id);
	if (id == CALI_INV_ID || !above || !get_attribute(attribute))
		return nullptr;
	made = child(above, attribute, value);
	ids[id] = made->id();
	return made;
}

inline Node *CaliperMetadataDB::merge_node(cali_id_t id, cali_id_t attribute,
					   cali_id_t parent, const std::string &text,
					   IdMap &ids)
{
	Guard guard(lock_);

	return merge_node(id, attribute, parent, read(mapped(attribute, ids), text), ids);
}

inline EntryList
CaliperMetadataDB::merge_snapshot(size_t node_count, const cali_id_t nodes[],
				  size_t value_count, const cali_id_t attributes[],
				  const Variant values[], const IdMap &ids) const
{
	EntryList record;

	for (size_t i = 0; i < node_count; i++)
		if (node(mapped(nodes[i], ids)))
			record.push_back(merge_entry(nodes[i], ids));
	for (size_t i = 0; i < value_count; i++) {
		const Attribute attribute = get_attribute(mapped(attributes[i], ids));

		if (attribute)
			record.push_back(Entry(attribute, values[i]));
	}
	return record;
}

/* Of an attribute's node, those above it come along. */
inline Node *CaliperMetadataDB::import_node(const CaliperMetadataAccessInterface &from,
					    const Node *node)
{
	if (!node || node->attribute() == CALI_INV_ID)
		return first_.root();
	if (node->id() < FirstNodes::COUNT)
		return first_.at(node->id());
	const cali_id_t attribute =
		node->attribute() < FirstNodes::COUNT
			? node->attribute()
			: import_node(from, from.node(node->attribute()))->id();

	return child(import_node(from, node->parent()), attribute, node->data());
}

inline Entry CaliperMetadataDB::import_entry(const CaliperMetadataAccessInterface &from,
					     const Entry &entry)
{
	Guard guard(lock_);
	Node *node = import_node(from, entry.node());

	return entry.is_immediate()
		       ? Entry(Attribute::make_attribute(node), keep(entry.value()))
		       : Entry(node);
}

inline EntryList
CaliperMetadataDB::merge_snapshot(const CaliperMetadataAccessInterface &from,
				  const EntryList &record)
{
	EntryList result;

	for (const Entry &entry : record)
		if (!entry.empty())
			result.push_back(import_entry(from, entry));
	return result;
}

inline Entry CaliperMetadataDB::merge_entry(cali_id_t id, const std::string &text,
					    const IdMap &ids)
{
	Guard guard(lock_);
	const Attribute attribute = get_attribute(mapped(id, ids));

	return attribute ? Entry(attribute, read(attribute.id(), text)) : Entry();
}

inline void CaliperMetadataDB::merge_global(cali_id_t id, const IdMap &ids)
{
	Guard guard(lock_);
	const Entry entry = merge_entry(id, ids);

	if (!entry.empty() &&
	    std::find(globals_.begin(), globals_.end(), entry) == globals_.end())
		globals_.push_back(entry);
}

inline void CaliperMetadataDB::merge_global(cali_id_t id, const std::string &text,
					    const IdMap &ids)
{
	const Entry entry = merge_entry(id, text, ids);

	if (!entry.empty())
		set_global(get_attribute(entry.attribute()), entry.value());
}

} // namespace cali

namespace cali
{

inline Node *CaliperMetadataDB::node(cali_id_t id) const
{
	Guard guard(lock_);

	if (id < FirstNodes::COUNT)
		return first_.at(id);
	return id - FirstNodes::COUNT < nodes_.size()
		       ? nodes_[id - FirstNodes::COUNT].get()
		       : nullptr;
}

inline Attribute CaliperMetadataDB::get_attribute(const std::string &name) const
{
	Guard guard(lock_);
	auto found = attributes_.find(name);

	return found == attributes_.end() ? Attribute()
					  : Attribute::make_attribute(found->second);
}

inline std::vector<Attribute> CaliperMetadataDB::get_all_attributes() const
{
	Guard guard(lock_);
	std::vector<Attribute> found;

	for (const auto &pair : attributes_)
		found.push_back(Attribute::make_attribute(pair.second));
	return found;
}

inline Attribute CaliperMetadataDB::create_attribute(const std::string &name,
						     cali_attr_type type, int properties,
						     int count, const Attribute *about,
						     const Variant *values)
{
	Guard guard(lock_);
	Node *above = first_.type(type);

	if (get_attribute(name) || !above)
		return get_attribute(name);
	for (int i = 0; i < count; i++)
		above = child(above, about[i].id(), values[i]);
	above = describe(above, name, units_, unit_);
	above = describe(above, name, aliases_, alias_);
	above = child(above, Attribute::PROP_ATTR_ID, Variant(properties));
	return Attribute::make_attribute(
		child(above, Attribute::NAME_ATTR_ID, Variant(name)));
}

inline Node *CaliperMetadataDB::make_tree_entry(size_t count, const Node *nodes[],
						Node *parent)
{
	for (size_t i = 0; i < count; i++)
		parent = child(parent, nodes[i]->attribute(), nodes[i]->data());
	return parent;
}

inline Node *CaliperMetadataDB::make_tree_entry(size_t count,
						const Attribute attributes[],
						const Variant values[], Node *parent)
{
	for (size_t i = 0; i < count; i++)
		parent = child(parent, attributes[i].id(), values[i]);
	return parent;
}

inline std::vector<Entry> CaliperMetadataDB::get_globals()
{
	Guard guard(lock_);

	return globals_;
}

inline void CaliperMetadataDB::set_global(const Attribute &attribute,
					  const Variant &value)
{
	Guard guard(lock_);
	const cali_id_t id = attribute.id();
	Entry *reference = nullptr;

	if (!attribute.is_global())
		return;
	for (Entry &entry : globals_) {
		if (entry.is_immediate() && entry.attribute() == id) {
			entry = Entry(attribute, keep(value));
			return;
		}
		if (entry.is_reference() && has(entry, id, value))
			return;
		if (entry.is_reference() && !reference)
			reference = &entry;
	}
	if (attribute.store_as_value())
		globals_.push_back(Entry(attribute, keep(value)));
	else if (reference && attribute.is_autocombineable())
		*reference = Entry(child(reference->node(), id, value));
	else
		globals_.push_back(Entry(child(nullptr, id, value)));
}

inline std::vector<Entry>
CaliperMetadataDB::import_globals(CaliperMetadataAccessInterface &from,
				  const std::vector<Entry> &globals)
{
	Guard guard(lock_);

	globals_ = merge_snapshot(from, globals);
	return globals_;
}

inline std::ostream &CaliperMetadataDB::print_statistics(std::ostream &stream) const
{
	Guard guard(lock_);

	return stream << "CaliperMetadataDB: stored " << FirstNodes::COUNT + nodes_.size()
		      << " nodes, " << texts_.size() << " strings." << std::endl;
}

} // namespace cali

#endif

#endif
