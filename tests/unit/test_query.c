/* `trammel query`: what queries mean, and how results look. */
#include "context/channel_view.h"
#include "query/format.h"
#include "query/names.h"
#include "query/parse.h"
#include "query/run.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "base/cleanup.h"
#include "query/result.h"

#include "profile_maker.h"
#include "run_command.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "good_query.h"

#define SAMPLE "sample.trm"

/* Attributes as a program's annotations have them. */
static void define(struct maker *maker)
{
	static const struct {
		const char *name;
		enum record_type type;
		uint32_t properties;
	} attributes[] = {
		{"region", RECORD_STRING, RECORD_NESTED},
		{"loop", RECORD_STRING, RECORD_NESTED},
		{"level", RECORD_INT, 0},
		{"secret", RECORD_STRING, RECORD_HIDDEN},
		{"host", RECORD_STRING, RECORD_AS_VALUE | RECORD_GLOBAL},
		{"time.ns", RECORD_UINT, RECORD_AS_VALUE | RECORD_AGGREGATABLE},
		{"count", RECORD_UINT, RECORD_AS_VALUE | RECORD_AGGREGATABLE},
		{"x", RECORD_INT, RECORD_AS_VALUE},
		{"u", RECORD_UINT, RECORD_AS_VALUE},
		{"d", RECORD_DOUBLE, RECORD_AS_VALUE},
		{"rank", RECORD_UINT, RECORD_AS_VALUE},
		{"name", RECORD_STRING, RECORD_AS_VALUE},
		{"ok", RECORD_BOOL, RECORD_AS_VALUE},
		{"iteration#main", RECORD_UINT, RECORD_AS_VALUE},
	};
	record_attribute id;

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		assert_null(record_attribute_intern(maker->model, attributes[i].name,
						    attributes[i].type,
						    attributes[i].properties, &id));
}

static struct maker begin(const char *path)
{
	struct maker maker = begin_profile(path, false);

	define(&maker);
	return maker;
}

static record_node node_of(struct maker *maker, record_node parent, const char *name,
			   struct record_value value)
{
	return record_node_child(maker->model, parent, attribute(maker, name, value.type),
				 value);
}

/* A path of regions, "main/solve". */
static record_node regions(struct maker *maker, const char *path)
{
	char *copy = memory_copy_string(path), *save = NULL;
	record_node node = 0;

	for (char *word = strtok_r(copy, "/", &save); word;
	     word = strtok_r(NULL, "/", &save))
		node = node_of(maker, node, "region", record_string(word));
	free(copy);
	return node;
}

static void add(struct maker *maker, record_node node, const char *name,
		struct record_value value)
{
	struct record_pair one = pair(maker, name, value);

	trm_writer_record(maker->writer, node, &one, 1);
}

/* main > init, solve > loop, solve; times in each, and a record without a region. */
static void write_sample(void)
{
	struct maker maker = begin(SAMPLE);
	record_node solve = regions(&maker, "main/solve");
	record_node loop = node_of(&maker, solve, "loop", record_string("steps"));
	record_node level = node_of(&maker, loop, "level", record_int(2));
	record_node deep = node_of(&maker, level, "region", record_string("solve"));
	struct record_pair two[] = {pair(&maker, "time.ns", record_uint(1500)),
				    pair(&maker, "rank", record_uint(1))};

	add_global(&maker, "host", record_string("caf\303\251"));
	add(&maker, regions(&maker, "main"), "time.ns", record_uint(10));
	add(&maker, regions(&maker, "main/init"), "time.ns", record_uint(200));
	add(&maker, solve, "time.ns", record_uint(30));
	add(&maker, deep, "time.ns", record_uint(4000));
	trm_writer_record(maker.writer, level, two, 2);
	add(&maker, 0, "name", record_string("a,b \"c\" = \\"));
	end_profile(&maker);
}

