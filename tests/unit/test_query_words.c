/* The language of queries: what is one, and what is said of wrong ones. */
#include "query/lex.h"
#include "query/parse.h"
#include "query/query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "good_query.h"

static void test_grammar(void **state)
{
	static const char *const good[] = {
		"",
		";",
		"select *",
		"SELECT a,b AS \"two words\" UNIT s, path",
		"SELECT *, count() AS n ; GROUP BY path",
		"aggregate count, sum(x), ratio(x,y), ratio(x,y,1e-3), percentile(x,95)",
		"LET a = b + c * -d / (e - 1), f = first(a, b) IF NOT a OR b > 1",
		"LET a = leaf(), b = leaf(region), c = truncate(x, 10), d = 1e+3 * x",
		"WHERE a, NOT b, c=1, d!=2, e<>3, f<4, g<=5, h>6, i>=7, j==8",
		"WHERE (a OR b) AND NOT (c AND d) OR e ~= \"x*\" AND f =~ /^a\\/b/i",
		"WHERE path = a/b AND \"where\" = \"and\"",
		"GROUP BY () AGGREGATE count LIMIT 3",
		"GROUP BY path, class.iteration FORMAT tree",
		"SELECT sum(x) AS s GROUP BY a HAVING s > 3 OR min(y) < 2 ORDER BY s, a",
		"SELECT a FORMAT json(object)",
		"FORMAT tree(module, function)",
		"select sum(a-b/c) group by d\\,e",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		query_destroy(parse_good(good[i]));
}

#define TOO_LARGE "a regular expression whose repetitions make it too large"

static void test_errors(void **state)
{
	static const struct {
		const char *words;
		size_t place;
		const char *message;
	} bad[] = {
		{"SELECT x GROP BY y", 9,
		 "a clause cannot begin with \"GROP\", did you mean \"GROUP\"?"},
		{"SELECT x GROUP y", 15, "\"BY\" is missing here"},
		{"x", 0, "a clause cannot begin with \"x\""},
		{"SELECT", 6, "the name of a column is missing here"},
		{"SELECT x,", 9, "the name of a column is missing here"},
		{"SELECT smu(x)", 7,
		 "there is no operator \"smu\", did you mean \"sum\"?"},
		{"SELECT sum()", 11, "sum needs 1 attribute"},
		{"SELECT ratio(x)", 14, "ratio needs 2 attributes"},
		{"SELECT sum(x,2)", 13, "sum takes 1 attributes and no more"},
		{"SELECT count(x)", 13, "count takes 0 attributes"},
		{"SELECT scale(x)", 14, "scale needs a number"},
		{"SELECT scale(x,y)", 15, "\"y\" is not a number"},
		{"SELECT scale(x,1,2)", 17, "scale does not take so much"},
		{"SELECT percentile(x,101)", 20, "a percentile is from 0 to 100"},
		{"SELECT sum(x", 12, "\")\" is missing here"},
		{"SELECT x AS", 11, "the new name is missing here"},
		{"SELECT x SELECT y", 9, "there is a second SELECT"},
		{"AGGREGATE sum", 10, "sum needs parentheses with what it is applied to"},
		{"AGGREGATE x", 10, "there is no operator \"x\""},
		{"WHERE", 5, "a name is missing here"},
		{"WHERE a >", 9, "a value to compare with is missing here"},
		{"WHERE (a", 8, "\")\" is missing here"},
		{"WHERE a b", 8, "a clause cannot begin with \"b\""},
		{"WHERE a = \"b", 10, "the quotes that begin here do not end"},
		{"WHERE a =~ /b", 11, "the pattern that begins here has no / at its end"},
		{"WHERE a =~ /(/", 11, NULL},
		{"WHERE a =~ /b++++++++++++/", 11, TOO_LARGE},
		{"WHERE a =~ /(((b{1,99}){9,}){1,9})+/", 11, TOO_LARGE},
		{"LET a", 5, "\"=\" is missing here"},
		{"LET a = ", 8, "a number or a name is missing here"},
		{"LET a = b +", 11, "a number or a name is missing here"},
		{"LET a = rato(b, c)", 8,
		 "LET has no function \"rato\", did you mean \"ratio\"?"},
		{"LET a = scale(b)", 8, "scale needs 2 arguments"},
		{"LET a = scale(b, 1, 2)", 20, "scale takes at most 2 arguments"},
		{"SELECT sum(x) GROUP BY y ORDER BY z", 34, "no column is called \"z\""},
		{"SELECT sum(x) AS total GROUP BY y HAVING totl > 1", 41,
		 "no column is called \"totl\", did you mean \"total\"?"},
		{"LIMIT x", 6, "\"x\" is not a number of rows"},
		{"LIMIT -1", 6, "\"-1\" is not a number of rows"},
		{"FORMAT tabel", 7,
		 "there is no format \"tabel\", did you mean \"table\"?"},
		{"FORMAT json(pretty)", 12, "the format json has no option \"pretty\""},
		{"select\n  \303\251, smu(x)", 13, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct query *query = NULL;
		size_t place = 12345;
		struct trm_error *error = query_parse(bad[i].words, &query, &place);

		if (!error)
			fail_msg("'%s' is taken for a query", bad[i].words);
		const char *colon = strchr(error->message, ':');

		assert_int_equal(error->code, TRM_ERROR_USAGE);
		assert_non_null(colon);
		if (place != bad[i].place ||
		    (bad[i].message && strcmp(colon + 2, bad[i].message)))
			fail_msg("'%s': %zu: %s", bad[i].words, place, error->message);
		trm_error_destroy(error);
	}
}

/* What looks like many repetitions, and is few. */
static void test_patterns_fit(void **state)
{
	static const char *const good[] = {
		"WHERE a =~ /b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q+r+s+t+u+v+w+x+y+z+/",
		"WHERE a =~ /[+++++++++++++++][]++++++++++++++][^]++++++++++++++]/",
		"WHERE a =~ /[[:digit:]++++++++++++][[.+.]++++++++++++]/",
		"WHERE a =~ /b\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+/",
		"WHERE a =~ /((b+)+)+|(c{30}){100}/",
		"WHERE a =~ /b{4000}/",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct query *query = NULL;
		size_t place;
		struct trm_error *error = query_parse(good[i], &query, &place);

		if (error)
			fail_msg("'%s': %s", good[i], error->message);
		query_destroy(query);
	}
}

static void test_limits(void **state)
{
	struct text words = {0};
	struct query *query;
	size_t place;

	(void)state;
	text_add(&words, "WHERE ");
	for (int i = 0; i < 100000; i++)
		text_add(&words, i % 2 ? "(" : "NOT ");
	struct trm_error *error = query_parse(words.data, &query, &place);

	assert_non_null(error);
	trm_error_destroy(error);
	words.data[60000] = '\0';
	error = query_parse(words.data, &query, &place);
	assert_non_null(error);
	assert_non_null(strstr(error->message, "more than 200 parentheses"));
	trm_error_destroy(error);
	for (int kind = 0; kind < 2; kind++) {
		words.length = 0;
		text_add(&words, kind ? "WHERE a" : "AGGREGATE count");
		for (int i = 0; i < 70; i++)
			text_format(&words, kind ? ",a=%d" : ",avg(a%d)", i);
		error = query_parse(words.data, &query, &place);
		assert_non_null(error);
		assert_non_null(
			strstr(error->message, kind ? "more than 63" : "more than 128"));
		trm_error_destroy(error);
	}
	text_deinit(&words);
}

static void test_place(void **state)
{
	struct text out = {0};

	(void)state;
	text_add_place("select\n\ta, \303\251, smu(x)\nlimit 1", 15, &out);
	assert_string_equal(out.data, "   a, \303\251, smu(x)\n"
				      "         ^\n");
	text_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grammar),      cmocka_unit_test(test_errors),
		cmocka_unit_test(test_patterns_fit), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
