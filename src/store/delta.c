#include "store/delta.h"

#include "store/store.h"

void deltas_add(struct deltas *deltas, int64_t event, int64_t function, int64_t value)
{
	const int64_t pair[] = {event, function};
	uint64_t *index =
		table_insert(&deltas->by_pair, hash_bytes(pair, sizeof(pair)), NULL);
	struct delta *delta;

	if (!*index) {
		vector_push(&deltas->items, ((struct delta){event, function, 0}));
		*index = deltas->items.count;
	}
	delta = &deltas->items.items[*index - 1];
	deltas->useless |= __builtin_add_overflow(delta->value, value, &delta->value);
}

struct trm_error *deltas_apply(const struct deltas *deltas, struct sql *sql, int64_t run)
{
	if (deltas->useless)
		return store_sum_runs(sql, run, run);
	vector_for_each (&deltas->items, delta)
		TRM_TRY(sql_run(sql,
				"INSERT INTO sums VALUES(?, ?, ?, ?)"
				" ON CONFLICT(event, run, function) DO UPDATE"
				" SET value=sums.value + excluded.value",
				"iiii", delta->event, run, delta->function,
				delta->value));
	return NULL;
}

void deltas_deinit(struct deltas *deltas)
{
	vector_deinit(&deltas->items);
	table_deinit(&deltas->by_pair);
}
