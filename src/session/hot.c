#include "session/hot.h"

#include "code/bits.h"
#include "session/standing.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

/* A moment is one in so many of the time that the program has run: what runs once in it
 * has run some thousand times. */
enum { MOMENTS = 5000, SHORTEST_NS = 20000, LONGEST_NS = 2000000 };

/* Where all looks took less than one in so many of the time, there is time for functions
 * that run less often, too: a moment is longer by as much, up to so many times. */
enum { LITTLE = 32, LONGER = 16 };

/* One that took so many times as long is none, and may come again. */
enum { LATE = 3, TRIES = 3 };

/* One look at the flags of a space. */
struct glance {
	struct space_fired *fired;
	bool again; /* a moment ago all were marked */
	bool all;
	const struct module_file *file; /* of the last flag: they come in order */
	const struct plan_function *function;
};

static bool test_bit(const struct file_bits *bits, const struct module_file *file,
		     uint32_t index)
{
	return file->index < bits->count && bits->items[file->index] &&
	       bit_test(bits->items[file->index], index);
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

static void clear_bits(struct file_bits *bits)
{
	vector_for_each (bits, words)
		free(*words);
	bits->count = 0;
}

bool hot_has_seen(const struct space_fired *fired, const struct module_file *file,
		  uint32_t slot)
{
	return test_bit(&fired->seen, file, slot);
}

void hot_forget(struct space_fired *fired)
{
	clear_bits(&fired->seen);
	clear_bits(&fired->waiting);
	fired->hot.count = fired->wait_count = 0;
	fired->afresh = true;
}

void hot_deinit(struct space_fired *fired)
{
	hot_forget(fired);
	vector_deinit(&fired->seen);
	vector_deinit(&fired->waiting);
	vector_deinit(&fired->hot);
}

static void add_waiting(struct glance *glance, uint32_t function)
{
	struct space_fired *fired = glance->fired;

	if (test_bit(&fired->waiting, glance->file, function))
		return;
	bit_set(bits_of(&fired->waiting, glance->file,
			glance->file->plan->functions.count),
		function);
	fired->wait_count++;
}

static void add_hot(struct glance *glance, uint32_t function)
{
	struct space_fired *fired = glance->fired;

	if (!test_bit(&fired->waiting, glance->file, function))
		return;
	bit_clear(fired->waiting.items[glance->file->index], function);
	fired->wait_count--;
	vector_push(&fired->hot,
		    ((struct fired_function){glance->file->index, function}));
}

/* A flag that was set since it was marked last. */
static void see(void *context, const struct module_file *file, uint32_t slot,
		uint64_t count)
{
	struct glance *glance = context;
	const struct plan *plan = file->plan;
	const bool seen = hot_has_seen(glance->fired, file, slot);
	uint32_t function;

	(void)count;
	if (seen && !glance->again)
		return;
	glance->function = plan_function_of_next_slot(
		plan, file == glance->file ? glance->function : NULL, slot);
	glance->file = file;
	if (!seen)
		bit_set(bits_of(&glance->fired->seen, file, plan->slot_count), slot);
	if (!glance->function)
		return;
	function = (uint32_t)(glance->function - plan->functions.items);
	if (!seen)
		add_waiting(glance, function);
	/* What fired for the first time has not run often. */
	if (seen || glance->all)
		add_hot(glance, function);
}

static void look(const struct session *session, bool again, bool all)
{
	vector_for_each (&session->all_processes, process) {
		struct glance glance = {.again = again, .all = all};

		if (!standing_may_change(*process))
			continue;
		glance.fired = &(*process)->space->fired;
		fold_mark(session, *process, glance.fired->afresh, see, &glance);
		glance.fired->afresh = false;
	}
}

/* In sleep: mostly the program runs on the processor that the tracer woke on. False if
 * that took much longer, as where others have the processor. */
static bool wait_a_moment(const struct session *session)
{
	const uint64_t now = session_now();
	const struct looks *looks = &session->fired_looks;
	const uint64_t age = now - looks->begin, much = looks->spent * LITTLE;
	uint64_t ns = age / MOMENTS;

	/* Nothing is known at the first look. */
	if (much && much < age)
		ns *= age / much < LONGER ? age / much : LONGER;
	if (ns < SHORTEST_NS)
		ns = SHORTEST_NS;
	if (ns > LONGEST_NS)
		ns = LONGEST_NS;
	prctl(PR_SET_TIMERSLACK, 1);
	nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
	prctl(PR_SET_TIMERSLACK, 0);
	return session_now() - now <= LATE * ns + SHORTEST_NS;
}

/* How many functions wait, or are hot. */
static size_t count_all(const struct session *session, bool hot)
{
	size_t count = 0;

	vector_for_each (&session->all_processes, process)
		if (standing_may_change(*process))
			count += hot ? (*process)->space->fired.hot.count
				     : (*process)->space->fired.wait_count;
	return count;
}

size_t hot_find(const struct session *session, bool all)
{
	bool again = false;

	look(session, false, all);
	for (unsigned tries = 0;
	     !all && !again && tries < TRIES && count_all(session, false); tries++) {
		again = wait_a_moment(session);
		look(session, again, false);
	}
	return count_all(session, true);
}
