#include "session/position/gate_position.h"

#include "base/array.h"
#include "code/plan/plan_rows.h"
#include "code/plan/position.h"
#include "control/remote.h"
#include "resident/resident.h"
#include "session/position/callgraph_bank.h"
#include "wire/graph.h"
#include "wire/spans.h"

#include <stddef.h>

/* Layout of the values that resident.S's arc keeps on the stack, from its low end. */
struct arc_frame {
	uint64_t rcx, rdx, rsi, rdi;
	uint64_t back;
};

/* Layout of the values that the resident's routines for call graphs keep there. */
struct graph_frame {
	uint64_t rcx, rdx, r8, r9, scratch[2];
	uint64_t back;
};

/* Reads the values on the stack of such a frame. A thread that has just made room for
 * one may stand at the end of its stack, whose last page is not mapped; but the
 * address that the routine returns to is there. */
static bool read_frame(const struct thread *thread, uint64_t base, void *frame,
		       size_t size, uint64_t *ret_back)
{
	int memory = thread->process->space->memory_fd;

	remote_read_mapped(memory, base, frame, size);
	return !remote_failed(remote_read(memory, base + size - sizeof(*ret_back),
					  ret_back, sizeof(*ret_back)));
}

/* Size in bytes of the instruction in a gate that calls these routines. */
#define ARC_CALL 8

/* Adds the time by hand for a thread that has read the clock, and not added the time
 * yet. */
static void add_time(const struct thread *thread,
		     const struct user_regs_struct *registers)
{
	struct wire_graph *graph =
		(void *)((char *)thread->bank->shared + WIRE_GRAPH_BASE);
	uint64_t node = registers->rdx / sizeof(graph->nodes[0]);

	if (node < array_count(graph->nodes))
		graph->nodes[node].ticks += registers->rax;
}

static const struct resident_routine *routine_at(uint64_t offset)
{
	for (size_t i = 0;
	     i < sizeof(resident_table()->graph) / sizeof(resident_table()->graph[0]);
	     i++) {
		const struct resident_routine *routine = &resident_table()->graph[i];

		if (offset >= routine->start && offset < routine->end)
			return routine;
	}
	return NULL;
}

/* Moves a thread back behind the call that led there, or in front of it if the call
 * has to be done again. */
static bool find_gate_of_graph(const struct thread *thread,
			       const struct resident_routine *routine, uint64_t offset,
			       struct user_regs_struct *registers)
{
	bool searching = offset >= routine->search;
	bool framed = searching || (offset >= routine->lowered && offset < routine->last);
	uint64_t base =
		registers->rsp - (framed ? 0 : offsetof(struct graph_frame, back));
	struct graph_frame frame;

	if (!read_frame(thread, base, &frame, sizeof(frame), &frame.back))
		return false;
	if (framed && offset >= routine->half) {
		registers->rcx = frame.rcx;
		registers->rdx = frame.rdx;
	}
	if (framed && offset >= routine->saved) {
		registers->r8 = frame.r8;
		registers->r9 = frame.r9;
	}
	registers->rsp = base + sizeof(frame);
	registers->rip =
		frame.back - (searching || offset < routine->done ? ARC_CALL : 0);
	return true;
}

/* Returns whether the thread is in the code that restores the signal mask behind a
 * span. */
static bool is_unmasking(uint64_t offset)
{
	return offset >= resident_table()->span_unmask &&
	       offset < resident_table()->span_unmask_end;
}

/* Moves a thread back to the routine that called this code, as if the code had run and
 * returned. */
static bool leave_unmasking(const struct thread *thread, uint64_t offset,
			    struct user_regs_struct *registers)
{
	const struct wire_spans *spans;

	if (!thread->bank ||
	    remote_failed(remote_read(thread->process->space->memory_fd, registers->rsp,
				      &registers->rip, sizeof(registers->rip))))
		return false;
	registers->rsp += sizeof(registers->rip);
	if (offset < resident_table()->span_unmask_saved)
		return true;
	spans = (const void *)((char *)thread->bank->shared + WIRE_BANK_HEADER);
	registers->rsi = spans->rsi;
	registers->rdi = spans->rdi;
	registers->r10 = spans->r10;
	registers->r11 = spans->r11;
	return true;
}

