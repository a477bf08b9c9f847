/* Handing over the text of a format in pieces. */
#include "query/format/output.h"

/* Bytes that are given to an output together. */
enum { BYTES_AT_ONCE = 1 << 20 };

void query_give(const struct query_style *style, struct text *out)
{
	if (!style->output || out->length < BYTES_AT_ONCE)
		return;
	if (!style->output->error)
		style->output->error = style->output->write(out);
	out->length = 0;
}
