/* From the records of a file to groups and rows. */
#include "query/feed.h"

#include "query/format.h"
#include "query/functions.h"
#include "query/match.h"
#include "query/part.h"
#include "record/model.h"
#include "record/value.h"

#include <string.h>

/* Rows that are printed together, where they need not be kept. */
enum { ROWS_AT_ONCE = 1 << 14, BYTES_AT_ONCE = 1 << 20 };

/* A bit for each field. */
typedef unsigned __int128 field_set;

_Static_assert(QUERY_FIELDS_MAX <= 8 * sizeof(field_set), "a bit for each field");

static inline int first_field(field_set fields)
{
	uint64_t low = (uint64_t)fields;

	return low ? __builtin_ctzll(low)
		   : 64 + __builtin_ctzll((uint64_t)(fields >> 64));
}

/* An attribute of the file, as the query sees it. */
struct bound {
	uint32_t attribute; /* of the part's keys */
	field_set fields;   /* fields whose attribute it is */
	bool nested;
	bool keyed;  /* groups are told apart by it */
	bool metric; /* how many values of something the record has together */
	bool shown;  /* a cell of rows */
};

/* A node of the context tree with what follows from the nodes above it. */
struct fed_node {
	uint32_t key;
	bool holds;     /* some field's value is in the tree */
	uint64_t tests; /* tests that a value in the tree passes, as bits */
};

/* End of a node's value in the text of a path. */
struct path_end {
	record_node node;
	size_t length;
};

struct feed {
	struct query_part *part;
	const struct query *query;
	struct record_model *model;
	size_t fields;
	struct VECTOR(struct bound) attributes; /* by number in the model */
	struct VECTOR(struct fed_node) nodes;   /* by number in the model */
	struct VECTOR(
		record_node) holders;     /* `fields` a node: which node has the value */
	struct VECTOR(int64_t) let_keys;  /* by item of query.lets: key attribute or -1 */
	struct VECTOR(int64_t) let_cells; /* attributes of LET, as cells of rows */
	struct VECTOR(struct record_pair) keyed;  /* of the record at hand */
	struct VECTOR(struct record_pair) passed; /* pairs for the sink */
	const record_node *paths;                 /* of the record at hand, or NULL */
	size_t path_count;
	struct record_value values[QUERY_FIELDS_MAX];
	field_set known;       /* fields that an attribute of the files is */
	int count_field;       /* of the attribute `count`, or QUERY_NO_FIELD */
	field_set present;     /* fields that the record itself has */
	field_set let_present; /* fields that LET has computed */
	uint64_t tests;        /* of its node */
	struct text path;      /* the last path that was asked for */
	struct VECTOR(struct path_end) path_ends; /* its nodes */
};

static struct path_end *last_end(const struct feed *feed)
{
	return &feed->path_ends.items[feed->path_ends.count - 1];
}

static bool is_nested(const struct query *query, const char *name, uint32_t properties)
{
	if (!query->path.count)
		return properties & RECORD_NESTED;
	vector_for_each (&query->path, attribute)
		if (query_is_name(*attribute, name))
			return true;
	return false;
}

static bool is_keyed(const struct query *query, const struct query_attribute *as)
{
	if (query->grouping == QUERY_GROUP_USUAL)
		return as->in_tree && (query->caliper || (!as->hidden && !as->global));
	if (query->groups_path && as->nested)
		return true;
	vector_for_each (&query->keys, key)
		if (query_is_key(*key, as))
			return true;
	return false;
}

/* Whether rows need the attribute. */
static bool is_shown(const struct query *query, const char *name,
		     const struct query_attribute *as)
{
	vector_for_each (&query->columns, column) {
		if (column->kind == QUERY_COLUMN_ALL &&
		    (query->shows_all || (!as->hidden && !as->global)))
			return true;
		if (column->kind == QUERY_COLUMN_PATH && as->nested)
			return true;
		if (column->kind == QUERY_COLUMN_ATTRIBUTE &&
		    query_is_name(column->name, name))
			return true;
	}
	return query->format->has_path && as->nested;
}

/* More than one, where a query names it in two ways. */
static field_set fields_of(const struct query *query, const char *name)
{
	field_set bit = 1, fields = 0;

	vector_for_each (&query->fields, field) {
		if (field->kind == QUERY_FIELD_ATTRIBUTE &&
		    query_is_name(field->name, name))
			fields |= bit;
		bit <<= 1;
	}
	return fields;
}

