/*
 * hazard: how often two conditions hold together where an instruction is executed, as for
 * a hazard of a processor that needs both. The list has a line for each:
 *
 *     MODULE:ADDRESS, CONDITION, CONDITION
 *     libm.so.6:0x1b2c0, rax == rdx, mem4[rdi+8] > 100
 *     app:0x401136, zf, ecx != 0
 *
 * ADDRESS is link-time, as objdump shows it. A condition compares (==, !=, <, <=, >, >=,
 * as unsigned numbers; with an s in front, such as s<, as signed ones) two of: a
 * register, of 8 or 4 bytes (rax, ecx, r9d); a number; memory, memSIZE[REGISTER+NUMBER];
 * or it is a flag (cf, pf, af, zf, sf, of, and !zf). Memory that cannot be read makes a
 * condition false.
 *
 *     trammel run --tool hazard:list=hazards.txt -- PROGRAM
 */
#include "tables.h"

#include <ctype.h>

enum { LINE = 512 };

enum kind { NUMBER, REGISTER, MEMORY, FLAG };
struct value {
	uint8_t kind;
	uint8_t reg;    /* of a register, or of the memory's address */
	uint8_t size;   /* bytes */
	int64_t number; /* or displacement; of a flag its bit */
};

struct condition {
	struct value left, right;
	uint8_t comparison; /* enum trammel_condition */
	bool with_sign;
};

struct hazard {
	struct place place;
	uint64_t executed, first, second, both;
	struct condition conditions[2];
	char text[128];
};

/* --- program --------------------------------------------------------------------- */

TRAMMEL_ROUTINE void hazard_see(struct hazard *hazard, uint64_t first, uint64_t second)
{
	if (!hazard->place.used)
		place_use(&hazard->place);
	COUNT(hazard->executed, 1);
	COUNT(hazard->first, first);
	COUNT(hazard->second, second);
	COUNT(hazard->both, first & second);
}

PLACE_ORDER(by_both, struct hazard, both)

static const struct column columns[] = {
	COLUMN("both", "both", 12, SUM, NUMBER, hazard, both),
	COLUMN("first", "first", 12, SUM, NUMBER, hazard, first),
	COLUMN("second", "second", 12, SUM, NUMBER, hazard, second),
	COLUMN("executed", "executed", 12, SUM, NUMBER, hazard, executed),
	COLUMN("hazard", "place", 0, KEY, TEXT, hazard, text),
};
static const struct table table = {"hazards", TABLE_COLUMNS(columns), row_place, NULL,
				   NULL};

/* A place of the list. */
struct listed {
	const char *module;
	uint64_t address;
};

static struct listed *listed;
static uint64_t listed_count;

TRAMMEL_ROUTINE void hazard_list(const char *module, uint64_t address, uint64_t all)
{
	if (!listed)
		listed = calloc(all, sizeof(*listed));
	if (listed)
		listed[listed_count++] = (struct listed){module, address};
}

static bool is_executed(const struct listed *row)
{
	for (const struct place *place = places_used; place; place = place->next)
		if (place->address == row->address && !strcmp(place->module, row->module))
			return true;
	return false;
}

TRAMMEL_ROUTINE void hazard_print(uint64_t all)
{
	size_t count;
	struct place **list = places_sort(by_both, &count);

	fprintf(stderr, "hazard: %zu of %llu places were executed\n", count,
		(unsigned long long)all);
	table_write_places(&table, list, count, count, 0);
	for (uint64_t i = 0; i < listed_count; i++)
		if (!is_executed(&listed[i]))
			fprintf(stderr,
				"  not executed, or no instruction begins there: "
				"%s:0x%llx\n",
				listed[i].module, (unsigned long long)listed[i].address);
}

TRAMMEL_ROUTINE void hazard_fork(void)
{
	table_forget_places(&table);
}

/* --- instrumentation ------------------------------------------------------------- */

static struct hazard *hazards;
static size_t hazard_count;

