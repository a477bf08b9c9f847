#include "context/merge.h"

#include "base/vector.h"

void merge_init(struct merge *merge, size_t most)
{
	merge->heap = memory_allocate_zeroed(most + 1, sizeof(*merge->heap));
	merge->ticks = memory_allocate_zeroed(most + 1, sizeof(*merge->ticks));
	merge->count = 0;
}

void merge_deinit(struct merge *merge)
{
	free(merge->heap);
	free(merge->ticks);
}

static bool is_before(const struct merge *merge, size_t a, size_t b)
{
	return merge->ticks[merge->heap[a]] < merge->ticks[merge->heap[b]];
}

static void swap_items(struct merge *merge, size_t a, size_t b)
{
	uint32_t moved = merge->heap[a];

	merge->heap[a] = merge->heap[b];
	merge->heap[b] = moved;
}

void merge_add(struct merge *merge, uint32_t sequence, uint64_t ticks)
{
	size_t at = merge->count++;

	merge->heap[at] = sequence;
	merge->ticks[sequence] = ticks;
	for (; at && is_before(merge, at, (at - 1) / 2); at = (at - 1) / 2)
		swap_items(merge, at, (at - 1) / 2);
}

bool merge_top(const struct merge *merge, uint32_t *ret_sequence)
{
	if (!merge->count)
		return false;
	*ret_sequence = merge->heap[0];
	return true;
}

void merge_next(struct merge *merge, bool more, uint64_t ticks)
{
	merge->ticks[merge->heap[0]] = ticks;
	if (!more)
		merge->heap[0] = merge->heap[--merge->count];
	for (size_t at = 0, child; (child = 2 * at + 1) < merge->count; at = child) {
		if (child + 1 < merge->count && is_before(merge, child + 1, child))
			child++;
		if (!is_before(merge, child, at))
			return;
		swap_items(merge, at, child);
	}
}
