/* `cali-query`: its options, and its output as LLNL's Caliper has it. */

/* The program itself. */
#define main cali_query_main
#include "cli/cali/cali_query.c"
#undef main

#include "cali_program.h"

#include <stdlib.h>

#define SAMPLE "sample.cali"
#define OTHER  "other.cali"
#define NAME70 "a_long_name_of_a_region_that_no_table_has_room_for_since_it_has_70_chars_"

/* An event trace as Caliper's has them, cut down. */
static const char sample[] =
	"__rec=node,id=25,attr=10,data=1612,parent=3\n"
	"__rec=node,id=26,attr=8,data=cali.caliper.version,parent=25\n"
	"__rec=node,id=85,attr=8,data=experiment,parent=25\n"
	"__rec=node,id=27,attr=26,data=2.15.0-dev\n"
	"__rec=node,id=86,attr=85,data=x\\=1\\,y,parent=27\n"
	"__rec=node,id=18,attr=10,data=276,parent=3\n"
	"__rec=node,id=20,attr=8,data=region,parent=18\n"
	"__rec=node,id=30,attr=10,data=64,parent=3\n"
	"__rec=node,id=31,attr=8,data=attribute.alias,parent=30\n"
	"__rec=node,id=32,attr=31,data=Time (s),parent=5\n"
	"__rec=node,id=87,attr=10,data=85,parent=32\n"
	"__rec=node,id=88,attr=8,data=time,parent=87\n"
	"__rec=node,id=35,attr=10,data=2133,parent=2\n"
	"__rec=node,id=36,attr=8,data=region.count,parent=35\n"
	"__rec=node,id=40,attr=10,data=21,parent=1\n"
	"__rec=node,id=41,attr=8,data=iteration#main,parent=40\n"
	"__rec=node,id=42,attr=10,data=1,parent=4\n"
	"__rec=node,id=43,attr=8,data=pc,parent=42\n"
	"__rec=node,id=89,attr=20,data=main\n"
	"__rec=node,id=90,attr=20,data=solve,parent=89\n"
	"__rec=node,id=91,attr=20,data=init,parent=89\n"
	"__rec=ctx,ref=89,attr=88,data=1.5\n"
	"__rec=ctx,ref=90,attr=88=36=41,data=2.25=1=-3\n"
	"__rec=ctx,ref=90,attr=88=36=41,data=1e-9=1=12\n"
	"__rec=ctx,ref=91,attr=88=36=43,data=123456789.125=1=4fe\n"
	"__rec=ctx,attr=36,data=4\n"
	"__rec=globals,ref=86\n";

/* With these words (NULL at the end). */
static int run_words(const char *const *words)
{
	static const char *const front[] = {"cali-query", "-o", OUTPUT, NULL};

	memset(&arguments, 0, sizeof(arguments));
	write_file(OUTPUT, "");
	return run_program(cali_query_main, front, words, NULL);
}

static void expect(const char *const *words, const char *output)
{
	assert_int_equal(run_words(words), 0);
	scoped_free char *got = read_text(OUTPUT), *errors = read_text(ERRORS);

	if (strcmp(got, output))
		fail_msg("%s %s\n--- gives\n%s--- not\n%s", words[0], words[1], got,
			 output);
	assert_string_equal(errors, "");
}

#define EXPECT(output, ...)                                                              \
	expect((const char *const[]){__VA_ARGS__, SAMPLE, NULL}, output)

static void test_table(void **state)
{
	(void)state;
	EXPECT("region     Time (s)         region.count iteration#main pc   \n"
	       "main               1.500000 \n"
	       "main/solve         2.250000            1             -3 \n"
	       "main/solve         0.000000            1             12 \n"
	       "main/init  123456789.125000            1                4fe  \n"
	       "                                       4                     \n",
	       "-t");
	EXPECT("region     n    \n"
	       "main/solve    2 \n",
	       "-q",
	       "select region,count() as n group by region where region=solve,time "
	       "format table order by count",
	       "-q", "ignored");
	EXPECT("region.count \n           1 \n           1 \n           1 \n"
	       "           4 \n",
	       "--print-attributes", "region.count", "-t", "-S", "region.count");
	EXPECT("region Re~~ts \n"
	       "main          \n"
	       "ma~~ve      2 \n"
	       "ma~~it      1 \n",
	       "-q",
	       "SELECT region,sum(region.count) AS \"Region counts\" GROUP BY region "
	       "WHERE region FORMAT table(column-width=6)");
}

