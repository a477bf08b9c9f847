/*
 * pipe: an estimate of how well each block's instructions keep a simple processor busy:
 * in order, `width` instructions a cycle, each waits for the registers that it reads.
 * What a block needs is found once; the program only counts blocks. Caches always hit.
 * Latencies are those of table LATENCIES, about those of processors since 2015 (A. Fog,
 * Instruction tables).
 *
 *     trammel run --tool pipe:width=4,top=20 -- PROGRAM
 */
#include "tables.h"

enum { LOAD_LATENCY = 4, REGISTERS = 64 };

static const uint8_t latencies[TRAMMEL_CLASSES] = {
	[TRAMMEL_CLASS_MULTIPLY] = 4,    [TRAMMEL_CLASS_ATOMIC] = 18,
	[TRAMMEL_CLASS_STRING] = 20,     [TRAMMEL_CLASS_FP_SCALAR] = 4,
	[TRAMMEL_CLASS_FP_128] = 4,      [TRAMMEL_CLASS_FP_256] = 4,
	[TRAMMEL_CLASS_FP_512] = 4,      [TRAMMEL_CLASS_X87] = 5,
	[TRAMMEL_CLASS_CRYPTO] = 4,      [TRAMMEL_CLASS_SYSTEM] = 50,
	[TRAMMEL_CLASS_VECTOR_MOVE] = 1,
};

struct piece {
	struct place place;
	uint64_t executed;
	uint64_t instructions, cycles, ideal; /* ideal: without waiting */
	uint64_t load_stall, other_stall;     /* cycles waited for a load, for others */
	uint64_t stalls;                      /* in all executions */
};

/* --- program --------------------------------------------------------------------- */

static uint64_t top;

TRAMMEL_ROUTINE void pipe_set(uint64_t rows)
{
	top = rows;
}

TRAMMEL_ROUTINE void pipe_block(struct piece *block)
{
	if (!block->place.used)
		place_use(&block->place);
	COUNT(block->executed, 1);
}

static int by_stall(const void *a, const void *b)
{
	const struct piece *x = *(const struct piece *const *)a;
	const struct piece *y = *(const struct piece *const *)b;

	return place_compare(&x->place, x->executed * (x->cycles - x->ideal), &y->place,
			     y->executed * (y->cycles - y->ideal));
}

static const struct column columns[] = {
	COLUMN("stalls", "stall cycles", 15, SUM, NUMBER, piece, stalls),
	COLUMN(NULL, "share", 8, NONE, PART, piece, stalls),
	COLUMN("cycles", "a block", 10, KEY, NUMBER, piece, cycles),
	COLUMN("issue", "issue", 7, KEY, NUMBER, piece, ideal),
	COLUMN("executed", NULL, 0, SUM, NUMBER, piece, executed),
};
static const struct table table = {"blocks", TABLE_COLUMNS(columns), row_place, "block",
				   NULL};

TRAMMEL_ROUTINE void pipe_print(void)
{
	size_t count;
	struct place **list = places_sort(by_stall, &count);
	uint64_t instructions = 0, cycles = 0, ideal = 0, load = 0, other = 0;

	for (size_t i = 0; i < count; i++) {
		struct piece *row = (struct piece *)list[i];

		row->stalls = row->executed * (row->cycles - row->ideal);
		instructions += row->executed * row->instructions;
		cycles += row->executed * row->cycles;
		ideal += row->executed * row->ideal;
		load += row->executed * row->load_stall;
		other += row->executed * row->other_stall;
	}
	fprintf(stderr,
		"pipe: %llu instructions in %llu estimated cycles, %.2f a cycle\n"
		"  issue %.1f %%, waiting for loads %.1f %%, for other results %.1f %%\n",
		(unsigned long long)instructions, (unsigned long long)cycles,
		cycles ? (double)instructions / (double)cycles : 0,
		percent(ideal, cycles), percent(load, cycles), percent(other, cycles));
	table_write_places(&table, list, count, top, cycles);
}

TRAMMEL_ROUTINE void pipe_fork(void)
{
	table_forget_places(&table);
}

/* --- instrumentation ------------------------------------------------------------- */

static uint64_t width;

/* When the values in registers are there, and whether a load makes them. */
struct scoreboard {
	uint32_t ready[REGISTERS];
	bool loaded[REGISTERS];
	uint32_t cycle, issued; /* the current cycle; instructions issued in it */
};

static bool is_load(const struct trammel_instruction *row)
{
	for (uint32_t i = 0; i < row->operand_count; i++)
		if (row->operands[i].kind == TRAMMEL_OPERAND_MEMORY &&
		    row->operands[i].reads)
			return true;
	return false;
}

/* Waits until all that an instruction reads is there. */
static void wait_for(struct scoreboard *board, struct piece *block, uint64_t reads)
{
	uint32_t until = board->cycle;
	bool load = false;

	for (int i = 0; i < REGISTERS; i++)
		if (reads >> i & 1 && board->ready[i] > until) {
			until = board->ready[i];
			load = board->loaded[i];
		}
	if (until == board->cycle)
		return;
	*(load ? &block->load_stall : &block->other_stall) += until - board->cycle;
	board->cycle = until;
	board->issued = 0;
}

static void issue_instruction(struct scoreboard *board, struct piece *block,
			      const struct trammel_instruction *row)
{
	const uint64_t pointers = 1ull << TRAMMEL_RSP | 1ull << TRAMMEL_RIP;
	uint32_t latency = latencies[row->op_class] ? latencies[row->op_class] : 1;

	wait_for(board, block, row->reads & ~pointers);
	if (board->issued == width) {
		board->cycle++;
		board->issued = 0;
	}
	board->issued++;
	if (is_load(row))
		latency += LOAD_LATENCY;
	for (int i = 0; i < REGISTERS; i++)
		if (row->writes >> i & 1) {
			board->ready[i] = board->cycle + latency;
			board->loaded[i] = is_load(row);
		}
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	const struct trammel_code *code = api->code(function);

	for (uint32_t i = 0; code && i < code->block_count; i++) {
		const struct trammel_block *block = &code->blocks[i];
		struct piece *piece =
			PLACE_NEW(struct piece, api, function, block->instructions);
		struct scoreboard board = {.cycle = 0};

		if (!piece)
			return;
		for (uint32_t row = 0; row < block->instruction_count; row++)
			issue_instruction(&board, piece, &block->instructions[row]);
		piece->instructions = block->instruction_count;
		piece->cycles = board.cycle + 1;
		piece->ideal = piece->cycles - piece->load_stall - piece->other_stall;
		trammel_add_call(api, trammel_block_begin(block), "pipe_block",
				 trammel_data(piece, sizeof(*piece)));
	}
}

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {"width", "top", NULL};

	options_check(api, argc, argv, names);
	table_call_at_fork(api, "pipe_fork");
	width = option_number(api, argc, argv, "width", 4);
	api->prototype("pipe_set(uint64_t)");
	api->prototype("pipe_block(void *)");
	api->prototype("pipe_print()");
	trammel_add_call(api, trammel_program_start(), "pipe_set",
			 trammel_int((int64_t)option_number(api, argc, argv, "top", 20)));
	trammel_add_call(api, trammel_program_end(), "pipe_print");
	return 0;
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"pipe",
		"estimated stalls of each block\nwidth=N (4), top=N (20)",
		start_tool,
		NULL,
		see_function,
		NULL};
