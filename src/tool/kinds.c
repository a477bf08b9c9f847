#include "tool/kinds.h"

#include "base/array.h"
#include "base/text.h"
#include "x86/all_operands.h"

#include <ctype.h>
#include <string.h>

/* HALT's: docs/halt.md. */
static const struct {
	const char *name, *routine, *values;
	bool has_id;
} built_in[] = {
	[TRAMMEL_KIND_STARTUP] = {"startup", "_halt_startup", "", false},
	[TRAMMEL_KIND_CBR] = {"cbr", "_record_cbr", "taken", true},
	[TRAMMEL_KIND_MBR] = {"mbr", "_record_mbr", "index", true},
	[TRAMMEL_KIND_ENTRY] = {"entry", "_record_entry", "", true},
	[TRAMMEL_KIND_EXIT] = {"exit", "_record_exit", "", true},
	[TRAMMEL_KIND_SETJMP] = {"setjmp", "_record_setjmp", "arg0", true},
	[TRAMMEL_KIND_LONGJMP] = {"longjmp", "_record_longjmp", "arg0,arg1", true},
	[TRAMMEL_KIND_LOAD] = {"load", "_record_load", "size,address", true},
	[TRAMMEL_KIND_STORE] = {"store", "_record_store", "size,address", true},
	[TRAMMEL_KIND_BLOCK] = {"block", "_record_block", "", true},
	[TRAMMEL_KIND_CYCLE] = {"cycle", "_record_cycle", "", true},
};

static const struct {
	const char *name;
	enum trammel_value kind;
} value_names[] = {
	{"taken", TRAMMEL_TAKEN},   {"index", TRAMMEL_INDEX},
	{"size", TRAMMEL_SIZE},     {"address", TRAMMEL_ADDRESS},
	{"memory", TRAMMEL_MEMORY}, {"target", TRAMMEL_TARGET},
	{"ret", TRAMMEL_RETURNED},  {"caller", TRAMMEL_CALLER},
	{"pc", TRAMMEL_PC},         {"thread", TRAMMEL_THREAD},
	{"time", TRAMMEL_TIME},     {"bank", TRAMMEL_BANK},
	{"status", TRAMMEL_STATUS}, {"context", TRAMMEL_CONTEXT},
};

enum { GENERAL_REGISTERS = 16, ARGUMENTS_MAX = 100 };

static bool read_value(const char *name, struct tool_value *ret_value)
{
	for (size_t i = 0; i < array_count(value_names); i++)
		if (!strcmp(value_names[i].name, name)) {
			*ret_value =
				(struct tool_value){(uint16_t)value_names[i].kind, 0};
			return true;
		}
	for (unsigned int i = 0; i < GENERAL_REGISTERS; i++)
		if (!strcmp(all_operands_register_name(i), name)) {
			*ret_value = (struct tool_value){TRAMMEL_REGISTER, (uint16_t)i};
			return true;
		}
	if (strncmp(name, "arg", 3) != 0 || !isdigit((unsigned char)name[3]) ||
	    strlen(name) > 5 || (name[4] && !isdigit((unsigned char)name[4])))
		return false;
	*ret_value = (struct tool_value){TRAMMEL_ARGUMENT, (uint16_t)atoi(name + 3)};
	return true;
}

static struct trm_error *read_values(struct tool_kind *kind, const char *values)
{
	char *copy = memory_copy_string(values), *rest = copy, *word;
	struct trm_error *error = NULL;

	while (!error && (word = strsep(&rest, ",")) && (*word || rest)) {
		if (kind->value_count == TOOL_KIND_VALUES_MAX)
			error = trm_error_create(TRM_ERROR_USAGE,
						 "kind '%s': more than %d values",
						 kind->name, TOOL_KIND_VALUES_MAX);
		else if (!read_value(word, &kind->values[kind->value_count++]))
			error = trm_error_create(TRM_ERROR_USAGE,
						 "kind '%s': '%s' is no value of the "
						 "program",
						 kind->name, word);
	}
	free(copy);
	return error;
}

void tool_kinds_init(struct tool_kinds *kinds)
{
	for (size_t i = 0; i < array_count(built_in); i++) {
		struct tool_kind *kind = vector_add(kinds);

		kind->name = memory_copy_string(built_in[i].name);
		kind->routine = memory_copy_string(built_in[i].routine);
		kind->has_id = built_in[i].has_id;
		trm_error_destroy(read_values(kind, built_in[i].values));
	}
}

static void free_kind(struct tool_kind *kind)
{
	free(kind->name);
	free(kind->routine);
}

void tool_kinds_deinit(struct tool_kinds *kinds)
{
	vector_for_each (kinds, kind)
		free_kind(kind);
	vector_deinit(kinds);
}

size_t tool_kinds_find(const struct tool_kinds *kinds, const char *name)
{
	size_t i = 0;

	while (i < kinds->count && strcmp(kinds->items[i].name, name) != 0)
		i++;
	return i;
}

/* Names are parts of names of routines. */
static bool is_word(const char *name)
{
	for (const char *s = name; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_')
			return false;
	return *name && !isdigit((unsigned char)*name) && strlen(name) < 64;
}

struct trm_error *tool_kinds_add(struct tool_kinds *kinds, const char *name,
				 const char *values, uint32_t *ret_number)
{
	size_t found = tool_kinds_find(kinds, name);
	struct tool_kind kind = {.has_id = true};
	struct text routine = {0};
	struct trm_error *error;

	if (!is_word(name))
		return trm_error_create(TRM_ERROR_USAGE,
					"kind '%s': a name has letters, digits and _",
					name);
	text_format(&routine, "_record_%s", name);
	kind.name = memory_copy_string(name);
	kind.routine = routine.data;
	error = read_values(&kind, values);
	if (!error && found < kinds->count &&
	    (kind.value_count != kinds->items[found].value_count ||
	     memcmp(kind.values, kinds->items[found].values, sizeof(kind.values)) != 0))
		error = trm_error_create(TRM_ERROR_USAGE,
					 "kind '%s' is there already, with other values",
					 name);
	if (error || found < kinds->count) {
		free_kind(&kind);
	} else {
		vector_push(kinds, kind);
	}
	if (!error)
		*ret_number = (uint32_t)found;
	return error;
}

static void add_value(const struct tool_value *value, struct text *out)
{
	for (size_t i = 0; i < array_count(value_names); i++)
		if (value_names[i].kind == value->kind) {
			text_add(out, value_names[i].name);
			return;
		}
	if (value->kind == TRAMMEL_ARGUMENT)
		text_format(out, "arg%u", value->number);
	else
		text_add(out, all_operands_register_name(value->number));
}

void tool_kinds_add_values(const struct tool_kind *kind, struct text *out)
{
	for (size_t i = 0; i < kind->value_count; i++) {
		text_add(out, i ? "," : "");
		add_value(&kind->values[i], out);
	}
}
