/* .cali files: what is written is read again; what others write is read; damage is told,
 * and does no harm. */
#include "context/channel_view.h"
#include "record/cali_writer.h"
#include "record/model.h"
#include "record/trm_reader.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "base/cleanup.h"
#include "base/vector.h"
#include "record/record.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

/* What a reader saw, as text: a line for each record and global. */
struct seen {
	struct record_model *model;
	struct text text;
	size_t records, files;
};

static void add_pair(struct seen *seen, struct record_pair pair)
{
	const char *type =
		record_type_name(record_attribute_type(seen->model, pair.attribute));

	text_format(&seen->text,
		    "%s:%s=", record_attribute_name(seen->model, pair.attribute), type);
	record_value_json(&seen->text, pair.value);
}

static void see_record(void *context, record_node node, const struct record_pair *pairs,
		       size_t count)
{
	struct seen *seen = context;

	seen->records++;
	for (; node; node = record_node_parent(seen->model, node)) {
		add_pair(seen, record_node_pair(seen->model, node));
		text_add(&seen->text, "<");
	}
	for (size_t i = 0; i < count; i++) {
		text_add(&seen->text, " ");
		add_pair(seen, pairs[i]);
	}
	text_add(&seen->text, "\n");
}

static void see_global(void *context, record_attribute attribute,
		       struct record_value value)
{
	struct seen *seen = context;

	text_add(&seen->text, "global ");
	add_pair(seen, (struct record_pair){attribute, value});
	text_add(&seen->text, "\n");
}

static void see_file(void *context)
{
	((struct seen *)context)->files++;
}

static char *read_all(struct seen *seen, const char *bytes, size_t size)
{
	struct trm_visitor visitor = {.context = seen,
				      .record = see_record,
				      .global = see_global,
				      .file = see_file};
	char *warning = NULL;

	*seen = (struct seen){.model = record_model_create()};
	text_add(&seen->text, "");
	assert_null(
		trm_read_memory(bytes, size, "x.cali", seen->model, &visitor, &warning));
	return warning;
}

static void forget(struct seen *seen)
{
	text_deinit(&seen->text);
	record_model_destroy(seen->model);
}

static void expect(const char *file, const char *text, const char *warning)
{
	struct seen seen;
	char *got = read_all(&seen, file, strlen(file));

	if (strcmp(seen.text.data, text))
		fail_msg("%s--- gives\n%s--- not\n%s", file, seen.text.data, text);
	if (strcmp(got ? got : "", warning))
		fail_msg("%s--- warns\n%s\n--- not\n%s", file, got, warning);
	free(got);
	forget(&seen);
}

#define REGION                                                                           \
	"__rec=node,id=18,attr=10,data=276,parent=3\n"                                   \
	"__rec=node,id=20,attr=8,data=region,parent=18\n"
#define NUMBER "__rec=node,id=36,attr=8,data=n,parent=2\n"

/* The example of the format's description: globals in the tree, with a second path. */
static const char example[] =
	"__rec=node,id=25,attr=10,data=1612,parent=3\n"
	"__rec=node,id=85,attr=8,data=experiment,parent=25\n"
	"__rec=node,id=26,attr=8,data=cali.caliper.version,parent=25\n"
	"__rec=node,id=27,attr=26,data=2.15.0-dev\n"
	"__rec=node,id=86,attr=85,data=x\\=1\\,y,parent=27\n"
	"__rec=ctx,ref=86\n" REGION "__rec=node,id=89,attr=20,data=outer\n"
	"__rec=node,id=87,attr=10,data=85,parent=5\n"
	"__rec=node,id=88,attr=8,data=my.val,parent=87\n"
	"\n"
	"__rec=ctx,ref=89=86,attr=88,data=1.5\n"
	"__rec=node,id=90,attr=20,data=inner,parent=89\n"
	"__rec=node,id=35,attr=10,data=2133,parent=2\n"
	"__rec=node,id=36,attr=8,data=region.count,parent=35\n"
	"__rec=ctx,ref=90,attr=88=36,data=-2e-3=18446744073709551615\n"
	"__rec=node,id=28,attr=8,data=cali.channel,parent=25\n"
	"__rec=node,id=32,attr=28,data=default\n"
	"__rec=globals,ref=86=32\n"
	"__rec=globals,ref=32,attr=88,data=7\n";

