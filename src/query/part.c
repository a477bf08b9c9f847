#include "query/part.h"

void query_part_init(struct query_part *part, const struct query *query)
{
	*part = (struct query_part){.query = query};
	query_keys_init(&part->keys);
	query_keys_init(&part->strings);
	vector_for_each (&query->aggregates, aggregate) {
		vector_push(&part->offsets, part->stride);
		part->stride += aggregate->op->kind->size;
		vector_push(&part->known_at, 0);
	}
	part->totals = memory_allocate_zeroed(1, part->stride);
}

void query_part_deinit(struct query_part *part)
{
	for (size_t a = 0; a < part->offsets.count; a++) {
		void (*deinit)(void *state) =
			part->query->aggregates.items[a].op->kind->deinit;

		for (size_t g = 0; deinit && g < part->groups.count; g++)
			deinit(query_part_state(part, g, a));
	}
	vector_for_each (&part->runs, run) {
		vector_for_each (run, global)
			free(global->name);
		vector_deinit(run);
	}
	query_keys_deinit(&part->keys);
	query_keys_deinit(&part->strings);
	vector_deinit(&part->groups);
	vector_deinit(&part->group_of);
	vector_deinit(&part->states);
	vector_deinit(&part->included);
	vector_deinit(&part->known_at);
	vector_deinit(&part->exclusive);
	vector_deinit(&part->offsets);
	vector_deinit(&part->rows);
	vector_deinit(&part->cells);
	vector_deinit(&part->runs);
	free(part->totals);
}

static size_t add_group(struct query_part *part, uint32_t key)
{
	size_t number = part->groups.count;

	vector_push(&part->groups, key);
	/* One more byte, so that there is memory even without states. */
	vector_reserve(&part->states, (number + 1) * part->stride + 1);
	memset(part->states.items + number * part->stride, 0, part->stride);
	part->states.count = (number + 1) * part->stride;
	return number;
}

size_t query_part_group(struct query_part *part, uint32_t key)
{
	size_t known = part->group_of.count;

	if (key >= known) {
		vector_reserve(&part->group_of, part->keys.nodes.count);
		part->group_of.count = part->keys.nodes.count;
		memset(part->group_of.items + known, 0,
		       (part->group_of.count - known) * sizeof(uint32_t));
	}
	uint32_t *number = &part->group_of.items[key];

	if (!*number)
		*number = (uint32_t)add_group(part, key) + 1;
	return *number - 1;
}

/* The position of an attribute in a key. Like Caliper, a path keeps the order of
 * attributes of the context tree. */
static uint64_t order_of(const struct query_part *part, uint32_t attribute)
{
	const struct query_attribute *as = &part->keys.attributes.items[attribute];

	if (as->nested)
		return 0;
	return part->query->caliper && as->in_tree ? 1 : (uint64_t)attribute + 2;
}

uint32_t query_part_key(struct query_part *part, uint32_t key, uint32_t attribute,
			struct record_value value)
{
	uint64_t order = order_of(part, attribute);
	struct VECTOR(uint32_t) behind = {0};

	while (key && order_of(part, part->keys.nodes.items[key].attribute) > order) {
		vector_push(&behind, key);
		key = part->keys.nodes.items[key].parent;
	}
	key = query_keys_child(&part->keys, key, attribute, value);
	while (behind.count) {
		struct query_key_node node =
			part->keys.nodes.items[behind.items[--behind.count]];

		key = query_keys_child(&part->keys, key, node.attribute, node.value);
	}
	vector_deinit(&behind);
	return key;
}

uint32_t query_part_path(const struct query_part *part, uint32_t key)
{
	while (key && order_of(part, part->keys.nodes.items[key].attribute))
		key = part->keys.nodes.items[key].parent;
	return key;
}

struct translation {
	struct query_part *part;
	const struct query_part *other;
	struct VECTOR(uint32_t) attributes; /* by number in the other part */
	struct VECTOR(uint32_t) keys;
};

/* A key's parents have smaller numbers than it has. */
static void translate_keys(struct translation *translation)
{
	struct query_part *part = translation->part;
	const struct query_keys *keys = &translation->other->keys;

	vector_for_each (&keys->attributes, attribute)
		vector_push(
			&translation->attributes,
			query_keys_attribute(&part->keys, attribute->name, attribute));
	vector_push(&translation->keys, 0);
	for (size_t i = 1; i < keys->nodes.count; i++) {
		const struct query_key_node *node = &keys->nodes.items[i];

		vector_push(&translation->keys,
			    query_part_key(part, translation->keys.items[node->parent],
					   translation->attributes.items[node->attribute],
					   node->value));
	}
}

static void merge_states(struct query_part *part, size_t group,
			 const struct query_part *other, size_t other_group)
{
	for (size_t a = 0; a < part->offsets.count; a++) {
		const struct query_aggregate *aggregate =
			&part->query->aggregates.items[a];

		aggregate->op->kind->merge(query_part_state(part, group, a), aggregate,
					   query_part_state(other, other_group, a),
					   &part->keys);
	}
}