/* What a query prints of these files; free() it. */
static char *ask(const char *words, const char *const *paths, size_t count,
		 size_t threads, char **ret_warnings)
{
	const struct query_style style = {0};
	struct text out = {0}, warnings = {0};
	struct query *query = parse_good(words);
	struct query_result *result;

	assert_null(query_run(query, paths, count, threads, &result, &warnings));
	text_add(&out, "");
	text_add(&warnings, "");
	query_print(result, &style, &out);
	query_result_destroy(result);
	query_destroy(query);
	if (ret_warnings)
		*ret_warnings = warnings.data;
	else
		text_deinit(&warnings);
	return out.data;
}

static void expect(const char *words, const char *output)
{
	static const char *const paths[] = {SAMPLE};
	char *got = ask(words, paths, 1, 1, NULL);

	if (strcmp(got, output))
		fail_msg("%s\n--- gives\n%s--- not\n%s", words, got, output);
	free(got);
}

static void test_rows(void **state)
{
	(void)state;
	write_sample();
	/* Each record is a row; those without anything that is shown are none. */
	expect("SELECT region, time.ns FORMAT csv", "region,time.ns\n"
						    "main,10\n"
						    "main/init,200\n"
						    "main/solve,30\n"
						    "main/solve/solve,4000\n"
						    "main/solve,1500\n");
	expect("SELECT path, rank WHERE rank FORMAT csv",
	       "path,rank\nmain/solve/steps,1\n");
	expect("SELECT * WHERE level FORMAT csv", "region,time.ns,loop,level,rank\n"
						  "main/solve/solve,4000,steps,2,\n"
						  "main/solve,1500,steps,2,1\n");
	expect("SELECT time AS t UNIT ns ORDER BY t DESC LIMIT 2 FORMAT csv",
	       "t\n4000\n1500\n");
	expect("SELECT region, time.ns AS t ORDER BY t DESC LIMIT 1 BY region FORMAT csv",
	       "region,t\nmain/solve/solve,4000\nmain/solve,1500\nmain/"
	       "init,200\nmain,10\n");
	expect("SELECT name WHERE name FORMAT expand", "name=a\\,b \"c\" \\= \\\\\n");
	expect("SELECT name WHERE name FORMAT csv", "name\n\"a,b \"\"c\"\" = \\\"\n");
	expect("SELECT nothing, at.all FORMAT csv", "nothing,at.all\n");
}

static void test_where(void **state)
{
	static const struct {
		const char *condition;
		const char *sum; /* of the times of what is selected */
	} cases[] = {
		{"region", "5740"},
		{"NOT region", ""},
		{"region=solve", "5530"},
		{"region = main", "5740"},
		{"region != solve", "210"},
		{"NOT region = solve", "210"},
		{"loop", "5500"},
		{"loop != steps", ""},
		{"level>1", "5500"},
		{"level > 1.5, level < 0x3", "5500"},
		{"level >= 2 AND level <= 2", "5500"},
		{"level < 2", ""},
		{"time.ns > 100", "5700"},
		{"time > 100 AND rank", "1500"},
		{"region=init OR rank=1", "1700"},
		{"(region=init OR rank=1) AND time < 1000", "200"},
		{"region=init OR rank=1 AND time < 1000", "200"},
		{"path = main/solve", "30"},
		{"path = \"main/solve/steps\"", "1500"},
		{"path ~= \"main/solve*\"", "5530"},
		{"region ~= \"s?lve\"", "5530"},
		{"region =~ /^IN/i", "200"},
		{"region =~ /^IN/", ""},
		{"region =~ /(init|nothing)$/", "200"},
		{"region > m", "5740"},
		{"region > main", "5530"},
		{"secret", ""},
	};

	(void)state;
	write_sample();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char words[256], output[64];

		snprintf(words, sizeof(words),
			 "SELECT sum(time) AS s GROUP BY () WHERE %s FORMAT csv",
			 cases[i].condition);
		snprintf(output, sizeof(output), cases[i].sum[0] ? "s\n%s\n" : "s\n",
			 cases[i].sum);
		expect(words, output);
	}
}

