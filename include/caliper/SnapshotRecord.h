/* Snapshots in memory of the caller's, in C++11: see caliper/cali.h. */
#ifndef CALI_SNAPSHOTRECORD_H
#define CALI_SNAPSHOTRECORD_H

#include "common/Entry.h"

#ifdef __cplusplus

namespace cali
{

/* Entries to be read. */
class SnapshotView
{
	const Entry *data_;
	size_t size_;

      public:
	using iterator = Entry *;
	using const_iterator = const Entry *;

	SnapshotView() : data_(nullptr), size_(0)
	{
	}
	SnapshotView(size_t size, const Entry *data) : data_(data), size_(size)
	{
	}
	SnapshotView(const Entry &entry) : data_(&entry), size_(1)
	{
	}
	const_iterator begin() const
	{
		return data_;
	}
	const_iterator end() const
	{
		return data_ + size_;
	}
	size_t size() const
	{
		return size_;
	}
	const Entry *data() const
	{
		return data_;
	}
	bool empty() const
	{
		return !size_;
	}
	const Entry &operator[](size_t index) const
	{
		return data_[index];
	}
	/* The first one of an attribute, and of a path what is down to its innermost; an
	 * empty one: there is none. */
	Entry get(const Attribute &attribute) const
	{
		for (const Entry &entry : *this) {
			const Entry found = entry.get(attribute);

			if (!found.empty())
				return found;
		}
		return Entry();
	}
	/* The same of those with values of their own. */
	Entry get_immediate_entry(const Attribute &attribute) const
	{
		for (const Entry &entry : *this)
			if (entry.is_immediate() && entry.node() == attribute.node())
				return entry;
		return Entry();
	}
};

} // namespace cali

namespace cali
{

/* Room for entries; what finds none is counted. */
class SnapshotBuilder
{
	Entry *data_;
	size_t capacity_, size_, skipped_;

      public:
	SnapshotBuilder() : SnapshotBuilder(0, nullptr)
	{
	}
	SnapshotBuilder(size_t capacity, Entry *data)
	    : data_(data), capacity_(capacity), size_(0), skipped_(0)
	{
	}
	SnapshotBuilder(SnapshotBuilder &&) = default;
	SnapshotBuilder &operator=(SnapshotBuilder &&) = default;
	size_t capacity() const
	{
		return capacity_;
	}
	size_t size() const
	{
		return size_;
	}
	size_t skipped() const
	{
		return skipped_;
	}
	void append(const Entry &entry)
	{
		if (size_ < capacity_)
			data_[size_++] = entry;
		else
			skipped_++;
	}
	void append(size_t count, const Entry *entries)
	{
		for (size_t i = 0; i < count; i++)
			append(entries[i]);
	}
	void append(const Attribute &attribute, const Variant &value)
	{
		append(Entry(attribute, value));
	}
	void append(SnapshotView view)
	{
		append(view.size(), view.data());
	}
	void remove(const Entry &entry)
	{
		size_t kept = 0;

		while (kept < size_ && !(data_[kept] == entry))
			kept++;
		for (; kept + 1 < size_; kept++)
			data_[kept] = data_[kept + 1];
		size_ -= kept < size_;
	}
	SnapshotView view() const
	{
		return SnapshotView(size_, data_);
	}
};

} // namespace cali

namespace cali
{

/* The same with its room. */
template <size_t N> class FixedSizeSnapshotRecord
{
	Entry data_[N];
	SnapshotBuilder builder_;

      public:
	FixedSizeSnapshotRecord() : builder_(N, data_)
	{
	}
	FixedSizeSnapshotRecord(const FixedSizeSnapshotRecord &) = delete;
	FixedSizeSnapshotRecord &operator=(const FixedSizeSnapshotRecord &) = delete;
	SnapshotBuilder &builder()
	{
		return builder_;
	}
	SnapshotView view() const
	{
		return builder_.view();
	}
	void reset()
	{
		builder_ = SnapshotBuilder(N, data_);
	}
};

} // namespace cali

#endif

#endif
