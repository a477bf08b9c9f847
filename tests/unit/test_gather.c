/* Ranks' numbers put together: sums by path, the least and the greatest, damage. */
#include "record/model.h"
#include "record/trm_reader.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "context/gather.h"

#include "base/cleanup.h"

#include "profile_maker.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static record_node path_of(struct maker *maker, const char *outer, const char *inner)
{
	record_attribute region;
	record_node node;

	assert_null(record_attribute_intern(maker->model, "region", RECORD_STRING,
					    RECORD_NESTED, &region));
	node = record_node_child(maker->model, 0, region, record_string(outer));
	return *inner ? record_node_child(maker->model, node, region,
					  record_string(inner))
		      : node;
}

static void *read_file(const char *path, size_t *ret_size)
{
	struct stat info;

	assert_int_equal(stat(path, &info), 0);
	*ret_size = (size_t)info.st_size;
	return read_text(path);
}

/* What a rank sends: its own `time` in a/b, a metric, and a/only of one rank. */
static void *packed_rank(uint64_t rank, uint64_t time, double weight, size_t *ret_size)
{
	struct maker maker = begin_profile("rank", false);
	record_node inner = path_of(&maker, "a", "b");
	const struct record_pair numbers[] = {
		pair(&maker, "count", record_uint(3)),
		pair(&maker, "time.ns", record_uint(time)),
		pair(&maker, "mpi.rank", record_int((int64_t)rank)),
	};
	const struct record_value real = {.type = RECORD_DOUBLE, .d = weight};
	const struct record_pair metric[] = {
		pair(&maker, "count#weight", record_uint(1)),
		pair(&maker, "sum#weight", real),
		pair(&maker, "min#weight", real),
		pair(&maker, "max#weight", real),
	};
	const struct record_pair sizes[] = {
		pair(&maker, "min#size", record_int(-(int64_t)rank)),
		pair(&maker, "max#size", record_int((int64_t)rank)),
	};
	struct record_pair only = pair(&maker, "count", record_uint(1));

	add_global(&maker, "mpi.ranks", record_uint(1));
	if (rank == 2)
		add_global(&maker, "context.faults", record_string("rank 2: a fault"));
	trm_writer_record(maker.writer, inner, numbers, 3);
	trm_writer_record(maker.writer, inner, metric, 4);
	trm_writer_record(maker.writer, inner, sizes, 2);
	if (rank == 1)
		trm_writer_record(maker.writer, path_of(&maker, "a", "only"), &only, 1);
	end_profile(&maker);
	return read_file("rank", ret_size);
}

/* Records as text, one a line: the path, and the pairs. */
struct seen {
	struct record_model *model;
	struct text text;
};

static void add_path(struct seen *seen, record_node node)
{
	if (!node)
		return;
	add_path(seen, record_node_parent(seen->model, node));
	text_add(&seen->text, "/");
	record_value_text(&seen->text, record_node_pair(seen->model, node).value);
}

static void see_pair(struct seen *seen, struct record_pair pair)
{
	text_format(&seen->text,
		    " %s=", record_attribute_name(seen->model, pair.attribute));
	record_value_text(&seen->text, pair.value);
}

static void see_record(void *context, record_node node, const struct record_pair *pairs,
		       size_t count)
{
	struct seen *seen = context;

	if (!node)
		return;
	add_path(seen, node);
	for (size_t i = 0; i < count; i++)
		see_pair(seen, pairs[i]);
	text_add(&seen->text, "\n");
}

static void see_global(void *context, record_attribute attribute,
		       struct record_value value)
{
	struct seen *seen = context;
	const char *name = record_attribute_name(seen->model, attribute);

	if (strcmp(name, "mpi.ranks") && strcmp(name, "context.faults") &&
	    strcmp(name, "run.command"))
		return;
	see_pair(seen, (struct record_pair){attribute, value});
	text_add(&seen->text, "\n");
}

static void check_profile(const char *path, const char *wanted)
{
	struct seen seen = {.model = record_model_create()};
	const struct trm_visitor visitor = {
		.context = &seen, .record = see_record, .global = see_global};
	char *warning = NULL;

	assert_null(trm_read(path, seen.model, &visitor, &warning));
	assert_null(warning);
	assert_string_equal(seen.text.data, wanted);
	text_deinit(&seen.text);
	record_model_destroy(seen.model);
}

