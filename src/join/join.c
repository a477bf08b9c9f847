#include "join/join.h"

#include "base/array.h"
#include "join/facts.h"
#include "join/lines.h"
#include "query/match.h"
#include "query/query.h"
#include "record/model.h"
#include "record/trm_reader.h"
#include "record/value.h"

#include <string.h>

/* The attributes that are added. */
enum added {
	ADDED_PROCESS,
	ADDED_PROGRAM,
	ADDED_HOST,
	ADDED_REGION,
	ADDED_BLOCK,
	ADDED_FILE,
	ADDED_LINE,
	ADDED_INSTRUCTIONS,
	ADDED_COUNT
};
static const struct {
	const char *name;
	enum record_type type;
	uint32_t properties;
	bool of_code;
} added[ADDED_COUNT] = {
	[ADDED_PROCESS] = {"process", RECORD_UINT, RECORD_AS_VALUE, false},
	[ADDED_PROGRAM] = {"program", RECORD_STRING, RECORD_AS_VALUE, false},
	[ADDED_HOST] = {"host", RECORD_STRING, RECORD_AS_VALUE | RECORD_GLOBAL, false},
	[ADDED_REGION] = {"region.path", RECORD_STRING, 0, false},
	[ADDED_BLOCK] = {"block", RECORD_ADDRESS, RECORD_AS_VALUE, true},
	[ADDED_FILE] = {"source.file", RECORD_STRING, 0, true},
	[ADDED_LINE] = {"source.line", RECORD_UINT, 0, true},
	[ADDED_INSTRUCTIONS] = {"instructions", RECORD_UINT,
				RECORD_AS_VALUE | RECORD_AGGREGATABLE, false},
};

/* Where a record says which code it is about, the most exact one first. */
enum { ADDRESSES = 5 };
static const char *const addresses[ADDRESSES] = {"code.address", "sample.address", "edge",
						 "block", "offset"};

/* What a record has, as far as that matters here. */
struct held {
	uint32_t has; /* a bit for each enum added */
	bool has_image, is_code;
	uint64_t image, address;
	int rank;                     /* of the address in `addresses`; ADDRESSES: none */
	uint64_t count, instructions; /* of a block; 0: none */
	const char *module;
	const char *region; /* of a probe's key; NULL */
};

struct joining {
	const struct trm_visitor *visitor;
	struct record_model *model;
	struct join_facts facts;
	struct join_lines *lines; /* NULL: without what is in the code */
	uint64_t head;
	record_attribute names[ADDED_COUNT];
	struct VECTOR(struct record_pair) pairs;
	struct text region;
};

static void note_address(struct held *held, const char *name, uint64_t address)
{
	for (int i = 0; i < held->rank; i++)
		if (!strcmp(name, addresses[i])) {
			held->rank = i;
			held->address = address;
			return;
		}
}

static void note_pair(struct held *held, const struct record_model *model,
		      const struct record_pair *pair)
{
	const char *name = record_attribute_name(model, pair->attribute);

	for (int i = 0; i < ADDED_COUNT; i++)
		if (!strcmp(name, added[i].name))
			held->has |= 1u << i;
	if (pair->value.type == RECORD_STRING) {
		if (!strcmp(name, "module.path") && !held->module)
			held->module = pair->value.bytes;
		held->is_code |= !strcmp(name, "function");
		if (!strcmp(name, "probe.key#region.path"))
			held->region = pair->value.bytes;
	} else if (pair->value.type == RECORD_UINT && !strcmp(name, "image")) {
		held->has_image = true;
		held->image = pair->value.u;
	} else if (!strcmp(name, "count")) {
		held->count = pair->value.u;
	} else if (!strcmp(name, "block.instructions")) {
		held->instructions = pair->value.u;
	} else if (pair->value.type == RECORD_ADDRESS) {
		note_address(held, name, pair->value.u);
	}
}

