#include "session/adapt/inline_caches.h"

#include "code/calls/gate_layout.h"
#include "code/locate/locate_gates.h"
#include "code/plan/plan_rows.h"
#include "code/relocate/inline_cache.h"
#include "control/remote.h"
#include "session/adapt/poll_schedule.h"
#include "session/state/inline_cache.h"
#include "session/state/module.h"
#include "session/thread/stop.h"
#include "wire/graph.h"

#include <stdlib.h>

/* A phase of a program may be over after a tenth of a second. */
static const struct poll_schedule_limits limits = {.longest_ns = 60000000, .share = 96};

/* Limits since the last look: a pair that was called fewer than ENOUGH times tells
 * nothing, and fewer than WORTH calls of all pairs to be cached are not worth a stop. */
enum { ENOUGH = 1024, WORTH = 16384 };

/* A pair is cached if it has at least 1/PART of its site's calls, and MORE times as
 * many as the pair in the cache. */
enum { PART = 4, MORE = 2 };

/* Pair of a call site and a function, where the site has a cache. */
struct pair {
	const struct bank *bank;
	struct module *site;
	uint64_t *cache; /* its words, in the bank */
	uint32_t entry;  /* in the bank's table */
	uint32_t calls;  /* since the last look */
};
struct pairs VECTOR(struct pair);

static uint32_t entry_count(const struct wire_arcs *arcs)
{
	uint64_t used = __atomic_load_n(&arcs->used, __ATOMIC_ACQUIRE);

	return used < WIRE_ARCS_MAX ? (uint32_t)used : WIRE_ARCS_MAX;
}

static bool is_in_code(const struct module *module, uint64_t address)
{
	return address - module->code_address < module->code_size;
}

/* Returns the cache of the call that returns to an address, in relocated code or at
 * its own place; NULL: it has no cache. `module` is the module of the last search, or
 * NULL, and becomes that of this one. */
static uint64_t *find_cache(const struct space *space, const struct bank *bank,
			    uint64_t site, struct module **module)
{
	const struct plan *plan;
	uint32_t slot;

	if (!*module ||
	    !(is_in_code(*module, site) || module_holds_text(*module, site))) {
		*module = space_module_of_code(space, site);
		if (!*module)
			*module = space_module_of_text(space, site);
	}
	plan = *module ? (*module)->file->plan : NULL;
	if (!plan || !plan->inline_count)
		return NULL;
	if (is_in_code(*module, site)
		    ? !inline_cache_of(plan, (uint32_t)(site - (*module)->code_address),
				       &slot)
		    : !gates_cache_of(plan, site - (*module)->bias, &slot))
		return NULL;
	return inline_cache_at(bank, *module, slot);
}

/* The program may write to the table meanwhile: its entries are whole. */
static void find_pairs(const struct space *space, const struct bank *bank,
		       struct pairs *pairs)
{
	struct wire_arcs *arcs = inline_cache_table(bank);
	const uint32_t count = entry_count(arcs),
		       enough = poll_schedule_is_dense() ? 1 : ENOUGH;
	struct module *module = NULL;

	for (uint32_t i = 0; i < count; i++) {
		struct wire_arc *entry = &arcs->entries[i];
		uint32_t now = (uint32_t)__atomic_load_n(&entry->count, __ATOMIC_RELAXED);
		uint32_t calls = now - entry->seen;
		uint64_t *cache;

		if (calls < enough)
			continue;
		entry->seen = now;
		cache = find_cache(space, bank, entry->site, &module);
		if (cache)
			vector_push(pairs,
				    ((struct pair){bank, module, cache, i, calls}));
	}
}

/* Compares pairs by cache, the most often called first. */
static int by_cache(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	if (a->cache != b->cache)
		return a->cache < b->cache ? -1 : 1;
	return a->calls > b->calls ? -1 : a->calls < b->calls;
}

/* Returns the calls that a cache counted since the last look. */
static uint32_t take_hits(uint64_t *cache)
{
	uint32_t now = (uint32_t)__atomic_load_n(&cache[INLINE_COUNT], __ATOMIC_RELAXED);
	uint32_t seen = (uint32_t)(cache[INLINE_ENTRY] >> 32);

	cache[INLINE_ENTRY] = (uint32_t)cache[INLINE_ENTRY] | (uint64_t)now << 32;
	return now - seen;
}

/* Returns the pair that a cache is to have, of its pairs; NULL: it stays unchanged.
 * Where a called function jumps to another, the pair of the site and the second
 * function looks like a call, too, but its cache would not find it: that pair came
 * later, and is as frequent. A pair in the cache was no call of the site if it is now
 * called through the gate. */
static const struct pair *choose_pair(const struct pair *pairs, size_t count)
{
	enum { ALIKE = 16 };
	uint32_t has = (uint32_t)pairs->cache[INLINE_ENTRY];
	uint64_t hits = take_hits(pairs->cache), sum = hits;
	const struct pair *best = NULL;

	for (size_t i = 0; i < count; i++) {
		sum += pairs[i].calls;
		if (pairs[i].entry + 1 == has)
			continue;
		if (!best || (pairs[i].entry < best->entry &&
			      pairs[i].calls >= best->calls - best->calls / ALIKE))
			best = &pairs[i];
	}
	if (!best || best->calls < hits * MORE || (uint64_t)best->calls * PART < sum)
		return NULL;
	return best;
}

