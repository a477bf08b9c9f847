/*
 * A query: its parsed text, and how it is run over profiles. The language is described in
 * man/trammel-query.1.md.
 *
 *     text --parse.c--> struct query --run.c--> struct query_result --format.c--> text
 */
#ifndef TRAMMEL_QUERY_QUERY_H
#define TRAMMEL_QUERY_QUERY_H

#include "base/error.h"
#include "base/text.h"
#include "base/vector.h"
#include "query/value.h"

#include <regex.h>

enum {
	/* Sets of fields, and of comparisons, are bitmaps in an integer. */
	QUERY_FIELDS_MAX = 128,
	QUERY_TESTS_MAX = 64,
	QUERY_OPERATOR_FIELDS = 2, /* the most attributes of an operator */
	QUERY_PARTIALS_MAX = 3,    /* the most partial values of an operator */
	QUERY_DEPTH_MAX = 200,     /* of parentheses */
	QUERY_TEXT_MAX = 1 << 16,  /* bytes of a query */
	QUERY_NO_FIELD = -1,
	QUERY_NO_CONDITION = -1,
};

/* An attribute whose value is read in each record. */
enum query_field_kind {
	QUERY_FIELD_ATTRIBUTE, /* the attribute with this name */
	QUERY_FIELD_PATH,      /* the path as a whole, "a/b/c"; only for comparisons */
	QUERY_FIELD_LEAF,      /* the innermost value of the path */
};

struct query_field {
	char *name;
	enum query_field_kind kind;
};

enum query_comparison {
	QUERY_EXISTS,
	QUERY_EQUAL,
	QUERY_UNEQUAL,
	QUERY_LESS,
	QUERY_LESS_EQUAL,
	QUERY_GREATER,
	QUERY_GREATER_EQUAL,
	QUERY_GLOB,
	QUERY_REGEX,
};

/* A comparison of WHERE, HAVING or LET ... IF. */
struct query_test {
	enum query_comparison comparison;
	int field;                  /* of WHERE and IF */
	char *name;                 /* of HAVING: of a column, */
	size_t place;               /* the offset of that name in the query's text */
	size_t column;              /* the number of that column, once all are known */
	char *text;                 /* the right operand */
	struct record_value number; /* the right operand as a number, or nothing */
	regex_t *regex;
};

enum query_condition_kind { QUERY_TEST, QUERY_NOT, QUERY_AND, QUERY_OR };

/* A node of a condition; `left` and `right` are items of query.conditions. */
struct query_condition {
	enum query_condition_kind kind;
	int left, right; /* a QUERY_TEST: `left` is the item of query.tests */
};

struct query_function;

/* A node of an expression of LET: a function call, a field, or a constant. */
struct query_expression {
	const struct query_function *function; /* NULL: a constant or a field */
	int first, count;                      /* arguments: items of query.arguments */
	int field;                             /* or QUERY_NO_FIELD */
	struct record_value value;             /* of a constant */
};

struct query_let {
	int field;      /* the field to set */
	int expression; /* item of query.expressions */
	int condition;  /* of IF, or QUERY_NO_CONDITION */
};

struct query_operator;

/* An operator with its arguments; its result in a group is a column. */
struct query_aggregate {
	const struct query_operator *op;
	int fields[QUERY_OPERATOR_FIELDS];
	/* Fields with earlier results of it in records, or QUERY_NO_FIELD. */
	int again, again_count;
	/* Fields with partial values from another query, or QUERY_NO_FIELD. */
	int partials[QUERY_PARTIALS_MAX];
	struct record_value number; /* the numeric argument, or nothing */
	char *name;                 /* of the result, "sum#calls" */
	bool shown;                 /* asked for by SELECT or AGGREGATE */
};

enum query_column_kind {
	QUERY_COLUMN_ALL, /* SELECT * */
	QUERY_COLUMN_ATTRIBUTE,
	QUERY_COLUMN_PATH,
	QUERY_COLUMN_AGGREGATE,
};

