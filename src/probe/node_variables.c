/* Variables and arguments of the measured program, and what of them is kept from a
 * function's entry for its return. */
#include "probe/node_variables.h"

#include "base/array.h"
#include "probe/node_parts.h"

#include <string.h>

enum { REGISTER_RSP = 4, ARGUMENT_REGISTERS = 6 };

static struct probe_value in_memory_of(struct probe_site *site, uint8_t base,
				       int64_t offset, struct probe_type type)
{
	return probe_value_in_memory(
		site,
		probe_value_simple(site, PROBE_NODE_REGISTER, base, probe_word).node,
		offset, type);
}

/* The parameter that is passed as an integer argument; NULL: not known. */
static const struct image_variable *parameter_of(const struct probe_site *site,
						 uint64_t argument)
{
	const struct image_signature *function =
		site->types && site->place != PROBE_CALL
			? image_types_function(site->types, site->function)
			: NULL;

	for (uint32_t i = 0; function && i < function->variable_count; i++) {
		const struct image_variable *variable =
			&site->types->variables.items[function->first_variable + i];

		if (variable->parameter && variable->words[0] >= 0 &&
		    (uint64_t)variable->words[0] == argument)
			return variable;
	}
	return NULL;
}

/* Whether a value of a type is in one word, so that it can be kept. */
bool probe_is_one_word(const struct probe_site *site, uint32_t type)
{
	return type != IMAGE_TYPE_NONE &&
	       (site->types->items.items[type].kind == IMAGE_DATA_INTEGER ||
		site->types->items.items[type].kind == IMAGE_DATA_POINTER);
}

/* Something that is kept from the function's entry for its return. */
static struct trm_error *kept_value(struct probe_site *site,
				    const struct probe_term *term, struct probe_type type,
				    struct probe_value *ret_value)
{
	int cell = site->keep ? site->keep(site->context, site->function, term) : 0;

	if (cell < 0)
		return probe_site_complain(
			site, term->at,
			"more than %d values are kept between a function's "
			"entry and its return",
			PROBE_CALL_CELLS);
	*ret_value = probe_value_in_register(
		site,
		probe_value_simple(site, PROBE_NODE_CALL_CELL, (uint64_t)cell, type).node,
		type);
	return NULL;
}

struct trm_error *probe_make_argument(struct probe_site *site,
				      const struct probe_term *term,
				      struct probe_value *ret_value)
{
	const struct image_variable *parameter = parameter_of(site, term->number);
	struct probe_type type = probe_word;

	if (parameter && probe_is_one_word(site, parameter->type))
		type = probe_type_of(parameter->type);
	if (site->place == PROBE_RETURN)
		return kept_value(site, term, type, ret_value);
	*ret_value = probe_value_in_register(
		site,
		probe_value_simple(site, PROBE_NODE_ARGUMENT, term->number, type).node,
		type);
	return NULL;
}

/* Bytes of a type of floating point that is passed in a vector register; 0: another one.
 */
static uint64_t float_size(const struct probe_site *site, uint32_t type)
{
	const struct image_data_type *data =
		type == IMAGE_TYPE_NONE ? NULL : &site->types->items.items[type];

	return data && data->kind == IMAGE_DATA_FLOAT && data->size <= 8 ? data->size : 0;
}

/* The parameter that is passed in a vector register; its number, where `wanted` is that
 * parameter. NULL: not known, as behind structs, which may be passed in some, too. */
static const struct image_variable *float_parameter(const struct probe_site *site,
						    const struct image_variable *wanted,
						    uint64_t *number)
{
	const struct image_signature *function =
		site->types && site->place != PROBE_CALL
			? image_types_function(site->types, site->function)
			: NULL;
	uint64_t count = 0;

	for (uint32_t i = 0; function && i < function->variable_count; i++) {
		const struct image_variable *variable =
			&site->types->variables.items[function->first_variable + i];

		if (!variable->parameter)
			continue;
		if (variable->type != IMAGE_TYPE_NONE &&
		    site->types->items.items[variable->type].kind == IMAGE_DATA_STRUCT)
			return NULL;
		if (!float_size(site, variable->type))
			continue;
		if (wanted ? variable == wanted : count == *number) {
			*number = count;
			return variable;
		}
		count++;
	}
	return NULL;
}

enum { FLOAT_REGISTERS = 8 };

struct trm_error *probe_make_float_argument(struct probe_site *site,
					    const struct probe_term *term,
					    struct probe_value *ret_value)
{
	uint64_t number = term->number;
	const struct image_variable *parameter = float_parameter(site, NULL, &number);

