/*
 * locks: misuse of pthread mutexes and condition variables: two locks taken in different
 * orders (which may become a deadlock, though it did not in this run), unlocking what
 * another thread holds, destroying what is held or waited for, waiting without the mutex,
 * and one condition variable waited for with two mutexes at once.
 *
 *     trammel run --tool locks -- PROGRAM
 */
#include "tables.h"

#include <pthread.h>

enum { LOCKS = 1 << 14, HELD = 64, ORDERS = 1 << 15, CONDITIONS = 1 << 12 };

/* What functions do. Those of the first kinds have happened when they have returned 0. */
enum kind { LOCK, UNLOCK, DESTROY, WAIT, WAIT_DESTROY };
static const struct {
	const char *name;
	uint8_t kind;
} lock_functions[] = {
	{"pthread_mutex_lock", LOCK},      {"pthread_mutex_trylock", LOCK},
	{"pthread_mutex_timedlock", LOCK}, {"pthread_mutex_clocklock", LOCK},
	{"pthread_mutex_unlock", UNLOCK},  {"pthread_mutex_destroy", DESTROY},
	{"pthread_cond_wait", WAIT},       {"pthread_cond_timedwait", WAIT},
	{"pthread_cond_clockwait", WAIT},  {"pthread_cond_destroy", WAIT_DESTROY},
};

/* --- program --------------------------------------------------------------------- */

struct lock {
	uint64_t address; /* 0: free row */
	uint64_t owner;   /* number of the thread; 0: nobody that was seen */
	uint32_t times;   /* that the owner has locked it */
	struct place *site;
};

struct condition {
	uint64_t address, mutex;
	uint32_t waiting;
};

/* A lock was taken while another was held. */
struct order {
	uint64_t held, taken;
	struct place *held_site, *taken_site;
	bool told;
};

struct locker {
	uint64_t bank;
	struct place *site;    /* of the call under way */
	uint64_t mutex, stack; /* stack 0: no call is under way */
	uint64_t condition;    /* 0: none */
	uint32_t count;
	struct lock *held[HELD];
};

static struct locker lockers[THREADS];
static struct lock table[LOCKS];
static struct order orders[ORDERS];
static struct condition conditions[CONDITIONS];
static uint32_t order_count;
static uint64_t taken, problems, lost;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void print_site(const char *what, const struct place *site)
{
	fprintf(stderr, "    %s ", what);
	print_place(site);
	fputc('\n', stderr);
}

/* A problem, as it is recorded, with where it was seen. */
struct problem {
	char text[96];
	uint64_t times;
	const struct place *place, *other;
};

static const struct place *problem_place(const void *row)
{
	return ((const struct problem *)row)->place;
}

static const struct column problem_columns[] = {
	COLUMN("problem", NULL, 0, KEY, TEXT, problem, text),
	COLUMN("other", NULL, 0, KEY, PLACE, problem, other),
	COLUMN("times", NULL, 0, SUM, NUMBER, problem, times),
};
static const struct table problem_table = {"problems", TABLE_COLUMNS(problem_columns),
					   problem_place, NULL, NULL};

static void tell_problem(const char *problem, uint64_t address, const struct place *place,
			 const struct place *other)
{
	struct problem row = {.times = 1, .place = place, .other = other};

	problems++;
	place_copy(row.text, sizeof(row.text), problem);
	table_record_row(&problem_table, &row);
	fprintf(stderr, "locks: %s (0x%llx)\n", problem, (unsigned long long)address);
}

/* The row for an address in a table by hash, whose rows of `size` bytes begin with their
 * addresses, 0: free; it is taken if there is none yet. Rows stay, for their addresses
 * alone. NULL: the table is full. */
static void *row_at(void *rows, uint64_t count, size_t size, uint64_t address)
{
	uint64_t at = address * 0x9e3779b97f4a7c15 >> 32;

	for (uint64_t i = 0; i < count; i++, at++) {
		uint64_t *row = (uint64_t *)((char *)rows + at % count * size);

		if (!*row)
			*row = address;
		if (*row == address)
			return row;
	}
	lost++;
	return NULL;
}

static struct lock *lock_at(uint64_t address)
{
	return row_at(table, LOCKS, sizeof(table[0]), address);
}

static struct condition *condition_at(uint64_t address)
{
	return row_at(conditions, CONDITIONS, sizeof(conditions[0]), address);
}

/* The order in which `to` was taken, maybe by way of others, while `from` was held; NULL:
 * it never was. `seen` has a byte for each order. */
static struct order *find_way(uint64_t from, uint64_t to, uint8_t *seen)
{
	for (uint32_t i = 0; i < order_count; i++) {
		struct order *row = &orders[i];

		if (row->held != from || seen[i])
			continue;
		seen[i] = 1;
		if (row->taken == to || find_way(row->taken, to, seen))
			return row;
	}
	return NULL;
}

