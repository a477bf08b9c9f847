/* Names in a query that mean nothing in the files that were read. */
#include "query/names.h"

#include "query/format.h"
#include "query/match.h"
#include "query/operators.h"
#include "query/part.h"

#include <string.h>

struct asking {
	const struct query_result *result;
	struct text *warnings;
	struct VECTOR(const char *) said;
};

static bool is_known(const struct asking *asking, const char *name)
{
	const struct query_result *result = asking->result;

	vector_for_each (&result->query->lets, let)
		if (!strcmp(result->query->fields.items[let->field].name, name))
			return true;
	vector_for_each (&result->part->keys.attributes, attribute)
		if (query_is_name(name, attribute->name) || query_is_key(name, attribute))
			return true;
	return false;
}

/* The name, of an attribute, that is next to it, if that is near. */
static const char *near_name(const struct asking *asking, const char *name)
{
	size_t least = strlen(name) / 3 + 1;
	const char *found = NULL;

	vector_for_each (&asking->result->part->keys.attributes, attribute) {
		size_t distance = strlen(attribute->name) < 64
					  ? text_distance(name, attribute->name)
					  : SIZE_MAX;

		if (distance > least || (found && distance == least))
			continue;
		found = attribute->name;
		least = distance;
	}
	return found;
}

/* `need_not_be`: queries ask for it in case it is there. */
static void ask_name(struct asking *asking, const char *name, bool need_not_be)
{
	const char *other;

	if (strlen(name) >= 64 || is_known(asking, name))
		return;
	vector_for_each (&asking->said, said)
		if (!strcmp(*said, name))
			return;
	other = near_name(asking, name);
	if (!other && need_not_be)
		return;
	vector_push(&asking->said, name);
	if (!strcmp(name, "path")) {
		text_add(asking->warnings, "no record has an attribute \"path\": without "
					   "quotes it is the whole path\n");
		return;
	}
	text_format(asking->warnings, "no record has \"%s\"%s%s%s\n", name,
		    other ? ", did you mean \"" : "", other ? other : "",
		    other ? "\"?" : "");
}

static void ask_field(struct asking *asking, int field, bool need_not_be)
{
	if (field != QUERY_NO_FIELD &&
	    asking->result->query->fields.items[field].kind == QUERY_FIELD_ATTRIBUTE)
		ask_name(asking, asking->result->query->fields.items[field].name,
			 need_not_be);
}

/* Whether records have results of the operator already, as min#time.ns. */
static bool has_results(const struct asking *asking,
			const struct query_aggregate *aggregate)
{
	return aggregate->again != QUERY_NO_FIELD &&
	       is_known(asking,
			asking->result->query->fields.items[aggregate->again].name);
}

/* An attribute that groups are not told apart by has no value in them. */
static void ask_column(struct asking *asking, const struct query_column *column)
{
	const struct query *query = asking->result->query;
	const struct query_keys *keys = &asking->result->part->keys;
	bool is_there = false, is_key = query->grouping != QUERY_GROUP_GIVEN;

	ask_name(asking, column->name, false);
	vector_for_each (&keys->attributes, attribute) {
		if (!query_is_name(column->name, attribute->name))
			continue;
		is_there = true;
		is_key |= query->groups_path && attribute->nested;
		vector_for_each (&query->keys, key)
			is_key |= query_is_key(*key, attribute) ||
				  query_is_name(*key, attribute->name);
	}
	if (is_there && !is_key)
		text_format(
			asking->warnings,
			"the column \"%s\" is empty, since GROUP BY does not have it: "
			"any(%s) is its first value in a group\n",
			column->name, column->name);
}

void query_warn_of_names(const struct query_result *result, struct text *warnings)
{
	const struct query *query = result->query;
	struct asking asking = {.result = result, .warnings = warnings};

	if (!result->part->keys.attributes.count)
		return;
	vector_for_each (&query->aggregates, aggregate)
		for (size_t i = 0; i < (size_t)aggregate->op->fields; i++)
			ask_field(&asking,
				  has_results(&asking, aggregate) ? QUERY_NO_FIELD
								  : aggregate->fields[i],
				  false);
	vector_for_each (&query->tests, test)
		ask_field(&asking, test->field, test->comparison == QUERY_EXISTS);
	vector_for_each (&query->expressions, expression)
		ask_field(&asking, expression->field, true);
	vector_for_each (&query->keys, key)
		ask_name(&asking, *key, false);
	vector_for_each (&query->columns, column)
		if (column->kind == QUERY_COLUMN_ATTRIBUTE)
			ask_column(&asking, column);
	vector_deinit(&asking.said);
}
