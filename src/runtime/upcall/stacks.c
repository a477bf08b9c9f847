#include "runtime/upcall/stacks.h"

#include "runtime/store/memory.h"
#include "runtime/upcall/kernel.h"

#include <signal.h>
#include <sys/mman.h>

enum {
	GUARD_BYTES = 4096,
	USUAL_BYTES = 64 << 10,
	LEAST_BYTES = 16 << 10,
	REACH = 8 << 20
};

void upcall_stack_make(struct upcall_thread *thread, uint32_t user)
{
	const struct trm_upcall_options *options = &upcalls.users[user].options;
	struct upcall_stack *stack = &thread->stacks[user];
	size_t size = options->stack_bytes ? options->stack_bytes : USUAL_BYTES;

	if (options->flags & TRM_UPCALL_SIGNAL_STACK)
		return;
	size = size < LEAST_BYTES ? LEAST_BYTES : size;
	size = ((size + GUARD_BYTES - 1) & ~(size_t)(GUARD_BYTES - 1)) + GUARD_BYTES;
	if (stack->low && (stack->size == size || thread->top))
		return;
	runtime_unmap(stack->low, stack->size);
	stack->low = runtime_map(size);
	stack->size = size;
	if (stack->low)
		mprotect(stack->low, GUARD_BYTES, PROT_NONE);
}

/* Unwinders find the way back by rbp. */
void upcall_call_on_stack(struct upcall_frame *frame, void (*work)(struct upcall_frame *),
			  void *top);
__asm__(".text\n"
	".hidden upcall_call_on_stack\n"
	".type upcall_call_on_stack, @function\n"
	"upcall_call_on_stack:\n"
	"\t.cfi_startproc\n"
	"\tpush %rbp\n"
	"\t.cfi_def_cfa_offset 16\n"
	"\t.cfi_offset %rbp, -16\n"
	"\tmov %rsp, %rbp\n"
	"\t.cfi_def_cfa_register %rbp\n"
	"\tmov %rdx, %rsp\n"
	"\tcall *%rsi\n"
	"\tleave\n"
	"\t.cfi_def_cfa %rsp, 8\n"
	"\tret\n"
	"\t.cfi_endproc\n"
	".size upcall_call_on_stack, .-upcall_call_on_stack\n");

static bool is_on_alternate(const ucontext_t *context, uintptr_t place)
{
	const stack_t *alternate = &context->uc_stack;

	return place - (uintptr_t)alternate->ss_sp < alternate->ss_size;
}

/* The signal was delivered on the alternate stack, which the handler is about to leave.
 * The kernel would take it for free, and put the next signal's frame over ours. */
static void keep_alternate(const struct upcall_frame *frame, const ucontext_t *context)
{
	stack_t rest = context->uc_stack;
	uintptr_t used =
		(uintptr_t)frame - 1024; /* what the callers of this have below */

	if (!is_on_alternate(context, (uintptr_t)frame) || runtime_sealed)
		return;
	rest.ss_flags = 0;
	rest.ss_size = used > (uintptr_t)rest.ss_sp ? used - (uintptr_t)rest.ss_sp : 0;
	if (rest.ss_size < (size_t)MINSIGSTKSZ)
		rest.ss_flags = SS_DISABLE;
	kernel_call3(SYS_sigaltstack, (uintptr_t)&rest, 0, 0);
}

/* By an upcall that this one interrupts, or by a handler that is about to leave it: a
 * jump lets signals through before it changes stacks. */
static bool is_in_use(const struct upcall_frame *frame, const struct upcall_stack *stack)
{
	const ucontext_t *context = frame->upcall.context;
	uintptr_t place = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];

	if (place - (uintptr_t)stack->low <= stack->size)
		return true;
	for (const struct upcall_frame *at = frame->previous; at; at = at->previous)
		if (at->user == frame->user)
			return true;
	return false;
}

static void work_carried(struct upcall_frame *frame)
{
	keep_alternate(frame, frame->upcall.context);
	frame->work(frame);
}

void upcall_stack_call(void (*work)(struct upcall_frame *frame),
		       struct upcall_frame *frame, const ucontext_t *context)
{
	const struct upcall_stack *stack = &frame->thread->stacks[frame->user];
	uintptr_t here = (uintptr_t)frame;

	if (stack->low && !is_in_use(frame, stack)) {
		frame->low = (uintptr_t)stack->low;
		frame->high = frame->low + stack->size;
		frame->work = work;
		upcall_call_on_stack(frame, work_carried, (void *)frame->high);
		return;
	}
	frame->low = is_on_alternate(context, here) ? (uintptr_t)context->uc_stack.ss_sp
						    : here - REACH;
	frame->high = here;
	work(frame);
}

void upcall_stack_leave(const struct upcall_frame *frame)
{
	const ucontext_t *context = frame->upcall.context;

	if (frame->work && is_on_alternate(context, (uintptr_t)frame) && !runtime_sealed)
		kernel_call3(SYS_sigaltstack, (uintptr_t)&context->uc_stack, 0, 0);
}

bool upcall_stack_contains(const struct upcall_frame *frame, uintptr_t place)
{
	return place - frame->low < frame->high - frame->low;
}
