#include "session/count/read_banks.h"

#include "code/plan/plan_rows.h"
#include "code/relocate/inline_cache.h"
#include "control/phase_names.h"
#include "session/count/boundaries.h"
#include "session/count/call_sites.h"
#include "session/count/progress.h"
#include "session/count/window.h"
#include "session/options/collector.h"
#include "session/position/view.h"
#include "session/state/image_run.h"
#include "session/state/session.h"
#include "wire/bank.h"
#include "wire/graph.h"

#include <stdlib.h>

struct folding {
	const struct family *family;
	const struct bank *bank;
	banks_visitor *visit;
	void *context;
	struct image_counts *counts; /* where push_count puts them */
	struct image_arcs *arcs;     /* NULL: calls by call site are not asked for */
	uint32_t thread;             /* whose bank it is; 0: they are not told apart */
	uint32_t phase;              /* what it counts: enum arena_phase */
	const struct family_module
		*last; /* counters come in order: mostly the same module */
};

static const struct family_module *module_of_slot(struct folding *folding, uint32_t slot)
{
	const struct family_module *module = folding->last;
	const struct family *family = folding->family;

	if (module && slot >= module->first_slot &&
	    slot - module->first_slot < module->file->plan->slot_count)
		return module;
	for (size_t i = family->modules.count; i-- > 0;) {
		module = &family->modules.items[i];
		if (slot < module->first_slot)
			continue;
		if (slot - module->first_slot >= module->file->plan->slot_count)
			return NULL; /* no counter of ours */
		folding->last = module;
		return module;
	}
	return NULL;
}

/* Calls of a function whose gate has the counter at `slot` of the module. */
static void add_arc(struct folding *folding, const struct family_module *module,
		    uint32_t slot, uint64_t address, uint64_t count)
{
	uint32_t function = plan_function_of_gate(module->file->plan, slot);

	if (!folding->arcs || !count)
		return;
	vector_push(folding->arcs, ((struct image_arc){.thread = folding->thread,
						       .phase = folding->phase,
						       .file = module->file->index,
						       .function = function,
						       .site = address,
						       .count = count}));
}

static void add_entry(struct folding *folding, const struct wire_arc *entry,
		      uint64_t count)
{
	uint32_t slot = (entry->gate - WIRE_BANK_HEADER) / sizeof(uint64_t);
	const struct family_module *module = module_of_slot(folding, slot);

	if (module && slot - module->first_slot < plan_gate_slots(module->file->plan))
		add_arc(folding, module, slot - module->first_slot, entry->site, count);
}

static const struct wire_arcs *table_of(const struct folding *folding)
{
	return (const void *)((const char *)folding->bank->shared + WIRE_ARCS_USED);
}

/* Calls of a pair that were counted in an inline cache. `slot` is that of one of its
 * words in the bank. */
static void add_cached(struct folding *folding, uint32_t slot, uint32_t word,
		       uint64_t count)
{
	const uint64_t *slots =
		(const void *)((const char *)folding->bank->shared + WIRE_BANK_HEADER);
	uint32_t entry = (uint32_t)slots[slot - word + INLINE_ENTRY];

	if (word == INLINE_COUNT && entry && entry <= WIRE_ARCS_MAX)
		add_entry(folding, &table_of(folding)->entries[entry - 1], count);
}

/* Of a gate's counters one is a count: see PLAN_CELLS. */
static void add_lost(struct folding *folding, const struct family_module *module,
		     uint32_t slot, uint64_t count)
{
	const struct plan *plan = module->file->plan;

	if (slot == plan_lost_slot(plan, plan_function_of_gate(plan, slot)))
		add_arc(folding, module, slot, 0, count);
}

/* `ret_word`: of all words of caches. */
static bool is_cached(const struct plan *plan, uint32_t slot, uint32_t *ret_word)
{
	*ret_word = slot - plan->inline_slot;
	return *ret_word < plan->inline_count * INLINE_WORDS;
}

static void add_count(void *context, uint32_t slot, uint64_t count)
{
	struct folding *folding = context;
	const struct family_module *module = module_of_slot(folding, slot);

	uint32_t cached;

	if (module && slot - module->first_slot < plan_gate_slots(module->file->plan))
		add_lost(folding, module, slot - module->first_slot, count);
	else if (module &&
		 is_cached(module->file->plan, slot - module->first_slot, &cached))
		add_cached(folding, slot, cached % INLINE_WORDS, count);
	else if (module)
		folding->visit(folding->context, module->file, slot - module->first_slot,
			       count);
}

