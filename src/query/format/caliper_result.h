/*
 * Results printed by the formats of cali-query.
 */
#ifndef TRAMMEL_QUERY_FORMAT_CALIPER_RESULT_H
#define TRAMMEL_QUERY_FORMAT_CALIPER_RESULT_H

#include "query/format.h"

void query_print_caliper(struct query_result *result, const struct query_style *style,
			 struct text *out);

#endif
