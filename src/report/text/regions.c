#include "report/text/regions.h"

#include "report/regions.h"
#include "report/samples.h"
#include "report/text/amounts.h"

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

/* Numbers of events that are no nanoseconds. */
static void add_amounts(struct grid *grid, const struct report_region *region,
			uint64_t total)
{
	grid_add_number(grid, region->inclusive_ns);
	grid_add_share(grid, region->inclusive_ns, total);
	grid_add_number(grid, region->ns);
	grid_add_share(grid, region->ns, total);
}

static void add_times(struct grid *grid, const struct report_region *region,
		      uint64_t total)
{
	if (!region->timed && region->function != REPORT_NONE) {
		for (int i = 0; i < 4; i++)
			grid_add_text(grid, i % 2 ? "" : "?");
		return;
	}
	add_duration(grid, region->inclusive_ns);
	grid_add_share(grid, region->inclusive_ns, total);
	add_duration(grid, region->ns);
	grid_add_share(grid, region->ns, total);
}

static void add_tree(struct text *out, const struct report_tree *tree,
		     const char *const words[4], bool is_time, size_t limit,
		     const struct text_style *style)
{
	struct grid grid = {0};
	size_t count;
	const struct report_region **rows = report_tree_rows(tree, &count);
	size_t kept = report_tree_heaviest(rows, count, limit);

	grid_add_column(&grid, words[0], true);
	grid_add_column(&grid, "Inclusive", true);
	grid_add_column(&grid, "Share", true);
	grid_add_column(&grid, "Exclusive", true);
	grid_add_column(&grid, "Share", true);
	grid_add_column(&grid, words[1], false);
	for (size_t i = 0; i < kept; i++) {
		grid_add_number(&grid, rows[i]->count);
		(is_time ? add_times : add_amounts)(&grid, rows[i], tree->ns);
		add_label(&grid, rows[i]);
	}
	text_add(out, "\n");
	grid_print(&grid, style, out);
	grid_deinit(&grid);
	if (count > kept)
		report_add_more(out, count - kept, words[2], words[3]);
	free(rows);
}

void report_add_regions(struct text *out, const struct report_profile *profile,
			size_t limit, const struct text_style *style)
{
	static const char *const words[] = {"Count", "Region", "region", "regions"};

	add_tree(out, &profile->regions, words, true, limit, style);
}

void report_add_graph(struct text *out, const struct report_profile *profile,
		      size_t limit, const struct text_style *style)
{
	static const char *const words[] = {"Calls", "Function", "context", "contexts"};

	uint64_t known = 0;

	add_tree(out, &profile->graph, words, true, limit, style);
	vector_for_each (&profile->graph.nodes, call)
		known += call->count;
	if (known < profile->calls) {
		text_add(out, "  ");
		report_add_count(out, profile->calls - known, "call", "calls");
		text_add(out, " more, whose context is not known\n");
	}
}

void report_add_stacks(struct text *out, const struct report_profile *profile,
		       size_t limit, const struct text_style *style)
{
	static const char *const words[] = {"Samples", "Function", "frame", "frames"};

	add_tree(out, &profile->stacks, words,
		 profile->events.count && profile->events.items[0].is_clock, limit,
		 style);
}
