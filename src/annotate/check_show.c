/* What a check has found, for people and for programs. */
#include "annotate/check_show.h"

#include "annotate/check.h"
#include "report/json/parts.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"
#include "report/text/head.h"

#include <inttypes.h>
#include <string.h>

static const struct {
	const char *name;   /* in JSON */
	const char *format; /* of the two numbers */
} kinds[] = {
	[CHECK_CALLS] = {"calls", "%" PRIu64 " calls, but entered %" PRIu64 " times"},
	[CHECK_BEYOND] = {"beyond", "0x%" PRIx64 " is beyond 0x%" PRIx64},
	[CHECK_ARCS] = {"arcs", "%" PRIu64 " calls from all call sites, at most %" PRIu64
				" calls"},
	[CHECK_LACK] = {"lack",
			"%" PRIu64 " calls, at most %" PRIu64 " from all call sites"},
	[CHECK_ENTRY] = {"entry",
			 "entered %" PRIu64 " times, by ways taken at most %" PRIu64},
	[CHECK_SOLVED] = {"contradiction", "counters contradict each other (%" PRIu64
					   ", not %" PRIu64 ")"},
	[CHECK_IN] = {"edges in",
		      "edges led there %" PRIu64 " times, entered %" PRIu64 " times"},
	[CHECK_OUT] = {"edges out", "what entered and what left differ: %" PRIu64
				    " and %" PRIu64 " times"},
	[CHECK_LEFT] = {"left", "entered %" PRIu64 " times, left %" PRIu64},
	[CHECK_STAYED] = {"calls that stayed",
			  "entered %" PRIu64 " times, left %" PRIu64 ": calls did not "
			  "return"},
	[CHECK_TWICE] = {"left twice", "left %" PRIu64 " times, entered %" PRIu64
				       ": calls returned twice, in a child, or were made "
				       "before trammel attached"},
	[CHECK_CAME] = {"entered by a context",
			"entered %" PRIu64 " times, %" PRIu64
			" of them by edges: a signal's handler sent a thread there"},
};

static void add_place(struct text *out, const struct report_profile *profile,
		      const struct check_row *row)
{
	const struct report_module *module =
		&profile->modules.items[row->function->module];

	report_add_visible(out, module->ambiguous ? module->path : module->name);
	text_format(out, " 0x%" PRIx64 " ", row->address);
	report_add_visible(out, row->function->name);
}

/* Nobody knows where the threads of such a process stood, and what follows from counters
 * there may be wrong by one for each. */
static bool is_killed(const struct report_profile *profile,
		      const struct report_image *image)
{
	return profile->edges.count && image->selected &&
	       !strcmp(image->state, "killed by SIGKILL");
}

static void add_killed(const struct report_profile *profile, struct text *out)
{
	vector_for_each (&profile->images, image) {
		if (!is_killed(profile, image))
			continue;
		text_format(out,
			    "Process %" PRIu64
			    " was killed: for each of its threads, counts "
			    "of one function may be wrong by one\n",
			    image->process);
	}
}

void check_text(const struct check *check, const struct report_profile *profile,
		size_t limit, struct text *out)
{
	size_t shown = 0;

	report_add_count(out, check->functions, "function", "functions");
	text_add(out, ", ");
	report_add_count(out, check->blocks, "block", "blocks");
	if (check->edges) {
		text_add(out, ", ");
		report_add_count(out, check->edges, "edge", "edges");
	}
	if (check->arcs) {
		text_add(out, ", ");
		report_add_count(out, check->arcs, "call site", "call sites");
	}
	text_add(out, " checked: ");
	report_add_count(out, check->faults, "count that cannot be",
			 "counts that cannot be");
	text_add(out, ", ");
	report_add_count(out, check->rows.count - check->faults, "block not left",
			 "blocks not left");
	text_add(out, "\n");
	vector_for_each (&check->rows, row) {
		if (shown++ >= limit)
			break;
		text_add(out, row->kind < CHECK_LEFT ? "  Fault: " : "  ");
		add_place(out, profile, row);
		text_add(out, ": ");
		text_format(out, kinds[row->kind].format, row->a, row->b);
		text_add(out, "\n");
	}
	if (check->rows.count > limit)
		report_add_more(out, check->rows.count - limit, "row", "rows");
	add_killed(profile, out);
	vector_for_each (&check->troubles, trouble) {
		text_add(out, "Code not looked at: ");
		report_add_visible(out, trouble->reason);
		text_add(out, "\n");
	}
}

void check_json(const struct check *check, const struct report_profile *profile,
		struct text *out)
{
	text_add(out, "{");
	json_add_number(out, "functions", check->functions);
	json_add_number(out, "blocks", check->blocks);
	json_add_number(out, "edges", check->edges);
	json_add_number(out, "arcs", check->arcs);
	json_add_number(out, "faults", check->faults);
	json_begin_list(out, "rows");
	vector_for_each (&check->rows, row) {
		const struct report_module *module =
			&profile->modules.items[row->function->module];

		json_begin_item(out);
		json_add_string(out, "kind", kinds[row->kind].name);
		json_add_boolean(out, "fault", row->kind < CHECK_LEFT);
		json_add_place(out, module->path, row->function);
		json_add_address(out, "block", row->address);
		json_add_number(out, "is", row->a);
		json_add_number(out, "at.most", row->b);
		text_add(out, "}");
	}
	text_add(out, "]");
	json_begin_list(out, "troubles");
	vector_for_each (&check->troubles, trouble) {
		json_begin_item(out);
		json_add_string(out, "module.path", trouble->module->path);
		json_add_string(out, "reason", trouble->reason);
		text_add(out, "}");
	}
	text_add(out, "]");
	json_begin_list(out, "killed");
	vector_for_each (&profile->images, image) {
		if (!is_killed(profile, image))
			continue;
		json_begin_item(out);
		json_add_number(out, "image", image->number);
		json_add_number(out, "process", image->process);
		text_add(out, "}");
	}
	text_add(out, "]}\n");
}
