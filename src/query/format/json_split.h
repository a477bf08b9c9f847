/* JSON for Hatchet and Thicket: rows as lists of cells, and the paths as a tree. */
#ifndef TRAMMEL_QUERY_FORMAT_JSON_SPLIT_H
#define TRAMMEL_QUERY_FORMAT_JSON_SPLIT_H

#include "query/result.h"

void query_print_json_split(struct query_result *result, const struct query_style *style,
			    struct text *out);

#endif
