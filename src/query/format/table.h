/*
 * The formats `table` and `tree`.
 */
#ifndef TRAMMEL_QUERY_FORMAT_TABLE_H
#define TRAMMEL_QUERY_FORMAT_TABLE_H

#include "query/result.h"

void query_print_table(struct query_result *result, const struct query_style *style,
		       struct text *out);

void query_print_tree(struct query_result *result, const struct query_style *style,
		      struct text *out);

#endif