bool gate_position_find(const struct thread *thread, struct user_regs_struct *registers)
{
	const struct space *space = thread->process->space;
	const struct resident_table *t = resident_table();
	uint64_t offset = registers->rip - space->family->arena->address;

	if (is_unmasking(offset)) {
		if (!leave_unmasking(thread, offset, registers))
			return false;
		offset = registers->rip - space->family->arena->address;
	}

	if (routine_at(offset))
		return find_gate_of_graph(thread, routine_at(offset), offset, registers);
	bool counted = offset >= t->arc_counted && offset <= t->arc_return;
	bool framed = offset >= t->arc_lowered && offset != t->arc_return;
	uint64_t base = registers->rsp - (framed ? 0 : offsetof(struct arc_frame, back));
	struct arc_frame frame;

	if (!read_frame(thread, base, &frame, sizeof(frame), &frame.back))
		return false;
	if (framed && offset >= t->arc_saved) {
		registers->rcx = frame.rcx;
		registers->rdx = frame.rdx;
		registers->rsi = frame.rsi;
		registers->rdi = frame.rdi;
	}
	registers->rsp = base + sizeof(frame);
	registers->rip = frame.back - (counted ? 0 : ARC_CALL);
	return true;
}

bool gate_position_leave(const struct thread *thread, struct user_regs_struct *registers)
{
	uint64_t offset = registers->rip - thread->process->space->family->arena->address;
	const struct resident_routine *routine = routine_at(offset);

	if (routine && thread->bank && offset == routine->timed)
		add_time(thread, registers);
	return gate_position_find(thread, registers);
}

bool gate_position_holds(const struct space *space, uint64_t rip)
{
	uint64_t offset = rip - space->family->arena->address;

	return (offset >= resident_table()->arc && offset < resident_table()->arc_end) ||
	       routine_at(offset) || is_unmasking(offset);
}

/* Takes pushed values back into registers; takes nothing if the stack cannot be read. */
static bool read_pushed(const struct thread *thread, const struct plan_position *place,
			struct user_regs_struct *registers)
{
	const uint64_t changed = 0xcd5; /* the status flags, and the direction */
	int memory = thread->process->space->memory_fd;
	uint64_t kept = registers->rsp + place->stack - PLAN_KEPT;
	uint64_t words[2];
	size_t count = place->pushed + place->flags;

	if (place->kept && remote_failed(remote_read(memory, kept, &registers->r11,
						     sizeof(registers->r11))))
		return false;
	if (place->kept > 1 &&
	    remote_failed(remote_read(memory, kept - sizeof(registers->rax),
				      &registers->rax, sizeof(registers->rax))))
		return false;
	if (!count)
		return true;
	if (remote_failed(
		    remote_read(memory, registers->rsp, words, count * sizeof(words[0]))))
		return false;
	if (place->pushed)
		registers->rax = words[count - 1];
	if (place->flags)
		registers->eflags = (registers->eflags & ~changed) | (words[0] & changed);
	return true;
}

bool gate_position_take_pushed(const struct thread *thread, const struct module *module,
			       const struct plan_position *place,
			       struct user_regs_struct *registers)
{
	if (!read_pushed(thread, place, registers))
		return false;
	registers->rsp += place->stack;
	if (place->enters)
		callgraph_enter(thread, module, place->function,
				registers->rsp + place->depth);
	return true;
}

uint32_t gate_position_counter(const struct thread *thread, const struct module *module,
			       const struct plan_function *function,
			       const struct user_regs_struct *registers)
{
	enum { CALL = 5 };
	const struct plan *plan = module->file->plan;
	uint32_t index = (uint32_t)(function - plan->functions.items);
	uint32_t slot = plan_lost_slot(plan, index);
	uint64_t site = 0;

	if (!remote_failed(remote_read(thread->process->space->memory_fd, registers->rsp,
				       &site, sizeof(site))))
		site -= CALL + module->bias;
	for (uint32_t i = 0; i < plan->arcs.count; i++)
		if (plan->arcs.items[i].site == site &&
		    plan->arcs.items[i].callee == index)
			slot = plan->arc_slot + i;
	return slot * plan->slot_size;
}
