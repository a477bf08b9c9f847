#include "advise/code_rules.h"

#include "advise/code.h"
#include "advise/places.h"
#include "base/array.h"
#include "report/text/amounts.h"
#include "report/tools.h"
#include "x86/insn_class.h"

#include <inttypes.h>
#include <string.h>

bool code_rules_can(const struct advice *advice)
{
	return advice->profile->blocks.count > 0;
}

bool code_rules_can_edges(const struct advice *advice)
{
	return advice->profile->edges.count > 0;
}

static struct advice_case begin_case(const struct advice_code *code, uint64_t address)
{
	const struct annotation *annotation = code->annotation;

	return (struct advice_case){
		.module = annotation->function->module,
		.function = annotation->function->name,
		.address = address,
		.share = -1,
	};
}

static uint64_t times_entered(const struct annotation *annotation)
{
	return annotation->blocks.count ? annotation->blocks.items[0].count : 0;
}

/* Loops of one trip. */

enum { TRIPS_ENTRIES_LEAST = 1000 };
static const double trips_most = 1.05;

/* Whether a loop works on several elements at a time. */
static bool is_vectorised(const struct advice_code *code, uint32_t loop)
{
	const struct annotation *annotation = code->annotation;

	for (uint32_t b = 0; b < annotation->blocks.count; b++) {
		const struct cfg_block *block = &annotation->cfg.blocks.items[b];

		for (uint32_t i = block->first; advice_is_in(code->trips, b, loop) &&
						i < block->first + block->count;
		     i++) {
			const struct advice_instruction at =
				advice_instruction_at(annotation, i);
			struct insn_class traits;

			if (insn_class_read(at.bytes, at.row->length, &traits) &&
			    traits.class >= INSN_FP_128 &&
			    traits.class <= INSN_VECTOR_512)
				return true;
		}
	}
	return false;
}

/* Whether another loop of the function does more than this one: the few elements that
 * are left over behind one of many elements at a time are no waste. */
static bool is_rest(const struct trips *trips, uint32_t loop)
{
	vector_for_each (&trips->loops, other)
		if (other != &trips->loops.items[loop] &&
		    other->instructions > 2 * trips->loops.items[loop].instructions &&
		    other->depth == trips->loops.items[loop].depth)
			return true;
	return false;
}

void rule_one_trip(struct advice *advice, const struct advice_rule *rule,
		   const struct advice_code *code)
{
	const struct annotation *annotation = code->annotation;

	if (!code->trips)
		return;
	for (uint32_t i = 0; i < code->trips->loops.count; i++) {
		const struct trip *trip = &code->trips->loops.items[i];
		struct advice_case found =
			begin_case(code, annotation->blocks.items[trip->header].address);

		if (!trip->known || trip->entries < TRIPS_ENTRIES_LEAST ||
		    (double)trip->iterations > trips_most * (double)trip->entries ||
		    is_rest(code->trips, i))
			continue;
		found.share = advice_part(advice, (double)trip->instructions);
		found.confidence = is_vectorised(code, i) ? ADVICE_HIGH : ADVICE_MEDIUM;
		text_add(&found.evidence, "the loop was entered ");
		text_add_grouped(&found.evidence, trip->entries);
		text_add(&found.evidence, " times and ran ");
		text_add_grouped(&found.evidence, trip->iterations);
		text_format(&found.evidence,
			    " times, %.2f each; the function executed %.1f %% of all",
			    (double)trip->iterations / (double)trip->entries,
			    advice_part_of(advice, annotation->function));
		advice_add(advice, rule, &found);
	}
}

/* The length of a string in a loop. */

/* The register or stack slot that a string's address comes from, if the loop leaves it
 * alone. */
static bool is_constant_in_loop(const struct advice_code *code, uint32_t block,
				uint32_t index, uint32_t loop)
{
	enum { RDI = 7 };
	const struct annotation *annotation = code->annotation;
	const struct advice_origin origin =
		advice_origin_of(annotation, code->routes, block, index, RDI);

	switch (origin.source) {
	case ADVICE_FIXED:
		return true;
	case ADVICE_FROM:
		return !advice_loop_changes(annotation, code->trips, loop, origin.number);
	case ADVICE_SLOT:
		return !advice_loop_changes(annotation, code->trips, loop,
					    origin.number) &&
		       !advice_loop_stores(annotation, code->trips, loop, origin.number,
					   origin.displacement);
	default:
		return false;
	}
}

