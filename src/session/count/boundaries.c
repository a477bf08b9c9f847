#include "session/count/boundaries.h"

#include "code/locate/address_map.h"
#include "code/plan/position.h"
#include "control/remote.h"
#include "session/position/gate_position.h"
#include "session/position/interrupted_calls.h"
#include "session/position/path_frames.h"
#include "session/position/reentry.h"
#include "session/position/residues.h"
#include "session/position/signal_frames.h"
#include "session/position/spans.h"
#include "session/position/view.h"
#include "session/state/module.h"

#include <string.h>

enum { AHEAD_MAX = 3 };

/* A place in a function relocated whole, or on the way into a function. */
struct place {
	const struct module *module;
	uint64_t address; /* link-time, of the instruction that is next */
	bool outside;     /* that is on the way out of the function, or it is not
			     relocated whole */
	/* Displacements of counters in front of it; PLAN_NO_SLOT: none. */
	uint32_t ahead[AHEAD_MAX];
};

/* The module and the offset in its code where a thread is, or to which the jump leads
 * that it is about to take. */
static const struct module *find_code(const struct space *space, uint64_t rip,
				      uint32_t *ret_offset, bool *ret_inside)
{
	const struct module *module = space_module_of_code(space, rip);

	*ret_inside = module != NULL;
	if (module) {
		*ret_offset = (uint32_t)(rip - module->code_address);
		return module;
	}
	module = space->holding ? NULL : space_module_of_text(space, rip);
	if (!module || !plan_jump_at(module->file->plan, rip - module->bias, ret_offset))
		return NULL;
	return module;
}

/* Whether a thread in front of a place in plan.code has called nothing yet: it has not
 * passed the function's gate, or, from its entry, the jump that leads there. */
static bool is_call_ahead(const struct plan *plan, uint32_t offset, bool inside,
			  const struct plan_position *place)
{
	const struct plan_function *function = &plan->functions.items[place->function];

	if (offset < plan->gates_size)
		return place->kind == PLAN_POSITION_PROBE ||
		       place->kind == PLAN_POSITION_CALL_UNDO;
	return !inside && place->original == function->address;
}

static bool find_before_stub(const struct space *space, uint64_t rip,
			     struct place *ret_place)
{
	const struct module *module = reentry_before_stub(space, rip);

	if (!module)
		return false;
	*ret_place = (struct place){
		.module = module,
		.address = rip - module->bias,
		.ahead = {PLAN_NO_SLOT, PLAN_NO_SLOT, PLAN_NO_SLOT},
	};
	return true;
}

static bool find_place(const struct thread *thread, struct user_regs_struct registers,
		       struct place *ret_place)
{
	const struct space *space = thread->process->space;
	uint32_t offset;
	bool inside;

	interrupted_calls_leave_rest(thread, &registers);
	if (!space->family || (gate_position_holds(space, registers.rip) &&
			       !gate_position_find(thread, &registers)))
		return false;
	const struct module *module = find_code(space, registers.rip, &offset, &inside);
	const struct plan *plan = module ? module->file->plan : NULL;

	if (!plan)
		return find_before_stub(space, registers.rip, ret_place);
	if (!plan->map_rows.count)
		return false;
	struct plan_position found = module_locate(module, module->code_address + offset);
	bool whole = plan->functions.items[found.function].map_row_count != 0;

	if (found.kind == PLAN_POSITION_UNKNOWN ||
	    is_call_ahead(plan, offset, inside, &found))
		return false;
	*ret_place = (struct place){
		.module = module,
		.address = found.original,
		.outside = found.kind == PLAN_POSITION_CALL_DONE || !whole,
	};
	memcpy(ret_place->ahead, found.uncounted, sizeof(ret_place->ahead));
	return true;
}

/* Where the thread is, and, if it is telling of a span, where the program is that it
 * tells of. */
enum { STANDS = 2 };
static size_t stands_of(const struct session *session, const struct thread *thread,
			const struct user_regs_struct *registers,
			struct place places[STANDS])
{
	struct user_regs_struct gate = *registers;
	size_t count = find_place(thread, *registers, &places[0]) ? 1 : 0;

	if (spans_find_gate(session, thread, &gate))
		count += find_place(thread, gate, &places[count]) ? 1 : 0;
	return count;
}

void boundaries_note(const struct session *session, struct thread *thread,
		     const struct user_regs_struct *registers, int by)
{
	struct place places[STANDS];
	size_t count = stands_of(session, thread, registers, places);

	path_frames_stand(thread, by);
	signal_frames_take_returned(thread);
	signal_frames_take_left(thread, registers->rsp);
	vector_for_each (&thread->signal_frames, shown)
		if (!shown->inherited)
			residues_stand(thread, shown, by);
	for (size_t i = 0; i < count; i++)
		if (!places[i].outside)
			residues_add(thread, places[i].module->file->index,
				     places[i].address, by);
}

static void count_ahead(const struct session *session, const struct thread *thread,
			const struct user_regs_struct *registers, uint32_t interval,
			struct image_counts *counts)
{
	const struct collector *collector = session->options->collector;
	const bool exact = !collector_has_flags(collector);
	struct place places[STANDS];
	size_t count = stands_of(session, thread, registers, places);

	/* What a flag tells needs no such care. */
	for (size_t i = 0; exact && i < count * AHEAD_MAX; i++) {
		const struct place *place = &places[i / AHEAD_MAX];
		uint32_t ahead = place->ahead[i % AHEAD_MAX];

		if (ahead != PLAN_NO_SLOT)
			vector_push(counts,
				    ((struct image_count){
					    .interval = interval,
					    .thread = session->options->threads
							      ? (uint32_t)thread->tid
							      : 0,
					    .phase = thread_phase(thread),
					    .file = place->module->file->index,
					    .slot = ahead / collector->slot_size,
					    .count = 1,
				    }));
	}
}

void boundaries_count_ahead(const struct session *session, const struct process *process,
			    struct image_counts *counts)
{
	struct user_regs_struct registers;

	vector_for_each (&session->all_threads, thread)
		if ((*thread)->process == process && (*thread)->stopped &&
		    !remote_failed(remote_get_registers((*thread)->tid, &registers)))
			count_ahead(session, *thread, &registers, 0, counts);
}

void boundaries_leave(const struct session *session, struct thread *thread,
		      const struct user_regs_struct *registers)
{
	struct image_run *image = thread->process->image;

	if (image->slice)
		count_ahead(session, thread, registers, image->slice - 1, &image->counts);
	boundaries_note(session, thread, registers, 1);
	signal_frames_cut(thread, 0);
}
