#include "session/learn/replan.h"

#include "base/cleanup.h"
#include "code/plan/plan_rows.h"
#include "session/cache/cache.h"
#include "session/cache/cache_key.h"
#include "session/cache/cache_names.h"
#include "session/cache/feedback_file.h"
#include "session/cache/file_plans.h"
#include "session/cache/module_file.h"
#include "session/learn/run_feedback.h"
#include "session/options/policy.h"
#include "session/state/session.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

/* Least share of the cost of counters that a new plan must save. */
static const double GAIN_MIN = 0.1;

/* Least amount of code that did not run on the pages of code that ran: as a share of
 * the code that ran, and in bytes. */
static const double LOST_MIN = 0.25;
enum { LOST_BYTES_MIN = 16 * 4096 };

/* Share of the run's time that is saved if all code that runs lies close together.
 * Measured: 0.01 to 0.05 for compilers and interpreters. */
static const double SPREAD_GAIN = 0.01;

/* Functions with less than 1/HOT_SHARE of a module's counts are not examined in this
 * decision. Of modules that were planned anew only one run in RUNS_UNSEEN is examined. */
enum { HOT_SHARE = 1024, RUNS_UNSEEN = 8 };

/* Nanoseconds to plan a module, for each byte of its text, and nanoseconds for one
 * step of a counter. */
static const double PLAN_NS = 80, COUNT_NS = 0.4;

/* Number of runs like this one within which a new plan must pay; halved after each
 * earlier new plan of the module, so that a module that runs differently each time
 * comes to rest. */
enum { PAYBACK_RUNS = 256 };

/* Limits for modules whose runs differ and whose plan suits all runs as well as one
 * plan can: most of their runs have nothing to add. */
enum { RUNS_ENOUGH = 8, RUNS_LEFT_OUT = 16 };

/* Judgement of a module's plan by this run. */
struct verdict {
	enum policy policy;
	uint32_t plans; /* plans made before it: see feedback_plans */
	double save_ns; /* nanoseconds that a better plan would have saved */
	bool costly;    /* its counters run more often than they need to */
	bool spread;    /* code that ran lies far apart */
};

static struct frequencies_cost cost_of(const struct plan *plan,
				       const struct frequencies *frequencies)
{
	struct frequencies_cost cost = {0};

	vector_for_each (&frequencies->rows, row) {
		const struct plan_function *function =
			plan_function_at(plan, row->address);
		struct frequencies_known known;

		if (!function || !function->edge_count)
			continue;
		known = frequencies_find(frequencies, function->address,
					 function->block_count, function->edge_count);
		if (known.edges)
			frequencies_weigh(plan, function, known, &cost);
	}
	return cost;
}

/* Returns whether another plan would be sufficiently better by these numbers. */
static bool is_much(const struct frequencies_cost *cost, enum policy policy)
{
	return cost->spent - cost->least >
	       (policy == POLICY_ALWAYS ? 0 : GAIN_MIN * cost->spent);
}

static bool is_far(const struct run_feedback_spread *spread, enum policy policy)
{
	if (policy == POLICY_ALWAYS)
		return spread->lost > 0;
	return spread->lost > LOST_BYTES_MIN &&
	       (double)spread->lost > LOST_MIN * (double)spread->code;
}

/* Judges whether this run's counters cost much more than they need to. */
static void judge_counters(const struct run_feedback *run, struct verdict *verdict)
{
	struct frequencies hot = {0};
	struct frequencies_cost cost;
	uint64_t seen;

	seen = run_feedback_learn(
		run, verdict->policy == POLICY_ALWAYS ? 0 : run->sum / HOT_SHARE, &hot);
	cost = cost_of(run->file->plan, &hot);
	frequencies_deinit(&hot);
	verdict->costly = is_much(&cost, verdict->policy);
	if (seen && verdict->costly)
		verdict->save_ns += (cost.spent - cost.least) * COUNT_NS *
				    ((double)run->sum / (double)seen);
}

/* Judges whether the code that ran lies too far apart. `time_ns`: approximate time
 * that the run took in the module. */
static void judge_places(const struct run_feedback *run, double time_ns,
			 struct verdict *verdict)
{
	struct run_feedback_spread spread = run_feedback_spread(run);

	verdict->spread = is_far(&spread, verdict->policy);
	if (verdict->spread)
		verdict->save_ns += time_ns * SPREAD_GAIN;
}

/* Returns whether a new plan pays, after `plans` earlier new plans. */
static bool replanning_pays(const struct module_file *file, const struct verdict *verdict,
			    uint32_t plans)
{
	double runs = plans < 32 ? PAYBACK_RUNS >> plans : 0, text = 0;

	if (verdict->policy == POLICY_ALWAYS)
		return plans < FEEDBACK_PLANS_MAX;
	for (uint32_t i = 0; i < file->text_count; i++)
		text += (double)file->texts[i].size;
	return verdict->save_ns * runs > text * PLAN_NS;
}

