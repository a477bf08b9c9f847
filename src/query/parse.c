/* The clauses of a query. */
#include "query/parse.h"

#include "base/cleanup.h"
#include "query/format.h"
#include "query/operators.h"
#include "query/parse_columns.h"
#include "query/parse_terms.h"
#include "record/trm_reader.h"

#include <stdio.h>
#include <strings.h>

struct trm_error *query_add_field(struct query_parser *parser, const char *name,
				  enum query_field_kind kind, int *ret_field)
{
	struct query *query = parser->query;
	int number = 0;

	vector_for_each (&query->fields, field) {
		if (field->kind == kind && !strcmp(field->name, name)) {
			*ret_field = number;
			return NULL;
		}
		number++;
	}
	if (number == QUERY_FIELDS_MAX)
		return query_complain(parser, "more than %d attributes",
				      QUERY_FIELDS_MAX);
	vector_push(&query->fields,
		    ((struct query_field){memory_copy_string(name), kind}));
	*ret_field = number;
	return NULL;
}

static struct trm_error *complain_operator(struct query_parser *parser, const char *name,
					   size_t place)
{
	return query_complain_unknown(parser, place, "there is no operator", name,
				      query_operators, sizeof(query_operators[0]));
}

/* "sum#x", "ratio#x/y", "percentile.95#x", "count" */
static char *result_name(const struct query *query,
			 const struct query_aggregate *aggregate, const char *number)
{
	const struct query_operator *op = aggregate->op;
	struct text name = {0};

	text_add(&name, op->result);
	if (op->number == QUERY_NUMBER_PERCENT)
		text_format(&name, ".%s", number);
	for (int i = 0; i < op->fields; i++)
		text_format(&name, "%s%s", i ? "/" : "#",
			    query->fields.items[aggregate->fields[i]].name);
	return name.data;
}

static bool same_aggregate(const struct query_aggregate *a,
			   const struct query_aggregate *b)
{
	if (a->op != b->op || a->number.type != b->number.type ||
	    query_compare(a->number, b->number))
		return false;
	for (int i = 0; i < a->op->fields; i++)
		if (a->fields[i] != b->fields[i])
			return false;
	return true;
}

/* Adds the aggregate, or drops it if the query has an equal one. */
static size_t add_aggregate(struct query *query, struct query_aggregate *aggregate)
{
	size_t number = 0;

	vector_for_each (&query->aggregates, other) {
		if (same_aggregate(other, aggregate)) {
			other->shown |= aggregate->shown;
			free(aggregate->name);
			return number;
		}
		number++;
	}
	vector_push(&query->aggregates, *aggregate);
	return number;
}

static struct trm_error *check_number(struct query_parser *parser,
				      const struct query_aggregate *aggregate,
				      const char *text, size_t place)
{
	const struct query_operator *op = aggregate->op;

	if (!text)
		return op->number >= QUERY_NUMBER_NEEDED
			       ? query_complain(parser, "%s needs a number", op->name)
			       : NULL;
	if (op->number == QUERY_NUMBER_NONE)
		return query_complain_at(parser, place, "%s takes %d attributes%s",
					 op->name, op->fields,
					 op->fields ? " and no more" : "");
	if (!query_is_there(aggregate->number))
		return query_complain_at(parser, place, "\"%s\" is not a number", text);
	double number = query_as_double(aggregate->number);

	if (op->number == QUERY_NUMBER_PERCENT && !(number >= 0 && number <= 100))
		return query_complain_at(parser, place, "a percentile is from 0 to 100");
	return NULL;
}

/* The words in the parentheses: attributes, and the number behind them. */
static struct trm_error *parse_operands(struct query_parser *parser,
					struct query_aggregate *aggregate,
					char **ret_number, size_t *ret_place)
{
	int count = 0;
	bool end, more = true;

	TRM_TRY(query_accept_symbol(parser, ")", &end));
	for (; !end; count++) {
		scoped_free char *word = NULL;

		TRM_TRY(query_peek(parser));
		*ret_place = parser->next.begin;
		TRM_TRY(query_need_word(parser, "an attribute or a number", &word));
		if (count < aggregate->op->fields)
			TRM_TRY(query_add_field(parser, word, QUERY_FIELD_ATTRIBUTE,
						&aggregate->fields[count]));
		else if (!*ret_number)
			*ret_number = take_pointer(word);
		else
			return query_complain_at(parser, *ret_place,
						 "%s does not take so much",
						 aggregate->op->name);
		TRM_TRY(query_accept_symbol(parser, ",", &more));
		end = !more;
		if (end)
			TRM_TRY(query_need_symbol(parser, ")"));
	}
	if (count < aggregate->op->fields)
		return query_complain(parser, "%s needs %d attribute%s",
				      aggregate->op->name, aggregate->op->fields,
				      aggregate->op->fields > 1 ? "s" : "");
	return NULL;
}

