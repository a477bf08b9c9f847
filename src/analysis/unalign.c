/*
 * unalign: references to memory whose address is no multiple of their size, and those
 * over the end of a cache line or page, by instruction. The test of the address is
 * inline: an aligned reference costs a few instructions, and no call.
 *
 *     trammel run --tool unalign:line=64,page=4k,top=20 -- PROGRAM
 */
#include "references.h"

struct unaligned {
	struct place place;
	uint64_t times, over_line, over_page;
	uint64_t size;   /* bytes */
	uint32_t memory; /* number of the memory operand */
};

/* --- program --------------------------------------------------------------------- */

static uint64_t line, page, top;

TRAMMEL_ROUTINE void unalign_set(uint64_t line_size, uint64_t page_size, uint64_t rows)
{
	line = line_size;
	page = page_size;
	top = rows;
}

TRAMMEL_ROUTINE void unalign_see(struct unaligned *row, uint64_t address)
{
	if (!row->place.used)
		place_use(&row->place);
	COUNT(row->times, 1);
	if ((address & (line - 1)) + row->size > line)
		COUNT(row->over_line, 1);
	if ((address & (page - 1)) + row->size > page)
		COUNT(row->over_page, 1);
}

PLACE_ORDER(by_times, struct unaligned, times)

static const struct column columns[] = {
	COLUMN("unaligned", "unaligned", 12, SUM, NUMBER, unaligned, times),
	COLUMN("over.line", "over line", 12, SUM, NUMBER, unaligned, over_line),
	COLUMN("over.page", "over page", 12, SUM, NUMBER, unaligned, over_page),
	COLUMN("bytes", "bytes", 5, KEY, NUMBER, unaligned, size),
};
static const struct table table = {"instructions", TABLE_COLUMNS(columns), row_place,
				   "instruction", NULL};

TRAMMEL_ROUTINE void unalign_print(void)
{
	size_t count;
	struct place **list = places_sort(by_times, &count);
	uint64_t times = 0, over_line = 0, over_page = 0;

	for (size_t i = 0; i < count; i++) {
		times += ((const struct unaligned *)list[i])->times;
		over_line += ((const struct unaligned *)list[i])->over_line;
		over_page += ((const struct unaligned *)list[i])->over_page;
	}
	fprintf(stderr,
		"unalign: %llu unaligned references at %zu instructions; %llu over a "
		"line's end, %llu over a page's\n",
		(unsigned long long)times, count, (unsigned long long)over_line,
		(unsigned long long)over_page);
	table_write_places(&table, list, count, top, 0);
}

TRAMMEL_ROUTINE void unalign_fork(void)
{
	table_forget_places(&table);
}

/* --- instrumentation ------------------------------------------------------------- */

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {"line", "page", "top", NULL};
	uint64_t line_size = option_number(api, argc, argv, "line", 64);
	uint64_t page_size = option_number(api, argc, argv, "page", 4096);

	options_check(api, argc, argv, names);
	table_call_at_fork(api, "unalign_fork");
	if (line_size & (line_size - 1) || page_size & (page_size - 1))
		api->fail("unalign: line= and page= take powers of two");
	api->prototype("unalign_set(uint64_t, uint64_t, uint64_t)");
	api->prototype("unalign_see(void *, uint64_t)");
	api->prototype("unalign_print()");
	trammel_add_call(api, trammel_program_start(), "unalign_set",
			 trammel_int((int64_t)line_size), trammel_int((int64_t)page_size),
			 trammel_int((int64_t)option_number(api, argc, argv, "top", 20)));
	trammel_add_call(api, trammel_program_end(), "unalign_print");
	return 0;
}

/* Calls the routine if the last bits of the address are not all 0. */
static void emit_point(const struct trammel_recipes *r, struct trammel_recipe *code,
		       const void *data)
{
	const struct unaligned *row = data;
	int address = r->take(code), bits = r->take(code), aligned = r->label(code);
	const struct trammel_argument arguments[] = {
		trammel_data(row, sizeof(*row)),
		trammel_value_of(TRAMMEL_TAKEN_REGISTER, (unsigned int)address)};

	r->value(code, address, trammel_address(row->memory));
	r->compute(code, TRAMMEL_MOVE, bits, address);
	r->compute_constant(code, TRAMMEL_AND, bits, row->size - 1);
	r->skip_if_constant(code, bits, TRAMMEL_EQUAL, 0, aligned);
	r->call(code, "unalign_see", arguments, 2);
	r->place(code, aligned);
	r->give_back(code, bits);
	r->give_back(code, address);
}

static void see_operand(const struct trammel_api *api,
			const struct trammel_function *function,
			const struct trammel_instruction *row,
			const struct trammel_operand *operand)
{
	const uint32_t size = operand->bits / 8;
	struct unaligned *place;

	if (!reference_is_one(operand) || row->repeated || size < 2 || size & (size - 1))
		return;
	place = PLACE_NEW(struct unaligned, api, function, row);
	if (!place)
		return;
	place->size = size;
	place->memory = operand->memory;
	api->add_code(trammel_before(row), emit_point, place);
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	const struct trammel_code *code = api->code(function);

	for (uint32_t i = 0; code && i < code->instruction_count; i++)
		for (uint32_t o = 0; o < code->instructions[i].operand_count; o++)
			see_operand(api, function, &code->instructions[i],
				    &code->instructions[i].operands[o]);
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"unalign",
		"unaligned references, and those over the end of a line or page\n"
		"line=BYTES (64), page=BYTES (4k), top=N (20)",
		start_tool,
		NULL,
		see_function,
		NULL};
