/*
 * Emulation of one branch, for threads that stop in front of a displaced branch.
 */
#ifndef TRAMMEL_X86_BRANCH_H
#define TRAMMEL_X86_BRANCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

/*
 * Emulates the branch (jcc, jmp, loop, jrcxz, ret, call) in `bytes` (at most `size` of
 * them), whose original address is `address`: changes rip, rsp, rcx and, through
 * `memory_fd` (a /proc/PID/mem), the stack. False, with nothing changed, if it is no
 * branch or its memory cannot be accessed. Conditions: Intel SDM vol. 1, app. B.
 */
bool branch_emulate(const uint8_t *bytes, size_t size, uint64_t address, int memory_fd,
		    struct user_regs_struct *registers);

#endif
