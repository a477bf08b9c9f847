#include "join/facts.h"

#include "base/array.h"
#include "base/search.h"
#include "record/model.h"
#include "record/trm_reader.h"

#include <string.h>

struct reading {
	struct join_facts *facts;
	struct record_model *model;
	uint64_t head;
	bool with_blocks;
};

/* The values of a record that matter here. Texts are the model's, or the record's. */
struct values {
	uint64_t image, run, process, block, size;
	const char *program, *host, *module, *build_id;
	bool has_image, has_run, has_block;
};

static void take_text(struct values *values, const char *name, const char *text)
{
	const struct {
		const char *name, **value;
	} rows[] = {{"program", &values->program},
		    {"host", &values->host},
		    {"module.path", &values->module},
		    {"buildid", &values->build_id}};

	for (size_t i = 0; i < array_count(rows); i++)
		if (!strcmp(name, rows[i].name))
			*rows[i].value = text;
}

static void take_number(struct values *values, const char *name, uint64_t number)
{
	const struct {
		const char *name;
		uint64_t *value;
		bool *has;
	} rows[] = {{"image", &values->image, &values->has_image},
		    {"run", &values->run, &values->has_run},
		    {"block", &values->block, &values->has_block},
		    {"process", &values->process, NULL},
		    {"block.size", &values->size, NULL}};

	for (size_t i = 0; i < array_count(rows); i++) {
		if (strcmp(name, rows[i].name) != 0)
			continue;
		*rows[i].value = number;
		if (rows[i].has)
			*rows[i].has = true;
	}
}

static void take_pair(struct values *values, const struct record_model *model,
		      struct record_pair pair)
{
	const char *name = record_attribute_name(model, pair.attribute);

	if (pair.value.type == RECORD_STRING)
		take_text(values, name, pair.value.bytes);
	else if (pair.value.type == RECORD_UINT || pair.value.type == RECORD_ADDRESS)
		take_number(values, name, pair.value.u);
}

static uint64_t key_of(uint64_t head, uint64_t number)
{
	const uint64_t key[] = {head, number};

	return hash_bytes(key, sizeof(key));
}

static uint32_t find_run(struct join_facts *facts, uint64_t head, uint64_t number)
{
	bool made;
	uint64_t *index = table_insert(&facts->run_of, key_of(head, number), &made);

	if (made) {
		*index = facts->hosts.count;
		vector_push(&facts->hosts, 0);
	}
	return (uint32_t)*index;
}

static void set_host(struct join_facts *facts, uint32_t run, const char *host)
{
	facts->hosts.items[run] = string_table_intern(&facts->strings, host) + 1;
}

static void take_image(struct reading *reading, const struct values *values)
{
	struct join_facts *facts = reading->facts;
	bool made;
	uint64_t *index = table_insert(&facts->image_of,
				       key_of(reading->head, values->image), &made);

	if (made) {
		*index = facts->images.count;
		vector_push(
			&facts->images,
			((struct join_image){.run = find_run(facts, reading->head, 0)}));
	}
	struct join_image *image = &facts->images.items[*index];

	if (values->process)
		image->process = values->process;
	if (values->program)
		image->program =
			string_table_intern(&facts->strings, values->program) + 1;
	if (values->has_run)
		image->run = find_run(facts, reading->head, values->run);
}

static void take_module(struct join_facts *facts, const struct values *values)
{
	const uint32_t path = string_table_intern(&facts->strings, values->module);
	bool made;
	uint64_t *index = table_insert(&facts->module_of, path, &made);

	if (!made)
		return;
	*index = facts->modules.count;
	vector_push(&facts->modules,
		    ((struct join_module){path, string_table_intern(&facts->strings,
								    values->build_id)}));
}

