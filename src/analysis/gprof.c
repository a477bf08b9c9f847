/*
 * gprof: calls between functions, and instructions executed in each function and in what
 * it called. As in gprof, what a function used is shared out to its callers by how often
 * each called it; functions that call each other in a circle are taken together (S.
 * Graham et al., gprof: a call graph execution profiler, SIGPLAN 1982). Instructions are
 * exact.
 *
 *     trammel run --tool gprof:top=20 -- PROGRAM
 */
#include "tables.h"

enum { ARCS = 1 << 18, SHOWN = 5 };

struct function {
	struct place place;
	uint64_t size, runtime; /* bytes; address in the running program */
	uint64_t calls, self;
	/* Of the analysis: */
	double total; /* with its part of what it calls */
	uint64_t total_rounded;
	uint32_t number, low, circle; /* of Tarjan's algorithm; 0: not visited */
	bool open;
	struct arc *first; /* that leave it */
};

struct arc {
	uint64_t key; /* 0: free */
	uint64_t site;
	struct function *callee, *caller;
	uint64_t calls;
	struct arc *next; /* of the same caller */
};

/* --- program --------------------------------------------------------------------- */

static struct arc *arcs;
static uint64_t lost, top, arc_count;

TRAMMEL_ROUTINE void gprof_set(uint64_t rows)
{
	top = rows;
	arcs = calloc(ARCS, sizeof(*arcs));
}

TRAMMEL_ROUTINE void gprof_block(struct function *function, uint64_t instructions)
{
	COUNT(function->self, instructions);
}

