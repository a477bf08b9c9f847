#include "image/types.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "image/dwarf/entry.h"
#include "image/dwarf/location.h"
#include "image/dwarf/ranges.h"
#include "image/dwarf/types.h"
#include "image/headers.h"
#include "image/units.h"
#include "wire/unwind.h"

#include <string.h>

struct reading {
	const struct image *image;
	const struct image_types_wanted *wanted;
	struct image_types *types;
	struct dwarf_types dwarf;
	struct table declared; /* by hash of the name: index of a type that is, plus 1 */
	struct image_ranges code; /* scratch */
};

static bool is_wanted_name(const struct reading *reading, const char *name)
{
	for (size_t i = 0; name && i < reading->wanted->name_count; i++)
		if (!strcmp(reading->wanted->names[i], name))
			return true;
	return false;
}

static bool is_wanted_function(const struct reading *reading, uint64_t address)
{
	for (size_t i = 0; i < reading->wanted->function_count; i++)
		if (reading->wanted->functions[i] == address)
			return true;
	return false;
}

/* From the first address of an entry's code to the last. */
static struct image_range extent_of(struct reading *reading,
				    const struct dwarf_entry *entry)
{
	struct image_range whole = {UINT64_MAX, 0};

	dwarf_entry_ranges(entry, &reading->code);
	vector_for_each (&reading->code, range) {
		whole.start = range->start < whole.start ? range->start : whole.start;
		whole.end = range->end > whole.end ? range->end : whole.end;
	}
	return whole;
}

static void add_variable(struct reading *reading, const struct dwarf_entry *entry,
			 struct image_range scope)
{
	struct image_types *types = reading->types;
	const char *name = dwarf_entry_string(entry, DWARF_NAME);
	struct image_variable variable = {
		.parameter = entry->tag == DW_TAG_formal_parameter,
		.words = {IMAGE_PASSED_NOWHERE, IMAGE_PASSED_NOWHERE},
		.first_location = (uint32_t)types->locations.count,
		.scope = scope,
	};

	/* Without a name, too, a parameter takes its place among the others. */
	if (!name && !variable.parameter)
		return;
	variable.name = string_table_intern(&types->names, name ? name : "");
	variable.type = dwarf_type_of(&reading->dwarf, entry);
	dwarf_entry_locations(entry, scope, &types->locations);
	variable.location_count =
		(uint32_t)types->locations.count - variable.first_location;
	vector_push(&types->variables, variable);
}

/* Frame bases are what most variables are relative to without optimisation. */
static void place_in_frame(struct image_types *types, size_t from,
			   struct image_location base)
{
	for (size_t i = from; i < types->locations.count; i++) {
		struct image_location *location = &types->locations.items[i];

		if (location->kind != IMAGE_AT_BASE)
			continue;
		/* A base in a register is the register's value. */
		location->kind = base.kind == IMAGE_IN_REGISTER ? IMAGE_IN_MEMORY
				 : base.kind == IMAGE_IN_FRAME  ? IMAGE_IN_FRAME
								: IMAGE_NOWHERE;
		location->number = base.number;
	}
}

/* Reads the variables below an entry, but not those of functions put into it. */
static void add_variables(struct reading *reading, const struct dwarf_entry *function,
			  struct image_range whole)
{
	struct image_range scopes[UNITS_DEPTH_MAX + 1] = {whole};
	uint64_t offset = function->next;
	struct dwarf_entry entry;
	size_t depth = 0;

	while (function->children && offset < function->unit->end) {
		dwarf_entry_read(function->unit, offset, &entry);
		offset = entry.next;
		if (!entry.tag && !depth--)
			return;
		if (!entry.tag)
			continue;
		if (entry.tag == DW_TAG_formal_parameter || entry.tag == DW_TAG_variable)
			add_variable(reading, &entry, scopes[depth]);
		if (entry.tag == DW_TAG_lexical_block && entry.children &&
		    depth < UNITS_DEPTH_MAX)
			scopes[++depth] = extent_of(reading, &entry);
		else
			offset = dwarf_entry_end(&entry);
	}
}

