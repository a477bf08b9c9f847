#include "session/hot.h"

#include "code/bits.h"
#include "session/standing.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

/* A moment is one in so many of the time that the program has run: what runs in each of
 * some has run some thousand times. */
enum { MOMENTS = 5000, SHORTEST_NS = 20000, LONGEST_NS = 2000000, ROUNDS = 8 };

/* Where all looks took less than one in so many of the time, there is time for functions
 * that run less often, too: a moment is longer by as much, up to so many times. */
enum { LITTLE = 32, LONGER = 16 };

/* What it takes to bring a function home, and what part of the time that the program has
 * run all that one look brings home is to take; so often more it is asked what runs. */
enum { HOME_NS = 80000, SHARE = 64, MORE_ROUNDS = 128 };

/* One that took so many times as long is none. After so many of these nothing is known.
 */
enum { LATE = 3, LATE_MAX = 16 };

/* One look at the flags of a space. */
struct glance {
	struct space_fired *fired;
	const struct module_file *file; /* of the last flag: they come in order */
	const struct plan_function *function;
};

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

static void clear_bits(struct file_bits *bits)
{
	vector_for_each (bits, words)
		free(*words);
	bits->count = 0;
}

bool hot_has_seen(const struct space_fired *fired, const struct module_file *file,
		  uint32_t slot)
{
	return file->index < fired->seen.count && fired->seen.items[file->index] &&
	       bit_test(fired->seen.items[file->index], slot);
}

void hot_forget(struct space_fired *fired)
{
	clear_bits(&fired->seen);
	clear_bits(&fired->waits);
	fired->waiting.count = fired->hot.count = 0;
	fired->afresh = true;
}

void hot_deinit(struct space_fired *fired)
{
	hot_forget(fired);
	vector_deinit(&fired->seen);
	vector_deinit(&fired->waits);
	vector_deinit(&fired->waiting);
	vector_deinit(&fired->hot);
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
		function->slots, plan_slots_of(file->plan, function)};
}

/* A flag that was set since it was marked last. */
static void see(void *context, const struct module_file *file, uint32_t slot,
		uint64_t count)
{
	struct glance *glance = context;
	const struct plan *plan = file->plan;
	struct fired_function row;
	size_t function;

	(void)count;
	if (hot_has_seen(glance->fired, file, slot))
		return;
	bit_set(bits_of(&glance->fired->seen, file, plan->slot_count), slot);
	glance->function = plan_function_of_next_slot(
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

static void look(const struct session *session)
{
	vector_for_each (&session->all_processes, process) {
		struct glance glance = {0};

		if (!standing_may_change(*process))
			continue;
		glance.fired = &(*process)->space->fired;
		fold_mark(session, *process, glance.fired->afresh, see, &glance);
		glance.fired->afresh = false;
	}
}

/* All that wait are hot. Returns how many functions are. */
static size_t take_waiting(const struct session *session)
{
	size_t count = 0;

	vector_for_each (&session->all_processes, process) {
		struct space_fired *fired = &(*process)->space->fired;

		if (!standing_may_change(*process))
			continue;
		vector_for_each (&fired->waiting, row) {
			bit_clear(fired->waits.items[row->file], row->function);
			vector_push(&fired->hot, *row);
		}
		fired->waiting.count = 0;
		count += fired->hot.count;
	}
	return count;
}

/* Hot functions that did not run since they were asked last wait again; with `all` none
 * does. Returns how many functions are hot. */
static size_t ask_hot(const struct session *session, bool all)
{
	size_t count = 0;

	vector_for_each (&session->all_processes, process) {
		struct space_fired *fired = &(*process)->space->fired;
		size_t kept = 0;

		if (!standing_may_change(*process))
			continue;
		vector_for_each (&fired->hot, row) {
			bool ran = fold_mark_some(*process, row->file, row->slot,
						  row->slot_count);

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
	const struct looks *looks = &session->fired_looks;
	const uint64_t age = session_now() - looks->begin, much = looks->spent * LITTLE;
	uint64_t ns = age / MOMENTS;

	/* Nothing is known at the first look. */
	if (much && much < age)
		ns *= age / much < LONGER ? age / much : LONGER;
	if (ns < SHORTEST_NS)
		return SHORTEST_NS;
	return ns < LONGEST_NS ? ns : LONGEST_NS;
}

/* In sleep: mostly the program runs on the processor that the tracer woke on. False if
 * that took much longer, as where others have the processor. */
static bool wait_a_moment(uint64_t ns)
{
	const uint64_t now = session_now();

	prctl(PR_SET_TIMERSLACK, 1);
	nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
	prctl(PR_SET_TIMERSLACK, 0);
	return session_now() - now <= LATE * ns + SHORTEST_NS;
}

static void let_all_wait(const struct session *session)
{
	vector_for_each (&session->all_processes, process) {
		struct space_fired *fired = &(*process)->space->fired;

		if (!standing_may_change(*process))
			continue;
		vector_for_each (&fired->hot, row)
			let_wait(fired, row);
		fired->hot.count = 0;
	}
}

/* Whether to take so many functions home takes more of the time than it is likely to
 * save. */
static bool are_too_many(const struct session *session, size_t count)
{
	const uint64_t age = session_now() - session->fired_looks.begin;

	return count * HOME_NS > age / SHARE;
}

/* Those that run most often, of too many. */
static size_t choose_hottest(const struct session *session, size_t count)
{
	for (unsigned i = 0; i < MORE_ROUNDS && are_too_many(session, count); i++)
		count = ask_hot(session, false);
	return count;
}

size_t hot_find(const struct session *session, bool all)
{
	const uint64_t ns = moment_ns(session);
	unsigned rounds = 0, late = 0;
	size_t count;

	look(session);
	count = take_waiting(session);
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
	return all ? count : choose_hottest(session, count);
}
