/* Code with system calls in its midst: one that stretches make, one that
 * they do not, and calls that wait and that signals cut short. build: gcc -O1 -g -pthread
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t signals;
static int pipes[2];

static void count_signal(int signal)
{
	(void)signal;
	signals++;
}

/* getppid(2); what the kernel leaves in rcx is the address behind the instruction. */
__attribute__((noinline)) static uint64_t call_known(uint64_t *wrong)
{
	uint64_t result, after, expected;

	__asm__ volatile("mov $110, %%eax\nsyscall\n1: lea 1b(%%rip), %2"
			 : "=&a"(result), "=&c"(after), "=r"(expected)
			 :
			 : "r11", "memory");
	*wrong += after != expected;
	return result;
}

/* getpgrp(2), which no stretch makes. */
__attribute__((noinline)) static uint64_t call_other(uint64_t *wrong)
{
	uint64_t result, after, expected;

	__asm__ volatile("mov $111, %%eax\nsyscall\n1: lea 1b(%%rip), %2"
			 : "=&a"(result), "=&c"(after), "=r"(expected)
			 :
			 : "r11", "memory");
	*wrong += after != expected;
	return result;
}

/* read(2) of a byte, made again by the kernel or by us when a signal ends it. */
__attribute__((noinline)) static int64_t call_read(int fd, void *byte, uint64_t *wrong)
{
	int64_t result;
	uint64_t after, expected;

	__asm__ volatile("xor %%eax, %%eax\nsyscall\n1: lea 1b(%%rip), %2"
			 : "=&a"(result), "=&c"(after), "=&r"(expected)
			 : "D"((long)fd), "S"(byte), "d"(1L)
			 : "r11", "memory");
	*wrong += after != expected;
	return result;
}

static void *write_bytes(void *count)
{
	for (unsigned long i = 0; i < *(unsigned long *)count; i++) {
		const uint8_t byte = (uint8_t)(i * 7);

		if (write(pipes[1], &byte, 1) != 1)
			return NULL;
		if (i % 16 == 0)
			usleep(200);
	}
	return NULL;
}

static uint64_t read_bytes(unsigned long count)
{
	sigset_t alarms;
	pthread_t thread;
	uint64_t wrong = 0;
	uint8_t byte;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	if (pipe(pipes) || pthread_create(&thread, NULL, write_bytes, &count))
		return 1;
	pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
	for (unsigned long i = 0; i < count; i++) {
		int64_t result;

		do
			result = call_read(pipes[0], &byte, &wrong);
		while (result == -EINTR);
		wrong += result != 1 || byte != (uint8_t)(i * 7);
	}
	pthread_join(thread, NULL);
	return wrong;
}

int main(int argc, char **argv)
{
	const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {0};
	const pid_t parent = getppid();
	uint64_t sum = 0, wrong = 0;

	for (int restarts = 0; restarts < 2; restarts++) {
		struct sigaction action = {.sa_handler = count_signal,
					   .sa_flags = restarts ? SA_RESTART : 0};

		sigaction(SIGALRM, &action, NULL);
		setitimer(ITIMER_REAL, &often, NULL);
		wrong += read_bytes(rounds);
		setitimer(ITIMER_REAL, &never, NULL);
	}
	for (unsigned long r = 0; r < rounds * 2000; r++) {
		for (int i = 0; i < 40; i++)
			sum = sum * 5 + (r ^ sum >> 3);
		wrong += call_other(&wrong) != (uint64_t)getpgrp();
		wrong += call_known(&wrong) != (uint64_t)parent;
	}
	printf("%016lx %lu %d\n", (unsigned long)sum, (unsigned long)wrong, signals > 0);
	return 0;
}
