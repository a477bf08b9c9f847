#include "store/facts.h"

#include "base/text.h"
#include "record/model.h"
#include "record/trm_reader.h"
#include "record/value.h"

#include <string.h>

static struct fact_run *find_run(struct facts *facts, uint64_t number)
{
	vector_for_each (&facts->runs, run)
		if (run->number == number)
			return run;
	struct fact_run *run = vector_add(&facts->runs);

	run->number = number;
	return run;
}

static void set_fact(struct fact_run *run, const char *name, struct record_value value)
{
	struct text text = {0};

	text_add(&text, "");
	record_value_text(&text, value);
	vector_for_each (&run->facts, fact) {
		if (strcmp(fact->name, name) != 0)
			continue;
		free(fact->text);
		fact->text = text.data;
		return;
	}
	vector_push(&run->facts, ((struct fact){memory_copy_string(name), text.data}));
}

/* The pair or node of this name; NULL if the record has none. */
static const struct record_pair *find_pair(const struct facts *facts, const char *name,
					   const struct record_pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(record_attribute_name(facts->model, pairs[i].attribute),
			    name))
			return &pairs[i];
	return NULL;
}

static uint64_t number_of(const struct record_pair *pair)
{
	return pair && pair->value.type == RECORD_UINT ? pair->value.u : 0;
}

/* What a merged profile says of a run, or that an image belongs to it. */
static void see_run(struct facts *facts, const struct record_pair *run,
		    const struct record_pair *pairs, size_t count)
{
	const struct record_pair *image = find_pair(facts, "image", pairs, count);
	struct fact_run *to = find_run(facts, number_of(run));

	if (image && count == 2) {
		*table_insert(&facts->run_of_image, image->value.u, NULL) =
			(uint64_t)(to - facts->runs.items);
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (&pairs[i] != run)
			set_fact(to,
				 record_attribute_name(facts->model, pairs[i].attribute),
				 pairs[i].value);
}

/* The key of a module in an image. */
static uint64_t module_key(uint64_t image, const char *path)
{
	return hash_bytes(path, strlen(path)) ^ image * 0x9e3779b97f4a7c15;
}

/* A module record has it as pairs, or on nodes: the path is the inner one. */
static void see_module(struct facts *facts, record_node node,
		       const struct record_pair *known, const struct record_pair *pairs,
		       size_t count)
{
	const struct record_pair *path = find_pair(facts, "module.path", pairs, count),
				 *build = find_pair(facts, "buildid", pairs, count);
	struct record_pair above = {0};
	bool new;

	for (; !path && node; node = record_node_parent(facts->model, node)) {
		above = record_node_pair(facts->model, node);
		path = find_pair(facts, "module.path", &above, 1);
	}
	if (!path || path->value.type != RECORD_STRING)
		return;
	const uint64_t image = number_of(find_pair(facts, "image", pairs, count));
	uint64_t *index = table_insert(&facts->module_of,
				       module_key(image, path->value.bytes), &new);

	if (!new)
		return;
	*index = facts->modules.count + 1;
	vector_push(&facts->modules,
		    ((struct fact_module){
			    .image = image,
			    .path = memory_copy_string(path->value.bytes),
			    .build = memory_copy_string(
				    build && build->value.type == RECORD_STRING
					    ? build->value.bytes
					    : ""),
			    .known = number_of(known),
			    .instrumented = number_of(find_pair(
				    facts, "functions.instrumented", pairs, count)),
		    }));
}

static void see_record(void *context, record_node node, const struct record_pair *pairs,
		       size_t count)
{
	struct facts *facts = context;
	const struct record_pair *run = find_pair(facts, "run", pairs, count),
				 *known = find_pair(facts, "functions.known", pairs,
						    count);

	facts->records++;
	if (run && run->value.type == RECORD_UINT)
		see_run(facts, run, pairs, count);
	else if (known || find_pair(facts, "buildid", pairs, count))
		see_module(facts, node, known, pairs, count);
}

static void see_global(void *context, record_attribute attribute,
		       struct record_value value)
{
	struct facts *facts = context;

	facts->records++;
	set_fact(find_run(facts, 0), record_attribute_name(facts->model, attribute),
		 value);
}

static void see_head(void *context)
{
	struct facts *facts = context;

	facts->heads++;
}

struct trm_error *facts_read(struct facts *facts, const char *path, char **ret_warning)
{
	struct trm_visitor visitor = {.context = facts,
				      .record = see_record,
				      .global = see_global,
				      .file = see_head};

	*facts = (struct facts){.model = record_model_create()};
	TRM_TRY(trm_read(path, facts->model, &visitor, ret_warning));
	if (!facts->runs.count)
		find_run(facts, 0);
	return NULL;
}

const char *facts_get(const struct fact_run *run, const char *name, const char *otherwise)
{
	vector_for_each (&run->facts, fact)
		if (!strcmp(fact->name, name))
			return fact->text;
	return otherwise;
}

size_t facts_run_of(const struct facts *facts, uint64_t image)
{
	uint64_t index;

	return table_find(&facts->run_of_image, image, &index) ? (size_t)index : 0;
}

const char *facts_build_of(const struct facts *facts, uint64_t image, const char *path)
{
	uint64_t index;

	return table_find(&facts->module_of, module_key(image, path), &index)
		       ? facts->modules.items[index - 1].build
		       : "";
}

void facts_deinit(struct facts *facts)
{
	vector_for_each (&facts->runs, run) {
		vector_for_each (&run->facts, fact) {
			free(fact->name);
			free(fact->text);
		}
		vector_deinit(&run->facts);
	}
	vector_deinit(&facts->runs);
	vector_for_each (&facts->modules, module) {
		free(module->path);
		free(module->build);
	}
	vector_deinit(&facts->modules);
	table_deinit(&facts->run_of_image);
	table_deinit(&facts->module_of);
	if (facts->model)
		record_model_destroy(facts->model);
}