static void test_example(void **state)
{
	(void)state;
	expect(example,
	       "experiment:string=\"x=1,y\"<cali.caliper.version:string=\"2.15.0-dev\"<\n"
	       "experiment:string=\"x=1,y\"<cali.caliper.version:string=\"2.15.0-dev\"<"
	       "region:string=\"outer\"< my.val:double=1.5\n"
	       "region:string=\"inner\"<region:string=\"outer\"< my.val:double=-0.002 "
	       "region.count:uint=18446744073709551615\n"
	       "global cali.caliper.version:string=\"2.15.0-dev\"\n"
	       "global experiment:string=\"x=1,y\"\n"
	       "global cali.channel:string=\"default\"\n"
	       "global my.val:double=7\n",
	       "");
}

static void test_properties(void **state)
{
	struct seen seen;
	record_attribute id;

	(void)state;
	free(read_all(&seen, example, strlen(example)));
	assert_true(record_attribute_find(seen.model, "region", &id));
	assert_int_equal(record_attribute_properties(seen.model, id),
			 RECORD_NESTED | RECORD_SCOPE_THREAD);
	assert_true(record_attribute_find(seen.model, "experiment", &id));
	assert_int_equal(record_attribute_properties(seen.model, id),
			 RECORD_GLOBAL | RECORD_SCOPE_PROCESS | RECORD_UNALIGNED |
				 RECORD_SKIP_EVENTS);
	assert_true(record_attribute_find(seen.model, "region.count", &id));
	assert_int_equal(record_attribute_properties(seen.model, id),
			 RECORD_AS_VALUE | RECORD_SCOPE_THREAD | RECORD_SKIP_EVENTS |
				 RECORD_AGGREGATABLE);
	forget(&seen);
}

/* Fields in any order, numbers with gaps, unknown fields, and numbers used again. */
static void test_freedom(void **state)
{
	(void)state;
	expect(REGION NUMBER
	       "__rec=node,parent=20000000000,data=b,attr=20,id=18446744073709551614\n",
	       "", "'x.cali', line 4: a node below an unknown one; it is left out");
	expect(REGION NUMBER
	       "__rec=node,data=a,attr=20,id=20000000000\n"
	       "__rec=node,parent=20000000000,data=b,attr=20,id=18446744073709551614\n"
	       "__rec=ctx,data=5=6,ref=18446744073709551614,attr=36=36\n"
	       "__rec=ctx,attr=36,data=7,color=red,attr=1=2\n"
	       "__rec=ctx,\n"
	       "__rec=node,id=20000000000,attr=20,data=c,more=1\n"
	       "__rec=ctx,ref=20000000000=18446744073709551614\n",
	       "region:string=\"b\"<region:string=\"a\"< n:uint=5 n:uint=6\n"
	       " n:uint=7\n"
	       "\n"
	       "region:string=\"b\"<region:string=\"a\"<region:string=\"c\"<\n",
	       "");
	/* The type ptr may stand in a file, and is an address; so may other built-ins. */
	expect("__rec=node,id=8,attr=8,data=cali.attribute.name,parent=3\n"
	       "__rec=node,id=11,attr=9,data=ptr\n"
	       "__rec=node,id=12,attr=8,data=p,parent=11\n"
	       "__rec=ctx,attr=12,data=1f\n",
	       " p:address=\"0x1f\"\n", "");
}

