/* Trees of contexts, one for each thread. */
#ifndef TRAMMEL_RUNTIME_STORE_TREE_H
#define TRAMMEL_RUNTIME_STORE_TREE_H

#include "wire/context.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns the child of a node, made if it is new; NULL if there is no room. */
struct context_node *tree_child(struct context_thread *thread, struct context_node *from,
				uint32_t attribute, uint64_t value);

/* Returns the child as tree_child() does, without a look at what is open in `from`. */
struct context_node *tree_key(struct context_thread *thread, struct context_node *from,
			      uint32_t attribute, uint64_t value);

/* Returns the node that holds the value that was set of a metric in a context. */
struct context_node *tree_metric(struct context_thread *thread, struct context_node *from,
				 uint32_t attribute);

/* Returns the nodes of a block, or of a thread's record. */
static inline struct context_node *tree_nodes_of(struct context_block *block)
{
	return (void *)((char *)block + context_nodes_at(block->kind));
}

/* Returns all nodes of a thread, by number, in memory of runtime_map(): at least `count`
 * of them; NULL if there is none. */
struct context_node **tree_nodes(const struct context_thread *thread, uint32_t count);

/* Makes room for the nodes of a new thread; returns false if there is none. */
bool tree_init(struct context_thread *thread);

/* Returns the place for the child of `from` whose text lies at `text` in memory; the
 * place may hold another node. NULL: no memory. */
struct context_node **tree_noted(struct context_thread *thread,
				 const struct context_node *from, const char *text);

/* Returns that place where the table exists: thread->noted_mask is the table's
 * slot_mask. */
static inline struct context_node **tree_noted_at(const struct context_thread *thread,
						  const struct context_node *from,
						  const char *text)
{
	uint64_t hash = (uintptr_t)text ^ (uint64_t)from->number << 32;

	hash = hash * 0x9e3779b97f4a7c15u >> 20;
	return &thread->noted[hash & thread->noted_mask];
}

/* Finds the child of the current node that has this text, as far as it is at hand: the
 * last child, or where the thread has many nodes, the one that is noted for the text's
 * place in memory. If it returns NULL, the child may exist all the same. */
struct context_node *tree_find_text(struct context_thread *thread, uint32_t attribute,
				    const char *bytes, uint32_t size);

/* Notes that the current node, which began in `from`, has the text. */
void tree_note_text(struct context_thread *thread, const struct context_node *from,
		    const char *bytes);

/* Frees what tree_init() made room for. */
void tree_deinit(struct context_thread *thread);

#endif
