/* What entries refer to, in C++11: see caliper/cali.h. */
#ifndef CALI_COMMON_NODE_H
#define CALI_COMMON_NODE_H

#include "Variant.h"

#ifdef __cplusplus

#include "lockfree-tree.hpp"

namespace cali
{

class ProgramNodes;

/* An attribute with a value, below others: a path. The node of an attribute has its name,
 * below its properties and type. */
class Node : public util::LockfreeIntrusiveTree<Node>
{
	typedef util::LockfreeIntrusiveTree<Node> Tree;

	cali_id_t id_, attribute_;
	Variant data_;
	Tree::Node links_;
	bool program_ = false;
	friend class ProgramNodes;

      public:
	Node(cali_id_t id, cali_id_t attribute, const Variant &data)
	    : Tree(this, &Node::links_), id_(id), attribute_(attribute), data_(data)
	{
	}
	Node(const Node &) = delete;
	Node &operator=(const Node &) = delete;

	cali_id_t id() const
	{
		return id_;
	}
	/* CALI_INV_ID: of the root. */
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
	/* NULL: there is none. */
	Node *find_child_node(cali_id_t attribute, const Variant &data) const
	{
		Node *node = first_child();

		while (node && !node->equals(attribute, data))
			node = node->next_sibling();
		return node;
	}
	/* Whether it is of what this program says itself, and of no file. */
	bool is_program_node() const
	{
		return program_;
	}
};

} // namespace cali

namespace cali
{

/* The nodes that files need not have: types, and what attributes are made of. */
class FirstNodes
{
	Node root_, types_[9], names_[3];

	void add(Node &parent, Node &child)
	{
		parent.append(&child);
	}

      public:
	enum { COUNT = 12, NAME = 8, TYPE = 9, PROP = 10 };

	FirstNodes()
	    : root_(CALI_INV_ID, CALI_INV_ID, Variant()),
	      types_{{0, TYPE, Variant(CALI_TYPE_USR)},
		     {1, TYPE, Variant(CALI_TYPE_INT)},
		     {2, TYPE, Variant(CALI_TYPE_UINT)},
		     {3, TYPE, Variant(CALI_TYPE_STRING)},
		     {4, TYPE, Variant(CALI_TYPE_ADDR)},
		     {5, TYPE, Variant(CALI_TYPE_DOUBLE)},
		     {6, TYPE, Variant(CALI_TYPE_BOOL)},
		     {7, TYPE, Variant(CALI_TYPE_TYPE)},
		     {11, TYPE, Variant(CALI_TYPE_PTR)}},
	      names_{{NAME, NAME, Variant("cali.attribute.name")},
		     {TYPE, NAME, Variant("cali.attribute.type")},
		     {PROP, NAME, Variant("cali.attribute.prop")}}
	{
		for (Node &type : types_)
			add(root_, type);
		add(types_[3], names_[0]);
		add(types_[7], names_[1]);
		add(types_[1], names_[2]);
	}

	Node *root()
	{
		return &root_;
	}
	/* NULL: the type is none. */
	Node *type(cali_attr_type type)
	{
		return type > CALI_TYPE_INV && type <= CALI_MAXTYPE ? &types_[type - 1]
								    : nullptr;
	}
	/* NULL: it is none of these. */
	Node *at(cali_id_t id)
	{
		return id < 8     ? &types_[id]
		       : id < 11  ? &names_[id - 8]
		       : id == 11 ? &types_[8]
				  : nullptr;
	}
};

} // namespace cali

#endif

#endif
