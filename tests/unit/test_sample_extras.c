/* Samples with more than a place, from streams of records, since few machines have them:
 * branches, weights and sources of data; code of the kernel; counters that ran for a part
 * of the time; and what a profile has of all that. */
#include "base/array.h"
#include "base/cleanup.h"
#include "record/model.h"
#include "record/trm_reader.h"
#include "record/trm_writer.h"
#include "sample/kernel.h"
#include "sample/sampler.h"
#include "sample/save.h"
#include "run_command.h"
#include "sample_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { PID = 100 };

static struct sampler *make_sampler(const struct sample_rate *rate)
{
	const struct sampler_options options = {.events = "cpu-clock,cycles:pp",
						.rate = *rate};
	struct sampler *sampler;
	struct sample_source *source;

	assert_null(sampler_create(&options, &sampler));
	source = &sampler->source;
	/* As if they had been opened. */
	sample_source_add(source, &(struct sample_opened){.fd = -1, .id = STREAM_EVENT});
	sample_source_add(
		source, &(struct sample_opened){.fd = -1, .id = STREAM_RICH, .event = 1});
	source->order.layout.type = stream_flat.type;
	*table_insert(&source->types, STREAM_RICH, NULL) =
		stream_flat.type | SAMPLE_EXTRAS;
	source->tallies[0].opened = source->tallies[1].opened = true;
	return sampler;
}

static void visit(void *context, const struct sample_record *record)
{
	sampler_see(context, record);
}

static void feed(struct sampler *sampler, struct sample_stream *stream)
{
	sample_order_take(&sampler->source.order, stream->items, stream->count);
	sample_order_visit(&sampler->source.order, UINT64_MAX, visit, sampler);
	vector_deinit(stream);
}

/* Numbers of a profile by name of attribute, added up; and texts. */
struct found {
	const struct record_model *model;
	const char *name;
	uint64_t sum;
	size_t count;
	const char *of; /* of records with this text alone; NULL: of all */
};

static void add_record(void *context, record_node node, const struct record_pair *pairs,
		       size_t count)
{
	struct found *found = context;
	bool matches = !found->of;

	(void)node;
	for (size_t i = 0; i < count; i++)
		matches |= pairs[i].value.type == RECORD_STRING && found->of &&
			   !strcmp(pairs[i].value.bytes, found->of);
	for (size_t i = 0; i < count; i++) {
		if (!matches ||
		    strcmp(record_attribute_name(found->model, pairs[i].attribute),
			   found->name) != 0)
			continue;
		found->sum += pairs[i].value.u;
		found->count++;
	}
}

/* Writes the profile of a sampler with one image. */
static void save(struct sampler *sampler, char *path)
{
	struct record_model *model = record_model_create();
	scoped_fd int fd = mkstemp(path);
	struct trm_writer *writer = trm_writer_create(fd, model);
	const uint32_t numbers[] = {1};
	const struct sample_saving saving = {
		.model = model, .writer = writer, .numbers = numbers};

	assert_true(fd >= 0);
	assert_null(sample_save(&saving, sampler));
	assert_null(trm_writer_finish(writer));
	record_model_destroy(model);
}

static struct found find(const char *path, const char *name, const char *of)
{
	struct record_model *model = record_model_create();
	struct found found = {.model = model, .name = name, .of = of};
	const struct trm_visitor visitor = {.context = &found, .record = add_record};
	char *warning;

	assert_null(trm_read(path, model, &visitor, &warning));
	assert_null(warning);
	record_model_destroy(model);
	return found;
}

