/*
 * Queries over paths of very many levels. What is bounded: the time of the processor (in
 * which nothing that looks at all levels of each of so many paths ends), the stack (256
 * KiB), and the bytes that are printed. What is shown of long keys is the same as what is
 * found along them.
 */
#include "context/channel_view.h"
#include "query/format.h"
#include "query/parse.h"
#include "query/result.h"
#include "query/run.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "query/query.h"

#include "profile_maker.h"
#include "sanitized.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define DEEP "deep.trm"
#define TREE "tree.trm"

enum {
	LEVELS = TIMES(100000, 20004),
	CPU_SECONDS = 60, /* with sanitizers, too; what was quadratic took many minutes */
	STACK_BYTES = 256 << 10,
	OUTPUT_BYTES = 400 << 20, /* a table has 1,000 bytes of each path, in 2 columns */
	NODES = 6000,
};

static struct maker begin(const char *path)
{
	struct maker maker = begin_profile(path, false);
	record_attribute id;

	assert_null(record_attribute_intern(maker.model, "region", RECORD_STRING,
					    RECORD_NESTED, &id));
	assert_null(record_attribute_intern(maker.model, "loop", RECORD_INT,
					    RECORD_NESTED, &id));
	assert_null(record_attribute_intern(maker.model, "level", RECORD_UINT, 0, &id));
	assert_null(record_attribute_intern(maker.model, "x", RECORD_UINT,
					    RECORD_AS_VALUE | RECORD_AGGREGATABLE, &id));
	return maker;
}

static void add(struct maker *maker, record_node node, uint64_t x)
{
	struct record_pair one = pair(maker, "x", record_uint(x));

	trm_writer_record(maker->writer, node, &one, 1);
}

static void write_deep(void)
{
	struct maker maker = begin(DEEP);
	record_attribute region = attribute(&maker, "region", RECORD_STRING);
	record_node node = 0;

	for (int i = 0; i < LEVELS; i++) {
		char name[] = {'f', (char)('0' + i % 7), 0};

		node = record_node_child(maker.model, node, region, record_string(name));
		add(&maker, node, 1);
	}
	end_profile(&maker);
}

struct asking {
	const char *words, *path;
	struct query_output *output; /* or NULL */
	struct text out;
};

static void *ask_in_thread(void *context)
{
	struct asking *asking = context;
	const struct query_style style = {.output = asking->output};
	struct text warnings = {0};
	struct query_result *result;
	struct query *query;
	size_t place;

	if (query_parse(asking->words, &query, &place) ||
	    query_run(query, &asking->path, 1, 1, &result, &warnings))
		abort();
	query_print(result, &style, &asking->out);
	query_result_destroy(result);
	query_destroy(query);
	text_deinit(&warnings);
	return NULL;
}