static void test_let(void **state)
{
	static const struct {
		const char *expression;
		const char *value;
	} cases[] = {
		{"rank + 1", "2"},
		{"rank - 3", "-2"},
		{"-rank", "-1"},
		{"2 + 3 * 4 - 6 / 4", "12.5"},
		{"(2 + 3) * 4", "20"},
		{"10 - 2 - 3", "5"},
		{"time.ns * 18446744073709551615", "2.7670116110564327e+22"},
		{"18446744073709551615 + 0", "18446744073709551615"},
		{"9007199254740993 - 0.0", "9007199254740992"},
		{"ratio(time, 4)", "375"},
		{"ratio(time, 4, 0.5)", "187.5"},
		{"ratio(time, 0)", NULL},
		{"time / nothing", NULL},
		{"scale(time, 1e-3)", "1.5"},
		{"truncate(time, 1000)", "1000"},
		{"truncate(1.75)", "1"},
		{"truncate(1.75, 0.5)", "1.5"},
		{"truncate(-7, 2)", "-6"},
		{"first(nothing, rank, time)", "1"},
		{"sum(nothing, rank, time)", "1501"},
		{"sum(nothing)", NULL},
		{"leaf()", "steps"},
		{"leaf(region)", "solve"},
		{"leaf(level)", "2"},
		{"level * 2", "4"},
		{"7 IF rank = 1", "7"},
		{"7 IF rank = 2", NULL},
	};

	(void)state;
	write_sample();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char words[256], output[64] = "v\n";

		snprintf(words, sizeof(words),
			 "LET v = %s SELECT v WHERE rank FORMAT csv",
			 cases[i].expression);
		if (cases[i].value)
			snprintf(output, sizeof(output), "v\n%s\n", cases[i].value);
		expect(words, output);
	}
	/* One may need another, and groups may be told apart by it. */
	expect("LET half = time / 2, quarter = half / 2 SELECT sum(quarter) AS s "
	       "GROUP BY () FORMAT csv",
	       "s\n1435\n");
	expect("LET big = 1 IF time > 100 SELECT big, count() GROUP BY big FORMAT csv",
	       "big,count\n,3\n1,3\n");
}

static void test_groups(void **state)
{
	(void)state;
	write_sample();
	/* All of the context tree is the key, where no other is given. */
	expect("SELECT region, level, count() FORMAT csv",
	       "region,level,count\nmain,,1\nmain/init,,1\nmain/solve,,1\n"
	       "main/solve/solve,2,1\nmain/solve,2,1\n,,1\n");
	expect("AGGREGATE sum(time) GROUP BY region FORMAT csv",
	       "region,sum#time\nmain,10\nmain/init,200\nmain/solve,1530\n"
	       "main/solve/solve,4000\n");
	expect("AGGREGATE count GROUP BY level,rank ORDER BY level FORMAT csv",
	       "level,rank,count\n2,,1\n2,1,1\n,,4\n");
	expect("SELECT count() AS n GROUP BY region HAVING n > 1 FORMAT csv", "n\n2\n");
	expect("SELECT region GROUP BY region HAVING sum(time) >= 1530 AND NOT "
	       "region = main ORDER BY sum(time) DESC FORMAT csv",
	       "region\nmain/solve/solve\nmain/solve\n");
	/* The inclusive sum of a path has that of all below; paths that no record has
	 * get one, too. */
	expect("SELECT path, sum(time), inclusive_sum(time), inclusive_max(time), "
	       "inclusive_percent_total(time), inclusive_count() GROUP BY path "
	       "ORDER BY path FORMAT csv",
	       "path,sum#time,inclusive#time,imax#time,ipercent_total#time,icount\n"
	       "main,10,5740,4000,100,5\n"
	       "main/init,200,200,200,3.484320557491289,1\n"
	       "main/solve,30,5530,4000,96.34146341463415,3\n"
	       "main/solve/steps,1500,5500,4000,95.81881533101046,2\n"
	       "main/solve/steps/solve,4000,4000,4000,69.68641114982579,1\n"
	       ",,,,,1\n");
	expect("SELECT path, inclusive_sum(time) WHERE level GROUP BY path "
	       "ORDER BY inclusive_sum(time), path FORMAT csv",
	       "path,inclusive#time\nmain/solve/steps/solve,4000\nmain,5500\n"
	       "main/solve,5500\nmain/solve/steps,5500\n");
}