/* The most recent branch comes first; what leads into the kernel or out is left out. */
static void folds_branches(void **state)
{
	const struct perf_branch_entry branches[] = {
		{.from = 0x10020, .to = 0x10000, .mispred = 1},
		{.from = 0x10020, .to = 0x10000, .predicted = 1},
		{.from = 0x10008, .to = 0x10018, .predicted = 1},
		{.from = 0xffffffff81000000, .to = 0x10008},
		{.from = 0x10008, .to = 0xffffffff81000000},
		{.from = 0, .to = 0},
	};
	const struct stream_extras extras = {.branches = branches,
					     .branch_count = array_count(branches)};
	struct sampler *sampler =
		make_sampler(&(struct sample_rate){.frequency = 1000, .branches = true});
	struct sample_stream stream = {0};
	char path[] = "/tmp/trammel-branches-XXXXXX";

	(void)state;
	stream_execute(&stream, PID, 10);
	stream_map(&stream, PID, 20, 0x10000, 0x1000, "/no/such/file");
	stream_rich_sample(&stream, PID, 30, 0x10004, &extras);
	stream_rich_sample(&stream, PID, 40, 0x10004, &extras);
	stream_sample(&stream, PID, 50, 0x10010);
	feed(sampler, &stream);
	assert_int_equal(sampler->taken[0], 1);
	assert_int_equal(sampler->taken[1], 2);
	assert_int_equal(sampler->branches.rows.count, 2);
	assert_int_equal(sampler->branches.rows.items[0].from.address, 0x20);
	assert_int_equal(sampler->branches.rows.items[0].to.address, 0);
	assert_int_equal(sampler->branches.rows.items[0].count, 4);
	assert_int_equal(sampler->branches.rows.items[0].missed, 2);
	assert_int_equal(sampler->branches.rows.items[1].count, 2);
	save(sampler, path);
	assert_int_equal(find(path, "branch.samples", NULL).sum, 6);
	assert_int_equal(find(path, "branch.mispredicted", NULL).sum, 2);
	assert_int_equal(find(path, "branch.to", NULL).sum, 0x18);
	unlink(path);
	sampler_destroy(sampler);
}

static void adds_weights(void **state)
{
	const uint64_t hit = PERF_MEM_LVL_HIT;
	const struct stream_extras extras[] = {
		{.weight = 5, .source = (hit | PERF_MEM_LVL_L1) << PERF_MEM_LVL_SHIFT},
		{.weight = 300,
		 .source = (hit | PERF_MEM_LVL_LOC_RAM) << PERF_MEM_LVL_SHIFT},
		{.weight = 40, .source = (hit | PERF_MEM_LVL_L3) << PERF_MEM_LVL_SHIFT},
		{.source = PERF_MEM_LVL_NA << PERF_MEM_LVL_SHIFT},
	};
	struct sampler *sampler = make_sampler(&(struct sample_rate){.frequency = 1000});
	struct sample_stream stream = {0};
	char path[] = "/tmp/trammel-weights-XXXXXX";

	(void)state;
	for (size_t i = 0; i < array_count(extras); i++)
		stream_rich_sample(&stream, PID, 30 + i, 0x10004, &extras[i]);
	feed(sampler, &stream);
	assert_int_equal(sampler->levels[1].l1, 1);
	assert_int_equal(sampler->levels[1].l3, 1);
	assert_int_equal(sampler->levels[1].memory, 1);
	assert_int_equal(sampler->levels[1].other, 1);
	save(sampler, path);
	assert_int_equal(find(path, "sample.weight", NULL).sum, 345);
	assert_int_equal(find(path, "event.data.memory", "cycles:pp").sum, 1);
	unlink(path);
	sampler_destroy(sampler);
}

/* A counter that ran for half of the time has seen half of the events. */
static void corrects_shared_counters(void **state)
{
	const struct stream_extras none = {0};
	struct sampler *sampler = make_sampler(&(struct sample_rate){.frequency = 1000});
	struct sample_stream stream = {0};
	char path[] = "/tmp/trammel-shared-XXXXXX", *output, *errors;

	(void)state;
	for (uint64_t i = 0; i < 10; i++) {
		stream_sample(&stream, PID, 10 + i, 0x10010);
		stream_rich_sample(&stream, PID, 10 + i, 0x10010, &none);
	}
	feed(sampler, &stream);
	sampler->source.run_ns = 1000000;
	sampler->source.tallies[0].running_ns = 995000;
	sampler->source.tallies[1].running_ns = 500000;
	save(sampler, path);
	assert_int_equal(find(path, "samples", "cycles:pp").sum, 10);
	assert_int_equal(find(path, "sample.events", "cycles:pp").sum, 20000);
	assert_int_equal(find(path, "sample.events", "cpu-clock").sum, 10000);
	assert_int_equal(find(path, "event.running.ns", "cycles:pp").sum, 500000);
	assert_int_equal(run_command(&cmd_report, path, &output, &errors), 0);
	assert_non_null(strstr(output, "cycles:pp: 10 samples"));
	assert_non_null(strstr(output, " of 0 events, counted 50 % of the time\n"));
	assert_null(strstr(output, "counted 99"));
	free(output);
	free(errors);
	unlink(path);
	sampler_destroy(sampler);
}

/* Where it was not asked for, the program is at its call; else the kernel's functions
 * are below it. */