/* What a query prints; free() it. */
static char *ask(const char *words, const char *path)
{
	struct asking asking = {.words = words, .path = path};
	pthread_attr_t attributes;
	pthread_t thread;

	text_add(&asking.out, "");
	assert_int_equal(pthread_attr_init(&attributes), 0);
	assert_int_equal(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
	assert_int_equal(pthread_create(&thread, &attributes, ask_in_thread, &asking), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_attr_destroy(&attributes);
	return asking.out.data;
}

/* In a process of its own, which the limit ends. */
static void ask_deep(const char *words, const char *end)
{
	const struct rlimit limit = {CPU_SECONDS, CPU_SECONDS};
	pid_t child = fork();
	int status;

	if (child) {
		assert_int_equal(waitpid(child, &status, 0), child);
		if (status)
			fail_msg("%s: status %#x", words, (unsigned)status);
		return;
	}
	setrlimit(RLIMIT_CPU, &limit);
	char *out = ask(words, DEEP);
	size_t length = strlen(out), tail = strlen(end);

	_exit(length > OUTPUT_BYTES ? 1 : strcmp(out + length - tail, end) != 0 ? 2 : 0);
}

static void test_deep(void **state)
{
	(void)state;
	write_deep();
	ask_deep("SELECT path, sum(x) AS n GROUP BY path FORMAT tree",
		 TIMES(" (100,000) f4  1\n", " (20,004) f4  1\n"));
	ask_deep("SELECT path, inclusive_sum(x) AS n GROUP BY path FORMAT table",
		 TIMES("/f3/f4        1\n", "/f3/f4       1\n"));
	ask_deep("SELECT path, region, sum(x) AS n GROUP BY path ORDER BY path DESC "
		 "FORMAT table",
		 " 1\n");
	ask_deep("SELECT sum(x) AS n GROUP BY path FORMAT json", "\n  {\"n\": 1}]\n");
	ask_deep("SELECT path, inclusive_sum(x) AS n GROUP BY path ORDER BY n DESC "
		 "LIMIT 1 FORMAT json",
		 TIMES("[\n  {\"path\": \"f0\", \"n\": 100000}]\n",
		       "[\n  {\"path\": \"f0\", \"n\": 20004}]\n"));
	ask_deep("SELECT path, x WHERE path = f0/f1 FORMAT json",
		 "[\n  {\"path\": \"f0/f1\", \"x\": 1}]\n");
	ask_deep("SELECT region, sum(x) GROUP BY region FORMAT json-split", "\n}\n");
	ask_deep("SELECT *, sum(x) GROUP BY path FORMAT json-split", "\n}\n");
	ask_deep("SELECT *, sum(x) GROUP BY path FORMAT cali", "\n");
	ask_deep("SELECT path, sum(x) GROUP BY path FORMAT html", "</html>\n");
}

static uint64_t next_random(void)
{
	static uint64_t seed = 1;

	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 33;
}

/* What the test knows of a node. */
struct node {
	struct text path, loops, levels;
	record_node node;
};

static void join(struct text *text, const char *value)
{
	text_add(text, text->data ? "/" : "");
	text_add(text, value);
}

/* A child: a region, a loop or a level, which is in no path. */
static void grow(struct maker *maker, const struct node *parent, struct node *ret_child)
{
	static const char *const names[] = {"a", "a-b", "ab", "b", "caf\303\251"};
	static const char *const attributes[] = {"region", "loop", "level"};
	uint64_t kind = next_random() % 3, number = next_random() % 12;
	struct record_value value = kind == 0   ? record_string(names[number % 5])
				    : kind == 1 ? record_int((int64_t)number)
						: record_uint(number);
	struct text text = {0};

	for (int i = 0; i < 3; i++) {
		const struct text *from = i == 0   ? &parent->path
					  : i == 1 ? &parent->loops
						   : &parent->levels;
		struct text *to = i == 0   ? &ret_child->path
				  : i == 1 ? &ret_child->loops
					   : &ret_child->levels;

		if (from->data)
			text_add(to, from->data);
	}
	record_value_text(&text, value);
	if (kind < 2)
		join(&ret_child->path, text.data);
	if (kind > 0)
		join(kind == 1 ? &ret_child->loops : &ret_child->levels, text.data);
	text_deinit(&text);
	ret_child->node =
		record_node_child(maker->model, parent->node,
				  attribute(maker, attributes[kind], value.type), value);
}

static const char *text_of(const struct text *text)
{
	return text->data ? text->data : "";
}

/* As rows are ordered: those without a path last. */
static int compare_nodes(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	if (!x->path.data || !y->path.data)
		return !x->path.data - !y->path.data;
	return strcmp(x->path.data, y->path.data);
}

/* Values alone that are numbers come before text, and some ways of two kinds have the
 * same text; so all paths begin with a word, and only they are compared. */
static void test_same(void **state)
{
	static struct node nodes[NODES];
	struct maker maker = begin(TREE);
	struct text wanted = {0};

	(void)state;
	text_add(&nodes[0].path, "root");
	nodes[0].node = record_node_child(maker.model, 0,
					  attribute(&maker, "region", RECORD_STRING),
					  record_string("root"));
	for (int i = 1; i < NODES; i++) {
		/* Most of them are one below the other: hundreds of levels. */
		uint64_t parent = next_random() % 128 ? (uint64_t)i - 1
						      : next_random() % (uint64_t)i;

		grow(&maker, &nodes[parent], &nodes[i]);
	}
	for (int i = 0; i < NODES; i++)
		add(&maker, nodes[i].node, 1);
	end_profile(&maker);
	for (int i = 0; i < NODES; i++)
		text_format(&wanted, "%s,%s,%s\n", text_of(&nodes[i].path),
			    text_of(&nodes[i].loops), text_of(&nodes[i].levels));
	char *got = ask("SELECT path AS p, loop, level FORMAT csv", TREE);

	assert_string_equal(strchr(got, '\n') + 1, wanted.data);
	free(got);
	qsort(nodes, NODES, sizeof(nodes[0]), compare_nodes);
	wanted.length = 0;
	for (int i = 0; i < NODES; i++)
		text_format(&wanted, "%s\n", text_of(&nodes[i].path));
	got = ask("SELECT path ORDER BY path FORMAT csv", TREE);
	assert_string_equal(strchr(got, '\n') + 1, wanted.data);
	free(got);
	text_deinit(&wanted);
	for (int i = 0; i < NODES; i++) {
		text_deinit(&nodes[i].path);
		text_deinit(&nodes[i].loops);
		text_deinit(&nodes[i].levels);
	}
}

static struct text given;
static int times;

static struct trm_error *take(const struct text *text)
{
	text_add_bytes(&given, text->data, text->length);
	times++;
	return NULL;
}

/* What goes out between rows, and the rest, is all of it. */
static void test_given(void **state)
{
	static const char *const formats[] = {"json", "json(object)", "csv", "expand",
					      "folded"};

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct query_output output = {.write = take};
		struct text words = {0};

		text_format(&words, "SELECT path, sum(x) AS n GROUP BY path FORMAT %s",
			    formats[i]);
		struct asking asking = {words.data, TREE, &output, {0}};
		char *whole = ask(words.data, TREE);

		given.length = 0;
		times = 0;
		ask_in_thread(&asking);
		take(&asking.out);
		assert_in_range(times, 3, 40);
		assert_string_equal(given.data, whole);
		free(whole);
		text_deinit(&asking.out);
		text_deinit(&words);
	}
	text_deinit(&given);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_given),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
