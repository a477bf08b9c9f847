#include "advise/record_rules.h"

#include "advise/phases.h"
#include "advise/places.h"
#include "report/runs.h"
#include "report/stacks/sums.h"
#include "report/text/amounts.h"
#include "report/tools.h"

#include <inttypes.h>
#include <string.h>

static bool has_table(const struct report_profile *profile, const char *tool,
		      const char *name)
{
	vector_for_each (&profile->tool_tables, table)
		if (!strcmp(table->tool, tool) && !strcmp(table->name, name))
			return true;
	return false;
}

bool record_rules_can_waits(const struct advice *advice)
{
	static const char *const names[] = {"waits", "stacks", NULL};

	return report_has_measured(advice->profile, names);
}

bool record_rules_can_sharing(const struct advice *advice)
{
	return has_table(advice->profile, "falseshare", "lines");
}

bool record_rules_can_heap(const struct advice *advice)
{
	return has_table(advice->profile, "malloc", "totals");
}

bool record_rules_can_phases(const struct advice *advice)
{
	return phases_are_told(advice->whole);
}

/* Locks that are held long, and waited for. */

enum { WAITS_LEAST_NS = 10000000, WAIT_PERCENT_LEAST = 5 };

/* The innermost function of a path "f < main" that is not of the C library: of those
 * that release a lock. */
static void add_holder(const char *path, struct text *out)
{
	for (const char *at = path; *at;) {
		const size_t length = strcspn(at, "<");
		const bool last = !at[length];
		const bool own = strncmp(at, "__", 2) != 0 &&
				 strncmp(at, "pthread_", 8) != 0 &&
				 strncmp(at, "std::", 5) != 0;

		if (own || last) {
			text_add_bytes(out, at, length - !last);
			return;
		}
		at += length + 2;
	}
}

/* The function of the program that waits most for a lock. */
static const struct stack_frame *waiter_of(const struct advice *advice,
					   const struct stack_list *list,
					   const struct stack_sum *sum)
{
	const struct stack_frame *best = NULL;
	uint64_t most = 0;

	vector_for_each (&list->rows, row) {
		uint64_t keys[STACK_KEYS] = {0};
		uint32_t at = row->frame;

		if (!stack_keys_lock(list, row, keys) ||
		    memcmp(keys, sum->keys, sizeof(keys)) != 0 || row->ns <= most)
			continue;
		while (at != STACK_NONE &&
		       !advice_is_own_path(
			       advice,
			       stack_list_string(list, list->frames.items[at].module)))
			at = list->frames.items[at].parent;
		if (at == STACK_NONE)
			continue;
		most = row->ns;
		best = &list->frames.items[at];
	}
	return best;
}

static void add_lock(struct advice *advice, const struct advice_rule *rule,
		     const struct stack_list *list, const struct stack_sum *sum)
{
	const struct stack_frame *waiter = waiter_of(advice, list, sum);
	const char *on = stack_list_string(list, (uint32_t)sum->keys[0]);
	const char *holder = stack_list_string(list, (uint32_t)sum->keys[1]);
	const double of_wall =
		list->wall_ns ? 100.0 * (double)sum->ns / (double)list->wall_ns : 0;
	struct advice_case found = {
		.module = REPORT_NONE,
		.share = list->ns ? 100.0 * (double)sum->ns / (double)list->ns : -1,
		.of = "waiting",
		.confidence = of_wall >= 50 ? ADVICE_HIGH : ADVICE_MEDIUM,
	};

	if (sum->ns < WAITS_LEAST_NS || of_wall < WAIT_PERCENT_LEAST)
		return;
	if (waiter) {
		found.path = stack_list_string(list, waiter->module);
		found.function = stack_list_string(list, waiter->function);
	}
	report_add_count(&found.evidence, sum->threads, "thread", "threads");
	text_add(&found.evidence, " waited ");
	report_add_duration(&found.evidence, sum->ns);
	text_add(&found.evidence, " in all, ");
	report_add_count(&found.evidence, sum->times, list->followed ? "time" : "look",
			 list->followed ? "times" : "looks");
	if (sum->longest_ns) {
		text_add(&found.evidence, ", at most ");
		report_add_duration(&found.evidence, sum->longest_ns);
	}
	text_format(&found.evidence, ", for %s", on);
	if (*holder) {
		text_add(&found.evidence, "; held in ");
		add_holder(holder, &found.evidence);
	}
	advice_add(advice, rule, &found);
}

void rule_locks(struct advice *advice, const struct advice_rule *rule)
{
	struct stack_list list;
	struct stack_sums sums;
	struct trm_error *error = stack_list_load(advice->whole, &list);

	if (error) {
		trm_error_destroy(error);
		return;
	}
	sums = stack_sums_make(&list, stack_keys_lock);
	vector_for_each (&sums, sum)
		add_lock(advice, rule, &list, sum);
	vector_deinit(&sums);
	stack_list_deinit(&list);
}

/* Rows of tools' tables. */

static const struct report_tool_cell *find_cell(const struct report_tool_table *table,
						const struct report_tool_sum *row,
						const char *title)
{
	for (size_t i = 0; i < table->columns.count; i++)
		if (!strcmp(table->columns.items[i].title, title) && row->cells[i].there)
			return &row->cells[i];
	return NULL;
}

static double number_of(const struct report_tool_table *table,
			const struct report_tool_sum *row, const char *title)
{
	const struct report_tool_cell *cell = find_cell(table, row, title);

	return cell ? (double)cell->i : 0;
}

