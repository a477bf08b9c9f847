#include "session/replan.h"

#include "base/cleanup.h"
#include "session/cache_key.h"
#include "session/learned.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

/* Of what counters cost, so much must be saved. */
static const double GAIN_MIN = 0.1;

/* Functions with less of a module's counts than this are not looked at to find out. Of
 * modules that were planned anew only one run in some looks. */
enum { HOT_SHARE = 1024, RUNS_UNSEEN = 8 };

/* To plan a module takes so long for each byte of its text, and a counter so long. */
static const double PLAN_NS = 80, COUNT_NS = 0.4;

/* It must pay within so many runs like this one; half as many after each plan that was
 * made anew before, so that what runs differently each time comes to rest. */
enum { PAYBACK_RUNS = 256 };

/* Where runs differ and one plan is as good for all as can be, most have nothing to add.
 */
enum { RUNS_ENOUGH = 8, RUNS_LEFT_OUT = 16 };

struct count {
	uint32_t slot;
	uint64_t count;
};

/* What all processes together counted in a module. */
struct tally {
	const struct module_file *file; /* NULL: it is not looked at */
	struct VECTOR(struct count) counts;
	bool unsorted;
	uint64_t *counters; /* by slot */
};

static void take_counts(struct tally *tallies, const struct image_run *image)
{
	vector_for_each (&image->counts, row) {
		struct tally *tally = &tallies[row->file];
		size_t count = tally->counts.count;

		if (!tally->file)
			continue;
		tally->unsorted |=
			count && tally->counts.items[count - 1].slot >= row->slot;
		vector_push(&tally->counts, ((struct count){row->slot, row->count}));
	}
}

