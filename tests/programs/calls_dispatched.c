// build: gcc -O2 -DWAY=1
// build(syscall): gcc -O2 -DWAY=2
// build(own): gcc -O2 -DWAY=3
// build(range): gcc -O2 -DWAY=4
// output: 100 calls made by the handler
// expect-process: program=calls_dispatched count=1 reason=dispatch
/* A program that makes its system calls by itself, in a handler of SIGSYS (syscall user
 * dispatch, as Wine does): all of them but those that a switch allows or that are made in
 * a range. It says so by the C library's functions, or by an instruction of its own. */
#include "lib/test.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { DISPATCH = 59, ON = 1, ROUNDS = 100 };

long own_call(long number, long a, long b, long c, long d, long e);
extern char own_call_behind[];
__asm__(".text\n.globl own_call\n.type own_call,@function\nown_call:\n.cfi_startproc\n"
	"\tmov %rdi, %rax\n\tmov %rsi, %rdi\n\tmov %rdx, %rsi\n\tmov %rcx, %rdx\n"
	"\tmov %r8, %r10\n\tmov %r9, %r8\n\tsyscall\nown_call_behind:\n\tret\n"
	".cfi_endproc\n.size own_call,.-own_call\n");

static volatile char forbidden;
static volatile long seen, odd, others, signals;

static void on_call(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	forbidden = 0;
	odd += (uintptr_t)info->si_call_addr != (uintptr_t)registers[REG_RIP] ||
	       info->si_syscall != (int)registers[REG_RAX];
	if (info->si_syscall == SYS_getppid &&
	    registers[REG_RIP] == (greg_t)own_call_behind)
		seen++;
	else
		others++;
	if (others > 10)
		_exit(9);
	registers[REG_RAX] = 4711;
	forbidden = WAY == 4; /* returning is allowed there */
}

static void on_signal(int number)
{
	signals += number == SIGUSR1;
}

KEPT long work(long x)
{
	return x * 3 + (x >> 1);
}

struct range {
	uintptr_t start, end;
};

static struct range find_library(void)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");
	struct range library = {0, 0};

	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long start, end;

		if ((!strstr(line, "/libc.so") && !strstr(line, "/ld-linux")) ||
		    sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		if (!library.start)
			library.start = start;
		library.end = end;
	}
	fclose(maps);
	return library;
}

static long dispatch(struct range range)
{
	long size = (long)(range.end - range.start), start = (long)range.start;

#if WAY == 1
	return prctl(DISPATCH, ON, start, size, &forbidden);
#elif WAY == 2
	return syscall(SYS_prctl, DISPATCH, ON, start, size, &forbidden);
#else
	return own_call(SYS_prctl, DISPATCH, ON, start, size, (long)&forbidden);
#endif
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};
	char *page = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long sum = 0;

	signal(SIGUSR1, on_signal);
	sigaction(SIGSYS, &action, NULL);
	if (dispatch(WAY < 4 ? (struct range){0, 0} : find_library()))
		SKIP("no dispatch of system calls here");
#if WAY == 4
	/* The C library's calls are allowed: what else there is must not show. */
	forbidden = 1;
	CHECK(dlopen("libm.so.6", RTLD_NOW));
	CHECK(mremap(page, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, page + 4096) ==
	      page + 4096);
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
	CHECK(signals == 10);
#endif
	for (long i = 0; i < ROUNDS; i++) {
		forbidden = 1;
		sum += own_call(SYS_getppid, 0, 0, 0, 0, 0) + work(i);
		forbidden = 0;
	}
	CHECK(sum == 4711 * ROUNDS + 17300 && page && !odd && !others);
	printf("%ld calls made by the handler\n", seen);
	return 0;
}