static const char format_words[] = "SELECT path, sum(time) AS Time UNIT ns, "
				   "inclusive_scale(time,1e-3) AS \"Time (I)\" "
				   "GROUP BY path WHERE region ORDER BY Time DESC FORMAT";

/* The same result in each of them. */
static const struct {
	const char *format;
	const char *output;
} formats[] = {
	{"table", "  path                    Time (ns)  Time (I)\n"
		  "  main/solve/steps/solve      4,000         4\n"
		  "  main/solve/steps            1,500       5.5\n"
		  "  main/init                     200       0.2\n"
		  "  main/solve                     30      5.53\n"
		  "  main                           10      5.74\n"},
	{"tree", "  path         Time (ns)  Time (I)\n"
		 "  main                10      5.74\n"
		 "    init             200       0.2\n"
		 "    solve             30      5.53\n"
		 "      steps        1,500       5.5\n"
		 "        solve      4,000         4\n"},
	{"json", "[\n  {\"path\": \"main/solve/steps/solve\", \"Time\": 4000, "
		 "\"Time (I)\": 4},\n"
		 "  {\"path\": \"main/solve/steps\", \"Time\": 1500, \"Time (I)\": "
		 "5.5},\n"
		 "  {\"path\": \"main/init\", \"Time\": 200, \"Time (I)\": 0.2},\n"
		 "  {\"path\": \"main/solve\", \"Time\": 30, \"Time (I)\": 5.53},\n"
		 "  {\"path\": \"main\", \"Time\": 10, \"Time (I)\": 5.74}]\n"},
	{"json-split",
	 "{\n\"data\": [\n  [4000, 4, 3],\n  [1500, 5.5, 2],\n  [200, 0.2, 4],\n"
	 "  [30, 5.53, 1],\n  [10, 5.74, 0]],\n"
	 "\"columns\": [\"Time\", \"Time (I)\", \"path\"],\n"
	 "\"column_metadata\": [{\"is_value\": true, \"attribute.alias\": \"Time\", "
	 "\"attribute.unit\": \"ns\"}, "
	 "{\"is_value\": true, \"attribute.alias\": \"Time (I)\", "
	 "\"attribute.type\": \"double\"}, "
	 "{\"is_value\": false}],\n"
	 "\"nodes\": [\n  {\"label\": \"main\", \"column\": \"path\"},\n"
	 "  {\"label\": \"solve\", \"column\": \"path\", \"parent\": 0},\n"
	 "  {\"label\": \"steps\", \"column\": \"path\", \"parent\": 1},\n"
	 "  {\"label\": \"solve\", \"column\": \"path\", \"parent\": 2},\n"
	 "  {\"label\": \"init\", \"column\": \"path\", \"parent\": 0}],\n"
	 "\"host\": \"caf\303\251\"\n}\n"},
	{"csv", "path,Time,Time (I)\nmain/solve/steps/solve,4000,4\n"
		"main/solve/steps,1500,5.5\nmain/init,200,0.2\n"
		"main/solve,30,5.53\nmain,10,5.74\n"},
	{"expand", "path=main/solve/steps/solve,Time=4000,Time (I)=4\n"
		   "path=main/solve/steps,Time=1500,Time (I)=5.5\n"
		   "path=main/init,Time=200,Time (I)=0.2\n"
		   "path=main/solve,Time=30,Time (I)=5.53\n"
		   "path=main,Time=10,Time (I)=5.74\n"},
	{"folded", "main;solve;steps;solve 4000\nmain;solve;steps 1500\n"
		   "main;init 200\nmain;solve 30\nmain 10\n"},
	{"json(object)", NULL},
	{"html", NULL},
};

