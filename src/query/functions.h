/*
 * Functions of LET: computations on the values of one record.
 */
#ifndef TRAMMEL_QUERY_FUNCTIONS_H
#define TRAMMEL_QUERY_FUNCTIONS_H

#include "query/query.h"

enum { QUERY_ARGUMENTS_MAX = 8 };

struct query_function {
	const char *name;
	int least, most; /* number of arguments */
	/* Arguments may be QUERY_NOTHING. */
	struct record_value (*value)(const struct record_value *arguments, int count);
	bool real; /* Caliper's result is a double, even if it is integral */
};

/* The function with this name, in any case; NULL if there is none. */
const struct query_function *query_function_find(const char *name);
/* All functions, up to one without a name; arithmetic operators are functions, too. */
extern const struct query_function query_functions[];

/* Evaluates item `expression` of query.expressions for a record with these fields. */
struct record_value query_evaluate(const struct query *query, int expression,
				   const struct record_value *fields);

#endif