/* `as` has what the file says of the attribute. */
static struct bound bind_named(struct feed *feed, const char *name,
			       struct query_attribute as)
{
	const struct query *query = feed->query;
	bool rows = !query_is_aggregating(query);

	as.nested = is_nested(query, name, as.properties);
	as.hidden = as.properties & RECORD_HIDDEN;
	as.global = as.properties & RECORD_GLOBAL;
	as.in_tree = !(as.properties & (RECORD_AS_VALUE | RECORD_AGGREGATABLE));
	as.iteration |= !strncmp(name, "iteration#", strlen("iteration#"));
	struct bound bound = {
		.attribute = query_keys_attribute(&feed->part->keys, name, &as),
		.fields = fields_of(query, name),
	};

	/* The description by an earlier file is kept. */
	as = feed->part->keys.attributes.items[bound.attribute];
	bound.nested = as.nested;
	bound.metric = !strncmp(name, "count#", strlen("count#"));
	bound.shown = rows && is_shown(query, name, &as);
	bound.keyed = !rows && is_keyed(query, &as);
	return bound;
}

/* Adds a name and a value to the metadata of an attribute. */
static void add_said(struct text *said, const char *name, struct record_value value)
{
	struct text text = {0};

	record_value_text(&text, value);
	if (*name) {
		text_add_bytes(said, name, strlen(name) + 1);
		text_add_bytes(said, text.data ? text.data : "",
			       text.data ? strlen(text.data) + 1 : 1);
	}
	text_deinit(&text);
}

static struct bound bind_attribute(struct feed *feed, record_attribute id)
{
	struct query_keys *keys = &feed->part->keys;
	struct text other = {0};
	struct query_attribute as = {
		.type = record_attribute_type(feed->model, id),
		.properties = record_attribute_properties(feed->model, id),
	};

	for (size_t i = 0; i < record_attribute_descriptions(feed->model, id); i++) {
		struct record_pair said =
			record_attribute_description(feed->model, id, i);
		const char *key = record_attribute_name(feed->model, said.attribute);
		bool text = said.value.type == RECORD_STRING;

		if (!strcmp(key, "class.iteration"))
			as.iteration |= !text && said.value.u;
		else if (text && !strcmp(key, "attribute.alias"))
			as.alias = query_keys_keep(keys, said.value).bytes;
		else if (text && !strcmp(key, "attribute.unit"))
			as.unit = query_keys_keep(keys, said.value).bytes;
		if (strcmp(key, "attribute.alias") && strcmp(key, "attribute.unit") &&
		    !(record_attribute_properties(feed->model, said.attribute) &
		      RECORD_HIDDEN))
			add_said(&other, key, said.value);
	}
	if (other.length) {
		text_add_bytes(&other, "", 1);
		as.said =
			query_keys_keep(keys, (struct record_value){.type = RECORD_STRING,
								    .size = other.length,
								    .bytes = other.data})
				.bytes;
	}
	text_deinit(&other);
	return bind_named(feed, record_attribute_name(feed->model, id), as);
}

/* Adds to the text of a path the nodes of its end, down to this one. */
static void add_to_path(struct feed *feed, record_node node)
{
	struct text *text = &feed->path;
	struct record_pair pair = record_node_pair(feed->model, node);

	text_add(text, feed->path_ends.count ? "/" : "");
	record_value_text(text, pair.value);
	vector_push(&feed->path_ends, ((struct path_end){node, text->length}));
}

/* The path that ends with this node, "a/b/c". Nodes come behind those above them, so it
 * mostly begins like the last one. */
static const char *path_of(struct feed *feed, record_node node)
{
	struct VECTOR(record_node) missing = {0};

	for (;; node = record_node_parent(feed->model, node)) {
		while (feed->path_ends.count && last_end(feed)->node > node)
			feed->path_ends.count--;
		if (!node || (feed->path_ends.count && last_end(feed)->node == node))
			break;
		if (feed->attributes.items[record_node_pair(feed->model, node).attribute]
			    .nested)
			vector_push(&missing, node);
	}
	feed->path.length = feed->path_ends.count ? last_end(feed)->length : 0;
	text_add(&feed->path, "");
	while (missing.count)
		add_to_path(feed, missing.items[--missing.count]);
	vector_deinit(&missing);
	return feed->path.data;
}