static void test_formats(void **state)
{
	(void)state;
	write_sample();
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		static const char *const paths[] = {SAMPLE};
		char all[512];

		snprintf(all, sizeof(all), "%s %s", format_words, formats[i].format);
		if (formats[i].output) {
			expect(all, formats[i].output);
			continue;
		}
		char *got = ask(all, paths, 1, 1, NULL);

		assert_true(strstr(got, "{\"profile\": {\"host\": \"caf\303\251\"},\n "
					"\"rows\": [\n  {\"path\": ") ||
			    strstr(got,
				   "<tr data-d=\"3\"><td class=\"p\" "
				   "style=\"padding-left: min(4.6em, 35vw)\">solve"
				   "</td><td class=\"n\">4,000</td><td class=\"n\">4"
				   "\342\200\210\342\200\207\342\200\207</td></tr>\n"));
		free(got);
	}
}

/* Pages: what cannot be seen whole is told, and nothing of the data is taken for HTML. */
static void test_page(void **state)
{
	static const char *const paths[] = {SAMPLE};
	static const char long_name[] =
		"std::vector<std::pair<int, double>, std::allocator<char> >::insert";
	struct maker maker = begin(SAMPLE);

	(void)state;
	add(&maker, 0, "name", record_string(long_name));
	add(&maker, 0, "d", (struct record_value){RECORD_DOUBLE, .d = -1234567.5});
	end_profile(&maker);
	char *got = ask("SELECT name, d WHERE NOT x = \"<b>\" FORMAT html", paths, 1, 1,
			NULL);

	assert_non_null(strstr(got, "<title>SELECT name, d WHERE NOT x = "
				    "&quot;&lt;b&gt;&quot; FORMAT html</title>"));
	assert_non_null(strstr(got, "<td title=\"std::vector&lt;std::pair&lt;int, "));
	assert_non_null(strstr(got, "<td class=\"n\">-1,234,567.5</td>"));
	assert_null(strstr(got, "data-d=\""));
	assert_null(strstr(got, "<script"));
	free(got);
}

/* Numbers as programs that draw stacks read them. */
static void test_stacks(void **state)
{
	static const double numbers[] = {1e-7, 2e20, 0.5, -1, NAN};
	struct maker maker = begin(SAMPLE);

	(void)state;
	for (size_t i = 0; i < 5; i++)
		add(&maker, regions(&maker, i % 2 ? "a;b" : "a/b"), "d",
		    (struct record_value){RECORD_DOUBLE, .d = numbers[i]});
	end_profile(&maker);
	expect("SELECT path, d FORMAT folded",
	       "a;b 0.0000001\na:b 200000000000000000000\na;b 0.5\n");
}

/* Rows that are not in the tree, nodes that no row has, attributes that make a path. */
static void test_trees(void **state)
{
	(void)state;
	write_sample();
	expect("SELECT path, sum(time) AS t, count() AS n GROUP BY path WHERE level OR "
	       "name FORMAT tree",
	       "  path         t (ns)  n\n"
	       "                       1\n"
	       "  main                  \n"
	       "    solve               \n"
	       "      steps     1,500  1\n"
	       "        solve   4,000  1\n");
	expect("SELECT sum(time) AS t, rank GROUP BY path, rank FORMAT tree",
	       "  path         t (ns)  rank\n"
	       "  main             10      \n"
	       "    init          200      \n"
	       "    solve          30      \n"
	       "      steps     1,500     1\n"
	       "        solve   4,000      \n");
	expect("SELECT count() AS n, inclusive_sum(time) AS t GROUP BY level, rank "
	       "FORMAT tree(level,rank)",
	       "  path  n  t (ns)\n"
	       "        4     240\n"
	       "  2     1   5,500\n"
	       "    1   1   1,500\n");
	expect("SELECT time WHERE level FORMAT tree", "  path         time (ns)\n"
						      "  main                  \n"
						      "    solve               \n"
						      "      steps        1,500\n"
						      "        solve      4,000\n");
	expect("SELECT time.ns, max(time) UNIT us, variance(time) AS v, any(level) "
	       "WHERE level GROUP BY time.ns ORDER BY time LIMIT 1",
	       "  time (ns)  max#time (us)  v  any#level\n"
	       "      1,500          1,500  0          2\n");
}