/* Instructions, or samples, of all functions that find a string's length, for each of
 * their calls. */
static double length_share(const struct advice *advice, uint64_t calls)
{
	uint64_t all = 0;
	double share = 0;

	vector_for_each (&advice->profile->functions, function) {
		const double part = advice_part_of(advice, function);

		if (!advice_is_function(function->name, "strlen") &&
		    !advice_is_function(function->name, "wcslen"))
			continue;
		if (part < 0)
			return -1;
		all += function->calls;
		share += part;
	}
	return all > calls ? share * (double)calls / (double)all : share;
}

static bool is_length_call(const struct annotation *annotation,
			   const struct advice_instruction *at)
{
	struct text name = {0};
	bool is;

	if (at->row->kind != CFG_CALL && at->row->kind != CFG_CALL_INDIRECT)
		return false;
	advice_add_callee(annotation, at, &name);
	is = name.data && (advice_is_function(name.data, "strlen") ||
			   advice_is_function(name.data, "wcslen"));
	text_deinit(&name);
	return is;
}

static void look_at_call(struct advice *advice, const struct advice_rule *rule,
			 const struct advice_code *code, uint32_t block, uint32_t index)
{
	const struct annotation *annotation = code->annotation;
	const struct advice_instruction at = advice_instruction_at(annotation, index);
	const uint32_t loop = code->trips->innermost[block];
	const struct trip *trip = &code->trips->loops.items[loop];
	const uint64_t calls = annotation->blocks.items[block].count;
	struct advice_case found = begin_case(code, at.address);

	if (!is_length_call(annotation, &at) || !trip->known ||
	    calls < 4 * trip->entries || !is_constant_in_loop(code, block, index, loop))
		return;
	found.share = length_share(advice, calls);
	found.confidence =
		calls * 10 >= trip->iterations * 9 ? ADVICE_HIGH : ADVICE_MEDIUM;
	text_add(&found.evidence, "called ");
	text_add_grouped(&found.evidence, calls);
	text_add(&found.evidence, " times with the same address in ");
	report_add_count(&found.evidence, trip->entries, "run", "runs");
	text_add(&found.evidence, " of the loop at ");
	advice_add_line(advice, found.module,
			annotation->blocks.items[trip->header].address, &found.evidence);
	text_format(&found.evidence, " (0x%" PRIx64 ")",
		    annotation->blocks.items[trip->header].address);
	advice_add(advice, rule, &found);
}

void rule_strlen(struct advice *advice, const struct advice_rule *rule,
		 const struct advice_code *code)
{
	const struct annotation *annotation = code->annotation;

	for (uint32_t b = 0; code->trips && b < annotation->blocks.count; b++) {
		const struct cfg_block *block = &annotation->cfg.blocks.items[b];

		if (code->trips->innermost[b] == TRIP_NONE)
			continue;
		for (uint32_t i = block->first; i < block->first + block->count; i++)
			look_at_call(advice, rule, code, b, i);
	}
}

/* Branches that go either way. */

enum { MISS_INSTRUCTIONS = 15, BRANCH_TIMES_LEAST = 1000 };

/* What the tool `branch` found of a branch: how often executed, and mispredicted. */
struct predicted {
	bool known;
	double executed, missed;
};

static size_t column_of(const struct report_tool_table *table, const char *title)
{
	size_t i = 0;

	while (i < table->columns.count &&
	       strcmp(table->columns.items[i].title, title) != 0)
		i++;
	return i;
}

static double cell_of(const struct report_profile *profile,
		      const struct report_tool_row *row, size_t column)
{
	const struct report_tool_cell *cell =
		&profile->tool_cells.items[row->first_cell + column];

	return column < row->cell_count && cell->there ? (double)cell->i : 0;
}

static struct predicted find_predicted(const struct advice *advice,
				       const struct report_module *module, uint64_t at)
{
	const struct report_profile *profile = advice->profile;
	struct predicted sum = {0};

	vector_for_each (&profile->tool_rows, row) {
		const struct report_tool_table *table =
			&profile->tool_tables.items[row->table];

		if (strcmp(table->tool, "branch") != 0 || row->code.address != at ||
		    !row->code.path || strcmp(row->code.path, module->path) != 0)
			continue;
		sum.known = true;
		sum.executed += cell_of(profile, row, column_of(table, "executed"));
		sum.missed += cell_of(profile, row, column_of(table, "missed.gshare"));
	}
	return sum;
}