	if (term->number >= FLOAT_REGISTERS)
		return probe_site_complain(site, term->at,
					   "arguments of floating point are farg0 to "
					   "farg%d",
					   FLOAT_REGISTERS - 1);
	*ret_value =
		probe_value_simple(site, PROBE_NODE_VECTOR, term->number, probe_word);
	probe_value_float(site, parameter ? float_size(site, parameter->type) : 8,
			  ret_value);
	return NULL;
}

struct trm_error *probe_make_float_result(struct probe_site *site,
					  struct probe_value *ret_value)
{
	const struct image_signature *function =
		site->types ? image_types_function(site->types, site->function) : NULL;
	const uint64_t size = function ? float_size(site, function->result) : 0;

	*ret_value = probe_value_simple(site, PROBE_NODE_VECTOR, 0, probe_word);
	probe_value_float(site, size ?: 8, ret_value);
	return NULL;
}

/* A parameter at the function's entry, as the ABI passes it. */
static bool make_passed(struct probe_site *site, const struct image_variable *variable,
			struct probe_value *ret_value)
{
	struct probe_type type = probe_type_of(variable->type);
	int16_t first = variable->words[0];
	uint64_t number;

	if (float_size(site, variable->type) && first < 0 &&
	    float_parameter(site, variable, &number) && number < FLOAT_REGISTERS) {
		*ret_value =
			probe_value_simple(site, PROBE_NODE_VECTOR, number, probe_word);
		probe_value_float(site, float_size(site, variable->type), ret_value);
		return true;
	}
	if (first >= ARGUMENT_REGISTERS) {
		*ret_value = in_memory_of(site, REGISTER_RSP,
					  8 + 8 * (first - ARGUMENT_REGISTERS), type);
		return true;
	}
	if (probe_is_one_word(site, variable->type) && first >= 0) {
		*ret_value = probe_value_in_register(
			site,
			probe_value_simple(site, PROBE_NODE_ARGUMENT, (uint64_t)first,
					   type)
				.node,
			type);
		return true;
	}
	if (variable->type == IMAGE_TYPE_NONE || (first < 0 && variable->words[1] < 0))
		return false;
	type.in_words = true;
	*ret_value = (struct probe_value){PROBE_NO_NODE, PROBE_NO_NODE, type};
	if (first >= 0)
		ret_value->node = probe_value_simple(site, PROBE_NODE_ARGUMENT,
						     (uint64_t)first, probe_word)
					  .node;
	if (variable->words[1] >= 0)
		ret_value->second =
			probe_value_simple(site, PROBE_NODE_ARGUMENT,
					   (uint64_t)variable->words[1], probe_word)
				.node;
	return true;
}

static bool make_located(struct probe_site *site, const struct image_location *location,
			 struct probe_type type, struct probe_value *ret_value)
{
	uint8_t base;
	int32_t offset;

	switch ((enum image_location_kind)location->kind) {
	case IMAGE_IN_REGISTER:
		*ret_value = probe_value_in_register(
			site,
			probe_value_simple(site, PROBE_NODE_REGISTER, location->number,
					   type)
				.node,
			type);
		return true;
	case IMAGE_IN_MEMORY:
		*ret_value = in_memory_of(site, location->number, location->offset, type);
		return true;
	case IMAGE_IN_FRAME:
		if (!image_frame_at(site->image, site->address, &base, &offset))
			return false;
		*ret_value = in_memory_of(site, base, offset + location->offset, type);
		return true;
	case IMAGE_AT_ADDRESS:
		type.in_memory = true;
		*ret_value = probe_value_simple(site, PROBE_NODE_ADDRESS,
						(uint64_t)location->offset, type);
		return true;
	case IMAGE_NOWHERE:
	case IMAGE_AT_BASE:
		break;
	}
	return false;
}

/* At a function's first instruction nothing is in its frame but what the caller put
 * there, whatever the debug information says for the whole function. */
static bool make_at_entry(struct probe_site *site, const struct image_variable *variable,
			  const struct image_location *location,
			  struct probe_value *ret_value)
{
	if (location &&
	    (location->kind == IMAGE_IN_REGISTER || location->kind == IMAGE_AT_ADDRESS))
		return make_located(site, location, probe_type_of(variable->type),
				    ret_value);
	return variable->parameter && make_passed(site, variable, ret_value);
}