static void test_tree(void **state)
{
	(void)state;
	EXPECT("Path    Time (s)         region.count iteration#main pc   \n"
	       "main            1.500000                                  \n"
	       "  init  123456789.125000            1                 4fe \n"
	       "  solve \n"
	       "   |-           2.250000            1             -3      \n"
	       "   |-           0.000000            1             12      \n",
	       "-T");
	EXPECT("Path    sum#time         I                \n"
	       "main            1.500000 123456792.875000 \n"
	       "  init  123456789.125000 123456789.125000 \n"
	       "  solve         2.250000         2.250000 \n",
	       "-q",
	       "select path,sum(time),inclusive_sum(time) as I group by path format tree "
	       "order by sum#time desc");
	EXPECT("Path n    \n"
	       "main    1 \n"
	       "  in    1 \n"
	       "  so    2 \n",
	       "-q",
	       "select count() as n group by path where region "
	       "format tree(column-width=4)");
	EXPECT("Path region \n"
	       "12   solve  \n"
	       "-3   solve  \n",
	       "-q", "select region where iteration#main", "--tree",
	       "--path-attributes=iteration#main");
}

static void test_expand(void **state)
{
	(void)state;
	EXPECT("region=main,time=1.500000\n"
	       "region=main/solve,time=2.250000,region.count=1,iteration#main=-3\n"
	       "region=main/solve,time=1e-09,region.count=1,iteration#main=12\n"
	       "region=main/init,time=123456789.125000,region.count=1,pc=4fe\n"
	       "region.count=4\n",
	       "-e");
	EXPECT("region=main,n=1\n"
	       "region=main/solve,n=2\n"
	       "region=main/init,n=1\n",
	       "-q", "select *,count() as n group by path where region format expand");
	EXPECT("Path: [main      ] 1.500000;\n"
	       "Path: [main/solve] 2.250000;1\n"
	       "Path: [main/solve] 1e-09;1\n"
	       "Path: [main/init ] 123456789.125000;1\n"
	       "Path: [          ] ;4\n",
	       "-f", "Path: [%[10]region%] %time%;%region.count%");
	EXPECT("A title\n-3|\n12|\n", "-s", "iteration#main", "--title", "A title",
	       "--format=%iteration#main%|%nothing%");
}

static void test_json(void **state)
{
	(void)state;
	EXPECT("{\n\"records\": [\n{\"n\":1},\n{\"n\":2},\n{\"n\":1}\n],\n"
	       "\"globals\": {\n\"cali.caliper.version\": \"2.15.0-dev\",\n"
	       "\"experiment\": \"x=1,y\"\n},\n\"attributes\": {\n"
	       "\"count\": {\"is_global\": false,\"is_nested\": false,"
	       "\"cali.attribute.name\": \"count\",\"cali.attribute.prop\": \"2113\","
	       "\"attribute.alias\": \"n\",\"cali.attribute.type\": \"uint\"}\n}\n}\n",
	       "-q",
	       "select count() as n group by path where region format json(object)");
	EXPECT("[\n"
	       "{\"path\":\"main\",\"time\":1.500000},\n"
	       "{\"path\":\"main/solve\",\"iteration#main\":-3,\"region.count\":1,"
	       "\"time\":2.250000},\n"
	       "{\"path\":\"main/solve\",\"iteration#main\":12,\"region.count\":1,"
	       "\"time\":1e-09},\n"
	       "{\"path\":\"main/init\",\"pc\":\"4fe\",\"region.count\":1,"
	       "\"time\":123456789.125000},\n"
	       "{\"region.count\":4}\n"
	       "]\n",
	       "-j");
	EXPECT("[\n\n]\n", "-s", "nothing", "-j");
	EXPECT("[\n{\"path\":\"main/solve\",\"count\":2}\n]\n", "--aggregate", "count()",
	       "--aggregate-key=region", "-s", "region=solve", "--json");
	EXPECT("{\n\"records\": "
	       "[\n{\n\t\"region\":\"main\",\n\t\"t\":\"1.500000\"\n}\n],\n"
	       "\"globals\": {\n\t\"cali.caliper.version\": \"2.15.0-dev\",\n"
	       "\t\"experiment\": \"x=1,y\"\n},\n"
	       "\"attributes\": {\n\t\"region\": {\"is_global\": false,"
	       "\"is_nested\": true,\"cali.attribute.name\": \"region\","
	       "\"cali.attribute.prop\": \"276\",\"cali.attribute.type\": \"string\"},\n"
	       "\t\"time\": {\"is_global\": false,\"is_nested\": false,"
	       "\"cali.attribute.name\": \"time\",\"cali.attribute.prop\": \"85\","
	       "\"attribute.alias\": \"Time (s)\",\"cali.attribute.type\": "
	       "\"double\"}\n}\n}\n",
	       "-q",
	       "select region,time as t where not region.count format "
	       "json(object,pretty,quote-all,separate-nested)");
}

