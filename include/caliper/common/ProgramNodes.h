/* The nodes of what a program says itself, in C++11: see caliper/cali.h. */
#ifndef CALI_COMMON_PROGRAMNODES_H
#define CALI_COMMON_PROGRAMNODES_H

#include "../cali.h"
#include "Node.h"

#ifdef __cplusplus

#include <atomic>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include <signal.h>

namespace cali
{

/* They are made when they are wanted, and stay. */
class ProgramNodes
{
	enum { ATTRIBUTES_MAX = (1 << 16) + FirstNodes::COUNT };
	enum : cali_id_t { VALUES_FIRST = 1 << 20 };
	typedef std::tuple<const Node *, cali_id_t, Variant> Key;

	FirstNodes first_;
	std::vector<std::atomic<Node *>> attributes_;
	std::mutex lock_;
	std::map<Key, Node *> children_;
	std::vector<Node *> values_; /* by id */

	/* No handler waits for its own thread. */
	class Hold
	{
		ProgramNodes &of_;
		sigset_t before_;

	      public:
		explicit Hold(ProgramNodes &of) : of_(of)
		{
			sigset_t all;

			sigfillset(&all);
			pthread_sigmask(SIG_BLOCK, &all, &before_);
			of_.lock_.lock();
		}
		~Hold()
		{
			of_.lock_.unlock();
			pthread_sigmask(SIG_SETMASK, &before_, nullptr);
		}
	};

	ProgramNodes() : attributes_(ATTRIBUTES_MAX)
	{
	}
	static Variant copy(const Variant &value)
	{
		return value.has_unmanaged_data() ? value.copy(new char[value.size() + 1])
						  : value;
	}
	Node *add(Node *parent, cali_id_t id, cali_id_t attribute, const Variant &data);
	Node *find(Node *parent, cali_id_t attribute, const Variant &data);
	Node *make_attribute(cali_id_t id);

      public:
	static ProgramNodes &all()
	{
		static auto *nodes = new ProgramNodes;

		return *nodes;
	}
	Node *root()
	{
		return first_.root();
	}
	/* NULL: there is no such attribute, or node. */
	Node *attribute(cali_id_t id);
	Node *node(cali_id_t id);
	/* NULL as the parent: the root. Texts are copied. */
	Node *child(Node *parent, cali_id_t attribute, const Variant &data);
};

inline Node *ProgramNodes::add(Node *parent, cali_id_t id, cali_id_t attribute,
			       const Variant &data)
{
	Node *node = new Node(id, attribute, data);

	node->program_ = true;
	parent->append(node);
	return node;
}

inline Node *ProgramNodes::find(Node *parent, cali_id_t attribute, const Variant &data)
{
	auto found = children_.find(Key(parent, attribute, data));

	if (found != children_.end())
		return found->second;
	const Variant kept = copy(data);
	Node *node = add(parent, VALUES_FIRST + values_.size(), attribute, kept);

	values_.push_back(node);
	children_.insert(std::make_pair(Key(parent, attribute, kept), node));
	return node;
}

inline Node *ProgramNodes::make_attribute(cali_id_t id)
{
	const char *name = cali_attribute_name(id);
	Node *above = name ? first_.type(cali_attribute_type(id)) : nullptr;

	return above ? add(find(above, FirstNodes::PROP,
				Variant(cali_attribute_properties(id))),
			   id, FirstNodes::NAME, Variant(name))
		     : nullptr;
}

inline Node *ProgramNodes::attribute(cali_id_t id)
{
	if (id < FirstNodes::COUNT || id >= ATTRIBUTES_MAX)
		return id >= FirstNodes::NAME && id <= FirstNodes::PROP ? first_.at(id)
									: nullptr;
	Node *node = attributes_[id].load(std::memory_order_acquire);

	if (node)
		return node;
	Hold hold(*this);

	node = attributes_[id].load(std::memory_order_acquire);
	if (!node)
		node = make_attribute(id);
	attributes_[id].store(node, std::memory_order_release);
	return node;
}

inline Node *ProgramNodes::node(cali_id_t id)
{
	if (id < FirstNodes::COUNT)
		return first_.at(id);
	if (id < VALUES_FIRST)
		return attribute(id);
	Hold hold(*this);

	return id - VALUES_FIRST < values_.size() ? values_[id - VALUES_FIRST] : nullptr;
}

inline Node *ProgramNodes::child(Node *parent, cali_id_t attribute, const Variant &data)
{
	Hold hold(*this);

	return find(parent ? parent : root(), attribute, data);
}

} // namespace cali

#endif

#endif
