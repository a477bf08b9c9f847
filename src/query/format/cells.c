#include "query/format/cells.h"

#include <math.h>
#include <stdio.h>

static void add_double(struct text *out, struct record_value value)
{
	double size = fabs(value.d);
	char digits[64];

	if (!(size >= 0.001 && size < 1e15)) {
		record_value_text(out, value);
		return;
	}
	snprintf(digits, sizeof(digits), "%.6f", value.d);
	size_t length = strlen(digits);

	while (digits[length - 1] == '0')
		length--;
	length -= digits[length - 1] == '.';
	text_add_bytes(out, digits, length);
}

void query_add_cell(struct text *out, struct record_value value)
{
	text_add(out, "");
	switch ((int)value.type) {
	case QUERY_NOTHING:
		return;
	case RECORD_INT:
		text_add(out, value.i < 0 ? "-" : "");
		text_add_grouped(out, value.i < 0 ? -value.u : value.u);
		return;
	case RECORD_UINT:
		text_add_grouped(out, value.u);
		return;
	case RECORD_DOUBLE:
		add_double(out, value);
		return;
	default:
		record_value_text(out, value);
	}
}

void query_add_title(struct text *out, const struct query_result_column *column)
{
	text_add(out, column->title);
	if (column->unit)
		text_format(out, " (%s)", column->unit);
}
