/*
 * The format `cali`: a .cali file of the result.
 */
#ifndef TRAMMEL_QUERY_FORMAT_CALI_H
#define TRAMMEL_QUERY_FORMAT_CALI_H

#include "query/format.h"

void query_print_cali(struct query_result *result, const struct query_style *style,
		      struct text *out);

#endif
