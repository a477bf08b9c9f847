/*
 * Signals, and where they find a thread. A handler may look at the interrupted PC, unwind
 * from it or change it, so it is shown original code: a thread in a trampoline or in the
 * resident is moved out before the signal is delivered. Nothing here uses single steps or
 * breakpoints, which would kill the program if the tracer died in the middle.
 */
#include "session/position/settle.h"

#include "base/array.h"
#include "code/calls/gate_layout.h"
#include "code/locate/address_map.h"
#include "code/locate/locate.h"
#include "code/planner/signal_returns.h"
#include "control/remote.h"
#include "resident/resident.h"
#include "session/cache/module_text.h"
#include "session/position/finish.h"
#include "session/position/gate_position.h"
#include "session/position/interrupted_calls.h"
#include "session/position/marks.h"
#include "session/position/path_steps.h"
#include "session/position/point_undo.h"
#include "session/position/reentry.h"
#include "session/position/replaced.h"
#include "session/position/signal_frames.h"
#include "session/position/spans.h"
#include "session/position/text_jumps.h"
#include "session/position/view.h"
#include "session/state/module.h"
#include "session/state/unpatched_list.h"
#include "wire/bank.h"
#include "wire/hooks.h"
#include "wire/registers.h"
#include "x86/branch.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Bytes of the instruction syscall. */
enum { SYSTEM_CALL = 2 };

static const struct plan_function *function_of(const struct module *module,
					       uint32_t index)
{
	return &module->file->plan->functions.items[index];
}

/* Corrects the counter of a thread by `by`. `displacement` is the counter's offset in
 * the bank, without the module's. */
static void add_to_counter(const struct thread *thread, const struct module *module,
			   uint32_t displacement, int by)
{
	const struct bank *bank = thread_view(thread);
	const uint32_t size = module->file->plan->slot_size;

	if (!bank)
		return;
	uint64_t at =
		WIRE_BANK_HEADER + module->first_slot * (uint64_t)size + displacement;
	uint8_t *place = (uint8_t *)bank->shared + at;
	uint64_t *counter = (uint64_t *)(void *)place;

	if (size == 1) { /* a flag stays set once it is set */
		if (by > 0)
			*place = 1;
		return;
	}
	if (by > 0 || *counter)
		*counter += (uint64_t)(int64_t)by;
}

/* Takes back the count of a call that the thread will count again. */
static void uncount_call(const struct thread *thread, const struct module *module,
			 const struct plan_function *function)
{
	if (function->reason == PLAN_INSTRUMENTED)
		add_to_counter(thread, module,
			       function->slot * module->file->plan->slot_size, -1);
}

/* Counts by hand the probes that the thread has not passed, and will not. */
static void count_by_hand(const struct thread *thread, const struct module *module,
			  const struct plan_position *place)
{
	for (size_t i = 0; i < array_count(place->uncounted); i++)
		if (place->uncounted[i] != PLAN_NO_SLOT)
			add_to_counter(thread, module, place->uncounted[i], 1);
}

/* Makes a thread at a function's entry count its call once. A thread that has counted
 * the call is shown the entry, with `registers` as they are shown. Where calls are
 * counted by call site the counter of this call cannot be told: there the return is
 * redirected behind the gate. Go's handlers may not return that way. */
static void count_once(struct thread *thread, const struct module *module,
		       const struct plan_function *function,
		       const struct user_regs_struct *registers)
{
	const struct plan *plan = module->file->plan;

	if (plan->gates_size && !(function->flags & IMAGE_FUNCTION_GO)) {
		signal_frames_add(thread, module, registers);
		return;
	}
	if (!plan->gates_size || plan->counts_entries)
		uncount_call(thread, module, function);
	if (plan->sites || (plan->gates_size && !plan->counts_entries))
		add_to_counter(thread, module,
			       gate_position_counter(thread, module, function, registers),
			       -1);
}

