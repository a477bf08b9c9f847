#include "session/adapt/hot.h"

#include "base/bits.h"
#include "base/clock.h"
#include "code/plan/plan_rows.h"
#include "session/adapt/poll_schedule.h"
#include "session/count/read_banks.h"
#include "session/state/fired_state.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

/* A moment is 1/MOMENTS of the time that the program has run: code that runs in each
 * of some moments has run some thousand times. */
enum { MOMENTS = 5000, SHORTEST_NS = 20000, LONGEST_NS = 2000000, ROUNDS = 8 };

/* Where all looks took less than 1/LITTLE of the time, there is time for functions
 * that run less often, too: a moment is lengthened in proportion, at most LONGER
 * times. */
enum { LITTLE = 32, LONGER = 16 };

/* Nanoseconds to unpatch a function; greatest part of the program's run time, 1/SHARE,
 * that unpatching after one look may take; and number of further rounds in which
 * functions are asked whether they run. */
enum { HOME_NS = 80000, SHARE = 64, MORE_ROUNDS = 128 };

/* Limits for functions that run less often: unpatching them, WARM_NS nanoseconds each,
 * may take 1/WARM_SHARE of the time since WARM_AFTER_NS. The functions found to run
 * most often go first, and none that was found to run less than WARM_LEAST times.
 * Threads are not stopped for fewer than WARM_FEW functions, and not for more than
 * WARM_MOST at once, so that their own work does not wait long. */
enum {
	WARM_NS = 30000,
	WARM_SHARE = 16,
	WARM_LEAST = 2,
	WARM_FEW = 16,
	WARM_MOST = 1024
};
#define WARM_AFTER_NS 500000000u

/* A moment that took more than LATE times as long does not count. After more than
 * LATE_MAX such moments the search is given up. */
enum { LATE = 3, LATE_MAX = 16 };

/* One look at the flags of a space. */
struct glance {
	struct space_fired *fired;
	const struct module_file *file; /* of the last flag: they come in order */
	const struct plan_function *function;
};

static uint64_t age_of(const struct session *session)
{
	return clock_now_ns() - session->fired_schedule.begin;
}

/* Returns whether functions of a process may be unpatched. */
static bool may_go(const struct session *session, const struct process *process)
{
	return poll_schedule_may_change(process) &&
	       !fired_costs_forks(session, process->space);
}

/* The bits of a file, of which there may be `count`. */
static uint64_t *bits_of(struct file_bits *bits, const struct module_file *file,
			 size_t count)
{
	while (bits->count <= file->index)
		vector_push(bits, NULL);
	if (!bits->items[file->index])
		bits->items[file->index] =
			memory_allocate_zeroed(bit_words(count), sizeof(uint64_t));
	return bits->items[file->index];
}

static void let_wait(struct space_fired *fired, const struct fired_function *row)
{
	bit_set(fired->waits.items[row->file], row->function);
	vector_push(&fired->waiting, *row);
}

static struct fired_function fired_function(const struct module_file *file,
					    const struct plan_function *function)
{
	return (struct fired_function){
		file->index, (uint32_t)(function - file->plan->functions.items),
		function->slots, plan_slots_of(file->plan, function), 0};
}

/* A flag that was set since it was marked last. */
static void see_counter(void *context, const struct module_file *file, uint32_t slot,
			uint64_t count)
{
	struct glance *glance = context;
	const struct plan *plan = file->plan;
	struct fired_function row;
	size_t function;

	(void)count;
	if (fired_has_seen(glance->fired, file, slot))
		return;
	bit_set(bits_of(&glance->fired->seen, file, plan->slot_count), slot);
	glance->function = plan_function_of_slot(
		plan, file == glance->file ? glance->function : NULL, slot);
	glance->file = file;
	if (!glance->function)
		return;
	function = (size_t)(glance->function - plan->functions.items);
	if (bit_test(bits_of(&glance->fired->waits, file, plan->functions.count),
		     function))
		return;
	row = fired_function(file, glance->function);
	let_wait(glance->fired, &row);
}

static void look_for_hot(const struct session *session)
{
	vector_for_each (&session->all_processes, process) {
		struct glance glance = {0};

		if (!may_go(session, *process))
			continue;
		glance.fired = &(*process)->space->fired;
		banks_mark(session, *process, glance.fired->afresh, see_counter, &glance);
		glance.fired->afresh = false;
	}
}

/* Makes waiting functions hot that had run more than `often` times when they were
 * asked, and `rest` of the functions that had run just `often` times. Returns the
 * number of hot functions. */
static size_t take_waiting(const struct session *session, uint32_t often, size_t rest)
{
	size_t count = 0;

	vector_for_each (&session->all_processes, process) {
		struct space_fired *fired = &(*process)->space->fired;
		size_t kept = 0;

		if (!may_go(session, *process))
			continue;
		vector_for_each (&fired->waiting, row) {
			if (row->ran < often || (row->ran == often && !rest)) {
				fired->waiting.items[kept++] = *row;
				continue;
			}
			rest -= row->ran == often;
			bit_clear(fired->waits.items[row->file], row->function);
			vector_push(&fired->hot, *row);
		}
		fired->waiting.count = kept;
		count += fired->hot.count;
	}
	return count;
}

