/*
 * Values of all executions of instructions: results, what is loaded and stored,
 * addresses, and where branches lead; the exact form of `trammel run -m values`. Most
 * frequent values are kept in tables, and profiling converges: an instruction whose most
 * frequent value has the same share in one interval as in the one before is not looked at
 * for a while, and then again (B. Calder et al., Value Profiling and Optimization, JILP
 * 1, 1999).
 *
 *     trammel run -m values:exact --only 'prog:solve*' -- prog
 *     trammel run --tool values:converge=0,kinds=result+load -- prog
 */
#include "tables.h"

enum {
	TOP = 16,
	STEADY = 8,
	CLEAR_EVERY = 2048,
	STRIDES = 4,
	INTERVAL = 4096, /* executions that are looked at, of which the share is taken */
	PART = 100,      /* a change of less than one in so many has settled */
	REST = 65536,    /* executions for which a settled value is not looked at, ... */
	REST_MAX = 64,   /* ... and at most so many times that */
};

enum value_kind { RESULT, LOAD, STORE, ADDRESS, TARGET, DIVISOR, KINDS };
static const char *const kind_names[KINDS] = {"result",  "load",   "store",
					      "address", "target", "divisor"};

struct count {
	uint64_t value, times;
};

/* A value of an instruction. */
struct value {
	struct place place;
	uint64_t seen, zeros, pairs, same, off, at;
	uint64_t thread, last; /* the last execution's */
	uint64_t start, end;   /* of its module: branches to there are told link-time */
	uint64_t rest, rests; /* executions not to be looked at; how long the next time */
	uint64_t share;       /* of the most frequent value in the interval before */
	uint64_t first, first_seen; /* its count and all, when the interval began */
	uint64_t ways[2];           /* of a branch: not taken, taken */
	uint32_t lock;
	char kind[12], what[12];
	struct count top[TOP], strides[STRIDES];
};

/* --- program --------------------------------------------------------------------- */

static uint64_t converge;

TRAMMEL_ROUTINE void values_set(uint64_t on)
{
	converge = on;
}

static void count_value(struct count *list, int size, uint64_t value)
{
	int at = 0;

	while (at < size && list[at].times && list[at].value != value)
		at++;
	if (at == size)
		list[--at].times = 0;
	list[at].value = value;
	list[at].times++;
	for (; at && list[at].times > list[at - 1].times; at--) {
		const struct count moved = list[at];

		list[at] = list[at - 1];
		list[at - 1] = moved;
	}
}

/* At the end of an interval: whether the share of the most frequent value is about the
 * same as in the one before. */
static void look_whether_settled(struct value *value, uint64_t looked)
{
	const uint64_t share = (value->top[0].times - value->first) * PART * 2 /
			       (looked - value->first_seen);

	if (value->share && share + 1 >= value->share - 1 && share <= value->share + 1) {
		value->rests = value->rests ? value->rests * 2 : 1;
		if (value->rests > REST_MAX)
			value->rests = REST_MAX;
		value->rest = value->rests * REST;
	} else {
		value->rests = 0;
	}
	value->share = share + 1;
	value->first = value->top[0].times;
	value->first_seen = looked;
}

static void take_value(struct value *value, uint64_t is, uint64_t thread)
{
	const uint64_t looked = value->seen - value->off;

	value->zeros += !is;
	count_value(value->top, TOP, is);
	if (looked % CLEAR_EVERY == 0)
		memset(value->top + STEADY, 0, (TOP - STEADY) * sizeof(value->top[0]));
	if (value->thread == thread) {
		value->pairs++;
		value->same += is == value->last;
		count_value(value->strides, STRIDES, is - value->last);
	}
	value->thread = thread;
	value->last = is;
	if (converge && looked - value->first_seen >= INTERVAL)
		look_whether_settled(value, looked);
}

