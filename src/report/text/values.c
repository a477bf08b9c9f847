#include "report/text/values.h"

#include "base/path.h"
#include "report/text/amounts.h"

#include <inttypes.h>
#include <string.h>

enum { DECIMAL_MAX = 1000000 };

void report_add_value(struct text *out, const struct report_value *value, int64_t number)
{
	const bool place =
		!strcmp(value->kind, "target") || !strcmp(value->kind, "address");

	if (!strcmp(value->kind, "replay"))
		text_add(out, report_value_replay(number));
	else if (!place && number > -DECIMAL_MAX && number < DECIMAL_MAX)
		text_format(out, "%" PRId64, number);
	else
		text_format(out, "0x%" PRIx64, (uint64_t)number);
}

static uint64_t sum_of(const struct report_profile *profile, const char *name)
{
	uint64_t sum = 0;

	vector_for_each (&profile->runs, run)
		vector_for_each (&run->globals, global)
			if (!strcmp(global->name, name))
				sum += global->value.u;
	return sum;
}

static void add_head(struct text *out, const struct report_profile *profile)
{
	static const struct {
		const char *name, *one, *many;
	} rows[] = {
		{"values.cut_short", "was left before its end", "were left before it"},
		{"values.at_calls", "ended at a system call", "ended at system calls"},
		{"values.not_copied", "ended at an instruction that is not copied",
		 "ended at instructions that are not copied"},
		{"values.code_changed", "ended where the program changed the code",
		 "ended where the program changed the code"},
		{"values.in_calls", "thread was in a system call",
		 "threads were in system calls"},
		{"values.elsewhere", "thread was in code that is not copied",
		 "threads were in code that is not copied"},
		{"values.crowded", "thread found no room", "threads found no room"},
	};
	const uint64_t stretches = sum_of(profile, "values.stretches");

	if (!sum_of(profile, "values.interrupts"))
		return;
	report_add_count(out, sum_of(profile, "values.interrupts"), "interrupt",
			 "interrupts");
	text_add(out, ", ");
	report_add_count(out, stretches, "stretch", "stretches");
	text_add(out, " of ");
	report_add_count(out, sum_of(profile, "values.instructions"), "instruction",
			 "instructions");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint64_t number = sum_of(profile, rows[i].name);

		if (!number)
			continue;
		text_add(out, "; ");
		report_add_count(out, number, rows[i].one, rows[i].many);
	}
	text_add(out, "\n\n");
}

static void add_percent(struct grid *grid, double share)
{
	struct text text = {0};

	if (share >= 0)
		text_format(&text, "%.1f %%", share * 100);
	grid_add_text(grid, text.data ? text.data : "");
	text_deinit(&text);
}

/* "+8 99.2 %": the stride of most pairs. */
static void add_stride(struct grid *grid, const struct report_value *value)
{
	struct text text = {0};

	if (value->strides.count && value->pairs)
		text_format(&text, "%+" PRId64 " %.0f %%", value->strides.items[0].value,
			    100 * (double)value->strides.items[0].times /
				    (double)value->pairs);
	grid_add_text(grid, text.data ? text.data : "");
	text_deinit(&text);
}

/* "work+0x12 (app.c:12)" */
static void add_place(struct grid *grid, const struct report_value *value)
{
	const struct report_tool_code *code = &value->code;
	struct text text = {0};

	if (code->function)
		text_format(&text, "%s", code->function);
	else if (code->module)
		text_format(&text, "[%s]", code->module);
	else
		text_format(&text, "[generated code]+0x%" PRIx64, value->at);
	if (code->function && code->has_offset && value->at >= code->offset)
		text_format(&text, "+0x%" PRIx64, value->at - code->offset);
	if (code->line)
		text_format(&text, " %s:%" PRIu64, path_name(code->file), code->line);
	grid_add_text(grid, text.data);
	text_deinit(&text);
}

static void add_share(struct text *text, uint64_t times, uint64_t seen)
{
	text_format(text, " %.1f %%", seen ? 100 * (double)times / (double)seen : 0.0);
}

/* Loads by the level that they seem to have come from. */
static void add_levels(struct text *text, const struct report_value *value,
		       const struct report_levels *levels)
{
	vector_for_each (levels, level) {
		uint64_t times = 0;

		vector_for_each (&value->top, count)
			if ((uint64_t)count->value >= level->least &&
			    (uint64_t)count->value <= level->most)
				times += count->times;
		if (!times)
			continue;
		text_format(text, "%s%s", text->length ? ", " : "", level->name);
		add_share(text, times, value->looked);
	}
}

static void add_top(struct grid *grid, const struct report_value *value,
		    const struct report_values_style *style)
{
	struct text text = {0};

	if (!strcmp(value->kind, "ticks") && style->levels->count)
		add_levels(&text, value, style->levels);
	else
		for (size_t i = 0; i < value->top.count && i < style->top; i++) {
			text_add(&text, i ? ", " : "");
			report_add_value(&text, value, value->top.items[i].value);
			add_share(&text, value->top.items[i].times, value->looked);
		}
	grid_add_text(grid, text.data ? text.data : "");
	text_deinit(&text);
}

/* What nearly always has one value is green; red: loads that mostly wait for stores. */
static enum grid_paint paint_of(const struct report_value *value)
{
	const double most = report_value_invariance(value);
	const bool replay = !strcmp(value->kind, "replay");

	if (replay)
		return value->top.count && value->top.items[0].value > 1 ? GRID_RED
									 : GRID_PLAIN;
	return most >= 0.95 ? GRID_GREEN : GRID_PLAIN;
}

static void add_row(struct grid *grid, const struct report_value *value,
		    const struct report_values_style *style, bool regions)
{
	grid_paint_row(grid, paint_of(value));
	grid_add_number(grid, value->seen);
	add_percent(grid, report_value_invariance(value));
	add_percent(grid, report_value_zeros(value));
	add_percent(grid, report_value_same(value));
	add_stride(grid, value);
	grid_add_text(grid, value->kind);
	grid_add_text(grid, value->what);
	if (regions)
		grid_add_text(grid, value->region ? value->region : "");
	add_place(grid, value);
	add_top(grid, value, style);
}

void report_add_values(struct text *out, const struct report_profile *profile,
		       const struct report_values *values,
		       const struct report_values_style *style)
{
	struct grid grid = {0};
	bool regions = false;

	add_head(out, profile);
	vector_for_each (&values->items, value)
		regions |= value->region != NULL;
	grid_add_column(&grid, "Seen", true);
	grid_add_column(&grid, "Invariance", true);
	grid_add_column(&grid, "Zero", true);
	grid_add_column(&grid, "Last", true);
	grid_add_column(&grid, "Stride", true);
	grid_add_column(&grid, "Kind", false);
	grid_add_column(&grid, "What", false);
	if (regions)
		grid_add_column(&grid, "Region", false);
	grid_add_column(&grid, "Place", false);
	grid_add_column(&grid, "Values", false);
	for (size_t i = 0; i < values->items.count && i < style->limit; i++)
		add_row(&grid, &values->items.items[i], style, regions);
	grid_print(&grid, &style->style, out);
	if (values->items.count > style->limit)
		report_add_more(out, values->items.count - style->limit, "row", "rows");
	grid_deinit(&grid);
}
