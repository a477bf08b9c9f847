/* The instruction mix, as text and JSON. */
#include "derive/mix_show.h"

#include "derive/mix.h"
#include "report/json/parts.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"
#include "report/text/head.h"

#include <inttypes.h>
#include <stdio.h>

/* What the rows are called. */
static const struct {
	const char *column, *one, *many;
} titles[] = {
	[MIX_BY_CLASS] = {"Class", "class", "classes"},
	[MIX_BY_MNEMONIC] = {"Mnemonic", "mnemonic", "mnemonics"},
	[MIX_BY_FUNCTION] = {"Function", "function", "functions"},
	[MIX_BY_BLOCK] = {"Function", "block", "blocks"},
	[MIX_BY_MODULE] = {"Module", "module", "modules"},
	[MIX_BY_PROGRAM] = {"Program", "program", "programs"},
};

static void add_row(struct grid *grid, const struct mix *mix, const struct mix_row *row)
{
	const struct memory_sums *sums = &row->sums;
	char address[24];

	grid_add_number(grid, sums->instructions);
	grid_add_share(grid, sums->instructions, mix->total.sums.instructions);
	grid_add_number(grid, sums->loads);
	grid_add_number(grid, sums->load_bytes);
	grid_add_number(grid, sums->stores);
	grid_add_number(grid, sums->store_bytes);
	if (mix->by == MIX_BY_BLOCK) {
		snprintf(address, sizeof(address), "0x%" PRIx64,
			 mix->profile->blocks.items[row->key].address);
		grid_add_text(grid, address);
	}
	grid_add_text(grid, mix_row_name(mix, row));
}

static void add_table(const struct mix *mix, const struct walk_options *options,
		      struct text *out)
{
	struct grid grid = {0};

	grid_add_column(&grid, "Instructions", true);
	grid_add_column(&grid, "Share", true);
	grid_add_column(&grid, "Loads", true);
	grid_add_column(&grid, "Bytes", true);
	grid_add_column(&grid, "Stores", true);
	grid_add_column(&grid, "Bytes", true);
	if (mix->by == MIX_BY_BLOCK)
		grid_add_column(&grid, "Address", true);
	grid_add_column(&grid, titles[mix->by].column, false);
	for (size_t i = 0; i < mix->rows.count && i < options->limit; i++)
		add_row(&grid, mix, &mix->rows.items[i]);
	grid_print(&grid, &(struct text_style){options->colour, options->width}, out);
	grid_deinit(&grid);
	if (mix->rows.count > options->limit)
		report_add_more(out, mix->rows.count - options->limit,
				titles[mix->by].one, titles[mix->by].many);
}

static void add_branches(const struct mix_branches *branches, struct text *out)
{
	uint64_t known = branches->taken + branches->passed;

	if (!branches->executed)
		return;
	report_add_count(out, branches->executed, "conditional branch",
			 "conditional branches");
	text_add(out, ": taken ");
	text_add_grouped(out, branches->taken);
	text_add(out, ", not taken ");
	text_add_grouped(out, branches->passed);
	if (known < branches->executed) {
		text_add(out, ", not known ");
		text_add_grouped(out, branches->executed - known);
	}
	text_add(out, "\n");
}

void mix_text(const struct mix *mix, const struct walk_options *options, struct text *out)
{
	const struct memory_sums *sums = &mix->total.sums;

	report_add_count(out, sums->instructions, "instruction", "instructions");
	text_add(out, ", ");
	memory_describe(sums, out);
	text_add(out, "\n");
	add_branches(&mix->branches, out);
	if (sums->repeated) {
		report_add_count(out, sums->repeated, "repeated string instruction",
				 "repeated string instructions");
		text_add(out, ", whose loads and stores are not known\n");
	}
	text_add(out, "\n");
	add_table(mix, options, out);
	if (mix->uncounted || mix->odd || mix->troubles.count)
		text_add(out, "\n");
	walk_uncounted_text(mix->uncounted, out);
	if (mix->odd) {
		text_add(out, "Not in the module's file now, and left out: ");
		report_add_count(out, mix->odd, "block", "blocks");
		text_add(out, "\n");
	}
	walk_troubles_text(&mix->troubles, out);
}

static void add_json_sums(const struct memory_sums *sums, struct text *out)
{
	json_add_number(out, "instructions", sums->instructions);
	memory_add_json(sums, out);
}

static void add_json_classes(const struct mix_row *row, struct text *out)
{
	json_add_key(out, "classes");
	text_add(out, "{");
	for (unsigned int class = 0; class < INSN_CLASSES; class ++)
		if (row->classes[class])
			json_add_number(out, insn_class_name(class), row->classes[class]);
	text_add(out, "}");
}

static void add_json_place(const struct mix *mix, const struct mix_row *row,
			   struct text *out)
{
	const struct report_profile *profile = mix->profile;
	uint64_t number = row->key;

	if (mix->by == MIX_BY_BLOCK)
		number = profile->blocks.items[row->key].function;
	const struct report_function *function = &profile->functions.items[number];

	json_add_place(out, profile->modules.items[function->module].path, function);
	if (mix->by == MIX_BY_BLOCK) {
		json_add_address(out, "block", profile->blocks.items[row->key].address);
	}
}

static void add_json_row(const struct mix *mix, const struct mix_row *row,
			 struct text *out)
{
	static const char *const keys[] = {
		[MIX_BY_CLASS] = "class",
		[MIX_BY_MNEMONIC] = "mnemonic",
		[MIX_BY_MODULE] = "module.path",
		[MIX_BY_PROGRAM] = "program",
	};

	json_begin_item(out);
	if (mix->by == MIX_BY_FUNCTION || mix->by == MIX_BY_BLOCK)
		add_json_place(mix, row, out);
	else
		json_add_string(out, keys[mix->by], mix_row_name(mix, row));
	add_json_sums(&row->sums, out);
	if (mix->by != MIX_BY_CLASS)
		add_json_classes(row, out);
	text_add(out, "}");
}

void mix_json(const struct mix *mix, struct text *out)
{
	text_add(out, "{");
	add_json_sums(&mix->total.sums, out);
	add_json_classes(&mix->total, out);
	if (mix->branches.executed) {
		json_add_number(out, "branches", mix->branches.executed);
		json_add_number(out, "branches.taken", mix->branches.taken);
		json_add_number(out, "branches.passed", mix->branches.passed);
	}
	json_add_number(out, "functions.uncounted", mix->uncounted);
	json_add_number(out, "blocks.odd", mix->odd);
	json_begin_list(out, "rows");
	vector_for_each (&mix->rows, row)
		add_json_row(mix, row, out);
	text_add(out, "]");
	walk_troubles_json(&mix->troubles, out);
	text_add(out, "}\n");
}
