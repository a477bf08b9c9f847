#include "session/position/finish.h"

#include "code/locate/locate.h"
#include "code/plan/position.h"
#include "control/remote.h"
#include "resident/resident.h"
#include "session/cache/address_maps.h"
#include "session/cache/module_text.h"
#include "session/position/settle.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FINISH_MS 2000

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
	thread->stopped = false;
	if (!event_wait_thread(&session->queue, thread->tid, FINISH_MS, &event))
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
	union {
		uint64_t word; /* where the code goes on */
		uint8_t bytes[ADDRESS_MAPS_FINISH_SIZE];
	} block;
	struct arena *arena = thread->process->space->family->arena;
	uint32_t next;

	if (!original)
		return false;
	memset(&block, 0, sizeof(block));
	block.word = arena->address + resident_table()->finish;
	size_t size = plan_finish(plan, place, original, link, block.bytes,
				  ADDRESS_MAPS_FINISH_SIZE, &next);

	if (!size || pwrite(arena->fd, &block, sizeof(block),
			    (off_t)(module->shared_offset + module->shared_size -
				    ADDRESS_MAPS_FINISH_SIZE)) != sizeof(block))
		return false;
	ret_copy->start = module->code_address + page + 8;
	ret_copy->next = module->code_address + next;
	return true;
}
