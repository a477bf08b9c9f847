/* The columns of a query, once all its clauses are read. */
#include "query/parse_columns.h"

#include "query/format.h"
#include "query/operators.h"
#include "query/parse.h"

struct query_column *query_add_column(struct query *query, enum query_column_kind kind,
				      const char *name)
{
	struct query_column *column = vector_add(&query->columns);

	column->kind = kind;
	column->name = memory_copy_string(name);
	return column;
}

struct query_column *query_add_result(struct query *query, size_t aggregate)
{
	struct query_column *column = query_add_column(
		query, QUERY_COLUMN_AGGREGATE, query->aggregates.items[aggregate].name);

	column->aggregate = aggregate;
	return column;
}

/* The columns that follow from what there is, and names that turn out to be results. */
static void complete_columns(struct query *query)
{
	vector_for_each (&query->columns, column)
		for (size_t i = 0; i < query->aggregates.count; i++)
			if (column->kind == QUERY_COLUMN_ATTRIBUTE &&
			    !strcmp(column->name, query->aggregates.items[i].name)) {
				column->kind = QUERY_COLUMN_AGGREGATE;
				column->aggregate = i;
			}
	if (query->selects)
		return;
	if (query->groups_path)
		query_add_column(query, QUERY_COLUMN_PATH, "path");
	vector_for_each (&query->keys, key)
		query_add_column(query, QUERY_COLUMN_ATTRIBUTE, *key);
	if (query->grouping == QUERY_GROUP_USUAL)
		query_add_column(query, QUERY_COLUMN_ALL, "*");
	for (size_t i = 0; i < query->aggregates.count; i++)
		if (query->aggregates.items[i].shown)
			query_add_result(query, i);
}

static bool is_called(const struct query *query, const struct query_column *column,
		      const char *name, int how)
{
	if (column->kind == QUERY_COLUMN_ALL)
		return false;
	if (how == 0)
		return column->alias && !strcmp(column->alias, name);
	if (how == 1)
		return !strcmp(column->name, name);
	if (column->kind != QUERY_COLUMN_AGGREGATE)
		return false;
	const struct query_aggregate *aggregate =
		&query->aggregates.items[column->aggregate];

	return aggregate->op->fields &&
	       !strcmp(query->fields.items[aggregate->fields[0]].name, name);
}

static bool find_column(const struct query *query, const char *name, size_t *ret_column)
{
	/* An alias, a name, or else an attribute that an operator is applied to. */
	for (int how = 0; how < 3; how++)
		for (size_t i = 0; i < query->columns.count; i++)
			if (is_called(query, &query->columns.items[i], name, how)) {
				*ret_column = i;
				return true;
			}
	return false;
}

static bool is_key(const struct query *query, const char *name)
{
	if (query->grouping == QUERY_GROUP_USUAL)
		return true;
	vector_for_each (&query->keys, key)
		if (!strcmp(*key, name))
			return true;
	return query->groups_path && !strcmp(name, "path");
}

static struct trm_error *complain_column(struct query_parser *parser, const char *name,
					 size_t place)
{
	struct VECTOR(const char *) names = {0};

	vector_for_each (&parser->query->columns, column)
		vector_push(&names, column->alias ? column->alias : column->name);
	vector_push(&names, NULL);
	struct trm_error *error =
		query_complain_unknown(parser, place, "no column is called", name,
				       names.items, sizeof(names.items[0]));

	vector_deinit(&names);
	return error;
}

/* Finds the column named by ORDER BY or HAVING; adds a hidden one if it is not shown. */
static struct trm_error *resolve_column(struct query_parser *parser, const char *name,
					size_t place, size_t *ret_column)
{
	struct query *query = parser->query;
	struct query_column *column = NULL;

	if (find_column(query, name, ret_column))
		return NULL;
	for (size_t i = 0; i < query->aggregates.count && !column; i++)
		if (!strcmp(query->aggregates.items[i].name, name))
			column = query_add_result(query, i);
	if (!column && is_key(query, name))
		column = query_add_column(query,
					  strcmp(name, "path") ? QUERY_COLUMN_ATTRIBUTE
							       : QUERY_COLUMN_PATH,
					  name);
	if (!column)
		return complain_column(parser, name, place);
	column->hidden = true;
	*ret_column = query->columns.count - 1;
	return NULL;
}

/* Fields for what another query knows of groups, as long as there is room for them. */
static struct trm_error *add_partials(struct query_parser *parser)
{
	struct query *query = parser->query;

	for (size_t i = 0; i < query->aggregates.count; i++) {
		struct query_aggregate *aggregate = &query->aggregates.items[i];
		const struct query_partial *partial = aggregate->op->partials;

		for (int k = 0; partial && partial->name; k++, partial++) {
			struct text name = {0};

			if (query->fields.count == QUERY_FIELDS_MAX)
				return NULL;
			text_format(&name, "%s#%s", partial->name,
				    query->fields.items[aggregate->fields[partial->field]]
					    .name);
			struct trm_error *error =
				query_add_field(parser, name.data, QUERY_FIELD_ATTRIBUTE,
						&aggregate->partials[k]);

			text_deinit(&name);
			TRM_TRY(error);
		}
	}
	return NULL;
}

struct trm_error *query_complete(struct query_parser *parser)
{
	struct query *query = parser->query;

	if (!query->format->print &&
	    (query_is_aggregating(query) || query->orders.count || query->limited ||
	     query->havings.count))
		return query_complain_at(parser, parser->format_place,
					 "the format %s shows single records: without "
					 "groups, operators, HAVING, ORDER BY and LIMIT",
					 query->format->name);
	complete_columns(query);
	if (query->caliper)
		TRM_TRY(add_partials(parser));
	for (size_t i = 0; i < query->orders.count; i++) {
		struct query_order *order = &query->orders.items[i];
		struct trm_error *error =
			resolve_column(parser, order->name, order->place, &order->column);

		if (error && !query->caliper)
			return error;
		if (!error)
			continue;
		/* Caliper orders by what no row has, and says nothing. */
		trm_error_destroy(error);
		free(order->name);
		memmove(order, order + 1, (query->orders.count - i - 1) * sizeof(*order));
		query->orders.count--;
		i--;
	}
	vector_for_each (&query->havings, test)
		TRM_TRY(resolve_column(parser, test->name, test->place, &test->column));
	vector_for_each (&query->limit_by, order)
		TRM_TRY(resolve_column(parser, order->name, order->place,
				       &order->column));
	/* Rows of a tree may have nothing but their path, which is not shown as one. */
	query->stops = query->limited && !query->limit_by.count && !query->orders.count &&
		       !query->havings.count && !query->format->has_path;
	return NULL;
}
