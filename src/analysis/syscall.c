/*
 * syscall: system calls by name: how many, how many failed, and how long they took. Those
 * of code that is not instrumented are missing: trammel report tells which that is.
 *
 *     trammel run --tool syscall -- PROGRAM
 */
#include "calls.h"
#include "syscall_names.h"

#include <time.h>

enum { NUMBERS = 512 };

/* --- program --------------------------------------------------------------------- */

struct call {
	uint64_t times, failed, nanoseconds, longest;
	uint32_t number;
};

struct pending {
	uint64_t bank, number, since;
	bool is;
};

static struct call calls[NUMBERS];
static struct pending pending[THREADS];

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

TRAMMEL_ROUTINE void syscall_begin(struct place *place, uint64_t number, uint64_t first,
				   uint64_t second, uint64_t third, uint64_t bank)
{
	struct pending *call = THREAD_STATE(struct pending, pending, bank);

	(void)place;
	(void)first;
	(void)second;
	(void)third;
	call->number = number < NUMBERS ? number : NUMBERS - 1;
	COUNT(calls[call->number].times, 1);
	call->is = true;
	call->since = now_ns();
}

TRAMMEL_ROUTINE void syscall_end(int64_t returned, uint64_t bank)
{
	struct pending *call = THREAD_STATE(struct pending, pending, bank);
	struct call *row = &calls[call->number];
	uint64_t took = now_ns() - call->since;

	if (!call->is)
		return;
	call->is = false;
	COUNT(row->nanoseconds, took);
	if (took > row->longest)
		row->longest = took;
	if (call_failed(returned))
		COUNT(row->failed, 1);
}

static int by_time(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->nanoseconds != y->nanoseconds)
		return x->nanoseconds < y->nanoseconds ? 1 : -1;
	return x->times < y->times ? 1 : x->times > y->times ? -1 : 0;
}

TRAMMEL_ROUTINE void syscall_print(void)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < NUMBERS; i++) {
		calls[i].number = i;
		all += calls[i].times;
	}
	qsort(calls, NUMBERS, sizeof(calls[0]), by_time);
	fprintf(stderr, "syscall: %llu system calls\n", (unsigned long long)all);
	if (all)
		fprintf(stderr, "  %10s %10s %14s %14s  %s\n", "calls", "failed",
			"time, us", "longest, us", "name");
	for (uint32_t i = 0; i < NUMBERS; i++) {
		const struct call *row = &calls[i];
		const char *name = syscall_names[row->number];

		if (!row->times)
			continue;
		fprintf(stderr, "  %10llu %10llu %14.1f %14.1f  ",
			(unsigned long long)row->times, (unsigned long long)row->failed,
			(double)row->nanoseconds / 1e3, (double)row->longest / 1e3);
		if (name)
			fprintf(stderr, "%s\n", name);
		else
			fprintf(stderr, "number %u\n", row->number);
	}
}

/* --- instrumentation ------------------------------------------------------------- */

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {NULL};

	options_check(api, argc, argv, names);
	calls_declare(api, "syscall_begin", "syscall_end");
	api->prototype("syscall_print()");
	trammel_add_call(api, trammel_program_end(), "syscall_print");
	return 0;
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	calls_of_function(api, function, "syscall_begin", "syscall_end");
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"syscall",
		"system calls: number, failures, time",
		start_tool,
		NULL,
		see_function,
		NULL};
