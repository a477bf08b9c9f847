#include "session/position/path_frames.h"

#include "base/cleanup.h"
#include "code/plan/plan_rows.h"
#include "code/plan/position.h"
#include "control/remote.h"
#include "resident/resident.h"
#include "session/position/path_steps.h"
#include "session/position/residues.h"
#include "session/state/module.h"
#include "session/state/space.h"
#include "session/state/tables.h"
#include "wire/bank.h"
#include "wire/paths.h"

#include <string.h>

enum { PAGE = 4096, PAGES = sizeof(((struct wire_paths *)0)->used) };

/* The words of a function in a bank. */
struct words {
	uint32_t sum, place;
	uint64_t away;
};

static struct wire_paths *paths_of(const struct bank *bank)
{
	return (void *)((char *)bank->shared + WIRE_PATHS_PUT_BY);
}

static uint64_t displacement_of(uint32_t first_slot, const struct plan_function *function)
{
	return WIRE_BANK_HEADER +
	       ((uint64_t)first_slot + function->slot) * sizeof(uint64_t);
}

/* NULL: the bank is too narrow for them. */
static struct words *words_at(const struct bank *bank, uint64_t displacement)
{
	if (displacement + sizeof(struct words) > bank->chunk->stride)
		return NULL;
	return (void *)((char *)bank->shared + displacement);
}

/* The frames of a page of the table; NULL: none was ever written there. */
static struct wire_paths_frame *frames_of(struct wire_paths *paths, uint32_t page)
{
	return paths->used[page] ? (void *)((char *)paths->frames + (size_t)page * PAGE)
				 : NULL;
}

enum { FRAMES = PAGE / sizeof(struct wire_paths_frame) };

/* Finds the module, function and block of a place. */
static const struct family_module *find_place(const struct family *family, uint32_t place,
					      uint64_t *ret_address)
{
	const struct family_module *found = NULL;
	uint64_t slot = (place - WIRE_BANK_HEADER) / sizeof(uint64_t), block;
	const struct plan_function *function;
	const struct plan *plan;

	vector_for_each (&family->modules, module)
		if (module->first_slot <= slot && module->file->plan)
			found = module;
	plan = found ? found->file->plan : NULL;
	if (!plan || slot - found->first_slot >= plan->slot_count)
		return NULL;
	function = plan_function_of_slot(plan, NULL, (uint32_t)slot - found->first_slot);
	if (!function || !function->paths)
		return NULL;
	block = place - displacement_of(found->first_slot, function) - 1;
	if (block >= function->block_count)
		return NULL;
	*ret_address = function->address +
		       plan->blocks.items[function->first_block + block].offset;
	return found;
}

static void add_path(struct thread *thread, uint32_t place, uint32_t sum, int64_t by)
{
	uint64_t address;
	const struct family_module *module =
		find_place(thread->process->space->family, place, &address);

	if (module)
		residues_add_path(thread, module->file->index, address, sum, by);
}

/* Calls `see` for all functions of a bank that are away. */
static void visit_away(const struct family *family, const struct bank *bank,
		       void (*see)(void *context, uint64_t rsp, uint32_t place,
				   uint32_t sum),
		       void *context, bool clear)
{
	struct wire_paths *paths = paths_of(bank);
	scoped_free bool *pages = arena_bank_pages(family->arena, bank);

	for (uint32_t page = 0; page < PAGES; page++) {
		struct wire_paths_frame *frames = frames_of(paths, page);

		for (uint32_t i = 0; frames && i < FRAMES; i++) {
			if (!frames[i].rsp)
				continue;
			see(context, frames[i].rsp, frames[i].place, frames[i].sum);
			if (clear)
				frames[i].rsp = 0;
		}
		if (clear)
			paths->used[page] = 0;
	}
	vector_for_each (&family->modules, module) {
		const struct plan *plan = module->file->plan;

		if (!plan)
			continue;
		vector_for_each (&plan->functions, function) {
			const uint64_t at = displacement_of(module->first_slot, function);
			struct words *words = function->paths ? words_at(bank, at) : NULL;

			if (!words || !pages[at / PAGE] || !words->away)
				continue;
			see(context, words->away, words->place, words->sum);
			if (clear)
				words->away = 0;
		}
	}
}

struct noting {
	struct thread *thread;
	int64_t by;
};

static void note_away(void *context, uint64_t rsp, uint32_t place, uint32_t sum)
{
	const struct noting *noting = context;

	(void)rsp;
	add_path(noting->thread, place, sum, noting->by);
}

/* Takes the paths that were left since the last time; `counts`: they count. */
static void take_ends(struct thread *thread, const struct bank *bank, bool counts)
{
	struct wire_paths *paths = paths_of(bank);

	for (size_t i = 0; paths->ended && i < 1u << WIRE_PATHS_ENDS_BITS; i++) {
		struct wire_paths_end *end = &paths->ends[i];

		if (!end->place || end->count == end->seen)
			continue;
		if (counts)
			add_path(thread, end->place, end->sum,
				 (int64_t)(end->count - end->seen));
		end->seen = end->count;
	}
	paths->ended = 0;
}

