#include "session/adapt/fired.h"

#include "base/array.h"
#include "base/search.h"
#include "code/plan/plan_rows.h"
#include "session/adapt/hot.h"
#include "session/adapt/poll_schedule.h"
#include "session/follow/fired_restore.h"
#include "session/modules/probes.h"
#include "session/modules/unpatched.h"
#include "session/options/collector.h"
#include "session/state/fired_state.h"
#include "session/state/module.h"
#include "session/thread/stop.h"

#include <stdlib.h>
#include <string.h>

static const struct poll_schedule_limits limits = {.longest_ns = 1000000000, .share = 16};

static bool applies_to(const struct session *session)
{
	const struct session_options *options = session->options;

	return collector_has_flags(options->collector) && !options->threads &&
	       !options->by_region.on && !options->window.words && !options->live;
}

COMPARE_BY_TWO(by_function, struct fired_function, file, function);

static int by_address(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Sorts items, of which each is there once then. Returns how many these are. */
static size_t sort_once(void *items, size_t count, size_t size,
			int (*compare)(const void *, const void *))
{
	char *rows = items;
	size_t kept = 0;

	if (count)
		qsort(rows, count, size, compare);
	for (size_t i = 0; i < count; i++)
		if (!kept || compare(rows + i * size, rows + (kept - 1) * size))
			memmove(rows + kept++ * size, rows + i * size, size);
	return kept;
}

/* Both are sorted. */
static void add_probes(struct space_probes *all, const struct space_probes *probes)
{
	size_t old = all->count, new = probes->count, to = old + new;

	vector_reserve(all, to);
	all->count = to;
	while (new)
		all->items[--to] = old && all->items[old - 1] > probes->items[new - 1]
					   ? all->items[--old]
					   : probes->items[--new];
}

static bool is_gone(const struct space *space, uint64_t address)
{
	const struct space_probes *gone = &space->fired.probes;

	return gone->count &&
	       bsearch(&address, gone->items, gone->count, sizeof(address), by_address);
}

/* What is looked at. */
struct fired_module {
	const struct space *space;
	struct module *module;
};

static bool has_fired(const void *context, uint32_t slot)
{
	const struct fired_module *of = context;

	return fired_has_seen(&of->space->fired, of->module->file, slot);
}

/* Threads stand for no more functions at a time. */
enum { CHUNK = 512 };

/* What becomes of a process when threads stand. */
struct change {
	struct process *process;
	struct space_probes probes;
	struct unpatched_texts texts;
};

/* Where the function's probes are that fired, but for those that are gone already. What
 * lies in the arena is shared with other processes, and stays. A function's fixups stand
 * together, in the order of their code: only theirs are looked at, of millions. */
static void add_probes_of(const struct fired_module *of,
			  const struct plan_function *function,
			  struct space_probes *probes)
{
	const struct module *module = of->module;
	const struct plan *plan = module->file->plan;
	const struct plan_fixup *fixups = plan->fixups.items;
	uint64_t own = module->code_size - module->shared_size;
	size_t end = plan_code_end(plan, function);
	size_t at = search_first(plan->fixups.count, middle,
				 fixups[middle].offset < function->trampoline);

	for (; at < plan->fixups.count && fixups[at].offset < end; at++) {
		size_t start = fixups[at].offset - PROBE_FLAG_SLOT;
		uint64_t address = module->code_address + start;

		if (fixups[at].kind != PLAN_FIXUP_SLOT ||
		    fixups[at].offset < PROBE_FLAG_SLOT ||
		    start + PROBE_FLAG_SIZE > own ||
		    probe_at(plan->code.items + start, PROBE_FLAG_SIZE) != PROBE_FLAG)
			continue;
		if (has_fired(of, probe_slot(plan, start)) &&
		    !is_gone(of->space, address))
			vector_push(probes, address);
	}
}

static void change_function(const struct fired_module *of,
			    const struct plan_function *function, struct change *change)
{
	struct unpatch_request request = {
		.function = function, .has_fired = has_fired, .context = of};

	add_probes_of(of, function, &change->probes);
	unpatched_find(of->space, of->module, &request, &change->texts);
}

/* For the last of those that are hot. */
static void prepare_change(struct process *process, struct change *change)
{
	struct space *space = process->space;
	/* A function that was unpatched twice at once would not come back. */
	const size_t all = sort_once(space->fired.hot.items, space->fired.hot.count,
				     sizeof(*space->fired.hot.items), by_function);
	const size_t left = all > CHUNK ? all - CHUNK : 0, count = all - left;
	const struct fired_function *hot = space->fired.hot.items + left;

	space->fired.hot.count = left;
	change->process = process;
	vector_for_each (&space->modules, module) {
		const struct fired_module of = {space, module};
		uint32_t file = module->file->index;
		size_t at = search_first(count, middle, hot[middle].file < file);

		if (!module->file->plan || !module->code_address)
			continue;
		for (; at < count && hot[at].file == file; at++)
			change_function(
				&of,
				&module->file->plan->functions.items[hot[at].function],
				change);
	}
	change->probes.count = sort_once(change->probes.items, change->probes.count,
					 sizeof(*change->probes.items), by_address);
}

/* All threads stand. */
static void take_away(const struct session *session, struct change *change)
{
	struct space *space = change->process->space;

	fired_leave_islands(session, space);
	fired_set_probes(space->memory_fd, &change->probes, true);
	add_probes(&space->fired.probes, &change->probes);
	unpatched_enter(space, &change->texts);
}

/* What fires while this is prepared is for the next time; and so is all where threads
 * cannot be stopped. False if there was nothing to do. */
static bool take_some_away(struct session *session)
{
	struct VECTOR(struct change) changes = {0};
	struct stopped stopped;

	vector_for_each (&session->all_processes, process)
		if (poll_schedule_may_change(*process) &&
		    (*process)->space->fired.hot.count)
			prepare_change(*process, vector_add(&changes));
	if (!changes.count)
		return false;
	stop_begin(session, (struct stop_scope){0}, STOP_WHILE_POSSIBLE, &stopped);
	vector_for_each (&changes, change) {
		if (poll_schedule_may_change(change->process) &&
		    stop_holds_all(session, change->process->space))
			take_away(session, change);
		else
			fired_forget(&change->process->space->fired);
	}
	stop_end(session, &stopped);
	vector_for_each (&changes, change) {
		vector_deinit(&change->probes);
		unpatched_texts_deinit(&change->texts);
	}
	vector_deinit(&changes);
	return true;
}

/* Spaces of which forks take long have nothing unpatched until they are cheap again. */
static void restore_costly(struct session *session)
{
	struct stopped stopped;

	session->forks_cost = false;
	/* By index: children may be found meanwhile. */
	for (size_t i = 0; i < session->all_processes.count; i++) {
		struct process *process = session->all_processes.items[i];

		if (!poll_schedule_may_change(process) ||
		    !fired_costs_forks(session, process->space) ||
		    !process->space->fired.probes.count)
			continue;
		stop_begin(session, (struct stop_scope){.space = process->space},
			   STOP_WHILE_POSSIBLE, &stopped);
		if (stop_holds_all(session, process->space))
			fired_restore_own(session, process->space);
		stop_end(session, &stopped);
	}
}

uint64_t fired_act(struct session *session)
{
	struct poll_schedule *looks = &session->fired_schedule;
	uint64_t now, wait;

	if (session->forks_cost)
		restore_costly(session);
	wait = applies_to(session) ? poll_schedule_wait(session, looks, &now)
				   : UINT64_MAX;
	if (wait)
		return wait;
	if (hot_find(session, poll_schedule_is_dense()))
		while (take_some_away(session))
			;
	return poll_schedule_pause(looks, now, &limits);
}
