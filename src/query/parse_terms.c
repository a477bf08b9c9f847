/* Conditions, and what LET computes. */
#include "query/parse_terms.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "query/functions.h"
#include "query/parse.h"
#include "query/pattern.h"

#include <stdio.h>

static struct trm_error *enter_parenthesis(struct query_parser *parser)
{
	if (++parser->depth > QUERY_DEPTH_MAX)
		return query_complain(parser, "more than %d parentheses in one another",
				      QUERY_DEPTH_MAX);
	return NULL;
}

static int add_condition(struct query *query, enum query_condition_kind kind, int left,
			 int right)
{
	vector_push(&query->conditions, ((struct query_condition){kind, left, right}));
	return (int)query->conditions.count - 1;
}

static const struct {
	const char *symbol;
	enum query_comparison comparison;
} comparisons[] = {
	{"=", QUERY_EQUAL},    {"==", QUERY_EQUAL},         {"!=", QUERY_UNEQUAL},
	{"<>", QUERY_UNEQUAL}, {"<=", QUERY_LESS_EQUAL},    {"<", QUERY_LESS},
	{">", QUERY_GREATER},  {">=", QUERY_GREATER_EQUAL}, {"~=", QUERY_GLOB},
	{"=~", QUERY_REGEX},
};

static enum query_comparison next_comparison(struct query_parser *parser)
{
	for (size_t i = 0; i < array_count(comparisons); i++)
		if (query_is_symbol(parser, comparisons[i].symbol))
			return comparisons[i].comparison;
	return QUERY_EXISTS;
}

static struct trm_error *parse_regex(struct query_parser *parser, struct query_test *test)
{
	bool any_case;
	size_t place = parser->at;

	TRM_TRY(query_need_pattern(parser, &test->text, &any_case));
	while (parser->text[place] == ' ')
		place++;
	if (!query_pattern_fits(test->text))
		return query_complain_at(
			parser, place,
			"a regular expression whose repetitions make it too large");
	test->regex = memory_allocate_zeroed(1, sizeof(*test->regex));
	int status = regcomp(test->regex, test->text,
			     REG_EXTENDED | REG_NOSUB | (any_case ? REG_ICASE : 0));

	if (!status)
		return NULL;
	char reason[128];

	regerror(status, test->regex, reason, sizeof(reason));
	free(test->regex);
	test->regex = NULL;
	return query_complain_at(parser, place, "no regular expression: %s", reason);
}

/* Parses the part behind the name; the query owns the test already. */
static struct trm_error *parse_comparison(struct query_parser *parser,
					  struct query_test *test)
{
	TRM_TRY(query_peek(parser));
	test->comparison = next_comparison(parser);
	if (test->comparison == QUERY_EXISTS)
		return NULL;
	query_skip(parser);
	if (test->comparison == QUERY_REGEX)
		return parse_regex(parser, test);
	TRM_TRY(query_need_word(parser, "a value to compare with", &test->text));
	test->number = query_parse_number(test->text);
	return NULL;
}

static struct query_test *add_test(struct query *query, bool having)
{
	struct query_test *test =
		having ? vector_add(&query->havings) : vector_add(&query->tests);

	test->number = query_nothing();
	test->field = QUERY_NO_FIELD;
	return test;
}

/* The name at the left of a comparison: of an attribute, or in HAVING of a column or an
 * operator. */
static struct trm_error *parse_subject(struct query_parser *parser, bool having,
				       struct query_test *test)
{
	bool path, call;

	TRM_TRY(query_peek(parser));
	test->place = parser->next.begin;
	path = query_is_word(parser, "path");
	TRM_TRY(query_need_word(parser, "a name", &test->name));
	if (!having)
		return query_add_field(parser, test->name,
				       path ? QUERY_FIELD_PATH : QUERY_FIELD_ATTRIBUTE,
				       &test->field);
	TRM_TRY(query_accept_symbol(parser, "(", &call));
	if (!call)
		return NULL;
	size_t aggregate;

	TRM_TRY(query_parse_operator(parser, test->name, test->place, false, &aggregate));
	free(test->name);
	test->name = memory_copy_string(parser->query->aggregates.items[aggregate].name);
	return NULL;
}

/* Adds a test for inequality: an attribute must be present, and none of its values in the
 * path be equal. */
static int add_unequal(struct query *query, int equal)
{
	int field = query->tests.items[equal].field;

	query->tests.items[equal].comparison = QUERY_EQUAL;
	add_test(query, false)->field = field;
	int exists = add_condition(query, QUERY_TEST, (int)query->tests.count - 1, 0);
	int is = add_condition(query, QUERY_TEST, equal, 0);

	return add_condition(query, QUERY_AND, exists,
			     add_condition(query, QUERY_NOT, is, 0));
}

static struct trm_error *parse_test(struct query_parser *parser,
				    enum query_clause_kind clause, int *ret_condition)
{
	bool having = clause == QUERY_IN_HAVING;
	struct query *query = parser->query;
	size_t index = having ? query->havings.count : query->tests.count;