/* The field "sum#x" for the operator's attribute x, "count" for one without. */
static struct trm_error *add_result_field(struct query_parser *parser,
					  const struct query_aggregate *aggregate,
					  const char *result, int *ret_field)
{
	struct text name = {0};

	text_add(&name, result);
	if (aggregate->op->fields)
		text_format(&name, "#%s",
			    parser->query->fields.items[aggregate->fields[0]].name);
	struct trm_error *error =
		query_add_field(parser, name.data, QUERY_FIELD_ATTRIBUTE, ret_field);

	text_deinit(&name);
	return error;
}

static struct trm_error *finish_aggregate(struct query_parser *parser,
					  struct query_aggregate *aggregate,
					  const char *number, size_t *ret_aggregate)
{
	const struct query_operator *op = aggregate->op;
	struct query *query = parser->query;

	for (int i = 0; i < QUERY_PARTIALS_MAX; i++)
		aggregate->partials[i] = QUERY_NO_FIELD;
	if (op->again)
		TRM_TRY(add_result_field(parser, aggregate, op->again,
					 &aggregate->again));
	if (op->flags & QUERY_COUNTED)
		TRM_TRY(add_result_field(parser, aggregate, "count",
					 &aggregate->again_count));
	aggregate->name = result_name(query, aggregate, number ? number : "");
	*ret_aggregate = add_aggregate(query, aggregate);
	return NULL;
}

struct trm_error *query_parse_operator(struct query_parser *parser, const char *name,
				       size_t place, bool shown, size_t *ret_aggregate)
{
	struct query_aggregate aggregate = {.op = query_operator_find(name),
					    .again = QUERY_NO_FIELD,
					    .again_count = QUERY_NO_FIELD,
					    .number = query_nothing(),
					    .shown = shown};
	scoped_free char *number = NULL;
	size_t number_place = place;

	if (!aggregate.op)
		return complain_operator(parser, name, place);
	TRM_TRY(parse_operands(parser, &aggregate, &number, &number_place));
	if (number)
		aggregate.number = query_parse_number(number);
	TRM_TRY(check_number(parser, &aggregate, number, number_place));
	return finish_aggregate(parser, &aggregate, number, ret_aggregate);
}

/* AS and UNIT behind a column, in any order. */
static struct trm_error *parse_dress(struct query_parser *parser,
				     struct query_column *column)
{
	for (;;) {
		bool as, unit = false;

		TRM_TRY(query_accept_word(parser, "AS", &as));
		if (!as)
			TRM_TRY(query_accept_word(parser, "UNIT", &unit));
		if (!as && !unit)
			return NULL;
		char **place = as ? &column->alias : &column->unit;

		if (*place && parser->query->caliper)
			return query_complain(parser, "there is a second %s",
					      as ? "AS" : "UNIT");
		free(*place);
		*place = NULL;
		TRM_TRY(query_need_word(parser, as ? "the new name" : "the unit", place));
	}
}

static struct trm_error *parse_selected(struct query_parser *parser)
{
	struct query *query = parser->query;
	scoped_free char *name = NULL;
	struct query_column *column;
	bool call, all, path;

	TRM_TRY(query_peek(parser));
	size_t place = parser->next.begin;

	all = query_is_word(parser, "*");
	path = query_is_word(parser, "path");
	TRM_TRY(query_need_word(parser, "the name of a column", &name));
	TRM_TRY(query_accept_symbol(parser, "(", &call));
	if (call) {
		size_t aggregate;

		TRM_TRY(query_parse_operator(parser, name, place, true, &aggregate));
		column = query_add_result(query, aggregate);
	} else {
		column = query_add_column(query,
					  all    ? QUERY_COLUMN_ALL
					  : path ? QUERY_COLUMN_PATH
						 : QUERY_COLUMN_ATTRIBUTE,
					  path ? "path" : name);
	}
	query->selects = true;
	return all ? NULL : parse_dress(parser, column);
}