static void see_function(struct reading *reading, const struct dwarf_entry *entry)
{
	struct image_types *types = reading->types;
	size_t locations = types->locations.count;
	struct image_location base = {0};
	struct image_signature signature = {.first_variable =
						    (uint32_t)types->variables.count};

	if (!dwarf_entry_start(entry, &signature.address) ||
	    !is_wanted_function(reading, signature.address) ||
	    image_types_function(types, signature.address))
		return;
	signature.result = dwarf_type_of(&reading->dwarf, entry);
	add_variables(reading, entry, extent_of(reading, entry));
	signature.variable_count =
		(uint32_t)types->variables.count - signature.first_variable;
	if (dwarf_entry_has(entry, DWARF_FRAME_BASE))
		base = dwarf_value_location(entry->unit,
					    &entry->values[DWARF_FRAME_BASE]);
	place_in_frame(types, locations, base);
	vector_push(&types->functions, signature);
}

static void see_type(struct reading *reading, const struct dwarf_entry *entry)
{
	if (dwarf_entry_has(entry, DWARF_DECLARATION) ||
	    !is_wanted_name(reading, dwarf_entry_string(entry, DWARF_NAME)))
		return;
	uint32_t type = dwarf_type_at(&reading->dwarf, entry);

	if (type == IMAGE_TYPE_NONE)
		return;
	/* The name of a typedef is not that of its type: both are kept side by side. */
	vector_push(&reading->types->named,
		    string_table_intern(&reading->types->names,
					dwarf_entry_string(entry, DWARF_NAME)));
	vector_push(&reading->types->named, type);
}

static void see_global(struct reading *reading, const struct dwarf_entry *entry)
{
	if (!dwarf_entry_has(entry, DWARF_LOCATION) ||
	    !is_wanted_name(reading, dwarf_entry_string(entry, DWARF_NAME)))
		return;
	vector_push(&reading->types->globals, (uint32_t)reading->types->variables.count);
	add_variable(reading, entry, (struct image_range){0, UINT64_MAX});
}

static void see_entry(struct reading *reading, const struct dwarf_entry *entry)
{
	switch (entry->tag) {
	case DW_TAG_subprogram:
		see_function(reading, entry);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
		see_type(reading, entry);
		break;
	case DW_TAG_variable:
		see_global(reading, entry);
		break;
	default:
		break;
	}
}

/* Sees the entries of a unit, and of namespaces in it. */
static void see_unit(void *context, struct dwarf_unit *unit, struct dwarf_unit *root)
{
	struct reading *reading = context;
	struct dwarf_entry entry;
	size_t depth = 0;
	uint64_t offset;

	dwarf_entry_read(root, root->first, &entry);
	offset = entry.children ? entry.next : root->end;
	while (offset < root->end) {
		dwarf_entry_read(root, offset, &entry);
		offset = entry.next;
		if (!entry.tag && !depth--)
			break;
		if (!entry.tag)
			continue;
		if (entry.tag == DW_TAG_namespace && depth < UNITS_DEPTH_MAX) {
			depth += entry.children;
			continue;
		}
		see_entry(reading, &entry);
		offset = dwarf_entry_end(&entry);
	}
	dwarf_types_finish(&reading->dwarf);
	/* Other units may come to lie where those of split files were. */
	if (root != unit)
		table_deinit(&reading->dwarf.known);
}

/* Gives a struct that was only declared what its definition says. */
static void define_type(struct reading *reading, const struct dwarf_entry *entry)
{
	const char *name = dwarf_entry_string(entry, DWARF_NAME);
	uint64_t declared = 0;
	uint32_t type;

	if (!name || dwarf_entry_has(entry, DWARF_DECLARATION) ||
	    !table_find(&reading->declared, hash_bytes(name, strlen(name)), &declared) ||
	    !declared)
		return;
	type = dwarf_type_at(&reading->dwarf, entry);
	dwarf_types_finish(&reading->dwarf);
	if (type == IMAGE_TYPE_NONE)
		return;
	reading->types->items.items[declared - 1] = reading->types->items.items[type];
	*table_insert(&reading->declared, hash_bytes(name, strlen(name)), NULL) = 0;
}

