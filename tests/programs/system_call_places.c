// build(trap): gcc -O2 -pthread -DWAY=1
// build(range): gcc -O2 -pthread -DWAY=2
// build(fixed): gcc -O1 -no-pie -fno-pie -pthread -DWAY=2
// build(all): gcc -O2 -pthread -DWAY=3
// output: all as it should be
// expect: function=work calls=200 at-least
/* Addresses of system calls: a filter that tests them, and what the handler
 * of a signal for a forbidden one is told. Only the C library, its loader and the program
 * may make any, and of the program's three functions with such an instruction only two.
 */
#include "lib/test.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* By themselves, in the first bytes of a function, and in a small one with a branch. */
long call_plain(void);
long call_first(long a, long b, long c, long d);
long call_branch(long x);
extern char forbidden_start[], forbidden_end[];
extern char call_plain_behind[];
__asm__(".text\n.balign 16\n"
	".globl call_first\n.type call_first,@function\ncall_first:\n.cfi_startproc\n"
	"\tmov %edi, %eax\n\tsyscall\n\tadd $1, %rax\n\tret\n"
	".cfi_endproc\n.size call_first,.-call_first\n.balign 16\n"
	".globl call_branch\n.type call_branch,@function\ncall_branch:\n.cfi_startproc\n"
	"\ttest %rdi, %rdi\n\tje 1f\n\tmov $110, %eax\n\tsyscall\n\tret\n1:\tmov $-1, "
	"%rax\n\tret\n"
	".cfi_endproc\n.size call_branch,.-call_branch\n.balign 16\n"
	"forbidden_start:\n"
	".globl call_plain\n.type call_plain,@function\ncall_plain:\n.cfi_startproc\n"
	"\tmov $110, %eax\n\tsyscall\ncall_plain_behind:\n\tadd $1, %rax\n\tret\n"
	".cfi_endproc\n.size call_plain,.-call_plain\nforbidden_end:\n");

enum { ROUNDS = 50, FORBIDDEN = 77 };

struct range {
	uintptr_t start, end;
};

static volatile long seen, odd, signals;
static struct range library;

static void on_call(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	uintptr_t place = (uintptr_t)registers[REG_RIP];

	(void)number;
	seen++;
	odd += (uintptr_t)info->si_call_addr != place ||
	       info->si_syscall != SYS_getppid ||
	       (place != (uintptr_t)call_plain_behind &&
		(place < library.start || place >= library.end));
	registers[REG_RAX] = 4711;
}

static void on_signal(int number)
{
	signals += number == SIGUSR1;
}

KEPT long work(long x)
{
	return x * 3 + (x >> 1);
}

static void find_library(void)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");

	CHECK(maps);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long start, end;

		if (!strstr(line, "/libc.so") && !strstr(line, "/ld-linux"))
			continue;
		if (sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		if (!library.start)
			library.start = start;
		library.end = end;
	}
	fclose(maps);
	CHECK(library.start);
}

#define LOW  offsetof(struct seccomp_data, instruction_pointer)
#define HIGH (LOW + 4)
/* What is made in a range; others go on behind this. */
#define IN_RANGE(range, what)                                                            \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, HIGH),                                        \
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)((range).start >> 32), 0,  \
			 4),                                                             \
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW),                                 \
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)(range).start, 0, 2),      \
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)(range).end, 1, 0),        \
		BPF_STMT(BPF_RET | BPF_K, what)

static int add_filter(struct range forbidden, struct range own, int flags)
{
	struct sock_filter code[] = {
		IN_RANGE(forbidden, SECCOMP_RET_ERRNO | FORBIDDEN),
		IN_RANGE(library, SECCOMP_RET_ALLOW),
		IN_RANGE(own, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static void rounds(long got, bool raises)
{
	long sum = 0;

	for (long i = 0; i < ROUNDS; i++) {
		if (raises)
			raise(SIGUSR1);
		sum += call_plain() != got;
		sum += getppid() <= 0;
		sum += call_first(SYS_getppid, 0, 0, 0) <= 1;
		sum += call_branch(i) != (i ? getppid() : -1);
		free(malloc(300000));
		CHECK(work(i) == i * 3 + (i >> 1));
	}
	CHECK(!sum);
}

static void set_trap(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

static pthread_barrier_t barrier;

static void *in_thread(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	rounds(-FORBIDDEN + 1, true);
	return NULL;
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};
	const struct range forbidden = {(uintptr_t)forbidden_start,
					(uintptr_t)forbidden_end};
	const struct range own = {(uintptr_t)call_first & ~0xfffful,
				  ((uintptr_t)call_first | 0xffff) + 1};
	const int flags = WAY == 3 ? SECCOMP_FILTER_FLAG_TSYNC : 0;
	pthread_t thread;

	find_library();
	signal(SIGUSR1, on_signal);
	sigaction(SIGSYS, &action, NULL);
	CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	if (WAY == 1) {
		set_trap();
		for (int i = 0; i < 4 * ROUNDS; i++)
			CHECK(call_plain() == 4712 && getppid() == 4711 && work(i) >= 0);
		CHECK(seen == 8 * ROUNDS && !odd);
		printf("all as it should be\n");
		return 0;
	}
	CHECK(library.start >> 32 == (library.end - 1) >> 32);
	if (WAY == 3) {
		pthread_barrier_init(&barrier, NULL, 2);
		CHECK(!pthread_create(&thread, NULL, in_thread, NULL));
		pthread_barrier_wait(&barrier);
	}
	rounds(getppid() + 1, true);
	if (add_filter(forbidden, own, flags))
		SKIP("no filters of system calls here");
	if (WAY == 3)
		pthread_barrier_wait(&barrier);
	rounds(-FORBIDDEN + 1, true);
	if (WAY == 3)
		pthread_join(thread, NULL);
	for (int i = 0; i < 3 * ROUNDS; i++)
		CHECK(work(i) >= 0);
	CHECK(signals == (WAY == 3 ? 3 : 2) * ROUNDS && !seen);
	printf("all as it should be\n");
	return 0;
}
