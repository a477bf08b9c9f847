#include "runtime/upcall/strike.h"

#include "runtime/libraries/loads.h"
#include "runtime/libraries/wrap.h"
#include "runtime/store/state.h"
#include "runtime/upcall/defer.h"
#include "runtime/upcall/kernel.h"
#include "runtime/upcall/signal.h"
#include "runtime/upcall/source.h"
#include "runtime/upcall/stacks.h"
#include "runtime/upcall/threads.h"

#include <errno.h>
#include <setjmp.h>
#include <stddef.h>
#include <string.h>

/* What one signal told. */
struct strike {
	struct upcall_thread *thread;
	ucontext_t *context;
	uint64_t fired[UPCALL_SOURCES]; /* interrupts */
	bool at_once;
};

enum { AT_ONCE_NS = 50000 };

static void set_own_mask(int how)
{
	uint64_t only = 1ull << (UPCALL_SIGNAL - 1);

	if (!runtime_sealed)
		kernel_call(SYS_rt_sigprocmask, (uintptr_t)how, (uintptr_t)&only, 0,
			    sizeof(only), 0, 0);
}

/* The upcall is over. Its frame is the innermost one. */
static void end_upcall(struct upcall_frame *frame, bool left)
{
	struct upcall_user *user = &upcalls.users[frame->user];
	struct upcall_counts *counts = &frame->thread->own[frame->source].counts;

	frame->thread->top = frame->previous;
	counts->ns += runtime_clock_ns() - frame->began;
	counts->left += left;
	/* Its handler cannot do it any more. */
	if (left && user->options.disable)
		__atomic_store_n(user->options.disable, 0, __ATOMIC_RELEASE);
	__atomic_sub_fetch(&user->running, 1, __ATOMIC_RELEASE);
}

static void run_handler(struct upcall_frame *frame)
{
	const struct trm_upcall_options *options = &upcalls.users[frame->user].options;
	bool nested = options->flags & TRM_UPCALL_NESTED;

	if (nested)
		set_own_mask(SIG_UNBLOCK);
	options->handler(&frame->upcall);
	if (nested)
		set_own_mask(SIG_BLOCK);
}

static uint32_t depth_of(const struct upcall_thread *thread)
{
	uint32_t depth = 0;

	for (const struct upcall_frame *at = thread->top; at; at = at->previous)
		depth++;
	return depth;
}

static void make_upcall(const struct strike *strike, uint32_t at)
{
	struct upcall_thread *thread = strike->thread;
	const struct upcall_source *source = &upcalls.sources[at];
	struct upcall_own *own = &thread->own[at];
	struct upcall_frame frame = {
		.previous = thread->top,
		.thread = thread,
		.source = at,
		.user = source->user,
		.began = runtime_clock_ns(),
		.upcall = {.size = sizeof(frame.upcall),
			   .event = source->event,
			   .name = source->name,
			   .interrupts = own->untold,
			   .pc = (uint64_t)strike->context->uc_mcontext.gregs[REG_RIP],
			   .context = strike->context,
			   .data = upcalls.users[source->user].options.data,
			   .thread = thread->tid,
			   .depth = depth_of(thread)},
	};

	own->untold = 0;
	own->counts.upcalls++;
	thread->made++;
	thread->top = &frame;
	upcall_stack_call(run_handler, &frame, strike->context);
	end_upcall(&frame, false);
}

static bool may_nest(const struct upcall_thread *thread)
{
	const struct upcall_frame *top = thread->top;

	return !top || ((upcalls.users[top->user].options.flags & TRM_UPCALL_NESTED) &&
			depth_of(thread) < UPCALL_DEPTH_MAX);
}

static uint64_t take_due(const struct strike *strike, uint32_t at)
{
	struct upcall_own *own = &strike->thread->own[at];
	uint64_t every = upcalls.users[upcalls.sources[at].user].options.every;
	uint64_t due = own->since / every;

	own->since %= every;
	return due;
}

/* One of the source's upcalls is made, or counted as one that was not. */
static void tell_user(const struct strike *strike, uint32_t at)
{
	struct upcall_own *own = &strike->thread->own[at];
	struct upcall_user *user = &upcalls.users[upcalls.sources[at].user];
	uint64_t due = take_due(strike, at);

	if (!due)
		return;
	__atomic_add_fetch(&user->running, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&user->state, __ATOMIC_SEQ_CST) == UPCALL_ACTIVE) {
		if (strike->at_once || !may_nest(strike->thread)) {
			own->counts.nested += due;
		} else if (user->options.disable &&
			   __atomic_exchange_n(user->options.disable, 1,
					       __ATOMIC_ACQ_REL)) {
			own->counts.disabled += due;
		} else {
			own->counts.lost += due - 1;
			make_upcall(strike, at); /* gives `running` back */
			return;
		}
	}
	__atomic_sub_fetch(&user->running, 1, __ATOMIC_RELEASE);
}

/* What the signal says of a timer: how many interrupts it stands for. One that comes as
 * soon as a handler has ended is of the handler's time. */
static void take_timer(struct strike *strike, const siginfo_t *info)
{
	size_t at = (size_t)((const struct upcall_own *)info->si_value.sival_ptr -
			     strike->thread->own);

	if (at >= UPCALL_SOURCES || !strike->thread->own[at].timer)
		return;
	strike->fired[at] = 1 + (uint64_t)info->si_overrun;
	strike->at_once = runtime_clock_ns() - strike->thread->ended < AT_ONCE_NS;
}