static void see_definitions(void *context, struct dwarf_unit *unit,
			    struct dwarf_unit *root)
{
	struct reading *reading = context;
	struct dwarf_entry entry;
	uint64_t offset;

	dwarf_entry_read(root, root->first, &entry);
	offset = entry.children ? entry.next : root->end;
	while (offset < root->end) {
		dwarf_entry_read(root, offset, &entry);
		if (!entry.tag)
			break;
		offset = dwarf_entry_end(&entry);
		if (entry.tag == DW_TAG_structure_type ||
		    entry.tag == DW_TAG_union_type || entry.tag == DW_TAG_class_type)
			define_type(reading, &entry);
	}
	if (root != unit)
		table_deinit(&reading->dwarf.known);
}

/* Notes the structs that are only declared; false: there are none. */
static bool note_declared(struct reading *reading)
{
	struct image_types *types = reading->types;
	bool any = false;

	table_deinit(&reading->declared);
	for (uint32_t i = 0; i < types->items.count; i++) {
		const struct image_data_type *type = &types->items.items[i];
		const char *name = types->names.strings[type->name];

		if (!type->declared || !*name)
			continue;
		*table_insert(&reading->declared, hash_bytes(name, strlen(name)), NULL) =
			(uint64_t)i + 1;
		any = true;
	}
	return any;
}

/* Looks in other units for structs that are only declared. Definitions may have others
 * of this kind, so it does so twice. */
static struct trm_error *find_definitions(struct reading *reading)
{
	for (int pass = 0; pass < 2 && note_declared(reading); pass++) {
		scoped_free char *lack = NULL;

		TRM_TRY(image_each_unit(reading->image, see_definitions, reading, &lack));
	}
	return NULL;
}

bool image_frame_at(const struct image *image, uint64_t address, uint8_t *ret_base,
		    int32_t *ret_offset)
{
	static const uint8_t first[] = {0, 2, 1, 3, 6, 7, 5, 4};
	struct image_unwind unwind;
	struct unwind_rule rule;

	if (!image_find_unwind(image->bytes, image->size, &unwind))
		return false;
	const struct unwind_tables tables = {unwind.header, unwind.start, unwind.end,
					     unwind.bytes};

	if (!unwind_find_rule(&tables, address, &rule) || rule.loaded ||
	    rule.base >= UNWIND_REGISTERS)
		return false;
	*ret_base = rule.base < 8 ? first[rule.base] : rule.base;
	*ret_offset = rule.offset;
	return true;
}

/* What words of an argument are made of. */
enum word_class { WORD_EMPTY, WORD_INTEGER, WORD_OTHER };

/* Notes what is in each of the two words of a value. */
static void classify_words(const struct image_types *types, uint32_t number,
			   uint64_t offset, int depth, enum word_class words[2])
{
	const struct image_data_type *type = &types->items.items[number];
	enum word_class *word = &words[offset >= 8];

	if (depth > 8 || offset >= 16)
		return;
	if (type->kind == IMAGE_DATA_STRUCT) {
		for (uint32_t i = 0; i < type->member_count; i++) {
			const struct image_member *member =
				&types->members.items[type->first_member + i];

			classify_words(types, member->type, offset + member->offset,
				       depth + 1, words);
		}
		return;
	}
	if (type->kind == IMAGE_DATA_ARRAY && type->target != IMAGE_TYPE_NONE) {
		uint64_t step = types->items.items[type->target].size;

		for (uint64_t i = 0; step && i < type->size; i += step)
			classify_words(types, type->target, offset + i, depth + 1, words);
		return;
	}
	if (type->kind == IMAGE_DATA_INTEGER || type->kind == IMAGE_DATA_POINTER)
		*word = WORD_INTEGER;
	else if (*word == WORD_EMPTY)
		*word = WORD_OTHER;
	/* __int128 and the like */
	if (type->size > 8 && type->kind == IMAGE_DATA_INTEGER)
		words[1] = WORD_INTEGER;
}

