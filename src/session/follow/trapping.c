#include "session/follow/trapping.h"

#include "code/plan/position.h"
#include "session/follow/release.h"
#include "session/position/spans.h"
#include "session/state/module.h"
#include "wire/bank.h"

#ifndef SYS_USER_DISPATCH
#define SYS_USER_DISPATCH 2 /* asm-generic/siginfo.h, since Linux 5.11 */
#endif

static bool is_resident(const struct space *space, uint64_t address)
{
	return address - space->family->arena->address < WIRE_RESIDENT_SIZE;
}

/* Whether a thread that a handler sent to `bank->stepped` is still in front of that
 * instruction: in a gate or a probe, or at the copy. Behind gates code goes forwards:
 * what comes to the same place again has executed it (a repeated string operation, a jump
 * to itself). */
static bool is_in_front(const struct space *space, struct wire_bank *bank, uint64_t rip)
{
	const struct module *module = space_module_of_code(space, rip);
	const uint64_t last = bank->stepped_code;
	struct plan_position place;

	bank->stepped_code = rip;
	/* It is executed at its own place. */
	if (rip == bank->stepped)
		return last != rip;
	if (!module)
		return false;
	place = module_locate(module, rip);
	if (place.kind == PLAN_POSITION_UNKNOWN ||
	    place.original + module->bias != bank->stepped)
		return false;
	return rip > last || space_module_of_code(space, last) != module ||
	       rip - module->code_address < module->file->plan->gates_size ||
	       place.kind != PLAN_POSITION_MOVED;
}

/* Whether the thread has executed nothing but instructions of ours since a handler set
 * the trap flag and returned. */
static bool is_step_of_ours(const struct session *session, const struct thread *thread,
			    const struct user_regs_struct *registers)
{
	const struct space *space = thread->process->space;
	struct wire_bank *bank = thread->bank ? thread->bank->shared : NULL;

	if (!bank || !bank->stepped)
		return false;
	if (is_resident(space, registers->rip) ||
	    tool_space_has(space->tools, registers->rip) ||
	    spans_tell(session, thread, registers) ||
	    is_in_front(space, bank, registers->rip))
		return true;
	bank->stepped = 0;
	return false;
}

bool trapping_is_step(const siginfo_t *info, const struct user_regs_struct *registers)
{
	return info->si_signo == SIGTRAP && info->si_code == TRAP_TRACE &&
	       (registers->eflags & WIRE_TRAP_FLAG);
}

enum trapping trapping_find(const struct session *session, const struct thread *thread,
			    const siginfo_t *info,
			    const struct user_regs_struct *registers)
{
	const struct space *space = thread->process->space;
	const uint64_t call = (uint64_t)(uintptr_t)info->si_call_addr;

	if (!space || !space->family)
		return TRAPPING_NONE;
	if (trapping_is_step(info, registers))
		return !is_step_of_ours(session, thread, registers) ? TRAPPING_STEPPED
		       : spans_hold(session, thread, registers)     ? TRAPPING_STEP_OURS
								    : TRAPPING_STEP_NEXT;
	if (info->si_signo == SIGSYS && info->si_code == SYS_USER_DISPATCH)
		return is_resident(space, call) || space_module_of_code(space, call)
			       ? TRAPPING_CALL_OURS
			       : TRAPPING_DISPATCHED;
	return TRAPPING_NONE;
}

const char *trapping_reason(enum trapping trapping)
{
	return trapping == TRAPPING_STEPPED || trapping == TRAPPING_STEP_NEXT
		       ? "it steps through its own code (the trap flag)"
		       : "it handles its own system calls (syscall user dispatch)";
}

void trapping_release(struct session *session, struct thread *thread,
		      enum trapping trapping, int signal)
{
	const struct event event = {
		.tid = thread->tid, .kind = EVENT_SIGNAL, .value = signal};

	/* Of who steps on no injected call is asked: each of its instructions would trap.
	 */
	if (signal || trapping == TRAPPING_STEP_NEXT) {
		thread->event_pending = true;
		event_push(&session->queue, &event);
	}
	release_space(session, thread->process, "%s", trapping_reason(trapping));
}
