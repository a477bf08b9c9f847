#include "report/regions.h"
#include "report/text/parts.h"

static void add_duration(struct grid *grid, uint64_t ns)
{
	struct text text = {0};

	report_add_duration(&text, ns);
	grid_add_text(grid, text.data);
	text_deinit(&text);
}

static void add_label(struct grid *grid, const struct report_region *region)
{
	struct text text = {0};

	text_format(&text, "%*s%s", 2 * (int)region->depth, "", region->label);
	grid_add_text(grid, text.data);
	text_deinit(&text);
}

void report_add_regions(struct text *out, const struct report_profile *profile,
			size_t limit, const struct text_style *style)
{
	struct grid grid = {0};
	size_t count;
	const struct report_region **rows = report_profile_regions(profile, &count);

	grid_add_column(&grid, "Count", true);
	grid_add_column(&grid, "Inclusive", true);
	grid_add_column(&grid, "Share", true);
	grid_add_column(&grid, "Exclusive", true);
	grid_add_column(&grid, "Share", true);
	grid_add_column(&grid, "Region", false);
	for (size_t i = 0; i < count && i < limit; i++) {
		grid_add_number(&grid, rows[i]->count);
		add_duration(&grid, rows[i]->inclusive_ns);
		grid_add_share(&grid, rows[i]->inclusive_ns, profile->region_ns);
		add_duration(&grid, rows[i]->ns);
		grid_add_share(&grid, rows[i]->ns, profile->region_ns);
		add_label(&grid, rows[i]);
	}
	text_add(out, "\n");
	grid_print(&grid, style, out);
	grid_deinit(&grid);
	if (count > limit)
		report_add_more(out, count - limit, "region", "regions");
	free(rows);
}