static void test_lists(void **state)
{
	(void)state;
	EXPECT("cali.caliper.version experiment \n2.15.0-dev           x=1,y      \n",
	       "-G", "-t");
	EXPECT("experiment=x\\=1\\,y,cali.caliper.version=2.15.0-dev\n", "-G", "-e");
	EXPECT("attribute.id cali.attribute.name  cali.attribute.prop "
	       "cali.attribute.type attribute.alias \n"
	       "           0 cali.caliper.version                1612 string            "
	       "                  \n"
	       "           1 experiment                          1612 string            "
	       "                  \n"
	       "           2 region                               276 string            "
	       "                  \n"
	       "           3 attribute.alias                       64 string            "
	       "                  \n"
	       "           4 time                                  85 double            "
	       "  Time (s)        \n"
	       "           5 region.count                        2133 uint              "
	       "                  \n"
	       "           6 iteration#main                        21 int               "
	       "                  \n"
	       "           7 pc                                     1 addr              "
	       "                  \n",
	       "--list-attributes", "-q",
	       "select attribute.id,cali.attribute.name,cali.attribute.prop,"
	       "cali.attribute.type,attribute.alias format table");
}

/* Without a format records are passed on; what is read of that is the same. */
static void test_cali(void **state)
{
	(void)state;
	assert_int_equal(run_words((const char *const[]){SAMPLE, NULL}), 0);
	rename(OUTPUT, OTHER);
	scoped_free char *once = read_text(OTHER);

	assert_non_null(strstr(once, "data=123456789.125"));
	assert_non_null(strstr(once, "data=1e-09="));
	assert_int_equal(run_words((const char *const[]){OTHER, NULL}), 0);
	scoped_free char *twice = read_text(OUTPUT);

	assert_string_equal(once, twice);
	/* Two files as one, and sums of sums. */
	assert_int_equal(
		run_words((const char *const[]){
			"-q", "select count(),sum(time) group by path format cali",
			SAMPLE, OTHER, NULL}),
		0);
	rename(OUTPUT, OTHER);
	expect((const char *const[]){"-q",
				     "select path,count(),sum(time) group by path where "
				     "path format expand",
				     OTHER, SAMPLE, NULL},
	       "path=main,count=3,sum#time=4.500000\n"
	       "path=main/solve,count=6,sum#time=6.750000003\n"
	       "path=main/init,count=3,sum#time=370370367.375000\n");
}

