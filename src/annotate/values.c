#include "annotate/values.h"

#include "base/search.h"
#include "report/json/parts.h"
#include "report/text/values.h"

#include <string.h>

/* Values of an instruction that are shown, and of which kinds. */
enum { SHOWN_MAX = 2 };

/* 0: of a kind that is not shown; else the lower, the more it says. */
static int rank_of(const struct report_value *value)
{
	static const char *const kinds[] = {NULL, "result", "target", "store", "load"};

	for (int i = 1; i < (int)(sizeof(kinds) / sizeof(kinds[0])); i++)
		if (!strcmp(value->kind, kinds[i]))
			return i;
	return 0;
}

static bool is_of(const struct report_value *value, const struct annotation *annotation)
{
	return value->code.path && !strcmp(value->code.path, annotation->module->path);
}

/* Rows are sorted by their module first, then by address. */
static size_t first_at(const struct report_values *values,
		       const struct annotation *annotation, uint64_t address)
{
	const struct report_value *items = values->items.items;
	const char *path = annotation->module->path;

	return search_first(
		values->items.count, i,
		strcmp(items[i].code.path ?: "", path) < 0 ||
			(is_of(&items[i], annotation) && items[i].at < address));
}

static bool is_at(const struct report_values *values, const struct annotation *annotation,
		  size_t row, uint64_t address)
{
	return row < values->items.count && values->items.items[row].at == address &&
	       is_of(&values->items.items[row], annotation);
}

bool annotation_values_init(struct report_values *values,
			    const struct annotation *annotation)
{
	const struct report_values_choice choice = {.order = REPORT_VALUES_BY_ADDRESS};
	size_t row;

	report_values_init(values, annotation->profile, &choice);
	row = first_at(values, annotation, annotation->address);
	return row < values->items.count &&
	       is_of(&values->items.items[row], annotation) &&
	       values->items.items[row].at - annotation->address < annotation->size;
}

/* Whether a row is shown in front of another one. Of several regions, that of the most
 * executions. */
static bool is_before(const struct report_value *value, const struct report_value *other)
{
	const int rank = rank_of(value), other_rank = rank_of(other);

	return rank != other_rank ? rank < other_rank : value->seen > other->seen;
}

/* Puts a row where it belongs among those that are shown. */
static size_t put_row(const struct report_value **shown, size_t count,
		      const struct report_value *value)
{
	size_t at = count;

	for (size_t i = 0; i < count; i++)
		if (rank_of(shown[i]) == rank_of(value) &&
		    !strcmp(shown[i]->what, value->what)) {
			if (is_before(value, shown[i]))
				shown[i] = value;
			return count;
		}
	while (at && is_before(value, shown[at - 1]))
		at--;
	if (at == SHOWN_MAX)
		return count;
	count += count < SHOWN_MAX;
	memmove(shown + at + 1, shown + at, (count - at - 1) * sizeof(*shown));
	shown[at] = value;
	return count;
}

void annotation_values_add(const struct report_values *values,
			   const struct annotation *annotation, uint64_t address,
			   struct text *out)
{
	const struct report_value *shown[SHOWN_MAX];
	size_t count = 0;

	for (size_t row = first_at(values, annotation, address);
	     is_at(values, annotation, row, address); row++) {
		const struct report_value *value = &values->items.items[row];

		if (rank_of(value) && value->top.count && value->looked)
			count = put_row(shown, count, value);
	}
	for (size_t i = 0; i < count; i++) {
		text_format(out, "%s%s ", i ? ", " : "", shown[i]->what);
		report_add_value(out, shown[i], shown[i]->top.items[0].value);
		text_format(out, " %.1f %%", 100 * report_value_invariance(shown[i]));
	}
}

void annotation_values_json(const struct report_values *values,
			    const struct annotation *annotation, uint64_t address,
			    struct text *out)
{
	const size_t first = first_at(values, annotation, address);

	if (!is_at(values, annotation, first, address))
		return;
	json_add_key(out, "values");
	text_add(out, "[");
	for (size_t row = first; is_at(values, annotation, row, address); row++) {
		const struct report_value *value = &values->items.items[row];

		text_add(out, row == first ? "{" : ", {");
		json_add_string(out, "kind", value->kind);
		json_add_string(out, "what", value->what);
		if (value->region)
			json_add_string(out, "region.path", value->region);
		json_add_number(out, "seen", value->seen);
		if (value->top.count && value->looked)
			text_format(out, ", \"value\": %lld, \"share\": %.6f",
				    (long long)value->top.items[0].value,
				    report_value_invariance(value));
		text_add(out, "}");
	}
	text_add(out, "]");
}