/* The tests that values in the tree pass at a node; `above`: those of its parent. */
static uint64_t test_node(struct feed *feed, record_node node, const struct bound *bound,
			  struct record_value value, uint64_t above)
{
	uint64_t bit = 1;

	vector_for_each (&feed->query->tests, test) {
		const struct query_field *field = &feed->query->fields.items[test->field];

		if (field->kind == QUERY_FIELD_PATH && bound->nested)
			above = query_test_passes(test,
						  record_string(path_of(feed, node)))
					? above | bit
					: above & ~bit;
		else if (bound->fields >> test->field & 1 && !(above & bit) &&
			 query_test_passes(test, value))
			above |= bit;
		bit <<= 1;
	}
	return above;
}

static void hold_node(struct feed *feed, record_node node, record_node parent,
		      const struct bound *bound)
{
	record_node *holders = feed->holders.items + feed->fields * node;
	const record_node *above = feed->holders.items + feed->fields * parent;
	struct fed_node *fed = &feed->nodes.items[node];

	fed->holds = feed->nodes.items[parent].holds;
	for (size_t f = 0; f < feed->fields; f++) {
		bool leaf = bound->nested &&
			    feed->query->fields.items[f].kind == QUERY_FIELD_LEAF;

		holders[f] = leaf || (bound->fields >> f & 1) ? node : above[f];
		fed->holds |= holders[f] != 0;
	}
}

static void add_node(struct feed *feed, record_node node)
{
	struct record_pair pair = record_node_pair(feed->model, node);
	record_node parent = record_node_parent(feed->model, node);
	const struct bound *bound = &feed->attributes.items[pair.attribute];
	struct fed_node *fed = vector_add(&feed->nodes);
	const struct fed_node *above = &feed->nodes.items[parent];

	fed->key = bound->keyed || bound->shown
			   ? query_part_key(feed->part, above->key, bound->attribute,
					    pair.value)
			   : above->key;
	fed->tests = test_node(feed, node, bound, pair.value, above->tests);
	vector_reserve(&feed->holders, (node + 1) * feed->fields);
	feed->holders.count = (node + 1) * feed->fields;
	hold_node(feed, node, parent, bound);
}

static void learn_definitions(struct feed *feed)
{
	while (feed->attributes.count < record_attribute_count(feed->model)) {
		struct bound bound =
			bind_attribute(feed, (record_attribute)feed->attributes.count);

		vector_push(&feed->attributes, bound);
		feed->known |= bound.fields;
	}
	while (feed->nodes.count < record_node_count(feed->model))
		add_node(feed, (record_node)feed->nodes.count);
}

static bool test_holds(const struct feed *feed, int index)
{
	const struct query_test *test = &feed->query->tests.items[index];

	if (feed->tests >> index & 1)
		return true;
	return feed->present >> test->field & 1 &&
	       query_test_passes(test, feed->values[test->field]);
}

static bool holds_condition(const struct feed *feed, int index)
{
	const struct query_condition *condition = &feed->query->conditions.items[index];

	switch (condition->kind) {
	case QUERY_TEST:
		return test_holds(feed, condition->left);
	case QUERY_NOT:
		return !holds_condition(feed, condition->left);
	case QUERY_AND:
		return holds_condition(feed, condition->left) &&
		       holds_condition(feed, condition->right);
	default:
		return holds_condition(feed, condition->left) ||
		       holds_condition(feed, condition->right);
	}
}

/* The type of what a function of LET gives: that of the first of its arguments that is
 * there, or double. */
static enum record_type let_type(const struct feed *feed, const struct query_let *let)
{
	const struct query *query = feed->query;
	const struct query_expression *expression =
		&query->expressions.items[let->expression];

	if (!expression->function || expression->function->real)
		return RECORD_DOUBLE;
	for (int i = 0; i < expression->count; i++) {
		int field = query->expressions
				    .items[query->arguments.items[expression->first + i]]
				    .field;

		if (field == QUERY_NO_FIELD || !query_is_there(feed->values[field]))
			continue;
		return feed->values[field].type;
	}
	return RECORD_DOUBLE;
}

/* The number in that type, if it holds it. */
static struct record_value as_type(struct record_value value, enum record_type type)
{
	struct record_value number = query_number(value);

	if (value.type == type || !query_is_there(number))
		return value;
	if (type == RECORD_INT && number.type != RECORD_DOUBLE && number.u <= INT64_MAX)
		return record_int(number.i);
	return type == RECORD_UINT && number.type == RECORD_UINT
		       ? number
		       : query_double(query_as_double(number));
}

