/* What the front shows of modules that are being planned, and when. */
#include "session/run/planning_notice.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define SECOND 1000000000ull

static char shown[128];

static void show(const char *name, unsigned int left)
{
	snprintf(shown, sizeof(shown), "%s %u", name, left);
}

struct test {
	struct planning_notice planning;
	int write;
};

static struct test begin(void)
{
	struct test test;
	int fds[2];

	assert_false(pipe2(fds, O_CLOEXEC | O_NONBLOCK));
	test = (struct test){{.fd = fds[0], .show = show}, fds[1]};
	*shown = '\0';
	return test;
}

/* What is short is not shown. */
static void test_short(void **state)
{
	struct test test = begin();

	(void)state;
	assert_int_equal(planning_notice_wait_ms(&test.planning, SECOND), -1);
	planning_note_send(test.write, "/lib/libone.so", 2);
	planning_notice_act(&test.planning, SECOND);
	assert_int_equal(planning_notice_wait_ms(&test.planning, SECOND), 1001);
	assert_string_equal(shown, "");
	planning_note_send(test.write, "", 0);
	planning_notice_act(&test.planning, SECOND + SECOND / 2);
	assert_int_equal(planning_notice_wait_ms(&test.planning, 9 * SECOND), -1);
	planning_notice_end(&test.planning);
	assert_string_equal(shown, "");
	close(test.planning.fd);
	close(test.write);
}

/* What takes a second is, with what changes, and taken away. */
static void test_long(void **state)
{
	struct test test = begin();

	(void)state;
	planning_note_send(test.write, "/lib/libone.so", 2);
	planning_notice_act(&test.planning, SECOND);
	planning_notice_act(&test.planning, 2 * SECOND);
	assert_string_equal(shown, "libone.so 2");
	assert_int_equal(planning_notice_wait_ms(&test.planning, 2 * SECOND), -1);
	planning_note_send(test.write, "libtwo.so", 1);
	planning_notice_act(&test.planning, 3 * SECOND);
	assert_string_equal(shown, "libtwo.so 1");
	planning_note_send(test.write, "", 0);
	planning_notice_act(&test.planning, 4 * SECOND);
	assert_string_equal(shown, " 0");
	close(test.planning.fd);
	close(test.write);
}

/* A tracer that is gone has nothing more to plan. */
static void test_gone(void **state)
{
	struct test test = begin();

	(void)state;
	planning_note_send(test.write, "a", 1);
	planning_notice_act(&test.planning, SECOND);
	planning_notice_act(&test.planning, 2 * SECOND);
	assert_string_equal(shown, "a 1");
	close(test.write);
	planning_notice_act(&test.planning, 3 * SECOND);
	assert_string_equal(shown, " 0");
	assert_int_equal(test.planning.fd, -1);
	assert_int_equal(planning_notice_wait_ms(&test.planning, 9 * SECOND), -1);
}

/* Names are cut, and a full pipe loses notes, but not the last one that matters. */
static void test_bounds(void **state)
{
	struct test test = begin();
	char name[200];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (unsigned int i = 0; i < 5000; i++)
		planning_note_send(test.write, name, i + 1);
	planning_note_send(-1, name, 1);
	planning_notice_act(&test.planning, SECOND);
	planning_notice_act(&test.planning, 2 * SECOND);
	assert_int_equal(strspn(shown, "x"), sizeof(test.planning.last.name) - 1);
	planning_note_send(test.write, "", 0);
	planning_notice_act(&test.planning, 2 * SECOND);
	assert_string_equal(shown, " 0");
	close(test.planning.fd);
	close(test.write);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
