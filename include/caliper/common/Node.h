/* What entries refer to, in C++11: see caliper/cali.h. */
#ifndef CALI_COMMON_NODE_H
#define CALI_COMMON_NODE_H

#include "Variant.h"

#ifdef __cplusplus

#include <map>
#include <mutex>
#include <utility>

namespace cali
{

/* An attribute with a value. Snapshots have an entry for each step of a path, so a node
 * has none above it. */
class Node
{
	cali_id_t id_, attribute_;
	Variant data_;

      public:
	Node(cali_id_t id, cali_id_t attribute, const Variant &data)
	    : id_(id), attribute_(attribute), data_(data)
	{
	}
	Node(const Node &) = delete;
	Node &operator=(const Node &) = delete;

	cali_id_t id() const
	{
		return id_;
	}
	cali_id_t attribute() const
	{
		return attribute_;
	}
	Variant data() const
	{
		return data_;
	}
	bool equals(cali_id_t attribute, const Variant &data) const
	{
		return attribute_ == attribute && data_ == data;
	}
	Node *parent() const
	{
		return nullptr;
	}
	/* The one of these; it stays, as the value's text must. */
	static Node *of(cali_id_t attribute, const Variant &data);
};

inline Node *Node::of(cali_id_t attribute, const Variant &data)
{
	static auto *nodes = new std::map<std::pair<cali_id_t, Variant>, Node *>;
	static auto *lock = new std::mutex;
	std::lock_guard<std::mutex> guard(*lock);
	Node *&node = (*nodes)[std::make_pair(attribute, data)];

	if (!node)
		node = new Node(nodes->size() - 1, attribute, data);
	return node;
}

} // namespace cali

#endif

#endif