static void add_pair(struct joining *joining, struct held *held, enum added which,
		     struct record_value value)
{
	if (held->has & 1u << which)
		return;
	vector_push(&joining->pairs,
		    ((struct record_pair){joining->names[which], value}));
	held->has |= 1u << which;
}

static void add_process(struct joining *joining, struct held *held)
{
	const struct join_image *image =
		held->has_image
			? join_image_find(&joining->facts, joining->head, held->image)
			: NULL;
	const char *host;

	if (!image)
		return;
	if (image->process)
		add_pair(joining, held, ADDED_PROCESS, record_uint(image->process));
	if (image->program)
		add_pair(joining, held, ADDED_PROGRAM,
			 record_string(
				 joining->facts.strings.strings[image->program - 1]));
	host = join_host(&joining->facts, image->run);
	if (host)
		add_pair(joining, held, ADDED_HOST, record_string(host));
}

/* Calls that led to a record are no regions of the program. */
static bool is_region(const struct record_model *model, record_attribute attribute)
{
	static const char *const calls[] = {"frame", "graph.function"};
	const char *name = record_attribute_name(model, attribute);

	for (size_t i = 0; i < array_count(calls); i++)
		if (!strcmp(name, calls[i]))
			return false;
	return record_attribute_properties(model, attribute) & RECORD_NESTED;
}

/* The path of a record that is about a region: "main/solve". */
static void add_region(struct joining *joining, struct held *held, record_node node)
{
	struct VECTOR(record_node) nodes = {0};

	if (held->has & 1u << ADDED_REGION)
		return;
	for (; node; node = record_node_parent(joining->model, node))
		if (is_region(joining->model,
			      record_node_pair(joining->model, node).attribute))
			vector_push(&nodes, node);
	if (held->region)
		add_pair(joining, held, ADDED_REGION, record_string(held->region));
	joining->region.length = 0;
	for (size_t i = nodes.count; i-- > 0;) {
		text_add(&joining->region, joining->region.length ? "/" : "");
		record_value_text(&joining->region,
				  record_node_pair(joining->model, nodes.items[i]).value);
	}
	if (nodes.count)
		add_pair(joining, held, ADDED_REGION,
			 record_string(joining->region.data));
	vector_deinit(&nodes);
}

static void add_place(struct joining *joining, struct held *held)
{
	const char *file;
	uint64_t block, line;

	if (!joining->lines || !held->is_code || !held->module || held->rank == ADDRESSES)
		return;
	/* A record of a function is about all of its blocks. */
	if (strcmp(addresses[held->rank], "offset") != 0 &&
	    join_block_find(&joining->facts, held->module, held->address, &block))
		add_pair(joining, held, ADDED_BLOCK, record_address(block));
	if (held->has & (1u << ADDED_FILE | 1u << ADDED_LINE) ||
	    !join_line_find(joining->lines, held->module,
			    join_build_id(&joining->facts, held->module), held->address,
			    &file, &line))
		return;
	add_pair(joining, held, ADDED_FILE, record_string(file));
	add_pair(joining, held, ADDED_LINE, record_uint(line));
}

/* Adds how many instructions the executions of a block were. */
static void add_instructions(struct joining *joining, struct held *held)
{
	uint64_t product;

	if (!held->instructions)
		return;
	if (__builtin_mul_overflow(held->count, held->instructions, &product))
		product = UINT64_MAX;
	add_pair(joining, held, ADDED_INSTRUCTIONS, record_uint(product));
}

/* Makes joining->pairs of those of a record. */
static void join_record(struct joining *joining, record_node node,
			const struct record_pair *pairs, size_t count)
{
	struct held held = {.rank = ADDRESSES};

	joining->pairs.count = 0;
	for (size_t i = 0; i < count; i++) {
		note_pair(&held, joining->model, &pairs[i]);
		vector_push(&joining->pairs, pairs[i]);
	}
	for (record_node at = node; at; at = record_node_parent(joining->model, at)) {
		const struct record_pair pair = record_node_pair(joining->model, at);

		note_pair(&held, joining->model, &pair);
	}
	add_process(joining, &held);
	add_region(joining, &held, node);
	add_place(joining, &held);
	add_instructions(joining, &held);
}