static void compute_lets(struct feed *feed)
{
	feed->let_present = 0;
	vector_for_each (&feed->query->lets, let) {
		if (let->condition != QUERY_NO_CONDITION &&
		    !holds_condition(feed, let->condition))
			continue;
		struct record_value value =
			query_evaluate(feed->query, let->expression, feed->values);

		if (!query_is_there(value))
			continue;
		if (feed->query->caliper)
			value = as_type(value, let_type(feed, let));
		feed->values[let->field] = value;
		feed->let_present |= (field_set)1 << let->field;
		feed->present |= (field_set)1 << let->field;
	}
}

/* Values of fields from the tree: the innermost ones. */
static void take_held(struct feed *feed, record_node node)
{
	const record_node *holders = feed->holders.items + feed->fields * node;

	for (size_t f = 0; f < feed->fields; f++)
		if (holders[f])
			feed->values[f] = record_node_pair(feed->model, holders[f]).value;
}

static void take_fields(struct feed *feed, record_node node,
			const struct record_pair *pairs, size_t count)
{
	bool metric = false;

	for (size_t f = 0; f < feed->fields; f++)
		feed->values[f].type = QUERY_NOTHING;
	feed->present = 0;
	feed->keyed.count = 0;
	if (feed->nodes.items[node].holds)
		take_held(feed, node);
	for (const struct record_pair *pair = pairs; pair < pairs + count; pair++) {
		const struct bound *bound = &feed->attributes.items[pair->attribute];

		feed->present |= bound->fields;
		for (field_set bits = bound->fields; bits; bits &= bits - 1)
			feed->values[first_field(bits)] = pair->value;
		if (bound->keyed)
			vector_push(&feed->keyed, *pair);
		metric |= bound->metric;
	}
	/* A record of a metric is about what others count. */
	if (feed->count_field != QUERY_NO_FIELD &&
	    !query_is_there(feed->values[feed->count_field]))
		feed->values[feed->count_field] = metric ? query_none() : query_nothing();
}

/* Adds partial values from an earlier query's groups instead of the displayed results. */
static bool add_partials(struct feed *feed, void *state,
			 const struct query_aggregate *aggregate)
{
	const struct query_partial *partial = aggregate->op->partials;
	bool any = false;

	for (int i = 0; partial && partial->name; i++, partial++) {
		int field = aggregate->partials[i];

		if (field == QUERY_NO_FIELD)
			continue;
		struct record_value value = query_number(feed->values[field]);

		if (!query_is_there(value))
			continue;
		partial->add(state, value);
		any = true;
	}
	return any;
}

/* As Caliper does, the groups of the paths above are made at once, if something is to be
 * included there. */
static void include_parents(struct feed *feed, uint32_t key, size_t group)
{
	struct query_part *part = feed->part;
	bool any = false;

	while (part->included.count <= group)
		vector_push(&part->included, false);
	if (part->included.items[group])
		return;
	vector_for_each (&feed->query->aggregates, aggregate) {
		bool has = !aggregate->op->fields;

		for (int i = 0; i < aggregate->op->fields; i++)
			has |= query_is_there(feed->values[aggregate->fields[i]]);
		if (aggregate->again != QUERY_NO_FIELD)
			has |= query_is_there(feed->values[aggregate->again]);
		any |= has && aggregate->op->flags & QUERY_INCLUSIVE;
	}
	part->included.items[group] = any;
	if (any)
		query_part_include(part, key);
}

/* Notes when the attributes of operators were there first: Caliper makes their results
 * then. */
static void note_known(struct feed *feed)
{
	struct query_part *part = feed->part;

	for (size_t a = 0; a < part->known_at.count; a++) {
		const struct query_aggregate *aggregate =
			&feed->query->aggregates.items[a];
		bool there = !part->known_at.items[a];

		for (int i = 0; i < aggregate->op->fields; i++)
			there &= feed->known >> aggregate->fields[i] & 1;
		if (!there)
			continue;
		part->known_at.items[a] = part->keys.attributes.count + 1;
		part->known++;
	}
}

