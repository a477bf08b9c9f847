/* Events of traces for Perfetto and chrome://tracing, and `cali2traceevent`. */

/* The program itself. */
#define main cali2traceevent_main
#include "query/parse.h"
#include "cli/cali/cali2traceevent.c"
#undef main

#include "cali_program.h"

#include "base/cleanup.h"

#define MEMBER "{\"displayTimeUnit\": \"ns\",\n\"traceEvents\": ["

/* Attributes of a trace as LLNL's Caliper has them: 18 and 20 region, 30 time.offset.ns,
 * 31 and 32 begin and end of regions, 33 mpi.rank, 34 set of a number, 35 a counter, 36
 * set of a text, 37 pthread.id. */
#define HEAD                                                                             \
	"__rec=node,id=18,attr=10,data=276,parent=3\n"                                   \
	"__rec=node,id=20,attr=8,data=region,parent=18\n"                                \
	"__rec=node,id=25,attr=10,data=85,parent=2\n"                                    \
	"__rec=node,id=26,attr=10,data=85,parent=3\n"                                    \
	"__rec=node,id=27,attr=10,data=1,parent=6\n"                                     \
	"__rec=node,id=30,attr=8,data=time.offset.ns,parent=25\n"                        \
	"__rec=node,id=28,attr=10,data=276,parent=3\n"                                   \
	"__rec=node,id=31,attr=8,data=event.begin#region,parent=28\n"                    \
	"__rec=node,id=32,attr=8,data=event.end#region,parent=28\n"                      \
	"__rec=node,id=33,attr=8,data=mpi.rank,parent=25\n"                              \
	"__rec=node,id=34,attr=8,data=event.set#cells,parent=25\n"                       \
	"__rec=node,id=35,attr=8,data=papi.misses,parent=25\n"                           \
	"__rec=node,id=36,attr=8,data=event.set#phase,parent=26\n"                       \
	"__rec=node,id=37,attr=8,data=pthread.id,parent=25\n"                            \
	"__rec=node,id=40,attr=20,data=main\n"                                           \
	"__rec=node,id=41,attr=20,data=so\\,\"lve,parent=40\n"                           \
	"__rec=node,id=50,attr=31,data=main\n"                                           \
	"__rec=node,id=51,attr=31,data=so\\,\"lve,parent=40\n"                           \
	"__rec=node,id=52,attr=32,data=so\\,\"lve,parent=41\n"                           \
	"__rec=node,id=53,attr=32,data=main,parent=40\n"

/* Runs the program with these words (NULL at the end) and "out.json" behind them. */
static int run_words(const char *const *words)
{
	static const char *const front[] = {"cali2traceevent", NULL};
	static const char *const back[] = {"out.json", NULL};

	memset(&arguments, 0, sizeof(arguments));
	return run_program(cali2traceevent_main, front, words, back);
}

static void expect(const char *const *words, const char *warnings, const char *output)
{
	assert_int_equal(run_words(words), 0);
	scoped_free char *got = read_text("out.json"), *errors = read_text(ERRORS);

	assert_string_equal(got, output);
	assert_string_equal(errors, warnings);
}

#define EXPECT(output, ...)                                                              \
	expect((const char *const[]){__VA_ARGS__, NULL}, "", MEMBER output)

static void test_spans(void **state)
{
	(void)state;
	write_file("a.cali", HEAD "__rec=ctx,ref=50,attr=30,data=1000\n"
				  "__rec=ctx,ref=40,attr=30=34,data=1500=7\n"
				  "__rec=ctx,ref=40,attr=30=36,data=1500=hot\n"
				  "__rec=ctx,ref=51,attr=30,data=2001\n"
				  "__rec=ctx,ref=52,attr=30,data=4000\n"
				  "__rec=ctx,ref=53,attr=30,data=9000000\n"
				  "__rec=ctx,ref=40,attr=35,data=1\n");
	EXPECT("\n"
	       "{\"ph\": \"C\", \"name\": \"cells\", \"ts\": 1.500, \"pid\": 0, \"tid\": "
	       "0, "
	       "\"args\": {\"cells\": 7}},\n"
	       "{\"ph\": \"i\", \"name\": \"phase\", \"cat\": \"phase\", \"ts\": 1.500, "
	       "\"pid\": 0, \"tid\": 0, \"s\": \"t\", \"args\": {\"phase\": \"hot\"}},\n"
	       "{\"ph\": \"X\", \"name\": \"so,\\\"lve\", \"cat\": \"region\", \"ts\": "
	       "2.001, "
	       "\"dur\": 1.999, \"pid\": 0, \"tid\": 0},\n"
	       "{\"ph\": \"X\", \"name\": \"main\", \"cat\": \"region\", \"ts\": 1, "
	       "\"dur\": 8999, \"pid\": 0, \"tid\": 0},\n"
	       "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 0, \"tid\": 0, "
	       "\"args\": {\"name\": \"a.cali\"}}\n"
	       "]\n}\n",
	       "a.cali");
}

