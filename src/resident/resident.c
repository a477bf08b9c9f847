/*
 * What the resident does between its entries in resident.S. Freestanding: see the rules
 * for code inside the program in HACKING.md.
 */
#include "wire/layout.h"

#include <stddef.h>

#define SYS_futex         202
#define SYS_gettid        186
#define FUTEX_WAIT        0
#define FUTEX_WAKE        1
#define FUTEX_OWNER_DIED  0x40000000u
#define PR_SET_SECCOMP    22
#define SYS_seccomp       317
#define SYS_prctl         157
#define SYS_ptrace        101
#define SYS_execve        59
#define SYS_execveat      322
#define SYS_arch_prctl    158
#define ARCH_SET_GS       0x1001
#define SYS_mmap          9
#define SYS_mprotect      10
#define SYS_mremap        25
#define SYS_pkey_mprotect 329
#define PROT_WRITE        2
#define MAP_FIXED         0x10

/* The longest that a thread waits for a controller that neither answers nor is known
 * dead. */
#define WAIT_NS      20000000
#define WAITS_IN_ALL 1500

void resident_serve(struct wire_bank *bank, const struct wire_registers *frame);
void resident_run(struct wire_batch *batch);

struct timespec {
	int64_t seconds, nanoseconds;
};

static int64_t system_call(uint64_t number, const uint64_t arguments[6])
{
	int64_t result;
	register uint64_t r10 __asm__("r10") = arguments[3];
	register uint64_t r8 __asm__("r8") = arguments[4];
	register uint64_t r9 __asm__("r9") = arguments[5];

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(arguments[0]), "S"(arguments[1]),
			   "d"(arguments[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* The word is shared by two processes: not a private futex. */
static void futex(uint32_t *word, uint64_t operation, uint64_t value,
		  const struct timespec *timeout)
{
	uint64_t arguments[6] = {(uint64_t)(uintptr_t)word,    operation, value,
				 (uint64_t)(uintptr_t)timeout, 0,         0};

	system_call(SYS_futex, arguments);
}

void resident_run(struct wire_batch *batch)
{
	for (size_t i = 0; i < batch->count && i < WIRE_BATCH_MAX; i++) {
		struct wire_call *call = &batch->calls[i];
		uint64_t arguments[6];

		for (int k = 0; k < 6; k++) {
			uint64_t value = call->arguments[k];

			if (WIRE_IS_RESULT(value))
				value = (uint64_t)batch->calls[value & 7].result;
			arguments[k] = value;
		}
		arguments[0] += call->addend;
		call->result = system_call(call->number, arguments);
	}
}

static int controller_died(const struct wire_control *control)
{
	return (__atomic_load_n(&control->owner[0], __ATOMIC_ACQUIRE) &
		FUTEX_OWNER_DIED) != 0;
}

/* Posts a request and rings the controller's doorbell. */
static void post(struct wire_bank *bank, struct wire_control *control,
		 enum wire_request request)
{
	__atomic_store_n(&bank->request, request, __ATOMIC_RELEASE);
	__atomic_fetch_add(&control->doorbell, 1, __ATOMIC_RELEASE);
	futex(&control->doorbell, FUTEX_WAKE, 1, NULL);
}

/* Takes the controller's reply; WIRE_DONE if it is dead. */
static enum wire_reply await(struct wire_bank *bank, const struct wire_control *control)
{
	static const struct timespec pause = {0, WAIT_NS};

	for (int waits = 0; waits < WAITS_IN_ALL; waits++) {
		uint32_t reply =
			__atomic_exchange_n(&bank->reply, WIRE_NONE, __ATOMIC_ACQUIRE);

		if (reply != WIRE_NONE)
			return reply;
		if (controller_died(control))
			break;
		futex(&bank->reply, FUTEX_WAIT, WIRE_NONE, &pause);
	}
	return WIRE_DONE;
}

static void ask(struct wire_bank *bank)
{
	struct wire_control *control = (struct wire_control *)(uintptr_t)bank->control;

	if (controller_died(control))
		return;
	__atomic_store_n(&bank->reply, WIRE_NONE, __ATOMIC_RELEASE);
	post(bank, control, WIRE_POSTED);
	while (await(bank, control) == WIRE_RUN) {
		resident_run(&bank->batch);
		post(bank, control, WIRE_RAN);
	}
	__atomic_store_n(&bank->request, WIRE_IDLE, __ATOMIC_RELEASE);
}

/* Not an assignment: compilers make it a call of memcpy, which is not here. */
static void copy_registers(struct wire_registers *to, const struct wire_registers *from)
{
	uint64_t words = sizeof(*to) / sizeof(uint64_t);

	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

/* Whether syscall(2)'s arguments are a call that the controller must hear of. */
static int call_matters(const struct wire_registers *registers)
{
	switch (registers->rdi) {
	case SYS_ptrace:
	case SYS_execve:
	case SYS_execveat:
	case SYS_mremap:
		return 1;
	case SYS_mprotect:
	case SYS_pkey_mprotect:
		return (registers->rcx & PROT_WRITE) != 0;
	case SYS_mmap:
		return (registers->r8 & MAP_FIXED) != 0;
	case SYS_arch_prctl:
		return registers->rsi == ARCH_SET_GS;
	default:
		return 0;
	}
}

static int sets_seccomp(const struct wire_bank *bank)
{
	const struct wire_registers *r = &bank->registers;

	switch (bank->number) {
	case WIRE_HOOK_SECCOMP:
		return 1;
	case WIRE_HOOK_PRCTL:
		return (r->rdi & 0xffffffff) == PR_SET_SECCOMP;
	case WIRE_HOOK_SYSCALL:
		return r->rdi == SYS_seccomp ||
		       (r->rdi == SYS_prctl && (r->rsi & 0xffffffff) == PR_SET_SECCOMP);
	default:
		return 0;
	}
}

/*
 * A hook's body, on the stack in the bank, with signals blocked. From the moment that the
 * program installs a system call filter it makes no system call of ours: hooks are
 * silent.
 */
void resident_serve(struct wire_bank *bank, const struct wire_registers *frame)
{
	const uint64_t *behind = (const uint64_t *)(frame + 1);

	copy_registers(&bank->registers, frame);
	bank->number = (uint32_t)behind[1];
	if (sets_seccomp(bank)) {
		bank->quiet = 1;
		return;
	}
	const struct wire_control *control =
		(const struct wire_control *)(uintptr_t)bank->control;

	if (bank->number == WIRE_HOOK_PRCTL ||
	    (bank->number == WIRE_HOOK_EXIT && !control->watch_exit) ||
	    (bank->number == WIRE_HOOK_SYSCALL && !call_matters(&bank->registers)) ||
	    (bank->number == WIRE_HOOK_ARCH &&
	     (bank->registers.rdi & 0xffffffff) != ARCH_SET_GS))
		return;
	ask(bank);
}
