/* For the tests of queries: one that is right. Behind cmocka.h. */
#ifndef TRAMMEL_TESTS_GOOD_QUERY_H
#define TRAMMEL_TESTS_GOOD_QUERY_H

#include "query/query.h"

/* The test fails if it is none. */
static inline struct query *parse_good(const char *words)
{
	struct query *query = NULL;
	size_t place;
	struct trm_error *error = query_parse(words, &query, &place);

	if (error)
		fail_msg("'%s': %s", words, error->message);
	return query;
}

#endif