/* Executes one branch of a trampoline by hand on the registers. */
static bool take_branch(const struct thread *thread, struct module *module,
			const struct plan_position *place,
			struct user_regs_struct *registers)
{
	uint8_t bytes[16] = {0};
	uint64_t address = place->original;
	const uint8_t *original = NULL;
	size_t size = sizeof(bytes);

	while (size && !(original = module_file_original(module->file, address, size)))
		size--;
	if (!original)
		return false;
	memcpy(bytes, original, size);
	return branch_emulate(bytes, size, address + module->bias,
			      thread->process->space->memory_fd, registers);
}

/* Returns whether the next instruction after a branch done by hand is displaced too,
 * and moves `place` to it. A branch to the entry does not count as such: the thread
 * counts again there. */
static bool stays_displaced(struct thread *thread, const struct module *module,
			    struct plan_position *place,
			    const struct user_regs_struct *registers)
{
	const struct plan_function *function = function_of(module, place->function);
	uint64_t at = registers->rip - module->bias - function->address;

	if (registers->rip - module->bias < function->address ||
	    at >= function->displaced)
		return false;
	if (registers->rip - module->bias < place->original) {
		count_once(thread, module, function, registers);
		return false;
	}
	place->kind = PLAN_POSITION_DISPLACED;
	place->instruction++;
	place->original = registers->rip - module->bias;
	return true;
}

/* Moves a thread inside the expansion of a branch back to where it began. A call's
 * return address is pushed by then, and a loop has counted. */
static void step_back(const struct module *module, struct plan_position *place,
		      struct user_regs_struct *registers)
{
	const uint8_t *original = module_file_original(module->file, place->original, 2);

	if (!place->inside || !original)
		return;
	if (original[0] >= 0xe0 && original[0] <= 0xe2)
		registers->rcx++;
	else if (original[0] != 0xe3 && original[0] != 0x67)
		registers->rsp += 8;
	place->inside = false;
}

/* Returns whether a place is the first instruction with an intact original: some
 * intact ones are copied, too. */
static bool is_behind(const struct module *module, const struct plan_position *place)
{
	const struct plan_function *function = function_of(module, place->function);

	return place->kind == PLAN_POSITION_DISPLACED &&
	       place->original == function->address + function->displaced;
}

/* Moves a thread out of the middle of the displaced instructions. */
static enum settled finish_displaced(struct session *session, struct thread *thread,
				     struct module *module, struct plan_position place,
				     int signal, struct user_regs_struct *registers)
{
	bool ran = false;

	step_back(module, &place, registers);
	for (int rounds = 0; rounds < 16; rounds++) {
		struct finish_code copy = {.signal = signal};

		if (place.kind == PLAN_POSITION_BACK || is_behind(module, &place)) {
			const struct plan_function *f =
				function_of(module, place.function);

			registers->rip = f->address + f->displaced + module->bias;
			return ran ? SETTLED_RAN : SETTLED;
		}
		if (place.kind != PLAN_POSITION_DISPLACED &&
		    place.kind != PLAN_POSITION_START)
			return UNSETTLED;
		if (take_branch(thread, module, &place, registers)) {
			if (stays_displaced(thread, module, &place, registers))
				continue;
			return ran ? SETTLED_RAN : SETTLED;
		}
		if (!thread->bank || !finish_make(thread, module, &place, &copy) ||
		    !finish_run(session, thread, &copy, registers))
			return UNSETTLED;
		signal = 0; /* sent with the first round */
		ran = true;
		place = module_locate(module, registers->rip);
	}
	return UNSETTLED;
}

/* Shows the handler of a fault the original address of the displaced instruction that
 * faulted, whose bytes are overwritten. Until the handler is through, the thread's
 * system calls are watched; and the way back is also recorded inside the program, in
 * case the tracer is dead by then. */
static enum settled show_fault(struct thread *thread, const struct module *module,
			       struct plan_position *place,
			       struct user_regs_struct *registers)
{
	step_back(module, place, registers);
	reentry_write_leads(thread->process->space, module, place->function);
	registers->rip = place->original + module->bias;
	thread->fault_rip = registers->rip;
	thread->fault_rsp = registers->rsp;
	return SETTLED;
}

