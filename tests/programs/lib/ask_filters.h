/* Questions about system call filters (seccomp): nothing is installed. */
#ifndef ASK_FILTERS_H
#define ASK_FILTERS_H

#include "test.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline void ask_filters(void)
{
	uint32_t action = SECCOMP_RET_TRAP;

	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == -1 && errno == EFAULT);
	CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == -1 &&
	      errno == EFAULT);
	CHECK(syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0);
	CHECK(prctl(PR_GET_SECCOMP) == 0);
}

#endif