static void test_exact(void **state)
{
	struct maker maker = begin(SAMPLE);
	static const char *const paths[] = {SAMPLE};
	char *warnings;

	(void)state;
	add(&maker, 0, "u", record_uint(UINT64_MAX));
	add(&maker, 0, "u", record_uint(UINT64_MAX - 1));
	add(&maker, 0, "x", record_int(INT64_MIN));
	add(&maker, 0, "x", record_int(-1));
	add(&maker, 0, "x", record_int(1));
	add(&maker, 0, "d", (struct record_value){.type = RECORD_DOUBLE, .d = 0.1});
	add(&maker, 0, "d", (struct record_value){.type = RECORD_DOUBLE, .d = 1e17});
	add(&maker, 0, "d", (struct record_value){.type = RECORD_DOUBLE, .d = 0.2});
	add(&maker, 0, "d", (struct record_value){.type = RECORD_DOUBLE, .d = -1e17});
	end_profile(&maker);
	char *got = ask("SELECT max(u), min(u), avg(u), sum(x), min(x), sum(d), max(d) "
			"GROUP BY () FORMAT csv",
			paths, 1, 1, &warnings);

	assert_string_equal(got, "max#u,min#u,avg#u,sum#x,min#x,sum#d,max#d\n"
				 "18446744073709551615,18446744073709551614,"
				 "1.8446744073709552e+19,-9223372036854775808,"
				 "-9223372036854775808,0.30000000000000004,"
				 "1e+17\n");
	assert_string_equal(warnings, "");
	free(got);
	free(warnings);
	got = ask("SELECT sum(u) GROUP BY () FORMAT csv", paths, 1, 1, &warnings);
	assert_string_equal(got, "sum#u\n3.6893488147419103e+19\n");
	assert_string_equal(warnings, "'sum#u' has integers that 64 bits do not hold: "
				      "they are shown rounded\n");
	free(got);
	free(warnings);
	/* 2^53 + 1 is no double. */
	expect("SELECT u WHERE u = 18446744073709551614 FORMAT csv",
	       "u\n18446744073709551614\n");
	expect("SELECT d WHERE d = 0.1 FORMAT csv", "d\n0.1\n");
}

/* Numbers that are missing are seen in sums, and are no least or greatest one. */
static void test_missing(void **state)
{
	static const double numbers[] = {NAN, 1.5, NAN, -2.5};
	struct maker maker = begin(SAMPLE);

	(void)state;
	for (size_t i = 0; i < 4; i++)
		add(&maker, 0, "d",
		    (struct record_value){RECORD_DOUBLE, .d = numbers[i]});
	end_profile(&maker);
	expect("SELECT min(d), max(d), inclusive_max(d), median(d), sum(d), avg(d) GROUP "
	       "BY () "
	       "FORMAT csv",
	       "min#d,max#d,imax#d,median#d,sum#d,avg#d\n-2.5,1.5,1.5,-2.5,nan,nan\n");
	expect("SELECT min(d), max(d) WHERE d = nan GROUP BY () FORMAT csv",
	       "min#d,max#d\nnan,nan\n");
}