/* Counts by hand the probes that were not passed, and takes back the counts that will
 * be made again. */
static void count_again(struct thread *thread, const struct module *module,
			const struct plan_position *place)
{
	count_by_hand(thread, module, place);
	if (place->recounted)
		add_to_counter(thread, module, place->recounted, -1);
}

/* Settles a thread in a function relocated as a whole. The handler's return is
 * redirected into relocated code: the bytes of the original are jumps now. */
static enum settled settle_moved(struct thread *thread, const struct module *module,
				 const struct settling *how, struct plan_position *place,
				 struct user_regs_struct *registers)
{
	const uint32_t ended = view_phase_ended(thread, module, registers->rip);

	step_back(module, place, registers);
	registers->rip = place->original + module->bias;
	if (how->leaving) /* see boundaries_leave */
		return SETTLED;
	if (place->leads) {
		signal_frames_add_way(thread, module, registers,
				      module->code_address + place->way);
		return SETTLED;
	}
	count_again(thread, module, place);
	signal_frames_add(thread, module, registers);
	if (ended)
		signal_frames_set_counted(thread, ended);
	return SETTLED;
}

/* Settles a thread between a signal's restorer and the resident, where only rbx is
 * changed: all registers will come from the context. */
static enum settled settle_restorer(const struct module *module,
				    struct user_regs_struct *registers)
{
	uint64_t restorer;

	if (!plan_in_return(module->file->plan,
			    (uint32_t)(registers->rip - module->code_address), &restorer))
		return UNSETTLED;
	registers->rip = restorer + module->bias;
	return SETTLED;
}

static enum settled settle_trampoline(struct session *session, struct thread *thread,
				      struct module *module, const struct settling *how,
				      struct user_regs_struct *registers);

/* Runs the rest of a point's code, in a copy, and settles the thread where that ends. */
static enum settled settle_point(struct session *session, struct thread *thread,
				 struct module *module, const struct settling *how,
				 const struct plan_position *place,
				 struct user_regs_struct *registers)
{
	const uint32_t offset = (uint32_t)(registers->rip - module->code_address);
	struct finish_code copy = {.signal = how->signal};
	enum settled settled;

	if (how->fault && point_undo(thread, module, place, registers))
		return settle_trampoline(session, thread, module, how, registers);
	if (how->fault || !session || !thread->bank ||
	    !finish_make_point(thread, module, offset, place, &copy) ||
	    !finish_run(session, thread, &copy, registers))
		return UNSETTLED;
	/* It was sent with the copy, and finds the thread behind the point: to be settled
	 * then, since nothing that is shown now would last until it comes. */
	if (how->signal)
		return SETTLED_RAN;
	settled = settle_trampoline(session, thread, module, how, registers);
	return settled == UNSETTLED ? UNSETTLED : SETTLED_RAN;
}

static enum settled settle_trampoline(struct session *session, struct thread *thread,
				      struct module *module, const struct settling *how,
				      struct user_regs_struct *registers)
{
	struct plan_position place = module_locate(module, registers->rip);
	const struct plan_function *function;