/* What is written as json-split is read again: values, their types, paths, globals. */
static void test_split(void **state)
{
	(void)state;
	EXPECT("{\n\"data\": [\n  [null, null, null, 1.5, 0],\n"
	       "  [-3, null, 1, 2.25, 1],\n  [12, null, 1, 1e-09, 1],\n"
	       "  [null, \"0x4fe\", 1, 123456789.125, 2],\n"
	       "  [null, null, 4, null, null]],\n"
	       "\"columns\": [\"iteration#main\", \"pc\", \"region.count\", \"time\", "
	       "\"path\"],\n"
	       "\"column_metadata\": [{\"is_value\": true, \"attribute.type\": \"int\"}, "
	       "{\"is_value\": true, \"attribute.type\": \"address\"}, "
	       "{\"is_value\": true}, {\"is_value\": true, \"attribute.alias\": "
	       "\"Time (s)\", \"attribute.type\": \"double\"}, {\"is_value\": false}],\n"
	       "\"nodes\": [\n  {\"label\": \"main\", \"column\": \"path\"},\n"
	       "  {\"label\": \"solve\", \"column\": \"path\", \"parent\": 0},\n"
	       "  {\"label\": \"init\", \"column\": \"path\", \"parent\": 0}],\n"
	       "\"cali.caliper.version\": \"2.15.0-dev\",\n\"experiment\": \"x=1,y\"\n"
	       "}\n",
	       "-J");
	rename(OUTPUT, OTHER);
	assert_int_equal(run_words((const char *const[]){"-J", OTHER, NULL}), 0);
	scoped_free char *once = read_text(OTHER), *twice = read_text(OUTPUT);

	assert_string_equal(once, twice);
	assert_int_equal(run_words((const char *const[]){"-j", SAMPLE, NULL}), 0);
	scoped_free char *json = read_text(OUTPUT);

	expect((const char *const[]){"-j", OTHER, NULL}, json);
}

static const char trees[] = "__rec=node,id=18,attr=10,data=276,parent=3\n"
			    "__rec=node,id=20,attr=8,data=region,parent=18\n"
			    "__rec=node,id=21,attr=10,data=64,parent=3\n"
			    "__rec=node,id=22,attr=8,data=adiak.type,parent=21\n"
			    "__rec=node,id=23,attr=8,data=attribute.unit,parent=21\n"
			    "__rec=node,id=24,attr=8,data=function,parent=21\n"
			    "__rec=node,id=25,attr=8,data=mode.now,parent=21\n"
			    "__rec=node,id=26,attr=10,data=64,parent=1\n"
			    "__rec=node,id=27,attr=8,data=level,parent=26\n"
			    "__rec=node,id=30,attr=23,data=sec,parent=2\n"
			    "__rec=node,id=31,attr=22,data=count \"x\",parent=30\n"
			    "__rec=node,id=32,attr=10,data=85,parent=31\n"
			    "__rec=node,id=33,attr=8,data=number,parent=32\n"
			    "__rec=node,id=34,attr=10,data=513,parent=3\n"
			    "__rec=node,id=35,attr=8,data=a,parent=34\n"
			    "__rec=node,id=36,attr=8,data=b,parent=34\n"
			    "__rec=node,id=40,attr=20,data=solve\n"
			    "__rec=node,id=41,attr=24,data=_start,parent=40\n"
			    "__rec=node,id=42,attr=24,data=main,parent=41\n"
			    "__rec=node,id=43,attr=27,data=3\n"
			    "__rec=node,id=44,attr=25,data=fast,parent=43\n"
			    "__rec=node,id=45,attr=25,data=slow,parent=43\n"
			    "__rec=node,id=46,attr=20,data=main\n"
			    "__rec=ctx,ref=41=44,attr=33,data=7\n"
			    "__rec=ctx,ref=42=45,attr=33,data=8\n"
			    "__rec=ctx,attr=33,data=9\n"
			    "__rec=globals,attr=35=36,data=1=2\n";

static const char trees_told[] =
	"{\n\"data\": [\n  [0, 1, 2, 7, 3],\n  [4, 1, 5, 8, 3],\n"
	"  [null, null, null, 9, null]],\n"
	"\"columns\": [\"function\", \"level\", \"mode\", \"n\", \"path\"],\n"
	"\"column_metadata\": [{\"is_value\": false}, {\"is_value\": false, "
	"\"attribute.type\": \"int\"}, {\"is_value\": false, "
	"\"attribute.alias\": "
	"\"mode\"}, {\"is_value\": true, \"attribute.alias\": \"n\", "
	"\"attribute.unit\": \"sec\", \"adiak.type\": \"count \\\"x\\\"\"}, "
	"{\"is_value\": false}],\n"
	"\"nodes\": [\n  {\"label\": \"_start\", \"column\": \"function\"},\n"
	"  {\"label\": \"3\", \"column\": \"level\"},\n"
	"  {\"label\": \"fast\", \"column\": \"mode\"},\n"
	"  {\"label\": \"solve\", \"column\": \"path\"},\n"
	"  {\"label\": \"main\", \"column\": \"function\", \"parent\": 0},\n"
	"  {\"label\": \"slow\", \"column\": \"mode\"}],\n"
	"\"a\": \"1\",\n\"b\": \"3\"\n}\n";

