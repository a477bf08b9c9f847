#include "query/format/paths.h"

#include "base/array.h"
#include "record/value.h"

/* A node of the tree. */
struct item {
	uint32_t key;
	size_t parent; /* items[0] is the root */
	size_t first;  /* row that decides where it is among its siblings */
	size_t row;    /* its first row, SIZE_MAX: none */
	size_t last;   /* its last row */
	size_t child;  /* its first child, SIZE_MAX: none */
	size_t next;   /* its next sibling */
};

struct items {
	const struct query_result *result;
	struct VECTOR(struct item) list;
	size_t *of_key;   /* by key: number of the item, 0: none */
	size_t *next_row; /* by row: the next row of its item */
};

static size_t add_item(struct items *items, uint32_t key)
{
	const struct query_keys *keys = &items->result->part->keys;
	size_t above = items->list.count;

	/* Keys above a path are paths, too. */
	for (uint32_t at = key; at && !items->of_key[at];
	     at = keys->nodes.items[at].parent) {
		items->of_key[at] = items->list.count;
		vector_push(&items->list, ((struct item){at, 0, SIZE_MAX, SIZE_MAX, 0,
							 SIZE_MAX, SIZE_MAX}));
	}
	for (size_t i = above; i < items->list.count; i++) {
		struct item *item = &items->list.items[i];

		item->parent = items->of_key[keys->nodes.items[item->key].parent];
	}
	return items->of_key[key];
}

static void add_rows(struct items *items)
{
	for (size_t r = 0; r < items->result->rows.count; r++) {
		size_t number = add_item(items, items->result->rows.items[r].path);
		struct item *item = &items->list.items[number];

		items->next_row[r] = SIZE_MAX;
		if (item->row == SIZE_MAX)
			item->row = item->first = r;
		else
			items->next_row[item->last] = r;
		item->last = r;
	}
}

struct place {
	size_t first, item;
};

COMPARE_BY_TWO(compare_places, struct place, first, item);

/* A node without a row is where the first one below it is. Where a new chain of nodes
 * was added, parents are behind their children. */
static void place_items(struct items *items)
{
	size_t count = items->list.count;

	for (size_t i = 1; i < count; i++) {
		struct item *item = &items->list.items[i];
		size_t first = item->first;

		if (item->row == SIZE_MAX)
			continue;
		for (item = &items->list.items[item->parent];
		     item->row == SIZE_MAX && item->first > first && item->key;
		     item = &items->list.items[item->parent])
			item->first = first;
	}
}

static void link_items(struct items *items)
{
	size_t count = items->list.count;
	struct place *places = memory_allocate(count * sizeof(*places));

	for (size_t i = 0; i < count; i++)
		places[i] = (struct place){items->list.items[i].first, i};
	qsort(places, count, sizeof(*places), compare_places);
	/* From last to first, each before those already there. */
	for (size_t i = count; i-- > 0;) {
		struct item *item = &items->list.items[places[i].item];

		if (!places[i].item)
			continue;
		item->next = items->list.items[item->parent].child;
		items->list.items[item->parent].child = places[i].item;
	}
	free(places);
}

static size_t add_lines(struct query_lines *lines, const struct items *items,
			const struct item *item, struct query_line line)
{
	size_t line_number = lines->count;

	line.key = item->key;
	if (item->row == SIZE_MAX && item->key)
		vector_push(lines, line);
	for (size_t r = item->row; r != SIZE_MAX; r = items->next_row[r]) {
		line.row = &items->result->rows.items[r];
		vector_push(lines, line);
	}
	return line_number;
}

static void walk_items(struct query_lines *lines, const struct items *items)
{
	/* The nodes above, and their lines. */
	struct VECTOR(size_t) above = {0};
	size_t at = items->list.items[0].child;

	add_lines(lines, items, &items->list.items[0],
		  (struct query_line){.parent = SIZE_MAX});
	while (at != SIZE_MAX || above.count) {
		if (at == SIZE_MAX) {
			/* Behind the last child comes the next sibling of its parent. */
			above.count--;
			at = above.items[--above.count];
			at = items->list.items[at].next;
			continue;
		}
		const struct item *item = &items->list.items[at];
		size_t depth = above.count / 2;
		size_t line = add_lines(
			lines, items, item,
			(struct query_line){.depth = depth,
					    .parent = depth ? above.items[above.count - 1]
							    : SIZE_MAX});

		vector_push(&above, at);
		vector_push(&above, line);
		at = item->child;
	}
	vector_deinit(&above);
}

void query_lines_make(struct query_lines *lines, const struct query_result *result)
{
	struct items items = {.result = result};

	items.of_key = memory_allocate_zeroed(result->part->keys.nodes.count,
					      sizeof(*items.of_key));
	items.next_row = memory_allocate((result->rows.count + 1) * sizeof(size_t));
	vector_push(&items.list,
		    ((struct item){0, 0, SIZE_MAX, SIZE_MAX, 0, SIZE_MAX, SIZE_MAX}));
	add_rows(&items);
	place_items(&items);
	link_items(&items);
	walk_items(lines, &items);
	vector_deinit(&items.list);
	free(items.of_key);
	free(items.next_row);
}

void query_leave_out_paths(struct query_result *result)
{
	vector_for_each (&result->columns, column)
		column->unread |= column->kind == QUERY_COLUMN_PATH;
}

/* Adds the last component of a path. */
static void add_label(struct text *out, const struct query_result *result, uint32_t key)
{
	if (key)
		record_value_text(out, result->part->keys.nodes.items[key].value);
}

void query_add_line_label(struct text *out, const struct query_result *result,
			  const struct query_line *line)
{
	text_add(out, "");
	if (line->depth > QUERY_INDENTED_LEVELS) {
		text_add(out, "(");
		text_add_grouped(out, line->depth + 1);
		text_add(out, ") ");
	}
	add_label(out, result, line->key);
}
