#include "session/position/finish.h"

#include "code/locate/locate.h"
#include "code/locate/locate_points.h"
#include "code/plan/position.h"
#include "code/points/points.h"
#include "control/remote.h"
#include "resident/resident.h"
#include "session/cache/address_maps.h"
#include "session/cache/module_text.h"
#include "session/position/fault_actions.h"
#include "session/position/settle.h"
#include "wire/bank.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FINISH_MS 2000

/* Leads a thread on that has faulted at a load of the copied rest of a point. */
static bool pass_fault(struct session *session, const struct thread *thread,
		       const struct finish_code *copy, const struct event *event)
{
	struct user_regs_struct registers;
	uint32_t then;

	if (!copy->plan || event->kind != EVENT_SIGNAL ||
	    (event->value != SIGSEGV && event->value != SIGBUS) ||
	    remote_failed(remote_get_registers(thread->tid, &registers)) ||
	    !plan_check_at(copy->plan,
			   (uint32_t)(registers.rip - copy->start) + copy->offset, &then))
		return false;
	registers.rip = copy->start + (then - copy->offset);
	if (remote_failed(remote_set_registers(thread->tid, &registers)))
		return false;
	fault_actions_restore(session, thread, event->value);
	return !remote_failed(remote_resume(thread->tid, REMOTE_SYSCALL, 0));
}

bool finish_pass_check(const struct thread *thread, int signal,
		       const struct user_regs_struct *registers)
{
	const struct module *module =
		space_module_of_code(thread->process->space, registers->rip);
	struct user_regs_struct then = *registers;
	uint32_t offset;

	if ((signal != SIGSEGV && signal != SIGBUS) || !module ||
	    !plan_check_at(module->file->plan,
			   (uint32_t)(registers->rip - module->code_address), &offset))
		return false;
	then.rip = module->code_address + offset;
	return !remote_failed(remote_set_registers(thread->tid, &then));
}

/* Waits until the copy has run. */
static bool wait_for_copy(struct session *session, struct thread *thread,
			  const struct finish_code *copy, struct event *ret_event)
{
	do {
		thread->stopped = false;
		if (!event_wait_thread(&session->queue, thread->tid, FINISH_MS,
				       ret_event))
			return false;
	} while (pass_fault(session, thread, copy, ret_event));
	return true;
}

/*
 * Runs the remaining displaced instructions up to the next branch, in a copy, and
 * leaves the thread at the entry of a system call that is not made. `registers` are the
 * thread's before and after.
 */
bool finish_run(struct session *session, struct thread *thread,
		const struct finish_code *copy, struct user_regs_struct *registers)
{
	struct wire_bank *bank = thread->bank->shared;
	struct event event;
	uint64_t mask;
	bool good = false;

	if (remote_failed(remote_get_mask(thread->tid, &mask)))
		return false;
	bank->mask = mask;
	bank->back = copy->next;
	registers->rip = copy->start;
	registers->orig_rax = (unsigned long long)-1;
	if (remote_failed(remote_set_registers(thread->tid, registers)))
		return false;
	if (copy->signal)
		syscall(SYS_tkill, thread->tid, copy->signal);
	if (remote_failed(remote_set_mask(thread->tid, ~settle_synchronous)) ||
	    remote_failed(remote_resume(thread->tid, REMOTE_SYSCALL, 0)))
		return false;
	if (!wait_for_copy(session, thread, copy, &event))
		return false;
	if (event.kind == EVENT_EXITED || event.kind == EVENT_KILLED) {
		event_push(&session->queue, &event);
		return false;
	}
	thread->stopped = true;
	good = event.kind == EVENT_SYSCALL;
	if (!good) { /* a fault in the copy: see the caller */
		thread->event_pending = true;
		event_push(&session->queue, &event);
	}
	if (remote_failed(remote_set_mask(thread->tid, mask)) ||
	    remote_failed(remote_get_registers(thread->tid, registers)))
		return false;
	if (good) {
		registers->rax = bank->registers.rax;
		registers->rcx = bank->registers.rcx;
		registers->rdx = bank->registers.rdx;
		registers->rsi = bank->registers.rsi;
		registers->rdi = bank->registers.rdi;
		registers->r10 = bank->registers.r10;
		registers->r11 = bank->registers.r11;
		registers->rip = copy->next;
		registers->orig_rax = (unsigned long long)-1;
	}
	return good;
}

union finish_block {
	uint64_t word; /* where the code goes on */
	uint8_t bytes[ADDRESS_MAPS_FINISH_SIZE];
};

/* Writes the copy to the page. */
static bool write_block(const struct thread *thread, const struct module *module,
			const union finish_block *block)
{
	const struct arena *arena = thread->process->space->family->arena;

	return pwrite(arena->fd, block, sizeof(*block),
		      (off_t)(module->shared_offset + module->shared_size -
			      ADDRESS_MAPS_FINISH_SIZE)) == sizeof(*block);
}

bool finish_make_point(const struct thread *thread, struct module *module,
		       uint32_t code_offset, const struct plan_position *place,
		       struct finish_code *ret_copy)
{
	const struct plan *plan = module->file->plan;
	uint64_t page = module->code_size - ADDRESS_MAPS_FINISH_SIZE;
	union finish_block block = {0};
	uint8_t code[POINT_SIZE_MAX];
	const size_t size = place->end - code_offset;

	/* The plan's code may be for another place in the bank. */
	if (size > sizeof(code) ||
	    remote_failed(remote_read(thread->process->space->memory_fd,
				      module->code_address + code_offset, code, size)))
		return false;
	block.word =
		thread->process->space->family->arena->address + resident_table()->finish;
	if (!plan_finish_point(plan, code, code_offset, place->end,
			       plan->code_address + page, block.bytes, sizeof(block)) ||
	    !write_block(thread, module, &block))
		return false;
	ret_copy->start = module->code_address + page + 8;
	ret_copy->next = module->code_address + place->end;
	ret_copy->plan = plan;
	ret_copy->offset = code_offset;
	return true;
}

/* The copy lies in the page behind the module's trampolines, which is kept for that. */
bool finish_make(const struct thread *thread, struct module *module,
		 const struct plan_position *place, struct finish_code *ret_copy)
{
	const struct plan *plan = module->file->plan;
	const struct plan_function *function = &plan->functions.items[place->function];
	uint64_t page = module->code_size - ADDRESS_MAPS_FINISH_SIZE;
	uint64_t link = plan->code_address + page;
	const uint8_t *original = module_file_original(module->file, function->address,
						       function->displaced);
	union finish_block block;
	const struct arena *arena = thread->process->space->family->arena;
	uint32_t next;

	if (!original)
		return false;
	memset(&block, 0, sizeof(block));
	block.word = arena->address + resident_table()->finish;
	size_t size = plan_finish(plan, place, original, link, block.bytes,
				  ADDRESS_MAPS_FINISH_SIZE, &next);

	if (!size || !write_block(thread, module, &block))
		return false;
	ret_copy->start = module->code_address + page + 8;
	ret_copy->next = module->code_address + next;
	return true;
}