static void place_case(const struct report_profile *profile,
		       const struct report_tool_code *code, struct advice_case *found)
{
	found->module =
		code->path ? advice_module_find(profile, code->path) : REPORT_NONE;
	found->function = code->function;
	found->address = code->address;
}

/* Calls a function for each row of one table of a tool. */
static void each_row(struct advice *advice, const struct advice_rule *rule,
		     const char *tool, const char *name,
		     void (*add)(struct advice *advice, const struct advice_rule *rule,
				 const struct report_tool_table *table,
				 const struct report_tool_sum *row))
{
	const struct report_profile *profile = advice->profile;

	for (uint32_t i = 0; i < profile->tool_tables.count; i++) {
		const struct report_tool_table *table = &profile->tool_tables.items[i];
		struct report_tool_sums sums;

		if (strcmp(table->tool, tool) != 0 || strcmp(table->name, name) != 0)
			continue;
		sums = report_tools_sums(profile, i);
		vector_for_each (&sums.rows, row)
			add(advice, rule, table, row);
		report_tools_sums_deinit(&sums);
	}
}

/* The tool makes threads slow, and moves rare: even few of them tell. */
enum { MOVES_LEAST = 50, MOVES_SURE = 1000 };

static void add_shared(struct advice *advice, const struct advice_rule *rule,
		       const struct report_tool_table *table,
		       const struct report_tool_sum *row)
{
	const double moves = number_of(table, row, "moves");
	const struct report_tool_cell *other = find_cell(table, row, "other");
	const double apart = number_of(table, row, "apart");
	struct advice_case found = {
		.share = -1,
		.confidence = moves >= MOVES_SURE ? ADVICE_HIGH : ADVICE_MEDIUM,
	};

	if (moves < MOVES_LEAST || apart < 0.8 * moves)
		return;
	place_case(advice->profile, &row->code, &found);
	text_add(&found.evidence, "a cache line went from one thread to another ");
	text_add_grouped(&found.evidence, (unsigned long long)moves);
	text_format(&found.evidence,
		    " times under the tool, %.0f of them for bytes that the other one "
		    "never used; %.0f threads use it",
		    apart, number_of(table, row, "most threads"));
	if (other && other->text && *other->text)
		text_format(&found.evidence, "; the other writer: %s", other->text);
	advice_add(advice, rule, &found);
}

void rule_sharing(struct advice *advice, const struct advice_rule *rule)
{
	each_row(advice, rule, "falseshare", "lines", add_shared);
}

enum { BLOCKS_LEAST = 1000, LIVES_MOST = 16, HEAP_INSTRUCTIONS = 100 };

static void add_churn(struct advice *advice, const struct advice_rule *rule,
		      const struct report_tool_table *table,
		      const struct report_tool_sum *row)
{
	const double blocks = number_of(table, row, "blocks");
	const double freed = number_of(table, row, "freed");
	const double lived = freed > 0 ? number_of(table, row, "lived") / freed : 0;
	const struct report_tool_cell *callers = find_cell(table, row, "called.by");
	struct advice_case found = {
		.confidence = blocks >= 10 * BLOCKS_LEAST ? ADVICE_HIGH : ADVICE_MEDIUM};

	if (blocks < BLOCKS_LEAST || freed < 0.9 * blocks || lived > LIVES_MOST)
		return;
	place_case(advice->profile, &row->code, &found);
	found.share = advice_part(advice, HEAP_INSTRUCTIONS * blocks);
	text_add_grouped(&found.evidence, (unsigned long long)blocks);
	text_format(&found.evidence,
		    " blocks of %.0f bytes on average were freed after %.1f other "
		    "allocations",
		    number_of(table, row, "bytes") / blocks, lived);
	if (callers && callers->text && *callers->text)
		text_format(&found.evidence, "; called by %s", callers->text);
	advice_add(advice, rule, &found);
}

void rule_heap(struct advice *advice, const struct advice_rule *rule)
{
	each_row(advice, rule, "malloc", "paths", add_churn);
}

/* Work that is the same in several phases. */

enum { PHASES_LEAST = 3 };

static void add_repeated(struct advice *advice, const struct advice_rule *rule,
			 const struct phase_work *work)
{
	const struct report_function *function =
		&advice->profile->functions.items[work->function];
	struct advice_case found = {
		.module = function->module,
		.function = function->name,
		.address = function->offset,
		.confidence = work->phases >= 10 ? ADVICE_MEDIUM : ADVICE_LOW,
	};
	const uint64_t saved = work->instructions * (work->phases - 1);

	if (work->phases < PHASES_LEAST || !work->instructions)
		return;
	found.share = advice_part(advice, (double)saved);
	text_add(&found.evidence, "executed ");
	report_add_count(&found.evidence, work->instructions, "instruction",
			 "instructions");
	text_add(&found.evidence, " in ");
	report_add_count(&found.evidence, work->calls, "call", "calls");
	text_format(&found.evidence, " in each of %" PRIu64 " phases, the first %s",
		    work->phases, work->first);
	advice_add(advice, rule, &found);
}

void rule_phases(struct advice *advice, const struct advice_rule *rule)
{
	struct phase_works works;
	struct trm_error *error = phases_read(advice->profile, advice->whole, &works);

	if (error) {
		trm_error_destroy(error);
		return;
	}
	vector_for_each (&works.items, work)
		add_repeated(advice, rule, work);
	phase_works_deinit(&works);
}