static void take_all(struct strike *strike, const siginfo_t *info)
{
	struct upcall_thread *thread = strike->thread;
	uint32_t armed;

	memset(strike->fired, 0, sizeof(strike->fired));
	if (info && info->si_code == SI_TIMER)
		take_timer(strike, info);
	__atomic_store_n(&thread->reading, 1, __ATOMIC_SEQ_CST);
	armed = __atomic_load_n(&thread->armed, __ATOMIC_SEQ_CST);
	for (; armed; armed &= armed - 1) {
		uint32_t at = (uint32_t)__builtin_ctz(armed);
		struct upcall_own *own = &thread->own[at];

		if (own->ring)
			strike->fired[at] = upcall_source_take(own);
		own->counts.interrupts += strike->fired[at];
		own->since += strike->fired[at];
		own->untold += strike->fired[at];
	}
	__atomic_store_n(&thread->reading, 0, __ATOMIC_SEQ_CST);
}

/* Upcalls that were left by a jump that nobody told of. */
static void drop_left(struct upcall_thread *thread, const ucontext_t *context)
{
	uintptr_t place = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];

	while (thread->top && !upcall_stack_contains(thread->top, place))
		end_upcall(thread->top, true);
}

/* What happened while handlers ran: in their own time. The program would not come to run
 * if that made the next upcall, where handlers take longer than a period. */
static void skip_own_time(struct strike *strike)
{
	take_all(strike, NULL);
	for (uint32_t i = 0; i < UPCALL_SOURCES; i++)
		if (strike->fired[i] && upcalls.sources[i].event != UPCALL_DOORBELL)
			strike->thread->own[i].counts.nested += take_due(strike, i);
	strike->thread->ended = runtime_clock_ns();
}

static void strike_thread(const siginfo_t *info, ucontext_t *context)
{
	struct strike strike = {.thread = upcall_threads_self(), .context = context};
	uint64_t made;

	if (!strike.thread)
		return;
	drop_left(strike.thread, context);
	take_all(&strike, info);
	made = strike.thread->made;
	for (uint32_t i = 0; i < UPCALL_SOURCES; i++)
		if (strike.fired[i] && upcalls.sources[i].event != UPCALL_DOORBELL)
			tell_user(&strike, i);
	if (made != strike.thread->made)
		skip_own_time(&strike);
	upcall_defer_try(strike.thread, context);
	upcall_threads_look(runtime_clock_ns());
}

void upcall_strike(int signal, siginfo_t *info, void *context)
{
	int saved = errno;

	if (info->si_code == POLL_IN || info->si_code == SI_TIMER)
		strike_thread(info, context);
	else
		upcall_signal_chain(signal, info, context);
	errno = saved;
}

/* The stack pointer that a jump leads to. glibc keeps it turned and mixed with a secret
 * of the process (sysdeps/x86_64/jmpbuf-offsets.h, sysdep.h: PTR_DEMANGLE). */
static uintptr_t stack_after(const struct __jmp_buf_tag *buffer)
{
	enum { STACK_POINTER = 6 };
	uintptr_t place = (uintptr_t)buffer->__jmpbuf[STACK_POINTER];
	extern const char *gnu_get_libc_version(void) __attribute__((weak));

	if (gnu_get_libc_version)
		__asm__("ror $17, %0\n\txor %%fs:0x30, %0" : "+r"(place));
	return place;
}

/* Upcalls that the jump leaves are over, and signals are as they were when the outermost
 * of them began: the program may have kept no mask to set. True: there was one. */
static bool leave_upcalls(const struct __jmp_buf_tag *buffer)
{
	struct upcall_thread *thread = upcall_threads_known();
	const struct upcall_frame *last = NULL;
	uintptr_t place = stack_after(buffer);
	uint64_t mask;

	while (thread && thread->top && !upcall_stack_contains(thread->top, place)) {
		last = thread->top;
		end_upcall(thread->top, true);
		upcall_stack_leave(last);
	}
	if (!last)
		return false;
	thread->deferring = false;
	memcpy(&mask, &last->upcall.context->uc_sigmask, sizeof(mask));
	if (!runtime_sealed)
		kernel_call(SYS_rt_sigprocmask, SIG_SETMASK, (uintptr_t)&mask, 0,
			    sizeof(mask), 0, 0);
	return true;
}

typedef void jump_function(struct __jmp_buf_tag *, int);

static jump_function *real_longjmp, *real__longjmp, *real_siglongjmp;
static jump_function *real___longjmp_chk;

#define JUMP(name)                                                                       \
	static void wrap_##name(struct __jmp_buf_tag *buffer, int value)                 \
	{                                                                                \
		leave_upcalls(buffer);                                                   \
		real_##name(buffer, value);                                              \
	}

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)

/* It checks that the target is further out on the same stack. */
static void wrap___longjmp_chk(struct __jmp_buf_tag *buffer, int value)
{
	jump_function *real = real___longjmp_chk;

	if (leave_upcalls(buffer) && real_longjmp)
		real = real_longjmp;
	real(buffer, value);
}

static const struct wrap wraps[] = {
	WRAP(longjmp),
	WRAP(_longjmp),
	WRAP(siglongjmp),
	WRAP(__longjmp_chk),
};

void upcall_strike_watch_jumps(void)
{
	loads_wrap(wraps, sizeof(wraps) / sizeof(wraps[0]));
}
