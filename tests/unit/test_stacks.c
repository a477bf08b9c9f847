/* What threads wait for: futexes of this process, parts of interrupted calls, sums, and
 * the tables that are made of them. */
#include "base/clock.h"
#include "stacks/futex.h"
#include "stacks/look.h"
#include "stacks/waits.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

/* As the kernel returns them. */
enum { RESTART_SYS = -512, RESTART_BLOCK = -516 };

enum { PC = 0x1002, CALL = 0x1000 };

static struct sampler *make_sampler(void)
{
	const struct sampler_options options = {
		.events = "task-clock",
		.rate = {.period = 1, .callpath = true},
		.threads = true,
	};
	struct sampler *sampler;

	assert_null(sampler_create(&options, &sampler));
	sampler->begin_ns = 1;
	return sampler;
}

static struct stacks_call make_call(int64_t number, const void *stack)
{
	return (struct stacks_call){
		.number = number, .rsp = (uintptr_t)stack, .pc = PC, .arguments = {99}};
}

static struct waits *make_waits(uint64_t threshold_ns)
{
	return waits_create(make_sampler(), threshold_ns);
}

static void destroy_waits(struct waits *waits)
{
	struct sampler *sampler = waits->sampler;

	waits_destroy(waits);
	sampler_destroy(sampler);
}

static struct waits_thread *add_self(struct waits *waits)
{
	return waits_add(waits, (uint32_t)getpid(), (uint32_t)getpid());
}

/* A part of a call: `ns` nanoseconds. */
static void pass(struct waits *waits, struct waits_thread *thread,
		 const struct stacks_call *call, uint64_t ns, int64_t result)
{
	static uint64_t now = 1000;

	waits_enter(waits, thread, call);
	waits_go_on(thread, now);
	now += ns;
	waits_leave(waits, thread, result, now);
}

static void expect_sums(const struct waits *waits, uint64_t times, uint64_t ns,
			uint64_t longest_ns)
{
	uint64_t got_times = 0, got_ns = 0, got_longest = 0;

	vector_for_each (&waits->sampler->sums.sums, sum) {
		got_times += sum->samples;
		got_ns += sum->events;
		if (sum->longest > got_longest)
			got_longest = sum->longest;
	}
	assert_int_equal(got_times, times);
	assert_int_equal(got_ns, ns);
	assert_int_equal(got_longest, longest_ns);
}

static void test_plain(void **state)
{
	uint64_t stack[64] = {0};
	struct waits *waits = make_waits(10);
	struct waits_thread *thread = add_self(waits);
	const struct stacks_call call = make_call(SYS_read, stack),
				 other = make_call(SYS_getpid, stack);

	(void)state;
	pass(waits, thread, &call, 9, 1);
	expect_sums(waits, 0, 0, 0);
	assert_int_equal(waits->short_waits, 1);
	pass(waits, thread, &call, 10, 1);
	pass(waits, thread, &call, 30, -EINTR);
	pass(waits, thread, &other, 1000, 1);
	expect_sums(waits, 2, 40, 30);
	waits_remove(waits, (uint32_t)getpid());
	assert_null(waits_find(waits, (uint32_t)getpid()));
	waits_remove(waits, (uint32_t)getpid());
	destroy_waits(waits);
}

/* Made again by the kernel: as it was, or as restart_syscall. */
static void test_restarted(void **state)
{
	uint64_t stack[64] = {0};
	struct waits *waits = make_waits(10);
	struct waits_thread *thread = add_self(waits);
	const struct stacks_call call = make_call(SYS_read, stack),
				 sleep = make_call(SYS_clock_nanosleep, stack),
				 again = make_call(SYS_restart_syscall, stack);

	(void)state;
	pass(waits, thread, &call, 6, RESTART_SYS);
	expect_sums(waits, 0, 0, 0);
	pass(waits, thread, &call, 6, 1);
	expect_sums(waits, 1, 12, 12);
	pass(waits, thread, &sleep, 20, RESTART_BLOCK);
	pass(waits, thread, &again, 5, 0);
	expect_sums(waits, 2, 37, 25);
	pass(waits, thread, &sleep, 11, 0);
	expect_sums(waits, 3, 48, 25);
	destroy_waits(waits);
}

/* With a handler in between, in which calls are made and interrupted, too. */
static void test_handled(void **state)
{
	uint64_t stack[64] = {0};
	struct waits *waits = make_waits(10);
	struct waits_thread *thread = add_self(waits);
	const struct stacks_call call = make_call(SYS_read, stack + 32),
				 inner = make_call(SYS_read, stack);

	(void)state;
	pass(waits, thread, &call, 10, RESTART_SYS);
	waits_handle(thread);
	pass(waits, thread, &inner, 10, RESTART_SYS);
	waits_handle(thread);
	waits_return(thread, CALL, inner.rsp);
	pass(waits, thread, &inner, 10, 1);
	waits_return(thread, CALL, call.rsp);
	pass(waits, thread, &call, 10, 1);
	expect_sums(waits, 2, 40, 20);
	/* It is over, and what looks the same is another one. */
	pass(waits, thread, &call, 10, RESTART_SYS);
	waits_handle(thread);
	waits_return(thread, PC, call.rsp);
	pass(waits, thread, &call, 10, 1);
	expect_sums(waits, 4, 60, 20);
	/* A jump out of handlers. */
	for (int i = 0; i < 2 * WAITS_PARTS; i++) {
		pass(waits, thread, &call, 10, RESTART_SYS);
		waits_handle(thread);
	}
	expect_sums(waits, 4 + 2 * WAITS_PARTS, 60 + 20 * WAITS_PARTS, 20);
	destroy_waits(waits);
}

