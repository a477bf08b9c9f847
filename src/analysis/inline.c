/*
 * inline: call sites by how often they call, with the size of what they call, if that is
 * one function: small callees at hot sites are what inlining would save.
 *
 *     trammel run --tool inline:size=200,top=30 -- PROGRAM
 */
#include "tables.h"

struct site {
	struct place place; /* of the call */
	uint64_t calls;
	uint64_t size; /* bytes of the callee; 0: not known */
	char callee[PLACE_NAME];
};

/* --- program --------------------------------------------------------------------- */

static uint64_t top, largest;

TRAMMEL_ROUTINE void inline_set(uint64_t rows, uint64_t size)
{
	top = rows;
	largest = size;
}

TRAMMEL_ROUTINE void inline_call(struct site *site)
{
	if (!site->place.used)
		place_use(&site->place);
	COUNT(site->calls, 1);
}

PLACE_ORDER(by_calls, struct site, calls)

static const struct column columns[] = {
	COLUMN("calls", "calls", 12, SUM, NUMBER, site, calls),
	COLUMN(NULL, "share", 8, NONE, PART, site, calls),
	COLUMN("bytes", "bytes", 6, KEY, NUMBER, site, size),
	COLUMN("callee", "callee", 0, KEY, TEXT, site, callee),
};
static const struct table table = {"sites", TABLE_COLUMNS(columns), row_place,
				   "called at", NULL};

TRAMMEL_ROUTINE void inline_print(void)
{
	size_t count, small = 0;
	struct place **list = places_sort(by_calls, &count);
	uint64_t all = 0;

	for (size_t i = 0; i < count; i++)
		all += ((const struct site *)list[i])->calls;
	fprintf(stderr,
		"inline: %llu calls from %zu sites; callees of at most %llu bytes:\n",
		(unsigned long long)all, count, (unsigned long long)largest);
	for (size_t i = 0; i < count; i++) {
		const struct site *row = (const struct site *)list[i];

		if (row->size && row->size <= largest)
			list[small++] = list[i];
	}
	table_write_places(&table, list, small, top, all);
}

TRAMMEL_ROUTINE void inline_fork(void)
{
	table_forget_places(&table);
}

/* --- instrumentation ------------------------------------------------------------- */

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {"size", "top", NULL};

	options_check(api, argc, argv, names);
	table_call_at_fork(api, "inline_fork");
	api->prototype("inline_set(uint64_t, uint64_t)");
	api->prototype("inline_call(void *)");
	api->prototype("inline_print()");
	trammel_add_call(
		api, trammel_program_start(), "inline_set",
		trammel_int((int64_t)option_number(api, argc, argv, "top", 30)),
		trammel_int((int64_t)option_number(api, argc, argv, "size", 200)));
	trammel_add_call(api, trammel_program_end(), "inline_print");
	return 0;
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	const struct trammel_code *code = api->code(function);

	for (uint32_t i = 0; code && i < code->instruction_count; i++) {
		const struct trammel_instruction *row = &code->instructions[i];
		const struct trammel_function *callee;
		struct site *site;

		if (row->kind != TRAMMEL_CALL && row->kind != TRAMMEL_CALL_INDIRECT)
			continue;
		site = PLACE_NEW(struct site, api, function, row);
		callee = api->callee(row);
		if (site && callee) {
			site->size = callee->size;
			place_copy(site->callee, sizeof(site->callee),
				   api->demangle(callee->name));
		}
		trammel_add_call(api, trammel_before(row), "inline_call",
				 trammel_data(site, sizeof(*site)));
	}
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"inline",
		"hot call sites of small functions\nsize=BYTES (200), top=N (30)",
		start_tool,
		NULL,
		see_function,
		NULL};
