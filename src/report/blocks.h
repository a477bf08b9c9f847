/* Basic blocks: sums, and rows to be shown. */
#ifndef TRAMMEL_REPORT_BLOCKS_H
#define TRAMMEL_REPORT_BLOCKS_H

#include "report/order.h"
#include "report/profile.h"

/* Sorts the blocks and sums duplicates, when there are many. */
void report_blocks_add_up(struct report_profile *profile);

/* Does so, and finds those of each function: the last step of loading. */
void report_blocks_finish(struct report_profile *profile);

/* Sums the blocks of the selection: a part of report_profile_select. */
void report_blocks_select(struct report_profile *profile);

/* Tells whether a block was executed in the selection. */
bool report_block_is_selected(const struct report_profile *profile,
			      const struct report_block *block);

/* Returns the executed blocks of the selection (profile.executed_blocks of them), with
 * the counts of all images summed (their `image` is meaningless), sorted. The caller
 * frees the array. */
struct report_block *report_profile_blocks(const struct report_profile *profile,
					   enum report_sort sort);

/* Returns those of one function, by address. The caller frees the array. */
struct report_block *report_function_blocks(const struct report_profile *profile,
					    const struct report_function *function,
					    size_t *ret_count);

#endif
