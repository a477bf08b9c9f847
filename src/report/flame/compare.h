/* Two profiles compared: the same functions, and the same paths of trees, by name. */
#ifndef TRAMMEL_REPORT_FLAME_COMPARE_H
#define TRAMMEL_REPORT_FLAME_COMPARE_H

#include "base/text.h"
#include "report/flame/tree.h"
#include "report/profile.h"

/* Notes in each node of a tree the total that the same path has in a tree of another
 * profile: the same names, of modules of the same names. */
void flame_tree_compare(struct flame_tree *tree, const struct report_profile *profile,
			const struct flame_tree *other,
			const struct report_profile *other_profile);

/* Returns for each function of a profile the index of the one of that name in a module
 * of that name in another one; REPORT_NONE: there is none. The caller frees the array. */
uint32_t *flame_match_functions(const struct report_profile *profile,
				const struct report_profile *other);

/* Adds how a number changed: "+12.3 %", "x20.5" from ten times on, "new", "same". */
void flame_add_change(struct text *out, uint64_t now, uint64_t before);

/* Computes how much a number changed, from -1 (all of it is gone) to 1 (it is new). */
double flame_change_of(uint64_t now, uint64_t before);

#endif
