#include "session/fired.h"

#include "base/search.h"
#include "code/probe.h"
#include "session/signals.h"
#include "session/standing.h"

#include <stdlib.h>
#include <string.h>

/* A program's first phases pass quickly, and each takes its probes with it; later there
 * are few left, and threads stand for these. */
#define FIRST_NS   20000000u
#define LONGEST_NS 5000000000u

/* Slots that fired in a process, of one file each. */
struct fired_slot {
	uint32_t file, slot;
};

struct looking {
	struct VECTOR(struct fired_slot) slots;
};

static bool applies(const struct session *session)
{
	const struct session_options *options = session->options;

	return options->collector->slot_size == 1 && !options->threads &&
	       !options->window.words && !options->live;
}

static void add_slot(void *context, const struct module_file *file, uint32_t slot,
		     uint64_t count)
{
	struct looking *looking = context;

	if (count)
		vector_push(&looking->slots, ((struct fired_slot){file->index, slot}));
}

static int by_slot(const void *left, const void *right)
{
	const struct fired_slot *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->slot > b->slot) - (a->slot < b->slot);
}

static int by_address(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Each is there once then. */
static void sort(struct space_probes *probes)
{
	size_t count = 0;

	if (!probes->count)
		return;
	qsort(probes->items, probes->count, sizeof(*probes->items), by_address);
	vector_for_each (probes, address)
		if (!count || *address != probes->items[count - 1])
			probes->items[count++] = *address;
	probes->count = count;
}

static bool is_gone(const struct space *space, uint64_t address)
{
	const struct space_probes *gone = &space->fired;

	return gone->count &&
	       bsearch(&address, gone->items, gone->count, sizeof(address), by_address);
}

/* What is looked at: a module, the slots of its file that fired. */
struct fired_module {
	const struct space *space;
	const struct module *module;
	const struct fired_slot *first, *end;
};

static bool has_fired(const struct fired_module *of, uint32_t slot)
{
	const struct fired_slot wanted = {of->module->file->index, slot};

	return bsearch(&wanted, of->first, (size_t)(of->end - of->first), sizeof(wanted),
		       by_slot) != NULL;
}

/* Where the function's probes are that fired, but for those that are gone already. What
 * lies in the arena is shared with other processes, and stays. A function's fixups stand
 * together, in the order of functions: only theirs are looked at, of millions. */
static void add_probes_of(const struct fired_module *of,
			  const struct plan_function *function,
			  struct space_probes *probes)
{
	const struct module *module = of->module;
	const struct plan *plan = module->file->plan;
	const struct plan_fixup *fixups = plan->fixups.items;
	const struct plan_function *last = plan->functions.items + plan->functions.count;
	uint64_t own = module->code_size - module->shared_size;
	size_t end = function + 1 < last ? function[1].trampoline : plan->code.count;
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

/* A function has slots in up to two places (plan.cold_slot). */
static void add_probes(const struct fired_module *of, struct space_probes *probes)
{
	const struct plan *plan = of->module->file->plan;
	const struct plan_function *last = NULL;

	for (const struct fired_slot *slot = of->first; slot < of->end; slot++) {
		const struct plan_function *function =
			plan_function_of_slot(plan, slot->slot);

		if (function && function != last)
			add_probes_of(of, function, probes);
		last = function;
	}
}

static void find_in_module(const struct looking *looking, const struct space *space,
			   const struct module *module, struct space_probes *probes)
{
	const struct fired_slot *slots = looking->slots.items;
	uint32_t file = module->file->index;
	size_t first =
		search_first(looking->slots.count, middle, slots[middle].file < file);
	size_t end =
		search_first(looking->slots.count, middle, slots[middle].file <= file);

	add_probes(&(struct fired_module){space, module, slots + first, slots + end},
		   probes);
}

static void find_probes(const struct session *session, const struct process *process,
			struct space_probes *probes)
{
	struct looking looking = {0};

	fold_visit(session, process, add_slot, &looking);
	if (looking.slots.count) {
		qsort(looking.slots.items, looking.slots.count,
		      sizeof(*looking.slots.items), by_slot);
		vector_for_each (&process->space->modules, module)
			if (module->file->plan && module->code_address)
				find_in_module(&looking, process->space, module, probes);
		sort(probes);
	}
	vector_deinit(&looking.slots);
}

/* Sets probes, sorted by address, a page with its neighbour's beginning at a time. Where
 * something else lies by now nothing is changed. */
static void set_probes(int memory_fd, const struct space_probes *probes, bool fired)
{
	enum { PAGE = 4096 };
	uint8_t bytes[PAGE + PROBE_FLAG_SIZE];
	size_t next = 0;

	while (next < probes->count) {
		uint64_t start = probes->items[next];
		size_t end = next, size;
		bool changed = false;

		while (end < probes->count && probes->items[end] - start < PAGE)
			end++;
		size = (size_t)(probes->items[end - 1] - start) + PROBE_FLAG_SIZE;
		if (!remote_failed(remote_read(memory_fd, start, bytes, size))) {
			for (size_t i = next; i < end; i++)
				changed |= probe_set_fired(
					bytes + (probes->items[i] - start), fired);
			if (changed)
				remote_failed(
					remote_write(memory_fd, start, bytes, size));
		}
		next = end;
	}
}

static bool all_stand(const struct session *session, const struct space *space)
{
	vector_for_each (&session->all_threads, thread)
		if ((*thread)->process && (*thread)->process->space == space &&
		    !(*thread)->stopped)
			return false;
	return true;
}

static bool may_change(const struct process *process)
{
	const struct space *space = process->space;

	return space && space->family && !space->bare && space->references == 1 &&
	       !process->image->ended && !process->watched;
}

static void take_away(const struct session *session, struct process *process)
{
	struct space_probes probes = {0};

	find_probes(session, process, &probes);
	if (probes.count && all_stand(session, process->space)) {
		set_probes(process->space->memory_fd, &probes, true);
		vector_for_each (&probes, address)
			vector_push(&process->space->fired, *address);
		sort(&process->space->fired);
	}
	vector_deinit(&probes);
}

static bool is_worth(const struct session *session)
{
	bool any = false;

	vector_for_each (&session->all_processes, process) {
		struct space_probes probes = {0};

		if (any || !may_change(*process))
			continue;
		find_probes(session, *process, &probes);
		any = probes.count;
		vector_deinit(&probes);
	}
	return any;
}

uint64_t fired_act(struct session *session)
{
	uint64_t now;
	struct standing standing;

	if (!applies(session) || !session->window.base)
		return UINT64_MAX;
	now = session_now();
	if (!session->fired_next) {
		session->fired_pause = FIRST_NS;
		session->fired_next = now + FIRST_NS;
	}
	if (now < session->fired_next)
		return session->fired_next - now;
	if (is_worth(session)) {
		standing_begin(session, &standing);
		vector_for_each (&session->all_processes, process)
			if (may_change(*process))
				take_away(session, *process);
		standing_end(session, &standing);
	}
	session->fired_pause *= 2;
	if (session->fired_pause > LONGEST_NS)
		session->fired_pause = LONGEST_NS;
	session->fired_next = session_now() + session->fired_pause;
	return session->fired_pause;
}

/* But for those of modules that are gone: others' memory may lie there. */
static void restore(const struct space *space, int memory_fd)
{
	struct space_probes probes = {0};
	const struct module *module = NULL;

	vector_for_each (&space->fired, address) {
		if (!module || *address - module->code_address >= module->code_size)
			module = space_module_of_code(space, *address);
		if (module)
			vector_push(&probes, *address);
	}
	set_probes(memory_fd, &probes, false);
	vector_deinit(&probes);
}

void fired_restore_copy(const struct space *original, struct space *copy)
{
	if (original->fired.count)
		restore(original, copy->memory_fd);
}

void fired_restore_shared(struct session *session, struct space *space)
{
	struct standing standing;

	if (!space->fired.count)
		return;
	standing_begin(session, &standing);
	restore(space, space->memory_fd);
	space->fired.count = 0;
	standing_end(session, &standing);
}
