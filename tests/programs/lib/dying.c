/*
 * Preloaded into trammel: the process that traces kills itself at the call number
 * DYING_AT of ptrace(2) and pwrite(2), in front of it; or of ptrace's with the request
 * DYING_REQUEST, and with DYING_AFTER behind it. DYING_LOG names a file that gets the
 * number of calls when it ends in peace. What it starts knows nothing of this.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

static long calls, last, wanted;
static bool after;
static char *log_path;

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("DYING_AT"), *path = getenv("DYING_LOG");
	const char *request = getenv("DYING_REQUEST");

	last = at ? atol(at) : 0;
	wanted = request ? atol(request) : 0;
	after = getenv("DYING_AFTER") != NULL;
	log_path = path ? strdup(path) : NULL;
	unsetenv("LD_PRELOAD");
	unsetenv("DYING_AT");
	unsetenv("DYING_LOG");
	unsetenv("DYING_REQUEST");
	unsetenv("DYING_AFTER");
}

static void count(long request)
{
	if (wanted && request != wanted)
		return;
	if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == last)
		kill(getpid(), SIGKILL);
}

long ptrace(enum __ptrace_request request, ...)
{
	long (*real)(int, pid_t, void *, void *) =
		(long (*)(int, pid_t, void *, void *))dlsym(RTLD_NEXT, "ptrace");
	va_list arguments;

	va_start(arguments, request);
	pid_t pid = va_arg(arguments, pid_t);
	void *address = va_arg(arguments, void *), *data = va_arg(arguments, void *);

	va_end(arguments);
	if (!after)
		count((long)request);
	long result = real((int)request, pid, address, data);

	if (after)
		count((long)request);
	return result;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
	ssize_t (*real)(int, const void *, size_t, off64_t) =
		(ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT,
								      "pwrite64");

	count(-1);
	return real(fd, data, size, offset);
}

void _exit(int status)
{
	void (*real)(int) = (void (*)(int))dlsym(RTLD_NEXT, "_exit");
	FILE *file = log_path && calls > 1 ? fopen(log_path, "w") : NULL;

	if (file) {
		fprintf(file, "%ld\n", calls);
		fclose(file);
	}
	real(status);
	__builtin_unreachable();
}
