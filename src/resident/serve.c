/*
 * The body of hooks, between the entries in resident.S. Freestanding, as all of this
 * folder: see the rules for code inside the program in HACKING.md.
 */
#include "resident/serve.h"

#include "resident/ask.h"
#include "resident/inside.h"
#include "resident/look.h"
#include "resident/syscalls.h"
#include "resident/texts.h"
#include "resident/trap.h"
#include "wire/control.h"
#include "wire/hooks.h"
#include "wire/layout.h"
#include "wire/seccomp.h"

/* Whether syscall(2)'s arguments are a call that may change code. */
static int call_changes_code(const struct wire_registers *registers)
{
	switch (registers->rdi) {
	case SYS_mremap:
		return 1;
	case SYS_mprotect:
	case SYS_pkey_mprotect:
		return (registers->rcx & (PROT_WRITE | PROT_EXEC)) != PROT_EXEC;
	case SYS_mmap:
		return (registers->r8 & MAP_FIXED) != 0;
	default:
		return 0;
	}
}

/* Whether a call drops pages of a text with patches. */
static int call_drops_text(const struct wire_control *control,
			   const struct wire_registers *registers)
{
	const uint32_t advice = (uint32_t)registers->rcx;

	if (registers->rdi != SYS_madvise ||
	    (advice != MADV_DONTNEED && advice != MADV_DONTNEED_LOCKED &&
	     advice != MADV_GUARD_INSTALL))
		return 0;
	for (uint64_t i = 0; i < control->text_count && i < WIRE_TEXTS_MAX; i++) {
		const struct wire_text *text = &control->texts[i];

		if (registers->rsi < text->end &&
		    registers->rsi + registers->rdx > text->start)
			return 1;
	}
	return 0;
}

/* Whether a call of setrlimit or prlimit limits the address space, in which there is data
 * of tools. The second argument of setrlimit is an address. */
static int limit_matters(const struct wire_control *control,
			 const struct wire_registers *registers)
{
	const int set = registers->rsi >= RLIMITS;

	return control->point_data &&
	       (set ? (uint32_t)registers->rdi == RLIMIT_AS
		    : registers->rsi == RLIMIT_AS && registers->rdx);
}

/* Whether a call of sigaction changes what is done at faults, and the tracer cares; or
 * would find the resident's handler. */
static int action_matters(const struct wire_control *control,
			  const struct wire_registers *registers)
{
	const uint32_t signal = (uint32_t)registers->rdi;

	if (signal == SIGTRAP)
		return control->breaks.raised != 0;
	return control->watch_actions && registers->rsi &&
	       (signal == SIGSEGV || signal == SIGBUS);
}

/* Whether syscall(2)'s arguments are a call that the tracer must hear of. */
static int call_matters(const struct wire_registers *registers)
{
	switch (registers->rdi) {
	case SYS_ptrace:
	case SYS_execve:
	case SYS_execveat:
		return 1;
	case WIRE_SYS_PRCTL:
		return wire_call_dispatches(registers->rdi, registers->rsi,
					    registers->rdx);
	case SYS_arch_prctl:
		return registers->rsi == ARCH_SET_GS;
	default:
		return call_changes_code(registers);
	}
}

/* Whether a function that may set the GS base would do so with these arguments, for Go
 * functions, too. */
static int may_set_gs(uint32_t hook, const struct wire_registers *r)
{
	const uint64_t arguments[] = {r->rdi, r->rsi, r->rdx, r->rcx,
				      r->r8,  r->r9,  r->rax, r->rbx};
	int code = hook == WIRE_HOOK_GS, call = hook != WIRE_HOOK_GS_CALL;

	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++) {
		code |= (uint32_t)arguments[i] == ARCH_SET_GS;
		call |= (uint32_t)arguments[i] == SYS_arch_prctl;
	}
	return code && call;
}

