#include "query/format/cells.h"

#include <math.h>
#include <stdio.h>

static void add_double(struct text *out, struct record_value value)
{
	double size = fabs(value.d);
	char digits[64];

	if (size > 0 && size < 0.001) {
		snprintf(digits, sizeof(digits), "%.6g", value.d);
		text_add(out, digits);
		return;
	}
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

void query_add_escaped(struct text *out, const char *string)
{
	for (;;) {
		size_t plain = strcspn(string, ",=\\\n");

		text_add_bytes(out, string, plain);
		string += plain;
		if (!*string)
			return;
		text_add_bytes(out, "\\", 1);
		text_add_bytes(out, *string == '\n' ? "n" : string, 1);
		string++;
	}
}

void query_kind_see(struct query_kind *kind, struct record_value value)
{
	kind->seen |= 1u << value.type;
	kind->large |= value.type == RECORD_UINT && value.u > INT64_MAX;
}

#define BIT(type) (1u << RECORD_##type)

enum record_type query_kind_type(const struct query_kind *kind, enum record_type own)
{
	unsigned whole = BIT(UINT) | BIT(INT);

	if (!kind->seen)
		return (int)own == QUERY_NOTHING ? RECORD_STRING : own;
	/* In keys an int that is not negative is a uint. */
	if (kind->seen == 1u << own ||
	    (own == RECORD_INT && !(kind->seen & ~whole) && !kind->large))
		return own;
	if (!(kind->seen & (kind->seen - 1)))
		return (enum record_type)__builtin_ctz(kind->seen);
	if (!(kind->seen & ~whole) && !kind->large)
		return RECORD_INT;
	return kind->seen & ~(whole | BIT(DOUBLE)) ? RECORD_STRING : RECORD_DOUBLE;
}