/* Registers and words of the stack that parameters have taken. */
struct passing {
	int integers, others, stack;
	bool lost; /* something was not understood */
};

static void pass_on_stack(struct passing *passing, uint64_t size, int16_t words[2])
{
	uint64_t count = (size + 7) / 8;

	if (count > 512) {
		passing->lost = true;
		return;
	}
	for (int i = 0; i < 2 && (uint64_t)i < count; i++)
		words[i] = (int16_t)(6 + passing->stack + i);
	passing->stack += (int)count;
}

/* System V ABI for AMD64, section 3.2.3. */
static void pass_parameter(const struct image_types *types, struct passing *passing,
			   struct image_variable *variable)
{
	enum word_class words[2] = {WORD_EMPTY, WORD_EMPTY};
	int integers = 0, others = 0;

	if (variable->type == IMAGE_TYPE_NONE)
		passing->lost = true;
	if (passing->lost)
		return;
	const struct image_data_type *type = &types->items.items[variable->type];

	if (type->kind == IMAGE_DATA_UNKNOWN || type->declared ||
	    (type->kind != IMAGE_DATA_STRUCT && type->size > 8)) {
		passing->lost = true;
		return;
	}
	classify_words(types, variable->type, 0, 0, words);
	for (int i = 0; i < 2; i++) {
		integers += words[i] == WORD_INTEGER;
		others += words[i] == WORD_OTHER;
	}
	if (!type->size)
		return;
	if (type->size > 16 || passing->integers + integers > 6 ||
	    passing->others + others > 8) {
		pass_on_stack(passing, type->size, variable->words);
		return;
	}
	for (int i = 0; i < 2; i++)
		if (words[i] == WORD_INTEGER)
			variable->words[i] = (int16_t)passing->integers++;
	passing->others += others;
}

/* Whether a result is written to memory, whose address is the first argument. */
static bool returns_memory(const struct image_types *types, uint32_t result)
{
	return result != IMAGE_TYPE_NONE &&
	       types->items.items[result].kind == IMAGE_DATA_STRUCT &&
	       types->items.items[result].size > 16;
}

static void pass_parameters(struct image_types *types)
{
	vector_for_each (&types->functions, function) {
		struct passing passing = {
			.integers = returns_memory(types, function->result)};

		for (uint32_t i = 0; i < function->variable_count; i++) {
			struct image_variable *variable =
				&types->variables.items[function->first_variable + i];

			if (variable->parameter)
				pass_parameter(types, &passing, variable);
		}
	}
}

struct trm_error *image_types_init(struct image_types *types, const struct image *image,
				   const struct image_types_wanted *wanted)
{
	struct reading reading = {.image = image, .wanted = wanted, .types = types};

	*types = (struct image_types){0};
	string_table_intern(&types->names, "");
	reading.dwarf.types = types;
	struct trm_error *error =
		image_each_unit(image, see_unit, &reading, &types->lack);

	if (!error && wanted->members)
		error = find_definitions(&reading);
	table_deinit(&reading.declared);
	table_deinit(&reading.dwarf.known);
	vector_deinit(&reading.dwarf.left);
	vector_deinit(&reading.code);
	if (error)
		image_types_deinit(types);
	else
		pass_parameters(types);
	return error;
}

void image_types_deinit(struct image_types *types)
{
	string_table_deinit(&types->names);
	vector_deinit(&types->items);
	vector_deinit(&types->members);
	vector_deinit(&types->variables);
	vector_deinit(&types->locations);
	vector_deinit(&types->functions);
	vector_deinit(&types->named);
	vector_deinit(&types->globals);
	free(types->lack);
	types->lack = NULL;
}

