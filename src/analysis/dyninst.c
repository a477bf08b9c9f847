/*
 * dyninst: how many instructions of which class ran, in all and by function. Counted by
 * block, inline; a call that does not come back leaves the rest of its block counted.
 *
 *     trammel run --tool dyninst:top=20 -- PROGRAM
 */
#include "tables.h"

struct mix {
	struct place place;
	uint64_t classes[TRAMMEL_CLASSES];
	uint64_t executed;
};

/* A block's instructions by class; few classes occur in one. */
struct block_mix {
	uint8_t classes[8];
	uint32_t counts[8];
	uint32_t used;
};

/* --- program --------------------------------------------------------------------- */

static uint64_t top;
static const char *class_names[TRAMMEL_CLASSES];

TRAMMEL_ROUTINE void dyninst_set(uint64_t rows)
{
	top = rows;
}

TRAMMEL_ROUTINE void dyninst_name(uint64_t number, const char *name)
{
	class_names[number] = name;
}

TRAMMEL_ROUTINE void dyninst_block(struct mix *function, const struct block_mix *block)
{
	if (!function->place.used)
		place_use(&function->place);
	for (uint32_t i = 0; i < block->used; i++)
		COUNT(function->classes[block->classes[i]], block->counts[i]);
}

PLACE_ORDER(by_executed, struct mix, executed)

struct class_sum {
	uint64_t executed;
	char name[32];
};

static const struct column class_columns[] = {
	COLUMN("executed", "instructions", 15, SUM, NUMBER, class_sum, executed),
	COLUMN(NULL, "share", 8, NONE, PART, class_sum, executed),
	COLUMN("class", "class", 0, KEY, TEXT, class_sum, name),
};
static const struct table class_table = {"classes", TABLE_COLUMNS(class_columns), NULL,
					 NULL, NULL};

static void write_classes(const uint64_t *numbers, uint64_t all)
{
	static struct class_sum sums[TRAMMEL_CLASSES];
	const void *list[TRAMMEL_CLASSES];
	struct table_rows rows = {list, 0, TRAMMEL_CLASSES, all};

	for (int i = 0; i < TRAMMEL_CLASSES; i++) {
		if (!numbers[i])
			continue;
		sums[i].executed = numbers[i];
		snprintf(sums[i].name, sizeof(sums[i].name), "%s", class_names[i]);
		list[rows.count++] = &sums[i];
	}
	table_write(&class_table, &rows);
}

static const struct column columns[] = {
	COLUMN("executed", "instructions", 15, SUM, NUMBER, mix, executed),
	COLUMN(NULL, "share", 8, NONE, PART, mix, executed),
};
static const struct table table = {"functions", TABLE_COLUMNS(columns), row_place,
				   "function", NULL};

TRAMMEL_ROUTINE void dyninst_print(void)
{
	uint64_t sums[TRAMMEL_CLASSES] = {0}, all = 0;
	struct place **list;
	size_t count;

	for (struct place *place = places_used; place; place = place->next) {
		struct mix *row = (struct mix *)place;

		row->executed = 0;
		for (int i = 0; i < TRAMMEL_CLASSES; i++) {
			row->executed += row->classes[i];
			sums[i] += row->classes[i];
		}
		all += row->executed;
	}
	list = places_sort(by_executed, &count);
	fprintf(stderr, "dyninst: %llu instructions executed in %zu functions\n",
		(unsigned long long)all, count);
	write_classes(sums, all);
	table_write_places(&table, list, count, top, all);
}

TRAMMEL_ROUTINE void dyninst_fork(void)
{
	for (struct place *place = places_used; place; place = place->next)
		memset(((struct mix *)place)->classes, 0,
		       sizeof(((struct mix *)place)->classes));
}

/* --- instrumentation ------------------------------------------------------------- */

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {"top", NULL};

	options_check(api, argc, argv, names);
	table_call_at_fork(api, "dyninst_fork");
	api->prototype("dyninst_set(uint64_t)");
	api->prototype("dyninst_name(uint64_t, const char *)");
	api->prototype("dyninst_block(void *, void *)");
	api->prototype("dyninst_print()");
	trammel_add_call(api, trammel_program_start(), "dyninst_set",
			 trammel_int((int64_t)option_number(api, argc, argv, "top", 20)));
	for (unsigned int i = 0; i < TRAMMEL_CLASSES; i++)
		trammel_add_call(api, trammel_program_start(), "dyninst_name",
				 trammel_int(i), trammel_text(api->class_name(i)));
	trammel_add_call(api, trammel_program_end(), "dyninst_print");
	return 0;
}

/* Adds calls for instructions from number `from` of a block on, as many as have eight
 * classes; returns where the next ones begin. */
static uint32_t add_part(const struct trammel_api *api, const struct mix *function,
			 const struct trammel_block *block, uint32_t from)
{
	struct block_mix *mix = calloc(1, sizeof(*mix));
	uint32_t i = from, row;

	for (; mix && i < block->instruction_count; i++) {
		uint8_t op_class = block->instructions[i].op_class;

		for (row = 0; row < mix->used && mix->classes[row] != op_class; row++)
			;
		if (row == 8)
			break;
		mix->classes[row] = op_class;
		mix->counts[row]++;
		mix->used += row == mix->used;
	}
	trammel_add_call(api, trammel_block_begin(block), "dyninst_block",
			 trammel_data(function, sizeof(*function)),
			 trammel_data(mix, sizeof(*mix)));
	return mix ? i : block->instruction_count;
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	const struct trammel_code *code = api->code(function);
	const struct mix *mix = code ? PLACE_NEW(struct mix, api, function, NULL) : NULL;

	for (uint32_t i = 0; mix && i < code->block_count; i++)
		for (uint32_t next = 0; next < code->blocks[i].instruction_count;)
			next = add_part(api, mix, &code->blocks[i], next);
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"dyninst",
		"executed instructions by class and function\ntop=N (20)",
		start_tool,
		NULL,
		see_function,
		NULL};