	if (place.kind == PLAN_POSITION_UNKNOWN)
		return settle_restorer(module, registers);
	function = function_of(module, place.function);
	if (!gate_position_take_pushed(thread, module, &place, registers))
		return UNSETTLED;
	switch (place.kind) {
	case PLAN_POSITION_PROBE:
		registers->rip = place.original + module->bias;
		return SETTLED;
	case PLAN_POSITION_HOOK:
	case PLAN_POSITION_START:
		count_by_hand(thread, module, &place);
		if (how->fault)
			return show_fault(thread, module, &place, registers);
		if (how->leaving)
			break;
		registers->rip = place.original + module->bias;
		if (place.kind == PLAN_POSITION_START)
			count_once(thread, module, function, registers);
		else
			uncount_call(thread, module, function);
		return SETTLED;
	case PLAN_POSITION_BACK:
		registers->rip = function->address + function->displaced + module->bias;
		return SETTLED;
	case PLAN_POSITION_POINT:
		return settle_point(session, thread, module, how, &place, registers);
	case PLAN_POSITION_MOVED:
		return settle_moved(thread, module, how, &place, registers);
	case PLAN_POSITION_CALL_UNDO:
		/* The call is made again: its return address goes. */
		registers->rsp += 8;
		__attribute__((fallthrough));
	case PLAN_POSITION_CALL_DONE:
		if (!module_callee(thread->process->space, module, &place,
				   &registers->rip))
			return UNSETTLED;
		if (how->leaving)
			return SETTLED;
		count_again(thread, module, &place);
		signal_frames_add_uncounted(thread, registers);
		return SETTLED;
	default:
		break;
	}
	/* Behind the displaced bytes the original is intact. */
	if (place.original >= function->address + function->displaced) {
		registers->rip = place.original + module->bias;
		return SETTLED;
	}
	if (how->fault)
		return show_fault(thread, module, &place, registers);
	if (how->leaving) {
		step_back(module, &place, registers);
		registers->rip = place.original + module->bias;
		return SETTLED;
	}
	return finish_displaced(session, thread, module, place, how->signal, registers);
}

/* Layout of the values that a hook pushed, from its low end: see WIRE_HOOK_FRAME. */
struct hook_frame {
	struct wire_registers registers;
	uint64_t back;
	uint64_t number;
};

/* Returns the status flags from the form in which lahf and seto save them. */
static uint64_t status_flags(uint64_t saved)
{
	return (saved >> 8 & 0xd5) | (saved & 1 ? 0x800 : 0);
}

static void restore_registers(const struct wire_registers *saved,
			      struct user_regs_struct *registers)
{
	registers->rax = saved->rax;
	registers->rcx = saved->rcx;
	registers->rdx = saved->rdx;
	registers->rbx = saved->rbx;
	registers->rbp = saved->rbp;
	registers->rsi = saved->rsi;
	registers->rdi = saved->rdi;
	registers->r8 = saved->r8;
	registers->r9 = saved->r9;
	registers->r10 = saved->r10;
	registers->r11 = saved->r11;
	registers->r12 = saved->r12;
	registers->r13 = saved->r13;
	registers->r14 = saved->r14;
	registers->r15 = saved->r15;
}

/* Returns the address of the hook's frame, from the thread's offset in the resident. */
static uint64_t frame_address(uint64_t offset, const struct user_regs_struct *registers)
{
	const struct resident_table *t = resident_table();

	if (offset == t->hook || offset == t->hook_return)
		return registers->rsp - WIRE_HOOK_REGISTERS;
	if (offset < t->hook_switched || offset >= t->hook_back)
		return registers->rsp;
	return registers->rbp;
}

/* Moves a thread from the hook's frame back to the function's entry, as if the
 * function had not been called yet. `saved`: the registers are in the frame. */
static enum settled leave_hook(struct thread *thread, uint64_t address, bool saved,
			       const struct settling *how,
			       struct user_regs_struct *registers)
{
	struct space *space = thread->process->space;
	struct hook_frame frame;

	/* At the address of the registers the stack may have ended already. */
	remote_read_mapped(space->memory_fd, address, &frame, sizeof(frame));
	struct module *module = space_module_of_code(space, frame.back);

	if (!module)
		return UNSETTLED;
	struct plan_position place = module_locate(module, frame.back);

	/* If a gate follows the hook, nothing is counted yet. */
	if (place.kind != PLAN_POSITION_HOOK && place.kind != PLAN_POSITION_PROBE)
		return UNSETTLED;
	if (saved) {
		restore_registers(&frame.registers, registers);
		registers->eflags = (registers->eflags & ~0x8d5ull) |
				    status_flags(frame.registers.flags);
	}
	registers->rsp = address + WIRE_HOOK_FRAME;
	registers->rip = place.original + module->bias;
	if (!how->leaving && place.kind == PLAN_POSITION_HOOK)
		uncount_call(thread, module, function_of(module, place.function));
	return SETTLED;
}

