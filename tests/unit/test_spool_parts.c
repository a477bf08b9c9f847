/* Parts of a run: differences of what spools have, while threads go on and end. */
#include "context/channel_view.h"
#include "context/parts.h"

#include "base/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum {
	REGION = 1,
	WEIGHT, /* a metric, double */
	SIZE,   /* a metric, int */
	STRINGS = CONTEXT_HEAD_BLOCKS,
	ATTRIBUTES,
	ENDED,
	FIRST,
	LATE,
	ROWS,
	EVENTS,
	BLOCKS = EVENTS + 2,
	LATE_NUMBER = CONTEXT_ROWS_MAX + 100,
	NOBODY = 0x7ffffff0, /* no process has this number */
};

static const char folder[] = "spool-parts", file[] = "spool-parts/1.context";
static uint8_t bytes[BLOCKS * CONTEXT_BLOCK] __attribute__((aligned(64)));

static struct context_block *block_at(uint32_t number, uint32_t kind)
{
	struct context_block *block = (void *)(bytes + number * (size_t)CONTEXT_BLOCK);

	*block = (struct context_block){
		.kind = kind,
		.run = 1,
		.address = 0x100000 + number * (uint64_t)CONTEXT_BLOCK,
		.number = number,
	};
	return block;
}

static struct context_thread *thread_at(uint32_t block, uint32_t number)
{
	struct context_thread *thread = (void *)block_at(block, CONTEXT_THREAD);

	thread->number = number;
	thread->tid = number ? number + 1000 : 0;
	thread->alive = number != 0;
	thread->node_count = 1;
	return thread;
}

static struct context_node *node_at(struct context_thread *thread, uint32_t number)
{
	return (struct context_node *)((uint8_t *)thread +
				       context_nodes_at(CONTEXT_THREAD)) +
	       number;
}

static struct context_node *add_node(struct context_thread *thread, uint32_t parent,
				     uint32_t attribute, uint64_t value)
{
	struct context_node *node = node_at(thread, thread->node_count);

	*node = (struct context_node){
		.value = value,
		.attribute = attribute,
		.number = thread->node_count++,
		.parent_number = parent,
		.flags = attribute != REGION ? CONTEXT_METRIC : 0,
	};
	return node;
}

static struct context_spool *begin_spool(uint32_t pid)
{
	static const struct context_attribute attributes[] = {
		{RECORD_STRING, RECORD_NESTED, 0},
		{RECORD_DOUBLE, RECORD_AS_VALUE | RECORD_AGGREGATABLE, 0},
		{RECORD_INT, RECORD_AS_VALUE | RECORD_AGGREGATABLE, 0},
	};
	struct context_spool *head = (void *)block_at(0, CONTEXT_HEAD);
	struct context_block *block;

	memset(bytes, 0, sizeof(bytes));
	head = (void *)block_at(0, CONTEXT_HEAD);
	head->head.run = CONTEXT_HEAD_BLOCKS;
	memcpy(head->magic, CONTEXT_MAGIC, sizeof(head->magic));
	head->version = CONTEXT_VERSION;
	head->pid = pid;
	head->blocks = BLOCKS;
	head->ticks_per_second = 1000000000;
	head->begin = (struct context_moment){1, 1};
	block_at(STRINGS, CONTEXT_STRINGS);
	block = block_at(ATTRIBUTES, CONTEXT_ATTRIBUTES);
	block->used = sizeof(attributes);
	memcpy(block + 1, attributes, sizeof(attributes));
	thread_at(ENDED, 0);
	thread_at(FIRST, 1);
	thread_at(LATE, LATE_NUMBER);
	block_at(ROWS, CONTEXT_ROWS);
	block_at(EVENTS, CONTEXT_EVENTS)->run = 2;
	return head;
}

static void take(struct context_parts *parts, uint32_t interval, bool open)
{
	scoped_file FILE *spool = fopen(file, "w");

	assert_non_null(spool);
	assert_int_equal(fwrite(bytes, sizeof(bytes), 1, spool), 1);
	fflush(spool);
	context_parts_take(parts, folder, interval, open);
}

/* The last row of a thread's region, or metric in it; `value` 0: outside of all. */
static const struct context_part_row *row_of(const struct context_parts *parts,
					     uint32_t thread, uint64_t value,
					     uint32_t metric)
{
	const struct context_part_row *found = NULL;

	vector_for_each (&parts->spools.items->rows, row) {
		const struct context_part_path *path =
			&parts->spools.items->paths.items[row->sums.path];
		const struct context_part_path *region =
			path->metric ? &parts->spools.items->paths.items[path->parent]
				     : path;

		if (row->sums.thread == thread && region->bits == value &&
		    (path->metric ? path->attribute : 0) == metric)
			found = row;
	}
	return found;
}

static uint64_t bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

