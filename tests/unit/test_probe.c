/* The language of probes: what is one, and what is said of wrong ones. */
#include "base/cleanup.h"
#include "base/text.h"
#include "probe/cells.h"
#include "probe/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *manual; /* path of the page */

static void check_good(const char *text)
{
	struct probe_program program = {0};
	size_t place = 0;
	struct trm_error *error = probe_program_add(&program, text, &place);

	if (error)
		print_message("%s\n%s\n", text, error->message);
	assert_null(error);
	probe_program_deinit(&program);
}

static void test_grammar(void **state)
{
	static const char *const good[] = {
		"f { count() }",
		"libc.so.6:malloc { sizes = hist(arg0); bytes = sum(arg0) }",
		"app:solve@return { slow = count() if ns > 1ms; by thread }",
		"malloc, calloc { count() by caller }",
		"ns::thing<int, 4>::operator()(char) { count() }",
		"f@call{count()by thread,pc,function}",
		"f@load { hist(size); count() if address & 63 == 0 }",
		"f@store { top(10) by address >> 6 }",
		"app:0x1234 { count() }",
		"0x1234, file.c:42 { sum(rdi + r15) }",
		"app:dir/file.cc:7 { min(x); max(x); avg(x->y.z[3]) }",
		"f { hist(arg0, -10, 10, 2) if arg1 != 0 && !(arg2 < 3 || arg2 == 7) }",
		"f { top(5, arg1) by str(arg0) if str(arg0) != \"a b\" }",
		"f { @start = time } f@return { sum(time - @start) if ret == -1 }",
		"f { $n = *(u32*)(arg1+8) ; } f@return { sum($n) by ret, ns / 1us }",
		"f { trace(arg0, str(arg1), thread) }",
		"f { sum((unsigned char)arg0); sum(((struct request *)arg0)->len) }",
		"f { sum(`time`) # the program's own\n count() }",
		"f { count() if rax << 3 >= 4K }",
		"f@loop { hist(trips) by srcline, pc; count() by function }",
		"f@return { hist(ns) by region.path; sum(scaled(fret, 1000)) }",
		"f { sum(farg0); sum(region); sum(`region`.path); sum(trips) }",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		check_good(good[i]);
}

/* What is wrong, and in which column, from 1 on. */
static const struct {
	const char *text;
	size_t column;
	const char *message;
} bad[] = {
	{"", 1, "there is no probe in it"},
	{"f", 2, "\"{\" is missing here"},
	{"f {", 4, "an action is missing here"},
	{"f { }", 5, "the probe does nothing"},
	{"f { cuont() }", 5, "there is no action \"cuont\": did you mean \"count\"?"},
	{"f { x = summ(1) }", 9, "there is no action \"summ\": did you mean \"sum\"?"},
	{"f { sum() }", 9, "sum() needs a value"},
	{"f { count(1) }", 11, "count() takes no value"},
	{"f { sum(1, 2) }", 12, "sum() takes one value"},
	{"f { sum(arg0 }", 14, "\")\" is missing here"},
	{"f { sum(arg0 +) }", 15, "a value is missing here"},
	{"f { sum(10xs) }", 11,
	 "\"xs\" is no unit: it is one of ns, us, ms, s, K, M and G"},
	{"f@retrun { count() }", 3,
	 "a function has no place \"retrun\": did you mean \"return\"?"},
	{"f { sum(ret) }", 9, "ret can be had only at F@return"},
	{"f { sum(region.path) }", 9, "this is text, where a number is needed"},
	{"f@return { sum(farg0) }", 16,
	 "farg0 can be had only at a function's entry and its calls"},
	{"f, f@loop { sum(trips) }", 17, "trips can be had only at F@loop"},
	{"f { sum(scaled(farg0)) }", 21, "\",\" is missing here"},
	{"f { sum(scaled(farg0, 0)) }", 23, "scaled() takes a number from 1 to 1000"},
	{"f { sum(ns) }", 9, "ns can be had only at F@return"},
	{"f@load { sum(arg0) }", 14,
	 "arg0 can be had only at a function's entry, its return and its calls"},
	{"f@call { sum(x) }", 14,
	 "x can be had only inside of functions, not at their calls"},
	{"f, f@load { sum(address) }", 17,
	 "address can be had only at F@load and F@store"},
	{"f { sum(str(arg0)) }", 9, "this is text, where a number is needed"},
	{"f { count() if str(arg0) > 3 }", 26,
	 "text can only be compared as in str(arg0) == \"text\""},
	{"f { top(10) }", 5, "top() needs keys: top(10) by caller"},
	{"f { top(0) by arg0 }", 9, "top() shows from 1 to 10000 keys"},
	{"f { sum(@strat) } f { @start = time }", 9,
	 "@strat is set nowhere: @strat = value"},
	{"0x10 { $x = 3 }", 8,
	 "variables of calls can be set only at a function's entry and return"},
	{"f { hist(arg0, 0, 0, 1) }", 16,
	 "the bounds make no histogram: they are the lowest, the highest and the "
	 "width of a row, and at most 500 rows"},
	{"f { while(1) }", 5,
	 "there is no action \"while\": there are count, sum, min, max, avg, hist, top "
	 "and trace"},
	{"f { exit(arg0) }", 5,
	 "there is no action \"exit\": there are count, sum, min, max, avg, hist, top "
	 "and trace"},
	{"f { sum(read(arg0)) }", 9,
	 "\"read\" cannot be called in a value: there is only str(pointer), and "
	 "scaled(number, 1000)"},
	{"f { *arg0 = 3 }", 5, "an action is missing here"},
	{"f { arg0 = 3 }", 12, "an action is missing here"},
	{"f { sum(\"a) }", 9, "the quotes that begin here do not end"},
	{"f { sum(99999999999999999999) }", 9, "the number is too large"},
	{"f { count() if 1 if 2 }", 18, "it has a condition already"},
	{"f { count() sum(1) }", 13, "\";\" or \"}\" is missing here"},
	{", f { count() }", 1,
	 "a point is missing here: a function, an address or file.c:42"},
	{"f { trace(arg0) by arg1 }", 5, "trace() has no keys"},
	{"f {\n sum(xx yy) }", 9, "\")\" is missing here"},
};
static void test_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct probe_program program = {0};
		struct text message = {0};
		size_t place = 0;
		struct trm_error *error =
			probe_program_add(&program, bad[i].text, &place);

		text_format(&message, "the probe, column %zu: %s", bad[i].column,
			    bad[i].message);
		print_message("%s\n", bad[i].text);
		assert_non_null(error);
		assert_string_equal(error->message, message.data);
		text_deinit(&message);
		trm_error_destroy(error);
		probe_program_deinit(&program);
	}
}

