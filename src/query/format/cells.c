#include "query/format/cells.h"

#include "query/match.h"
#include "record/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
	/* Below 1e15, so that an integer holds what is before the point. */
	const char *point = strchr(digits, '.');

	text_add(out, digits[0] == '-' ? "-" : "");
	text_add_grouped(out, strtoull(digits + (digits[0] == '-'), NULL, 10));
	if (digits + length > point)
		text_add_bytes(out, point, (size_t)(digits + length - point));
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

/* Whether the name ends in .ns: nanoseconds (docs/profile.md). */
static bool is_time(const char *name)
{
	size_t length = strlen(name);

	return length > 3 && !strcmp(name + length - 3, ".ns");
}

/* The unit of an attribute, by its metadata or its name. */
static const char *unit_of(const struct query_attribute *attribute)
{
	if (attribute->unit)
		return attribute->unit;
	return is_time(attribute->name) ? "ns" : NULL;
}

/* The unit of an operator's attributes; NULL if there is none, or they differ. */
static const char *unit_of_input(const struct query_result *result,
				 const struct query_aggregate *aggregate)
{
	const struct query_field *field =
		&result->query->fields.items[aggregate->fields[0]];
	const char *found = NULL;

	vector_for_each (&result->query->lets, let)
		if (let->field == aggregate->fields[0])
			return NULL;
	vector_for_each (&result->part->keys.attributes, attribute) {
		const char *unit = unit_of(attribute);

		if (!query_is_name(field->name, attribute->name))
			continue;
		if (!unit || (found && strcmp(found, unit) != 0))
			return NULL;
		found = unit;
	}
	return found;
}

static const char *own_unit(const struct query_result *result,
			    const struct query_result_column *column)
{
	if (column->kind == QUERY_COLUMN_AGGREGATE) {
		const struct query_aggregate *aggregate =
			&result->query->aggregates.items[column->aggregate];

		return aggregate->op->flags & QUERY_ALIKE
			       ? unit_of_input(result, aggregate)
			       : NULL;
	}
	return column->attribute < 0
		       ? NULL
		       : unit_of(&result->part->keys.attributes.items[column->attribute]);
}

void query_add_title(struct text *out, const struct query_result *result,
		     const struct query_result_column *column)
{
	const char *unit = column->unit ? column->unit : own_unit(result, column);
	bool said = unit && !strcmp(unit, "ns") && is_time(column->title);

	text_add_bytes(out, column->title, strlen(column->title) - (said ? 3 : 0));
	if (unit)
		text_format(out, " (%s)", unit);
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

struct record_value query_fit(struct query_texts *texts, enum record_type type,
			      struct record_value value)
{
	if (value.type == type)
		return value;
	if (type == RECORD_DOUBLE)
		return query_double(query_as_double(value));
	if (type != RECORD_STRING)
		return (struct record_value){.type = type, .u = value.u};
	while (texts->items.count <= texts->used)
		vector_add(&texts->items);
	struct text *text = &texts->items.items[texts->used++];

	text->length = 0;
	text_add(text, "");
	record_value_text(text, value);
	return record_string(text->data);
}

void query_texts_deinit(struct query_texts *texts)
{
	vector_for_each (&texts->items, text)
		text_deinit(text);
	vector_deinit(&texts->items);
}
