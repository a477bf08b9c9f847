/*
 * Macros and constants shared by the assembly files of the resident.
 */
#ifndef TRAMMEL_RESIDENT_ASSEMBLY_H
#define TRAMMEL_RESIDENT_ASSEMBLY_H

#define __ASSEMBLER__ 1
#include "wire/bank.h"
#include "wire/control.h"
#include "wire/graph.h"
#include "wire/hooks.h"
#include "wire/layout.h"
#include "wire/paths.h"
#include "wire/spans.h"

#define SYS_rt_sigprocmask 14
#define SIG_SETMASK        2
#define FUTEX_OWNER_DIED   0x40000000

/* clang-format off */
/* rt_sigprocmask(SIG_SETMASK, rsi, rdx, 8): the caller sets rsi and rdx. */
	.macro set_mask
	mov	$SYS_rt_sigprocmask, %eax
	mov	$SIG_SETMASK, %edi
	mov	$8, %r10d
	syscall
	.endm

/* Save and restore the registers of routines that gates and probes call, on the stack:
 * session/position/gate_position.c. */
	.macro save_graph
	mov	%rcx, (%rsp)
	mov	%rdx, 8(%rsp)
	mov	%r8, 16(%rsp)
	mov	%r9, 24(%rsp)
	.endm
	.macro restore_graph
	mov	(%rsp), %rcx
	mov	8(%rsp), %rdx
	mov	16(%rsp), %r8
	mov	24(%rsp), %r9
	.endm
	/* Adds the ticks since the clock was last read to the node that was innermost;
	 * changes rax and rdx. Goes on at 1 if there is no clock. */
	.macro take_time timed
	cmpl	$0, %gs:WIRE_BANK_UNTIMED
	jne	1f
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%gs:WIRE_GRAPH_AT, %edx
	sub	%gs:WIRE_GRAPH_LAST, %rax
	add	%rax, %gs:WIRE_GRAPH_LAST
\timed:
	add	%rax, %gs:WIRE_GRAPH_NODES + 16(%rdx)
	.endm
/* clang-format on */

#endif