static enum settled settle_hook(struct thread *thread, uint64_t offset,
				const struct settling *how,
				struct user_regs_struct *registers)
{
	const struct resident_table *t = resident_table();

	if (offset >= t->hook_blocked && offset < t->hook_unblocked)
		return UNSETTLED;
	return leave_hook(thread, frame_address(offset, registers),
			  offset >= t->hook_saved && offset < t->hook_return, how,
			  registers);
}

bool settle_is_in_patch(const struct space *space, uint64_t rip)
{
	const struct module *module = space_module_of_text(space, rip);
	const struct plan_patch *patch =
		module ? plan_patch_behind(module->file->plan, rip - module->bias) : NULL;

	return patch && patch->address < rip - module->bias;
}

/* Records a thread in an unpatched function as shown. If the function is patched again
 * when the handler returns, the return leads into relocated code. */
static void show_home(struct thread *thread, const struct user_regs_struct *registers)
{
	const struct space *space = thread->process->space;
	const struct module *module =
		space->fired.unpatched.count ? space_module_of_text(space, registers->rip)
					     : NULL;
	uint32_t offset;

	if (module && unpatched_list_has(space, module, registers->rip) &&
	    plan_moved_to(module->file->plan, registers->rip - module->bias, true,
			  &offset))
		signal_frames_add(thread, module, registers);
}

/* Settles a thread on a jump of trammel's in the text that is not at the entry itself
 * (an island, or the jump for loops behind the entry): moves it to the entry. */
static enum settled settle_text(struct thread *thread, const struct settling *how,
				struct user_regs_struct *registers)
{
	struct text_jump jump;

	if (!text_jump_find(thread->process->space, registers->rip, &jump)) {
		if (!how->leaving) {
			show_home(thread, registers);
			signal_frames_add_uncounted(thread, registers);
		}
		return NOTHING_TO_SETTLE;
	}
	/* The thread stands in front of a block that it has not counted: the way back
	 * leads behind the probe. */
	if (jump.place.kind == PLAN_POSITION_MOVED && jump.place.original == jump.link &&
	    !how->leaving)
		return settle_moved(thread, jump.module, how, &jump.place, registers);
	if (jump.place.original == jump.link)
		return NOTHING_TO_SETTLE;
	registers->rip = jump.place.original + jump.module->bias;
	if (jump.place.kind == PLAN_POSITION_START && !how->leaving)
		count_once(thread, jump.module,
			   function_of(jump.module, jump.place.function), registers);
	return SETTLED;
}

/* Returns whether an offset lies in the parts of the resident that are written in C. */
static bool is_inside(uint64_t offset)
{
	return offset >= resident_table()->leave_end && offset < resident_table()->size;
}

/* Settles a thread while it corrects return addresses, which may be done once more. */
static enum settled settle_look(struct thread *thread, uint64_t offset,
				const struct settling *how,
				struct user_regs_struct *registers)
{
	const struct space *space = thread->process->space;
	uint64_t behind[2] = {registers->rbp};
	enum settled settled;

	if (offset == resident_table()->look)
		behind[0] = registers->rsp;
	else if (is_inside(offset) &&
		 !marks_find(space, registers->rsp, WIRE_LOOK_MARK, behind))
		return NOTHING_TO_SETTLE;
	settled = leave_hook(thread, behind[0], true, how, registers);
	if (settled == SETTLED)
		marks_clear(space, behind[0], WIRE_LOOK_MARK);
	return settled;
}

/* Settles a thread in the code that takes signal returns on, or in resident_way_back:
 * moves it back to the restorer. All other registers come from the context. */
static bool settle_return(const struct space *space, uint64_t offset,
			  struct user_regs_struct *registers)
{
	const struct resident_table *t = resident_table();
	uint64_t behind[2] = {registers->r12, registers->rbx};

