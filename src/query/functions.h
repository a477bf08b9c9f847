/*
 * What LET computes of the values of one record.
 */
#ifndef TRAMMEL_QUERY_FUNCTIONS_H
#define TRAMMEL_QUERY_FUNCTIONS_H

#include "query/query.h"

enum { QUERY_ARGUMENTS_MAX = 8 };

struct query_function {
	const char *name;
	int least, most; /* arguments */
	/* Arguments may be nothing. */
	struct record_value (*value)(const struct record_value *arguments, int count);
	bool real; /* Caliper has a double, even if it is a whole number */
};

/* The function of this name, in any case; NULL if there is none. */
const struct query_function *query_function_find(const char *name);
/* All, up to one without a name. The signs of arithmetic are functions, too. */
extern const struct query_function query_functions[];

/* The value of an item of query.expressions for a record. */
struct record_value query_evaluate(const struct query *query, int expression,
				   const struct record_value *fields);

#endif
