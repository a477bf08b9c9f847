/* Rows of what threads did, added up: by what they waited for, by thread, by lock, and
 * along the paths of calls. */
#ifndef TRAMMEL_REPORT_STACKS_SUMS_H
#define TRAMMEL_REPORT_STACKS_SUMS_H

#include "report/stacks/load.h"

enum { STACK_KEYS = 3 };

/* A sum: `keys` say of what, by the table that it is in. */
struct stack_sum {
	uint64_t keys[STACK_KEYS];
	uint64_t times, ns, longest_ns;
	uint32_t threads; /* how many threads have such rows */
};
struct stack_sums VECTOR(struct stack_sum);

/* Writes the keys of a row; false: it is not in the table. */
typedef bool stack_keys(const struct stack_list *list, const struct stack_row *row,
			uint64_t ret_keys[STACK_KEYS]);

/* Adds the rows up by their keys; by time, the most first. The caller deinits the sums.
 */
struct stack_sums stack_sums_make(const struct stack_list *list, stack_keys *keys);

/* The tables that there are. Keys: the state; state and what is waited for (kind, on);
 * the process, thread and state; lock (on) and its holder's path. */
stack_keys stack_keys_state, stack_keys_wait, stack_keys_thread, stack_keys_lock;

/* A place in the tree of paths: a function, or, below the innermost one, what a thread
 * did there. */
struct stack_branch {
	uint32_t function; /* a string; of what it did: `on`, or the state */
	uint32_t depth;
	bool is_end; /* what it did */
	uint64_t times, ns, longest_ns;
	uint32_t first_child, next; /* indexes + 1 */
};
struct stack_tree VECTOR(struct stack_branch);

/* Makes the tree, in the order in which it is shown: each below its caller, those with
 * more time first. Leaves out what has less than `least_ns`. The caller deinits it. */
struct stack_tree stack_tree_make(const struct stack_list *list, uint64_t least_ns);

#endif
