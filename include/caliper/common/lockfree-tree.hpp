/* Trees that threads add to without a lock, in C++11: see caliper/cali.h. */
#ifndef CALI_UTIL_LOCKFREE_TREE_HPP
#define CALI_UTIL_LOCKFREE_TREE_HPP

#include <atomic>

namespace cali
{
namespace util
{

/* Of objects that have the links in a member; none ever goes. */
template <typename T> class LockfreeIntrusiveTree
{
      public:
	struct Node {
		T *parent, *next;
		std::atomic<T *> head;

		Node() : parent(nullptr), next(nullptr), head(nullptr)
		{
		}
	};

	LockfreeIntrusiveTree(T *object, Node T::*links) : object_(object), links_(links)
	{
	}

	T *parent() const
	{
		return links(object_).parent;
	}
	/* The one that was added last, and the one before another. */
	T *first_child() const
	{
		return links(object_).head.load(std::memory_order_acquire);
	}
	T *next_sibling() const
	{
		return links(object_).next;
	}
	void append(T *child)
	{
		Node &own = links(object_);

		links(child).parent = object_;
		links(child).next = own.head.load(std::memory_order_relaxed);
		while (!own.head.compare_exchange_weak(links(child).next, child,
						       std::memory_order_release,
						       std::memory_order_relaxed))
			;
	}

      private:
	T *object_;
	Node T::*links_;

	Node &links(T *object) const
	{
		return object->*links_;
	}
};

} // namespace util
} // namespace cali

#endif