/* Returns whether this run is left out, as nothing more is to be learned now. */
static bool is_left_out(const struct feedback *known, const struct verdict *verdict)
{
	return verdict->policy != POLICY_ALWAYS && verdict->plans &&
	       known->runs >= RUNS_ENOUGH && !policy_by_chance(RUNS_LEFT_OUT);
}

/* Returns whether the known frequencies agree with this run. */
static bool plan_stands(const struct run_feedback *run, const struct frequencies *known,
			const struct verdict *verdict)
{
	struct frequencies_cost cost;

	if (verdict->spread)
		return true;
	cost = cost_of(run->file->plan, known);
	return is_much(&cost, verdict->policy);
}

/* Plans a module anew if it pays; `verdict` NULL: in any case. */
static void replan_file(struct session *session, const struct run_feedback *run,
			const struct verdict *verdict)
{
	const struct module_file *file = run->file;
	const char *folder = cache_folder(session->cache);
	uint64_t key = cache_frequencies_key(file);
	struct feedback known, sum = {0};
	struct frequencies ran = {0};

	feedback_load(folder, key, &known);
	if (!verdict || !is_left_out(&known, verdict)) {
		run_feedback_learn(run, 0, &ran);
		frequencies_merge(&known.frequencies, &ran, &sum.frequencies);
		bool better =
			!verdict || (replanning_pays(file, verdict, verdict->plans) &&
				     plan_stands(run, &sum.frequencies, verdict));

		sum.runs = better ? 0 : known.runs + 1;
		if (feedback_save(folder, key, &sum) && better)
			module_file_replan(session->cache, file, session->options, &sum);
	}
	frequencies_deinit(&ran);
	feedback_deinit(&sum);
	feedback_deinit(&known);
}

/* Plans as a whole, for later runs, a module whose functions were planned as they were
 * called, by the functions that ran. */
static void plan_whole(struct session *session, const struct run_feedback *run)
{
	setpriority(PRIO_PROCESS, 0, PRIO_MAX - 1);
	replan_file(session, run, NULL);
}

static bool is_looked_at(const struct module_file *file, enum policy policy)
{
	return file->plan && file->cached_path &&
	       (policy == POLICY_ALWAYS || !cache_names_generation(file->cached_path) ||
		policy_by_chance(RUNS_UNSEEN));
}

/* Judges a module and plans it anew if that pays. `time_ns`: time that all modules
 * together took. */
static void look_at(struct session *session, const struct run_feedback *run,
		    double time_ns, enum policy policy)
{
	const struct plan *plan = run->file->plan;
	struct verdict verdict = {
		.policy = policy,
		.plans = feedback_plans(cache_names_generation(run->file->cached_path))};

	if (plan->edges.count)
		judge_counters(run, &verdict);
	judge_places(run, time_ns, &verdict);
	if ((verdict.costly || verdict.spread) &&
	    replanning_pays(run->file, &verdict, 0)) {
		setpriority(PRIO_PROCESS, 0, PRIO_MAX - 1);
		replan_file(session, run, &verdict);
	}
}

/* Takes the lock by which one process at a time plans modules anew: programs run in a
 * row would all make equal plans. Returns a negative number if another process has it. */
static int take_turn(const struct cache *cache)
{
	int fd = open(cache_folder(cache), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void look_at_all(struct session *session, struct run_feedback *runs,
			enum policy policy)
{
	const size_t count = session->files.count;
	const double time_ns = (double)session_wall_ns(session);
	double sum = 0;

	vector_for_each (&session->images, image)
		run_feedback_take(runs, *image);
	for (size_t i = 0; i < count; i++)
		if (runs[i].file) {
			run_feedback_end(&runs[i]);
			sum += (double)runs[i].sum;
		}
	for (size_t i = 0; i < count; i++) {
		if (runs[i].sum && runs[i].file->lazy) {
			if (policy_of_lazy_plans() != POLICY_ALWAYS)
				plan_whole(session, &runs[i]);
		} else if (runs[i].sum)
			look_at(session, &runs[i], time_ns * ((double)runs[i].sum / sum),
				policy);
		run_feedback_deinit(&runs[i]);
	}
}

void replan_modules(struct session *session)
{
	enum policy chosen = policy_of_learning();

	if (chosen == POLICY_NEVER || !feedback_is_used(session->options) ||
	    session->options->points.count || !cache_folder(session->cache) ||
	    !session->files.count)
		return;
	scoped_fd int turn = take_turn(session->cache);

	if (turn < 0)
		return;
	scoped_free struct run_feedback *runs =
		memory_allocate_zeroed(session->files.count, sizeof(*runs));

	for (size_t i = 0; i < session->files.count; i++)
		if (is_looked_at(session->files.items[i], chosen))
			run_feedback_begin(&runs[i], session->files.items[i]);
	look_at_all(session, runs, chosen);
}