/* Attributes of the context tree that are not nested are trees of their own; all that is
 * said of attributes is there; of globals of several files the last ones. */
static void test_split_trees(void **state)
{
	(void)state;
	write_file(OTHER, trees);
	write_file("third.cali", "__rec=node,id=34,attr=10,data=513,parent=3\n"
				 "__rec=node,id=36,attr=8,data=b,parent=34\n"
				 "__rec=globals,attr=36,data=3\n");
	expect((const char *const[]){"-J", OTHER, "third.cali", "-q",
				     "select number as n, mode.now as mode, function, "
				     "level, path",
				     NULL},
	       trees_told);
	rename(OUTPUT, "split.json");
	expect((const char *const[]){"-q",
				     "select n, mode, function, level, path format "
				     "json-split",
				     "split.json", NULL},
	       trees_told);
	/* The numbers of the tree are numbers again. */
	expect((const char *const[]){"-j", "-q", "select function, level where level<10",
				     "split.json", NULL},
	       "[\n{\"function\":\"_start\",\"level\":\"3\"},\n"
	       "{\"function\":\"_start/main\",\"level\":\"3\"}\n]\n");
	/* Where a row has a path, but no node of another tree, that is none. */
	write_file("partial.cali", "__rec=node,id=18,attr=10,data=276,parent=3\n"
				   "__rec=node,id=20,attr=8,data=region,parent=18\n"
				   "__rec=node,id=25,attr=8,data=mode,parent=3\n"
				   "__rec=node,id=40,attr=20,data=main\n"
				   "__rec=node,id=41,attr=25,data=fast,parent=40\n"
				   "__rec=ctx,ref=40\n"
				   "__rec=ctx,ref=41\n");
	expect((const char *const[]){"-J", "partial.cali", NULL},
	       "{\n\"data\": [\n  [null, 0],\n  [\"fast\", 0]],\n"
	       "\"columns\": [\"mode\", \"path\"],\n"
	       "\"column_metadata\": [{\"is_value\": true}, {\"is_value\": false}],\n"
	       "\"nodes\": [\n  {\"label\": \"main\", \"column\": \"path\"}]\n}\n");
}

static void test_options(void **state)
{
	(void)state;
	EXPECT("region     count sum#region.count \n"
	       "main           1 \n"
	       "main/solve     2                2 \n"
	       "main/init      1                1 \n"
	       "               1                4 \n",
	       "--aggregate", "sum(region.count),count", "--aggregate-key=region", "-t");
	EXPECT("count \n    5 \n", "--aggregate=count", "--aggregate-key", "none", "-t");
	EXPECT("region    \nmain/init \n", "--print-attributes=region", "-s",
	       "region,-iteration#main,region.count=1", "-t");
	write_file(OTHER, "select region,\n min(time) as \"least, of all\"\n"
			  "group by region where iteration#main<0 format table");
	EXPECT("region     least, of all \nmain/solve      2.250000 \n", "-Q", OTHER);
	EXPECT("t        \n6.000000 \n", "-q",
	       "let t=scale(region.count,1.5) select t where region.count=4", "-t");
	/* Short options in one word, and what Caliper ignores. */
	EXPECT("region.count \n           4 \n", "-ts", "region.count>1,", "-q",
	       "select region.count order by nothing");
}

