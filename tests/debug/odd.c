/* What a debugger finds hard: a repeated string operation, pushed flags, a break
 * instruction of the program's own, longjmp, fork, vfork, interrupted system calls, a
 * library that is loaded late, exec. Prints what it found, twice, and ends with 6. */
#define _GNU_SOURCE
#include <stdio.h>
#include <signal.h>
#include <setjmp.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <errno.h>
#include <time.h>
static jmp_buf jump;
static volatile int traps, alarms;
__attribute__((noinline)) void on_trap(int s)
{
	(void)s;
	traps++;
}
__attribute__((noinline)) void on_alarm(int s)
{
	(void)s;
	alarms++;
}
__attribute__((noinline)) void moves(char *to, const char *from, unsigned long n)
{
	asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
}
__attribute__((noinline)) unsigned long flags(void)
{
	unsigned long f;
	asm volatile("pushf\n\tpop %0" : "=r"(f));
	return f;
}
__attribute__((noinline)) void own_trap(void)
{
	asm volatile("int3");
}
__attribute__((noinline)) void jumps(int n)
{
	if (n)
		jumps(n - 1);
	else
		longjmp(jump, 5);
}
__attribute__((noinline)) int forks(void)
{
	pid_t c = fork();
	if (!c)
		_exit(4);
	int s;
	waitpid(c, &s, 0);
	return WEXITSTATUS(s);
}
__attribute__((noinline)) int vforks(void)
{
	pid_t c = vfork();
	if (!c)
		_exit(5);
	int s;
	waitpid(c, &s, 0);
	return WEXITSTATUS(s);
}
__attribute__((noinline)) int sleeps(void)
{
	struct timespec t = {0, 30000000}, r = {0, 0};
	return nanosleep(&t, &r) ? errno : 0;
}
__attribute__((noinline)) int reads(void)
{
	int p[2];
	char c = 0;
	if (pipe(p))
		return 1;
	alarm(1);
	while (read(p[0], &c, 1) < 0 && errno == EINTR && !alarms)
		;
	return alarms;
}
__attribute__((noinline)) double plugin(double x)
{
	void *h = dlopen("libm.so.6", RTLD_NOW);
	double (*f)(double) = (double (*)(double))dlsym(h, "cbrt");
	return f ? f(x) : 0;
}
int main(int argc, char **argv)
{
	static char a[100000], b[100000];
	memset(a, 9, sizeof a);
	signal(SIGTRAP, on_trap);
	struct sigaction sa = {.sa_handler = on_alarm};
	sigaction(SIGALRM, &sa, NULL);
	moves(b, a, sizeof a);
	printf("moved %d\n", !memcmp(a, b, sizeof a));
	printf("flags %lx\n", flags() & 0x100);
	own_trap();
	printf("traps %d\n", traps);
	int r = setjmp(jump);
	if (!r)
		jumps(3);
	printf("jumped %d\n", r);
	fflush(stdout);
	printf("forked %d\n", forks());
	fflush(stdout);
	printf("vforked %d\n", vforks());
	printf("slept %d\n", sleeps());
	printf("read %d\n", reads());
	printf("cbrt %.1f\n", plugin(27));
	fflush(stdout);
	if (argc < 2)
		execl(argv[0], argv[0], "again", NULL);
	return 6;
}
