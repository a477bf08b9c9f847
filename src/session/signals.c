/*
 * Signals, and where they find a thread. A handler may look at the interrupted PC, unwind from
 * it or change it, so it is shown original code: a thread in a trampoline or in the resident is
 * moved out before the signal is delivered. Nothing here uses single steps or breakpoints,
 * which would kill the program if the controller died in the middle.
 */
#include "session/signals.h"

#include "code/branch.h"
#include "resident/resident.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FINISH_MS 2000

/* Signals that an instruction raises; when blocked they kill, so they never are. */
static const uint64_t synchronous = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) |
				    1ull << (SIGFPE - 1) | 1ull << (SIGILL - 1) |
				    1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1);

static const struct resident_table *table(void)
{
	return (const struct resident_table *)(const void *)resident_image;
}

static const uint8_t *original_at(void *context, uint64_t address, size_t size)
{
	return module_file_original(context, address, size);
}

static struct plan_place locate(struct module *module, uint64_t address)
{
	return plan_locate(module->file->plan, original_at, module->file,
			   (uint32_t)(address - module->code_address));
}

static const struct plan_function *function_of(const struct module *module, uint32_t index)
{
	return &module->file->plan->functions.items[index];
}

/* The thread counted a call and will count it again. */
static void uncount(const struct thread *thread, const struct module *module,
		    const struct plan_function *function)
{
	const struct bank *bank = thread->bank;

	if (!bank || module->file->plan->slot_size != 8 ||
	    function->reason != PLAN_INSTRUMENTED)
		return;
	uint64_t at = WIRE_BANK_HEADER + (uint64_t)(module->first_slot + function->slot) * 8;
	uint64_t *counter = (uint64_t *)(void *)((uint8_t *)bank->shared + at);

	if (*counter)
		--*counter;
}

/* A displaced instruction other than the first faulted. Its original is overwritten, and the
 * handler may return to it: the function gets its own bytes back and is counted no more. */
static void unpatch(struct session *session, struct thread *thread, struct module *module,
		    const struct plan_function *function)
{
	struct space *space = thread->process->space;
	struct VECTOR(struct thread *) held = {0};
	uint32_t index = (uint32_t)(function - module->file->plan->functions.items);

	for (size_t i = session->all_threads.count; i-- > 0;) {
		struct thread *other = session->all_threads.items[i];

		if (other == thread || other->stopped || !other->process ||
		    other->process->space != space || other->state != THREAD_RUNNING)
			continue;
		if (thread_interrupt(session, other))
			vector_push(&held, other);
	}
	vector_for_each(&module->file->plan->patches, patch) {
		const uint8_t *original;

		/* Islands lie outside of the function and are left: nobody comes there. */
		if (patch->function != index || patch->address < function->address ||
		    patch->address >= function->address + function->size)
			continue;
		original = module_file_original(module->file, patch->address, patch->size);
		if (original)
			trm_error_destroy(remote_write(space->memory_fd,
						       patch->address + module->bias, original,
						       patch->size));
	}
	vector_for_each(&held, other)
		thread_resume(session, *other, 0);
	vector_deinit(&held);
	if (!thread->process->image->reason)
		thread->process->image->reason = memory_copy_string(
			"a function that faulted in its first instructions was counted only "
			"until then");
}

/*
 * Runs what is left of the displaced instructions up to the next branch, in a copy, and leaves
 * the thread at the entry of a system call that is not made. The caller's registers are the
 * thread's before and after.
 */