/* In AGGREGATE an operator of no attributes needs no parentheses. */
static struct trm_error *parse_aggregated(struct query_parser *parser)
{
	scoped_free char *name = NULL;
	size_t aggregate;
	bool call;

	TRM_TRY(query_peek(parser));
	size_t place = parser->next.begin;

	TRM_TRY(query_need_word(parser, "an operator", &name));
	TRM_TRY(query_accept_symbol(parser, "(", &call));
	if (call) {
		TRM_TRY(query_parse_operator(parser, name, place, true, &aggregate));
	} else {
		struct query_aggregate plain = {.op = query_operator_find(name),
						.again = QUERY_NO_FIELD,
						.again_count = QUERY_NO_FIELD,
						.number = query_nothing(),
						.shown = true};

		if (!plain.op)
			return complain_operator(parser, name, place);
		if (plain.op->fields || plain.op->number >= QUERY_NUMBER_NEEDED)
			return query_complain_at(parser, place,
						 "%s needs parentheses with what it is "
						 "applied to",
						 plain.op->name);
		TRM_TRY(finish_aggregate(parser, &plain, NULL, &aggregate));
	}
	/* Its column is added when all clauses are known: SELECT may name it. */
	return NULL;
}

static struct trm_error *parse_key(struct query_parser *parser)
{
	struct query *query = parser->query;
	char *name = NULL;
	bool path;

	query->grouping = QUERY_GROUP_GIVEN;
	TRM_TRY(query_peek(parser));
	path = query_is_word(parser, "path");
	TRM_TRY(query_need_word(parser, "an attribute", &name));
	if (path || (query->caliper && !strcmp(name, "prop:nested"))) {
		query->groups_path = true;
		free(name);
	} else {
		vector_push(&query->keys, name);
	}
	return NULL;
}

/* Items with commas between them. */
static struct trm_error *
parse_list(struct query_parser *parser,
	   struct trm_error *(*parse_item)(struct query_parser *))
{
	bool more;

	do {
		TRM_TRY(parse_item(parser));
		TRM_TRY(query_accept_symbol(parser, ",", &more));
	} while (more);
	return NULL;
}

static struct trm_error *parse_select(struct query_parser *parser)
{
	return parse_list(parser, parse_selected);
}

static struct trm_error *parse_aggregate(struct query_parser *parser)
{
	return parse_list(parser, parse_aggregated);
}

static struct trm_error *parse_group(struct query_parser *parser)
{
	bool total;

	TRM_TRY(query_accept_symbol(parser, "(", &total));
	if (!total)
		return parse_list(parser, parse_key);
	parser->query->grouping = QUERY_GROUP_TOTAL;
	return query_need_symbol(parser, ")");
}

static struct trm_error *parse_lets(struct query_parser *parser)
{
	return parse_list(parser, query_parse_let);
}

/* With a second WHERE, both must hold. */
static struct trm_error *parse_where(struct query_parser *parser)
{
	struct query *query = parser->query;
	int before = query->where;

	TRM_TRY(query_parse_condition(parser, QUERY_IN_WHERE, &query->where));
	if (before == QUERY_NO_CONDITION)
		return NULL;
	vector_push(&query->conditions,
		    ((struct query_condition){QUERY_AND, before, query->where}));
	query->where = (int)query->conditions.count - 1;
	return NULL;
}

static struct trm_error *parse_having(struct query_parser *parser)
{
	return query_parse_condition(parser, QUERY_IN_HAVING, &parser->query->having);
}

static struct trm_error *parse_ordered(struct query_parser *parser)
{
	struct query *query = parser->query;
	struct query_order *order = vector_add(&query->orders);
	bool call, up;

	TRM_TRY(query_peek(parser));
	order->place = parser->next.begin;
	TRM_TRY(query_need_word(parser, "the name of a column", &order->name));
	TRM_TRY(query_accept_symbol(parser, "(", &call));
	if (call) {
		size_t aggregate;

		TRM_TRY(query_parse_operator(parser, order->name, order->place, false,
					     &aggregate));
		free(order->name);
		order->name = memory_copy_string(query->aggregates.items[aggregate].name);
	}
	TRM_TRY(query_accept_word(parser, "ASC", &up));
	if (!up)
		TRM_TRY(query_accept_word(parser, "DESC", &order->descending));
	return NULL;
}