static void tell_order(struct order *order)
{
	uint8_t *seen = calloc(order_count + 1, 1);
	struct order *other = seen ? find_way(order->taken, order->held, seen) : NULL;

	free(seen);
	if (!other || order->told)
		return;
	order->told = other->told = true;
	tell_problem("two locks are taken in different orders", order->taken,
		     order->taken_site, other->taken_site);
	print_site("taken at", order->taken_site);
	print_site("while another was held, taken at", order->held_site);
	print_site("in the other order taken at", other->taken_site);
	print_site("while this one was held, taken at", other->held_site);
}

static void note_order(const struct lock *held, const struct lock *lock)
{
	for (uint32_t i = 0; i < order_count; i++)
		if (orders[i].held == held->address && orders[i].taken == lock->address)
			return;
	if (order_count == ORDERS) {
		lost++;
		return;
	}
	orders[order_count++] = (struct order){.held = held->address,
					       .taken = lock->address,
					       .held_site = held->site,
					       .taken_site = lock->site};
	tell_order(&orders[order_count - 1]);
}

static void take_lock(struct locker *locker, uint64_t address)
{
	struct lock *lock = lock_at(address);

	taken++;
	if (!lock)
		return;
	if (lock->owner == locker->bank) {
		lock->times++;
		return;
	}
	lock->owner = locker->bank;
	lock->times = 1;
	lock->site = locker->site;
	for (uint32_t i = 0; i < locker->count; i++)
		note_order(locker->held[i], lock);
	if (locker->count < HELD)
		locker->held[locker->count++] = lock;
}

/* Takes a lock from the thread that holds it. */
static void release_lock(struct locker *locker, struct lock *lock)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < locker->count; i++)
		if (locker->held[i] != lock)
			locker->held[kept++] = locker->held[i];
	locker->count = kept;
	lock->owner = 0;
	lock->times = 0;
}

static void unlock_mutex(struct locker *locker, uint64_t address)
{
	struct lock *lock = lock_at(address);

	if (!lock)
		return;
	if (lock->owner && lock->owner != locker->bank) {
		tell_problem("a mutex is unlocked by a thread that does not hold it",
			     address, locker->site, lock->site);
		print_site("at", locker->site);
		print_site("it was locked at", lock->site);
		release_lock(THREAD_STATE(struct locker, lockers, lock->owner), lock);
	}
	if (lock->owner && --lock->times == 0)
		release_lock(locker, lock);
}

static void forget_orders(uint64_t address)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < order_count; i++)
		if (orders[i].held != address && orders[i].taken != address)
			orders[kept++] = orders[i];
	order_count = kept;
}

static void destroy_mutex(struct locker *locker, uint64_t address)
{
	struct lock *lock = lock_at(address);

	if (lock && lock->owner) {
		tell_problem("a mutex is destroyed while it is held", address,
			     locker->site, lock->site);
		print_site("at", locker->site);
		print_site("it was locked at", lock->site);
		release_lock(THREAD_STATE(struct locker, lockers, lock->owner), lock);
	}
	forget_orders(address);
}

static void begin_wait(struct locker *locker, uint64_t address, uint64_t mutex)
{
	struct condition *condition = condition_at(address);
	struct lock *lock = lock_at(mutex);

	if (lock && lock->owner != locker->bank) {
		tell_problem("a thread waits for a condition without holding the mutex",
			     address, locker->site, NULL);
		print_site("at", locker->site);
	}
	if (lock && lock->owner == locker->bank)
		release_lock(locker, lock);
	if (!condition)
		return;
	if (condition->waiting && condition->mutex != mutex) {
		tell_problem("a condition is waited for with two mutexes at once",
			     address, locker->site, NULL);
		print_site("at", locker->site);
	}
	condition->mutex = mutex;
	condition->waiting++;
}

static void end_wait(struct locker *locker)
{
	struct condition *condition = condition_at(locker->condition);

	if (condition && condition->waiting)
		condition->waiting--;
	take_lock(locker, locker->mutex);
}

static void destroy_condition(const struct locker *locker, uint64_t address)
{
	const struct condition *condition = condition_at(address);

	if (!condition || !condition->waiting)
		return;
	tell_problem("a condition is destroyed while a thread waits for it", address,
		     locker->site, NULL);
	print_site("at", locker->site);
}

/* A call of a lock function comes next. */
TRAMMEL_ROUTINE void locks_site(struct place *site, uint64_t bank)
{
	THREAD_STATE(struct locker, lockers, bank)->site = site;
}