TRAMMEL_ROUTINE void values_see(struct value *value, uint64_t is, uint64_t thread)
{
	while (__atomic_exchange_n(&value->lock, 1, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
	value->seen++;
	if (!value->place.used)
		place_use(&value->place);
	if (value->rest) {
		value->rest--;
		value->off++;
		value->thread = 0;
	} else {
		take_value(value, is, thread);
	}
	__atomic_store_n(&value->lock, 0, __ATOMIC_RELEASE);
}

TRAMMEL_ROUTINE void values_branch(struct value *value, uint64_t taken, uint64_t thread)
{
	values_see(value, value->ways[taken != 0], thread);
}

/* Addresses of the running program become those of the file. */
static uint64_t link_target(const struct value *value, uint64_t target, uint64_t pc)
{
	const uint64_t linked = target - pc + value->place.address;

	return linked >= value->start && linked < value->end ? linked : target;
}

TRAMMEL_ROUTINE void values_target(struct value *value, uint64_t target, uint64_t pc,
				   uint64_t thread)
{
	values_see(value, link_target(value, target, pc), thread);
}

/* The same by region. */
TRAMMEL_ROUTINE void values_see_in(const struct value *value, uint64_t is,
				   uint64_t thread)
{
	struct value *own =
		place_in_region((void *)(uintptr_t)value, sizeof(struct value));

	/* Several threads may write the same. */
	if (!own->at) {
		place_copy(own->kind, sizeof(own->kind), value->kind);
		place_copy(own->what, sizeof(own->what), value->what);
		own->at = value->at;
	}
	values_see(own, is, thread);
}

TRAMMEL_ROUTINE void values_branch_in(const struct value *value, uint64_t taken,
				      uint64_t thread)
{
	values_see_in(value, value->ways[taken != 0], thread);
}

TRAMMEL_ROUTINE void values_target_in(const struct value *value, uint64_t target,
				      uint64_t pc, uint64_t thread)
{
	values_see_in(value, link_target(value, target, pc), thread);
}

static const struct column columns[] = {
	COLUMN("at", NULL, 0, KEY, NUMBER, value, at),
	COLUMN("kind", NULL, 0, KEY, TEXT, value, kind),
	COLUMN("what", NULL, 0, KEY, TEXT, value, what),
	COLUMN("seen", NULL, 0, SUM, NUMBER, value, seen),
	COLUMN("zeros", NULL, 0, SUM, NUMBER, value, zeros),
	COLUMN("pairs", NULL, 0, SUM, NUMBER, value, pairs),
	COLUMN("same", NULL, 0, SUM, NUMBER, value, same),
	COLUMN("off", NULL, 0, SUM, NUMBER, value, off),
	COLUMN_REGION(value, place.region),
};
static const struct table table = {"instructions", TABLE_COLUMNS(columns), row_place,
				   NULL, NULL};

/* One of the values that are kept. */
struct kept {
	const struct value *of;
	struct count count;
	uint64_t at, region;
	char kind[12], what[12];
};

static const struct place *kept_place(const void *row)
{
	return &((const struct kept *)row)->of->place;
}

static const struct column kept_columns[] = {
	COLUMN("at", NULL, 0, KEY, NUMBER, kept, at),
	COLUMN("kind", NULL, 0, KEY, TEXT, kept, kind),
	COLUMN("what", NULL, 0, KEY, TEXT, kept, what),
	COLUMN("value", NULL, 0, KEY, NUMBER, kept, count.value),
	COLUMN("times", NULL, 0, SUM, NUMBER, kept, count.times),
	COLUMN_REGION(kept, region),
};
static const struct table top_table = {"values", TABLE_COLUMNS(kept_columns), kept_place,
				       NULL, NULL};
static const struct table stride_table = {"strides", TABLE_COLUMNS(kept_columns),
					  kept_place, NULL, NULL};

static void record_counts(const struct value *value, const struct table *to,
			  const struct count *list, int size)
{
	for (int i = 0; i < size && list[i].times; i++) {
		struct kept kept = {.of = value,
				    .count = list[i],
				    .at = value->at,
				    .region = value->place.region};

		place_copy(kept.kind, sizeof(kept.kind), value->kind);
		place_copy(kept.what, sizeof(kept.what), value->what);
		table_record_row(to, &kept);
	}
}

TRAMMEL_ROUTINE void values_record(void)
{
	for (struct place *place = places_used; place; place = place->next) {
		const struct value *value = (const struct value *)(const void *)place;

		if (!value->seen)
			continue;
		table_record_row(&table, value);
		record_counts(value, &top_table, value->top, TOP);
		if (strcmp(value->kind, kind_names[TARGET]) != 0)
			record_counts(value, &stride_table, value->strides, STRIDES);
	}
}

TRAMMEL_ROUTINE void values_fork(void)
{
	for (struct place *place = places_used; place; place = place->next) {
		struct value *value = (struct value *)(void *)place;

		value->seen = value->zeros = value->pairs = value->same = value->off = 0;
		value->first = value->first_seen = value->thread = value->rest = 0;
		memset(value->top, 0, sizeof(value->top));
		memset(value->strides, 0, sizeof(value->strides));
	}
}

/* --- instrumentation ------------------------------------------------------------- */

static bool wanted[KINDS], by_region;

static void choose_kinds(const struct trammel_api *api, const char *text)
{
	for (int i = 0; i < KINDS; i++)
		wanted[i] = !text;
	while (text && *text) {
		const size_t length = strcspn(text, "+");
		int i = 0;

		while (i < KINDS && (strlen(kind_names[i]) != length ||
				     strncmp(kind_names[i], text, length) != 0))
			i++;
		if (i == KINDS) {
			api->fail("values: kinds= takes result, load, store, address, "
				  "target "
				  "and divisor, with + between them");
			return;
		}
		wanted[i] = true;
		text += length + (text[length] == '+');
	}
}

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {"converge", "kinds", "by", NULL};
	const char *on = option_text(argc, argv, "converge");

	options_check(api, argc, argv, names);
	choose_kinds(api, option_text(argc, argv, "kinds"));
	by_region = option_by_region(api, argc, argv);
	table_call_at_fork(api, "values_fork");
	api->prototype("values_set(uint64_t)");
	api->prototype("values_see(void *, uint64_t, uint64_t)");
	api->prototype("values_branch(void *, uint64_t, uint64_t)");
	api->prototype("values_target(void *, uint64_t, uint64_t, uint64_t)");
	api->prototype("values_see_in(void *, uint64_t, uint64_t)");
	api->prototype("values_branch_in(void *, uint64_t, uint64_t)");
	api->prototype("values_target_in(void *, uint64_t, uint64_t, uint64_t)");
	api->prototype("values_record()");
	trammel_add_call(api, trammel_program_start(), "values_set",
			 trammel_int(!on || strcmp(on, "0") != 0));
	trammel_add_call(api, trammel_program_end(), "values_record");
	return 0;
}

/* What is being instrumented. */
struct adding {
	const struct trammel_api *api;
	const struct trammel_function *function;
	const struct trammel_instruction *row;
};

static struct value *make_value(const struct adding *to, enum value_kind kind,
				const char *what)
{
	struct value *value = PLACE_NEW(struct value, to->api, to->function, to->row);

	if (!value)
		return NULL;
	value->at = value->place.address;
	value->start = to->function->module->start;
	value->end = to->function->module->end;
	place_copy(value->kind, sizeof(value->kind), kind_names[kind]);
	place_copy(value->what, sizeof(value->what), what);
	return value;
}

static void add_value(const struct adding *to, struct trammel_point point,
		      enum value_kind kind, const char *what, struct trammel_argument is)
{
	const struct value *value = wanted[kind] ? make_value(to, kind, what) : NULL;

	if (value)
		trammel_add_call(
			to->api, point, by_region ? "values_see_in" : "values_see",
			trammel_data(value, sizeof(*value)), is, trammel_thread());
}

static bool is_masked(const struct trammel_instruction *row)
{
	for (uint32_t i = 0; i < row->operand_count; i++)
		if (row->operands[i].kind == TRAMMEL_OPERAND_REGISTER &&
		    row->operands[i].reads && row->operands[i].reg > TRAMMEL_K0 &&
		    row->operands[i].reg < TRAMMEL_XMM0)
			return true;
	return strstr(row->mnemonic, "maskmov") != NULL;
}

/* bt and the like with a register reach beyond their operand; enter and leave access what
 * they do not name. */
static bool is_elsewhere(const struct trammel_instruction *row)
{
	if (row->opcode_map == 1)
		return row->opcode == 0xa3 || row->opcode == 0xab ||
		       row->opcode == 0xb3 || row->opcode == 0xbb;
	return !row->opcode_map && (row->opcode == 0xc8 || row->opcode == 0xc9);
}

/* Whether an operand's address is known by general registers, as samples tell it. */
static bool has_address(const struct trammel_instruction *row,
			const struct trammel_operand *operand)
{
	const bool stack = operand->implicit && operand->base == TRAMMEL_RSP;

	return operand->kind == TRAMMEL_OPERAND_MEMORY && !operand->gathered &&
	       !is_elsewhere(row) &&
	       (!operand->implicit || stack || row->op_class == TRAMMEL_CLASS_STRING);
}

static struct trammel_argument memory_of(const struct trammel_operand *operand)
{
	struct trammel_argument memory = trammel_memory(operand->memory);

	/* The first 8 bytes of wider ones. */
	memory.size = operand->bits > 64 ? 8 : 0;
	return memory;
}

static void add_memory(const struct adding *to, const struct trammel_operand *operand)
{
	const struct trammel_instruction *row = to->row;
	const char *what = operand->memory ? "memory2" : "memory";
	const bool stack = operand->implicit && operand->base == TRAMMEL_RSP;

	if (!has_address(row, operand))
		return;
	add_value(to, trammel_before(row), ADDRESS, what,
		  trammel_address(operand->memory));
	if (row->repeated || is_masked(row) || !operand->bits || operand->bits > 512)
		return;
	if (operand->reads)
		add_value(to, trammel_before(row), LOAD, what, memory_of(operand));
	if (operand->writes && row->kind == TRAMMEL_PLAIN &&
	    (stack || row->op_class != TRAMMEL_CLASS_STRING))
		add_value(to, trammel_after(row), STORE, what, memory_of(operand));
}

static void add_results(const struct adding *to)
{
	const struct trammel_instruction *row = to->row;
	const uint32_t vectors = (uint32_t)(row->writes >> TRAMMEL_XMM0);

	for (unsigned int i = 0; i < 16; i++)
		if ((row->writes >> i & 1) && i != TRAMMEL_RSP)
			add_value(to, trammel_after(row), RESULT,
				  to->api->register_name(i), trammel_register(i));
	for (unsigned int i = 0; i < 32 && __builtin_popcount(vectors) <= 4; i++)
		if (vectors >> i & 1)
			add_value(to, trammel_after(row), RESULT,
				  to->api->register_name(TRAMMEL_XMM0 + i),
				  trammel_vector_low(i));
}

/* Of a division by a register; by memory it is what is loaded. */
static void add_divisor(const struct adding *to)
{
	const struct trammel_instruction *row = to->row;

	if ((strcmp(row->mnemonic, "div") != 0 && strcmp(row->mnemonic, "idiv") != 0) ||
	    row->operands[0].kind != TRAMMEL_OPERAND_REGISTER)
		return;
	add_value(to, trammel_before(row), DIVISOR,
		  to->api->register_name(row->operands[0].reg),
		  trammel_register(row->operands[0].reg));
}

static void add_branch(const struct adding *to)
{
	const struct trammel_instruction *row = to->row;
	struct value *value;

	if (!wanted[TARGET])
		return;
	if (row->kind == TRAMMEL_BRANCH) {
		value = make_value(to, TARGET, "branch");
		if (!value)
			return;
		value->ways[0] = row->address + row->length;
		value->ways[1] = row->target;
		trammel_add_call(to->api, trammel_before(row),
				 by_region ? "values_branch_in" : "values_branch",
				 trammel_data(value, sizeof(*value)), trammel_taken(),
				 trammel_thread());
		return;
	}
	if (row->kind != TRAMMEL_SWITCH && row->kind != TRAMMEL_JUMP_INDIRECT &&
	    row->kind != TRAMMEL_RETURN && row->kind != TRAMMEL_CALL_INDIRECT)
		return;
	value = make_value(to, TARGET, "branch");
	if (value)
		trammel_add_call(to->api, trammel_before(row),
				 by_region ? "values_target_in" : "values_target",
				 trammel_data(value, sizeof(*value)), trammel_target(),
				 trammel_pc(), trammel_thread());
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	const struct trammel_code *code = api->code(function);

	for (uint32_t i = 0; code && i < code->instruction_count; i++) {
		const struct trammel_instruction *row = &code->instructions[i];
		const struct adding to = {api, function, row};

		if (row->kind == TRAMMEL_PLAIN)
			add_results(&to);
		if (row->kind == TRAMMEL_PLAIN)
			add_divisor(&to);
		else
			add_branch(&to);
		for (uint32_t o = 0; o < row->operand_count; o++)
			add_memory(&to, &row->operands[o]);
	}
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"values",
		"values of all executions of instructions, for trammel values\n"
		"converge=0|1 (1), kinds=result+load+store+address+target",
		start_tool,
		NULL,
		see_function,
		NULL};