/* Moves hot functions that did not run since they were asked last back to the waiting
 * ones; with `all` none is moved. Returns the number of hot functions. */
static size_t ask_hot(const struct session *session, bool all)
{
	size_t count = 0;

	vector_for_each (&session->all_processes, process) {
		struct space_fired *fired = &(*process)->space->fired;
		size_t kept = 0;

		if (!may_go(session, *process))
			continue;
		vector_for_each (&fired->hot, row) {
			bool ran = banks_mark_some(*process, row->file, row->slot,
						   row->slot_count);

			row->ran += ran && row->ran < FIRED_RAN_MAX;
			if (ran || all)
				fired->hot.items[kept++] = *row;
			else
				let_wait(fired, row);
		}
		fired->hot.count = kept;
		count += kept;
	}
	return count;
}

static uint64_t moment_ns(const struct session *session)
{
	const struct poll_schedule *looks = &session->fired_schedule;
	const uint64_t age = age_of(session), much = looks->spent * LITTLE;
	uint64_t ns = age / MOMENTS;

	/* Nothing is known at the first look. */
	if (much && much < age)
		ns *= age / much < LONGER ? age / much : LONGER;
	if (ns < SHORTEST_NS)
		return SHORTEST_NS;
	return ns < LONGEST_NS ? ns : LONGEST_NS;
}

/* Sleeps for `ns` nanoseconds, since mostly the program runs on the processor that the
 * tracer woke on. Returns false if that took much longer, as when other programs have
 * the processor. */
static bool wait_a_moment(uint64_t ns)
{
	const uint64_t now = clock_now_ns();

	prctl(PR_SET_TIMERSLACK, 1);
	nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
	prctl(PR_SET_TIMERSLACK, 0);
	return clock_now_ns() - now <= LATE * ns + SHORTEST_NS;
}

static void let_all_wait(const struct session *session)
{
	vector_for_each (&session->all_processes, process) {
		struct space_fired *fired = &(*process)->space->fired;

		if (!may_go(session, *process))
			continue;
		vector_for_each (&fired->hot, row)
			let_wait(fired, row);
		fired->hot.count = 0;
	}
}

/* Returns whether unpatching `count` functions takes more time than it is likely to
 * save. */
static bool are_too_many(const struct session *session, size_t count)
{
	return count * HOME_NS > age_of(session) / SHARE;
}

/* Reduces too many hot functions to the ones that run most often. Returns their
 * number. */
static size_t choose_hottest(const struct session *session, size_t count)
{
	for (unsigned i = 0; i < MORE_ROUNDS && are_too_many(session, count); i++)
		count = ask_hot(session, false);
	return count;
}

/* Returns the number of functions that may be unpatched without being hot. */
static size_t warm_room(const struct session *session)
{
	const uint64_t age = age_of(session);
	const uint64_t since = age > WARM_AFTER_NS ? age - WARM_AFTER_NS : 0;
	const uint64_t all = since / WARM_SHARE / WARM_NS;
	const uint64_t room = all > session->warm ? all - session->warm : 0;

	return room < WARM_MOST ? room : WARM_MOST;
}

/* Adds to `counts`, for each number of runs, the waiting functions that had run that
 * often when they were asked. */
static void count_waiting(const struct session *session, size_t *counts)
{
	vector_for_each (&session->all_processes, process)
		if (may_go(session, *process))
			vector_for_each (&(*process)->space->fired.waiting, row)
				counts[row->ran]++;
}

/* Makes the waiting functions hot that ran most often, as many as there is room for.
 * Returns the number of functions to unpatch, including the `hot` ones. */
static size_t add_warm(struct session *session, size_t hot)
{
	const size_t room = warm_room(session);
	size_t counts[FIRED_RAN_MAX + 1] = {0}, more = 0;
	uint32_t often = FIRED_RAN_MAX;

	if (room < WARM_FEW)
		return hot;
	count_waiting(session, counts);
	while (often > WARM_LEAST && more + counts[often] <= room)
		more += counts[often--];

	const size_t left = counts[often] < room - more ? counts[often] : room - more;

	if (more + left < WARM_FEW)
		return hot;
	session->warm += more + left;
	return take_waiting(session, often, left);
}

size_t hot_find(struct session *session, bool all)
{
	const uint64_t ns = moment_ns(session);
	unsigned rounds = 0, late = 0;
	size_t count;

	look_for_hot(session);
	count = take_waiting(session, 0, SIZE_MAX);
	while (!all && count && rounds < ROUNDS) {
		bool moment = wait_a_moment(ns);

		count = ask_hot(session, !moment);
		rounds += moment;
		late += !moment;
		if (late > LATE_MAX) {
			let_all_wait(session);
			return 0;
		}
	}
	return all ? count : add_warm(session, choose_hottest(session, count));
}
