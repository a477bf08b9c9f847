/*
 * The routines that gates and probes at returns call where functions are regions:
 * code/calls/spans.h.
 */
#include "resident/assembly.h"

	.text
/*
 * A span begins, or one ends: see code/calls/spans.h. rax is the address of the return
 * address, as for enter and leave_call; behind the return address into a gate there are
 * the opcode of a mov and the distance to the function's name. The library is called on
 * the bank's own stack, since the program's may be small, with all of its registers
 * saved. If the bank is busy nothing is reported: functions that the library itself calls
 * are no spans. With the tracer dead, threads may share a bank, and signals are not
 * deferred: then nothing is reported any more. A signal that comes meanwhile, or in a
 * gate that has counted the call by its call site, is sent again by the tracer, which
 * blocks all others: the mask is restored at the end. The bank may be another one at the
 * end than at the start: rbx is the first one. (The tracer may have died before it
 * blocked them, and this may be a handler: if the bank is busy, the interrupted span has
 * its registers there, and restores the mask.) They change rax and flags. rcx, rdx, r8
 * and r9 lie on the stack as in enter, for the tracer.
 */
	.macro span_call name, target
	.irp	label, , _lowered, _half, _saved, _timed, _done, _return, _search, _end
	.globl	\name\label
	.endr
	.balign 64
\name:
	lea	-48(%rsp), %rsp
\name\()_lowered:
	mov	%rcx, -8(%rsp) /* where calls push: the stack may end here, not further on */
	save_graph
\name\()_half:
\name\()_saved:
	lea	resident_start + WIRE_CONTROL_OFFSET(%rip), %r8
	mov	WIRE_CONTROL_SPANS + \target(%r8), %r9
	test	%r9, %r9
	jz	\name\()_done
	testl	$FUTEX_OWNER_DIED, (%r8)
	jnz	\name\()_done
	cmpl	$0, %gs:WIRE_BANK_UNTIMED
	jne	\name\()_out
	mov	%gs:WIRE_BANK_SELF, %rcx
	mov	48(%rsp), %rdx
	mov	$1, %r8d
	xchg	%r8d, WIRE_SPANS_BUSY(%rcx)
	test	%r8d, %r8d
	jnz	\name\()_out
	mov	%rbx, WIRE_SPANS_RBX(%rcx)
	mov	%rcx, %rbx
	mov	%rsi, WIRE_SPANS_RSI(%rbx)
	mov	%rdi, WIRE_SPANS_RDI(%rbx)
	mov	%r10, WIRE_SPANS_R10(%rbx)
	mov	%r11, WIRE_SPANS_R11(%rbx)
	mov	%rsp, WIRE_SPANS_RSP(%rbx)
	lea	resident_start + WIRE_CONTROL_OFFSET(%rip), %r8
	mov	WIRE_CONTROL_SPANS + 16 + \target(%r8), %r10
	mov	%rax, %rdi
	movslq	1(%rdx), %rsi
	lea	5(%rdx,%rsi), %rsi
	call	span_tell
	mov	WIRE_SPANS_RSP(%rbx), %rsp
	mov	WIRE_SPANS_RSI(%rbx), %rsi
	mov	WIRE_SPANS_RDI(%rbx), %rdi
	mov	WIRE_SPANS_R10(%rbx), %r10
	mov	WIRE_SPANS_R11(%rbx), %r11
	mov	%rbx, %rcx
	mov	WIRE_SPANS_RBX(%rbx), %rbx
	movl	$0, WIRE_SPANS_BUSY(%rcx)
\name\()_done:
	cmpl	$0, %gs:WIRE_SPANS_MASKED
	je	\name\()_out
	cmpl	$0, %gs:WIRE_SPANS_BUSY
	jne	\name\()_out
	call	span_unmask
\name\()_out:
	restore_graph
	lea	48(%rsp), %rsp
\name\()_return:
	ret
\name\()_timed:
\name\()_search:
\name\()_end:
	.endm

	span_call span_begin, 0
	span_call span_end, 8

/* Calls r10, on the stack of bank rbx; then r9, with the state of vectors kept, if that was not
 * enough. */
span_tell:
	pop	%r8
	lea	WIRE_SPANS_STACK_TOP(%rbx), %rsp
	push	%r8
	push	%r9
	push	%rdi
	push	%rsi
	cld
	call	*%r10
	pop	%rsi
	pop	%rdi
	test	%eax, %eax
	jnz	2f
	mov	(%rsp), %r9
	mov	WIRE_SPANS_STATE(%rbx), %eax
	xor	%edx, %edx
	test	%eax, %eax
	jz	1f
	xsave64	WIRE_SPANS_VECTORS(%rbx)
	call	*%r9
	mov	WIRE_SPANS_STATE(%rbx), %eax
	xor	%edx, %edx
	xrstor64 WIRE_SPANS_VECTORS(%rbx)
	jmp	2f
1:	fxsave64 WIRE_SPANS_VECTORS(%rbx)
	call	*%r9
	fxrstor64 WIRE_SPANS_VECTORS(%rbx)
2:	lea	8(%rsp), %rsp
	ret

/* The thread's mask becomes what it was; of a timer's signal (session/thread/fast_timers.c) only
 * with the tracer dead, which else does so at the next stop. A signal that comes here finds rsi,
 * rdi, r10 and r11 in the bank, and the routine's frame behind the return address. */
	.globl span_unmask, span_unmask_saved, span_unmasked
span_unmask:
	cmpl	$WIRE_MASKED_TIMER, %gs:WIRE_SPANS_MASKED
	jne	1f
	lea	resident_start + WIRE_CONTROL_OFFSET(%rip), %r8
	testl	$FUTEX_OWNER_DIED, (%r8)
	jz	2f
1:	mov	%gs:WIRE_BANK_SELF, %rcx
	mov	%rsi, WIRE_SPANS_RSI(%rcx)
	mov	%rdi, WIRE_SPANS_RDI(%rcx)
	mov	%r10, WIRE_SPANS_R10(%rcx)
	mov	%r11, WIRE_SPANS_R11(%rcx)
span_unmask_saved:
	lea	WIRE_SPANS_MASK(%rcx), %rsi
	xor	%edx, %edx
	movl	$0, WIRE_SPANS_MASKED(%rcx)
	set_mask
	lea	-WIRE_SPANS_MASK(%rsi), %rcx
	mov	WIRE_SPANS_RSI(%rcx), %rsi
	mov	WIRE_SPANS_RDI(%rcx), %rdi
	mov	WIRE_SPANS_R10(%rcx), %r10
	mov	WIRE_SPANS_R11(%rcx), %r11
2:	ret
span_unmasked:
	.section .note.GNU-stack, "", @progbits
