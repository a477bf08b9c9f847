#include "store/fold.h"

#include "base/vector.h"
#include "record/model.h"
#include "store/context_store.h"

#include <string.h>

struct trm_error *fold_begin(struct sql *sql)
{
	return sql_script(sql, "CREATE TEMP TABLE IF NOT EXISTS folded"
			       "(context INTEGER PRIMARY KEY, into_context INTEGER);"
			       "DELETE FROM temp.folded");
}

/* A context of which the address goes. */
struct seldom {
	int64_t id, node, function;
	struct text form, keys;
};
struct seldoms VECTOR(struct seldom);

static void free_seldoms(struct seldoms *seldoms)
{
	vector_for_each (seldoms, seldom) {
		text_deinit(&seldom->form);
		text_deinit(&seldom->keys);
	}
	vector_deinit(seldoms);
}

/* Those of the runs that have few samples of an event. */
static struct trm_error *find_seldom(struct sql *sql, int64_t event, int64_t least,
				     struct seldoms *ret_seldoms)
{
	struct sql_rows rows;
	bool more = true;

	TRM_TRY(sql_ask(sql, &rows,
			"SELECT x.id, x.node, x.function, x.form, x.keys FROM sources s"
			" CROSS JOIN counts c ON c.source=s.id"
			" JOIN contexts x ON x.id=c.context"
			" WHERE s.run IN (SELECT run FROM temp.grouped) AND c.event=?"
			" GROUP BY x.id HAVING sum(c.value) < ?",
			"ii", event, least));
	while (more) {
		struct seldom *seldom;
		size_t size;

		TRM_TRY(sql_next(&rows, &more));
		if (!more)
			break;
		seldom = vector_add(ret_seldoms);
		seldom->id = sql_int(&rows, 0);
		seldom->node = sql_int(&rows, 1);
		seldom->function = sql_int(&rows, 2);
		text_add(&seldom->form, sql_text(&rows, 3));
		const void *keys = sql_bytes(&rows, 4, &size);

		text_add_bytes(&seldom->keys, keys ? keys : "", size);
	}
	return NULL;
}

/* The keys without the address; false: they have none. */
static struct trm_error *leave_address(struct context_finder *finder,
				       struct context_names *names,
				       const struct seldom *seldom, struct text *ret_keys,
				       int64_t *ret_offset, bool *ret_had)
{
	struct context_pairs pairs = {0};
	struct trm_error *error = context_finder_unpack(finder, seldom->keys.data,
							seldom->keys.length, &pairs);

	*ret_had = false;
	text_add(ret_keys, "");
	for (size_t i = 0; i < pairs.count && !error; i++) {
		const struct record_pair *pair = &pairs.items[i];
		const char *name = record_attribute_name(finder->model, pair->attribute);

		if (!strcmp(name, "offset"))
			*ret_offset = pair->value.i;
		if (!strcmp(name, "sample.address"))
			*ret_had = true;
		else
			error = context_names_pack(names, pair, ret_keys);
	}
	vector_deinit(&pairs);
	return error;
}

static struct trm_error *fold_one(struct sql *sql, struct context_finder *finder,
				  struct context_names *names,
				  const struct seldom *seldom)
{
	struct text keys = {0};
	int64_t into = -1, offset = -1;
	bool had;
	struct trm_error *error =
		leave_address(finder, names, seldom, &keys, &offset, &had);

	if (!error && had)
		error = sql_number(sql, -1, &into,
				   "SELECT id FROM contexts WHERE function=? AND node=?"
				   " AND form=? AND keys=? AND DIGEST(form)=DIGEST(?3)"
				   " AND DIGEST(keys)=DIGEST(?4)",
				   "iitb", seldom->function, seldom->node,
				   seldom->form.data, keys.data, keys.length);
	if (!error && had && into < 0)
		error = sql_number(sql, -1, &into,
				   "INSERT INTO contexts(node, function, form, keys,"
				   " address) VALUES(?, ?, ?, ?,"
				   " nullif(CAST(? AS BIGINT), -1)) RETURNING id",
				   "iitbi", seldom->node, seldom->function,
				   seldom->form.data, keys.data, keys.length, offset);
	if (!error && had)
		error = sql_run(sql,
				"INSERT INTO temp.folded VALUES(?, ?)"
				" ON CONFLICT DO NOTHING",
				"ii", seldom->id, into);
	text_deinit(&keys);
	return error;
}

static struct trm_error *fold_event(struct sql *sql, int64_t event, int64_t least)
{
	struct record_model *model = record_model_create();
	struct context_finder finder = {.sql = sql, .model = model};
	struct context_names names = {.sql = sql, .model = model};
	struct seldoms seldoms = {0};
	struct trm_error *error = find_seldom(sql, event, least, &seldoms);

	vector_for_each (&seldoms, seldom)
		if (!error)
			error = fold_one(sql, &finder, &names, seldom);
	free_seldoms(&seldoms);
	context_finder_deinit(&finder);
	context_names_deinit(&names);
	record_model_destroy(model);
	return error;
}

/* Samples of an event, and all of them. */
struct sampled {
	int64_t event, total;
};

struct trm_error *fold_addresses(struct sql *sql, int64_t shares)
{
	struct VECTOR(struct sampled) events = {0};
	struct sql_rows rows;
	struct trm_error *error;
	bool more = true;

	error = sql_ask(sql, &rows,
			"SELECT e.id, sum(s.value) FROM events e"
			" CROSS JOIN temp.grouped g ON true CROSS JOIN sums s"
			" ON s.event=e.id AND s.run=g.run WHERE e.sampled=1"
			" GROUP BY e.id",
			"");
	while (!error && more) {
		error = sql_next(&rows, &more);
		if (!error && more)
			vector_push(&events, ((struct sampled){sql_int(&rows, 0),
							       sql_int(&rows, 1)}));
	}
	vector_for_each (&events, event)
		if (!error)
			error = fold_event(sql, event->event, event->total / shares);
	vector_deinit(&events);
	return error;
}
