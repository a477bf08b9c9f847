#include "probe/node_make.h"

#include "base/text.h"
#include "probe/node_parts.h"
#include "probe/node_variables.h"

static bool is_signed_value(const struct probe_site *site, struct probe_type type)
{
	const struct image_data_type *data = probe_data_type(site, type);

	if (type.pointers || (data && data->kind != IMAGE_DATA_INTEGER))
		return false;
	/* Smaller unsigned numbers are signed ones of 64 bits, too. */
	return data ? data->is_signed || data->size < 8 : type.is_signed || type.size < 8;
}

static struct trm_error *make_value(struct probe_site *site, uint32_t term,
				    struct probe_value *ret_value);

static struct trm_error *make_word(struct probe_site *site, uint32_t term,
				   struct probe_value *ret_value)
{
	TRM_TRY(make_value(site, term, ret_value));
	return probe_value_need_word(site, site->program->terms.items[term].at,
				     ret_value);
}

/* What a pointer or array leads to. */
static struct trm_error *follow_value(struct probe_site *site, size_t at,
				      struct probe_value *value)
{
	const struct image_data_type *data;

	TRM_TRY(probe_value_need_word(site, at, value));
	data = probe_data_type(site, value->type);
	if (value->type.pointers)
		value->type.pointers--;
	else if (data && data->kind == IMAGE_DATA_POINTER)
		value->type.type = data->target;
	else
		return probe_complain_type(site, at, value->type,
					   "which is no pointer: (u64*)... makes it one");
	if (value->type.type == IMAGE_TYPE_NONE && data)
		return probe_site_complain(
			site, at,
			"what is at a void* has no type: write (u64*)... or "
			"(struct name*)...");
	value->type.in_memory = true;
	return NULL;
}

/* The bits of a field in memory, or in words. */
static uint32_t take_bits(struct probe_site *site, uint32_t node, unsigned from,
			  unsigned size, bool is_signed)
{
	return probe_node_add(site, (struct probe_node){.kind = PROBE_NODE_BITS,
							.first = node,
							.number = from,
							.size = (uint8_t)size,
							.is_signed = is_signed});
}

static struct trm_error *make_bit_field(struct probe_site *site, size_t at,
					const struct image_member *member,
					struct probe_value *value)
{
	const struct image_data_type *data = &site->types->items.items[member->type];
	unsigned end = member->bit_offset + member->bit_size, size = 1;
	struct probe_type type = probe_type_of(member->type);

	while (size * 8 < end)
		size *= 2;
	if (size > 8)
		return probe_site_complain(site, at,
					   "the bits of \"%s\" are in nine bytes",
					   site->types->names.strings[member->name]);
	*value = probe_value_in_memory(site, value->node, (int64_t)member->offset,
				       probe_unsigned_word);
	TRM_TRY(probe_value_load(site, at, size, false, value));
	value->node = take_bits(site, value->node, member->bit_offset, member->bit_size,
				data->is_signed);
	value->type = type;
	return NULL;
}

/* A member of a struct that is in words. */
static struct trm_error *make_word_member(struct probe_site *site, size_t at,
					  const struct image_member *member,
					  struct probe_value *value)
{
	const struct image_data_type *data = &site->types->items.items[member->type];
	uint32_t node = member->offset < 8 ? value->node : value->second;
	unsigned size = member->bit_size ?: (unsigned)data->size * 8;
	unsigned from = (unsigned)(member->offset % 8) * 8 + member->bit_offset;

	if (node == PROBE_NO_NODE || !probe_is_one_word(site, member->type) ||
	    from + size > 64 || member->offset >= 16)
		return probe_site_complain(site, at,
					   "\"%s\" is not in the integer arguments",
					   site->types->names.strings[member->name]);
	if (from || size < 64)
		node = take_bits(site, node, from, size, data->is_signed);
	*value = (struct probe_value){node, PROBE_NO_NODE, probe_type_of(member->type)};
	return NULL;
}