	/* Another test may follow. */
	if (index + 1 >= QUERY_TESTS_MAX)
		return query_complain(parser, "more than %d comparisons",
				      QUERY_TESTS_MAX - 1);
	struct query_test *test = add_test(query, having);

	TRM_TRY(parse_subject(parser, having, test));
	TRM_TRY(parse_comparison(parser, test));
	*ret_condition = test->comparison == QUERY_UNEQUAL && !having
				 ? add_unequal(query, (int)index)
				 : add_condition(query, QUERY_TEST, (int)index, 0);
	return NULL;
}

/* Caliper's "NOT a<1" is "a>=1", which holds where there is an a. */
static bool turn_comparison(struct query *query, enum query_clause_kind clause,
			    int condition)
{
	static const struct {
		enum query_comparison from, to;
	} turns[] = {{QUERY_LESS, QUERY_GREATER_EQUAL},
		     {QUERY_LESS_EQUAL, QUERY_GREATER},
		     {QUERY_GREATER, QUERY_LESS_EQUAL},
		     {QUERY_GREATER_EQUAL, QUERY_LESS}};
	const struct query_condition *at = &query->conditions.items[condition];

	if (clause == QUERY_IN_HAVING || at->kind != QUERY_TEST)
		return false;
	struct query_test *test = &query->tests.items[at->left];

	for (size_t i = 0; i < array_count(turns); i++) {
		if (test->comparison != turns[i].from)
			continue;
		test->comparison = turns[i].to;
		return true;
	}
	return false;
}

static struct trm_error *parse_one(struct query_parser *parser,
				   enum query_clause_kind clause, int *ret_condition)
{
	bool was;

	TRM_TRY(query_accept_word(parser, "NOT", &was));
	if (was) {
		int inner;

		TRM_TRY(query_peek(parser));
		bool plain = !query_is_symbol(parser, "(");

		TRM_TRY(enter_parenthesis(parser));
		TRM_TRY(parse_one(parser, clause, &inner));
		parser->depth--;
		if (plain && parser->query->caliper &&
		    turn_comparison(parser->query, clause, inner)) {
			*ret_condition = inner;
			return NULL;
		}
		*ret_condition = add_condition(parser->query, QUERY_NOT, inner, 0);
		return NULL;
	}
	TRM_TRY(query_accept_symbol(parser, "(", &was));
	if (!was)
		return parse_test(parser, clause, ret_condition);
	TRM_TRY(enter_parenthesis(parser));
	TRM_TRY(query_parse_condition(parser, clause, ret_condition));
	parser->depth--;
	return query_need_symbol(parser, ")");
}

static struct trm_error *parse_and(struct query_parser *parser,
				   enum query_clause_kind clause, int *ret_condition)
{
	bool more;

	TRM_TRY(parse_one(parser, clause, ret_condition));
	for (;;) {
		int right;

		TRM_TRY(query_accept_word(parser, "AND", &more));
		if (!more && clause != QUERY_IN_LET)
			TRM_TRY(query_accept_symbol(parser, ",", &more));
		if (!more)
			return NULL;
		TRM_TRY(parse_one(parser, clause, &right));
		*ret_condition =
			add_condition(parser->query, QUERY_AND, *ret_condition, right);
	}
}

struct trm_error *query_parse_condition(struct query_parser *parser,
					enum query_clause_kind clause, int *ret_condition)
{
	bool more;
	int right, condition;

	TRM_TRY(parse_and(parser, clause, &condition));
	for (;;) {
		TRM_TRY(query_accept_word(parser, "OR", &more));
		if (!more)
			break;
		TRM_TRY(parse_and(parser, clause, &right));
		condition = add_condition(parser->query, QUERY_OR, condition, right);
	}
	*ret_condition = condition;
	return NULL;
}

static int add_expression(struct query *query, struct query_expression expression)
{
	vector_push(&query->expressions, expression);
	return (int)query->expressions.count - 1;
}

static int add_call(struct query *query, const struct query_function *function,
		    const int *arguments, int count)
{
	int first = (int)query->arguments.count;

	for (int i = 0; i < count; i++)
		vector_push(&query->arguments, arguments[i]);
	return add_expression(query, (struct query_expression){.function = function,
							       .first = first,
							       .count = count,
							       .field = QUERY_NO_FIELD});
}

static struct trm_error *parse_sum(struct query_parser *parser, int *ret_expression);