/* What has not come back yet, and does so later after all. */
static void test_open(void **state)
{
	uint64_t stack[64] = {0};
	struct waits *waits = make_waits(10);
	struct waits_thread *thread = add_self(waits);
	const struct stacks_call call = make_call(SYS_read, stack);

	(void)state;
	waits_enter(waits, thread, &call);
	waits_go_on(thread, 5000);
	waits_take_open(waits, (uint32_t)getpid() + 1, 5100);
	expect_sums(waits, 0, 0, 0);
	waits_take_open(waits, (uint32_t)getpid(), 5100);
	expect_sums(waits, 1, 100, 100);
	waits_leave(waits, thread, 1, 5150);
	expect_sums(waits, 1, 150, 150);
	destroy_waits(waits);
}

struct held {
	pthread_mutex_t mutex;
	pthread_barrier_t begun, over;
	uint32_t tid;
};

static void *hold(void *argument)
{
	struct held *held = argument;

	held->tid = (uint32_t)gettid();
	pthread_mutex_lock(&held->mutex);
	pthread_barrier_wait(&held->begun);
	pthread_barrier_wait(&held->over);
	pthread_mutex_unlock(&held->mutex);
	return NULL;
}

static struct stacks_futex look(const void *word, int operation, uint32_t value)
{
	const struct stacks_call call = {
		.number = SYS_futex,
		.arguments = {(uintptr_t)word, (uint64_t)operation, value}};
	struct stacks_futex futex;

	stacks_futex_look((uint32_t)getpid(), &call, &futex);
	return futex;
}

static void test_futex(void **state)
{
	const int wait = FUTEX_WAIT | FUTEX_PRIVATE_FLAG;
	struct held held = {.mutex = PTHREAD_MUTEX_INITIALIZER};
	uint32_t noise[16] = {2, 0, UINT32_MAX, 1, 0}, word = (uint32_t)gettid();
	pthread_t thread;

	(void)state;
	pthread_barrier_init(&held.begun, NULL, 2);
	pthread_barrier_init(&held.over, NULL, 2);
	pthread_create(&thread, NULL, hold, &held);
	pthread_barrier_wait(&held.begun);
	assert_int_equal(look(&held.mutex, wait, 2).holder, held.tid);
	/* Another value, and other operations, are not of a mutex. */
	assert_int_equal(look(&held.mutex, wait, 1).holder, 0);
	assert_int_equal(look(&held.mutex, FUTEX_WAKE, 2).holder, 0);
	assert_int_equal(look(noise, wait, 2).holder, 0);
	assert_int_equal(look((void *)8, wait, 2).holder, 0);
	noise[0] = held.tid | FUTEX_WAITERS;
	assert_int_equal(look(noise, FUTEX_LOCK_PI, 0).holder, held.tid);
	assert_int_equal(look(&word, FUTEX_WAIT, word).ended, word);
	assert_int_equal(look(&word, wait, word).ended, 0);
	pthread_barrier_wait(&held.over);
	pthread_join(thread, NULL);
	assert_int_equal(look(&held.mutex, wait, 2).holder, 0);
}

static void *wait_for_byte(void *argument)
{
	const int *ends = argument;
	char byte;

	return read(ends[0], &byte, 1) == 1 ? argument : NULL;
}

static const struct stacks_row *find_row(const struct stacks *stacks, const char *words)
{
	vector_for_each (&stacks->rows, row)
		if (row->object.words.data && !strcmp(row->object.words.data, words))
			return row;
	return NULL;
}

/* A thread of this process is found asleep, at the same place each time. */
static void test_look(void **state)
{
	struct sampler *sampler = make_sampler();
	struct stacks *stacks = stacks_create(sampler);
	const struct stacks_row *row = NULL;
	struct text words = {0};
	pthread_t thread;
	uint32_t node = 0;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pthread_create(&thread, NULL, wait_for_byte, ends);
	text_format(&words, "pipe (fd %d)", ends[0]);
	for (int i = 0; i < 1000 && !row; i++) {
		stacks_clear(stacks);
		stacks_look(stacks, (uint32_t)getpid());
		row = find_row(stacks, words.data);
		usleep(row ? 0 : 10000);
	}
	assert_non_null(row);
	assert_int_equal(row->thread.state, STACKS_WAITING);
	assert_int_equal(row->thread.call.number, SYS_read);
	assert_int_not_equal(node = row->node, 0);
	stacks_clear(stacks);
	stacks_look(stacks, (uint32_t)getpid());
	row = find_row(stacks, words.data);
	assert_non_null(row);
	assert_int_equal(row->node, node);
	assert_int_equal(write(ends[1], "x", 1), 1);
	pthread_join(thread, NULL);
	text_deinit(&words);
	close(ends[0]);
	close(ends[1]);
	stacks_destroy(stacks);
	sampler_destroy(sampler);
}

static void test_gone(void **state)
{
	struct stacks_thread thread;
	char byte;

	(void)state;
	assert_false(stacks_thread_read(UINT32_MAX >> 1, UINT32_MAX >> 1, &thread));
	assert_int_equal(stacks_read_memory((uint32_t)getpid(), 16, &byte, 1), 0);
	assert_true(stacks_call_waits(SYS_futex));
	assert_false(stacks_call_waits(SYS_getpid));
	assert_false(stacks_call_waits(-1));
	assert_null(stacks_call_name(-1));
	assert_string_equal(stacks_call_name(SYS_read), "read");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),   cmocka_unit_test(test_restarted),
		cmocka_unit_test(test_handled), cmocka_unit_test(test_open),
		cmocka_unit_test(test_futex),   cmocka_unit_test(test_look),
		cmocka_unit_test(test_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