static bool find_taken(const struct advice_code *code, uint32_t block,
		       uint64_t *ret_taken, uint64_t *ret_all)
{
	*ret_taken = *ret_all = 0;
	vector_for_each (code->routes, route) {
		if (route->from != block)
			continue;
		if (!route->known)
			return false;
		*ret_all += route->count;
		if (!strcmp(route->kind, "jump"))
			*ret_taken += route->count;
	}
	return true;
}

/* Fills in what is known of a branch that is taken `taken` times out of `all`. False: it
 * is predicted well. */
static bool judge_branch(const struct advice *advice, const struct annotation *annotation,
			 struct advice_case *found, uint64_t taken, uint64_t all)
{
	const struct predicted predicted =
		find_predicted(advice, annotation->module, found->address);
	const double rest = (double)(taken < all - taken ? taken : all - taken);
	const double missed =
		predicted.executed > 0 ? predicted.missed / predicted.executed : 0;

	if (predicted.known && missed < 0.1)
		return false;
	found->confidence = predicted.known ? ADVICE_HIGH : ADVICE_LOW;
	found->share = advice_part(
		advice,
		MISS_INSTRUCTIONS * (predicted.known ? missed * (double)all : rest));
	text_add(&found->evidence, "executed ");
	text_add_grouped(&found->evidence, all);
	text_format(&found->evidence, " times, taken %.1f %%",
		    100.0 * (double)taken / (double)all);
	if (predicted.known)
		text_format(&found->evidence,
			    "; %.1f %% are mispredicted (gshare of --tool branch)",
			    100 * missed);
	else
		text_add(&found->evidence, "; whether it is predicted all the same: "
					   "measure with --tool branch, too");
	return true;
}

void rule_branch(struct advice *advice, const struct advice_rule *rule,
		 const struct advice_code *code)
{
	const struct annotation *annotation = code->annotation;

	for (uint32_t b = 0; code->routes && b < annotation->blocks.count; b++) {
		const struct cfg_block *block = &annotation->cfg.blocks.items[b];
		const struct advice_instruction last = advice_instruction_at(
			annotation, block->first + block->count - 1);
		struct advice_case found = begin_case(code, last.address);
		uint64_t taken, all;

		if (last.row->kind != CFG_CONDITION ||
		    !find_taken(code, b, &taken, &all) || all < BRANCH_TIMES_LEAST ||
		    (double)taken < 0.3 * (double)all ||
		    (double)taken > 0.7 * (double)all)
			continue;
		if (judge_branch(advice, annotation, &found, taken, all))
			advice_add(advice, rule, &found);
	}
}

/* Code that is not executed, in the midst of code that is. */

enum { COLD_BYTES_LEAST = 256, COLD_SHARE_LEAST = 1 };

void rule_cold(struct advice *advice, const struct advice_rule *rule,
	       const struct advice_code *code)
{
	const struct annotation *annotation = code->annotation;
	struct advice_case found = begin_case(code, annotation->address);
	uint64_t cold = 0, since_hot = 0, hot = 0, largest = 0;

	if (!code->trips || annotation->part || times_entered(annotation) < 1000)
		return;
	vector_for_each (&annotation->blocks, block) {
		if (!block->count) {
			since_hot += hot ? block->size : 0;
			continue;
		}
		if (since_hot > largest) {
			largest = since_hot;
			found.address = block->address - since_hot;
		}
		cold += since_hot;
		hot += block->size;
		since_hot = 0;
	}
	found.share = advice_part_of(advice, annotation->function);
	if (cold < COLD_BYTES_LEAST || cold < hot || found.share < COLD_SHARE_LEAST)
		return;
	found.confidence = cold > 2 * hot ? ADVICE_MEDIUM : ADVICE_LOW;
	text_add_grouped(&found.evidence, cold);
	text_add(&found.evidence, " bytes that were not executed lie between ");
	text_add_grouped(&found.evidence, hot);
	text_format(&found.evidence,
		    " bytes that were, in %" PRIu64 " calls; the largest piece has ",
		    times_entered(annotation));
	text_add_grouped(&found.evidence, largest);
	text_add(&found.evidence, " bytes, at ");
	advice_add_line(advice, found.module, found.address, &found.evidence);
	text_format(&found.evidence, " (0x%" PRIx64 ")", found.address);
	found.address = annotation->address;
	advice_add(advice, rule, &found);
}
