/*
 * syscall: system calls by name: how many, how many failed, and how long they took. Those
 * of code that is not instrumented are missing: trammel report tells which that is.
 *
 *     trammel run --tool syscall -- PROGRAM
 *     trammel run --tool syscall:by=region -- PROGRAM
 */
#include "calls.h"
#include "syscall_names.h"

#include <time.h>

enum { NUMBERS = 512, ROWS = 4096 };

/* --- program --------------------------------------------------------------------- */

struct call {
	uint64_t times, failed, nanoseconds, longest;
	uint64_t key;            /* of the row; 0: it is free */
	uint64_t number, region; /* region: as places_region has it */
	char name[32];
};

struct pending {
	uint64_t bank, since;
	struct call *row; /* NULL: none is under way */
};

static struct call calls[ROWS]; /* by number and region; the last one: all others */
static bool by_region;
static struct pending pending[THREADS];

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

TRAMMEL_ROUTINE void syscall_set(int regions)
{
	by_region = regions;
}

/* The row of calls; made if it is new. A row is free until its key is written. */
static struct call *row_of(uint64_t number, uint64_t region)
{
	const uint64_t key = (number + 1) << 32 | region;

	for (uint64_t i = 0, at = number + region * NUMBERS; i < ROWS - 1; i++, at++) {
		struct call *row = &calls[at % (ROWS - 1)];
		uint64_t old = 0;

		if (__atomic_compare_exchange_n(&row->key, &old, key, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
		    old == key)
			return row;
	}
	return &calls[ROWS - 1];
}

TRAMMEL_ROUTINE void syscall_begin(struct place *place, uint64_t number, uint64_t first,
				   uint64_t second, uint64_t third, uint64_t bank)
{
	struct pending *call = THREAD_STATE(struct pending, pending, bank);

	(void)place;
	(void)first;
	(void)second;
	(void)third;
	call->row = row_of(number < NUMBERS ? number : NUMBERS - 1,
			   by_region ? places_region() : 0);
	COUNT(call->row->times, 1);
	call->since = now_ns();
}

TRAMMEL_ROUTINE void syscall_end(int64_t returned, uint64_t bank)
{
	struct pending *call = THREAD_STATE(struct pending, pending, bank);
	struct call *row = call->row;
	uint64_t took = now_ns() - call->since;

	if (!row)
		return;
	call->row = NULL;
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

static const struct column columns[] = {
	COLUMN("calls", "calls", 10, SUM, NUMBER, call, times),
	COLUMN("failed", "failed", 10, SUM, NUMBER, call, failed),
	COLUMN("time.ns", "time, us", 14, SUM, US, call, nanoseconds),
	COLUMN("time.ns", "longest, us", 14, MOST, US, call, longest),
	COLUMN("name", "name", 0, KEY, TEXT, call, name),
	COLUMN_REGION(call, region),
};
static const struct table table = {"calls", TABLE_COLUMNS(columns), NULL, NULL, NULL};

static void name_call(struct call *call)
{
	const char *name = NULL;

	call->number = (call->key >> 32) - 1;
	call->region = (uint32_t)call->key;
	if (call->key && call->number < NUMBERS)
		name = syscall_names[call->number];
	if (name)
		snprintf(call->name, sizeof(call->name), "%s", name);
	else if (call->key)
		snprintf(call->name, sizeof(call->name), "number %llu",
			 (unsigned long long)call->number);
	else
		snprintf(call->name, sizeof(call->name), "(others)");
}

TRAMMEL_ROUTINE void syscall_print(void)
{
	static const void *list[ROWS];
	struct table_rows rows = {list, 0, ROWS, 0};
	uint64_t all = 0;

	for (uint32_t i = 0; i < ROWS; i++)
		all += calls[i].times;
	qsort(calls, ROWS, sizeof(calls[0]), by_time);
	fprintf(stderr, "syscall: %llu system calls\n", (unsigned long long)all);
	for (uint32_t i = 0; i < ROWS; i++) {
		if (!calls[i].times)
			continue;
		name_call(&calls[i]);
		list[rows.count++] = &calls[i];
	}
	table_write(&table, &rows);
}

TRAMMEL_ROUTINE void syscall_fork(void)
{
	for (uint32_t i = 0; i < ROWS; i++)
		table_forget_row(&table, &calls[i]);
}

/* --- instrumentation ------------------------------------------------------------- */

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {"by", NULL};

	options_check(api, argc, argv, names);
	api->prototype("syscall_set(int)");
	trammel_add_call(api, trammel_program_start(), "syscall_set",
			 trammel_int(option_by_region(api, argc, argv)));
	table_call_at_fork(api, "syscall_fork");
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
		"system calls: number, failures, time\nby=region",
		start_tool,
		NULL,
		see_function,
		NULL};