static void merge_rows(struct query_part *part, const struct translation *translation)
{
	const struct query_part *other = translation->other;
	size_t first = part->cells.count;

	vector_for_each (&other->rows, row) {
		struct query_raw_row moved = *row;

		moved.key = translation->keys.items[row->key];
		moved.first += first;
		vector_push(&part->rows, moved);
	}
	vector_for_each (&other->cells, cell) {
		struct query_cell moved = *cell;

		moved.attribute = translation->attributes.items[cell->attribute];
		vector_push(&part->cells, moved);
	}
}

static void merge_runs(struct query_part *part, const struct query_part *other)
{
	vector_for_each (&other->runs, run) {
		struct query_globals *copy = vector_add(&part->runs);

		vector_for_each (run, global)
			vector_push(copy, ((struct query_global){
						  memory_copy_string(global->name),
						  global->value, global->properties}));
	}
}

void query_part_merge(struct query_part *part, const struct query_part *other)
{
	struct translation translation = {.part = part, .other = other};

	translate_keys(&translation);
	for (size_t i = 0; i < other->groups.count; i++) {
		uint32_t key = translation.keys.items[other->groups.items[i]];

		merge_states(part, query_part_group(part, key), other, i);
	}
	merge_rows(part, &translation);
	merge_runs(part, other);
	vector_deinit(&translation.attributes);
	vector_deinit(&translation.keys);
}

static void add_totals(struct query_part *part)
{
	for (size_t a = 0; a < part->offsets.count; a++) {
		const struct query_aggregate *aggregate =
			&part->query->aggregates.items[a];

		if (!(aggregate->op->flags & QUERY_OF_TOTAL))
			continue;
		for (size_t g = 0; g < part->groups.count; g++)
			aggregate->op->kind->merge(
				part->totals + part->offsets.items[a], aggregate,
				query_part_state(part, g, a), &part->keys);
	}
}

/* The key without the innermost attribute of its path; false if it has no path. */
static bool parent_key(struct query_part *part, uint32_t key, uint32_t *ret_parent)
{
	struct VECTOR(uint32_t) behind = {0};
	uint32_t at = key, path = query_part_path(part, key);

	if (!path)
		return false;
	for (; at != path; at = part->keys.nodes.items[at].parent)
		vector_push(&behind, at);
	at = part->keys.nodes.items[path].parent;
	while (behind.count) {
		struct query_key_node node =
			part->keys.nodes.items[behind.items[--behind.count]];

		at = query_keys_child(&part->keys, at, node.attribute, node.value);
	}
	vector_deinit(&behind);
	*ret_parent = at;
	return true;
}

void query_part_include(struct query_part *part, uint32_t key)
{
	uint32_t above;

	while (parent_key(part, key, &above) && query_part_path(part, above)) {
		query_part_group(part, above);
		key = above;
	}
}

/* Counts by key the attributes of its path; free() the result. */
static uint32_t *measure_paths(const struct query_part *part)
{
	const struct query_keys *keys = &part->keys;
	uint32_t *depths = memory_allocate_zeroed(keys->nodes.count, sizeof(*depths));

	for (size_t key = 1; key < keys->nodes.count; key++)
		depths[key] = depths[keys->nodes.items[key].parent] +
			      !order_of(part, keys->nodes.items[key].attribute);
	return depths;
}

static void add_to_parent(struct query_part *part, size_t group, size_t parent)
{
	for (size_t a = 0; a < part->offsets.count; a++) {
		const struct query_aggregate *aggregate =
			&part->query->aggregates.items[a];

		if (aggregate->op->flags & QUERY_INCLUSIVE)
			aggregate->op->kind->merge(
				query_part_state(part, parent, a), aggregate,
				query_part_state(part, group, a), &part->keys);
	}
}

struct level VECTOR(size_t);

/* Includes groups from the deepest up, so that each is complete when it is added to the
 * one above; groups without records are added. The empty path gets none. */
static void include_groups(struct query_part *part)
{
	struct VECTOR(struct level) levels = {0};
	uint32_t *depths = measure_paths(part);

	for (size_t g = 0; g < part->groups.count; g++) {
		size_t depth = depths[part->groups.items[g]];

		while (levels.count <= depth)
			vector_add(&levels);
		vector_push(&levels.items[depth], g);
	}
	for (size_t depth = levels.count; depth-- > 2;) {
		vector_for_each (&levels.items[depth], group) {
			uint32_t key;

			if (!parent_key(part, part->groups.items[*group], &key))
				continue;
			size_t before = part->groups.count;
			size_t parent = query_part_group(part, key);

			if (parent == before)
				vector_push(&levels.items[depth - 1], parent);
			add_to_parent(part, *group, parent);
		}
	}
	free(depths);
	vector_for_each (&levels, level)
		vector_deinit(level);
	vector_deinit(&levels);
}

void query_part_finish(struct query_part *part)
{
	bool inclusive = false;

	add_totals(part);
	vector_for_each (&part->query->aggregates, aggregate)
		inclusive |= (aggregate->op->flags & QUERY_INCLUSIVE) != 0;
	if (!inclusive)
		return;
	vector_reserve(&part->exclusive, part->states.count + 1);
	memcpy(part->exclusive.items, part->states.items, part->states.count);
	part->exclusive.count = part->states.count;
	include_groups(part);
}
