/*
 * The context tree of a thread. Children are found in a hash table of all nodes of the
 * thread: open addressing, linear probing, load at most 1/2. Neighbouring values (eight
 * of them: a line of the cache) have neighbouring slots, so that a counter that runs up
 * walks through memory instead of jumping about.
 */
#include "runtime/store/tree.h"
#include "runtime/store/memory.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"

#include <string.h>

enum { FIRST_SLOTS = CONTEXT_THREAD_SLOTS };

/* Strings are multiples of 8: their neighbours differ in higher bits. */
static uint64_t hash_of(const struct context_node *from, uint32_t attribute,
			uint64_t value)
{
	uint64_t hash = (uint64_t)from->number << 32 | attribute;

	hash = (hash ^ value >> 3) * 0x9e3779b97f4a7c15u;
	hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
	return (hash >> 24 & ~7ull) | ((value ^ value >> 3) & 7);
}

static inline __attribute__((always_inline)) struct context_node **
slot_of(const struct context_thread *thread, const struct context_node *from,
	uint32_t attribute, uint64_t value)
{
	for (uint64_t i = hash_of(from, attribute, value);; i++) {
		struct context_node **slot = &thread->slots[i & thread->slot_mask];

		if (!*slot || ((*slot)->value == value && (*slot)->parent == from &&
			       (*slot)->attribute == attribute))
			return slot;
	}
}

static bool grow_nodes(struct context_thread *thread)
{
	struct context_node **old = thread->slots;
	uint64_t count = thread->slot_mask + 1;
	struct context_node **slots = runtime_map(2 * count * sizeof(*slots));

	if (!slots)
		return false;
	thread->slots = slots;
	thread->slot_mask = 2 * count - 1;
	for (uint64_t i = 0; i < count; i++)
		if (old[i])
			*slot_of(thread, old[i]->parent, old[i]->attribute,
				 old[i]->value) = old[i];
	/* The first table lies in the thread's own block. */
	if (count > FIRST_SLOTS)
		runtime_unmap(old, count * sizeof(*old));
	return true;
}

static void put_nodes_in(struct context_thread *thread, struct context_block *block)
{
	thread->node_block = block;
	thread->node_at = tree_nodes_of(block);
	thread->node_end = thread->node_at + context_nodes_room(block->kind);
}

static struct context_node *new_node(struct context_thread *thread)
{
	if (thread->node_at == thread->node_end) {
		struct context_block *block =
			spool_block(CONTEXT_NODES, thread->number, 1);

		if (!block)
			return NULL;
		block->order = thread->node_count; /* number of its first node */
		block->link = (uintptr_t)thread->node_block;
		put_nodes_in(thread, block);
	}
	return thread->node_at++;
}

static struct context_node *add_node(struct context_thread *thread,
				     struct context_node *from, uint32_t attribute,
				     uint64_t value)
{
	struct context_node *node = new_node(thread);

	if (!node)
		return NULL;
	node->parent = from;
	node->parent_number = from ? from->number : 0;
	node->attribute = attribute;
	node->value = value;
	node->number = thread->node_count;
	__atomic_store_n(&thread->node_count, thread->node_count + 1, __ATOMIC_RELEASE);
	return node;
}

static inline __attribute__((always_inline)) struct context_node *
find_or_add(struct context_thread *thread, struct context_node *from, uint32_t attribute,
	    uint64_t value)
{
	struct context_node **slot = slot_of(thread, from, attribute, value);

	if (*slot)
		return *slot;
	if (2ull * thread->node_count > thread->slot_mask && !grow_nodes(thread))
		return NULL;
	struct context_node *node = add_node(thread, from, attribute, value);

	if (node)
		*slot_of(thread, from, attribute, value) = node;
	return node;
}

struct context_node *tree_child(struct context_thread *thread, struct context_node *from,
				uint32_t attribute, uint64_t value)
{
	struct context_node *node = find_or_add(thread, from, attribute, value);

	if (node)
		from->last_child = node;
	return node;
}

struct context_node *tree_key(struct context_thread *thread, struct context_node *from,
			      uint32_t attribute, uint64_t value)
{
	return find_or_add(thread, from, attribute, value);
}

struct context_node *tree_metric(struct context_thread *thread, struct context_node *from,
				 uint32_t attribute)
{
	struct context_node *node = find_or_add(thread, from, attribute, 0);

	if (node)
		node->flags = CONTEXT_METRIC;
	return node;
}

struct context_node **tree_nodes(const struct context_thread *thread, uint32_t count)
{
	struct context_node **nodes =
		runtime_map((count + 1) * sizeof(struct context_node *));

	for (struct context_block *block = thread->node_block; nodes && block;
	     block = (void *)(uintptr_t)block->link) {
		bool first = block == &thread->head;
		uint64_t number = first ? 0 : block->order;

		for (uint32_t i = 0;
		     i < context_nodes_room(block->kind) && number + i < count; i++)
			nodes[number + i] = tree_nodes_of(block) + i;
		if (first)
			break;
	}
	return nodes;
}

/* As many places as the table of nodes has. */
static void make_noted(struct context_thread *thread)
{
	uint64_t count = thread->slot_mask + 1;

	if (thread->noted)
		runtime_unmap(thread->noted,
			      (thread->noted_mask + 1) * sizeof(struct context_node *));
	thread->noted = runtime_map(count * sizeof(struct context_node *));
	thread->noted_mask = count - 1;
}

struct context_node **tree_noted(struct context_thread *thread,
				 const struct context_node *from, const char *text)
{
	if (unlikely(thread->noted_mask != thread->slot_mask))
		make_noted(thread);
	if (unlikely(!thread->noted))
		return NULL;
	return tree_noted_at(thread, from, text);
}

static bool has_many(const struct context_thread *thread)
{
	return thread->slot_mask >= FIRST_SLOTS;
}

struct context_node *tree_find_text(struct context_thread *thread, uint32_t attribute,
				    const char *bytes, uint32_t size)
{
	struct context_node *from = thread->node, *to = from->last_child;

	if (has_many(thread)) {
		struct context_node *const *noted = tree_noted(thread, from, bytes);

		to = noted ? *noted : NULL;
	}
	if (!to || to->parent != from || to->attribute != attribute)
		return NULL;
	const struct context_string *known = strings_at(to->value);

	return known->size == size && !memcmp(known->bytes, bytes, size) ? to : NULL;
}

void tree_note_text(struct context_thread *thread, const struct context_node *from,
		    const char *bytes)
{
	struct context_node **noted =
		has_many(thread) ? tree_noted(thread, from, bytes) : NULL;

	if (noted)
		*noted = thread->node;
}

bool tree_init(struct context_thread *thread)
{
	thread->slots = (struct context_node **)(void *)(thread + 1);
	thread->slot_mask = FIRST_SLOTS - 1;
	put_nodes_in(thread, &thread->head);
	thread->root = thread->node = add_node(thread, NULL, 0, 0);
	return thread->root != NULL;
}

void tree_deinit(struct context_thread *thread)
{
	if (thread->noted)
		runtime_unmap(thread->noted,
			      (thread->noted_mask + 1) * sizeof(*thread->noted));
	if (thread->slot_mask + 1 > FIRST_SLOTS)
		runtime_unmap(thread->slots,
			      (thread->slot_mask + 1) * sizeof(*thread->slots));
}
