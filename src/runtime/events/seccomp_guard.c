/*
 * Filters of system calls (seccomp) may kill a program for any call that it does not make
 * by itself. So their installation is watched: by prctl, and by syscall, through which
 * libseccomp goes. A filter that is installed by a system call instruction of the
 * program's own is not seen. Forks that go through syscall are seen here, too.
 */
#include "runtime/events/seccomp_guard.h"
#include "runtime/events/fork.h"
#include "runtime/store/lock.h"
#include "wire/seccomp.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

/* Arguments are passed on that the caller may not have given: words of its stack. */
#define PASSES_ON __attribute__((no_sanitize_address))

static int (*real_prctl)(int, ...);
static long (*real_syscall)(long, ...);
static void (*told)(void);

void seccomp_guard_tell(void (*function)(void))
{
	told = function;
}

static void stop_calls(void)
{
	if (told && !runtime_sealed)
		told();
	runtime_seal();
}

/* Not at the first call: that may be in a signal handler. */
void seccomp_guard_init(void)
{
	if (!real_prctl)
		*(void **)&real_prctl = dlsym(RTLD_NEXT, "prctl");
	if (!real_syscall)
		*(void **)&real_syscall = dlsym(RTLD_NEXT, "syscall");
}

PUBLIC PASSES_ON int prctl(int option, ...)
{
	unsigned long words[4];
	va_list list;

	va_start(list, option);
	for (int i = 0; i < 4; i++)
		words[i] = va_arg(list, unsigned long);
	va_end(list);
	seccomp_guard_init();
	/* Of this thread or of all: what it forbids is not looked at. */
	if (wire_prctl_installs((uint64_t)option, words[0], words[1]) ||
	    wire_call_dispatches(SYS_prctl, (uint64_t)option, words[0]))
		stop_calls();
	return real_prctl(option, words[0], words[1], words[2], words[3]);
}

PUBLIC PASSES_ON long syscall(long number, ...)
{
	unsigned long words[6];
	long result;
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		words[i] = va_arg(list, unsigned long);
	va_end(list);
	seccomp_guard_init();
	if (wire_call_installs((uint64_t)number, words[0], words[1], words[2]) ||
	    wire_call_dispatches((uint64_t)number, words[0], words[1]))
		stop_calls();
	if (number == SYS_fork || (number == SYS_clone && !(words[0] & CLONE_VM)))
		fork_prepare();
	result = real_syscall(number, words[0], words[1], words[2], words[3], words[4],
			      words[5]);
	if (number == SYS_fork || (number == SYS_clone && !(words[0] & CLONE_VM))) {
		if (result)
			fork_parent();
	}
	return result;
}