static const char *nearest_member(const struct probe_site *site, uint32_t type,
				  const char *name)
{
	const struct image_data_type *data = &site->types->items.items[type];
	const char *nearest = NULL;

	for (uint32_t i = 0; i < data->member_count; i++) {
		const char *other =
			site->types->names.strings
				[site->types->members.items[data->first_member + i].name];

		if (text_is_near(name, other) &&
		    (!nearest ||
		     text_distance(name, other) < text_distance(name, nearest)))
			nearest = other;
	}
	return nearest;
}

static struct trm_error *complain_member(struct probe_site *site,
					 const struct probe_term *term,
					 struct probe_type type)
{
	const struct image_data_type *data = probe_data_type(site, type);
	struct text text = {0};
	const char *nearest = NULL;

	if (!term->number && data && data->kind == IMAGE_DATA_POINTER)
		return probe_complain_type(site, term->at, type,
					   "a pointer: -> leads to its members");
	if (!data || data->kind != IMAGE_DATA_STRUCT)
		return probe_complain_type(site, term->at, type, "which has no members");
	image_types_describe(site->types, type.type, &text);
	nearest = nearest_member(site, type.type, term->name);
	struct trm_error *error = probe_site_complain(
		site, term->at, "%s has no member \"%s\"%s%s%s%s", text.data, term->name,
		data->declared ? ": it is only declared in the debug information" : "",
		nearest ? ": did you mean \"" : "", nearest ? nearest : "",
		nearest ? "\"?" : "");

	text_deinit(&text);
	return error;
}

static struct trm_error *make_member(struct probe_site *site,
				     const struct probe_term *term,
				     struct probe_value *ret_value)
{
	struct image_member member;

	TRM_TRY(make_value(site, term->first, ret_value));
	if (term->number)
		TRM_TRY(follow_value(site, term->at, ret_value));
	if (!probe_data_type(site, ret_value->type) ||
	    !image_types_member(site->types, ret_value->type.type, term->name, &member))
		return complain_member(site, term, ret_value->type);
	if (ret_value->type.in_words)
		return make_word_member(site, term->at, &member, ret_value);
	if (member.bit_size)
		return make_bit_field(site, term->at, &member, ret_value);
	*ret_value = probe_value_in_memory(site, ret_value->node, (int64_t)member.offset,
					   probe_type_of(member.type));
	return NULL;
}

static uint64_t size_of(const struct probe_site *site, struct probe_type type)
{
	const struct image_data_type *data = probe_data_type(site, type);

	return type.pointers ? 8 : data ? data->size : type.size;
}

static struct trm_error *make_index(struct probe_site *site,
				    const struct probe_term *term,
				    struct probe_value *ret_value)
{
	struct probe_value index;
	uint32_t size, offset;

	TRM_TRY(make_value(site, term->first, ret_value));
	TRM_TRY(follow_value(site, term->at, ret_value));
	TRM_TRY(make_word(site, term->second, &index));
	size = probe_value_simple(site, PROBE_NODE_CONSTANT,
				  size_of(site, ret_value->type), probe_word)
		       .node;
	offset = probe_node_add(site, (struct probe_node){.kind = PROBE_NODE_BINARY,
							  .symbol = PROBE_TIMES,
							  .first = index.node,
							  .second = size});
	ret_value->node =
		probe_node_add(site, (struct probe_node){.kind = PROBE_NODE_BINARY,
							 .symbol = PROBE_PLUS,
							 .first = ret_value->node,
							 .second = offset});
	return NULL;
}

static struct trm_error *make_cast(struct probe_site *site, const struct probe_term *term,
				   struct probe_value *ret_value)
{
	const struct probe_type_name *name = &term->type;
	struct probe_type type = {.type = IMAGE_TYPE_NONE,
				  .size = name->size,
				  .is_signed = name->is_signed,
				  .pointers = name->pointers};

	TRM_TRY(make_word(site, term->first, ret_value));
	if (name->name) {
		type.type = site->types ? image_types_named(site->types, name->name)
					: IMAGE_TYPE_NONE;
		if (type.type == IMAGE_TYPE_NONE)
			return probe_site_complain(site, term->at,
						   "there is no type \"%s\" in the debug "
						   "information%s%s",
						   name->name, site->lack ? ": " : "",
						   site->lack ? site->lack : "");
	} else if (!name->pointers) {
		ret_value->node = probe_node_extend(site, ret_value->node, name->size,
						    name->is_signed);
	}
	ret_value->type = type;
	return NULL;
}