static void take_record(void *context, record_node node, const struct record_pair *pairs,
			size_t count)
{
	struct reading *reading = context;
	struct values values = {0};

	for (size_t i = 0; i < count; i++)
		take_pair(&values, reading->model, pairs[i]);
	if (values.has_image && (values.process || values.program || values.has_run))
		take_image(reading, &values);
	if (values.has_run && values.host)
		set_host(reading->facts,
			 find_run(reading->facts, reading->head, values.run),
			 values.host);
	if (!values.has_block && !values.build_id)
		return;
	for (; node; node = record_node_parent(reading->model, node))
		take_pair(&values, reading->model,
			  record_node_pair(reading->model, node));
	if (values.module && values.build_id)
		take_module(reading->facts, &values);
	if (reading->with_blocks && values.module && values.has_block && values.size)
		vector_push(
			&reading->facts->blocks,
			((struct join_block){string_table_intern(&reading->facts->strings,
								 values.module),
					     (uint32_t)values.size, values.block}));
}

static void take_global(void *context, record_attribute attribute,
			struct record_value value)
{
	struct reading *reading = context;
	struct join_facts *facts = reading->facts;

	if (strcmp(record_attribute_name(reading->model, attribute), "host") != 0 ||
	    value.type != RECORD_STRING)
		return;
	set_host(facts, find_run(facts, reading->head, 0), value.bytes);
}

static void take_head(void *context)
{
	struct reading *reading = context;

	reading->head++;
}

static int compare_blocks(const void *left, const void *right)
{
	const struct join_block *a = left, *b = right;

	return compare_numbers(a->module, b->module)
		       ?: compare_numbers(a->address, b->address);
}

struct trm_error *join_facts_read(struct join_facts *facts, const char *path,
				  bool with_blocks)
{
	struct reading reading = {.facts = facts,
				  .model = record_model_create(),
				  .with_blocks = with_blocks};
	const struct trm_visitor visitor = {.context = &reading,
					    .record = take_record,
					    .global = take_global,
					    .file = take_head};
	char *warning = NULL;
	struct trm_error *error = trm_read(path, reading.model, &visitor, &warning);

	/* The second reading tells it. */
	free(warning);
	record_model_destroy(reading.model);
	if (facts->blocks.count)
		qsort(facts->blocks.items, facts->blocks.count,
		      sizeof(*facts->blocks.items), compare_blocks);
	return error;
}

void join_facts_deinit(struct join_facts *facts)
{
	string_table_deinit(&facts->strings);
	vector_deinit(&facts->images);
	table_deinit(&facts->image_of);
	vector_deinit(&facts->hosts);
	table_deinit(&facts->run_of);
	vector_deinit(&facts->blocks);
	vector_deinit(&facts->modules);
	table_deinit(&facts->module_of);
}

const struct join_image *join_image_find(const struct join_facts *facts, uint64_t head,
					 uint64_t number)
{
	uint64_t index;

	return table_find(&facts->image_of, key_of(head, number), &index)
		       ? &facts->images.items[index]
		       : NULL;
}

const char *join_host(const struct join_facts *facts, uint32_t run)
{
	const uint32_t host = run < facts->hosts.count ? facts->hosts.items[run] : 0;

	return host ? facts->strings.strings[host - 1] : NULL;
}

bool join_block_find(const struct join_facts *facts, const char *path, uint64_t address,
		     uint64_t *ret_block)
{
	const struct join_block *rows = facts->blocks.items;
	uint32_t module;
	size_t behind;

	if (!string_table_find(&facts->strings, path, &module))
		return false;
	behind = search_first(facts->blocks.count, at,
			      rows[at].module < module || (rows[at].module == module &&
							   rows[at].address <= address));
	if (!behind || rows[behind - 1].module != module ||
	    address - rows[behind - 1].address >= rows[behind - 1].size)
		return false;
	*ret_block = rows[behind - 1].address;
	return true;
}

const char *join_build_id(const struct join_facts *facts, const char *path)
{
	uint32_t number;
	uint64_t index;

	if (!string_table_find(&facts->strings, path, &number) ||
	    !table_find(&facts->module_of, number, &index))
		return "";
	return facts->strings.strings[facts->modules.items[index].build_id];
}
