/*
 * branch: how well conditional branches are predicted, by two models: a table of
 * saturating counters of two bits by the branch's address (J. Smith 1981), and gshare,
 * such counters by the address XOR the last outcomes (S. McFarling, WRL TN-36, 1993).
 * Each thread has a predictor of its own.
 *
 *     trammel run --tool branch:entries=4096,history=12,top=20 -- PROGRAM
 */
#include "tables.h"

struct branch {
	struct place place;
	uint64_t executed, taken;
	uint64_t missed_local, missed_gshare;
};

/* --- program --------------------------------------------------------------------- */

enum { ENTRIES_MAX = 1 << 14, STRONGLY_NOT = 0, WEAKLY_NOT = 1, STRONGLY = 3 };

struct predictor {
	uint64_t bank;
	uint64_t history;
	uint8_t local[ENTRIES_MAX], gshare[ENTRIES_MAX];
};

static struct predictor predictors[THREADS];
static uint64_t mask, history_mask, top;

TRAMMEL_ROUTINE void branch_set(uint64_t entries, uint64_t history, uint64_t rows)
{
	mask = entries - 1;
	history_mask = (1ull << history) - 1;
	top = rows;
}

/* Predicts by a counter, and moves it; returns whether the prediction was wrong. */
static inline bool is_missed(uint8_t *counter, bool taken)
{
	bool missed = (*counter > WEAKLY_NOT) != taken;

	if (taken)
		*counter += *counter < STRONGLY;
	else
		*counter -= *counter > STRONGLY_NOT;
	return missed;
}

TRAMMEL_ROUTINE void branch_see(struct branch *branch, uint64_t taken, uint64_t bank)
{
	struct predictor *predictor = THREAD_STATE(struct predictor, predictors, bank);
	uint64_t address = branch->place.address;
	uint64_t row = address & mask;

	if (!branch->place.used)
		place_use(&branch->place);
	COUNT(branch->executed, 1);
	COUNT(branch->taken, taken);
	if (is_missed(&predictor->local[row], taken))
		COUNT(branch->missed_local, 1);
	row = (address ^ (predictor->history & history_mask)) & mask;
	if (is_missed(&predictor->gshare[row], taken))
		COUNT(branch->missed_gshare, 1);
	predictor->history = predictor->history << 1 | taken;
}

PLACE_ORDER(by_missed, struct branch, missed_gshare)

static const struct column columns[] = {
	COLUMN("executed", "executed", 12, SUM, NUMBER, branch, executed),
	COLUMN_SHARE("taken", "taken", 8, SUM, branch, taken, executed),
	COLUMN_SHARE("missed.2bit", "2-bit", 8, SUM, branch, missed_local, executed),
	COLUMN_SHARE("missed.gshare", "gshare", 8, SUM, branch, missed_gshare, executed),
};
static const struct table table = {"branches", TABLE_COLUMNS(columns), row_place,
				   "branch", NULL};

TRAMMEL_ROUTINE void branch_print(void)
{
	size_t count;
	struct place **list = places_sort(by_missed, &count);
	uint64_t executed = 0, taken = 0, local = 0, gshare = 0;

	for (size_t i = 0; i < count; i++) {
		const struct branch *row = (const struct branch *)list[i];

		executed += row->executed;
		taken += row->taken;
		local += row->missed_local;
		gshare += row->missed_gshare;
	}
	fprintf(stderr,
		"branch: %zu conditional branches executed %llu times, %.2f %% taken\n"
		"  mispredicted: 2-bit counters %llu (%.2f %%), gshare %llu (%.2f %%)\n",
		count, (unsigned long long)executed, percent(taken, executed),
		(unsigned long long)local, percent(local, executed),
		(unsigned long long)gshare, percent(gshare, executed));
	table_write_places(&table, list, count, top, 0);
}

TRAMMEL_ROUTINE void branch_fork(void)
{
	table_forget_places(&table);
}

/* --- instrumentation ------------------------------------------------------------- */

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {"entries", "history", "top", NULL};
	uint64_t entries = option_number(api, argc, argv, "entries", 4096);
	uint64_t history = option_number(api, argc, argv, "history", 12);

	options_check(api, argc, argv, names);
	table_call_at_fork(api, "branch_fork");
	if (entries & (entries - 1) || entries > ENTRIES_MAX)
		api->fail("branch: entries= takes a power of two up to %d", ENTRIES_MAX);
	if (history > 32)
		api->fail("branch: history= takes 1 to 32 outcomes");
	api->prototype("branch_set(uint64_t, uint64_t, uint64_t)");
	api->prototype("branch_see(void *, uint64_t, uint64_t)");
	api->prototype("branch_print()");
	trammel_add_call(api, trammel_program_start(), "branch_set",
			 trammel_int((int64_t)entries), trammel_int((int64_t)history),
			 trammel_int((int64_t)option_number(api, argc, argv, "top", 20)));
	trammel_add_call(api, trammel_program_end(), "branch_print");
	return 0;
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	const struct trammel_code *code = api->code(function);

	for (uint32_t i = 0; code && i < code->instruction_count; i++) {
		const struct trammel_instruction *row = &code->instructions[i];

		if (row->kind != TRAMMEL_BRANCH)
			continue;
		trammel_add_call(
			api, trammel_before(row), "branch_see",
			trammel_data(PLACE_NEW(struct branch, api, function, row),
				     sizeof(struct branch)),
			trammel_taken(), trammel_thread());
	}
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"branch",
		"prediction of conditional branches: 2-bit counters and gshare\n"
		"entries=N (4096), history=N (12), top=N (20)",
		start_tool,
		NULL,
		see_function,
		NULL};
