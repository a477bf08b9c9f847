// build: gcc -O2 -pthread
// build(kill): gcc -O2 -pthread -DACTION=SECCOMP_RET_KILL_PROCESS
// output: filtered, threads 8, child 3
// expect: function=leaf calls=8000
// expect: function=in_child calls=1
/*
 * A seccomp filter that kills the process, or fails the call, for all system calls that
 * are not on its list: threads, forks and signals go on, and the program makes no system
 * calls but its own.
 */
#include "lib/test.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef ACTION
#define ACTION SECCOMP_RET_TRAP
#endif

#define ALLOW(name)                                                                      \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                           \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter filter[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	ALLOW(write),
	ALLOW(exit_group),
	ALLOW(exit),
	ALLOW(mmap),
	ALLOW(munmap),
	ALLOW(mprotect),
	ALLOW(madvise),
	ALLOW(brk),
	ALLOW(rt_sigaction),
	ALLOW(rt_sigprocmask),
	ALLOW(rt_sigreturn),
	ALLOW(futex),
	ALLOW(clone),
	ALLOW(clone3),
	ALLOW(set_robust_list),
	ALLOW(rseq),
	ALLOW(newfstatat),
	ALLOW(wait4),
	ALLOW(getpid),
	ALLOW(gettid),
	ALLOW(tgkill),
	ALLOW(getrandom),
	ALLOW(sched_getaffinity),
	ALLOW(openat),
	BPF_STMT(BPF_RET | BPF_K, ACTION),
};

static volatile int handled;

KEPT static int leaf(int n)
{
	return n + 1;
}

static void *thread(void *argument)
{
	volatile int n = 0;

	for (int i = 0; i < 1000; i++)
		n = leaf(n);
	return n == 1000 ? argument : NULL;
}

static void handle(int number)
{
	(void)number;
	handled++;
}

KEPT static int in_child(void)
{
	return 3;
}

int main(void)
{
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
	int threads = 0, status;
	pid_t child;

	signal(SIGUSR1, handle);
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
	for (int i = 0; i < 8; i++) {
		pthread_t id;
		void *result;

		CHECK(pthread_create(&id, NULL, thread, &threads) == 0);
		CHECK(pthread_join(id, &result) == 0);
		threads += result == &threads;
	}
	raise(SIGUSR1);
	CHECK(handled == 1);
	child = fork();
	if (child == 0)
		_exit(in_child());
	CHECK(waitpid(child, &status, 0) == child);
	printf("filtered, threads %d, child %d\n", threads, WEXITSTATUS(status));
	return 0;
}
