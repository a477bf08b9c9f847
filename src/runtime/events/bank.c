#include "runtime/events/bank.h"

#include "runtime/store/lock.h"
#include "runtime/store/state.h"
#include "wire/bank.h"

#include <asm/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct wire_bank *bank_find(void)
{
	struct wire_bank *bank = NULL;

	if (runtime_sealed || syscall(SYS_arch_prctl, ARCH_GET_GS, &bank) || !bank ||
	    (bank->self != (uintptr_t)bank && bank->view != (uintptr_t)bank))
		return NULL;
	return (struct wire_bank *)(uintptr_t)bank->self;
}

void bank_tell(const struct context_thread *thread, struct wire_bank *bank)
{
	/* Threads for which there was no memory share a bank: it is the first one's. */
	if (runtime_state->tsc && bank && !bank->context)
		__atomic_store_n(&bank->context, (uintptr_t)thread, __ATOMIC_RELEASE);
}

void bank_forget(const struct context_thread *thread)
{
	struct wire_bank *bank = runtime_state->tsc ? bank_find() : NULL;

	if (bank && bank->context == (uintptr_t)thread)
		__atomic_store_n(&bank->context, 0, __ATOMIC_RELEASE);
}