	if (offset == t->returns)
		behind[0] = registers->rsp;
	else if ((offset < t->returns || offset >= t->returns_end) &&
		 (!is_inside(offset) ||
		  !marks_find(space, registers->rsp, WIRE_RETURNS_MARK, behind)))
		return false;
	marks_clear(space, behind[0], WIRE_RETURNS_MARK);
	registers->rsp = behind[0];
	registers->rip = behind[1];
	return true;
}

/* Of a thread that is in no routine. */
static enum settled settle_place(struct session *session, struct thread *thread,
				 const struct settling *how,
				 struct user_regs_struct *registers)
{
	struct space *space = thread->process->space;
	struct module *module = space_module_of_code(space, registers->rip);
	uint64_t offset = registers->rip - space->family->arena->address;

	if (module)
		return settle_trampoline(session, thread, module, how, registers);
	if (offset >= resident_table()->hook && offset < resident_table()->hook_end)
		return settle_hook(thread, offset, how, registers);
	if (settle_return(space, offset, registers))
		return SETTLED;
	if ((offset >= resident_table()->look && offset < resident_table()->look_end) ||
	    is_inside(offset))
		return settle_look(thread, offset, how, registers);
	return space->holding ? NOTHING_TO_SETTLE : settle_text(thread, how, registers);
}

static bool is_in_hook(const struct space *space, uint64_t rip)
{
	const uint64_t offset = rip - space->family->arena->address;

	return offset >= resident_table()->hook && offset < resident_table()->hook_end;
}

static enum settled settle_position(struct session *session, struct thread *thread,
				    const struct settling *how,
				    struct user_regs_struct *registers)
{
	struct space *space = thread->process->space;

	if (!space->family) /* not yet */
		return NOTHING_TO_SETTLE;
	/* The library asks for a view, perhaps while it is told of a span. */
	if (how->leaving && is_in_hook(space, registers->rip))
		return settle_place(session, thread, how, registers);
	/* A fault cannot wait: the stack may end there. Should the handler return, the
	 * call is counted twice. */
	if (how->fault ? spans_tell(session, thread, registers)
		       : spans_hold(session, thread, registers) ||
				 !spans_undo_point(session, thread, registers))
		return UNSETTLED;
	if (gate_position_holds(space, registers->rip) &&
	    !gate_position_leave(thread, registers))
		return UNSETTLED;
	bool moved = view_finish_change(thread, registers);

	if (thread->bank && session->options->collector->routines) {
		moved |= spans_leave_routine(thread, registers) ||
			 replaced_leave(thread, registers);
		if (how->fault)
			point_undo_call(thread, registers);
	}
	const enum settled settled = settle_place(session, thread, how, registers);

	return moved && settled == NOTHING_TO_SETTLE ? SETTLED : settled;
}

enum settled settle_thread(struct session *session, struct thread *thread,
			   const struct settling *how, struct user_regs_struct *registers)
{
	bool left = interrupted_calls_leave_rest(thread, registers);

	left |= path_steps_run(thread, registers);
	enum settled settled = settle_position(session, thread, how, registers);

	return left && settled == NOTHING_TO_SETTLE ? SETTLED : settled;
}

void settle_leave_gate(const struct session *session, struct thread *thread)
{
	const struct settling how = {0};
	const struct space *space = thread->process->space;
	struct user_regs_struct registers;
	struct module *module;

	if (remote_failed(remote_get_registers(thread->tid, &registers)) ||
	    spans_hold(session, thread, &registers) ||
	    (gate_position_holds(space, registers.rip) &&
	     !gate_position_leave(thread, &registers)))
		return;
	module = space_module_of_code(space, registers.rip);
	if (!module ||
	    registers.rip - module->code_address >= module->file->plan->gates_size)
		return;
	const struct plan_position place = module_locate(module, registers.rip);

	if (place.kind == PLAN_POSITION_PROBE)
		settle_trampoline(NULL, thread, module, &how, &registers);
	else if (place.enters &&
		 gate_position_take_pushed(thread, module, &place, &registers))
		registers.rip = module->code_address +
				gates_body(module->file->plan,
					   function_of(module, place.function));
	trm_error_destroy(remote_set_registers(thread->tid, &registers));
}
