#include "page/functions.h"

#include "annotate/sources.h"
#include "base/cleanup.h"
#include "base/json_write.h"
#include "report/arcs.h"
#include "report/flame/columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of all functions, before they are added. */
static uint64_t *allocate_numbers(const struct report_profile *profile)
{
	return memory_allocate((profile->functions.count + 1) * sizeof(uint64_t));
}

static void add_column(const struct report_profile *profile,
		       const struct flame_column *column, bool first,
		       struct page_out *out)
{
	scoped_free uint64_t *values = allocate_numbers(profile);

	for (size_t i = 0; i < profile->functions.count; i++)
		values[i] = column->get(&profile->functions.items[i]);
	text_format(out->json,
		    "%s{\"name\":\"%s\",\"unit\":\"%s\",\"values\":", first ? "" : ",\n",
		    column->name, column->unit);
	page_add_numbers(out, values, profile->functions.count, false, true);
	text_add(out->json, "}");
}

/* Adds a name as one line. */
static void add_line(struct text *lines, const char *name)
{
	const size_t begin = lines->length;

	text_add(lines, name);
	for (size_t i = begin; i < lines->length; i++)
		if (lines->data[i] == '\n')
			lines->data[i] = ' ';
}

/* One string of lines: a million strings take a browser seconds. */
static void add_names(const struct report_profile *profile, struct page_out *out)
{
	struct text names = {0};

	vector_for_each (&profile->functions, function) {
		if (function != profile->functions.items)
			text_add(&names, "\n");
		add_line(&names, function->name);
	}
	page_add_text(out, &names, profile->functions.count);
	text_deinit(&names);
}

static int compare_names(const void *left, const void *right, void *context)
{
	const struct report_function *functions = context;
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return strcmp(functions[a].name, functions[b].name) ?: (a > b) - (a < b);
}

/* Adds the functions' numbers in the order of their names. */
static void add_name_order(const struct report_profile *profile, struct page_out *out)
{
	scoped_free uint64_t *order = allocate_numbers(profile);
	const size_t count = profile->functions.count;

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	if (count)
		qsort_r(order, count, sizeof(*order), compare_names,
			profile->functions.items);
	text_add(out->json, ",\n\"by.name\":");
	page_add_numbers(out, order, count, false, false);
}

struct weighed {
	uint64_t weight;
	size_t function;
};

static int by_weight(const void *left, const void *right)
{
	const struct weighed *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

/* Adds the names of the heaviest functions by each column: what is shown at first. */
static void add_first_names(const struct report_profile *profile, struct text *out)
{
	enum { FIRST = 200 };
	struct weighed *rows =
		memory_allocate((profile->functions.count + 1) * sizeof(struct weighed));
	bool first = true;

	text_add(out, "\"first\":{");
	for (const struct flame_column *column = flame_columns; column->name; column++) {
		size_t count = 0;

		vector_for_each (&profile->functions, function)
			if (column->get(function))
				rows[count++] = (struct weighed){
					column->get(function),
					(size_t)(function - profile->functions.items)};
		qsort(rows, count, sizeof(*rows), by_weight);
		for (size_t i = 0; i < count && i < FIRST; i++) {
			text_format(out, "%s\"%zu\":", first ? "" : ",",
				    rows[i].function);
			text_add_json(out,
				      profile->functions.items[rows[i].function].name);
			first = false;
		}
	}
	text_add(out, "}");
	free(rows);
}

static void add_modules(const struct report_profile *profile, struct page_out *out)
{
	scoped_free uint64_t *values = allocate_numbers(profile);
	const size_t count = profile->functions.count;

	for (size_t i = 0; i < count; i++)
		values[i] = profile->functions.items[i].module;
	text_add(out->json, ",\n\"module\":");
	page_add_numbers(out, values, count, false, true);
	text_add(out->json, ",\n\"modules\":[");
	for (size_t i = 0; i < profile->modules.count; i++) {
		text_add(out->json, i ? "," : "");
		text_add_json(out->json, profile->modules.items[i].name);
	}
	for (size_t i = 0; i < count; i++)
		values[i] = profile->functions.items[i].offset;
	text_add(out->json, "],\n\"offset\":");
	page_add_numbers(out, values, count, false, false);
}

/* Adds where functions are in the source: numbers of files, -1 where it is not known. */
static void add_places(const struct report_profile *profile, struct page_out *out)
{
	scoped_free uint64_t *values = allocate_numbers(profile);
	const size_t count = profile->functions.count;
	struct function_sources sources;

	function_sources_init(&sources, profile);
	text_add(out->json, ",\n\"files\":[");
	for (size_t i = 0; i < sources.paths.count; i++) {
		text_add(out->json, i ? "," : "");
		text_add_json(out->json, sources.paths.strings[i]);
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t number = 0;
		const bool known =
			sources.files[i] &&
			string_table_find(&sources.paths, sources.files[i], &number);

		values[i] = known ? number : UINT64_MAX;
	}
	text_add(out->json, "],\n\"file\":");
	page_add_numbers(out, values, count, true, false);
	for (size_t i = 0; i < count; i++)
		values[i] = sources.lines[i];
	text_add(out->json, ",\n\"line\":");
	page_add_numbers(out, values, count, false, false);
	function_sources_deinit(&sources);
}

void page_add_functions(const struct report_profile *profile, struct page_out *out)
{
	bool first = true;

	text_format(out->json,
		    "\"functions\":{\"count\":%zu,\"names\":", profile->functions.count);
	add_names(profile, out);
	add_name_order(profile, out);
	text_add(out->json, ",\n");
	add_first_names(profile, out->json);
	add_modules(profile, out);
	add_places(profile, out);
	text_add(out->json, ",\n\"columns\":[");
	for (const struct flame_column *column = flame_columns; column->name; column++) {
		if (!flame_column_is_used(profile, column))
			continue;
		add_column(profile, column, first, out);
		first = false;
	}
	text_add(out->json, "]}");
}

void page_add_arcs(const struct report_profile *profile, struct page_out *out)
{
	static const struct report_arc_filter all = {NULL, NULL};
	size_t count = 0;
	struct report_arc *arcs =
		report_profile_arcs(profile, &all, REPORT_SORT_CALLS, false, &count);
	scoped_free uint64_t *values = memory_allocate((count + 1) * sizeof(*values));

	for (size_t i = 0; i < count; i++)
		values[i] =
			arcs[i].caller == REPORT_UNKNOWN ? UINT64_MAX : arcs[i].caller;
	text_add(out->json, "\"arcs\":{\"caller\":");
	page_add_numbers(out, values, count, true, false);
	for (size_t i = 0; i < count; i++)
		values[i] = arcs[i].function;
	text_add(out->json, ",\"function\":");
	page_add_numbers(out, values, count, false, false);
	for (size_t i = 0; i < count; i++)
		values[i] = arcs[i].count;
	text_add(out->json, ",\"count\":");
	page_add_numbers(out, values, count, false, false);
	text_add(out->json, "}");
	free(arcs);
}