static void add_to_group(struct feed *feed, uint32_t key)
{
	struct query_part *part = feed->part;
	const struct query_aggregate *aggregate = feed->query->aggregates.items;

	vector_for_each (&feed->keyed, pair)
		key = query_part_key(part, key,
				     feed->attributes.items[pair->attribute].attribute,
				     pair->value);
	for (size_t i = 0; i < feed->query->lets.count; i++) {
		int field = feed->query->lets.items[i].field;

		if (feed->let_keys.items[i] >= 0 && feed->present >> field & 1)
			key = query_part_key(part, key, (uint32_t)feed->let_keys.items[i],
					     feed->values[field]);
	}
	size_t group = query_part_group(part, key);

	if (feed->query->format->caliper) {
		if (part->known < part->known_at.count)
			note_known(feed);
		include_parents(feed, key, group);
	}
	for (size_t a = 0; a < part->offsets.count; a++, aggregate++)
		if (!add_partials(feed, query_part_state(part, group, a), aggregate))
			aggregate->op->kind->add(query_part_state(part, group, a),
						 aggregate, feed->values, &part->keys);
}

static void add_cell(struct query_part *part, uint32_t attribute,
		     struct record_value value)
{
	vector_push(
		&part->cells,
		((struct query_cell){attribute, query_keys_keep(&part->strings, value)}));
}

static void add_row(struct feed *feed, uint32_t key, const struct record_pair *pairs,
		    size_t count)
{
	struct query_part *part = feed->part;
	struct query_raw_row row = {.key = key, .first = part->cells.count};

	if (feed->query->stops && part->rows.count >= feed->query->limit)
		return;
	for (size_t i = 0; i < count; i++) {
		const struct bound *bound = &feed->attributes.items[pairs[i].attribute];

		if (bound->shown && bound->nested)
			row.key = query_part_key(part, row.key, bound->attribute,
						 pairs[i].value);
		else if (bound->shown)
			add_cell(part, bound->attribute, pairs[i].value);
	}
	for (size_t i = 0; i < feed->query->lets.count; i++) {
		int field = feed->query->lets.items[i].field;

		if (feed->let_cells.items[i] >= 0 && feed->present >> field & 1)
			add_cell(part, (uint32_t)feed->let_cells.items[i],
				 feed->values[field]);
	}
	row.cells = (uint32_t)(part->cells.count - row.first);
	if (row.cells || row.key)
		vector_push(&part->rows, row);
	if (part->flush && part->rows.count >= ROWS_AT_ONCE)
		part->flush(part);
}

/* Whether LET gave the record this attribute: then what it had before is not written. */
static bool is_let(const struct feed *feed, const struct record_pair *pair)
{
	field_set fields = feed->attributes.items[pair->attribute].fields;

	vector_for_each (&feed->query->lets, let)
		if (fields & feed->let_present & (field_set)1 << let->field)
			return true;
	return false;
}

/* Numbers of an attribute have the type of its first one where that holds them, and else
 * are doubles. */
static void pass_let(struct feed *feed, const struct query_let *let)
{
	const char *name = feed->query->fields.items[let->field].name;
	struct record_pair pair = {.value = feed->values[let->field]};

	if (!record_attribute_find(feed->model, name, &pair.attribute)) {
		struct trm_error *error = record_attribute_intern(
			feed->model, name, pair.value.type,
			RECORD_AS_VALUE | RECORD_SKIP_EVENTS, &pair.attribute);

		trm_error_destroy(error);
		if (error)
			return;
	}
	vector_push(&feed->passed, pair);
}

static void pass_record(struct feed *feed, record_node node,
			const struct record_pair *pairs, size_t count)
{
	struct query_part *part = feed->part;

	if (feed->query->lets.count) {
		feed->passed.count = 0;
		for (size_t i = 0; i < count; i++)
			if (part->sink->entries || !is_let(feed, &pairs[i]))
				vector_push(&feed->passed, pairs[i]);
		vector_for_each (&feed->query->lets, let)
			if (feed->let_present >> let->field & 1)
				pass_let(feed, let);
		pairs = feed->passed.items;
		count = feed->passed.count;
	}
	if (part->sink->entries)
		part->sink->entries(part->sinking, feed->paths ? feed->paths : &node,
				    feed->paths ? feed->path_count : node != 0, pairs,
				    count);
	else
		part->sink->record(part->sinking, node, pairs, count);
	if (part->written->length >= BYTES_AT_ONCE)
		part->flush(part);
}