/* A region goes on from one part to the next; numbers are those of the part. */
static void test_differences(void **state)
{
	struct context_parts parts = {0};
	const struct context_part_row *row;
	struct context_node *node, *weight, *size;
	struct context_thread *thread;

	(void)state;
	begin_spool(NOBODY);
	thread = thread_at(FIRST, 1);
	node = add_node(thread, 0, REGION, 800);
	node->count = 3;
	node->ticks = 100;
	weight = add_node(thread, 1, WEIGHT, 0);
	weight->count = 2;
	weight->sum = bits_of(1.5);
	take(&parts, 0, true);
	assert_int_equal(parts.spools.items->rows.count, 0);
	node->count = 4;
	node->ticks = 150;
	weight->count = 3;
	weight->sum = bits_of(4);
	size = add_node(thread, 1, SIZE, 0);
	size->count = 1;
	size->sum = size->least = size->most = (uint64_t)-5;
	take(&parts, 0, true);
	row = row_of(&parts, 1, 800, 0);
	assert_non_null(row);
	assert_int_equal(row->sums.count, 1);
	assert_int_equal(row->sums.ticks, 50);
	assert_int_equal(row->sums.tid, 1001);
	row = row_of(&parts, 1, 800, WEIGHT);
	assert_non_null(row);
	assert_int_equal(row->sums.count, 1);
	assert_int_equal(row->sums.ticks, bits_of(2.5));
	assert_false(row->bounded);
	row = row_of(&parts, 1, 800, SIZE);
	assert_non_null(row);
	assert_int_equal(row->sums.ticks, (uint64_t)-5);
	assert_true(row->bounded);
	node->ticks = 160;
	take(&parts, 1, false);
	row = row_of(&parts, 1, 800, 0);
	assert_int_equal(row->interval, 1);
	assert_int_equal(row->sums.count, 0);
	assert_int_equal(row->sums.ticks, 10);
	assert_int_equal(parts.spools.items->rows.count, 4);
	/* It is over. */
	node->ticks = 1000;
	take(&parts, 2, false);
	assert_int_equal(parts.spools.items->rows.count, 4);
	assert_true(parts.start.ns && parts.end.ns > parts.start.ns);
	context_parts_deinit(&parts);
}

/* What a thread had goes to another tree when it ends: rows of its own, or sums of all.
 */
static void test_ended(void **state)
{
	struct context_parts parts = {0};
	const struct context_part_row *row;
	struct context_thread *first, *late, *ended;
	struct context_node *node;
	struct context_row *rows;

	(void)state;
	begin_spool(NOBODY);
	ended = thread_at(ENDED, 0);
	node = add_node(ended, 0, REGION, 808);
	node->count = 50;
	node->ticks = 5000;
	first = thread_at(FIRST, 1);
	add_node(first, 0, REGION, 800)->count = 5;
	late = thread_at(LATE, LATE_NUMBER);
	node = add_node(late, 0, REGION, 808);
	node->count = 7;
	node->ticks = 70;
	take(&parts, 0, true);
	assert_true(context_part_alive(parts.spools.items, 1));
	block_at(FIRST, CONTEXT_FREE);
	block_at(LATE, CONTEXT_FREE);
	node_at(ended, 1)->count += 10;
	node_at(ended, 1)->ticks += 100;
	add_node(ended, 0, REGION, 800);
	block_at(ROWS, CONTEXT_ROWS)->used = sizeof(*rows);
	rows = (void *)(bytes + ROWS * CONTEXT_BLOCK + sizeof(struct context_block));
	*rows = (struct context_row){.thread = 1, .tid = 1001, .node = 2, .count = 6};
	take(&parts, 0, false);
	row = row_of(&parts, 1, 800, 0);
	assert_non_null(row);
	assert_int_equal(row->sums.count, 1);
	row = row_of(&parts, 0, 808, 0);
	assert_non_null(row);
	assert_int_equal(row->sums.count, 3);
	assert_int_equal(row->sums.ticks, 30);
	assert_int_equal(parts.spools.items->rows.count, 2);
	assert_false(context_part_alive(parts.spools.items, 1));
	context_parts_deinit(&parts);
}

/* The time since a living thread's last event is that of where it is. */
static void test_waiting(void **state)
{
	struct context_parts parts = {0};
	const struct context_part_row *row;
	struct context_thread *thread;

	(void)state;
	begin_spool((uint32_t)getpid());
	thread = thread_at(FIRST, 1);
	add_node(thread, 0, REGION, 800)->count = 1;
	thread->node = (struct context_node *)(uintptr_t)(thread->head.address +
							  (uint64_t)((uint8_t *)node_at(
									     thread, 1) -
								     (uint8_t *)thread));
	thread->last = 1;
	take(&parts, 0, true);
	take(&parts, 0, false);
	row = row_of(&parts, 1, 800, 0);
	assert_non_null(row);
	assert_int_equal(row->sums.count, 0);
	assert_int_equal(row->sums.ticks, parts.end.ns - parts.start.ns);
	context_parts_deinit(&parts);
}

/* What is no spool, or is cut, is left out. */
static void test_damaged(void **state)
{
	struct context_parts parts = {0};

	(void)state;
	begin_spool(NOBODY)->magic[0] = 'x';
	take(&parts, 0, true);
	assert_int_equal(parts.spools.count, 0);
	begin_spool(NOBODY);
	block_at(EVENTS, CONTEXT_EVENTS)->run = 1000;
	add_node(thread_at(FIRST, 1), 0, REGION, 800)->count = 1;
	take(&parts, 0, true);
	assert_int_equal(parts.spools.items->rows.count, 1);
	context_parts_deinit(&parts);
}

static int enter_folder(void **state)
{
	(void)state;
	return mkdir(folder, 0700);
}

static int leave_folder(void **state)
{
	(void)state;
	return unlink(file) || rmdir(folder);
}

int main(void)
{
	char place[] = "/tmp/trammel-test-XXXXXX";
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_differences),
		cmocka_unit_test(test_ended),
		cmocka_unit_test(test_waiting),
		cmocka_unit_test(test_damaged),
	};
	int failed;

	if (!mkdtemp(place) || chdir(place))
		return 1;
	failed = cmocka_run_group_tests(tests, enter_folder, leave_folder);
	return chdir("/") || rmdir(place) || failed;
}