/* Terms bind as in C. */
static void test_precedence(void **state)
{
	struct probe_program program = {0};
	size_t place;

	(void)state;
	assert_null(probe_program_add(&program, "f { sum(arg0 - 1 - 2 * 3 << 1 & 7) }",
				      &place));
	const struct probe_term *terms = program.terms.items;
	const struct probe_term *top =
		&terms[program.probes.items[0].actions.items[0].operands[0]];

	assert_int_equal(top->symbol, PROBE_BIT_AND);
	const struct probe_term *shift = &terms[top->first];

	assert_int_equal(shift->symbol, PROBE_SHIFT_LEFT);
	const struct probe_term *minus = &terms[shift->first];

	assert_int_equal(minus->symbol, PROBE_MINUS);
	assert_int_equal(terms[minus->first].symbol, PROBE_MINUS);
	assert_int_equal(terms[minus->second].symbol, PROBE_TIMES);
	probe_program_deinit(&program);
}

static void test_points(void **state)
{
	struct probe_program program = {0};
	size_t place;

	(void)state;
	assert_null(probe_program_add(
		&program, "a:b::c@return, x.c:42, m:0x10, m:x.c:7, b::d { count() }",
		&place));
	const struct probe_point *points = program.probes.items[0].points.items;

	assert_int_equal(points[0].place, PROBE_RETURN);
	assert_string_equal(points[0].module, "a");
	assert_string_equal(points[0].name, "b::c");
	assert_int_equal(points[1].place, PROBE_LINE);
	assert_string_equal(points[1].module, "*");
	assert_string_equal(points[1].name, "x.c");
	assert_int_equal(points[1].address, 42);
	assert_int_equal(points[2].place, PROBE_ADDRESS);
	assert_int_equal(points[2].address, 0x10);
	assert_int_equal(points[3].place, PROBE_LINE);
	assert_string_equal(points[3].module, "m");
	assert_int_equal(points[3].address, 7);
	assert_int_equal(points[4].place, PROBE_ENTRY);
	assert_string_equal(points[4].name, "b::d");
	probe_program_deinit(&program);
}

static void test_rows(void **state)
{
	struct probe_action action = {
		.kind = PROBE_LINEAR, .low = -5, .high = 6, .step = 5};

	(void)state;
	assert_int_equal(probe_power_row(0, true), 0);
	assert_int_equal(probe_power_row(1, true), 1);
	assert_int_equal(probe_power_row(1023, true), 10);
	assert_int_equal(probe_power_row(1024, true), 11);
	assert_int_equal(probe_power_row(UINT64_MAX, false), 64);
	assert_int_equal(probe_power_row(UINT64_MAX, true), 65);
	assert_int_equal(probe_power_row(1ull << 63, true), 128);
	assert_int_equal(probe_action_rows(&action), 5);
	assert_int_equal(probe_linear_row(&action, -6), 0);
	assert_int_equal(probe_linear_row(&action, -5), 1);
	assert_int_equal(probe_linear_row(&action, -1), 1);
	assert_int_equal(probe_linear_row(&action, 0), 2);
	assert_int_equal(probe_linear_row(&action, 5), 3);
	assert_int_equal(probe_linear_row(&action, 6), 4);
}

/* The examples of the manual are probes. */
static void test_manual(void **state)
{
	scoped_file FILE *file = fopen(manual, "r");
	bool examples = false;
	char line[512];
	int count = 0;

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '#')
			examples = !strcmp(line, "# EXAMPLES\n");
		if (!examples || strncmp(line, "    ", 4) != 0)
			continue;
		check_good(line);
		count++;
	}
	assert_true(count > 8);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grammar),    cmocka_unit_test(test_errors),
		cmocka_unit_test(test_precedence), cmocka_unit_test(test_points),
		cmocka_unit_test(test_rows),       cmocka_unit_test(test_manual),
	};

	if (argc != 2)
		return 2;
	manual = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
