/* Time in which a thread was held is none of what it has open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "session/thread/held.h"
#include "wire/context.h"

#include <string.h>
#include <unistd.h>

#define LAST  1000000u
#define FROM  2000000u
#define TO    2500000u
#define BEGAN 500000u

/* A thread as its library has it: a node beside the record, and one elsewhere. */
static union {
	struct context_thread thread;
	uint8_t bytes[CONTEXT_BLOCK];
} record;
static struct context_node elsewhere;
static struct context_node *root, *outer;

static int begin(void **state)
{
	struct context_thread *thread = &record.thread;

	(void)state;
	memset(&record, 0, sizeof(record));
	thread->head.kind = CONTEXT_THREAD;
	thread->head.address = (uintptr_t)&record;
	thread->number = 1;
	thread->alive = 1;
	thread->last = LAST;
	root = (void *)(record.bytes + context_nodes_at(CONTEXT_THREAD));
	outer = root + 1;
	*outer = (struct context_node){.parent = root, .ticks = 77, .began = BEGAN};
	elsewhere = (struct context_node){.parent = outer, .ticks = 88, .began = LAST};
	thread->node = &elsewhere;
	return 0;
}

static void move(uint64_t from, uint64_t to)
{
	held_move_context(gettid(), (uintptr_t)&record, from, to);
}

static void test_what_is_open_moves(void **state)
{
	(void)state;
	move(FROM, TO);
	assert_int_equal(record.thread.last, LAST + TO - FROM);
	assert_int_equal(record.thread.held, TO - FROM);
	assert_int_equal(elsewhere.began, LAST + TO - FROM);
	assert_int_equal(outer->began, BEGAN + TO - FROM);
	assert_int_equal(root->began, 0);
	assert_int_equal(elsewhere.ticks, 88);
	assert_int_equal(outer->ticks, 77);
}

/* What was measured before the last event is told already. */
static void test_only_since_the_last_event(void **state)
{
	(void)state;
	move(LAST - 100, LAST + 300);
	assert_int_equal(record.thread.last, LAST + 300);
	assert_int_equal(record.thread.held, 300);
	move(LAST, LAST + 200);
	assert_int_equal(record.thread.last, LAST + 300);
	assert_int_equal(record.thread.held, 300);
}

/* More than is written at a time. */
static void test_deep(void **state)
{
	static struct context_node nodes[1000];

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		nodes[i] = (struct context_node){.parent = i ? &nodes[i - 1] : outer,
						 .began = BEGAN + i};
	record.thread.node = &nodes[999];
	move(FROM, TO);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(nodes[i].began, BEGAN + i + TO - FROM);
}

static void test_no_record(void **state)
{
	(void)state;
	record.thread.head.kind = CONTEXT_FREE;
	move(FROM, TO);
	record.thread.head.kind = CONTEXT_THREAD;
	record.thread.alive = 0;
	move(FROM, TO);
	record.thread.alive = 1;
	record.thread.head.address = 0x1000;
	move(FROM, TO);
	held_move_context(gettid(), 0x1000, FROM, TO);
	assert_int_equal(record.thread.last, LAST);
	assert_int_equal(elsewhere.began, LAST);
}

/* A way through nodes that ends nowhere, or never. */
static void test_damaged(void **state)
{
	(void)state;
	elsewhere.parent = (void *)0x1000;
	move(FROM, TO);
	assert_int_equal(record.thread.last, LAST + TO - FROM);
	elsewhere.parent = &elsewhere;
	move(TO, TO + 1);
	assert_int_equal(record.thread.last, LAST + TO - FROM + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_what_is_open_moves, begin),
		cmocka_unit_test_setup(test_only_since_the_last_event, begin),
		cmocka_unit_test_setup(test_deep, begin),
		cmocka_unit_test_setup(test_no_record, begin),
		cmocka_unit_test_setup(test_damaged, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