/* The system call that a hooked function makes, if it is prctl(2) or syscall(2). */
struct call {
	uint64_t number, first, second, third;
};

static struct call call_of(uint32_t hook, const struct wire_registers *r)
{
	switch (hook) {
	case WIRE_HOOK_PRCTL:
		return (struct call){WIRE_SYS_PRCTL, r->rdi, r->rsi, r->rdx};
	case WIRE_HOOK_SYSCALL:
		return (struct call){r->rdi, r->rsi, r->rdx, r->rcx};
	default:
		return (struct call){UINT64_MAX, 0, 0, 0};
	}
}

/* Calls after which reading the time-stamp counter raises a signal, or no longer. */
static void see_clock(struct wire_bank *bank, const struct call *call)
{
	uint32_t what = (uint32_t)call->first, how = (uint32_t)call->second;

	if (call->number == WIRE_SYS_SECCOMP)
		bank->untimed |= what + 1 == WIRE_SECCOMP_STRICT;
	else if (call->number != WIRE_SYS_PRCTL)
		return;
	else if (what == WIRE_PR_SET_SECCOMP)
		bank->untimed |= how == WIRE_SECCOMP_STRICT;
	else if (what == PR_SET_TSC)
		bank->untimed = how == PR_TSC_SIGSEGV;
}

void resident_alone(struct wire_control *control, const struct wire_registers *frame)
{
	uint32_t number = (uint32_t)((const uint64_t *)(frame + 1))[1];

	const struct call call = call_of(number, frame);

	see_clock(own_bank(), &call);
	if (number == WIRE_HOOK_ACTION && action_matters(control, frame) &&
	    (uint32_t)frame->rdi == SIGTRAP)
		trap_give_back(&control->breaks);
	if (number >= WIRE_HOOK_MPROTECT ||
	    (number == WIRE_HOOK_SYSCALL && call_changes_code(frame)) ||
	    (number == WIRE_HOOK_LINK_MAP && tracer_died(control))) {
		restore_texts(control);
		look_through(own_bank(), frame);
	}
}

void resident_serve(struct wire_bank *bank, const struct wire_registers *frame)
{
	const uint64_t *behind = (const uint64_t *)(frame + 1);

	copy_registers(&bank->registers, frame);
	bank->number = (uint32_t)behind[1];
	struct wire_control *control = (struct wire_control *)(uintptr_t)bank->control;
	const struct call call = call_of(bank->number, &bank->registers);

	see_clock(bank, &call);
	if (wire_call_installs(call.number, call.first, call.second, call.third)) {
		look_know_stack(bank, frame->rsp);
		if (wire_call_is_for_all(call.number, call.second))
			ask_tracer(bank);
		control->unfiltered = 0;
		bank->quiet = 1;
		return;
	}

	if ((bank->number == WIRE_HOOK_PRCTL &&
	     !wire_call_dispatches(call.number, call.first, call.second)) ||
	    (bank->number == WIRE_HOOK_EXIT && !control->watch_exit) ||
	    (bank->number == WIRE_HOOK_LIMIT &&
	     !limit_matters(control, &bank->registers)) ||
	    (bank->number == WIRE_HOOK_ACTION &&
	     !action_matters(control, &bank->registers)) ||
	    (bank->number == WIRE_HOOK_SYSCALL && !call_matters(&bank->registers) &&
	     !call_drops_text(control, &bank->registers)) ||
	    (bank->number == WIRE_HOOK_ARCH &&
	     (bank->registers.rdi & 0xffffffff) != ARCH_SET_GS) ||
	    (bank->number >= WIRE_HOOK_GS && bank->number <= WIRE_HOOK_GS_CALL &&
	     !may_set_gs(bank->number, &bank->registers)))
		return;

	const enum wire_reply reply = ask_tracer(bank);

	if (reply == WIRE_ALONE)
		resident_alone(control, frame);
	if (reply == WIRE_AGAIN)
		ask_go_again(frame);
}