static void on_record(void *context, record_node node, const struct record_pair *pairs,
		      size_t count)
{
	struct feed *feed = context;

	if (feed->part->error)
		return;
	/* A record comes behind the definitions that it needs. */
	if (node >= feed->nodes.count ||
	    feed->attributes.count < record_attribute_count(feed->model))
		learn_definitions(feed);
	const struct fed_node *fed = &feed->nodes.items[node];

	feed->tests = fed->tests;
	take_fields(feed, node, pairs, count);
	if (feed->query->lets.count)
		compute_lets(feed);
	if (feed->query->where != QUERY_NO_CONDITION &&
	    !holds_condition(feed, feed->query->where))
		return;
	if (feed->part->sink)
		pass_record(feed, node, pairs, count);
	else if (query_is_aggregating(feed->query))
		add_to_group(feed, fed->key);
	else
		add_row(feed, fed->key, pairs, count);
}

static void on_entries(void *context, record_node node, const record_node *paths,
		       size_t path_count, const struct record_pair *pairs, size_t count)
{
	struct feed *feed = context;

	feed->paths = paths ? paths : &node;
	feed->path_count = path_count;
	on_record(context, node, pairs, count);
}

static void on_file(void *context)
{
	struct feed *feed = context;

	vector_add(&feed->part->runs);
	if (feed->part->sink && feed->part->sink->run)
		feed->part->sink->run(feed->part->sinking);
}

static void on_global(void *context, record_attribute attribute,
		      struct record_value value)
{
	struct feed *feed = context;
	struct query_part *part = feed->part;

	if (part->sink)
		part->sink->global(part->sinking, attribute, value);
	if (!part->runs.count)
		vector_add(&part->runs);
	struct query_globals *run = &part->runs.items[part->runs.count - 1];

	vector_push(
		run,
		((struct query_global){
			memory_copy_string(record_attribute_name(feed->model, attribute)),
			query_keys_keep(&part->keys, value),
			record_attribute_properties(feed->model, attribute)}));
}

/* Binds attributes that LET computes: they may be keys, or cells of rows, like any other.
 */
static void bind_lets(struct feed *feed)
{
	vector_for_each (&feed->query->lets, let) {
		const struct query_function *function =
			feed->query->expressions.items[let->expression].function;
		struct bound bound = bind_named(
			feed, feed->query->fields.items[let->field].name,
			(struct query_attribute){
				.type = function && function->real ? RECORD_DOUBLE
								   : QUERY_NOTHING,
				.properties = RECORD_AS_VALUE | RECORD_SKIP_EVENTS});
		int64_t attribute = bound.attribute;

		vector_push(&feed->let_keys, bound.keyed ? attribute : -1);
		vector_push(&feed->let_cells, bound.shown ? attribute : -1);
	}
}

static void feed_deinit(struct feed *feed)
{
	vector_deinit(&feed->attributes);
	vector_deinit(&feed->nodes);
	vector_deinit(&feed->holders);
	vector_deinit(&feed->let_keys);
	vector_deinit(&feed->let_cells);
	vector_deinit(&feed->keyed);
	vector_deinit(&feed->passed);
	vector_deinit(&feed->path_ends);
	text_deinit(&feed->path);
	record_model_destroy(feed->model);
}

struct trm_error *query_part_read(struct query_part *part, const char *path,
				  struct text *warnings)
{
	struct feed feed = {
		.part = part,
		.query = part->query,
		.model = record_model_create(),
		.fields = part->query->fields.count,
		.count_field = QUERY_NO_FIELD,
	};
	const struct trm_visitor visitor = {&feed, on_record, on_global, on_file,
					    part->sink && part->sink->entries ? on_entries
									      : NULL};
	char *warning = NULL;

	vector_add(&feed.nodes); /* the root */
	vector_reserve(&feed.holders, feed.fields + 1);
	memset(feed.holders.items, 0, feed.fields * sizeof(record_node));
	bind_lets(&feed);
	if (part->sink)
		part->sink->use(part->sinking, feed.model, path);
	for (size_t f = 0; f < feed.fields; f++)
		if (!strcmp(part->query->fields.items[f].name, "count"))
			feed.count_field = (int)f;
	struct trm_error *error = part->query->read(path, feed.model, &visitor, &warning);

	/* Attributes that no record has. */
	learn_definitions(&feed);
	if (warning)
		text_format(warnings, "%s\n", warning);
	free(warning);
	if (part->sink && part->sink->leave)
		part->sink->leave(part->sinking);
	feed_deinit(&feed);
	if (!error) {
		error = part->error;
		part->error = NULL;
	}
	return error;
}
