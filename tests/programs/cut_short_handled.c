// build: gcc -O2
// output: parts 12, at the call 12, registers kept 24
/*
 * A write to a pipe that is full waits, through signals that are ignored; then one comes
 * that has a handler: the write ends with the part that is written. The handler sees the
 * place behind the call, and the call changes no register that a call must not change.
 */
#include "lib/test.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { SIZE = 1 << 19, ROUNDS = 12, KEPT_REGISTERS = 12 };

static char bytes[SIZE];
static volatile int at_the_call;
extern const char behind_the_call[];

/* What is in registers before and after a call; written by raw_write. */
struct registers {
	unsigned long before[KEPT_REGISTERS], after[KEPT_REGISTERS];
	unsigned long flags_before, flags_after;
};

/* write(2), with a value of its own in each register. */
long raw_write(long file, const void *buffer, long size, struct registers *registers);
__asm__(".pushsection .text\n"
	".p2align 4\n"
	".type raw_write, @function\n"
	"raw_write:\n"
	"	push %rbx\n	push %rbp\n	push %r12\n	push %r13\n"
	"	push %r14\n	push %r15\n	push %rcx\n"
	"	mov %rcx, %r15\n"
	"	movabs $0x1111111122222222, %rbx\n"
	"	lea 3(%rbx), %rbp\n	lea 5(%rbx), %r12\n"
	"	lea 7(%rbx), %r13\n	lea 9(%rbx), %r14\n"
	"	lea 11(%rbx), %r8\n	lea 13(%rbx), %r9\n	lea 17(%rbx), %r10\n"
	"	.macro note at\n"
	"	mov %rbx, \\at(%r15)\n	mov %rbp, \\at+8(%r15)\n"
	"	mov %r12, \\at+16(%r15)\n	mov %r13, \\at+24(%r15)\n"
	"	mov %r14, \\at+32(%r15)\n	mov %r8, \\at+40(%r15)\n"
	"	mov %r9, \\at+48(%r15)\n	mov %r10, \\at+56(%r15)\n"
	"	mov %rdi, \\at+64(%r15)\n	mov %rsi, \\at+72(%r15)\n"
	"	mov %rdx, \\at+80(%r15)\n	mov %rsp, \\at+88(%r15)\n"
	"	.endm\n"
	"	note 0\n"
	"	mov $1, %eax\n"
	"	cmp $2, %eax\n" /* carry and sign are set, and kept */
	"	pushfq\n	pop %r11\n	mov %r11, 192(%r15)\n"
	"	syscall\n"
	"behind_the_call:\n"
	"	pushfq\n	pop %rcx\n	mov %rcx, 200(%r15)\n"
	"	note 96\n"
	"	pop %rcx\n	pop %r15\n	pop %r14\n	pop %r13\n"
	"	pop %r12\n	pop %rbp\n	pop %rbx\n"
	"	ret\n"
	".size raw_write, .-raw_write\n"
	".popsection\n");

static void handle(int number, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;

	(void)number;
	(void)info;
	at_the_call += interrupted->uc_mcontext.gregs[REG_RIP] == (long)behind_the_call;
}

static long read_some(int file, long size)
{
	static char read_bytes[SIZE];
	long at = 0, count;

	while (at < size && (count = read(file, read_bytes, 4096)) > 0)
		at += count;
	return at;
}

/* Lets a part be written, signals, and tells how much there was. */
static void other(const int ends[2], int answer)
{
	const pid_t parent = getppid();
	long size;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(ends[1]);
	size = read_some(ends[0], 100000);
	for (int i = 0; i < 3; i++) {
		usleep(2000);
		kill(parent, SIGUSR1);
		usleep(2000);
		size += read_some(ends[0], 5000);
	}
	usleep(5000);
	kill(parent, SIGUSR2);
	size += read_some(ends[0], SIZE);
	_exit(write(answer, &size, sizeof(size)) != sizeof(size));
}

static int kept(const struct registers *registers)
{
	return !memcmp(registers->before, registers->after, sizeof(registers->after)) +
	       (registers->flags_before == registers->flags_after);
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
	int parts = 0, registers_kept = 0;

	signal(SIGUSR1, SIG_IGN);
	for (int round = 0; round < ROUNDS; round++) {
		struct registers registers = {0};
		int ends[2], answer[2], status;
		long result, size = 0;
		pid_t child;

		action.sa_flags = SA_SIGINFO | (round % 2 ? SA_RESTART : 0);
		CHECK(!sigaction(SIGUSR2, &action, NULL));
		CHECK(!pipe(ends) && !pipe(answer));
		child = fork();
		if (!child)
			other(ends, answer[1]);
		close(ends[0]);
		result = raw_write(ends[1], bytes, SIZE, &registers);
		close(ends[1]);
		CHECK(read(answer[0], &size, sizeof(size)) == sizeof(size));
		CHECK(waitpid(child, &status, 0) == child && !status);
		close(answer[0]);
		close(answer[1]);
		parts += result > 0 && result < SIZE && result == size;
		registers_kept += kept(&registers);
	}
	printf("parts %d, at the call %d, registers kept %d\n", parts, at_the_call,
	       registers_kept);
	return 0;
}
