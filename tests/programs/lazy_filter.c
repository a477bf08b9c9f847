// build: gcc -O1
// output: wor 3.25e+10 5
// expect: function=qsort calls=1
// expect: function=strtod calls=1
/* Functions that run first behind a filter of system calls: who plans functions at their
 * first calls can be asked by no system call then. */
#include "lib/test.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { COUNT = 50, PRIME = 7919, ROUND = 101 };

static int compare(const void *left, const void *right)
{
	return *(const int *)left - *(const int *)right;
}

static void allow_writing_alone(void)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(steps) / sizeof(steps[0]), steps};

	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

int main(void)
{
	static char buffer[BUFSIZ];
	int numbers[COUNT];

	/* What takes memory, or looks at the output, takes system calls. */
	setvbuf(stdout, buffer, _IOLBF, sizeof(buffer));
	free(malloc(1));
	allow_writing_alone();
	for (int i = 0; i < COUNT; i++)
		numbers[i] = i * PRIME % ROUND;
	qsort(numbers, COUNT, sizeof(numbers[0]), compare);
	printf("%.3s %g %d\n", strstr("hello world", "wor"), strtod("3.25e10", NULL),
	       numbers[3]);
	return 0;
}