static int by_slot(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* One row for each slot, in order. */
static void sort(struct tally *tally)
{
	struct count *counts = tally->counts.items;
	size_t kept = 0;

	if (!tally->unsorted)
		return;
	qsort(counts, tally->counts.count, sizeof(*counts), by_slot);
	for (size_t i = 1; i < tally->counts.count; i++) {
		if (counts[i].slot == counts[kept].slot)
			counts[kept].count += counts[i].count;
		else
			counts[++kept] = counts[i];
	}
	tally->counts.count = kept + 1;
}

/* By function: the sum of its counts. The caller frees it. */
static uint64_t *sum_up(struct tally *tally)
{
	const struct plan *plan = tally->file->plan;
	uint64_t *sums = memory_allocate_zeroed(plan->functions.count, sizeof(*sums));
	const struct plan_function *function = NULL;

	vector_for_each (&tally->counts, row) {
		function = plan_function_of_next_slot(plan, function, row->slot);
		tally->counters[row->slot] = row->count;
		if (function)
			sums[function - plan->functions.items] += row->count;
	}
	return sums;
}

/* Adds what functions with more than `least` counts counted, and returns the sum of these
 * counts. Left out are functions whose edges are not counted, or whose counts contradict
 * each other. */
static uint64_t learn(struct tally *tally, uint64_t least,
		      struct frequencies *frequencies)
{
	const struct plan *plan = tally->file->plan;
	scoped_free uint64_t *sums = sum_up(tally);
	uint64_t sum = 0;

	for (size_t i = 0; i < plan->functions.count; i++) {
		const struct plan_function *function = &plan->functions.items[i];
		struct edges_counts counts;
		uint32_t fault;

		if (sums[i] <= least || !function->edge_count ||
		    function->reason != PLAN_INSTRUMENTED ||
		    !edges_solve(plan, function, tally->counters, NULL, &counts, &fault))
			continue;
		frequencies_add(frequencies, function, &counts);
		edges_counts_deinit(&counts);
		sum += sums[i];
	}
	return sum;
}

static struct frequencies_cost cost_of(const struct plan *plan,
				       const struct frequencies *frequencies)
{
	struct frequencies_cost cost = {0};

	vector_for_each (&frequencies->rows, row) {
		const struct plan_function *function =
			plan_function_at(plan, row->address);

		if (function && function->edge_count &&
		    frequencies_find(frequencies, function->address,
				     function->block_count, function->edge_count))
			frequencies_weigh(plan, function,
					  &frequencies->values.items[row->first], &cost);
	}
	return cost;
}

/* Whether another plan would be so much better by these numbers. */
static bool is_much(const struct frequencies_cost *cost, enum learn_policy policy)
{
	return cost->spent - cost->least >
	       (policy == LEARN_ALWAYS ? 0 : GAIN_MIN * cost->spent);
}

static bool pays(const struct module_file *file, const struct frequencies_cost *cost,
		 uint32_t plans)
{
	double runs = plans < 32 ? PAYBACK_RUNS >> plans : 0, text = 0;

	for (uint32_t i = 0; i < file->text_count; i++)
		text += (double)file->texts[i].size;
	return (cost->spent - cost->least) * COUNT_NS * runs > text * PLAN_NS;
}

/* What this run did costs so much more than it needs to. */
static bool is_costly(struct tally *tally, enum learn_policy policy,
		      struct frequencies_cost *ret_cost)
{
	struct frequencies hot = {0};
	uint64_t all = 0, seen;

	vector_for_each (&tally->counts, row)
		all += row->count;
	seen = learn(tally, policy == LEARN_ALWAYS ? 0 : all / HOT_SHARE, &hot);
	*ret_cost = cost_of(tally->file->plan, &hot);
	frequencies_deinit(&hot);
	if (seen) {
		ret_cost->spent *= (double)all / (double)seen;
		ret_cost->least *= (double)all / (double)seen;
	}
	return is_much(ret_cost, policy) &&
	       (policy == LEARN_ALWAYS || pays(tally->file, ret_cost, 0));
}

/* Whether nothing more is to be learned now. */
static bool is_left_out(const struct learned *known, enum learn_policy policy)
{
	return policy != LEARN_ALWAYS && known->runs >= RUNS_ENOUGH &&
	       !session_by_chance(RUNS_LEFT_OUT);
}

static void replan(struct session *session, struct tally *tally, enum learn_policy policy,
		   const struct frequencies_cost *own)
{
	const char *folder = cache_folder(session->cache);
	uint64_t key = cache_frequencies_key(tally->file);
	struct learned known, sum = {0};
	struct frequencies run = {0};

	learned_load(folder, key, &known);
	if (!is_left_out(&known, policy)) {
		learn(tally, 0, &run);
		frequencies_merge(&known.frequencies, &run, &sum.frequencies);
		struct frequencies_cost cost =
			cost_of(tally->file->plan, &sum.frequencies);
		bool better =
			is_much(&cost, policy) &&
			(policy == LEARN_ALWAYS || pays(tally->file, own, known.plans)) &&
			known.plans < LEARNED_PLANS_MAX;

		sum.plans = known.plans + better;
		sum.runs = better ? 0 : known.runs + 1;
		if (learned_save(folder, key, &sum) && better)
			module_file_replan(session->cache, tally->file, session->options,
					   &sum);
	}
	frequencies_deinit(&run);
	learned_deinit(&sum);
	learned_deinit(&known);
}

/* Where counters of gates lie in front, they are not in the order of functions. */
static bool is_looked_at(const struct module_file *file, enum learn_policy policy)
{
	return file->plan && file->plan->edges.count && !file->plan->gates_size &&
	       file->cached_path &&
	       (policy == LEARN_ALWAYS || !cache_names_edition(file->cached_path) ||
		session_by_chance(RUNS_UNSEEN));
}

static void look_at(struct session *session, struct tally *tally,
		    enum learn_policy policy)
{
	struct frequencies_cost cost;

	if (!tally->counts.count)
		return;
	sort(tally);
	tally->counters =
		memory_allocate_zeroed(tally->file->plan->slot_count, sizeof(uint64_t));
	if (is_costly(tally, policy, &cost)) {
		setpriority(PRIO_PROCESS, 0, PRIO_MAX - 1);
		replan(session, tally, policy, &cost);
	}
	free(tally->counters);
}

/* One process at a time does it: programs that are run in a row would all plan the same.
 * Negative: another one is at it. */
static int take_turn(const struct cache *cache)
{
	int fd = open(cache_folder(cache), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return -1;
	}
	return fd;
}

void replan_modules(struct session *session)
{
	enum learn_policy chosen = learn_policy();

	if (chosen == LEARN_NEVER || session->options->collector->depth != PLAN_EDGES ||
	    !cache_folder(session->cache) || !session->files.count)
		return;
	scoped_fd int turn = take_turn(session->cache);

	if (turn < 0)
		return;
	scoped_free struct tally *tallies =
		memory_allocate_zeroed(session->files.count, sizeof(*tallies));

	for (size_t i = 0; i < session->files.count; i++)
		if (is_looked_at(session->files.items[i], chosen))
			tallies[i].file = session->files.items[i];
	vector_for_each (&session->images, image)
		take_counts(tallies, *image);
	for (size_t i = 0; i < session->files.count; i++) {
		look_at(session, &tallies[i], chosen);
		vector_deinit(&tallies[i].counts);
	}
}
