/*
 * The format `html`: a page with a table.
 */
#ifndef TRAMMEL_QUERY_FORMAT_HTML_H
#define TRAMMEL_QUERY_FORMAT_HTML_H

#include "query/format.h"

void query_print_html(struct query_result *result, const struct query_style *style,
		      struct text *out);

#endif
