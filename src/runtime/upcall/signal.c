#include "runtime/upcall/signal.h"

#include "runtime/libraries/loads.h"
#include "runtime/libraries/wrap.h"
#include "runtime/store/state.h"
#include "runtime/upcall/kernel.h"
#include "runtime/upcall/state.h"

#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static struct {
	struct runtime_lock lock;
	bool taken;
	void (*handler)(int signal, siginfo_t *info, void *context);
	struct sigaction programs; /* what the program set */
} disposition;

/* The program has it blocked, as it thinks. It would be blocked for ever in threads that
 * leave all signals to others, and would end waits with a mask (ppoll). */
static runtime_local bool is_blocked;

typedef void plain_handler(int);

static int (*real_sigaction)(int, const struct sigaction *, struct sigaction *);
static plain_handler *(*real_signal)(int, plain_handler *);
static plain_handler *(*real___sysv_signal)(int, plain_handler *);
static int (*real_sigprocmask)(int, const sigset_t *, sigset_t *);
static int (*real_pthread_sigmask)(int, const sigset_t *, sigset_t *);

static int wrap_sigaction(int number, const struct sigaction *action,
			  struct sigaction *ret_old)
{
	struct sigaction old;

	if (number != UPCALL_SIGNAL)
		return real_sigaction(number, action, ret_old);
	runtime_lock(&disposition.lock);
	old = disposition.programs;
	if (action)
		disposition.programs = *action;
	runtime_unlock(&disposition.lock);
	if (ret_old)
		*ret_old = old;
	return 0;
}

static plain_handler *set_plain(plain_handler *handler, int flags)
{
	struct sigaction action = {.sa_flags = flags}, old;

	action.sa_handler = handler;
	sigemptyset(&action.sa_mask);
	if (!(flags & SA_NODEFER))
		sigaddset(&action.sa_mask, UPCALL_SIGNAL);
	wrap_sigaction(UPCALL_SIGNAL, &action, &old);
	return old.sa_handler;
}

static plain_handler *wrap_signal(int number, plain_handler *handler)
{
	return number == UPCALL_SIGNAL && handler != SIG_ERR
		       ? set_plain(handler, SA_RESTART)
		       : real_signal(number, handler);
}

static plain_handler *wrap___sysv_signal(int number, plain_handler *handler)
{
	return number == UPCALL_SIGNAL && handler != SIG_ERR
		       ? set_plain(handler, (int)SA_RESETHAND | SA_NODEFER)
		       : real___sysv_signal(number, handler);
}

static int set_mask(int (*real)(int, const sigset_t *, sigset_t *), int how,
		    const sigset_t *set, sigset_t *ret_old)
{
	bool was_blocked = is_blocked,
	     is_in = set && sigismember(set, UPCALL_SIGNAL) == 1;
	sigset_t without;
	int result;

	if (is_in && how != SIG_UNBLOCK) {
		without = *set;
		sigdelset(&without, UPCALL_SIGNAL);
		set = &without;
	}
	result = real(how, set, ret_old);
	if (result)
		return result;
	if (is_in || (set && how == SIG_SETMASK))
		is_blocked = is_in && how != SIG_UNBLOCK;
	if (ret_old && was_blocked)
		sigaddset(ret_old, UPCALL_SIGNAL);
	return 0;
}

static int wrap_sigprocmask(int how, const sigset_t *set, sigset_t *ret_old)
{
	return set_mask(real_sigprocmask, how, set, ret_old);
}

static int wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *ret_old)
{
	return set_mask(real_pthread_sigmask, how, set, ret_old);
}

static const struct wrap wraps[] = {
	WRAP(sigaction),   WRAP(signal),          WRAP(__sysv_signal),
	WRAP(sigprocmask), WRAP(pthread_sigmask),
};

bool upcall_signal_take(void (*handler)(int signal, siginfo_t *info, void *context))
{
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};

	if (disposition.taken)
		return true;
	action.sa_sigaction = handler;
	/* Other signals wait until an upcall is over; those of its own faults do not. */
	sigfillset(&action.sa_mask);
	for (const char *at =
		     (const char[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, 0};
	     *at; at++)
		sigdelset(&action.sa_mask, *at);
	if (sigaction(UPCALL_SIGNAL, &action, &disposition.programs))
		return false;
	disposition.handler = handler;
	disposition.taken = true;
	loads_wrap(wraps, sizeof(wraps) / sizeof(wraps[0]));
	return true;
}

bool upcall_signal_is_ours(void)
{
	struct sigaction now;

	return !sigaction(UPCALL_SIGNAL, NULL, &now) &&
	       now.sa_sigaction == disposition.handler;
}

/* As if there had never been a handler. */
static void do_usual(void)
{
	struct sigaction usual = {.sa_flags = 0};
	uint64_t only = 1ull << (UPCALL_SIGNAL - 1);

	usual.sa_handler = SIG_DFL;
	sigaction(UPCALL_SIGNAL, &usual, NULL);
	kernel_call3(SYS_tgkill, (uintptr_t)getpid(), kernel_thread(), UPCALL_SIGNAL);
	kernel_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (uintptr_t)&only, 0, sizeof(only), 0,
		    0);
}

void upcall_signal_chain(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	struct sigaction action = disposition.programs;
	uint64_t mask, wanted;

	if (action.sa_handler == SIG_IGN)
		return;
	if (action.sa_handler == SIG_DFL) {
		do_usual();
		return;
	}
	if ((unsigned)action.sa_flags & SA_RESETHAND)
		disposition.programs.sa_handler = SIG_DFL;
	memcpy(&mask, &interrupted->uc_sigmask, sizeof(mask));
	memcpy(&wanted, &action.sa_mask, sizeof(wanted));
	mask |= wanted;
	if (!(action.sa_flags & SA_NODEFER))
		mask |= 1ull << (signal - 1);
	kernel_call(SYS_rt_sigprocmask, SIG_SETMASK, (uintptr_t)&mask, 0, sizeof(mask), 0,
		    0);
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(signal, info, context);
	else
		action.sa_handler(signal);
}
