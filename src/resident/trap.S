/*
 * The handler of SIGTRAP of a process that a debugger has put break instructions into: see
 * trap.c. It runs when the tracer is dead.
 */
#include "resident/assembly.h"

#define SYS_rt_sigreturn 15

	.text
	.balign 16
	.globl trap, trap_restorer
trap:
	sub	$8, %rsp
	mov	%rsi, %rdi
	mov	%rdx, %rsi
	lea	resident_start + WIRE_CONTROL_OFFSET(%rip), %rdx
	call	resident_trap
	add	$8, %rsp
	ret
trap_restorer:
	mov	$SYS_rt_sigreturn, %eax
	syscall