static struct trm_error *parse_order(struct query_parser *parser)
{
	return parse_list(parser, parse_ordered);
}

static struct trm_error *parse_limited(struct query_parser *parser)
{
	struct query_order *order = vector_add(&parser->query->limit_by);

	TRM_TRY(query_peek(parser));
	order->place = parser->next.begin;
	return query_need_word(parser, "the name of a column", &order->name);
}

static struct trm_error *parse_limit(struct query_parser *parser)
{
	bool by;
	scoped_free char *word = NULL;

	TRM_TRY(query_peek(parser));
	size_t place = parser->next.begin;

	TRM_TRY(query_need_word(parser, "a number of rows", &word));
	struct record_value number = query_parse_number(word);

	if (number.type != RECORD_UINT)
		return query_complain_at(parser, place, "\"%s\" is not a number of rows",
					 word);
	parser->query->limited = true;
	parser->query->limit = number.u;
	TRM_TRY(query_accept_word(parser, "BY", &by));
	return by ? parse_list(parser, parse_limited) : NULL;
}

static struct trm_error *parse_format_word(struct query_parser *parser)
{
	struct query *query = parser->query;
	scoped_free char *word = NULL;

	TRM_TRY(query_peek(parser));
	size_t place = parser->next.begin;

	TRM_TRY(query_need_word(parser, "a word", &word));
	if (query->format->takes_path) {
		vector_push(&query->path, take_pointer(word));
	} else if (!strcasecmp(query->format->name, "json") &&
		   !strcasecmp(word, "object")) {
		query->object = true;
	} else {
		return query_complain_at(parser, place,
					 "the format %s has no option \"%s\"",
					 query->format->name, word);
	}
	return NULL;
}

/* The option's name in the format's list; NULL if it is not there. */
static const char *find_option(const struct query_format *format, const char *name)
{
	for (const char *const *option = format->options; *option; option++)
		if (!strcmp(*option, name))
			return *option;
	return NULL;
}

/* NAME=VALUE, a name alone, or the value of the option that is at this place. */
static struct trm_error *parse_format_option(struct query_parser *parser)
{
	struct query *query = parser->query;
	struct query_option option = {.name = NULL};
	scoped_free char *word = NULL, *value = NULL;
	bool named;

	TRM_TRY(query_peek(parser));
	size_t place = parser->next.begin, count = 0;

	TRM_TRY(query_need_word(parser, "an option", &word));
	TRM_TRY(query_accept_symbol(parser, "=", &named));
	if (named)
		TRM_TRY(query_need_word(parser, "a value", &value));
	option.name = find_option(query->format, word);
	while (query->format->options[count])
		count++;
	if (!option.name && !named && query->options.count < count)
		option.name = query->format->options[query->options.count];
	else if (option.name && !named)
		value = memory_copy_string("true");
	if (!option.name)
		return query_complain_at(parser, place,
					 "the format %s has no option \"%s\"",
					 query->format->name, word);
	option.value = value ? take_pointer(value) : take_pointer(word);
	vector_push(&query->options, option);
	return NULL;
}

static struct trm_error *parse_format(struct query_parser *parser)
{
	scoped_free char *name = NULL;
	bool words;

	TRM_TRY(query_peek(parser));
	size_t place = parser->next.begin;
	const struct query_format *format = query_formats;

	if (parser->query->caliper)
		format = query_formats_caliper;
	TRM_TRY(query_need_word(parser, "the name of a format", &name));
	const struct query_format *first = format;

	while (format->name && strcasecmp(format->name, name))
		format++;
	if (!format->name)
		return query_complain_unknown(parser, place, "there is no format", name,
					      first, sizeof(*first));
	parser->query->format = format;
	parser->format_place = place;
	query_forget_options(parser->query);
	TRM_TRY(query_accept_symbol(parser, "(", &words));
	if (!words)
		return !format->needs_option
			       ? NULL
			       : query_complain_at(parser, place,
						   "the format %s needs parentheses with "
						   "what it is to print",
						   format->name);
	TRM_TRY(parse_list(parser, parser->query->caliper || format->options[0]
					   ? parse_format_option
					   : parse_format_word));
	return query_need_symbol(parser, ")");
}

