#include "symbols/naming.h"

#include "base/cleanup.h"
#include "record/model.h"
#include "record/value.h"
#include "symbols/symbols.h"
#include "wire/context_channel.h"

#include <stdlib.h>
#include <string.h>

enum { ADDRESSES_MAX = 4 };

/* An attribute of addresses, and those of what is looked up for them. */
struct addresses {
	record_attribute address, function, place, module, file, line, name;
};

struct naming {
	struct record_model *model;
	uint32_t lookups;
	struct symbols *symbols;
	struct addresses addresses[ADDRESSES_MAX];
	size_t address_count;
};

static record_attribute derived_attribute(struct record_model *model, const char *prefix,
					  record_attribute of, enum record_type type,
					  uint32_t properties)
{
	struct text text = {0};
	record_attribute id;

	text_format(&text, "%s#%s", prefix, record_attribute_name(model, of));
	id = record_attribute_make(model, text.data, type, properties);
	text_deinit(&text);
	return id;
}

/* Functions are part of the path where addresses are those of who called: a sample's
 * place is beside it. */
static uint32_t function_properties(const struct record_model *model,
				    record_attribute address)
{
	return strcmp(record_attribute_name(model, address), "cali.sampler.pc")
		       ? RECORD_NESTED
		       : 0;
}

/* NULL: there are too many. */
static const struct addresses *addresses_of(struct naming *naming,
					    record_attribute address)
{
	struct record_model *model = naming->model;

	for (size_t i = 0; i < naming->address_count; i++)
		if (naming->addresses[i].address == address)
			return &naming->addresses[i];
	if (naming->address_count == ADDRESSES_MAX)
		return NULL;
	naming->addresses[naming->address_count] = (struct addresses){
		.address = address,
		.function = derived_attribute(model, "source.function", address,
					      RECORD_STRING,
					      function_properties(model, address)),
		.place = derived_attribute(model, "sourceloc", address, RECORD_STRING, 0),
		.module = derived_attribute(model, "module", address, RECORD_STRING, 0),
		.file = derived_attribute(model, "source.file", address, RECORD_STRING,
					  0),
		.line = derived_attribute(model, "source.line", address, RECORD_UINT, 0),
		.name = record_attribute_make(model, "callpath.regname", RECORD_STRING,
					      0),
	};
	return &naming->addresses[naming->address_count++];
}

/* Addresses of the context tree are those of code. */
static record_node look_up(void *context, record_node node, record_attribute attribute,
			   uint64_t address)
{
	struct naming *naming = context;
	struct record_model *model = naming->model;
	const struct addresses *of = addresses_of(naming, attribute);
	const struct symbols_place *place;

	if (!of)
		return node;
	place = symbols_find(naming->symbols, address);
	if (naming->lookups & CONTEXT_LOOK_NAMES)
		node = record_node_child(model, node, of->name,
					 record_string(place->functions[0]));
	if (naming->lookups & CONTEXT_LOOK_MODULES)
		node = record_node_child(model, node, of->module,
					 record_string(place->module));
	for (size_t i = 0; i < place->function_count; i++)
		if (naming->lookups & (CONTEXT_LOOK_FUNCTIONS | CONTEXT_LOOK_INLINES))
			node = record_node_child(model, node, of->function,
						 record_string(place->functions[i]));
	if (place->place && naming->lookups & CONTEXT_LOOK_PLACES)
		node = record_node_child(model, node, of->place,
					 record_string(place->place));
	if (place->file && naming->lookups & CONTEXT_LOOK_FILES)
		node = record_node_child(model, node, of->file,
					 record_string(place->file));
	if (place->line && naming->lookups & CONTEXT_LOOK_LINES)
		node = record_node_child(model, node, of->line, record_uint(place->line));
	return node;
}

struct naming *naming_create(struct record_model *model, struct symbols *symbols,
			     uint32_t lookups)
{
	struct naming *naming = memory_allocate_zeroed(1, sizeof(*naming));

	naming->model = model;
	naming->symbols = symbols;
	naming->lookups = lookups;
	return naming;
}

void naming_destroy(struct naming *naming)
{
	if (naming)
		symbols_destroy(naming->symbols);
	free(naming);
}

static void *begin_naming(const struct context_process *process,
			  const struct context_channel *channel,
			  struct record_model *model)
{
	struct symbols *symbols;

	if (!channel->lookups)
		return NULL;
	symbols = symbols_create(channel->lookups);
	vector_for_each (&process->modules, module)
		symbols_add(symbols, module->start, module->end, module->bias,
			    module->path);
	return naming_create(model, symbols, channel->lookups);
}

static void end_naming(void *naming)
{
	naming_destroy(naming);
}

const struct context_naming symbols_naming = {begin_naming, look_up, end_naming};
