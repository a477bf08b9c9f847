/*
 * Formats of a line for each row: csv, expand, folded.
 */
#ifndef TRAMMEL_QUERY_FORMAT_LINES_H
#define TRAMMEL_QUERY_FORMAT_LINES_H

#include "query/result.h"

void query_print_csv(struct query_result *result, const struct query_style *style,
		     struct text *out);

void query_print_expand(struct query_result *result, const struct query_style *style,
			struct text *out);

void query_print_folded(struct query_result *result, const struct query_style *style,
			struct text *out);

#endif