static void push_call(void *context, uint64_t rsp, uint32_t place, uint32_t sum)
{
	struct thread_calls *calls = context;

	vector_push(calls, ((struct thread_call){.place = rsp, .function = sum}));
	vector_push(calls, ((struct thread_call){.place = place}));
}

void path_frames_note(const struct session *session, const struct bank *bank,
		      struct thread_calls *calls)
{
	const struct process *process = session_find_process(session, bank->owner);

	if (bank->paths && process && process->space && process->space->family)
		visit_away(process->space->family, bank, push_call, calls, false);
}

/* Puts a frame into the table of an empty bank; false: there is no room. */
static bool put_frame(struct wire_paths *paths, uint64_t rsp, uint32_t place,
		      uint32_t sum)
{
	struct wire_paths_frame *set = paths->frames[rsp >> 4 & (WIRE_PATHS_SETS - 1)];

	for (uint32_t i = 0; i < WIRE_PATHS_WAYS; i++) {
		if (set[i].rsp)
			continue;
		set[i] = (struct wire_paths_frame){rsp, sum, place};
		paths->used[((char *)&set[i] - (char *)paths->frames) / PAGE] = 1;
		return true;
	}
	paths->lost++;
	return false;
}

static void drop_away(void *context, uint64_t rsp, uint32_t place, uint32_t sum)
{
	(void)context;
	(void)rsp;
	(void)place;
	(void)sum;
}

void path_frames_begin(const struct session *session, const struct bank *old,
		       struct bank *bank, const struct thread_calls *calls)
{
	const struct resident_table *table = resident_table();
	const uint64_t resident = bank->shared->arc - table->arc;
	const struct process *process = session_find_process(session, bank->owner);
	struct wire_paths *paths = paths_of(bank);
	struct thread *thread = session_find_thread(session, (pid_t)bank->shared->tid);

	paths->put_by = resident + table->paths_put_by;
	paths->find = resident + table->paths_find;
	bank->paths = true;
	if (old && process && process->space && process->space->family)
		visit_away(process->space->family, old, drop_away, NULL, true);
	for (size_t i = 0; i + 1 < calls->count; i += 2) {
		uint32_t place = (uint32_t)calls->items[i + 1].place;

		if (put_frame(paths, calls->items[i].place, place,
			      calls->items[i].function) &&
		    !old && thread && thread->process && thread->process->space &&
		    thread->process->space->family)
			add_path(thread, place, calls->items[i].function, -1);
	}
}

/* The words of the function whose code a thread runs, at a link-time address, and the
 * number of the place; NULL: it is away, or in no such function. */
static struct words *find_live(const struct thread *thread, const struct module *module,
			       uint64_t address, uint64_t *ret_displacement,
			       uint32_t *ret_place)
{
	const struct plan *plan = module->file->plan;
	const struct plan_function *function = plan_function_at(plan, address);
	struct words *words;

	if (!thread->bank || !thread->bank->paths || !function || !function->paths)
		return NULL;
	*ret_displacement = displacement_of(module->first_slot, function);
	words = words_at(thread->bank, *ret_displacement);
	if (!words || words->away)
		return NULL;
	for (uint32_t i = 0; i < function->block_count; i++) {
		const struct plan_block *block =
			&plan->blocks.items[function->first_block + i];

		if (address - function->address - block->offset >= block->size)
			continue;
		*ret_place = (uint32_t)*ret_displacement + 1 + i;
		return words;
	}
	return NULL;
}

void path_frames_stand(struct thread *thread, int by)
{
	const struct space *space = thread->process ? thread->process->space : NULL;
	struct user_regs_struct registers;
	const struct module *module;
	uint64_t displacement;
	struct words *words;
	uint32_t place;

	if (!thread->bank || !thread->bank->paths || !space || !space->family)
		return;
	take_ends(thread, thread->bank, by > 0);
	vector_for_each (&thread->old_banks, bank)
		take_ends(thread, *bank, by > 0);
	visit_away(space->family, thread->bank, note_away, &(struct noting){thread, by},
		   false);
	if (remote_failed(remote_get_registers(thread->tid, &registers)))
		return;
	if (path_steps_run(thread, &registers))
		trm_error_destroy(remote_set_registers(thread->tid, &registers));
	module = space_module_of_code(space, registers.rip);
	if (!module || !path_steps_function(module, registers.rip))
		return;
	words = find_live(thread, module, module_locate(module, registers.rip).original,
			  &displacement, &place);
	if (words)
		add_path(thread, place, words->sum, by);
}

void path_frames_end(struct thread *thread)
{
	const struct space *space = thread->process ? thread->process->space : NULL;

	if (!thread->bank || !thread->bank->paths || !space || !space->family)
		return;
	take_ends(thread, thread->bank, true);
	vector_for_each (&thread->old_banks, bank)
		take_ends(thread, *bank, true);
	visit_away(space->family, thread->bank, note_away, &(struct noting){thread, 1},
		   true);
	thread->bank->paths = false;
}

uint64_t path_frames_leave(const struct thread *thread, const struct module *module,
			   uint64_t address, uint64_t rsp)
{
	uint64_t displacement;
	uint32_t place;
	struct words *words = find_live(thread, module, address, &displacement, &place);

	if (!words)
		return 0;
	words->place = place;
	words->away = rsp;
	return displacement;
}
