/*
 * One branch done by hand: for threads that stop in front of a displaced branch.
 */
#ifndef TRAMMEL_X86_BRANCH_H
#define TRAMMEL_X86_BRANCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

/*
 * If the instruction in `bytes` (at most `size` of them), which belongs at `address`, is
 * a branch (jcc, jmp, loop, jrcxz, ret, call), does what it does to rip, rsp, rcx and,
 * through `memory_fd` (a /proc/PID/mem), the stack, and returns true. False if it is none
 * or its memory cannot be reached; nothing is changed then. Conditions: Intel SDM vol. 1,
 * app. B.
 */
bool branch_emulate(const uint8_t *bytes, size_t size, uint64_t address, int memory_fd,
		    struct user_regs_struct *registers);

#endif