/* The name that is nearest to one that is not there; NULL: none is near. */
static const char *nearest_variable(const struct probe_site *site, const char *name)
{
	const struct image_signature *function =
		image_types_function(site->types, site->function);
	const char *nearest = NULL;

	for (uint32_t i = 0; function && i < function->variable_count; i++) {
		const struct image_variable *variable =
			&site->types->variables.items[function->first_variable + i];
		const char *other = site->types->names.strings[variable->name];

		if (text_is_near(name, other) &&
		    (!nearest ||
		     text_distance(name, other) < text_distance(name, nearest)))
			nearest = other;
	}
	return nearest;
}

/* The points that have a value of probes with this name; NULL: there is none. Elsewhere
 * the name is a variable's. */
static const char *place_of(const char *name)
{
	static const char *const accessed[] = {"address", "size", "value"};

	for (size_t i = 0; i < array_count(accessed); i++)
		if (!strcmp(accessed[i], name))
			return "F@load and F@store";
	return strcmp(name, "trips") ? NULL : "F@loop";
}

static struct trm_error *complain_variable(struct probe_site *site,
					   const struct probe_term *term)
{
	const char *nearest;

	if (!site->types)
		return probe_site_complain(
			site, term->at,
			"\"%s\" is not known here (%s): arguments are arg0, "
			"arg1, ... without debug information",
			term->name, site->lack ? site->lack : "");
	if (place_of(term->name))
		return probe_site_complain(
			site, term->at,
			"%s can be had only at %s, and there is no variable with "
			"this name here",
			term->name, place_of(term->name));
	nearest = nearest_variable(site, term->name);
	return probe_site_complain(site, term->at,
				   "there is no variable \"%s\" here%s%s%s", term->name,
				   nearest ? ": did you mean \"" : "",
				   nearest ? nearest : "", nearest ? "\"?" : "");
}

struct trm_error *probe_make_variable(struct probe_site *site,
				      const struct probe_term *term,
				      struct probe_value *ret_value)
{
	const struct image_variable *variable;
	const struct image_location *location;
	bool entry = site->place == PROBE_ENTRY || site->place == PROBE_RETURN;
	uint64_t address = entry ? site->function : site->address;

	if (!site->types)
		return complain_variable(site, term);
	variable = image_types_variable(site->types,
					image_types_function(site->types, site->function),
					term->name, address);
	if (!variable)
		return complain_variable(site, term);
	if (variable->type == IMAGE_TYPE_NONE)
		return probe_site_complain(site, term->at,
					   "the type of \"%s\" is not known", term->name);
	if (site->place == PROBE_RETURN && variable->parameter) {
		if (probe_is_one_word(site, variable->type))
			return kept_value(site, term, probe_type_of(variable->type),
					  ret_value);
		return probe_site_complain(
			site, term->at,
			"only numbers and pointers are kept for a function's "
			"return");
	}
	location = image_types_location(site->types, variable, address);
	if (entry ? make_at_entry(site, variable, location, ret_value)
		  : location && make_located(site, location,
					     probe_type_of(variable->type), ret_value))
		return NULL;
	return probe_site_complain(
		site, term->at,
		"where \"%s\" is at this point is not known: it is not there "
		"yet, or was optimised away",
		term->name);
}

struct trm_error *probe_make_kept(struct probe_site *site, const struct probe_term *term,
				  uint32_t *ret_node)
{
	struct probe_value value;

	site->place = PROBE_ENTRY;
	if (term->kind == PROBE_CALLER)
		value = probe_value_simple(site, PROBE_NODE_CALLER, 0, probe_word);
	else if (term->kind == PROBE_ARGUMENT)
		TRM_TRY(probe_make_argument(site, term, &value));
	else
		TRM_TRY(probe_make_variable(site, term, &value));
	TRM_TRY(probe_value_need_word(site, term->at, &value));
	*ret_node = value.node;
	return NULL;
}

struct trm_error *probe_make_result(struct probe_site *site,
				    struct probe_value *ret_value)
{
	const struct image_signature *function =
		site->types ? image_types_function(site->types, site->function) : NULL;
	struct probe_type type = probe_word;

	if (function && probe_is_one_word(site, function->result))
		type = probe_type_of(function->result);
	*ret_value = probe_value_in_register(
		site, probe_value_simple(site, PROBE_NODE_RESULT, 0, type).node, type);
	return NULL;
}

struct trm_error *probe_make_caller(struct probe_site *site,
				    const struct probe_term *term,
				    struct probe_value *ret_value)
{
	if (site->place == PROBE_RETURN)
		return kept_value(site, term, probe_unsigned_word, ret_value);
	*ret_value = probe_value_simple(site, PROBE_NODE_CALLER, 0, probe_unsigned_word);
	return NULL;
}
