#include "page/functions.h"

#include "base/json_write.h"
#include "report/arcs.h"
#include "report/flame/columns.h"

#include <inttypes.h>
#include <stdlib.h>

static void add_column(const struct report_profile *profile,
		       const struct flame_column *column, bool first, struct text *out)
{
	text_format(out, "%s{\"name\":\"%s\",\"unit\":\"%s\",\"values\":[",
		    first ? "" : ",\n", column->name, column->unit);
	for (size_t i = 0; i < profile->functions.count; i++)
		text_format(out, "%s%" PRIu64, i ? "," : "",
			    column->get(&profile->functions.items[i]));
	text_add(out, "]}");
}

/* One string of lines: a million strings take a browser seconds. */
static void add_names(const struct report_profile *profile, struct text *out)
{
	struct text names = {0};

	vector_for_each (&profile->functions, function) {
		const size_t begin =
			names.length + (function != profile->functions.items);

		if (begin != names.length)
			text_add(&names, "\n");
		text_add(&names, function->name);
		for (size_t i = begin; i < names.length; i++)
			if (names.data[i] == '\n')
				names.data[i] = ' ';
	}
	text_add_json(out, names.data ? names.data : "");
	text_deinit(&names);
}

void page_add_functions(const struct report_profile *profile, struct text *out)
{
	const struct report_function *functions = profile->functions.items;
	const size_t count = profile->functions.count;
	bool first = true;

	text_add(out, "\"functions\":{\"names\":");
	add_names(profile, out);
	text_add(out, ",\n\"module\":[");
	for (size_t i = 0; i < count; i++)
		text_format(out, "%s%" PRIu32, i ? "," : "", functions[i].module);
	text_add(out, "],\n\"modules\":[");
	for (size_t i = 0; i < profile->modules.count; i++) {
		text_add(out, i ? "," : "");
		text_add_json(out, profile->modules.items[i].name);
	}
	text_add(out, "],\n\"offset\":[");
	for (size_t i = 0; i < count; i++)
		text_format(out, "%s%" PRIu64, i ? "," : "", functions[i].offset);
	text_add(out, "],\n\"columns\":[");
	for (const struct flame_column *column = flame_columns; column->name; column++) {
		if (!flame_column_is_used(profile, column))
			continue;
		add_column(profile, column, first, out);
		first = false;
	}
	text_add(out, "]}");
}

void page_add_arcs(const struct report_profile *profile, struct text *out)
{
	static const struct report_arc_filter all = {NULL, NULL};
	size_t count = 0;
	struct report_arc *arcs =
		report_profile_arcs(profile, &all, REPORT_SORT_CALLS, false, &count);

	text_add(out, "\"arcs\":{\"caller\":[");
	for (size_t i = 0; i < count; i++)
		text_format(out, "%s%" PRId64, i ? "," : "",
			    arcs[i].caller == REPORT_UNKNOWN ? -1
							     : (int64_t)arcs[i].caller);
	text_add(out, "],\"function\":[");
	for (size_t i = 0; i < count; i++)
		text_format(out, "%s%" PRIu32, i ? "," : "", arcs[i].function);
	text_add(out, "],\"count\":[");
	for (size_t i = 0; i < count; i++)
		text_format(out, "%s%" PRIu64, i ? "," : "", arcs[i].count);
	text_add(out, "]}");
	free(arcs);
}