struct query_column {
	enum query_column_kind kind;
	char *name;       /* of the attribute, or of the aggregate's result */
	char *alias;      /* or NULL */
	char *unit;       /* or NULL */
	size_t aggregate; /* item of query.aggregates */
	bool hidden;      /* needed only by ORDER BY or HAVING */
};

struct query_order {
	char *name;
	size_t place; /* in the query's text */
	bool descending;
	size_t column; /* once all columns are known */
};

enum query_grouping {
	QUERY_GROUP_USUAL, /* no GROUP BY: all attributes of the context tree */
	QUERY_GROUP_GIVEN,
	QUERY_GROUP_TOTAL, /* GROUP BY (): one group */
};

struct query_format;

/* An option in the parentheses behind FORMAT, in queries for cali-query. */
struct query_option {
	const char *name; /* one of the format's */
	char *value;
};

/* Reads a file; trm_read is one. */
typedef struct trm_error *(*query_reader)(const char *path, struct record_model *model,
					  const struct trm_visitor *visitor,
					  char **ret_warning);

struct query {
	char *text;
	query_reader read;
	bool selects; /* has a SELECT; else columns follow from the other clauses */
	struct VECTOR(struct query_column) columns;
	struct VECTOR(struct query_aggregate) aggregates;
	struct VECTOR(struct query_field) fields;
	struct VECTOR(struct query_test) tests;   /* of WHERE and IF */
	struct VECTOR(struct query_test) havings; /* of HAVING */
	struct VECTOR(struct query_condition) conditions;
	struct VECTOR(struct query_expression) expressions;
	struct VECTOR(int) arguments;
	struct VECTOR(struct query_let) lets;
	enum query_grouping grouping;
	struct VECTOR(char *) keys; /* of GROUP BY */
	bool groups_path;           /* the path is one of the keys */
	int where, having;          /* items of `conditions`, or QUERY_NO_CONDITION */
	struct VECTOR(struct query_order) orders;
	bool limited;
	uint64_t limit;
	struct VECTOR(struct query_order) limit_by; /* so many of each; empty: in all */
	bool stops; /* only the first `limit` rows are needed */
	const struct query_format *format;
	struct VECTOR(
		char *) path; /* attributes that make up the path; empty: nested ones */
	bool object;          /* FORMAT json(object) */
	/* The query is for cali-query: clauses may be repeated, the formats are
	 * Caliper's, and with shows_all rows have hidden and global attributes, too. */
	bool caliper, shows_all;
	bool shows_globals; /* run metadata is shown instead of records */
	struct VECTOR(struct query_option) options; /* of the format */
};

struct query_result;

/* Whether records are aggregated into groups; else each record is a row. Caliper ignores
 * GROUP BY without an operator. */
static inline bool query_is_aggregating(const struct query *query)
{
	if (query->caliper)
		return query->aggregates.count;
	return query->aggregates.count || query->grouping != QUERY_GROUP_USUAL;
}

struct query_result;

/* Writes a part of the output. An error ends the query. */
typedef struct trm_error *(*query_writer)(const struct text *text);

/* Receiver of large parts of the output, as soon as they are made. */
struct query_output {
	query_writer write;
	struct trm_error *error; /* of the writer: it gets no more output */
};

struct query_style {
	bool colour;
	size_t width; /* columns of the terminal, 0: none */
	bool object;  /* one JSON object, {"profile": {...}, "rows": [...]} */
	/* Rows were printed before, or more will be printed afterwards. */
	bool continued, unfinished;
	struct query_output *output; /* NULL: all output is kept */
};

/* Frees a query. */
void query_destroy(struct query *query);

/* The value of an option of the format ("true" if only its name was given); NULL if it
 * was not given. */
const char *query_option(const struct query *query, const char *name);

/* Removes the options of the format. */
void query_forget_options(struct query *query);

#endif