static bool run_copy(struct session *session, struct thread *thread,
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
	if (remote_failed(remote_set_mask(thread->tid, ~synchronous)) ||
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
static bool make_copy(const struct thread *thread, struct module *module,
		      const struct plan_place *place, struct finish_code *ret_copy)
{
	const struct plan *plan = module->file->plan;
	const struct plan_function *function = function_of(module, place->function);
	uint64_t page = module->code_size - FINISH_SIZE;
	uint64_t link = plan->code_address + page;
	const uint8_t *original =
		module_file_original(module->file, function->address, function->displaced);
	struct {
		uint64_t word;
		uint8_t code[FINISH_SIZE - 8];
	} block;
	struct arena *arena = thread->process->space->family->arena;
	uint32_t next;

	if (!original)
		return false;
	memset(&block, 0, sizeof(block));
	block.word = arena->address + table()->finish;
	size_t size = plan_finish(plan, place, original, link + 8, link, block.code,
				  sizeof(block.code), &next);

	if (!size || pwrite(arena->fd, &block, sizeof(block),
			    (off_t)(module->code_offset + page)) != sizeof(block))
		return false;
	ret_copy->start = module->code_address + page + 8;
	ret_copy->next = module->code_address + next;
	return true;
}

/* One branch of a trampoline, done by hand on the registers. */
static bool take_branch(const struct thread *thread, struct module *module,
			const struct plan_place *place, struct user_regs_struct *registers)
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

/* After a branch was done by hand: whether the next instruction is a displaced one too, which
 * is then the new place. A branch to the entry is none: it counts again there. */
static bool stays_displaced(const struct thread *thread, const struct module *module,
			    struct plan_place *place, const struct user_regs_struct *registers)
{
	const struct plan_function *function = function_of(module, place->function);
	uint64_t at = registers->rip - module->bias - function->address;

	if (registers->rip - module->bias < function->address || at >= function->displaced)
		return false;
	if (registers->rip - module->bias < place->original) {
		uncount(thread, module, function);
		return false;
	}
	place->kind = PLAN_PLACE_DISPLACED;
	place->instruction++;
	place->original = registers->rip - module->bias;
	return true;
}

/* Inside the expansion of a branch: back to where it began. A call's return address is pushed
 * by then, and a loop has counted. */
static void step_back(struct module *module, struct plan_place *place,
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

/* Out of the middle of the displaced instructions. */
static enum settled finish(struct session *session, struct thread *thread,
			   struct module *module, struct plan_place place, int signal,
			   struct user_regs_struct *registers)
{
	bool ran = false;

	step_back(module, &place, registers);
	for (int rounds = 0; rounds < 16; rounds++) {
		struct finish_code copy = {.signal = signal};

		if (place.kind == PLAN_PLACE_BACK) {
			const struct plan_function *f = function_of(module, place.function);

			registers->rip = f->address + f->displaced + module->bias;
			return ran ? SETTLED_RAN : SETTLED;
		}
		if (place.kind != PLAN_PLACE_DISPLACED && place.kind != PLAN_PLACE_START)
			return UNSETTLED;
		if (take_branch(thread, module, &place, registers)) {
			if (stays_displaced(thread, module, &place, registers))
				continue;
			return ran ? SETTLED_RAN : SETTLED;
		}
		if (!thread->bank || !make_copy(thread, module, &place, &copy) ||
		    !run_copy(session, thread, &copy, registers))
			return UNSETTLED;
		signal = 0; /* sent with the first round */
		ran = true;
		place = locate(module, registers->rip);
	}
	return UNSETTLED;
}

static enum settled settle_trampoline(struct session *session, struct thread *thread,
				      struct module *module, const struct settling *how,
				      struct user_regs_struct *registers)
{
	struct plan_place place = locate(module, registers->rip);
	const struct plan_function *function;

	if (place.kind == PLAN_PLACE_UNKNOWN)
		return UNSETTLED;
	function = function_of(module, place.function);
	switch (place.kind) {
	case PLAN_PLACE_HOOK:
		if (place.rax_saved && thread->bank)
			registers->rax = thread->bank->shared->registers.rax;
		/* fall through */
	case PLAN_PLACE_START:
		uncount(thread, module, function);
		/* fall through */
	case PLAN_PLACE_PROBE:
		registers->rip = place.original + module->bias;
		return SETTLED;
	case PLAN_PLACE_BACK:
		registers->rip = function->address + function->displaced + module->bias;
		return SETTLED;
	default:
		break;
	}
	/* Behind the displaced bytes the original is intact. */
	if (place.original >= function->address + function->displaced) {
		registers->rip = place.original + module->bias;
		return SETTLED;
	}
	if (how->fault) {
		unpatch(session, thread, module, function);
		registers->rip = place.original + module->bias;
		return SETTLED;
	}
	return finish(session, thread, module, place, how->signal, registers);
}

static void restore_from_bank(const struct wire_registers *saved, bool flags,
			      struct user_regs_struct *registers)
{
	registers->rcx = saved->rcx;
	registers->rdx = saved->rdx;
	registers->rbx = saved->rbx;
	registers->rsp = saved->rsp;
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
	if (flags)
		registers->eflags = saved->flags;
}

/* In the resident's hook: back to the function's entry, as if it had not been called yet. */
static enum settled settle_hook(struct thread *thread, uint64_t offset,
				struct user_regs_struct *registers)
{
	const struct resident_table *t = table();
	struct wire_bank *bank;

	if (!thread->bank || (offset >= t->hook_blocked && offset < t->hook_unblocked))
		return UNSETTLED;
	bank = thread->bank->shared;
	struct module *module = space_module_of_code(thread->process->space, bank->back);

	if (!module)
		return UNSETTLED;
	struct plan_place place = locate(module, bank->back);

	if (place.kind == PLAN_PLACE_UNKNOWN)
		return UNSETTLED;
	if (offset >= t->hook_saved)
		restore_from_bank(&bank->registers, offset >= t->hook_flags, registers);
	registers->rax = bank->registers.rax;
	registers->rip = place.original + module->bias;
	uncount(thread, module, function_of(module, place.function));
	return SETTLED;
}

/* On a jump of ours in the text that is not at the entry itself (an island, or the jump for
 * loops behind the entry): to the entry. */
static enum settled settle_text(struct thread *thread, struct user_regs_struct *registers)
{
	vector_for_each(&thread->process->space->modules, module) {
		uint64_t link = registers->rip - module->bias;
		size_t low = 0, high;

		if (registers->rip < module->text_start || registers->rip >= module->text_end ||
		    module->broken)
			continue;
		const struct plan *plan = module->file->plan;

		high = plan->patches.count;
		while (low < high) {
			size_t middle = (low + high) / 2;

			if (plan->patches.items[middle].address < link)
				low = middle + 1;
			else
				high = middle;
		}
		if (low == plan->patches.count)
			return NOTHING_TO_SETTLE;
		const struct plan_patch *patch = &plan->patches.items[low];
		const struct plan_function *function = function_of(module, patch->function);
		int32_t distance;

		if (patch->address != link || patch->size != 5 || patch->bytes[0] != 0xe9)
			return NOTHING_TO_SETTLE;
		memcpy(&distance, patch->bytes + 1, sizeof(distance));
		uint64_t target = link + 5 + (uint64_t)(int64_t)distance;
		struct plan_place place = locate(
			module, target - plan->code_address + module->code_address);

		if (place.kind == PLAN_PLACE_UNKNOWN || place.original == link)
			return NOTHING_TO_SETTLE;
		if (place.kind == PLAN_PLACE_START)
			uncount(thread, module, function);
		registers->rip = place.original + module->bias;
		return SETTLED;
	}
	return NOTHING_TO_SETTLE;
}

enum settled signals_settle(struct session *session, struct thread *thread,
			    const struct settling *how, struct user_regs_struct *registers)
{
	struct space *space = thread->process->space;
	struct module *module = space_module_of_code(space, registers->rip);
	uint64_t offset = registers->rip - space->family->arena->address;

	if (module)
		return settle_trampoline(session, thread, module, how, registers);
	if (offset >= table()->hook && offset < table()->hook_end)
		return settle_hook(thread, offset, registers);
	return settle_text(thread, registers);
}

static bool is_fault(const siginfo_t *info)
{
	return info->si_code > 0 && info->si_signo < 64 &&
	       (synchronous >> (info->si_signo - 1) & 1);
}

void signals_deliver(struct session *session, struct thread *thread, int signal)
{
	struct user_regs_struct registers;
	siginfo_t info;

	if (!thread->process->space || remote_failed(remote_get_registers(thread->tid, &registers)) ||
	    remote_failed(remote_get_signal(thread->tid, &info))) {
		thread_resume(session, thread, signal);
		return;
	}
	if (thread->held.si_signo == signal) {
		/* Sent again by us: what the program gets is the first one. */
		info = thread->held;
		trm_error_destroy(remote_set_signal(thread->tid, &info));
		thread->held.si_signo = 0;
	}
	struct settling how = {.fault = is_fault(&info), .signal = signal};

	switch (signals_settle(session, thread, &how, &registers)) {
	case SETTLED:
		trm_error_destroy(remote_set_registers(thread->tid, &registers));
		break;
	case SETTLED_RAN:
		/* The signal was sent again and is pending now. */
		trm_error_destroy(remote_set_registers(thread->tid, &registers));
		thread->held = info;
		signal = 0;
		break;
	case UNSETTLED:
		if (!thread->stopped || thread->event_pending)
			return; /* gone, or something new happened: that comes next */
		break;
	case NOTHING_TO_SETTLE:
		break;
	}
	thread_resume(session, thread, signal);
}