/* Parses a function and its parenthesis, which was read. */
static struct trm_error *parse_call(struct query_parser *parser, const char *name,
				    size_t place, int *ret_expression)
{
	const struct query_function *function = query_function_find(name);
	int arguments[QUERY_ARGUMENTS_MAX], count = 0, leaf;
	bool more;

	if (!function)
		return query_complain_unknown(parser, place, "LET has no function", name,
					      query_functions,
					      sizeof(query_functions[0]));
	TRM_TRY(query_accept_symbol(parser, ")", &more));
	for (bool end = more; !end; end = !more) {
		TRM_TRY(query_peek(parser));
		if (count == function->most)
			return query_complain(parser, "%s takes at most %d arguments",
					      function->name, function->most);
		TRM_TRY(parse_sum(parser, &arguments[count++]));
		TRM_TRY(query_accept_symbol(parser, ",", &more));
		if (!more)
			TRM_TRY(query_need_symbol(parser, ")"));
	}
	if (count < function->least)
		return query_complain_at(parser, place, "%s needs %d arguments",
					 function->name, function->least);
	if (!function->least && !count) {
		TRM_TRY(query_add_field(parser, "path", QUERY_FIELD_LEAF, &leaf));
		arguments[count++] = add_expression(
			parser->query, (struct query_expression){.field = leaf});
	}
	*ret_expression = add_call(parser->query, function, arguments, count);
	return NULL;
}

/* A number, an attribute, or a function; all of them begin with a word. */
static struct trm_error *parse_operand(struct query_parser *parser, int *ret_expression)
{
	struct query_expression expression = {.field = QUERY_NO_FIELD};
	scoped_free char *name = NULL;
	bool quoted, call;

	TRM_TRY(query_peek(parser));
	size_t place = parser->next.begin;

	quoted = parser->next.quoted;
	TRM_TRY(query_need_word(parser, "a number or a name", &name));
	TRM_TRY(query_accept_symbol(parser, "(", &call));
	if (call) {
		TRM_TRY(enter_parenthesis(parser));
		TRM_TRY(parse_call(parser, name, place, ret_expression));
		parser->depth--;
		return NULL;
	}
	expression.value = quoted ? query_nothing() : query_parse_number(name);
	if (!query_is_there(expression.value))
		TRM_TRY(query_add_field(parser, name, QUERY_FIELD_ATTRIBUTE,
					&expression.field));
	*ret_expression = add_expression(parser->query, expression);
	return NULL;
}

static struct trm_error *parse_factor(struct query_parser *parser, int *ret_expression)
{
	bool was;
	int inner;

	TRM_TRY(query_accept_symbol(parser, "-", &was));
	if (was) {
		TRM_TRY(enter_parenthesis(parser));
		TRM_TRY(parse_factor(parser, &inner));
		parser->depth--;
		*ret_expression =
			add_call(parser->query, query_function_find("-"), &inner, 1);
		return NULL;
	}
	TRM_TRY(query_accept_symbol(parser, "(", &was));
	if (!was)
		return parse_operand(parser, ret_expression);
	TRM_TRY(enter_parenthesis(parser));
	TRM_TRY(parse_sum(parser, ret_expression));
	parser->depth--;
	return query_need_symbol(parser, ")");
}

/* Parses operands with operators of one rank between them, left-associative. */
static struct trm_error *
parse_row(struct query_parser *parser, const char *const *signs,
	  struct trm_error *(*parse)(struct query_parser *, int *), int *ret_expression)
{
	int sides[2];

	TRM_TRY(parse(parser, &sides[0]));
	for (;;) {
		bool was = false;
		const char *const *sign = signs;

		for (; *sign && !was; sign += !was)
			TRM_TRY(query_accept_symbol(parser, *sign, &was));
		if (!was)
			break;
		TRM_TRY(parse(parser, &sides[1]));
		sides[0] = add_call(parser->query, query_function_find(*sign), sides, 2);
	}
	*ret_expression = sides[0];
	return NULL;
}

static struct trm_error *parse_product(struct query_parser *parser, int *ret_expression)
{
	static const char *const signs[] = {"*", "/", NULL};

	return parse_row(parser, signs, parse_factor, ret_expression);
}

static struct trm_error *parse_sum(struct query_parser *parser, int *ret_expression)
{
	static const char *const signs[] = {"+", "-", NULL};

	return parse_row(parser, signs, parse_product, ret_expression);
}

struct trm_error *query_parse_let(struct query_parser *parser)
{
	struct query_let let = {.condition = QUERY_NO_CONDITION};
	scoped_free char *name = NULL;
	bool was;

	TRM_TRY(query_peek(parser));
	size_t place = parser->next.begin;

	TRM_TRY(query_need_word(parser, "a name", &name));
	TRM_TRY(query_add_field(parser, name, QUERY_FIELD_ATTRIBUTE, &let.field));
	vector_for_each (&parser->query->lets, other)
		if (parser->query->caliper && other->field == let.field)
			return query_complain_at(parser, place, "\"%s\" is defined twice",
						 name);
	TRM_TRY(query_need_symbol(parser, "="));
	query_set_arithmetic(parser, true);
	struct trm_error *error = parse_sum(parser, &let.expression);

	query_set_arithmetic(parser, false);
	if (error)
		return error;
	TRM_TRY(query_accept_word(parser, "IF", &was));
	if (was)
		TRM_TRY(query_parse_condition(parser, QUERY_IN_LET, &let.condition));
	vector_push(&parser->query->lets, let);
	return NULL;
}