/* Parts out of order, what has no begin, what has no end. */
static void test_halves(void **state)
{
	(void)state;
	write_file("a.cali", HEAD "__rec=ctx,ref=52,attr=30,data=5000\n"
				  "__rec=ctx,ref=51,attr=30,data=6000\n"
				  "__rec=ctx,ref=50,attr=30,data=2000\n"
				  "__rec=ctx,ref=51,attr=30,data=4000\n"
				  "__rec=ctx,ref=53,attr=30,data=1000\n"
				  "__rec=ctx,ref=53,attr=30,data=1500\n");
	EXPECT("\n"
	       "{\"ph\": \"X\", \"name\": \"main\", \"cat\": \"region\", \"ts\": 1, "
	       "\"dur\": 0, "
	       "\"pid\": 0, \"tid\": 0},\n"
	       "{\"ph\": \"X\", \"name\": \"main\", \"cat\": \"region\", \"ts\": 1, "
	       "\"dur\": "
	       "0.500, \"pid\": 0, \"tid\": 0},\n"
	       "{\"ph\": \"X\", \"name\": \"so,\\\"lve\", \"cat\": \"region\", \"ts\": "
	       "4, "
	       "\"dur\": 1, \"pid\": 0, \"tid\": 0},\n"
	       "{\"ph\": \"B\", \"name\": \"main\", \"cat\": \"region\", \"ts\": 2, "
	       "\"pid\": 0, "
	       "\"tid\": 0},\n"
	       "{\"ph\": \"B\", \"name\": \"so,\\\"lve\", \"cat\": \"region\", \"ts\": "
	       "6, "
	       "\"pid\": 0, \"tid\": 0},\n"
	       "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 0, \"tid\": 0, "
	       "\"args\": {\"name\": \"a.cali\"}}\n"
	       "]\n}\n",
	       "a.cali");
}

static void test_places(void **state)
{
	(void)state;
	write_file("a.cali", HEAD "__rec=ctx,ref=50,attr=30=33=37=35,data=1000=3=77=12\n"
				  "__rec=ctx,ref=53,attr=30=33=37,data=2000=3=77\n");
	EXPECT("\n"
	       "{\"ph\": \"C\", \"name\": \"cache\", \"ts\": 1, \"pid\": 3, \"tid\": 77, "
	       "\"args\": {\"papi.misses\": 12}},\n"
	       "{\"ph\": \"X\", \"name\": \"main\", \"cat\": \"region\", \"ts\": 1, "
	       "\"dur\": 1, "
	       "\"pid\": 3, \"tid\": 77},\n"
	       "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 3, \"tid\": 77, "
	       "\"args\": {\"name\": \"rank 3\"}},\n"
	       "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 3, \"tid\": 77, "
	       "\"args\": {\"name\": \"thread\"}}\n"
	       "]\n}\n",
	       "--counters=cache=papi.misses,papi.hits", "a.cali");
	write_file("a.cali", HEAD "__rec=ctx,ref=50,attr=30=33=35,data=1000=3=12\n"
				  "__rec=ctx,ref=53,attr=30=33=35,data=2000=3=12\n");
	EXPECT("\n"
	       "{\n \"ph\": \"X\",\n \"name\": \"main\",\n \"cat\": \"region\",\n "
	       "\"ts\": 1,\n "
	       "\"dur\": 1,\n \"pid\": 12,\n \"tid\": 3\n},\n"
	       "{\n \"ph\": \"M\",\n \"name\": \"process_name\",\n \"pid\": 12,\n "
	       "\"tid\": 3,\n "
	       "\"args\": {\"name\": \"papi.misses 12\"}\n},\n"
	       "{\n \"ph\": \"M\",\n \"name\": \"thread_name\",\n \"pid\": 12,\n "
	       "\"tid\": 3,\n "
	       "\"args\": {\"name\": \"thread\"}\n}\n"
	       "]\n}\n",
	       "--pid-attributes", "papi.misses", "--tid-attributes=mpi.rank", "--pretty",
	       "--sort", "a.cali");
}

