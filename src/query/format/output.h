/*
 * Handing over the text of a format in pieces.
 */
#ifndef TRAMMEL_QUERY_FORMAT_OUTPUT_H
#define TRAMMEL_QUERY_FORMAT_OUTPUT_H

#include "query/query.h"

/* Between two rows: hands `out` to the output if it is long. */
void query_give(const struct query_style *style, struct text *out);

#endif
