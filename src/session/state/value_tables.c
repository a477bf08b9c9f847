#include "session/state/value_tables.h"

/* The row of a value in a list, which is made if need be; in the place of the last one if
 * the list is full. Rows are in the order of their counts. */
static void count_value(struct value_count *list, unsigned int size, uint64_t value)
{
	unsigned int at = 0;

	while (at < size && list[at].count && list[at].value != value)
		at++;
	if (at == size)
		list[--at].count = 0;
	list[at].value = value;
	list[at].count++;
	for (; at && list[at].count > list[at - 1].count; at--) {
		const struct value_count moved = list[at];

		list[at] = list[at - 1];
		list[at - 1] = moved;
	}
}

static struct value_row *find_row(struct value_tables *tables,
				  const struct value_key *key)
{
	const uint64_t hash = hash_bytes(key, sizeof(*key));
	uint64_t index;

	if (table_find(&tables->by_key, hash, &index))
		return &tables->rows.items[index];
	if (tables->rows.count == VALUE_ROWS_MAX) {
		tables->lost++;
		return NULL;
	}
	*table_insert(&tables->by_key, hash, NULL) = tables->rows.count;

	struct value_row *row = vector_add(&tables->rows);

	row->key = *key;
	return row;
}

void value_tables_add(struct value_tables *tables, const struct value_seen *seen)
{
	struct value_row *row = find_row(tables, &seen->key);

	if (!row)
		return;
	row->seen++;
	row->zeros += !seen->value;
	count_value(row->top, VALUE_TOP, seen->value);
	if (row->seen % VALUE_CLEAR_EVERY == 0)
		memset(row->top + VALUE_STEADY, 0,
		       (VALUE_TOP - VALUE_STEADY) * sizeof(row->top[0]));
	if (!seen->has_last)
		return;
	row->pairs++;
	row->same += seen->value == seen->last;
	count_value(row->strides, VALUE_STRIDES, seen->value - seen->last);
}

void value_tables_deinit(struct value_tables *tables)
{
	vector_deinit(&tables->rows);
	table_deinit(&tables->by_key);
}