static void test_errors(void **state)
{
	static const struct {
		const char *words[5];
		int status;
		const char *errors; /* what it begins with */
	} wrong[] = {
		{{"--frob", SAMPLE}, 255, "cali-query: error: unknown option: --frob\n"},
		{{"-tx", SAMPLE}, 255, "cali-query: error: unknown option: -tx\n"},
		{{"-q", "select smu(x)", SAMPLE},
		 254,
		 "cali-query: Invalid query: the query, column 8: there is no operator "
		 "\"smu\", did you mean \"sum\"?\n"},
		{{"-q", "format tree(heigth=3)", SAMPLE},
		 254,
		 "cali-query: Invalid query: the query, column 13: the format tree has "
		 "no "
		 "option \"heigth\"\n"},
		{{"-Q", "nowhere", SAMPLE},
		 254,
		 "cali-query: Invalid query: cannot open query file 'nowhere': No such "
		 "file"},
		{{"-t", "nowhere.cali", SAMPLE},
		 4,
		 "cali-query: Error reading cannot open 'nowhere.cali': No such file or "
		 "directory\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(run_words(wrong[i].words), wrong[i].status);
		scoped_free char *errors = read_text(ERRORS);

		if (strncmp(errors, wrong[i].errors, strlen(wrong[i].errors)))
			fail_msg("%zu: %s", i, errors);
	}
	/* The file that could be read was. */
	scoped_free char *output = read_text(OUTPUT);

	assert_non_null(strstr(output, "main/solve"));
	write_file(OTHER, "__rec=ctx,ref=5\n__rec=ctx,");
	assert_int_equal(run_words((const char *const[]){"-t", OTHER, NULL}), 0);
	scoped_free char *errors = read_text(ERRORS);

	assert_string_equal(
		errors, "cali-query: warning: 'other.cali', line 1: an unknown node; it "
			"is left out; 'other.cali' ends in the middle of line 2: what "
			"was written before it is kept\n");
}

/* Names that are wider than a column may be lose their middles. */
static void test_long_names(void **state)
{
	(void)state;
	write_file(OTHER, "__rec=node,id=18,attr=10,data=276,parent=3\n"
			  "__rec=node,id=20,attr=8,data=region,parent=18\n"
			  "__rec=node,id=21,attr=20,data=" NAME70 "\n"
			  "__rec=ctx,ref=21\n");
	expect((const char *const[]){"-t", OTHER, NULL},
	       "region                                                       \n"
	       "a_long_name_of_a_region_that_~~om_for_since_it_has_70_chars_ \n");
}

static char manual_path[PATH_MAX];

/* The page has every option, with the same words, and no other one. */
static void test_manual(void **state)
{
	scoped_free char *manual = read_text(manual_path);
	char *plain = manual;

	(void)state;
	for (const char *s = manual; *s; s++)
		if (*s != '*')
			*plain++ = *s;
	*plain = '\0';
	size_t found = 0;

	for (int i = 0; i < OPTION_COUNT; i++) {
		char name[80];

		snprintf(name, sizeof(name), "%s%c%s--%s%s%s\n:   %s",
			 options[i].letter ? "-" : "\n",
			 options[i].letter ? options[i].letter : '\n',
			 options[i].letter ? ", " : "", options[i].name,
			 options[i].argument ? "=" : "",
			 options[i].argument ? options[i].argument : "", "");
		const char *entry = strstr(manual, name);

		if (!entry || strncmp(entry + strlen(name), options[i].what,
				      strlen(options[i].what)) != 0)
			fail_msg("%s", name);
	}
	for (const char *at = manual; (at = strstr(at, "\n\n-")); at++)
		found++;
	assert_int_equal(found, OPTION_COUNT);
	for (const struct query_format *format = query_formats_caliper; format->name;
	     format++) {
		char entry[40];

		snprintf(entry, sizeof(entry), "\n%s", format->name);
		assert_non_null(strstr(manual, entry));
		for (const char *const *name = format->options; *name; name++)
			if (strcmp(*name, "records") != 0 && !strstr(manual, *name) &&
			    strcmp(*name, "format") != 0 && strcmp(*name, "title") != 0)
				fail_msg("%s(%s)", format->name, *name);
	}
}

/* Nested attributes that are selected are the path, as with Caliper's. */
static void test_split_joined(void **state)
{
	(void)state;
	EXPECT("{\n\"data\": [\n  [1, null, 0],\n  [1, -3, 1],\n  [1, 12, 1],\n"
	       "  [1, null, 2],\n  [1, null, null]],\n"
	       "\"columns\": [\"count\", \"iteration#main\", \"path\"],\n"
	       "\"column_metadata\": [{\"is_value\": true}, {\"is_value\": true, "
	       "\"attribute.type\": \"int\"}, {\"is_value\": false}],\n"
	       "\"nodes\": [\n  {\"label\": \"main\", \"column\": \"path\"},\n"
	       "  {\"label\": \"solve\", \"column\": \"path\", \"parent\": 0},\n"
	       "  {\"label\": \"init\", \"column\": \"path\", \"parent\": 0}],\n"
	       "\"cali.caliper.version\": \"2.15.0-dev\",\n\"experiment\": "
	       "\"x=1,y\"\n}\n",
	       "-q",
	       "select region,iteration#main,count() group by region,iteration#main "
	       "format json-split");
	EXPECT("{\n\"data\": [\n  [2, 1]],\n\"columns\": [\"count\", \"path\"],\n"
	       "\"column_metadata\": [{\"is_value\": true}, {\"is_value\": false}],\n"
	       "\"nodes\": [\n  {\"label\": \"main\", \"column\": \"path\"},\n"
	       "  {\"label\": \"solve\", \"column\": \"path\", \"parent\": 0}],\n"
	       "\"cali.caliper.version\": \"2.15.0-dev\",\n\"experiment\": "
	       "\"x=1,y\"\n}\n",
	       "-q",
	       "select region,path,count() group by path where region=solve format "
	       "json-split");
}

/* Records with several paths, attributes that some records lack, and run metadata that
 * are in records. */
static const char mixed[] = "__rec=node,id=18,attr=10,data=276,parent=3\n"
			    "__rec=node,id=20,attr=8,data=region,parent=18\n"
			    "__rec=node,id=21,attr=10,data=20,parent=3\n"
			    "__rec=node,id=22,attr=8,data=state,parent=21\n"
			    "__rec=node,id=25,attr=10,data=1612,parent=3\n"
			    "__rec=node,id=26,attr=8,data=job,parent=25\n"
			    "__rec=node,id=30,attr=10,data=85,parent=1\n"
			    "__rec=node,id=31,attr=8,data=size,parent=30\n"
			    "__rec=node,id=33,attr=10,data=85,parent=5\n"
			    "__rec=node,id=34,attr=8,data=temp,parent=33\n"
			    "__rec=node,id=40,attr=26,data=seven\n"
			    "__rec=node,id=41,attr=20,data=main\n"
			    "__rec=node,id=42,attr=22,data=cold,parent=41\n"
			    "__rec=node,id=43,attr=20,data=one,parent=42\n"
			    "__rec=node,id=44,attr=20,data=two,parent=41\n"
			    "__rec=ctx,ref=40=41,attr=31,data=4\n"
			    "__rec=ctx,ref=43=40,attr=31=34,data=-6=1.5\n"
			    "__rec=ctx,ref=44=40,attr=34,data=2.5\n"
			    "__rec=ctx,ref=44=40,attr=31=34,data=9=0.5\n"
			    "__rec=globals,ref=40\n";

/* What version 2.15 of its cali-query prints of the same. */
static const struct {
	const char *query, *output;
} as_caliper[] = {
	{"-e", "job=seven,region=main,size=4\n"
	       "state=cold,region=main/one,job=seven,size=-6,temp=1.500000\n"
	       "region=main/two,job=seven,temp=2.500000\n"
	       "region=main/two,job=seven,size=9,temp=0.500000\n"},
	{"-t", "region   size state temp     \n"
	       "main        4 \n"
	       "main/one   -6 cold  1.500000 \n"
	       "main/two            2.500000 \n"
	       "main/two    9       0.500000 \n"},
	{"-T", "Path  state size temp     \n"
	       "main           4          \n"
	       "  two \n"
	       "   |-            2.500000 \n"
	       "   |-          9 0.500000 \n"
	       "  one cold    -6 1.500000 \n"},
	{"format json(split)",
	 "{\"path\":\"main\",\"size\":4},\n"
	 "{\"path\":\"main/"
	 "one\",\"state\":\"cold\",\"size\":-6,\"temp\":1.500000},\n"
	 "{\"path\":\"main/two\",\"temp\":2.500000},\n"
	 "{\"path\":\"main/two\",\"size\":9,\"temp\":0.500000}\n"},
	{"select count() group by none format table", "count \n"
						      "    4 \n"},
	{"select *,count(),sum(nothing) group by none format table", "count \n"
								     "    4 \n"},
	{"select *,sum(size),sum(nothing) group by path format tree",
	 "Path  sum#size \n"
	 "main         4 \n"
	 "  two        9 \n"
	 "  one       -6 \n"},
	{"select size,region format table order by temp desc", "size region   \n"
							       "     main/two \n"
							       "  -6 main/one \n"
							       "   9 main/two \n"
							       "   4 main     \n"},
	{"let size=first(temp) select size,temp format json",
	 "[\n"
	 "{\"size\":4},\n"
	 "{\"size\":1.500000,\"temp\":1.500000},\n"
	 "{\"size\":2.500000,\"temp\":2.500000},\n"
	 "{\"size\":0.500000,\"temp\":0.500000}\n"
	 "]\n"},
	{"let f=first(region,state) select f format expand", "f=main\n"
							     "f=one\n"
							     "f=two\n"
							     "f=two\n"},
	{"where not size<5 select size format expand", "size=9\n"},
	{"select count() group by state format tree(path-attributes=state)",
	 "Path count \n"
	 "cold     1 \n"},
	{"select *,count() format tree(path-attributes=state)",
	 "Path region job   count \n"
	 "cold one    seven     1 \n"},
	{"group by region format expand",
	 "job=seven,region=main,size=4\n"
	 "state=cold,region=main/one,job=seven,size=-6,temp=1.500000\n"
	 "region=main/two,job=seven,temp=2.500000\n"
	 "region=main/two,job=seven,size=9,temp=0.500000\n"},
	{"select *,inclusive_sum(size) group by path format expand",
	 "region=main,inclusive#size=7\n"
	 "region=main/one,inclusive#size=-6\n"
	 "region=main/two,inclusive#size=9\n"},
	{"select *,scale(temp,10),ratio(temp,size) group by path where "
	 "size<5 format expand",
	 "region=main,sr.sum#size=4\n"
	 "region=main/"
	 "one,scsum#temp=1.500000,scale#temp=15.000000,sr.sum#temp=1.500000,sr."
	 "sum#size=-6,ratio#temp/size=-0.250000\n"},
	{"let f=first(size),h=truncate(temp) select f,h format table",
	 "f    h        \n"
	 "   4          \n"
	 "  -6 1.000000 \n"
	 "     2.000000 \n"
	 "   9 0.000000 \n"},
};

static void test_as_caliper(void **state)
{
	(void)state;
	write_file(OTHER, mixed);
	for (size_t i = 0; i < sizeof(as_caliper) / sizeof(as_caliper[0]); i++) {
		const char *query = as_caliper[i].query;

		if (*query == '-')
			expect((const char *const[]){query, OTHER, NULL},
			       as_caliper[i].output);
		else
			expect((const char *const[]){"-q", query, OTHER, NULL},
			       as_caliper[i].output);
	}
}

static int begin(void **state)
{
	char beside[PATH_MAX];

	snprintf(beside, sizeof(beside) - 32, "%s", __FILE__);
	*(strrchr(beside, '/') + 1) = '\0';
	strcat(beside, "../../man/cali-query.1.md");
	if (!realpath(beside, manual_path)) {
		perror(beside);
		return -1;
	}
	int failed = enter_folder(state);

	if (!failed)
		write_file(SAMPLE, sample);
	return failed;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),        cmocka_unit_test(test_tree),
		cmocka_unit_test(test_expand),       cmocka_unit_test(test_json),
		cmocka_unit_test(test_lists),        cmocka_unit_test(test_cali),
		cmocka_unit_test(test_options),      cmocka_unit_test(test_split),
		cmocka_unit_test(test_errors),       cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_manual),       cmocka_unit_test(test_split_trees),
		cmocka_unit_test(test_split_joined), cmocka_unit_test(test_as_caliper),
	};

	return cmocka_run_group_tests(tests, begin, leave_folder);
}