static void add_rank(struct context_gather *gather, uint64_t rank, uint64_t time,
		     double weight)
{
	size_t size;
	scoped_free void *bytes = packed_rank(rank, time, weight, &size);

	assert_null(context_gather_add(gather, bytes, size));
}

/* What one sends on is what it has. */
static void pass_on(struct context_gather *from, struct context_gather *to)
{
	scoped_free void *bytes = NULL;
	size_t size;

	assert_null(context_gather_pack(from, &bytes, &size));
	assert_null(context_gather_add(to, bytes, size));
	context_gather_destroy(from);
}

/* Three ranks, two of which come by way of another. */
static void test_sums(void **state)
{
	struct context_gather *first = context_gather_create();
	struct context_gather *second = context_gather_create();

	(void)state;
	add_rank(second, 1, 1000, 0.5);
	add_rank(second, 2, 10, -0.25);
	add_rank(first, 0, 100, 2);
	pass_on(second, first);
	assert_null(context_gather_write(first, "all.trm", "ring 'of 3'"));
	context_gather_destroy(first);
	check_profile("all.trm", " run.command=ring 'of 3'\n"
				 " context.faults=rank 2: a fault\n"
				 " mpi.ranks=3\n"
				 "/a/b image=1 count=9 time.ns=1110\n"
				 "/a/b image=1 count#weight=3 sum#weight=2.25 "
				 "min#weight=-0.25 max#weight=2\n"
				 "/a/b image=1 min#size=-2 max#size=2\n"
				 "/a/only image=1 count=1\n");
}

/* A rank whose numbers are missing, first or last. */
static void test_missing(void **state)
{
	(void)state;
	for (int last = 0; last < 2; last++) {
		struct context_gather *gather = context_gather_create();

		add_rank(gather, 0, 1, last ? 2 : (double)NAN);
		add_rank(gather, 2, 1, last ? (double)NAN : 2);
		assert_null(context_gather_write(gather, "missing.trm", "x"));
		context_gather_destroy(gather);
		check_profile("missing.trm", " run.command=x\n"
					     " context.faults=rank 2: a fault\n"
					     " mpi.ranks=2\n"
					     "/a/b image=1 count=6 time.ns=2\n"
					     "/a/b image=1 count#weight=2 sum#weight=nan "
					     "min#weight=2 max#weight=2\n"
					     "/a/b image=1 min#size=-2 max#size=2\n");
	}
}

/* Of no rank, too. */
static void test_nothing(void **state)
{
	struct context_gather *none = context_gather_create();
	struct context_gather *all = context_gather_create();

	(void)state;
	pass_on(none, all);
	assert_null(context_gather_write(all, "none.trm", ""));
	context_gather_destroy(all);
	context_gather_destroy(NULL);
	check_profile("none.trm", " run.command=\n mpi.ranks=0\n");
}

/* What is cut or changed is an error, and never worse. */
static void test_damage(void **state)
{
	size_t size;
	scoped_free unsigned char *bytes = packed_rank(1, 5, 1, &size);

	(void)state;
	for (size_t length = 0; length < size; length++) {
		struct context_gather *gather = context_gather_create();
		struct trm_error *error = context_gather_add(gather, bytes, length);

		assert_non_null(error);
		trm_error_destroy(error);
		bytes[length] ^= 0x55;
		trm_error_destroy(context_gather_add(gather, bytes, size));
		bytes[length] ^= 0x55;
		context_gather_destroy(gather);
	}
}

/* A spool that is none, and a profile that cannot be written. */
static void test_errors(void **state)
{
	struct context_gather *gather = context_gather_create();
	struct trm_error *error = context_gather_spool(gather, "no such file", 0);

	(void)state;
	assert_non_null(error);
	trm_error_destroy(error);
	error = context_gather_write(gather, "no/such/folder/x.trm", "");
	assert_non_null(error);
	trm_error_destroy(error);
	context_gather_destroy(gather);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),    cmocka_unit_test(test_missing),
		cmocka_unit_test(test_nothing), cmocka_unit_test(test_damage),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
