/*
 * Calling routines of tools from the code of points: code/points/recipe_call.h.
 */
#include "resident/assembly.h"

#define FLAG_VECTORS 1 /* bits of rax: RECIPE_CALL_... */
#define FLAG_THREAD  2
#define NUMBER_SHIFT 3
#define BUFFER_SHIFT 16
#define DIRECTION    0x400 /* in the flags register */
#define INSIDE       104   /* WIRE_TOOL_INSIDE */

	.text
/*
 * Calls routine ax >> 3 with the arguments that it finds in their registers, on the
 * stack of the bank, whose state it shares with spans: neither interrupts the other. If
 * it is busy or barred, the routine has no address, or the tracer is dead, nothing is called.
 * Changes rax, r10, r11 and flags, and what the routine changes. Signals that find a thread
 * between tool_call and tool_freed are put off by the tracer; the point's code has them
 * delivered by tool_unmask behind the last of its calls. A thread that cannot go on in
 * the routine is led to tool_back, with the stack pointer that it has there.
 */
	.balign 64
	.globl tool_call, tool_back, tool_freed, tool_unmask, tool_unmasked, tool_last
	.globl tool_replace, tool_replaces, tool_replaced, tool_direct, tool_directed
tool_call:
	test	$WIRE_TOOL_KEEPS, %al
	jnz	6f
8:	lea	resident_start + WIRE_CONTROL_OFFSET(%rip), %r10
	testl	$FUTEX_OWNER_DIED, (%r10)
	jnz	7f
	movzwl	%ax, %r11d
	shr	$NUMBER_SHIFT, %r11d
	mov	WIRE_CONTROL_ROUTINES(%r10, %r11, 8), %r10
	test	%r10, %r10
	jz	7f
	mov	%gs:WIRE_BANK_SELF, %r11
	cmpq	$0, WIRE_SPANS_BUSY(%r11) /* and WIRE_SPANS_BARRED */
	jne	9f
10:	test	$FLAG_THREAD, %al
	jz	1f
	cmpq	$0, WIRE_SPANS_THREAD(%r11)
	je	7f
1:	movl	$1, WIRE_SPANS_BUSY(%r11)
	mov	%rsp, WIRE_SPANS_RSP(%r11)
	lea	WIRE_SPANS_STACK_TOP(%r11), %rsp
	push	%r11
	push	%rax
	pushfq
	push	%r10
	cld
	test	$FLAG_VECTORS | FLAG_THREAD, %al
	jnz	3f
	call	*%r10
	mov	%al, %gs:WIRE_SPANS_DONE
/* Here the routine is over: rsp is 32 bytes below the stack's top. */
tool_back:
	pop	%r10
	pop	%r10
	pop	%rax
	pop	%r11
	test	$FLAG_VECTORS | FLAG_THREAD, %al
	jnz	5f
2:	mov	WIRE_SPANS_RSP(%r11), %rsp
	test	$DIRECTION, %r10d
	jz	1f
	std
1:	movl	$0, WIRE_SPANS_BUSY(%r11)
7:	ret

/* Tools are barred, not the resident's own routine; unless it is busy. */
9:	cmpl	$0, WIRE_SPANS_BUSY(%r11)
	jne	7b
	cmpl	$WIRE_BARRED_TOOLS, WIRE_SPANS_BARRED(%r11)
	jne	7b
	cmp	$WIRE_ROUTINE_OWN << NUMBER_SHIFT, %ax
	jne	7b
	jmp	10b

/* A call for a buffer of the thread, number rax >> 16: with the address of its struct
 * wire_buffer, and all registers kept but rax. The return address lies WIRE_TOOL_KEPT
 * bytes above what is called from here. */
6:	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	mov	%eax, %edi
	shr	$BUFFER_SHIFT, %edi
	imul	$WIRE_BUFFER_SIZE, %edi, %edi
	add	%gs:WIRE_BANK_SELF, %rdi
	add	$WIRE_SPANS_BUFFERS, %rdi
	call	8b
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	ret