static void shows_kernel(void **state)
{
	const uint64_t chain[] = {0xffffffff81000010, 0xffffffff81000020};

	(void)state;
	for (int kernel = 0; kernel < 2; kernel++) {
		const struct sample_rate rate = {.frequency = 1000, .kernel = kernel};
		struct sampler *sampler = make_sampler(&rate);
		struct sample_stream stream = {0};
		const struct sample_node *node;

		stream_kernel_sample(&stream, PID, 30, 0x10010, chain, 2);
		feed(sampler, &stream);
		assert_int_equal(sampler->sums.sums.count, 1);
		node = &sampler->sums.nodes.items[sampler->sums.sums.items[0].node];
		assert_int_equal(node->address, kernel ? chain[0] : 0x10010);
		if (kernel) {
			assert_int_equal(sampler->sums.nodes.items[node->parent].address,
					 chain[1] - 1);
			assert_string_equal(
				sampler->processes.modules.items.items[node->module]
					->path,
				SAMPLE_KERNEL);
		}
		sampler_destroy(sampler);
	}
}

static void expect_name(struct sample_module *module, uint64_t address, const char *name)
{
	struct sample_name found = sample_module_name(module, address);

	assert_string_equal(found.function, name);
	free(found.function);
}

static void reads_symbols(void **state)
{
	static char text[] = "0000000000000000 A hidden\n"
			     "ffffffff81000020 T second\n"
			     "ffffffff81000000 t first\n"
			     "ffffffff81000010 D data\n"
			     "damaged\n"
			     "ffffffffc0000000 t third\t[module]\n";
	static char hidden[] = "0000000000000000 T first\n";
	struct sample_modules modules = {0};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		char *list = i ? text : hidden;
		scoped_file FILE *file = fmemopen(list, strlen(list), "r");
		const uint32_t at = sample_modules_generated(&modules, i, SAMPLE_KERNEL);
		struct sample_module *module = modules.items.items[at];

		kernel_read(module, file);
		expect_name(module, 0xffffffff81000008, i ? "first" : "[kernel]");
		if (!i)
			continue;
		expect_name(module, 0xffffffff81000018, "first");
		expect_name(module, 0xffffffffc0000001, "third [module]");
		expect_name(module, 0xffffffffd0000000, "[kernel+0xffffffffd0000000]");
	}
	sample_modules_deinit(&modules);
}

/* Names with ":pp", and what only counters can have. */
static void asks_for_precision(void **state)
{
	const struct sample_rate rate = {.frequency = 1000, .branches = true};
	struct sample_events events;
	struct trm_error *error;

	(void)state;
	assert_null(
		sample_events_init("cycles:pp,instructions,task-clock", &rate, &events));
	assert_int_equal(events.items[0].attributes.precise_ip, 2);
	assert_string_equal(events.items[0].name, "cycles:pp");
	assert_int_equal(events.items[0].attributes.sample_type & SAMPLE_EXTRAS,
			 SAMPLE_EXTRAS);
	assert_int_equal(events.items[1].attributes.precise_ip, 0);
	assert_int_equal(events.items[1].attributes.sample_type & SAMPLE_EXTRAS,
			 PERF_SAMPLE_BRANCH_STACK);
	assert_int_equal(events.items[2].attributes.sample_type & SAMPLE_EXTRAS, 0);
	sample_events_deinit(&events);
	error = sample_events_init("cpu-clock:p", &rate, &events);
	assert_non_null(error);
	assert_non_null(strstr(error->message, "leave ':p' out"));
	trm_error_destroy(error);
}

/* A sample that says that it has more branches than there are bytes is refused. */
static void refuses_wrong_branches(void **state)
{
	const struct perf_branch_entry branch = {.from = 0x10020, .to = 0x10000};
	const struct stream_extras extras = {.branches = &branch, .branch_count = 1};
	struct sampler *sampler = make_sampler(&(struct sample_rate){.frequency = 1000});
	struct sample_stream stream = {0};
	const uint64_t many = 1ull << 60;

	(void)state;
	stream_rich_sample(&stream, PID, 30, 0x10004, &extras);
	/* The number stands in front of the branch, the weight and the source. */
	memcpy(stream.items + stream.count - sizeof(branch) - 3 * sizeof(many), &many,
	       sizeof(many));
	feed(sampler, &stream);
	assert_int_equal(sampler->taken[1], 0);
	assert_int_equal(sampler->branches.rows.count, 0);
	sampler_destroy(sampler);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folds_branches),
		cmocka_unit_test(adds_weights),
		cmocka_unit_test(corrects_shared_counters),
		cmocka_unit_test(shows_kernel),
		cmocka_unit_test(reads_symbols),
		cmocka_unit_test(asks_for_precision),
		cmocka_unit_test(refuses_wrong_branches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
