/*
 * Programs for the tests of loop_monitor, region_monitor and what is built on them: the
 * first word says what to do. `monitors.py` knows what each must have said.
 */
#include <caliper/cali.h>
#include <trammel/annotate.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void pause_ms(int ms)
{
	const struct timespec time = {0, ms * 1000000l};

	nanosleep(&time, NULL);
}

/* Loops of <caliper/cali.h>: one in another. */
static void loops(int count)
{
	cali_begin_region("main");
	CALI_MARK_LOOP_BEGIN(outer, "outer");
	for (int i = 0; i < count; i++) {
		CALI_MARK_ITERATION_BEGIN(outer, i);
		cali_begin_region("step");
		CALI_MARK_LOOP_BEGIN(inner, "inner \"loop\"");
		for (int j = 0; j < 4; j++) {
			CALI_MARK_ITERATION_BEGIN(inner, j);
			CALI_MARK_ITERATION_END(inner);
		}
		CALI_MARK_LOOP_END(inner);
		cali_end_region("step");
		CALI_MARK_ITERATION_END(outer);
	}
	CALI_MARK_LOOP_END(outer);
	cali_end_region("main");
}

/* Loops of <trammel/annotate.h>, one behind the other: each pass is a context. */
static void passes(int count)
{
	for (int i = 0; i < count; i++) {
		TRM_LOOP("first", i)
		{
			TRM_REGION("step");
		}
	}
	for (int i = 0; i < count; i++) {
		TRM_LOOP("second", i)
		{
			TRM_LOOP("within", i)
			{
			}
		}
	}
}

/* Iterations that take longer and longer. */
static void slower(int count)
{
	CALI_MARK_LOOP_BEGIN(slow, "slow");
	for (int i = 0; i < count; i++) {
		CALI_MARK_ITERATION_BEGIN(slow, i);
		pause_ms(i);
		CALI_MARK_ITERATION_END(slow);
	}
	CALI_MARK_LOOP_END(slow);
}

static void *run_loops(void *count)
{
	loops(*(int *)count);
	return NULL;
}

static void threads(int count)
{
	pthread_t other;

	pthread_create(&other, NULL, run_loops, &count);
	loops(count);
	pthread_join(other, NULL);
}

/* What region_monitor measures: `long`, not what it is in, nor what is short. */
static void regions(int count)
{
	for (int i = 0; i < count; i++) {
		cali_begin_region("around");
		cali_begin_region("short");
		cali_end_region("short");
		cali_begin_region("long");
		cali_begin_region("short");
		cali_end_region("short");
		pause_ms(20);
		cali_end_region("long");
		cali_end_region("around");
	}
}

/* Events between two marks, when all contexts are known: count.c and strace look on. */
static void steady(int count)
{
	loops(2);
	passes(2);
	syscall(SYS_getpgid, -1L);
	loops(count);
	passes(count);
	syscall(SYS_getpgid, -3L);
}

int main(int word_count, char **words)
{
	static const struct {
		const char *name;
		void (*run)(int count);
	} rows[] = {
		{"loops", loops},     {"passes", passes},   {"slower", slower},
		{"threads", threads}, {"regions", regions}, {"steady", steady},
	};

	cali_init();
	for (size_t i = 0; word_count > 2 && i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].name, words[1]) != 0)
			continue;
		rows[i].run(atoi(words[2]));
		return 0;
	}
	return 2;
}
