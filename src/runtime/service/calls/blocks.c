#include "runtime/service/calls/blocks.h"
#include "runtime/store/memory.h"

#include <stddef.h>
#include <string.h>

enum { LEAF_SIZE = (1 << BLOCKS_LEAF_BITS) / 8 };

/* What a slot leads to; it is made if it is not there and `makes` is set. */
static void *blocks_part(void **slot, size_t size, bool makes)
{
	void *known = __atomic_load_n(slot, __ATOMIC_ACQUIRE), *made;

	if (known || !makes)
		return known;
	made = runtime_map(size);
	if (!made || __atomic_compare_exchange_n(slot, &known, made, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return made;
	runtime_unmap(made, size);
	return known;
}

/* The word with the block's bit; NULL: there is none. */
static uint64_t *word_of(struct blocks *blocks, uint64_t start, bool makes)
{
	uint64_t bit = start >> BLOCKS_ALIGN_BITS, leaf = bit >> BLOCKS_LEAF_BITS;
	uint64_t branch = leaf >> BLOCKS_BRANCH_BITS;
	struct blocks_branch *found;
	uint64_t *words;

	if (branch >> BLOCKS_ROOT_BITS)
		return NULL;
	found = blocks_part((void **)&blocks->branches[branch], sizeof(*found), makes);
	if (!found)
		return NULL;
	leaf &= (1 << BLOCKS_BRANCH_BITS) - 1;
	words = blocks_part((void **)&found->leaves[leaf], LEAF_SIZE, makes);
	return words ? &words[(bit & ((1 << BLOCKS_LEAF_BITS) - 1)) / 64] : NULL;
}

static uint64_t mask_of(uint64_t start)
{
	return (uint64_t)1 << (start >> BLOCKS_ALIGN_BITS) % 64;
}

bool blocks_add(struct blocks *blocks, const void *start)
{
	uint64_t *word = word_of(blocks, (uintptr_t)start, true);
	uint64_t mask = mask_of((uintptr_t)start);

	return word && !(__atomic_fetch_or(word, mask, __ATOMIC_RELAXED) & mask);
}

bool blocks_take(struct blocks *blocks, const void *start)
{
	uint64_t *word = word_of(blocks, (uintptr_t)start, false);
	uint64_t mask = mask_of((uintptr_t)start);

	return word && __atomic_load_n(word, __ATOMIC_RELAXED) & mask &&
	       __atomic_fetch_and(word, ~mask, __ATOMIC_RELAXED) & mask;
}

static void clear_branch(struct blocks_branch *branch)
{
	for (size_t i = 0; i < 1 << BLOCKS_BRANCH_BITS; i++)
		if (branch->leaves[i])
			memset(branch->leaves[i], 0, LEAF_SIZE);
}

void blocks_clear(struct blocks *blocks)
{
	for (size_t i = 0; i < 1 << BLOCKS_ROOT_BITS; i++)
		if (blocks->branches[i])
			clear_branch(blocks->branches[i]);
}