/* Times of several processes: by points at which they were one, or by their starts. */
static void test_sync(void **state)
{
	static const char *const tails[][2] = {
		{"__rec=ctx,attr=30=33=60,data=%d=%d=1\n", ""},
		{"", "__rec=globals,attr=61=62,data=%d=%d\n"},
	};
	static const char base[] =
		HEAD "__rec=node,id=60,attr=8,data=ts.sync,parent=25\n"
		     "__rec=node,id=59,attr=10,data=513,parent=2\n"
		     "__rec=node,id=61,attr=8,data=starttime.sec,parent=59\n"
		     "__rec=node,id=62,attr=8,data=starttime.nsec,parent=59\n";

	(void)state;
	for (int how = 0; how < 2; how++) {
		for (int rank = 0; rank < 2; rank++) {
			struct text text = {0};

			text_add(&text, base);
			text_format(&text, "__rec=ctx,ref=50,attr=30=33,data=1000=%d\n",
				    rank);
			/* The second one's clock shows 4 us less, or it began so late. */
			if (how)
				text_format(&text, tails[how][1], 100 + rank,
					    rank ? 4000 : 1000000000);
			else
				text_format(&text, tails[how][0], rank ? 8000 : 12000,
					    rank);
			write_file(rank ? "b.cali" : "a.cali", text.data);
			text_deinit(&text);
		}
		assert_int_equal(run_words((const char *const[]){"--sync", "a.cali",
								 "b.cali", NULL}),
				 0);
		scoped_free char *got = read_text("out.json");

		assert_non_null(strstr(got, "\"ts\": 1, \"pid\": 0"));
		assert_non_null(strstr(got, "\"ts\": 5, \"pid\": 1"));
	}
}

/* Samples, call paths, and what GPUs did. */
static void test_rows(void **state)
{
	(void)state;
	write_file(
		"a.cali", HEAD
		"__rec=node,id=60,attr=8,data=source.function#callpath.address,parent="
		"26\n"
		"__rec=node,id=61,attr=8,data=source.function#cali.sampler.pc,parent=26\n"
		"__rec=node,id=62,attr=8,data=cupti.activity.kind,parent=26\n"
		"__rec=node,id=63,attr=8,data=cupti.activity.start,parent=25\n"
		"__rec=node,id=64,attr=8,data=cupti.activity.duration,parent=25\n"
		"__rec=node,id=65,attr=8,data=cupti.kernel.name,parent=26\n"
		"__rec=node,id=70,attr=60,data=_start\n"
		"__rec=node,id=71,attr=60,data=main,parent=70\n"
		"__rec=ctx,ref=71,attr=30=61,data=1000=burn\n"
		"__rec=ctx,attr=62=63=64=65,data=kernel=2000=500=axpy\n");
	EXPECT("\n"
	       "{\"ph\": \"i\", \"name\": \"burn\", \"cat\": \"sample\", \"ts\": 1, "
	       "\"pid\": 0, "
	       "\"tid\": 0, \"s\": \"t\", \"sf\": 2},\n"
	       "{\"ph\": \"X\", \"name\": \"axpy\", \"cat\": \"kernel\", \"ts\": 2, "
	       "\"dur\": "
	       "0.500, \"pid\": 0, \"tid\": 1000000001},\n"
	       "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 0, \"tid\": 0, "
	       "\"args\": {\"name\": \"a.cali\"}},\n"
	       "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 0, \"tid\": "
	       "1000000001, "
	       "\"args\": {\"name\": \"CUDA\"}}\n"
	       "],\n"
	       "\"stackFrames\": {\n"
	       "\"1\": {\"name\": \"_start\", \"category\": \"callstack\"},\n"
	       "\"2\": {\"name\": \"main\", \"category\": \"callstack\", \"parent\": 1}\n"
	       "},\n"
	       "\"samples\": [\n"
	       "{\"name\": \"sampler\", \"weight\": 1, \"ts\": 1, \"pid\": 0, \"tid\": "
	       "0, "
	       "\"sf\": 2}\n"
	       "]\n}\n",
	       "a.cali");
}

static void test_errors(void **state)
{
	(void)state;
	write_file("a.cali", "__rec=globals,\n");
	expect((const char *const[]){"a.cali", NULL},
	       "cali2traceevent: warning: no record is one of an event: 'trammel run -m "
	       "regions,trace' and the configuration event-trace record them\n",
	       MEMBER "\n]\n}\n");
	assert_int_equal(run_words((const char *const[]){"--cuonters", NULL}), 1);
	scoped_free char *errors = read_text(ERRORS);

	assert_string_equal(errors, "cali2traceevent: unknown option \"--cuonters\": see "
				    "cali2traceevent --help\n");
	assert_int_equal(run_words((const char *const[]){"nowhere.cali", NULL}), 4);
	struct query *query;
	size_t place;
	struct trm_error *error =
		query_parse("GROUP BY a FORMAT trace-event", &query, &place);

	assert_non_null(error);
	assert_int_equal(place, 18);
	trm_error_destroy(error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spans),  cmocka_unit_test(test_halves),
		cmocka_unit_test(test_places), cmocka_unit_test(test_sync),
		cmocka_unit_test(test_rows),   cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
