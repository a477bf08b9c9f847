#include "store/total.h"

#include "base/table.h"
#include "base/text.h"
#include "base/vector.h"

struct total {
	int64_t function, whole, runs;
	double sum, squares, least, most;
	bool overflow;
};

struct totals {
	struct VECTOR(struct total) items;
	struct table by_function; /* index in `items` + 1 */
};

static void add_value(struct totals *totals, const struct sql_rows *rows)
{
	const double value = sql_real(rows, 1);
	uint64_t *index =
		table_insert(&totals->by_function, (uint64_t)sql_int(rows, 0), NULL);

	if (!*index) {
		*vector_add(&totals->items) = (struct total){
			.function = sql_int(rows, 0), .least = value, .most = value};
		*index = totals->items.count;
	}
	struct total *total = &totals->items.items[*index - 1];

	total->overflow |=
		__builtin_add_overflow(total->whole, sql_int(rows, 1), &total->whole);
	total->sum += value;
	total->squares += value * value;
	total->least = value < total->least ? value : total->least;
	total->most = value > total->most ? value : total->most;
	total->runs++;
}

static struct trm_error *read_totals(struct sql *sql, const struct store_event *event,
				     const char *chosen, struct totals *totals)
{
	struct sql_rows rows;
	struct text ask = {0};
	struct trm_error *error;
	bool more = true;

	text_format(&ask,
		    "SELECT s.function, s.value FROM temp.%s c CROSS JOIN sums s"
		    " ON s.run=c.run WHERE s.event=?",
		    chosen);
	error = sql_ask_many(sql, &rows, sql_keep(sql, ask.data), "i", event->id);
	text_deinit(&ask);
	while (!error) {
		error = sql_next(&rows, &more);
		if (error || !more)
			break;
		add_value(totals, &rows);
	}
	return error;
}

static struct trm_error *keep_total(struct sql *sql, const struct store_event *event,
				    const struct total *total, int64_t side)
{
	static const char insert[] =
		"INSERT INTO temp.totals VALUES(?, ?, ?, ?, ?, ?, ?)";

	if (event->real)
		return sql_run(sql, insert, "iiddddi", side, total->function, total->sum,
			       total->squares, total->least, total->most, total->runs);
	if (total->overflow)
		return trm_error_create(TRM_ERROR_LIMIT,
					"'%s': a sum of %s exceeds 2^63 - 1, the largest "
					"number that the database holds: choose fewer "
					"runs",
					sql_path(sql), event->name);
	return sql_run(sql, insert, "iiidddi", side, total->function, total->whole,
		       total->squares, total->least, total->most, total->runs);
}

struct trm_error *total_functions(struct sql *sql, const struct store_event *event,
				  const char *chosen, int64_t side)
{
	struct totals totals = {0};
	struct trm_error *error;

	TRM_TRY(sql_script(sql, "CREATE TEMP TABLE IF NOT EXISTS totals(side INTEGER,"
				" function INTEGER, value /*number*/,"
				" squares DOUBLE PRECISION, least DOUBLE PRECISION,"
				" most DOUBLE PRECISION, runs INTEGER,"
				" PRIMARY KEY(function, side))"
				" WITHOUT ROWID"));
	TRM_TRY(sql_run(sql, "DELETE FROM temp.totals WHERE side=?", "i", side));
	error = read_totals(sql, event, chosen, &totals);
	vector_for_each (&totals.items, total)
		if (!error)
			error = keep_total(sql, event, total, side);
	vector_deinit(&totals.items);
	table_deinit(&totals.by_function);
	return error;
}