static void test_values(void **state)
{
	static const struct {
		int type;
		const char *value, *json; /* NULL: refused; "": left out */
	} values[] = {
		{1, "-9223372036854775808", "int=-9223372036854775808"},
		{1, "-9223372036854775809", NULL},
		{1, "9223372036854775808", NULL},
		{1, "5x", NULL},
		{1, "", ""},
		{2, "18446744073709551616", NULL},
		{2, "00000000000000000000000000012", "uint=12"},
		{2, "-1", NULL},
		{3, "caf\303\251 \\\\\\,\\=\\n\\q\t",
		 "string=\"caf\303\251 \\\\,=\\u000aq\\u0009\""},
		{3, "", "string=\"\""},
		{4, "ffffffffffffffff", "address=\"0xffffffffffffffff\""},
		{4, "0x1F", "address=\"0x1f\""},
		{4, "10000000000000000", NULL},
		{4, "g", NULL},
		{5, "123456789.125", "double=123456789.125"},
		{5, "1e-9", "double=1e-09"},
		{5, "0.1", "double=0.1"},
		{5, "-0", "double=-0"},
		{5, "9007199254740993", "double=9007199254740992"},
		{5, "4.9406564584124654e-324", "double=4.94065645841247e-324"},
		{5, "inf", "double=\"inf\""},
		{5, "-nan", "double=\"-nan\""},
		{5, "1.5.2", NULL},
		{5, " 1", NULL},
		{5, "-", NULL},
		{5, ".", NULL},
		{6, "true", "bool=true"},
		{6, "false", "bool=false"},
		{6, "maybe", NULL},
		{7, "double", "type=\"double\""},
		{7, "bolt", NULL},
		{0, "a:ff:00:", "blob=\"0aff00\""},
		{0, "", "blob=\"\""},
		{0, "fff:", NULL},
		{0, "a", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char file[300], text[100];

		snprintf(file, sizeof(file),
			 "__rec=node,id=40,attr=8,data=v,parent=%d\n"
			 "__rec=ctx,attr=40,data=%s\n",
			 values[i].type, values[i].value);
		snprintf(text, sizeof(text), "%s%s\n",
			 values[i].json && *values[i].json ? " v:" : "",
			 values[i].json ? values[i].json : "");
		expect(file, values[i].json ? text : "",
		       values[i].json ? ""
				      : "'x.cali', line 2: a value that is not of its "
					"attribute's type; it is left out");
	}
}

static void test_bad_lines(void **state)
{
	static const struct {
		const char *line, *reason;
	} lines[] = {
		{"hello", "no record begins so"},
		{"__rec=tree,id=1", "no record begins so"},
		{"__rec=ctxx", "no record begins so"},
		{"__rec=ctx,ref=77", "an unknown node"},
		{"__rec=ctx,ref=20", "an unknown node"},
		{"__rec=ctx,ref=", "a number is missing"},
		{"__rec=ctx,ref=1x", "a number is missing"},
		{"__rec=ctx,attr=77,data=1", "an unknown attribute"},
		{"__rec=ctx,attr=36=36,data=1", "less values than attributes"},
		{"__rec=ctx,attr=36,data=1=2", "more values than attributes"},
		{"__rec=ctx,attr=36", "attributes without values, or values without "
				      "attributes"},
		{"__rec=ctx,data=1", "attributes without values, or values without "
				     "attributes"},
		{"__rec=node,id=50", "a node without a number or an attribute"},
		{"__rec=node,attr=20", "a node without a number or an attribute"},
		{"__rec=node,id=50,attr=99", "a node of an unknown attribute"},
		{"__rec=node,id=50,attr=20,data=a=b", "a node with two values"},
		{"__rec=node,id=50,attr=36,data=x",
		 "a node whose value is not of its type"},
		{"__rec=node,id=50,attr=8,data=x,parent=89",
		 "a node of an unknown attribute"},
		{"__rec=node,id=50,attr=8,data=x", "an attribute without a type"},
		{"__rec=node,id=50,attr=8,data=,parent=2",
		 "an attribute with a name that is empty or too long"},
		{"__rec=node,id=3,attr=20,data=x", "a node with the number of a built-in "
						   "one"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char file[600], warning[200];

		snprintf(file, sizeof(file),
			 REGION NUMBER "__rec=node,id=89,attr=20,data=a\n"
				       "%s\n%s\n__rec=ctx,ref=89\n",
			 lines[i].line, lines[i].line);
		snprintf(warning, sizeof(warning),
			 "'x.cali', line 5: %s; it is left out, as is 1 more line",
			 lines[i].reason);
		expect(file, "region:string=\"a\"<\n", warning);
	}
}

/* Attributes of one name and several types are several. */
static void test_types_differ(void **state)
{
	(void)state;
	expect("__rec=node,id=40,attr=8,data=v,parent=2\n"
	       "__rec=node,id=41,attr=8,data=v,parent=5\n"
	       "__rec=ctx,attr=40=41,data=1=2.5\n",
	       " v:uint=1 v.double:double=2.5\n", "");
}

/* Whatever byte a file ends at, all lines before are there. */
static void test_torn(void **state)
{
	size_t size = strlen(example);

	(void)state;
	for (size_t cut = 6; cut <= size; cut++) {
		struct seen seen;
		char *copy = memory_allocate(cut);
		size_t records = 0;

		memcpy(copy, example, cut);
		for (size_t i = 0; i + 9 < cut; i++)
			records += !memcmp(copy + i, "__rec=ctx", 9) &&
				   memchr(copy + i, '\n', cut - i) != NULL;
		char *warning = read_all(&seen, copy, cut);

		assert_int_equal(seen.records, records);
		assert_int_equal(!warning, copy[cut - 1] == '\n');
		assert_true(!warning || strstr(warning, "'x.cali' ends in the middle of "
							"line "));
		free(warning);
		free(copy);
		forget(&seen);
	}
}

static uint64_t seed = 88172645463325252u;

/* Xorshift (Marsaglia 2003). */
static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static char random_bytes[64];

static struct record_value random_value(enum record_type type)
{
	static const double doubles[] = {0.0,       -0.0,         1e-9,   0.1,
					 DBL_MAX,   DBL_MIN,      5e-324, INFINITY,
					 -INFINITY, 123456789.125};
	struct record_value value = {.type = type, .u = next_random()};

	value.u >>= next_random() % 64;
	if (type == RECORD_BOOL)
		value.u &= 1;
	if (type == RECORD_TYPE)
		value.u %= RECORD_TYPE_COUNT;
	if (type == RECORD_DOUBLE && (value.u % 4 || isnan(value.d)))
		value.d = next_random() % 2 ? doubles[next_random() % 10]
					    : (double)next_random() / 3;
	if (type != RECORD_STRING && type != RECORD_BLOB)
		return value;
	value.size = next_random() % 12;
	for (size_t i = 0; i < value.size; i++)
		random_bytes[i] = next_random() % 2 ? (char)next_random()
						    : ",=\\\nn :"[next_random() % 7];
	value.bytes = random_bytes;
	return value;
}

enum { ATTRIBUTES = 24, RECORDS = 400 };

static void make_attributes(struct record_model *model, record_attribute *ids)
{
	static const uint32_t properties[] = {
		0,
		RECORD_NESTED | RECORD_SCOPE_THREAD,
		RECORD_AS_VALUE | RECORD_AGGREGATABLE | RECORD_SCOPE_PROCESS,
		RECORD_HIDDEN | RECORD_SCOPE_TASK | 3 * RECORD_LEVEL_ONE,
		RECORD_UNALIGNED | RECORD_SKIP_EVENTS | RECORD_LEVEL_MASK,
		RECORD_GLOBAL | RECORD_AS_VALUE,
	};

	for (int i = 0; i < ATTRIBUTES; i++) {
		char name[32];

		snprintf(name, sizeof(name), i % 5 ? "a%d" : "\303\251,=\\ %d", i);
		assert_null(record_attribute_intern(
			model, name, (enum record_type)(i % RECORD_TYPE_COUNT),
			properties[i % 6], &ids[i]));
		/* Described by those before it. */
		for (int k = 0; k < i % 4; k++) {
			record_attribute key = ids[next_random() % (unsigned)i];

			record_attribute_describe(
				model, ids[i], key,
				random_value(record_attribute_type(model, key)));
		}
	}
}

/* Records, globals and attributes, made anew each time from the same seed. */
static void make_records(struct seen *told, struct cali_writer *writer)
{
	record_attribute ids[ATTRIBUTES];
	record_node nodes[RECORDS] = {0};

	make_attributes(told->model, ids);
	cali_writer_use(writer, told->model);
	for (int i = 1; i < RECORDS; i++) {
		struct record_pair pairs[6];
		size_t count = next_random() % 6;
		char kept[6][64];
		record_attribute above = ids[next_random() % ATTRIBUTES];

		nodes[i] = record_node_child(
			told->model, nodes[next_random() % (unsigned)i], above,
			random_value(record_attribute_type(told->model, above)));
		for (size_t k = 0; k < count; k++) {
			record_attribute id = ids[next_random() % ATTRIBUTES];

			pairs[k] = (struct record_pair){
				id, random_value(record_attribute_type(told->model, id))};
			memcpy(kept[k], random_bytes, sizeof(random_bytes));
			if (pairs[k].value.type == RECORD_STRING ||
			    pairs[k].value.type == RECORD_BLOB)
				pairs[k].value.bytes = kept[k];
		}
		record_node node = nodes[next_random() % (unsigned)(i + 1)];

		see_record(told, node, pairs, count);
		cali_writer_record(writer, node, pairs, count);
	}
	/* Those that are contexts come first. */
	for (int pass = 0; pass < 2; pass++) {
		for (int i = pass ? 2 : 1; i < ATTRIBUTES; i += 6) {
			struct record_value value =
				random_value((enum record_type)(i % RECORD_TYPE_COUNT));

			see_global(told, ids[i], value);
			cali_writer_global(writer, ids[i], value);
		}
	}
}

static void compare_attributes(const struct record_model *a, const struct record_model *b)
{
	for (record_attribute id = 0; id < record_attribute_count(a); id++) {
		record_attribute other;

		if (!record_attribute_find(b, record_attribute_name(a, id), &other))
			continue; /* no record has it */
		assert_int_equal(record_attribute_properties(a, id),
				 record_attribute_properties(b, other));
		size_t count = record_attribute_descriptions(a, id);

		assert_int_equal(record_attribute_descriptions(b, other), count);
		for (size_t i = 0; i < count; i++) {
			struct record_pair x = record_attribute_description(a, id, i);
			struct record_pair y = record_attribute_description(b, other, i);
			struct text left = {0}, right = {0};

			record_value_json(&left, x.value);
			record_value_json(&right, y.value);
			assert_string_equal(record_attribute_name(a, x.attribute),
					    record_attribute_name(b, y.attribute));
			assert_string_equal(left.data, right.data);
			text_deinit(&left);
			text_deinit(&right);
		}
	}
}

/* Random records of all types are the same after they were written and read, and so is
 * what is written of what was read. */
static void test_round_trip(void **state)
{
	(void)state;
	for (int round = 0; round < 30; round++) {
		struct seen told = {.model = record_model_create()}, seen;
		struct text file = {0};
		struct cali_writer *writer = cali_writer_create(&file);

		make_records(&told, writer);
		cali_writer_finish(writer);
		char *warning = read_all(&seen, file.data, file.length);

		assert_null(warning);
		assert_int_equal(seen.records, RECORDS - 1);
		assert_string_equal(seen.text.data, told.text.data);
		compare_attributes(told.model, seen.model);
		text_deinit(&file);
		forget(&seen);
		forget(&told);
	}
}

static void pass_record(void *context, record_node node, const struct record_pair *pairs,
			size_t count)
{
	trm_writer_record(context, node, pairs, count);
}

static void pass_global(void *context, record_attribute attribute,
			struct record_value value)
{
	trm_writer_global(context, attribute, value);
}

/* A .cali file as a .trm file: the same records, and all that is said of attributes. */
static void test_as_trm(void **state)
{
	struct text file = {0};
	struct cali_writer *writer = cali_writer_create(&file);
	struct seen told = {.model = record_model_create()}, seen;
	struct record_model *model = record_model_create();
	int fd = memfd_create("test_cali", MFD_CLOEXEC);
	struct trm_writer *trm = trm_writer_create(fd, model);
	struct trm_visitor pass = {
		.context = trm, .record = pass_record, .global = pass_global};
	char *warning = NULL, path[32];

	(void)state;
	make_records(&told, writer);
	cali_writer_finish(writer);
	assert_null(trm_read_memory(file.data, file.length, "x.cali", model, &pass,
				    &warning));
	assert_null(trm_writer_finish(trm));
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	seen = (struct seen){.model = record_model_create()};
	struct trm_visitor visitor = {.context = &seen,
				      .record = see_record,
				      .global = see_global,
				      .file = see_file};

	assert_null(trm_read(path, seen.model, &visitor, &warning));
	assert_null(warning);
	/* Globals come first there. */
	const char *globals = strstr(told.text.data, "global ");
	struct text moved = {0};

	text_add(&moved, globals);
	text_add_bytes(&moved, told.text.data, (size_t)(globals - told.text.data));
	assert_string_equal(seen.text.data, moved.data);
	compare_attributes(told.model, seen.model);
	text_deinit(&moved);
	text_deinit(&file);
	forget(&told);
	forget(&seen);
	record_model_destroy(model);
	close(fd);
}

/* Records of several models in one file: equal nodes are one. */
static void test_models(void **state)
{
	struct text file = {0};
	struct cali_writer *writer = cali_writer_create(&file);

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct record_model *model = record_model_create();
		record_attribute other, region, n;

		for (int k = 0; k < i; k++)
			assert_null(record_attribute_intern(model, "x", RECORD_INT, 0,
							    &other));
		assert_null(record_attribute_intern(model, "region", RECORD_STRING,
						    RECORD_NESTED, &region));
		assert_null(record_attribute_intern(model, "n",
						    i ? RECORD_UINT : RECORD_DOUBLE,
						    RECORD_AS_VALUE, &n));
		record_node node =
			record_node_child(model, 0, region, record_string("main"));
		struct record_pair pair = {n,
					   random_value(i ? RECORD_UINT : RECORD_DOUBLE)};

		pair.value = i ? record_uint(3) : pair.value;
		if (!i)
			pair.value.d = 0.5;
		cali_writer_use(writer, model);
		cali_writer_record(writer, node, &pair, 1);
		record_model_destroy(model);
	}
	cali_writer_finish(writer);
	expect(file.data,
	       "region:string=\"main\"< n:double=0.5\n"
	       "region:string=\"main\"< n.uint:uint=3\n",
	       "");
	assert_ptr_equal(strstr(strstr(file.data, "data=main") + 1, "data=main"), NULL);
	text_deinit(&file);
}

/* As many as Caliper takes minutes for. */
static void test_siblings(void **state)
{
	struct text file = {0};
	struct seen seen;

	(void)state;
	text_add(&file, REGION);
	for (int i = 0; i < 100000; i++)
		text_format(&file,
			    "__rec=node,id=%d,attr=20,data=r%d\n__rec=ctx,ref=%d\n",
			    100 + i, i, 100 + i);
	assert_null(read_all(&seen, file.data, file.length));
	assert_int_equal(seen.records, 100000);
	assert_int_equal(record_node_count(seen.model), 100001);
	forget(&seen);
	text_deinit(&file);
}

/* Long paths that are joined to many others would take all memory. */
static void test_bounds(void **state)
{
	struct text file = {0};
	struct seen seen;

	(void)state;
	text_add(&file, REGION);
	for (int i = 0; i < 4000; i++) {
		text_format(&file, "__rec=node,id=%d,attr=20,data=a", 100 + i);
		if (i)
			text_format(&file, ",parent=%d", 99 + i);
		text_format(&file, "\n__rec=node,id=%d,attr=20,data=b%d\n", 10000 + i, i);
	}
	for (int i = 0; i < 4000; i++)
		text_format(&file, "__rec=ctx,ref=%d=4099\n", 10000 + i);
	char *warning = read_all(&seen, file.data, file.length);

	assert_non_null(warning);
	assert_non_null(
		strstr(warning, "more nodes than a file of its size should have"));
	assert_true(seen.records > 100 && seen.records < 4000);
	free(warning);
	forget(&seen);
	text_deinit(&file);
}

#define SPLIT_TAIL                                                                       \
	"\"columns\": [\"n\", \"function\", \"path\"], \"column_metadata\": ["           \
	"{\"is_value\": true, \"attribute.unit\": \"s\"}, {\"is_value\": false}, "       \
	"{\"is_value\": false}], \"nodes\": [ {\"label\":\"a\",\"column\":\"path\"}, "   \
	"{\"label\": \"\\u00e9\\ud83d\\ude00\\n\", \"column\": \"path\", \"parent\": "   \
	"0}, "                                                                           \
	"{\"label\": \"f\", \"column\": \"function\"} ], \"x\": \"1\", \"y\": 2.5, "     \
	"\"z\": [1]}"

/* As Caliper writes it, and what does not fit. */
static void test_split(void **state)
{
	(void)state;
	expect("{\n  \"data\": [ [ 1, 2, 1 ], [ null, null, 0 ], [ 2.5, 2, null ] "
	       "],\n" SPLIT_TAIL "\n",
	       "global x:string=\"1\"\nglobal y:string=\"2.5\"\n"
	       "region:string=\"\303\251\360\237\230\200\\u000a\"<region:string=\"a\"<"
	       "function:string=\"f\"< n:double=1\n"
	       "region:string=\"a\"<\n"
	       "function:string=\"f\"< n:double=2.5\n",
	       "");
	expect("{\"data\": [ 5, [1, 2, 3], [1, 2, \"a\"], [{}, 2, 1], [1, 1, 1, 1], "
	       "[-7, null, 0] ], " SPLIT_TAIL,
	       "global x:string=\"1\"\nglobal y:string=\"2.5\"\n"
	       "region:string=\"a\"< n:string=\"-7\"\n",
	       "'x.cali', row 1: it does not fit the columns; it is left out, as are 4 "
	       "more rows");
	/* Torn behind what the rows need. */
	expect("{\"columns\": [\"n\", \"m\"], \"data\": [[1, 18446744073709551615], [-2, "
	       "18446744073709551616], [3",
	       " n:int=1 m:double=1.8446744073709552e+19\n"
	       " n:int=-2 m:double=1.8446744073709552e+19\n",
	       "'x.cali', row 3: it does not fit the columns; it is left out; 'x.cali' "
	       "is "
	       "damaged: what comes before the damage is kept");
}

static void test_no_profile(void **state)
{
	struct record_model *model = record_model_create();
	const struct trm_visitor none = {0};
	char *warning = NULL;
	struct trm_error *error =
		trm_read_memory("rec=ctx\n", 8, "x.cali", model, &none, &warning);

	(void)state;
	assert_non_null(error);
	assert_string_equal(error->message,
			    "'x.cali' is not a profile: it does not begin as "
			    "a .trm or .cali file");
	trm_error_destroy(error);
	record_model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_example),    cmocka_unit_test(test_properties),
		cmocka_unit_test(test_freedom),    cmocka_unit_test(test_values),
		cmocka_unit_test(test_bad_lines),  cmocka_unit_test(test_types_differ),
		cmocka_unit_test(test_torn),       cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_as_trm),     cmocka_unit_test(test_models),
		cmocka_unit_test(test_siblings),   cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_no_profile), cmocka_unit_test(test_split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
