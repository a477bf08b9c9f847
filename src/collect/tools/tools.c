/* What tools and labels add to functions: a point for each; and the counters of tools, as
 * rows of a table of theirs, by function. */
#include "code/plan/plan_rows.h"
#include "collect/collect.h"
#include "session/profile/tool_rows_save.h"
#include "tool/source.h"

#include <string.h>

static void save_function(struct profile_writer *writer, const struct module_counts *from,
			  const struct plan_point_slots *row, struct tool *tool)
{
	const struct plan *plan = from->file->plan;
	const struct plan_function *function = &plan->functions.items[row->function];
	struct tool_row_number numbers[TOOL_COUNTERS_MAX] = {0};
	const struct added_function *added =
		source_find(tool, from->file->path, function->address);
	size_t count = added ? added->counters.count : 0;

	for (size_t i = 0; i < count; i++)
		numbers[i].name = tool->counters[added->counters.items[i]].name;
	for (size_t i = 0; count && i < count * added->copies && i < row->slot_count; i++)
		numbers[i % count].number += from->counters[row->first_slot + i];
	if (count)
		tool_rows_save_numbers(writer, from, plan_whole_of(plan, function),
				       tool->name ? tool->name : tool->table->name,
				       numbers, count);
}

static void save_points(struct profile_writer *writer, const struct module_counts *from)
{
	vector_for_each (&from->file->plan->points.slots, row) {
		struct tool *tool =
			source_tool(writer->session->options->points.items[row->source]);

		if (tool)
			save_function(writer, from, row, tool);
	}
}

static const struct collector_ops tools_ops = {.save_points = save_points};

const struct collector collector_values_exact = {
	.name = "values:exact",
	.summary = "values of all executions of chosen functions: see --only",
	.probe = PLAN_PROBE_COUNT,
	.depth = PLAN_POINTS,
	.slot_size = 8,
	.values_exact = true,
	.ops = {&tools_ops},
};

const struct collector collector_tools = {
	.name = "tools",
	.summary = "what tools and labels add (--tool, --labels)",
	.probe = PLAN_PROBE_COUNT,
	.depth = PLAN_POINTS,
	.slot_size = 8,
	.ops = {&tools_ops},
};
