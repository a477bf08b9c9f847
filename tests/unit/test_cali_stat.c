/* `cali-stat`: its output as LLNL's Caliper has it. */

/* The program itself. */
#define main cali_stat_main
#include "cli/cali/cali_stat.c"
#undef main

#include "cali_program.h"

/* 7 nodes with 205 bytes; 3 snapshots with 3, 2 and 4 elements. */
static const char sample[] = "__rec=node,id=18,attr=10,data=276,parent=3\n"
			     "__rec=node,id=20,attr=8,data=region,parent=18\n"
			     "__rec=node,id=21,attr=10,data=1,parent=2\n"
			     "__rec=node,id=22,attr=8,data=n,parent=21\n"
			     "__rec=node,id=40,attr=20,data=main\n"
			     "__rec=node,id=41,attr=20,data=so\\,lve,parent=40\n"
			     "\n"
			     "__rec=node,parent=41,data=main,attr=20,id=42\n"
			     "__rec=ctx,ref=41,attr=22,data=1\n"
			     "__rec=ctx,ref=42=40\n"
			     "__rec=ctx,attr=22=22,data=1=2\n"
			     "__rec=globals,attr=22,data=1\n";

static const char counts_told[] =
	"Number of records\n"
	"Total          Nodes          Snapshots\n"
	"10             7              3              \n"
	"\nNumber of elements\n"
	"Total          Nodes          Tree refs      Direct val\n"
	"37             28             3              6              \n"
	"\nData size (est.)\n"
	"Total          Nodes          Snapshots\n"
	"229            205            24             \n"
	"\nElements/snapshot\n"
	"Min            Max            Average\n"
	"2              4              3              \n"
	"\nAttributes referenced in snapshot records\n"
	"Total          Average        Refs/Elem\n"
	"9              3              0.243243       \n";

static const char reuse_told[] =
	"\nReuse statistics:\n"
	"Attribute                       #nodes      #elem       #uses       #uses/elem  "
	"#uses/node\n"
	"cali.attribute.name             2           2           2           1           "
	"1           \n"
	"cali.attribute.prop             2           2           2           1           "
	"1           \n"
	"region                          3           2           9           4.5         "
	"3           \n";

/* With these words (NULL at the end). */
static int run_words(const char *const *words)
{
	static const char *const front[] = {"cali-stat", "-o", OUTPUT, NULL};

	memset(&arguments, 0, sizeof(arguments));
	write_file(OUTPUT, "");
	return run_program(cali_stat_main, front, words, NULL);
}

static void test_counts(void **state)
{
	(void)state;
	write_file("a.cali", sample);
	assert_int_equal(run_words((const char *const[]){"a.cali", NULL}), 0);
	scoped_free char *counts = read_text(OUTPUT);

	assert_string_equal(counts, counts_told);
	assert_int_equal(run_words((const char *const[]){"-r", "a.cali", NULL}), 0);
	scoped_free char *both = read_text(OUTPUT);

	assert_int_equal(strncmp(both, counts_told, strlen(counts_told)), 0);
	assert_string_equal(both + strlen(counts_told), reuse_told);
	/* Numbers of nodes are those of each file, and values those of all. */
	assert_int_equal(run_words((const char *const[]){"--reuse-statistics", "a.cali",
							 "a.cali", NULL}),
			 0);
	scoped_free char *twice = read_text(OUTPUT);

	assert_non_null(strstr(twice, "\n20             14             6"));
	assert_non_null(
		strstr(twice, "\nregion                          6           2           "
			      "18          9           3           \n"));
}

/* What is no .cali file is counted as if it were. */
static void test_others(void **state)
{
	(void)state;
	write_file("split.json",
		   "{\"data\": [[1, 0], [2, 1]], \"columns\": [\"n\", \"path\"], "
		   "\"column_metadata\": [{\"is_value\": true}, {\"is_value\": "
		   "false}], \"nodes\": [{\"label\": \"main\", \"column\": "
		   "\"path\"}, {\"label\": \"solve\", \"column\": \"path\", "
		   "\"parent\": 0}]}");
	assert_int_equal(run_words((const char *const[]){"-r", "split.json", NULL}), 0);
	scoped_free char *told = read_text(OUTPUT);

	assert_non_null(
		strstr(told, "\n8              6              2              \n"));
	assert_non_null(
		strstr(told, "\nregion                          2           2           "
			     "5           2.5         2.5         \n"));
}

static void test_errors(void **state)
{
	(void)state;
	write_file("a.cali", "__rec=node,id=40,attr=99,data=main\n"
			     "__rec=ctx,ref=40\n"
			     "__rec=what\n"
			     "__rec=node,id=18,attr=10,data=276,parent=3\n"
			     "__rec=node,id=20,attr=8,da");
	assert_int_equal(run_words((const char *const[]){"a.cali", NULL}), 0);
	scoped_free char *told = read_text(OUTPUT), *errors = read_text(ERRORS);

	assert_string_equal(
		told, "Number of records\n"
		      "Total          Nodes          Snapshots\n"
		      "1              1              0              \n"
		      "\nNumber of elements\n"
		      "Total          Nodes          Tree refs      Direct val\n"
		      "4              4              0              0              \n"
		      "\nData size (est.)\n"
		      "Total          Nodes          Snapshots\n"
		      "32             32             0              \n");
	assert_string_equal(errors,
			    "cali-stat: warning: 'a.cali', line 1: it makes no sense; 4 "
			    "lines are left out\n");
	assert_int_equal(run_words((const char *const[]){"nowhere", NULL}), 4);
	assert_int_equal(run_words((const char *const[]){"-x", NULL}), 255);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
