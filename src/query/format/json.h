/* JSON: a list of rows, or an object with them and the run metadata. */
#ifndef TRAMMEL_QUERY_FORMAT_JSON_H
#define TRAMMEL_QUERY_FORMAT_JSON_H

#include "query/result.h"

void query_print_json(struct query_result *result, const struct query_style *style,
		      struct text *out);

#endif