static const struct clause {
	const char *words[2];
	struct trm_error *(*parse)(struct query_parser *parser);
} clauses[] = {
	{{"SELECT", NULL}, parse_select}, {{"AGGREGATE", NULL}, parse_aggregate},
	{{"GROUP", "BY"}, parse_group},   {{"LET", NULL}, parse_lets},
	{{"WHERE", NULL}, parse_where},   {{"HAVING", NULL}, parse_having},
	{{"ORDER", "BY"}, parse_order},   {{"LIMIT", NULL}, parse_limit},
	{{"FORMAT", NULL}, parse_format}, {{NULL}, NULL},
};

static struct trm_error *parse_clause(struct query_parser *parser)
{
	bool *seen = parser->seen.items;
	bool was;

	for (int i = 0; clauses[i].parse; i++) {
		if (!query_is_word(parser, clauses[i].words[0]))
			continue;
		if (seen[i] && !parser->query->caliper)
			return query_complain(parser, "there is a second %s",
					      clauses[i].words[0]);
		seen[i] = true;
		query_skip(parser);
		if (clauses[i].words[1]) {
			TRM_TRY(query_accept_word(parser, clauses[i].words[1], &was));
			if (!was)
				return query_complain(parser, "\"%s\" is missing here",
						      clauses[i].words[1]);
		}
		return clauses[i].parse(parser);
	}
	return query_complain_unknown(
		parser, parser->next.begin, "a clause cannot begin with",
		parser->next.word.data, clauses, sizeof(clauses[0]));
}

static struct trm_error *parse_clauses(struct query_parser *parser)
{
	bool separator;

	for (int i = 0; clauses[i].parse; i++)
		vector_push(&parser->seen, false);
	for (;;) {
		TRM_TRY(query_accept_symbol(parser, ";", &separator));
		if (separator)
			continue;
		if (parser->next.kind == QUERY_END)
			return NULL;
		TRM_TRY(parse_clause(parser));
	}
}

/* Attributes that FORMAT format names and SELECT does not: "%[8]a% %b%". */
static void add_named_columns(struct query *query)
{
	const char *format = query_option(query, "format");
	scoped_free char *copy = memory_copy_string(format ? format : "");
	char *rest = copy, *name;
	bool field = false;

	for (; (name = strsep(&rest, "%")); field = !field) {
		char *bracket = strchr(name, ']');

		name = *name == '[' && bracket ? bracket + 1 : name;
		if (field && *name)
			query_add_column(query, QUERY_COLUMN_ATTRIBUTE, name)->hidden =
				true;
	}
}

/* Applies the options for paths and for the output. */
static void settle_options(struct query *query)
{
	const char *path = query_option(query, "path-attributes");
	scoped_free char *copy = memory_copy_string(path ? path : "");
	char *rest = copy, *name;

	while ((name = strsep(&rest, ",")))
		if (*name && strcmp(name, "path") != 0 &&
		    strcmp(name, "prop:nested") != 0)
			vector_push(&query->path, memory_copy_string(name));
	if (query->selects)
		add_named_columns(query);
	query->shows_all = !strcmp(query->format->name, "expand") ||
			   !strcmp(query->format->name, "format");
}

static struct trm_error *parse_as(const char *text, bool caliper,
				  struct query **ret_query, size_t *ret_place)
{
	struct query *query = memory_allocate_zeroed(1, sizeof(*query));
	struct query_parser parser = {.query = query, .text = text};
	struct trm_error *error = NULL;

	query->text = memory_copy_string(text);
	query->where = query->having = QUERY_NO_CONDITION;
	query->read = trm_read;
	query->caliper = caliper;
	query->format = caliper ? query_formats_caliper : query_formats;
	if (strlen(text) > QUERY_TEXT_MAX)
		error = query_complain_at(&parser, 0, "it has more than %d bytes",
					  QUERY_TEXT_MAX);
	if (!error)
		error = parse_clauses(&parser);
	if (!error && caliper)
		settle_options(query);
	if (!error)
		error = query_complete(&parser);
	text_deinit(&parser.next.word);
	vector_deinit(&parser.seen);
	if (error) {
		*ret_place = parser.place;
		query_destroy(query);
	} else {
		*ret_query = query;
	}
	return error;
}

struct trm_error *query_parse(const char *text, struct query **ret_query,
			      size_t *ret_place)
{
	return parse_as(text, false, ret_query, ret_place);
}

struct trm_error *query_parse_caliper(const char *text, struct query **ret_query,
				      size_t *ret_place)
{
	return parse_as(text, true, ret_query, ret_place);
}