static const char *skip_space(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

/* Reads the name of a register: the number of bytes that it takes; 0: it is none. */
static size_t read_register(const struct trammel_api *api, const char *text,
			    struct value *value)
{
	static const char *const low[] = {"eax", "ecx", "edx", "ebx",
					  "esp", "ebp", "esi", "edi"};
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789");

	value->kind = REGISTER;
	for (uint8_t i = 0; i < 16; i++) {
		const char *name = api->register_name(i);
		size_t own = strlen(name);

		value->reg = i;
		value->size = 8;
		if (own == length && !strncmp(text, name, length))
			return length;
		value->size = 4;
		if (i < 8 && length == 3 && !strncmp(text, low[i], 3))
			return length;
		if (i >= 8 && length == own + 1 && !strncmp(text, name, own) &&
		    text[own] == 'd')
			return length;
	}
	return 0;
}

static bool read_memory(const struct trammel_api *api, const char **text,
			struct value *value)
{
	unsigned int size = (unsigned int)(*text)[3] - '0';
	const char *at = *text + 5;
	size_t length;
	char *end;

	if ((size != 1 && size != 2 && size != 4 && size != 8) || (*text)[4] != '[')
		return false;
	length = read_register(api, at, value);
	if (!length || value->size != 8)
		return false;
	at = skip_space(at + length);
	value->kind = MEMORY;
	value->size = (uint8_t)size;
	value->number = *at == ']' ? 0 : strtoll(at, &end, 0);
	if (*at != ']' && (end == at || *skip_space(end) != ']'))
		return false;
	*text = strchr(at, ']') + 1;
	return true;
}

static bool read_value(const struct trammel_api *api, const char **text,
		       struct value *value)
{
	size_t length;
	char *end;

	*text = skip_space(*text);
	if (!strncmp(*text, "mem", 3))
		return read_memory(api, text, value);
	length = read_register(api, *text, value);
	if (length) {
		*text += length;
		return true;
	}
	*value = (struct value){.kind = NUMBER, .number = strtoll(*text, &end, 0)};
	if (end == *text)
		return false;
	*text = end;
	return true;
}

static bool read_flag(const char **text, struct condition *condition)
{
	static const struct {
		const char *name;
		uint8_t bit;
	} flags[] = {{"cf", 0}, {"pf", 2}, {"af", 4}, {"zf", 6}, {"sf", 7}, {"of", 11}};
	const char *at = skip_space(*text);
	const bool negated = *at == '!';

	at = skip_space(at + negated);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (!strncmp(at, flags[i].name, 2) && !isalnum((unsigned char)at[2])) {
			*text = at + 2;
			condition->left =
				(struct value){.kind = FLAG, .number = flags[i].bit};
			condition->right = (struct value){.number = !negated};
			condition->comparison = TRAMMEL_EQUAL;
			return true;
		}
	return false;
}

static bool read_condition(const struct trammel_api *api, const char **text,
			   struct condition *condition)
{
	/* Longer ones first. */
	static const struct {
		const char *sign;
		uint8_t comparison;
	} signs[] = {
		{"s<=", TRAMMEL_NOT_GREATER}, {"s>=", TRAMMEL_NOT_LESS},
		{"s<", TRAMMEL_LESS},         {"s>", TRAMMEL_GREATER},
		{"==", TRAMMEL_EQUAL},        {"!=", TRAMMEL_NOT_EQUAL},
		{"<=", TRAMMEL_AT_MOST},      {">=", TRAMMEL_AT_LEAST},
		{"<", TRAMMEL_BELOW},         {">", TRAMMEL_ABOVE},
	};
	size_t i = 0;

	if (read_flag(text, condition))
		return true;
	if (!read_value(api, text, &condition->left))
		return false;
	*text = skip_space(*text);
	while (i < sizeof(signs) / sizeof(signs[0]) &&
	       strncmp(*text, signs[i].sign, strlen(signs[i].sign)))
		i++;
	if (i == sizeof(signs) / sizeof(signs[0]))
		return false;
	*text += strlen(signs[i].sign);
	condition->comparison = signs[i].comparison;
	condition->with_sign = *signs[i].sign == 's';
	return read_value(api, text, &condition->right);
}

static bool read_line(const struct trammel_api *api, const char *text,
		      struct hazard *hazard)
{
	const char *colon = strrchr(text, ':');
	char *end;

	place_copy(hazard->text, sizeof(hazard->text), text);
	if (!colon)
		return false;
	snprintf(hazard->place.module, PLACE_MODULE, "%.*s", (int)(colon - text), text);
	hazard->place.address = strtoull(colon + 1, &end, 16);
	text = skip_space(end);
	if (end == colon + 1 || *text++ != ',' ||
	    !read_condition(api, &text, &hazard->conditions[0]))
		return false;
	text = skip_space(text);
	return *text++ == ',' && read_condition(api, &text, &hazard->conditions[1]) &&
	       !*skip_space(text);
}

static void read_list(const struct trammel_api *api, const char *path)
{
	FILE *file = fopen(path, "re");
	char line[LINE];
	int number = 0;

	if (!file) {
		api->fail("hazard: cannot open %s", path);
		return;
	}
	while (fgets(line, sizeof(line), file)) {
		const char *text = skip_space(line);
		struct hazard *more;

		number++;
		line[strcspn(line, "\n")] = '\0';
		if (!*text || *text == '#')
			continue;
		more = realloc(hazards, (hazard_count + 1) * sizeof(*more));
		if (!more)
			break;
		hazards = more;
		hazards[hazard_count] = (struct hazard){.executed = 0};
		if (!read_line(api, text, &hazards[hazard_count++])) {
			api->fail("hazard: %s:%d: not MODULE:ADDRESS, CONDITION, "
				  "CONDITION: %s",
				  path, number, text);
			break;
		}
	}
	fclose(file);
}

/* Loads a value into a register; memory that cannot be read leads to `error`. */
static void load_value(const struct trammel_recipes *r, struct trammel_recipe *code,
		       int to, const struct value *value, bool with_sign, int error)
{
	if (value->kind == NUMBER) {
		r->value(code, to, trammel_int(value->number));
		return;
	}
	if (value->kind == FLAG) {
		r->value(code, to, trammel_status());
		r->shift(code, to, -(int)value->number);
		r->compute_constant(code, TRAMMEL_AND, to, 1);
		return;
	}
	r->value(code, to, trammel_register(value->reg));
	if (value->kind == MEMORY)
		r->load(code, to, to, (int32_t)value->number, value->size, error);
	if (value->size == 8)
		return;
	r->shift(code, to, 64 - 8 * value->size);
	r->shift(code, to, -(64 - 8 * value->size));
	if (!with_sign)
		return;
	/* Extends the sign: (x ^ m) - m. */
	r->compute_constant(code, TRAMMEL_XOR, to, 1ll << (8 * value->size - 1));
	r->compute_constant(code, TRAMMEL_MINUS, to, 1ll << (8 * value->size - 1));
}

static void emit_point(const struct trammel_recipes *r, struct trammel_recipe *code,
		       const void *data)
{
	const struct hazard *hazard = data;
	int holds[2] = {r->take(code), r->take(code)};
	int left = r->take(code), right = r->take(code);
	const struct trammel_argument arguments[] = {
		trammel_data(hazard, sizeof(*hazard)),
		trammel_value_of(TRAMMEL_TAKEN_REGISTER, (unsigned int)holds[0]),
		trammel_value_of(TRAMMEL_TAKEN_REGISTER, (unsigned int)holds[1])};

	for (int i = 0; i < 2; i++) {
		const struct condition *condition = &hazard->conditions[i];
		int unreadable = r->label(code);

		r->value(code, holds[i], trammel_int(0));
		load_value(r, code, left, &condition->left, condition->with_sign,
			   unreadable);
		load_value(r, code, right, &condition->right, condition->with_sign,
			   unreadable);
		r->compare(code, holds[i], left,
			   (enum trammel_condition)condition->comparison, right);
		r->place(code, unreadable);
	}
	r->call(code, "hazard_see", arguments, 3);
	r->give_back(code, right);
	r->give_back(code, left);
	r->give_back(code, holds[1]);
	r->give_back(code, holds[0]);
}

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {"list", NULL};
	const char *path = option_text(argc, argv, "list");

	options_check(api, argc, argv, names);
	table_call_at_fork(api, "hazard_fork");
	if (path)
		read_list(api, path);
	else
		api->fail("hazard: which places? give list=FILE");
	api->prototype("hazard_see(void *, uint64_t, uint64_t)");
	api->prototype("hazard_list(const char *, uint64_t, uint64_t)");
	api->prototype("hazard_print(uint64_t)");
	for (size_t i = 0; i < hazard_count; i++)
		trammel_add_call(api, trammel_program_start(), "hazard_list",
				 trammel_text(hazards[i].place.module),
				 trammel_int((int64_t)hazards[i].place.address),
				 trammel_int((int64_t)hazard_count));
	trammel_add_call(api, trammel_program_end(), "hazard_print",
			 trammel_int((int64_t)hazard_count));
	return 0;
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	for (size_t i = 0; i < hazard_count; i++) {
		struct hazard *hazard = &hazards[i];
		const struct trammel_code *code;

		if (strcmp(hazard->place.module, function->module->name) ||
		    hazard->place.address - function->address >= function->size)
			continue;
		hazard->place.code =
			api->code_number(function->module, hazard->place.address);
		code = api->code(function);
		for (uint32_t row = 0; code && row < code->instruction_count; row++)
			if (code->instructions[row].address == hazard->place.address)
				api->add_code(trammel_before(&code->instructions[row]),
					      emit_point, hazard);
	}
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"hazard",
		"how often two conditions hold together at an instruction\nlist=FILE",
		start_tool,
		NULL,
		see_function,
		NULL};