/* str(x) == "text" */
static struct trm_error *make_same_text(struct probe_site *site,
					const struct probe_term *term,
					struct probe_value *ret_value)
{
	const struct probe_term *terms = site->program->terms.items;
	uint32_t node;

	TRM_TRY(make_word(site, terms[term->first].first, ret_value));
	node = probe_node_add(site,
			      (struct probe_node){.kind = PROBE_NODE_SAME_TEXT,
						  .first = ret_value->node,
						  .text = terms[term->second].name});
	if (term->symbol == PROBE_UNEQUAL)
		node = probe_node_add(site, (struct probe_node){.kind = PROBE_NODE_UNARY,
								.symbol = PROBE_NOT,
								.first = node});
	*ret_value = (struct probe_value){node, PROBE_NO_NODE, probe_word};
	return NULL;
}

static struct trm_error *make_binary(struct probe_site *site,
				     const struct probe_term *term,
				     struct probe_value *ret_value)
{
	struct probe_value second;
	bool is_signed;

	if (site->program->terms.items[term->second].kind == PROBE_LITERAL)
		return make_same_text(site, term, ret_value);
	TRM_TRY(make_word(site, term->first, ret_value));
	TRM_TRY(make_word(site, term->second, &second));
	if ((term->symbol == PROBE_SHIFT_LEFT || term->symbol == PROBE_SHIFT_RIGHT) &&
	    site->nodes.items[second.node].kind != PROBE_NODE_CONSTANT)
		return probe_site_complain(site, term->at,
					   "a shift is by a number, not by a value");
	is_signed = is_signed_value(site, ret_value->type);
	/* The direction of a shift is the left side's alone. */
	if (term->symbol != PROBE_SHIFT_RIGHT && term->symbol != PROBE_SHIFT_LEFT)
		is_signed &= is_signed_value(site, second.type);
	ret_value->node =
		probe_node_add(site, (struct probe_node){.kind = PROBE_NODE_BINARY,
							 .symbol = term->symbol,
							 .first = ret_value->node,
							 .second = second.node,
							 .is_signed = is_signed});
	ret_value->type = is_signed || (term->symbol >= PROBE_EQUAL &&
					term->symbol <= PROBE_GREATER_EQUAL)
				  ? probe_word
				  : probe_unsigned_word;
	return NULL;
}

static struct trm_error *make_unary(struct probe_site *site,
				    const struct probe_term *term,
				    struct probe_value *ret_value)
{
	TRM_TRY(make_word(site, term->first, ret_value));
	ret_value->node =
		probe_node_add(site, (struct probe_node){.kind = PROBE_NODE_UNARY,
							 .symbol = term->symbol,
							 .first = ret_value->node});
	ret_value->type = probe_word;
	return NULL;
}

/* scaled(x, 1000) */
static struct trm_error *make_scaled(struct probe_site *site,
				     const struct probe_term *term,
				     struct probe_value *ret_value)
{
	TRM_TRY(make_word(site, term->first, ret_value));
	if (site->nodes.items[ret_value->node].kind != PROBE_NODE_FLOAT)
		return probe_site_complain(site, term->at,
					   "scaled() is for numbers of floating point");
	site->nodes.items[ret_value->node].number = (int64_t)term->number;
	return NULL;
}

static struct trm_error *make_string(struct probe_site *site,
				     const struct probe_term *term,
				     struct probe_value *ret_value)
{
	TRM_TRY(make_word(site, term->first, ret_value));
	ret_value->node =
		probe_node_add(site, (struct probe_node){.kind = PROBE_NODE_STRING,
							 .first = ret_value->node});
	ret_value->type = probe_unsigned_word;
	return NULL;
}

