#include "sample/branches.h"

enum { BRANCHES_MAX = 1 << 20 }; /* some 80 MB */

static bool is_same(const struct sample_place *a, const struct sample_place *b)
{
	return a->module == b->module && a->address == b->address;
}

void sample_branches_add(struct sample_branches *branches,
			 const struct sample_branch *branch)
{
	const uint64_t key[] = {branch->image, branch->from.module, branch->from.address,
				branch->to.module, branch->to.address};
	uint64_t hash = hash_bytes(key, sizeof(key)), index;

	for (; table_find(&branches->by_place, hash, &index); hash++) {
		struct sample_branch *known = &branches->rows.items[index];

		if (known->image != branch->image ||
		    !is_same(&known->from, &branch->from) ||
		    !is_same(&known->to, &branch->to))
			continue;
		known->count += branch->count;
		known->missed += branch->missed;
		return;
	}
	if (branches->rows.count >= BRANCHES_MAX) {
		branches->dropped += branch->count;
		return;
	}
	*table_insert(&branches->by_place, hash, NULL) = branches->rows.count;
	vector_push(&branches->rows, *branch);
}

void sample_branches_deinit(struct sample_branches *branches)
{
	vector_deinit(&branches->rows);
	table_deinit(&branches->by_place);
}