const struct image_signature *image_types_function(const struct image_types *types,
						   uint64_t address)
{
	vector_for_each (&types->functions, function)
		if (function->address == address)
			return function;
	return NULL;
}

const struct image_variable *image_types_variable(const struct image_types *types,
						  const struct image_signature *function,
						  const char *name, uint64_t address)
{
	uint32_t count = function ? function->variable_count : 0;

	while (count--) {
		const struct image_variable *variable =
			&types->variables.items[function->first_variable + count];

		if (!strcmp(types->names.strings[variable->name], name) &&
		    variable->scope.start <= address && address < variable->scope.end)
			return variable;
	}
	vector_for_each (&types->globals, index) {
		const struct image_variable *variable = &types->variables.items[*index];

		if (!strcmp(types->names.strings[variable->name], name))
			return variable;
	}
	return NULL;
}

const struct image_location *image_types_location(const struct image_types *types,
						  const struct image_variable *variable,
						  uint64_t address)
{
	for (uint32_t i = 0; i < variable->location_count; i++) {
		const struct image_location *location =
			&types->locations.items[variable->first_location + i];

		if (location->kind != IMAGE_NOWHERE && location->code.start <= address &&
		    address < location->code.end)
			return location;
	}
	return NULL;
}

/* Whether a type says more than another of the same name. */
static bool is_better(const struct image_types *types, uint32_t type, uint32_t than)
{
	return than == IMAGE_TYPE_NONE ||
	       (types->items.items[than].declared && !types->items.items[type].declared);
}

uint32_t image_types_named(const struct image_types *types, const char *name)
{
	uint32_t found = IMAGE_TYPE_NONE;

	for (size_t i = 0; i + 1 < types->named.count; i += 2) {
		uint32_t type = types->named.items[i + 1];

		if (!strcmp(types->names.strings[types->named.items[i]], name) &&
		    is_better(types, type, found))
			found = type;
	}
	return found;
}

static bool find_member(const struct image_types *types, uint32_t number,
			const char *name, int depth, struct image_member *ret_member)
{
	const struct image_data_type *type = &types->items.items[number];

	for (uint32_t i = 0; i < type->member_count; i++) {
		const struct image_member *member =
			&types->members.items[type->first_member + i];

		if (member->name && !strcmp(types->names.strings[member->name], name)) {
			*ret_member = *member;
			return true;
		}
		if (member->name || depth > 8 ||
		    !find_member(types, member->type, name, depth + 1, ret_member))
			continue;
		ret_member->offset += member->offset;
		return true;
	}
	return false;
}

bool image_types_member(const struct image_types *types, uint32_t type, const char *name,
			struct image_member *ret_member)
{
	return type != IMAGE_TYPE_NONE && find_member(types, type, name, 0, ret_member);
}

void image_types_describe(const struct image_types *types, uint32_t type,
			  struct text *ret_text)
{
	struct text behind = {0};
	const struct image_data_type *item = NULL;
	const char *name = "void";

	/* At most so many, as damaged information may go round in circles. */
	for (int i = 0; i < 16 && type != IMAGE_TYPE_NONE; i++) {
		item = &types->items.items[type];
		if (item->kind != IMAGE_DATA_POINTER && item->kind != IMAGE_DATA_ARRAY)
			break;
		text_add(&behind, item->kind == IMAGE_DATA_POINTER ? "*" : "[]");
		type = item->target;
	}
	if (type != IMAGE_TYPE_NONE && item) {
		if (item->kind == IMAGE_DATA_STRUCT)
			text_add(ret_text, "struct ");
		name = types->names.strings[item->name];
	}
	text_add(ret_text, *name ? name : "nameless");
	text_add(ret_text, behind.length ? behind.data : "");
	text_deinit(&behind);
}
