#include "probe/node_parts.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

struct trm_error *probe_site_complain(struct probe_site *site, size_t at,
				      const char *format, ...)
{
	char *message = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&message, format, arguments) < 0)
		message = NULL;
	va_end(arguments);
	site->place_at = at;
	struct trm_error *error =
		trm_error_create(TRM_ERROR_USAGE, "%s", message ? message : "");

	free(message);
	return error;
}

uint32_t probe_node_add(struct probe_site *site, struct probe_node node)
{
	vector_push(&site->nodes, node);
	return (uint32_t)site->nodes.count - 1;
}

const struct probe_type probe_word = {
	.type = IMAGE_TYPE_NONE, .size = 8, .is_signed = true};
const struct probe_type probe_unsigned_word = {.type = IMAGE_TYPE_NONE, .size = 8};

struct probe_value probe_value_simple(struct probe_site *site, enum probe_node_kind kind,
				      uint64_t number, struct probe_type type)
{
	uint32_t node = probe_node_add(
		site, (struct probe_node){.kind = kind, .number = (int64_t)number});

	return (struct probe_value){node, PROBE_NO_NODE, type};
}

struct probe_type probe_type_of(uint32_t type)
{
	return (struct probe_type){.type = type, .size = 8, .is_signed = true};
}

const struct image_data_type *probe_data_type(const struct probe_site *site,
					      struct probe_type type)
{
	return type.type == IMAGE_TYPE_NONE || type.pointers
		       ? NULL
		       : &site->types->items.items[type.type];
}

static void describe_value_type(const struct probe_site *site, struct probe_type type,
				struct text *text)
{
	if (type.type == IMAGE_TYPE_NONE)
		text_format(text, "%c%d", type.is_signed ? 'i' : 'u', type.size * 8);
	else
		image_types_describe(site->types, type.type, text);
	for (int i = 0; i < type.pointers; i++)
		text_add(text, "*");
}

/* An error about a value's type: `what` has one %s for it. */
struct trm_error *probe_complain_type(struct probe_site *site, size_t at,
				      struct probe_type type, const char *what)
{
	struct text text = {0};

	describe_value_type(site, type, &text);
	struct trm_error *error =
		probe_site_complain(site, at, "this is of type %s, %s", text.data, what);

	text_deinit(&text);
	return error;
}

/* A number of `size` bytes in a register, of which the rest is anything. */
uint32_t probe_node_extend(struct probe_site *site, uint32_t node, uint64_t size,
			   bool is_signed)
{
	if (size != 1 && size != 2 && size != 4)
		return node;
	return probe_node_add(site, (struct probe_node){.kind = PROBE_NODE_EXTEND,
							.first = node,
							.size = (uint8_t)size,
							.is_signed = is_signed});
}

/* What is in a register, of a program's type. */
struct probe_value probe_value_in_register(struct probe_site *site, uint32_t node,
					   struct probe_type type)
{
	const struct image_data_type *data = probe_data_type(site, type);

	if (data && data->kind == IMAGE_DATA_INTEGER)
		node = probe_node_extend(site, node, data->size, data->is_signed);
	return (struct probe_value){node, PROBE_NO_NODE, type};
}

struct probe_value probe_value_in_memory(struct probe_site *site, uint32_t base,
					 int64_t offset, struct probe_type type)
{
	uint32_t node = base;

	if (offset) {
		uint32_t second = probe_value_simple(site, PROBE_NODE_CONSTANT,
						     (uint64_t)offset, probe_word)
					  .node;

		node = probe_node_add(site, (struct probe_node){.kind = PROBE_NODE_BINARY,
								.symbol = PROBE_PLUS,
								.first = base,
								.second = second});
	}
	type.in_memory = true;
	return (struct probe_value){node, PROBE_NO_NODE, type};
}

/* The number in memory at the value's node. */
struct trm_error *probe_value_load(struct probe_site *site, size_t at, uint64_t size,
				   bool is_signed, struct probe_value *value)
{
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return probe_complain_type(site, at, value->type,
					   "whose size is no number's");
	value->node = probe_node_add(site, (struct probe_node){.kind = PROBE_NODE_LOAD,
							       .first = value->node,
							       .size = (uint8_t)size,
							       .is_signed = is_signed});
	value->type.in_memory = false;
	return NULL;
}

/* Makes a value something that a register can have. */
void probe_value_float(struct probe_site *site, uint64_t size, struct probe_value *value)
{
	value->node = probe_node_add(site, (struct probe_node){.kind = PROBE_NODE_FLOAT,
							       .first = value->node,
							       .number = 1,
							       .size = (uint8_t)size});
	value->type = probe_word;
}

static struct trm_error *need_float(struct probe_site *site, size_t at, uint64_t size,
				    struct probe_value *value)
{
	if (!value->type.in_memory || (size != 4 && size != 8))
		return probe_complain_type(site, at, value->type,
					   "which probes cannot compute with");
	TRM_TRY(probe_value_load(site, at, size, false, value));
	probe_value_float(site, size, value);
	return NULL;
}

struct trm_error *probe_value_need_word(struct probe_site *site, size_t at,
					struct probe_value *value)
{
	const struct image_data_type *data = probe_data_type(site, value->type);

	if (data && data->kind == IMAGE_DATA_FLOAT && !value->type.pointers)
		return need_float(site, at, data->size, value);
	if (value->type.in_words || (data && data->kind == IMAGE_DATA_STRUCT))
		return probe_complain_type(site, at, value->type,
					   "which is no number: name a "
					   "member of it");
	if (data && data->kind == IMAGE_DATA_UNKNOWN)
		return probe_complain_type(site, at, value->type,
					   "which is not understood");
	if (!value->type.in_memory)
		return NULL;
	if (data && data->kind == IMAGE_DATA_ARRAY) {
		/* Its value is where it is. */
		value->type.type = data->target;
		value->type.pointers = 1;
		value->type.in_memory = false;
		return NULL;
	}
	if (value->type.pointers || (data && data->kind != IMAGE_DATA_INTEGER))
		return probe_value_load(site, at, 8, false, value);
	return probe_value_load(site, at, data ? data->size : value->type.size,
				data ? data->is_signed : value->type.is_signed, value);
}
