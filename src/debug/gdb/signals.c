/* See include/gdb/signals.def in GDB's sources. */
#include "debug/gdb/signals.h"

#include "base/array.h"

#include <signal.h>

enum { UNKNOWN = 143, REALTIME = 45, LAST = 63, SIG32 = 77, SIG64 = 78 };

static const unsigned char numbers[] = {
	[SIGHUP] = 1,   [SIGINT] = 2,    [SIGQUIT] = 3,  [SIGILL] = 4,   [SIGTRAP] = 5,
	[SIGABRT] = 6,  [SIGFPE] = 8,    [SIGKILL] = 9,  [SIGBUS] = 10,  [SIGSEGV] = 11,
	[SIGSYS] = 12,  [SIGPIPE] = 13,  [SIGALRM] = 14, [SIGTERM] = 15, [SIGURG] = 16,
	[SIGSTOP] = 17, [SIGTSTP] = 18,  [SIGCONT] = 19, [SIGCHLD] = 20, [SIGTTIN] = 21,
	[SIGTTOU] = 22, [SIGIO] = 23,    [SIGXCPU] = 24, [SIGXFSZ] = 25, [SIGVTALRM] = 26,
	[SIGPROF] = 27, [SIGWINCH] = 28, [SIGUSR1] = 30, [SIGUSR2] = 31, [SIGPWR] = 32,
};

int gdb_signal(int signal)
{
	if (signal > 0 && signal < (int)array_count(numbers) && numbers[signal])
		return numbers[signal];
	if (signal == 32)
		return SIG32;
	if (signal > 32 && signal <= LAST)
		return REALTIME + signal - 33;
	return signal == 64 ? SIG64 : UNKNOWN;
}

int gdb_signal_here(int number)
{
	for (int signal = 1; signal <= 64; signal++)
		if (gdb_signal(signal) == number && number != UNKNOWN)
			return signal;
	return 0;
}
