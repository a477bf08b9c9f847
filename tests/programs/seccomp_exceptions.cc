// build: g++ -O2 -pthread
// output: caught 4000, backtrace is deep, jumped 500
// expect: function="thrower(int)" calls=4000
// expect: function=jumper calls=500
/*
 * Exceptions, a backtrace and longjmp under a filter that kills at every system call but
 * a few: return addresses are put right without any.
 */
#include "lib/test.h"

#include <execinfo.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stddef.h>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#define ALLOW(name)                                                                      \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                           \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter filter[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	ALLOW(write),
	ALLOW(exit_group),
	ALLOW(brk),
	ALLOW(mmap),
	ALLOW(munmap),
	ALLOW(futex),
	ALLOW(newfstatat),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

static jmp_buf place;

KEPT int thrower(int n)
{
	std::string text(40, 'x');

	if (n % 2)
		throw n;
	throw text;
}

KEPT int deeper(int n, int depth)
{
	std::vector<int> memory(8, n);

	return depth ? deeper(n, depth - 1) + memory[3] : thrower(n);
}

extern "C" KEPT void jumper(int n)
{
	longjmp(place, n + 1);
}

KEPT int jump_all()
{
	volatile int jumped = 0;

	for (volatile int i = 0; i < 500; i = i + 1) {
		if (!setjmp(place))
			jumper(i);
		jumped = jumped + 1;
	}
	return jumped;
}

int main()
{
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
	void *frames[64];
	int caught = 0;

	/* libgcc is loaded by the first one. */
	CHECK(backtrace(frames, 64) > 0);
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
	for (int i = 0; i < 4000; i++) {
		try {
			deeper(i, i % 50);
		} catch (int) {
			caught++;
		} catch (const std::string &) {
			caught++;
		}
	}
	printf("caught %d, backtrace is %s, jumped %d\n", caught,
	       backtrace(frames, 64) > 2 ? "deep" : "flat", jump_all());
	return 0;
}