/* The table that resident.S's arc keeps in a bank. */
static void add_table(struct folding *folding)
{
	const struct wire_arcs *arcs = table_of(folding);
	uint64_t count = arcs->used < WIRE_ARCS_MAX ? arcs->used : WIRE_ARCS_MAX;

	for (uint64_t i = 0; i < count; i++)
		add_entry(folding, &arcs->entries[i], arcs->entries[i].count);
}

static int by_place(const void *a, const void *b)
{
	const struct image_count *x = a, *y = b;

	int groups = group_compare(GROUP_KEY_OF(x), GROUP_KEY_OF(y));

	if (groups)
		return groups;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* The end of the rows from `at` on that are in order. */
static size_t piece_end(const struct image_counts *counts, size_t at)
{
	do
		at++;
	while (at < counts->count &&
	       by_place(&counts->items[at - 1], &counts->items[at]) < 0);
	return at;
}

bool banks_is_max(const struct session *session, const struct image_count *count)
{
	return session->options->points.count &&
	       plan_slot_is_max(session->files.items[count->file]->plan, count->slot);
}

/* The count of two that are of one counter. */
static uint64_t join_counts(const struct session *session, const struct image_count *a,
			    const struct image_count *b)
{
	if (collector_has_flags(session->options->collector))
		return a->count | b->count;
	if (banks_is_max(session, a))
		return a->count > b->count ? a->count : b->count;
	return a->count + b->count;
}

/* Adds two pieces to `to`, which has room for them, in order; what both have, once. */
static void merge_two(const struct session *session, const struct image_count *left,
		      const struct image_count *middle, const struct image_count *end,
		      struct image_counts *to)
{
	const struct image_count *right = middle;
	struct image_count *next = to->items + to->count;

	while (left < middle && right < end) {
		int order = by_place(left, right);

		*next = order <= 0 ? *left : *right;
		if (!order)
			next->count = join_counts(session, left, right);
		next++;
		left += order <= 0;
		right += order >= 0;
	}
	while (left < middle)
		*next++ = *left++;
	while (right < end)
		*next++ = *right++;
	to->count = (size_t)(next - to->items);
}

/* Makes one of each two pieces that follow each other. */
static void merge_pieces(const struct session *session, const struct image_counts *from,
			 struct image_counts *to)
{
	to->count = 0;
	for (size_t at = 0, middle, end; at < from->count; at = end) {
		middle = piece_end(from, at);
		end = middle < from->count ? piece_end(from, middle) : middle;
		merge_two(session, from->items + at, from->items + middle,
			  from->items + end, to);
	}
}

/* Sorts, and adds up what is at one place: threads, and copies of a file. There are few
 * pieces: what one bank has of a module is in order. */
static void merge_counts(const struct session *session, struct image_counts *counts)
{
	struct image_counts other = {0};

	while (counts->count && piece_end(counts, 0) < counts->count) {
		struct image_counts from = *counts;

		vector_reserve(&other, from.count);
		merge_pieces(session, &from, &other);
		*counts = other;
		other = from;
	}
	vector_deinit(&other);
}

enum how { READ, TAKE, MARK, MARK_ALL };

static void visit_counters(const struct arena *arena, enum how how,
			   struct folding *folding)
{
	if (how == TAKE)
		arena_take_flags(arena, folding->bank, add_count, folding);
	else if (how == READ)
		arena_read_bank(arena, folding->bank, add_count, folding);
	else
		arena_mark_flags(arena, folding->bank, how == MARK_ALL, add_count,
				 folding);
}

static void visit_bank(const struct arena *arena, const struct bank *bank, bool calls,
		       enum how how, struct folding *folding)
{
	folding->bank = bank;
	folding->phase = bank_phase(bank);
	visit_counters(arena, how, folding);
	if (calls)
		add_table(folding);
}

static void visit_banks(const struct session *session, const struct process *process,
			enum how how, struct folding *folding)
{
	struct family *family = process->space->family;
	const struct collector *collector = session->options->collector;
	if (collector->spans_alone)
		return;
	folding->family = family;
	vector_for_each (&family->arena->banks, bank) {
		if ((*bank)->owner != process->pid)
			continue;
		folding->thread = session->options->threads ? (*bank)->shared->tid : 0;
		visit_bank(family->arena, *bank, collector->calls, how, folding);
		phase_names_learn(family->arena, *bank);
		vector_for_each (&(*bank)->views, view)
			if ((*view)->phase)
				visit_bank(family->arena, *view, collector->calls, how,
					   folding);
	}
}

void banks_visit(const struct session *session, const struct process *process,
		 banks_visitor *visit, void *context)
{
	visit_banks(session, process, READ,
		    &(struct folding){.visit = visit, .context = context});
}

void banks_mark(const struct session *session, const struct process *process, bool all,
		banks_visitor *visit, void *context)
{
	visit_banks(session, process, all ? MARK_ALL : MARK,
		    &(struct folding){.visit = visit, .context = context});
}

bool banks_mark_some(const struct process *process, uint32_t file, uint32_t slot,
		     uint32_t count)
{
	const struct family *family = process->space->family;
	bool some = false;

	vector_for_each (&family->modules, module) {
		if (module->file->index != file)
			continue;
		vector_for_each (&family->arena->banks, bank)
			if ((*bank)->owner == process->pid)
				some |= arena_mark_some(*bank, module->first_slot + slot,
							count);
	}
	return some;
}

static void push_count(void *context, const struct module_file *file, uint32_t slot,
		       uint64_t count)
{
	const struct folding *folding = context;

	vector_push(folding->counts, ((struct image_count){.thread = folding->thread,
							   .phase = folding->phase,
							   .file = file->index,
							   .slot = slot,
							   .count = count}));
}

void banks_read(const struct session *session, const struct process *process, bool take,
		struct image_counts *ret_counts, struct image_arcs *ret_arcs)
{
	struct folding folding = {
		.visit = push_count, .counts = ret_counts, .arcs = ret_arcs};

	folding.context = &folding;
	visit_banks(session, process, take ? TAKE : READ, &folding);
	if (session->window.standing)
		boundaries_count_ahead(session, process, ret_counts);
	merge_counts(session, ret_counts);
	call_sites_merge(ret_arcs);
}

void banks_merge(const struct session *session, struct image_run *image)
{
	merge_counts(session, &image->counts);
	call_sites_merge(&image->arcs);
	collector_call(session, merge, image);
}

/* Another thread may get the number of one that ended. */
static void forget_thread(const struct session *session, struct image_run *image,
			  uint32_t thread)
{
	size_t kept = 0;

	for (size_t i = 0; i < image->mark.count; i++)
		if (image->mark.items[i].thread != thread)
			image->mark.items[kept++] = image->mark.items[i];
	image->mark.count = kept;
	kept = 0;
	for (size_t i = 0; i < image->arc_mark.count; i++)
		if (image->arc_mark.items[i].thread != thread)
			image->arc_mark.items[kept++] = image->arc_mark.items[i];
	image->arc_mark.count = kept;
	collector_call(session, forget, image, thread);
}

void banks_take_thread(struct session *session, const struct thread *thread)
{
	struct process *process = thread->process;

	if (!session->options->threads || !thread->bank || !process->space ||
	    !process->space->family)
		return;
	window_take(session, process);
	struct arena *arena = process->space->family->arena;

	progress_begin_clearing(session, process);
	arena_clear_bank(arena, thread->bank);
	vector_for_each (&thread->old_banks, bank)
		arena_clear_bank(arena, *bank);
	session_note_change(session);
	progress_end_clearing(session, process);
	forget_thread(session, process->image, (uint32_t)thread->tid);
}

void banks_take_process(struct session *session, struct process *process,
			enum banks_use how)
{
	if (!process->space || !process->space->family)
		return;
	window_take(session, process);
	progress_begin_clearing(session, process);
	vector_deinit(&process->image->mark);
	vector_deinit(&process->image->arc_mark);
	collector_call(session, forget, process->image, 0);
	banks_merge(session, process->image);
	vector_for_each (&process->space->family->arena->banks, item) {
		struct bank *bank = *item;

		if (bank->owner != process->pid)
			continue;
		if (how == BANKS_CLEAR) {
			arena_clear_bank(process->space->family->arena, bank);
		} else {
			bank->owner = -1;
			bank->in_use = true;
		}
	}
	session_note_change(session);
	progress_end_clearing(session, process);
}
