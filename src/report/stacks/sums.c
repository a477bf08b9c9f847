#include "report/stacks/sums.h"

#include <stdlib.h>
#include <string.h>

bool stack_keys_state(const struct stack_list *list, const struct stack_row *row,
		      uint64_t ret_keys[STACK_KEYS])
{
	(void)list;
	ret_keys[0] = row->state;
	return true;
}

bool stack_keys_wait(const struct stack_list *list, const struct stack_row *row,
		     uint64_t ret_keys[STACK_KEYS])
{
	(void)list;
	ret_keys[0] = row->state;
	ret_keys[1] = row->kind;
	ret_keys[2] = row->on;
	return row->on != STACK_NONE;
}

bool stack_keys_thread(const struct stack_list *list, const struct stack_row *row,
		       uint64_t ret_keys[STACK_KEYS])
{
	(void)list;
	ret_keys[0] = row->process;
	ret_keys[1] = row->thread;
	ret_keys[2] = row->state;
	return true;
}

bool stack_keys_lock(const struct stack_list *list, const struct stack_row *row,
		     uint64_t ret_keys[STACK_KEYS])
{
	ret_keys[0] = row->on;
	ret_keys[1] = row->holder;
	return row->kind != STACK_NONE &&
	       (row->holder != STACK_NONE ||
		!strcmp(stack_list_string(list, row->kind), "mutex"));
}

static int by_time(const void *left, const void *right)
{
	const struct stack_sum *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	if (a->times != b->times)
		return a->times < b->times ? 1 : -1;
	return memcmp(a->keys, b->keys, sizeof(a->keys));
}

struct stack_sums stack_sums_make(const struct stack_list *list, stack_keys *keys)
{
	struct stack_sums sums = {0};
	struct table known = {0}, threads = {0};

	vector_for_each (&list->rows, row) {
		uint64_t key[STACK_KEYS] = {0};
		bool made;

		if (!keys(list, row, key))
			continue;
		uint64_t *index =
			table_insert(&known, hash_bytes(key, sizeof(key)), &made);

		if (made) {
			memcpy(vector_add(&sums)->keys, key, sizeof(key));
			*index = sums.count - 1;
		}
		struct stack_sum *sum = &sums.items[*index];
		const uint64_t thread[] = {*index, row->process, row->thread};

		table_insert(&threads, hash_bytes(thread, sizeof(thread)), &made);
		sum->threads += made;
		sum->times += row->times;
		sum->ns += row->ns;
		if (row->longest_ns > sum->longest_ns)
			sum->longest_ns = row->longest_ns;
	}
	table_deinit(&known);
	table_deinit(&threads);
	if (sums.count)
		qsort(sums.items, sums.count, sizeof(*sums.items), by_time);
	return sums;
}

/* The tree while it is made: branches in the order in which they came, with the place 0
 * as the root. */
struct growing {
	const struct stack_list *list;
	struct stack_tree tree;
	struct table known;
};

static uint32_t find_branch(struct growing *growing, uint32_t parent, uint32_t function,
			    bool is_end)
{
	const uint64_t key[] = {parent, function, is_end};
	bool made;
	uint64_t *index =
		table_insert(&growing->known, hash_bytes(key, sizeof(key)), &made);

	if (!made)
		return (uint32_t)*index;
	*index = growing->tree.count;
	const struct stack_branch *above = &growing->tree.items[parent];
	const struct stack_branch branch = {.function = function,
					    .depth = above->depth + 1,
					    .is_end = is_end,
					    .next = above->first_child};

	growing->tree.items[parent].first_child = (uint32_t)growing->tree.count + 1;
	vector_push(&growing->tree, branch);
	return (uint32_t)growing->tree.count - 1;
}

static void add_to_branch(struct stack_branch *branch, const struct stack_row *row)
{
	branch->times += row->times;
	branch->ns += row->ns;
	if (row->longest_ns > branch->longest_ns)
		branch->longest_ns = row->longest_ns;
}

static void grow_tree(struct growing *growing, const struct stack_row *row)
{
	struct VECTOR(uint32_t) path = {0};
	const struct stack_frame *frames = growing->list->frames.items;
	uint32_t place = 0;

	for (uint32_t at = row->frame; at != STACK_NONE; at = frames[at].parent)
		vector_push(&path, frames[at].function);
	add_to_branch(&growing->tree.items[0], row);
	while (path.count) {
		place = find_branch(growing, place, path.items[--path.count], false);
		add_to_branch(&growing->tree.items[place], row);
	}
	place = find_branch(growing, place, row->on != STACK_NONE ? row->on : row->state,
			    true);
	add_to_branch(&growing->tree.items[place], row);
	vector_deinit(&path);
}

static int by_branch_time(const void *left, const void *right)
{
	const struct stack_branch *a = *(const struct stack_branch *const *)left;
	const struct stack_branch *b = *(const struct stack_branch *const *)right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return a->function < b->function ? -1 : a->function > b->function;
}

/* Adds what is below a branch. Paths are as deep as those of the program. */
static void put_children(const struct stack_tree *grown, const struct stack_branch *above,
			 uint64_t least_ns, struct stack_tree *out)
{
	struct VECTOR(const struct stack_branch *) children = {0};

	for (uint32_t at = above->first_child; at; at = grown->items[at - 1].next)
		if (grown->items[at - 1].ns >= least_ns)
			vector_push(&children, &grown->items[at - 1]);
	if (children.count)
		qsort(children.items, children.count, sizeof(*children.items),
		      by_branch_time);
	vector_for_each (&children, child) {
		vector_push(out, **child);
		put_children(grown, *child, least_ns, out);
	}
	vector_deinit(&children);
}

struct stack_tree stack_tree_make(const struct stack_list *list, uint64_t least_ns)
{
	struct growing growing = {.list = list};
	struct stack_tree tree = {0};

	vector_add(&growing.tree);
	vector_for_each (&list->rows, row)
		grow_tree(&growing, row);
	put_children(&growing.tree, &growing.tree.items[0], least_ns, &tree);
	vector_deinit(&growing.tree);
	table_deinit(&growing.known);
	return tree;
}
