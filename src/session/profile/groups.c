#include "session/profile/groups.h"

#include "session/state/image_run.h"

/* The lesser one of a key, unless that is NULL, and the first row's of those from `rows`
 * on; `first` is where it is kept. */
#define LESSER(key, rows, vector, first)                                                 \
	({                                                                               \
		const struct group_key *lesser_ = (key);                                 \
		if ((rows) < (vector)->items + (vector)->count) {                        \
			*(first) = GROUP_KEY_OF(rows);                                   \
			if (!lesser_ || group_compare(*(first), *lesser_) < 0)           \
				lesser_ = (first);                                       \
		}                                                                        \
		lesser_;                                                                 \
	})

/* How many rows from `rows` on are of the key's group. */
#define COUNT_OF(key, rows, vector)                                                      \
	({                                                                               \
		size_t count_ = 0;                                                       \
		while ((rows) + count_ < (vector)->items + (vector)->count &&            \
		       !group_compare(key, GROUP_KEY_OF((rows) + count_)))               \
			count_++;                                                        \
		count_;                                                                  \
	})

struct group groups_begin(const struct image_run *image)
{
	return (struct group){
		.counts = image->counts.items,
		.arcs = image->arcs.items,
		.residues = image->residues.items,
	};
}

bool groups_next(const struct image_run *image, struct group *group)
{
	const struct image_count *counts = group->counts + group->count_count;
	const struct image_arc *arcs = group->arcs + group->arc_count;
	const struct image_residue *residues = group->residues + group->residue_count;
	struct group_key of_counts, of_arcs, of_residues;
	const struct group_key *key = NULL;

	key = LESSER(key, counts, &image->counts, &of_counts);
	key = LESSER(key, arcs, &image->arcs, &of_arcs);
	key = LESSER(key, residues, &image->residues, &of_residues);
	if (!key)
		return false;
	*group = (struct group){
		.key = *key,
		.counts = counts,
		.arcs = arcs,
		.residues = residues,
		.count_count = COUNT_OF(*key, counts, &image->counts),
		.arc_count = COUNT_OF(*key, arcs, &image->arcs),
		.residue_count = COUNT_OF(*key, residues, &image->residues),
	};
	return true;
}