static void on_record(void *context, record_node node, const struct record_pair *pairs,
		      size_t count)
{
	struct joining *joining = context;

	join_record(joining, node, pairs, count);
	joining->visitor->record(joining->visitor->context, node, joining->pairs.items,
				 joining->pairs.count);
}

static void on_entries(void *context, record_node node, const record_node *paths,
		       size_t path_count, const struct record_pair *pairs, size_t count)
{
	struct joining *joining = context;

	join_record(joining, node, pairs, count);
	joining->visitor->entries(joining->visitor->context, node, paths, path_count,
				  joining->pairs.items, joining->pairs.count);
}

static void on_global(void *context, record_attribute attribute,
		      struct record_value value)
{
	struct joining *joining = context;

	if (joining->visitor->global)
		joining->visitor->global(joining->visitor->context, attribute, value);
}

static void on_head(void *context)
{
	struct joining *joining = context;

	joining->head++;
	if (joining->visitor->file)
		joining->visitor->file(joining->visitor->context);
}

static struct trm_error *read_joined(const char *path, struct record_model *model,
				     const struct trm_visitor *visitor, bool with_code,
				     char **ret_warning)
{
	struct joining joining = {.visitor = visitor, .model = model};
	const struct trm_visitor own = {
		.context = &joining,
		.record = visitor->record ? on_record : NULL,
		.global = on_global,
		.file = on_head,
		.entries = visitor->entries ? on_entries : NULL,
	};
	struct trm_error *error;

	if (!strcmp(path, "-"))
		return trm_read(path, model, visitor, ret_warning);
	error = join_facts_read(&joining.facts, path, with_code);
	joining.lines = with_code ? join_lines_create() : NULL;
	for (int i = 0; i < ADDED_COUNT; i++)
		joining.names[i] = record_attribute_make(
			model, added[i].name, added[i].type, added[i].properties);
	if (!error)
		error = trm_read(path, model, &own, ret_warning);
	if (joining.lines)
		join_lines_destroy(joining.lines);
	join_facts_deinit(&joining.facts);
	vector_deinit(&joining.pairs);
	text_deinit(&joining.region);
	return error;
}

struct trm_error *join_read(const char *path, struct record_model *model,
			    const struct trm_visitor *visitor, char **ret_warning)
{
	return read_joined(path, model, visitor, true, ret_warning);
}

struct trm_error *join_read_processes(const char *path, struct record_model *model,
				      const struct trm_visitor *visitor,
				      char **ret_warning)
{
	return read_joined(path, model, visitor, false, ret_warning);
}

/* Whether a query names an attribute: as a field, a key or a column. */
static bool is_named(const struct query *query, const char *name)
{
	vector_for_each (&query->lets, let)
		if (query_is_name(query->fields.items[let->field].name, name))
			return false; /* its own */
	vector_for_each (&query->fields, field)
		if (field->kind == QUERY_FIELD_ATTRIBUTE &&
		    query_is_name(field->name, name))
			return true;
	vector_for_each (&query->keys, key)
		if (query_is_name(*key, name))
			return true;
	vector_for_each (&query->columns, column)
		if (column->kind == QUERY_COLUMN_ATTRIBUTE &&
		    query_is_name(column->name, name))
			return true;
	return false;
}

void join_attach(struct query *query)
{
	bool any = false, of_code = false;

	for (int i = 0; i < ADDED_COUNT; i++) {
		const bool named = is_named(query, added[i].name);

		any |= named;
		of_code |= named && added[i].of_code;
	}
	if (of_code)
		query->read = join_read;
	else if (any)
		query->read = join_read_processes;
}
