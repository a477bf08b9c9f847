/*
 * stride: by what distance the address of each load moves from one execution to the next
 * in a thread, and so which loads a prefetcher can follow. The most frequent distances
 * are kept in a small table for each load, of which the least frequent is replaced (B.
 * Calder et al., Value Profiling, MICRO-30, 1997).
 *
 *     trammel run --tool stride:top=20 -- PROGRAM
 */
#include "references.h"

enum { KEPT = 6, CLEARED = 2, CLEAR_EVERY = 4096 };

struct distance {
	int64_t bytes;
	uint64_t times;
};

struct load {
	struct place place;
	uint64_t executed, other;   /* other: with distances that are not kept */
	uint64_t bank, last;        /* address of the last execution, in that thread */
	struct distance kept[KEPT]; /* the last CLEARED are cleared now and then */
};

/* --- program --------------------------------------------------------------------- */

static uint64_t top;

TRAMMEL_ROUTINE void stride_set(uint64_t rows)
{
	top = rows;
}

/* Moves a row of the table up, as long as it is more frequent than the one in front. */
static void move_up(struct distance *kept, int row)
{
	for (; row && kept[row].times > kept[row - 1].times; row--) {
		struct distance moved = kept[row];

		kept[row] = kept[row - 1];
		kept[row - 1] = moved;
	}
}

static void count_distance(struct load *load, int64_t bytes)
{
	struct distance *kept = load->kept;
	int row = 0;

	while (row < KEPT && kept[row].times && kept[row].bytes != bytes)
		row++;
	if (row == KEPT) {
		row = KEPT - 1;
		load->other += kept[row].times;
		kept[row].times = 0;
	}
	kept[row].bytes = bytes;
	kept[row].times++;
	move_up(kept, row);
	if (load->executed % CLEAR_EVERY)
		return;
	for (row = KEPT - CLEARED; row < KEPT; row++) {
		load->other += kept[row].times;
		kept[row].times = 0;
	}
}

TRAMMEL_ROUTINE void stride_see(struct load *load, uint64_t address, uint64_t bank)
{
	if (!load->place.used)
		place_use(&load->place);
	load->executed++;
	if (load->bank == bank)
		count_distance(load, (int64_t)(address - load->last));
	load->bank = bank;
	load->last = address;
}

PLACE_ORDER(by_executed, struct load, executed)

static const char *kind_of(const struct load *load, uint64_t moves)
{
	const struct distance *first = &load->kept[0];

	if (!moves || first->times * 10 < moves * 7)
		return "irregular";
	if (!first->bytes)
		return "constant";
	return first->bytes >= -64 && first->bytes <= 64 ? "sequential" : "strided";
}

static void print_distances(const void *row)
{
	const struct load *load = (const struct load *)row;
	uint64_t moves = load->other;

	for (int i = 0; i < KEPT; i++)
		moves += load->kept[i].times;
	fprintf(stderr, "%-10s ", kind_of(load, moves));
	for (int i = 0; i < 3; i++)
		if (load->kept[i].times)
			fprintf(stderr, " %+lld: %.1f %%,",
				(long long)load->kept[i].bytes,
				percent(load->kept[i].times, moves));
}

static const struct column columns[] = {
	COLUMN("executed", "executed", 12, SUM, NUMBER, load, executed),
	COLUMN_CELL("kind", -10, print_distances),
};
static const struct table table = {"loads", TABLE_COLUMNS(columns), row_place,
				   "distances in bytes, load", NULL};

/* What a load moved by, and how often: a row for each of its distances. */
struct move {
	const struct load *load;
	struct distance distance;
};

static const struct place *move_place(const void *row)
{
	return &((const struct move *)row)->load->place;
}

static const struct column move_columns[] = {
	COLUMN("distance", NULL, 0, KEY, NUMBER, move, distance.bytes),
	COLUMN("times", NULL, 0, SUM, NUMBER, move, distance.times),
};
static const struct table move_table = {"distances", TABLE_COLUMNS(move_columns),
					move_place, NULL, NULL};

static void record_moves(const struct load *load)
{
	for (int i = 0; i < KEPT; i++) {
		const struct move move = {load, load->kept[i]};

		if (move.distance.times)
			table_record_row(&move_table, &move);
	}
}

TRAMMEL_ROUTINE void stride_print(void)
{
	size_t count;
	struct place **list = places_sort(by_executed, &count);

	fprintf(stderr, "stride: %zu loads\n", count);
	for (size_t i = 0; i < count; i++)
		record_moves((const struct load *)list[i]);
	table_write_places(&table, list, count, top, 0);
}

TRAMMEL_ROUTINE void stride_fork(void)
{
	for (struct place *place = places_used; place; place = place->next) {
		struct load *load = (struct load *)place;

		load->executed = load->other = 0;
		memset(load->kept, 0, sizeof(load->kept));
	}
}

/* --- instrumentation ------------------------------------------------------------- */

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {"top", NULL};

	options_check(api, argc, argv, names);
	table_call_at_fork(api, "stride_fork");
	api->prototype("stride_set(uint64_t)");
	api->prototype("stride_see(void *, uint64_t, uint64_t)");
	api->prototype("stride_print()");
	trammel_add_call(api, trammel_program_start(), "stride_set",
			 trammel_int((int64_t)option_number(api, argc, argv, "top", 20)));
	trammel_add_call(api, trammel_program_end(), "stride_print");
	return 0;
}

/* Loads of what the program names, not of its stack by push, pop, call and return. */
static bool is_load(const struct trammel_instruction *row,
		    const struct trammel_operand *operand)
{
	return reference_is_one(operand) && operand->reads && !row->repeated &&
	       !(operand->implicit && operand->base == TRAMMEL_RSP);
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	const struct trammel_code *code = api->code(function);

	for (uint32_t i = 0; code && i < code->instruction_count; i++) {
		const struct trammel_instruction *row = &code->instructions[i];

		for (uint32_t o = 0; o < row->operand_count; o++)
			if (is_load(row, &row->operands[o]))
				trammel_add_call(api, trammel_before(row), "stride_see",
						 trammel_data(PLACE_NEW(struct load, api,
									function, row),
							      sizeof(struct load)),
						 trammel_address(row->operands[o].memory),
						 trammel_thread());
	}
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"stride",
		"distances between the addresses of each load\ntop=N (20)",
		start_tool,
		NULL,
		see_function,
		NULL};