/* A routine that was called directly returns here if a signal was put off meanwhile, which
 * comes now. Then the thread goes on in the point's code. */
tool_direct:
	pushq	%gs:WIRE_SPANS_DIRECT
	push	%rax
	push	%r10
	push	%r11
	call	tool_unmask
tool_freed:
	pop	%r11
	pop	%r10
	pop	%rax
	ret
tool_directed:

/* Saves what the routine may change beside general registers. */
3:	push	%rdx
	push	%rax
	test	$FLAG_VECTORS, %al
	jz	4f
	mov	WIRE_SPANS_STATE(%r11), %eax
	xor	%edx, %edx
	test	%eax, %eax
	jz	1f
	xsave64	WIRE_SPANS_VECTORS(%r11)
	jmp	4f
1:	fxsave64 WIRE_SPANS_VECTORS(%r11)
4:	pop	%rax
	pop	%rdx
	test	$FLAG_THREAD, %al
	jz	1f
	rdfsbase %rax
	mov	%rax, WIRE_SPANS_FS(%r11)
	mov	WIRE_SPANS_THREAD(%r11), %rax
	wrfsbase %rax
	movl	$1, %fs:INSIDE
1:	call	*%r10
	mov	%al, %gs:WIRE_SPANS_DONE
	jmp	tool_back

/* Restores it. */
5:	test	$FLAG_THREAD, %al
	jz	1f
	push	%rax
	movl	$0, %fs:INSIDE
	mov	WIRE_SPANS_FS(%r11), %rax
	wrfsbase %rax
	pop	%rax
1:	test	$FLAG_VECTORS, %al
	jz	2b
	push	%rdx
	mov	WIRE_SPANS_STATE(%r11), %eax
	xor	%edx, %edx
	test	%eax, %eax
	jz	1f
	xrstor64 WIRE_SPANS_VECTORS(%r11)
	pop	%rdx
	jmp	2b
1:	fxrstor64 WIRE_SPANS_VECTORS(%r11)
	pop	%rdx
	jmp	2b

/* Behind the last call of a point: the thread's mask becomes what it was before a signal
 * was put off, which comes then. Keeps all but rax, r10, r11 and flags. */
	.balign 16
tool_unmask:
	cmpl	$WIRE_MASKED_SPAN, %gs:WIRE_SPANS_MASKED
	jne	1f
	cmpl	$0, %gs:WIRE_SPANS_BUSY
	jne	1f
	mov	%rcx, %gs:WIRE_SPANS_R10
	mov	%rdx, %gs:WIRE_SPANS_RBX
	mov	%rsi, %gs:WIRE_SPANS_RSI
	mov	%rdi, %gs:WIRE_SPANS_RDI
	mov	%gs:WIRE_BANK_SELF, %rsi
	lea	WIRE_SPANS_MASK(%rsi), %rsi
	xor	%edx, %edx
	movl	$0, %gs:WIRE_SPANS_MASKED
	set_mask
tool_unmasked:
	mov	%gs:WIRE_SPANS_R10, %rcx
	mov	%gs:WIRE_SPANS_RBX, %rdx
	mov	%gs:WIRE_SPANS_RSI, %rsi
	mov	%gs:WIRE_SPANS_RDI, %rdi
tool_last:
1:	ret

/*
 * Called in front of the first instruction of a function that is replaced, where flags are
 * dead: if the routine has made the call, returns to the function's caller. Threads in
 * here are moved on by session/position/replaced.c.
 */
	.balign 16
tool_replace:
	cmpb	$0, %gs:WIRE_SPANS_DONE
	jne	tool_replaces
	ret
tool_replaces:
	movb	$0, %gs:WIRE_SPANS_DONE
	mov	%gs:WIRE_SPANS_RESULT, %rax
	lea	8(%rsp), %rsp
tool_replaced:
	ret
	.section .note.GNU-stack, "", @progbits