/* Texts with a zero byte in them are whole in all formats. */
static void test_zero(void **state)
{
	struct maker maker = begin(SAMPLE);
	struct record_value text = {RECORD_STRING, .size = 3, .bytes = "a\0b"};

	(void)state;
	add(&maker, node_of(&maker, 0, "region", text), "name", text);
	end_profile(&maker);
	expect("SELECT * FORMAT csv", "region,name\na\\x00b,a\\x00b\n");
	expect("SELECT region, name", "  region  name\n  a\\x00b  a\\x00b\n");
	expect("SELECT name FORMAT expand", "name=a\\\\x00b\n");
	expect("SELECT name FORMAT json", "[\n  {\"name\": \"a\\u0000b\"}]\n");
	expect("SELECT name WHERE name ~= \"*x00b\" FORMAT csv", "name\na\\x00b\n");
}

static void test_again(void **state)
{
	struct maker maker = begin(SAMPLE);

	(void)state;
	/* Records that are results already; and how many one stands for. */
	add(&maker, 0, "sum#x", record_int(40));
	add(&maker, 0, "x", record_int(2));
	add(&maker, 0, "max#x", record_int(9));
	add(&maker, 0, "count", record_uint(10));
	end_profile(&maker);
	expect("SELECT count(), sum(x), max(x), scale_count(2), scale(x,3), "
	       "percent_total(x) GROUP BY () FORMAT csv",
	       "count,sum#x,max#x,scount,scale#x,percent_total#x\n13,42,9,26,126,100\n");
	/* Metrics of a region, which are not another time in it. */
	maker = begin(SAMPLE);
	add(&maker, regions(&maker, "a"), "count", record_uint(7));
	struct record_pair pairs[] = {pair(&maker, "count#cells", record_uint(3)),
				      pair(&maker, "sum#cells", record_uint(60))};

	trm_writer_record(maker.writer, regions(&maker, "a"), pairs, 2);
	trm_writer_record(maker.writer, regions(&maker, "a"), pairs, 2);
	add(&maker, regions(&maker, "a"), "cells", record_uint(10));
	end_profile(&maker);
	expect("SELECT count(), sum(cells), avg(cells) GROUP BY region FORMAT csv",
	       "count,sum#cells,avg#cells\n8,130,18.571428571428573\n");
	/* They have no count of their own, not even 0. */
	expect("SELECT min(count), avg(count), sum(count), inclusive_count() GROUP BY "
	       "region FORMAT csv",
	       "min#count,avg#count,sum#count,icount\n7,7,7,8\n");
	maker = begin(SAMPLE);
	for (unsigned i = 0; i < 4; i++)
		add(&maker, 0, "iteration#main", record_uint(i / 2));
	end_profile(&maker);
	expect("SELECT *, count() GROUP BY class.iteration FORMAT csv",
	       "iteration#main,count\n0,2\n1,2\n");
}

static void test_command(void **state)
{
	(void)state;
	write_sample();
	scoped_free char *output = NULL, *errors = NULL;

	int status = run_command(&cmd_query, "--json select\302\240", &output, &errors);
	assert_int_equal(status, 2);
	assert_string_equal(errors, "trammel: a query and the files to read are needed: "
				    "trammel query 'QUERY' FILE...\n");
	check_command(
		&cmd_query, "limit2 " SAMPLE, 2, "",
		"  limit2\n  ^\ntrammel: the query, column 1: a clause cannot begin "
		"with \"limit2\", did you mean \"LIMIT\"?\n");
	assert_non_null(freopen(SAMPLE, "r", stdin));
	check_command(&cmd_query, "AGGREGATE\tsum(time)\tGROUP\tBY\t();FORMAT\tcsv -", 0,
		      "sum#time\n5740\n", "");
	check_command(&cmd_query, "; nix.trm", 4, "",
		      "trammel: cannot open 'nix.trm': No such file or directory\n");
	free(take_pointer(output));
	free(take_pointer(errors));
	assert_int_equal(truncate(SAMPLE, 200), 0);
	status = run_command(&cmd_query, "; " SAMPLE, &output, &errors);
	assert_int_equal(status, 0);
	assert_non_null(strstr(errors, "trammel: warning: '" SAMPLE "' is damaged"));
	write_sample();
	check_command(&cmd_query, "AGGREGATE\tsum(time)\tGROUP\tBY\t() --json " SAMPLE, 0,
		      "{\"profile\": {\"host\": \"caf\303\251\"},\n \"rows\": [\n"
		      "  {\"sum#time\": 5740}]}\n",
		      "");
}