TRAMMEL_ROUTINE void locks_begin(uint64_t kind, uint64_t first, uint64_t second,
				 uint64_t stack, uint64_t bank)
{
	struct locker *locker = THREAD_STATE(struct locker, lockers, bank);

	pthread_mutex_lock(&guard);
	locker->stack = kind == LOCK || kind == WAIT ? stack : 0;
	locker->mutex = kind == WAIT ? second : first;
	locker->condition = kind == WAIT ? first : 0;
	if (kind == UNLOCK)
		unlock_mutex(locker, first);
	else if (kind == DESTROY)
		destroy_mutex(locker, first);
	else if (kind == WAIT)
		begin_wait(locker, first, second);
	else if (kind == WAIT_DESTROY)
		destroy_condition(locker, first);
	pthread_mutex_unlock(&guard);
}

/* A lock was taken, if nothing failed; a wait ends with the mutex in any case. */
TRAMMEL_ROUTINE void locks_end(uint64_t returned, uint64_t stack, uint64_t bank)
{
	struct locker *locker = THREAD_STATE(struct locker, lockers, bank);

	if (locker->stack != stack)
		return;
	locker->stack = 0;
	pthread_mutex_lock(&guard);
	if (locker->condition)
		end_wait(locker);
	else if (!(uint32_t)returned)
		take_lock(locker, locker->mutex);
	locker->site = NULL;
	pthread_mutex_unlock(&guard);
}

struct totals {
	uint64_t taken, problems;
};

static const struct column totals_columns[] = {
	COLUMN("locked", NULL, 0, SUM, NUMBER, totals, taken),
	COLUMN("problems", NULL, 0, SUM, NUMBER, totals, problems),
};
static const struct table totals_table = {"totals", TABLE_COLUMNS(totals_columns), NULL,
					  NULL, NULL};

TRAMMEL_ROUTINE void locks_print(void)
{
	const struct totals totals = {taken, problems};

	table_record_row(&totals_table, &totals);
	fprintf(stderr, "locks: mutexes were locked %llu times, %llu problem%s\n",
		(unsigned long long)taken, (unsigned long long)problems,
		problems == 1 ? "" : "s");
	if (lost)
		fprintf(stderr, "  %llu times there was no room to look further\n",
			(unsigned long long)lost);
}

/* --- instrumentation ------------------------------------------------------------- */

/* The kind of a function by its name, also that inside of the C library; -1: another. */
static int kind_of(const char *name)
{
	size_t length = name ? strcspn(name, "@") : 0;

	if (length > 2 && !strncmp(name, "__", 2)) {
		name += 2;
		length -= 2;
	}
	for (size_t i = 0; i < sizeof(lock_functions) / sizeof(lock_functions[0]); i++)
		if (length == strlen(lock_functions[i].name) &&
		    !strncmp(name, lock_functions[i].name, length))
			return lock_functions[i].kind;
	return -1;
}

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {NULL};

	options_check(api, argc, argv, names);
	api->prototype("locks_site(void *, uint64_t)");
	api->prototype("locks_begin(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t)");
	api->prototype("locks_end(uint64_t, uint64_t, uint64_t)");
	api->prototype("locks_print()");
	trammel_add_call(api, trammel_program_end(), "locks_print");
	return 0;
}

static void see_lock(const struct trammel_api *api,
		     const struct trammel_function *function,
		     const struct trammel_code *code, int kind)
{
	trammel_add_call(api, trammel_entry(function), "locks_begin", trammel_int(kind),
			 trammel_argument_of(0), trammel_argument_of(1),
			 trammel_register(TRAMMEL_RSP), trammel_thread());
	for (uint32_t i = 0; i < code->instruction_count; i++)
		if (code->instructions[i].kind == TRAMMEL_RETURN)
			trammel_add_call(api, trammel_before(&code->instructions[i]),
					 "locks_end", trammel_returned(),
					 trammel_register(TRAMMEL_RSP), trammel_thread());
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	const struct trammel_code *code = api->code(function);

	if (code && !function->part_of && kind_of(function->name) >= 0)
		see_lock(api, function, code, kind_of(function->name));
	for (uint32_t i = 0; code && i < code->instruction_count; i++) {
		const struct trammel_instruction *row = &code->instructions[i];
		bool calls =
			row->kind == TRAMMEL_CALL || row->kind == TRAMMEL_CALL_INDIRECT ||
			row->kind == TRAMMEL_JUMP || row->kind == TRAMMEL_JUMP_INDIRECT;

		if (calls && kind_of(api->callee_name(row)) >= 0)
			trammel_add_call(
				api, trammel_before(row), "locks_site",
				trammel_data(PLACE_NEW(struct place, api, function, row),
					     sizeof(struct place)),
				trammel_thread());
	}
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"locks",
		"misuse of mutexes and condition variables; lock orders",
		start_tool,
		NULL,
		see_function,
		NULL};
