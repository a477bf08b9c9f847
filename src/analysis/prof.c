/*
 * prof: calls of each function, and instructions executed in it, without those of what it
 * calls.
 *
 *     trammel run --tool prof:top=30 -- PROGRAM
 *     trammel run --tool prof:by=region -- PROGRAM
 */
#include "tables.h"

struct profiled {
	struct place place;
	uint64_t calls, instructions;
};

/* --- program --------------------------------------------------------------------- */

static uint64_t top;

TRAMMEL_ROUTINE void prof_set(uint64_t rows)
{
	top = rows;
}

TRAMMEL_ROUTINE void prof_call(struct profiled *function)
{
	if (!function->place.used)
		place_use(&function->place);
	COUNT(function->calls, 1);
}

TRAMMEL_ROUTINE void prof_block(struct profiled *function, uint64_t instructions)
{
	if (!function->place.used)
		place_use(&function->place);
	COUNT(function->instructions, instructions);
}

/* Likewise, by the program's regions. */
TRAMMEL_ROUTINE void prof_region_call(struct profiled *function)
{
	prof_call(place_in_region(function, sizeof(*function)));
}

TRAMMEL_ROUTINE void prof_region_block(struct profiled *function, uint64_t instructions)
{
	prof_block(place_in_region(function, sizeof(*function)), instructions);
}

PLACE_ORDER(by_instructions, struct profiled, instructions)

static const struct column columns[] = {
	COLUMN("instructions", "instructions", 15, SUM, NUMBER, profiled, instructions),
	COLUMN(NULL, "share", 8, NONE, PART, profiled, instructions),
	COLUMN(NULL, "sum", 8, NONE, SUM, profiled, instructions),
	COLUMN("calls", "calls", 12, SUM, NUMBER, profiled, calls),
	COLUMN_REGION(profiled, place.region),
};
static const struct table table = {"functions", TABLE_COLUMNS(columns), row_place,
				   "function", NULL};

TRAMMEL_ROUTINE void prof_print(void)
{
	size_t count;
	struct place **list = places_sort(by_instructions, &count);
	uint64_t all = 0;

	for (size_t i = 0; i < count; i++)
		all += ((const struct profiled *)list[i])->instructions;
	fprintf(stderr, "prof: %llu instructions in %zu functions\n",
		(unsigned long long)all, count);
	table_write_places(&table, list, count, top, all);
}

TRAMMEL_ROUTINE void prof_fork(void)
{
	table_forget_places(&table);
}

/* --- instrumentation ------------------------------------------------------------- */

static const char *call_routine = "prof_call", *block_routine = "prof_block";

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {"top", "by", NULL};

	options_check(api, argc, argv, names);
	if (option_by_region(api, argc, argv)) {
		call_routine = "prof_region_call";
		block_routine = "prof_region_block";
	}
	table_call_at_fork(api, "prof_fork");
	api->prototype("prof_set(uint64_t)");
	api->prototype("prof_call(void *)");
	api->prototype("prof_block(void *, uint64_t)");
	api->prototype("prof_region_call(void *)");
	api->prototype("prof_region_block(void *, uint64_t)");
	api->prototype("prof_print()");
	trammel_add_call(api, trammel_program_start(), "prof_set",
			 trammel_int((int64_t)option_number(api, argc, argv, "top", 30)));
	trammel_add_call(api, trammel_program_end(), "prof_print");
	return 0;
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	const struct trammel_code *code = api->code(function);
	struct trammel_argument data;

	if (!code)
		return;
	data = trammel_data(PLACE_NEW(struct profiled, api, function, NULL),
			    sizeof(struct profiled));
	if (!function->part_of)
		trammel_add_call(api, trammel_entry(function), call_routine, data);
	for (uint32_t i = 0; i < code->block_count; i++)
		trammel_add_call(api, trammel_block_begin(&code->blocks[i]),
				 block_routine, data,
				 trammel_int(code->blocks[i].instruction_count));
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"prof",
		"calls and executed instructions of each function\ntop=N (30), by=region",
		start_tool,
		NULL,
		see_function,
		NULL};