/* Options are clauses. */
static void test_options(void **state)
{
	(void)state;
	write_sample();
	check_command(&cmd_query,
		      "--csv --limit 2 --sort=-sum(time) --columns path,sum(time) "
		      "GROUP\tBY\tpath " SAMPLE,
		      0,
		      "path,sum#time\nmain/solve/steps/solve,4000\n"
		      "main/solve/steps,1500\n",
		      "");
	check_command(&cmd_query, "--limit 2 LIMIT\t3 " SAMPLE, 2, "",
		      "  LIMIT 3 LIMIT 2\n          ^\n"
		      "trammel: the query, column 9: there is a second LIMIT\n");
}

/* Names that mean nothing are said; what queries ask for in case it is there is not. */
static void test_names(void **state)
{
	static const struct {
		const char *words, *said;
	} cases[] = {
		{"SELECT sum(rnk) GROUP BY ()",
		 "no record has \"rnk\", did you mean \"rank\"?"},
		{"SELECT path, nowhere ORDER BY nowhere", "no record has \"nowhere\""},
		{"SELECT path WHERE levl > 1", "no record has \"levl\", did you mean "
					       "\"level\"?"},
		{"SELECT \"path\", time", "no record has an attribute \"path\": without "
					  "quotes it is the whole path"},
		{"SELECT sum(time) GROUP BY pth", "no record has \"pth\""},
		{"SELECT level, sum(time) GROUP BY path",
		 "the column \"level\" is empty, since GROUP BY does not have it: "
		 "any(level) is its first value in a group"},
		{"SELECT path, time WHERE NOT nowhere", ""},
		{"LET x = first(nowhere, time) SELECT x, sum(x) GROUP BY x", ""},
		{"SELECT path, region, sum(time) GROUP BY path", ""},
		{"SELECT path, count(), scale_count(2) GROUP BY path", ""},
	};

	(void)state;
	write_sample();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static const char *const paths[] = {SAMPLE};
		struct query *query = parse_good(cases[i].words);
		struct text warnings = {0}, said = {0};
		struct query_result *result;

		assert_null(query_run(query, paths, 1, 1, &result, &warnings));
		assert_int_equal(warnings.length, 0);
		text_add(&warnings, "");
		query_warn_of_names(result, &warnings);
		text_format(&said, *cases[i].said ? "%s\n" : "%s", cases[i].said);
		assert_string_equal(warnings.data, said.data);
		text_deinit(&said);
		text_deinit(&warnings);
		query_result_destroy(result);
		query_destroy(query);
	}
}

/* On a narrow terminal a part of a number would be another number. */
static void test_narrow(void **state)
{
	static const char *const paths[] = {SAMPLE};
	const struct query_style style = {.width = 10};
	struct query *query = parse_good("SELECT region, sum(time) GROUP BY region");
	struct text out = {0}, warnings = {0};
	struct query_result *result;

	(void)state;
	write_sample();
	assert_null(query_run(query, paths, 1, 1, &result, &warnings));
	query_print(result, &style, &out);
	assert_non_null(strstr(out.data, " 4,000\n"));
	assert_null(strstr(out.data, "..."));
	text_deinit(&out);
	text_deinit(&warnings);
	query_result_destroy(result);
	query_destroy(query);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),    cmocka_unit_test(test_where),
		cmocka_unit_test(test_let),     cmocka_unit_test(test_groups),
		cmocka_unit_test(test_formats), cmocka_unit_test(test_trees),
		cmocka_unit_test(test_exact),   cmocka_unit_test(test_again),
		cmocka_unit_test(test_names),   cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_options), cmocka_unit_test(test_command),
		cmocka_unit_test(test_missing), cmocka_unit_test(test_page),
		cmocka_unit_test(test_stacks),  cmocka_unit_test(test_zero),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