/* Keeps for each cache the pair that it is to have, if any. */
static void choose_pairs(struct pairs *pairs)
{
	size_t kept = 0;

	if (pairs->count)
		qsort(pairs->items, pairs->count, sizeof(*pairs->items), by_cache);
	for (size_t i = 0, end; i < pairs->count; i = end) {
		const struct pair *best;

		end = i + 1;
		while (end < pairs->count &&
		       pairs->items[end].cache == pairs->items[i].cache)
			end++;
		best = choose_pair(&pairs->items[i], end - i);
		if (best)
			pairs->items[kept++] = *best;
	}
	pairs->count = kept;
}

/* Returns the module whose gate has a counter of the bank; NULL: no module, or it is
 * mapped twice. */
static const struct module *module_of_gate(const struct space *space, uint32_t slot)
{
	const struct module *found = NULL;

	vector_for_each (&space->modules, module) {
		if (!module->code_address || !module->file->plan ||
		    slot - module->first_slot >= plan_gate_slots(module->file->plan))
			continue;
		if (found)
			return NULL;
		found = module;
	}
	return found;
}

/* Finds the function that a pair calls; returns false if it cannot be called from a
 * cache. It must stay mapped as long as the site is, also when nothing reports that
 * modules are unmapped: so it is in the site's own module, or in one that the program
 * started with. */
static bool find_callee(const struct space *space, const struct pair *pair,
			struct inline_callee *callee)
{
	const uint32_t gate = inline_cache_table(pair->bank)->entries[pair->entry].gate;
	const uint32_t slot = (gate - WIRE_BANK_HEADER) / (uint32_t)sizeof(uint64_t);
	const struct module *module = module_of_gate(space, slot);
	const struct plan_function *function;
	const struct plan *plan;
	uint64_t body;

	if (!module || module->broken || (module != pair->site && !module->stays))
		return false;
	plan = module->file->plan;
	function =
		&plan->functions
			 .items[plan_function_of_gate(plan, slot - module->first_slot)];
	body = gates_passed(plan, function);
	callee->entry = function->address + module->bias;
	callee->body = body - plan->code_address + module->code_address;
	return body != 0;
}

static void change_cache(const struct space *space, const struct pair *pair)
{
	struct inline_callee callee;

	if (!find_callee(space, pair, &callee))
		return;
	inline_cache_put(pair->bank, pair->cache, &callee, pair->entry + 1);
	pair->site->caches_calls = true;
}

/* Returns whether a stopped thread has read the target of a cache, which must then
 * stay unchanged. The cache is in the thread's bank; NULL: the thread counts in
 * another's. */
static bool is_in_use(const struct thread *thread, const uint64_t **ret_cache)
{
	struct user_regs_struct registers;
	const struct module *module;
	const struct plan *plan;
	uint32_t slot, at;

	if (!thread->stopped ||
	    remote_failed(remote_get_registers(thread->tid, &registers)))
		return false;
	module = space_module_of_code(thread->process->space, registers.rip);
	plan = module ? module->file->plan : NULL;
	at = module ? (uint32_t)(registers.rip - module->code_address) : 0;
	if (!plan || (!inline_cache_has_compared(plan, at, &slot) &&
		      !gates_has_compared(plan, at, &slot)))
		return false;
	*ret_cache = thread->bank ? inline_cache_at(thread->bank, module, slot) : NULL;
	return true;
}

static void leave_those_in_use(const struct session *session,
			       const struct process *process, struct pairs *pairs)
{
	vector_for_each (&session->all_threads, thread) {
		const uint64_t *used;

		if ((*thread)->process != process || !is_in_use(*thread, &used))
			continue;
		vector_for_each (pairs, pair)
			if (!used || pair->cache == used)
				pair->cache = NULL;
	}
}

/* Nothing of the process but that it stands changes until all do. */
static void change_those(struct session *session, const struct process *process,
			 struct pairs *pairs)
{
	struct stopped stopped;
	uint64_t calls = 0;

	vector_for_each (pairs, pair)
		calls += pair->calls;
	if (calls < (poll_schedule_is_dense() ? 1 : WORTH))
		return;
	stop_begin(session, (struct stop_scope){.space = process->space},
		   STOP_WHILE_POSSIBLE, &stopped);
	if (stop_holds_all(session, process->space)) {
		leave_those_in_use(session, process, pairs);
		vector_for_each (pairs, pair)
			if (pair->cache)
				change_cache(process->space, pair);
	}
	stop_end(session, &stopped);
}

static bool has_caches(const struct space *space)
{
	vector_for_each (&space->modules, module)
		if (module->code_size && module->file->plan &&
		    module->file->plan->inline_count)
			return true;
	return false;
}

static void look_at_caches(struct session *session)
{
	struct pairs pairs = {0};

	vector_for_each (&session->all_processes, process) {
		const struct space *space = (*process)->space;

		if (!poll_schedule_may_change(*process) || !has_caches(space))
			continue;
		pairs.count = 0;
		vector_for_each (&space->family->arena->banks, bank)
			if ((*bank)->owner == (*process)->pid)
				find_pairs(space, *bank, &pairs);
		choose_pairs(&pairs);
		change_those(session, *process, &pairs);
	}
	vector_deinit(&pairs);
}

uint64_t inline_caches_act(struct session *session)
{
	struct poll_schedule *looks = &session->calls_schedule;
	uint64_t now, wait;

	if (!session->options->collector->calls || session->options->live)
		return UINT64_MAX;
	wait = poll_schedule_wait(session, looks, &now);
	if (wait)
		return wait;
	look_at_caches(session);
	return poll_schedule_pause(looks, now, &limits);
}
