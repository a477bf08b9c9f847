#include "report/flame/compare.h"

#include <string.h>

static uint64_t hash_name(const char *name)
{
	return name ? hash_bytes(name, strlen(name)) : 0;
}

/* What tells a node apart from those beside it. */
static uint64_t hash_node(const struct report_profile *profile,
			  const struct flame_node *node, uint32_t parent)
{
	const uint64_t key[] = {parent, hash_name(node->name),
				hash_name(flame_module_name(profile, node))};

	return hash_bytes(key, sizeof(key));
}

/* The nodes of a tree by their parents and names; of several with one name the sums. */
static void index_nodes(const struct flame_tree *tree,
			const struct report_profile *profile, struct table *indices,
			uint64_t *totals)
{
	const struct flame_node *nodes = tree->nodes.items;

	totals[0] = nodes[0].total;
	for (uint32_t i = 1; i < tree->nodes.count; i++) {
		bool made;
		uint64_t *index;

		if (!nodes[i].total)
			continue;
		index = table_insert(
			indices, hash_node(profile, &nodes[i], nodes[i].parent), &made);
		if (made)
			*index = i;
		totals[*index] += nodes[i].total;
	}
}

void flame_tree_compare(struct flame_tree *tree, const struct report_profile *profile,
			const struct flame_tree *other,
			const struct report_profile *other_profile)
{
	struct flame_node *nodes = tree->nodes.items;
	const size_t count = tree->nodes.count;
	struct table indices = {0};
	uint64_t *totals = memory_allocate_zeroed(other->nodes.count, sizeof(*totals));
	/* Of each node the one that it is in the other tree. */
	uint32_t *same = memory_allocate(count * sizeof(*same));

	index_nodes(other, other_profile, &indices, totals);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t outer = i ? same[nodes[i].parent] : REPORT_NONE;
		uint64_t found = REPORT_NONE;

		if (!i)
			found = 0;
		else if (outer != REPORT_NONE)
			table_find(&indices, hash_node(profile, &nodes[i], outer),
				   &found);
		same[i] = (uint32_t)found;
		nodes[i].before = found == REPORT_NONE ? 0 : totals[found];
	}
	tree->compared = true;
	table_deinit(&indices);
	free(totals);
	free(same);
}

static uint64_t hash_function(const struct report_profile *profile,
			      const struct report_function *function)
{
	const uint64_t key[] = {hash_name(function->name),
				hash_name(profile->modules.items[function->module].name)};

	return hash_bytes(key, sizeof(key));
}

uint32_t *flame_match_functions(const struct report_profile *profile,
				const struct report_profile *other)
{
	const size_t count = profile->functions.count;
	uint32_t *same = memory_allocate((count + 1) * sizeof(*same));
	struct table indices = {0};
	uint64_t found;

	for (size_t i = 0; i < other->functions.count; i++)
		*table_insert(&indices, hash_function(other, &other->functions.items[i]),
			      NULL) = i;
	for (size_t i = 0; i < count; i++)
		same[i] = table_find(&indices,
				     hash_function(profile, &profile->functions.items[i]),
				     &found)
				  ? (uint32_t)found
				  : REPORT_NONE;
	table_deinit(&indices);
	return same;
}

double flame_change_of(uint64_t now, uint64_t before)
{
	const uint64_t most = now > before ? now : before;

	return most ? ((double)now - (double)before) / (double)most : 0;
}

void flame_add_change(struct text *out, uint64_t now, uint64_t before)
{
	const double times = before ? (double)now / (double)before : 0;

	if (now == before)
		text_add(out, "same");
	else if (!before)
		text_add(out, "new");
	else if (times >= 10)
		text_format(out, times < 100 ? "x%.1f" : "x%.0f", times);
	else
		text_format(out, "%+.1f %%", 100 * (times - 1));
}