/* Terms that are a node by themselves, and nothing else. */
static const struct {
	bool is;
	enum probe_node_kind node;
	bool is_signed;
} simple_terms[PROBE_TERM_KINDS] = {
	[PROBE_NUMBER] = {true, PROBE_NODE_CONSTANT, true},
	[PROBE_REGISTER] = {true, PROBE_NODE_REGISTER, true},
	[PROBE_ELAPSED] = {true, PROBE_NODE_ELAPSED, true},
	[PROBE_TIME] = {true, PROBE_NODE_TIME, true},
	[PROBE_THREAD] = {true, PROBE_NODE_THREAD, true},
	[PROBE_REGION] = {true, PROBE_NODE_REGION, false},
	[PROBE_PHASE] = {true, PROBE_NODE_PHASE, false},
	[PROBE_TRIPS] = {true, PROBE_NODE_TRIPS, true},
	[PROBE_SOURCE_LINE] = {true, PROBE_NODE_PC, false},
	[PROBE_PC] = {true, PROBE_NODE_PC, false},
	[PROBE_ACCESS] = {true, PROBE_NODE_ACCESS, false},
	[PROBE_ACCESS_SIZE] = {true, PROBE_NODE_ACCESS_SIZE, true},
	[PROBE_ACCESS_VALUE] = {true, PROBE_NODE_ACCESS_VALUE, false},
	[PROBE_THREAD_VARIABLE] = {true, PROBE_NODE_THREAD_CELL, true},
	[PROBE_CALL_VARIABLE] = {true, PROBE_NODE_CALL_CELL, true},
};

static struct trm_error *make_value(struct probe_site *site, uint32_t number,
				    struct probe_value *ret_value)
{
	const struct probe_term *term = &site->program->terms.items[number];

	if (site->header && (term->kind == PROBE_PC || term->kind == PROBE_SOURCE_LINE)) {
		*ret_value = probe_value_simple(site, PROBE_NODE_ADDRESS, site->header,
						probe_unsigned_word);
		return NULL;
	}
	if (simple_terms[term->kind].is) {
		*ret_value = probe_value_simple(
			site, simple_terms[term->kind].node, term->number,
			simple_terms[term->kind].is_signed ? probe_word
							   : probe_unsigned_word);
		return NULL;
	}
	switch (term->kind) {
	case PROBE_VARIABLE:
		return probe_make_variable(site, term, ret_value);
	case PROBE_ARGUMENT:
		return probe_make_argument(site, term, ret_value);
	case PROBE_RESULT:
		return probe_make_result(site, ret_value);
	case PROBE_FLOAT_ARGUMENT:
		return probe_make_float_argument(site, term, ret_value);
	case PROBE_FLOAT_RESULT:
		return probe_make_float_result(site, ret_value);
	case PROBE_SCALED:
		return make_scaled(site, term, ret_value);
	case PROBE_CALLER:
		return probe_make_caller(site, term, ret_value);
	case PROBE_FUNCTION:
		*ret_value = probe_value_simple(site, PROBE_NODE_ADDRESS, site->function,
						probe_unsigned_word);
		return NULL;
	case PROBE_STRING:
		return make_string(site, term, ret_value);
	case PROBE_UNARY:
		return make_unary(site, term, ret_value);
	case PROBE_BINARY:
		return make_binary(site, term, ret_value);
	case PROBE_MEMBER:
		return make_member(site, term, ret_value);
	case PROBE_INDEX:
		return make_index(site, term, ret_value);
	case PROBE_FOLLOW:
		TRM_TRY(make_value(site, term->first, ret_value));
		return follow_value(site, term->at, ret_value);
	case PROBE_CAST:
		return make_cast(site, term, ret_value);
	default:
		return probe_site_complain(site, term->at,
					   "text can only be compared as in str(arg0) == "
					   "\"text\"");
	}
}

struct trm_error *probe_make_node(struct probe_site *site, uint32_t term,
				  uint32_t *ret_node, struct probe_type *ret_type)
{
	struct probe_value value;

	TRM_TRY(make_word(site, term, &value));
	*ret_node = value.node;
	*ret_type = value.type;
	ret_type->is_signed = is_signed_value(site, value.type);
	return NULL;
}