TRAMMEL_ROUTINE void gprof_call(struct function *callee, uint64_t site, uint64_t pc)
{
	uint64_t key = (site ^ (uint64_t)(uintptr_t)callee << 17) * 0x9e3779b97f4a7c15;

	callee->runtime = pc;
	if (!callee->place.used)
		place_use(&callee->place);
	COUNT(callee->calls, 1);
	key += !key;
	for (uint64_t i = 0, at = key >> 32; arcs && i < 256; i++, at++) {
		struct arc *arc = &arcs[at % ARCS];
		uint64_t old = __atomic_load_n(&arc->key, __ATOMIC_RELAXED);

		if (!old &&
		    __atomic_compare_exchange_n(&arc->key, &old, key, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			arc->site = site;
			arc->callee = callee;
			old = key;
		}
		if (old == key) {
			COUNT(arc->calls, 1);
			return;
		}
	}
	COUNT(lost, 1);
}

static int by_runtime(const void *a, const void *b)
{
	const struct function *x = *(struct function *const *)a;
	const struct function *y = *(struct function *const *)b;

	return (x->runtime > y->runtime) - (x->runtime < y->runtime);
}

/* The function that an address is in; NULL: it was not instrumented. */
static struct function *function_at(struct place **list, size_t count, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (((struct function *)list[middle])->runtime <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	struct function *function = (struct function *)list[low - 1];

	return address <= function->runtime + function->size ? function : NULL;
}

static int by_calls(const void *a, const void *b)
{
	const struct arc *x = a, *y = b;

	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return (x->site > y->site) - (x->site < y->site);
}

/* Sorts the arcs, finds their callers, and hangs them to these. */
static void link_arcs(void)
{
	size_t count;
	struct place **list = places_sort(by_runtime, &count);

	qsort(arcs, ARCS, sizeof(*arcs), by_calls);
	while (arc_count < ARCS && arcs[arc_count].calls)
		arc_count++;
	for (uint64_t i = 0; list && i < arc_count; i++) {
		struct arc *arc = &arcs[i];

		arc->caller = function_at(list, count, trammel_original(arc->site));
		if (!arc->caller)
			continue;
		arc->next = arc->caller->first;
		arc->caller->first = arc;
	}
	free(list);
}

static struct function **stack;
static size_t stacked;
static uint32_t visited, circles;

/* Calls of all functions of the circle of `function` from outside of it, and what they
 * all used. */
static void sum_circle(const struct function *function, double *ret_used,
		       uint64_t *ret_calls)
{
	*ret_used = 0;
	*ret_calls = 0;
	for (struct place *place = places_used; place; place = place->next) {
		struct function *member = (struct function *)place;

		if (member->circle == function->circle)
			*ret_used += member->total;
	}
	for (uint64_t i = 0; i < arc_count; i++)
		if (arcs[i].callee->circle == function->circle &&
		    (!arcs[i].caller || arcs[i].caller->circle != function->circle))
			*ret_calls += arcs[i].calls;
}

/* Finds circles (R. Tarjan, SIAM J. Computing 1(2), 1972); callees are done first, so the
 * sums of a circle are known when it is closed. */
static void visit_function(struct function *function)
{
	function->number = function->low = ++visited;
	function->open = true;
	stack[stacked++] = function;
	for (struct arc *arc = function->first; arc; arc = arc->next) {
		struct function *callee = arc->callee;

		if (!callee->number)
			visit_function(callee);
		if (callee->open && callee->low < function->low)
			function->low = callee->low;
	}
	if (function->low != function->number)
		return;
	circles++;
	do {
		stack[--stacked]->circle = circles;
		stack[stacked]->open = false;
	} while (stack[stacked] != function);
}

/* Shares what a circle used out to the functions outside that called into it. */
static void share_circle(uint32_t circle)
{
	struct function any = {.circle = circle};
	uint64_t calls;
	double used;

	sum_circle(&any, &used, &calls);
	for (uint64_t i = 0; calls && i < arc_count; i++) {
		struct arc *arc = &arcs[i];

		if (arc->callee->circle == circle && arc->caller &&
		    arc->caller->circle != circle)
			arc->caller->total += used * (double)arc->calls / (double)calls;
	}
}

static int by_total(const void *a, const void *b)
{
	const struct function *x = *(struct function *const *)a;
	const struct function *y = *(struct function *const *)b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return place_compare(&x->place, x->self, &y->place, y->self);
}

/* Writes the arcs that lead to a function, or from it, most calls first. */
static void print_arcs(const struct function *function, bool callers)
{
	int shown = 0;

	for (uint64_t i = 0; i < arc_count && shown < SHOWN; i++) {
		const struct arc *arc = &arcs[i];
		const struct function *other = callers ? arc->caller : arc->callee;

		if ((callers ? arc->callee : arc->caller) != function)
			continue;
		shown++;
		fprintf(stderr, "  %38s %12llu  %s ", "", (unsigned long long)arc->calls,
			callers ? "<-" : "->");
		print_place(other ? &other->place : NULL);
		fputc('\n', stderr);
	}
}

static void print_all_arcs(const void *row)
{
	print_arcs((const struct function *)row, true);
	print_arcs((const struct function *)row, false);
}

static const struct column columns[] = {
	COLUMN("total", "total", 8, SUM, PART, function, total_rounded),
	COLUMN(NULL, "self", 8, NONE, PART, function, self),
	COLUMN("self", "self, instructions", 19, SUM, NUMBER, function, self),
	COLUMN("calls", "calls", 13, SUM, NUMBER, function, calls),
};
static const struct table table = {"functions", TABLE_COLUMNS(columns), row_place,
				   "function, callers, callees", print_all_arcs};

static const struct column arc_columns[] = {
	COLUMN("caller", NULL, 0, KEY, PC, arc, site),
	COLUMN("calls", NULL, 0, SUM, NUMBER, arc, calls),
};

static const struct place *callee_place(const void *row)
{
	return &((const struct arc *)row)->callee->place;
}

static const struct table arc_table = {"arcs", TABLE_COLUMNS(arc_columns), callee_place,
				       NULL, NULL};

static void record_arcs(void)
{
	const void **list = calloc(arc_count + 1, sizeof(*list));
	const struct table_rows rows = {list, arc_count, 0, 0};

	for (uint64_t i = 0; list && i < arc_count; i++)
		list[i] = &arcs[i];
	if (list)
		table_record(&arc_table, &rows);
	free(list);
}

TRAMMEL_ROUTINE void gprof_print(void)
{
	uint64_t all = 0;
	struct place **list;
	size_t count = 0;

	if (!arcs)
		return;
	link_arcs();
	for (struct place *place = places_used; place; place = place->next) {
		struct function *function = (struct function *)place;

		function->total = (double)function->self;
		all += function->self;
		count++;
	}
	stack = calloc(count + 1, sizeof(struct function *));
	for (struct place *place = places_used; stack && place; place = place->next)
		if (!((struct function *)place)->number)
			visit_function((struct function *)place);
	for (uint32_t i = 1; i <= circles; i++)
		share_circle(i);
	list = places_sort(by_total, &count);
	fprintf(stderr, "gprof: %llu instructions in %zu functions\n",
		(unsigned long long)all, count);
	for (size_t i = 0; i < count; i++) {
		struct function *row = (struct function *)list[i];

		row->total_rounded = (uint64_t)(row->total + 0.5);
	}
	table_write_places(&table, list, count, top, all);
	record_arcs();
	if (lost)
		fprintf(stderr, "  %llu calls are in no arc: there was no room\n",
			(unsigned long long)lost);
	free(stack);
}

TRAMMEL_ROUTINE void gprof_fork(void)
{
	table_forget_places(&table);
	for (int i = 0; arcs && i < ARCS; i++)
		arcs[i].calls = 0;
}

/* --- instrumentation ------------------------------------------------------------- */

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {"top", NULL};

	options_check(api, argc, argv, names);
	table_call_at_fork(api, "gprof_fork");
	api->prototype("gprof_set(uint64_t)");
	api->prototype("gprof_block(void *, uint64_t)");
	api->prototype("gprof_call(void *, uint64_t, uint64_t)");
	api->prototype("gprof_print()");
	trammel_add_call(api, trammel_program_start(), "gprof_set",
			 trammel_int((int64_t)option_number(api, argc, argv, "top", 20)));
	trammel_add_call(api, trammel_program_end(), "gprof_print");
	return 0;
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	const struct trammel_code *code = api->code(function);
	struct function *row;
	struct trammel_argument data;

	if (!code || function->part_of)
		return;
	row = PLACE_NEW(struct function, api, function, NULL);
	if (!row)
		return;
	row->size = function->size;
	data = trammel_data(row, sizeof(*row));
	trammel_add_call(api, trammel_entry(function), "gprof_call", data,
			 trammel_caller(), trammel_pc());
	for (uint32_t i = 0; i < code->block_count; i++)
		trammel_add_call(api, trammel_block_begin(&code->blocks[i]),
				 "gprof_block", data,
				 trammel_int(code->blocks[i].instruction_count));
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"gprof",
		"call graph with instructions, shared out to callers\ntop=N (20)",
		start_tool,
		NULL,
		see_function,
		NULL};
