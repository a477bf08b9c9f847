#include "advise/phases.h"

#include "base/array.h"
#include "base/table.h"
#include "record/model.h"
#include "record/trm_reader.h"

#include <string.h>

/* What a function did in one phase. */
struct phase_sum {
	uint32_t function, phase; /* phase: in `paths` */
	uint64_t calls, instructions;
};

struct reading {
	struct record_model *model;
	struct string_table paths; /* of phases */
	struct VECTOR(struct phase_sum) sums;
	struct table sum_of;      /* by function and phase: index */
	struct table function_of; /* by hash of module and offset: index */
	bool any;
};

/* The values of a record that matter here; texts are the model's. */
struct values {
	const char *module, *phase;
	uint64_t offset, calls, count, instructions;
	bool has_offset, is_block;
};

static void take_text(struct values *values, const char *name, struct record_value value)
{
	if (!strcmp(name, "region.path") && !values->phase)
		values->phase = value.bytes;
	else if (!strcmp(name, "module.path") && !values->module)
		values->module = value.bytes;
}

static void take_number(struct values *values, const char *name, uint64_t number)
{
	if (!strcmp(name, "offset")) {
		values->offset = number;
		values->has_offset = true;
	} else if (!strcmp(name, "calls")) {
		values->calls = number;
	} else if (!strcmp(name, "count")) {
		values->count = number;
	} else if (!strcmp(name, "block.instructions")) {
		values->instructions = number;
		values->is_block = true;
	}
}

static void take_pair(struct values *values, const struct record_model *model,
		      const struct record_pair *pair)
{
	const char *name = record_attribute_name(model, pair->attribute);

	if (pair->value.type == RECORD_STRING)
		take_text(values, name, pair->value);
	else if (pair->value.type == RECORD_UINT || pair->value.type == RECORD_ADDRESS)
		take_number(values, name, pair->value.u);
}

static uint64_t key_of(const char *module, uint64_t offset)
{
	const uint64_t key[] = {hash_bytes(module, strlen(module)), offset};

	return hash_bytes(key, sizeof(key));
}

static void add_values(struct reading *reading, const struct values *values)
{
	const uint32_t phase = string_table_intern(&reading->paths, values->phase);
	uint64_t function;
	bool made;

	if (!table_find(&reading->function_of, key_of(values->module, values->offset),
			&function))
		return;
	uint64_t *index = table_insert(&reading->sum_of, function << 32 | phase, &made);

	if (made) {
		*index = reading->sums.count;
		vector_push(&reading->sums,
			    ((struct phase_sum){(uint32_t)function, phase, 0, 0}));
	}
	struct phase_sum *sum = &reading->sums.items[*index];

	sum->calls += values->calls;
	sum->instructions += values->is_block ? values->count * values->instructions : 0;
}

static void take_record(void *context, record_node node, const struct record_pair *pairs,
			size_t count)
{
	struct reading *reading = context;
	struct values values = {0};

	for (size_t i = 0; i < count; i++)
		take_pair(&values, reading->model, &pairs[i]);
	for (; node; node = record_node_parent(reading->model, node)) {
		const struct record_pair pair = record_node_pair(reading->model, node);

		take_pair(&values, reading->model, &pair);
	}
	if (!values.phase || !values.module || !values.has_offset ||
	    !(values.calls || values.is_block))
		return;
	reading->any = true;
	add_values(reading, &values);
}

static struct trm_error *read_file(struct reading *reading, const char *path)
{
	const struct trm_visitor visitor = {.context = reading, .record = take_record};
	char *warning = NULL;

	reading->model = record_model_create();
	struct trm_error *error = trm_read(path, reading->model, &visitor, &warning);

	free(warning);
	record_model_destroy(reading->model);
	return error;
}

static void finish_reading(struct reading *reading)
{
	string_table_deinit(&reading->paths);
	vector_deinit(&reading->sums);
	table_deinit(&reading->sum_of);
	table_deinit(&reading->function_of);
}

bool phases_are_told(const char *path)
{
	struct reading reading = {0};

	trm_error_destroy(read_file(&reading, path));
	finish_reading(&reading);
	return reading.any;
}

static int compare_sums(const void *left, const void *right)
{
	const struct phase_sum *a = left, *b = right;

	return compare_numbers(a->function, b->function)
		       ?: compare_numbers(a->instructions, b->instructions)
		       ?: compare_numbers(a->calls, b->calls)
		       ?: compare_numbers(a->phase, b->phase);
}

/* Adds what `count` phases have in common, or puts it in the place of what fewer have. */
static void add_work(struct phase_works *works, const struct reading *reading,
		     const struct phase_sum *sum, size_t count)
{
	struct phase_work *last =
		works->items.count ? &works->items.items[works->items.count - 1] : NULL;
	struct phase_work work = {.function = sum->function,
				  .phases = count,
				  .calls = sum->calls,
				  .instructions = sum->instructions};

	if (last && last->function == sum->function) {
		if (last->phases >= count)
			return;
		free(last->first);
		works->items.count--;
	}
	work.first = memory_copy_string(reading->paths.strings[sum->phase]);
	vector_push(&works->items, work);
}

static void find_works(struct phase_works *works, const struct reading *reading)
{
	const struct phase_sum *sums = reading->sums.items;

	for (size_t i = 0, next; i < reading->sums.count; i = next) {
		for (next = i + 1; next < reading->sums.count; next++)
			if (sums[next].function != sums[i].function ||
			    sums[next].instructions != sums[i].instructions ||
			    sums[next].calls != sums[i].calls)
				break;
		if (next - i > 1)
			add_work(works, reading, &sums[i], next - i);
	}
}

struct trm_error *phases_read(const struct report_profile *profile, const char *path,
			      struct phase_works *ret_works)
{
	struct reading reading = {0};
	struct trm_error *error;

	vector_for_each (&profile->functions, function)
		*table_insert(&reading.function_of,
			      key_of(profile->modules.items[function->module].path,
				     function->offset),
			      NULL) = (uint64_t)(function - profile->functions.items);
	error = read_file(&reading, path);
	if (!error) {
		*ret_works = (struct phase_works){0};
		if (reading.sums.count)
			qsort(reading.sums.items, reading.sums.count,
			      sizeof(*reading.sums.items), compare_sums);
		find_works(ret_works, &reading);
	}
	finish_reading(&reading);
	return error;
}

void phase_works_deinit(struct phase_works *works)
{
	vector_for_each (&works->items, work)
		free(work->first);
	vector_deinit(&works->items);
}
