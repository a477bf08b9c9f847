/*
 * Entries of the resident. Nothing in here is relocated: RIP-relative only, and the control
 * page lies behind the image (WIRE_CONTROL_OFFSET).
 */
#define __ASSEMBLER__ 1
#include "wire/layout.h"

#define SYS_mmap           9
#define SYS_close          3
#define SYS_rt_sigprocmask 14
#define SYS_memfd_create   319
#define SIG_SETMASK        2
#define PROT_CODE          5  /* PROT_READ | PROT_EXEC */
#define PROT_DATA          3  /* PROT_READ | PROT_WRITE */
#define MAP_ARENA          0x100001 /* MAP_SHARED | MAP_FIXED_NOREPLACE */

	.section .text.start, "ax", @progbits
	.globl resident_start
resident_start:
	.long resident_end - resident_start
	.long hook - resident_start
	.long hook_saved - resident_start
	.long hook_flags - resident_start
	.long hook_blocked - resident_start
	.long hook_unblocked - resident_start
	.long hook_end - resident_start
	.long inject - resident_start
	.long inject_end - resident_start
	.long finish - resident_start
	.long boot - resident_start
	.long boot_data - resident_start
	.long boot_end - resident_start

/*
 * A trampoline with a hook comes here: rax is in the bank, the way back and the hook's number
 * too. The program's stack is not touched: it may be a coroutine's few hundred bytes.
 * A signal that arrives between hook and hook_blocked, or after hook_unblocked, is seen by the
 * controller first, which moves the thread out of here; it relies on the labels.
 */
	.balign 16
hook:
	mov	%rcx, %gs:WIRE_BANK_RCX
	mov	%rdx, %gs:WIRE_BANK_RDX
	mov	%rbx, %gs:WIRE_BANK_RBX
	mov	%rsp, %gs:WIRE_BANK_RSP
	mov	%rbp, %gs:WIRE_BANK_RBP
	mov	%rsi, %gs:WIRE_BANK_RSI
	mov	%rdi, %gs:WIRE_BANK_RDI
	mov	%r8, %gs:WIRE_BANK_R8
	mov	%r9, %gs:WIRE_BANK_R9
	mov	%r10, %gs:WIRE_BANK_R10
	mov	%r11, %gs:WIRE_BANK_R11
	mov	%r12, %gs:WIRE_BANK_R12
	mov	%r13, %gs:WIRE_BANK_R13
	mov	%r14, %gs:WIRE_BANK_R14
	mov	%r15, %gs:WIRE_BANK_R15
hook_saved:
	mov	%gs:WIRE_BANK_SELF, %rbx
	lea	WIRE_BANK_STACK_TOP(%rbx), %rsp
	pushfq
	popq	WIRE_BANK_FLAGS(%rbx)
hook_flags:
	cld
	cmpl	$0, WIRE_BANK_QUIET(%rbx)
	jne	1f
	mov	$SYS_rt_sigprocmask, %eax
	mov	$SIG_SETMASK, %edi
	lea	all_signals(%rip), %rsi
	lea	WIRE_BANK_MASK(%rbx), %rdx
	mov	$8, %r10d
	syscall
hook_blocked:
	mov	%rbx, %rdi
	call	resident_serve
	mov	$SYS_rt_sigprocmask, %eax
	mov	$SIG_SETMASK, %edi
	lea	WIRE_BANK_MASK(%rbx), %rsi
	xor	%edx, %edx
	mov	$8, %r10d
	syscall
hook_unblocked:
1:	mov	%gs:WIRE_BANK_SELF, %rbx
	lea	WIRE_BANK_STACK_TOP(%rbx), %rsp
	pushq	WIRE_BANK_FLAGS(%rbx)
	popfq
	mov	%gs:WIRE_BANK_RCX, %rcx
	mov	%gs:WIRE_BANK_RDX, %rdx
	mov	%gs:WIRE_BANK_RBX, %rbx
	mov	%gs:WIRE_BANK_RBP, %rbp
	mov	%gs:WIRE_BANK_RSI, %rsi
	mov	%gs:WIRE_BANK_RDI, %rdi
	mov	%gs:WIRE_BANK_R8, %r8
	mov	%gs:WIRE_BANK_R9, %r9
	mov	%gs:WIRE_BANK_R10, %r10
	mov	%gs:WIRE_BANK_R11, %r11
	mov	%gs:WIRE_BANK_R12, %r12
	mov	%gs:WIRE_BANK_R13, %r13
	mov	%gs:WIRE_BANK_R14, %r14
	mov	%gs:WIRE_BANK_R15, %r15
	mov	%gs:WIRE_BANK_RAX, %rax
	mov	%gs:WIRE_BANK_RSP, %rsp
	jmp	*%gs:WIRE_BANK_BACK
hook_end:
all_signals:
	.quad	-1

/*
 * The controller sends a stopped thread here to run the batch in the control page. It blocked
 * all signals before; with the controller gone this code sets the mask right by itself, and
 * goes back with all registers as they were.
 */
	.balign 16
inject:
	mov	%rsp, resident_start + WIRE_CONTROL_OFFSET + 0x50(%rip)
	lea	resident_start + WIRE_CONTROL_OFFSET + WIRE_CONTROL_STACK(%rip), %rsp
	pushfq
	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	cld
	lea	resident_start + WIRE_CONTROL_OFFSET + WIRE_CONTROL_BATCH(%rip), %rdi
	call	resident_run
	mov	$SYS_rt_sigprocmask, %eax
	mov	$SIG_SETMASK, %edi
	lea	resident_start + WIRE_CONTROL_OFFSET + 0x48(%rip), %rsi
	xor	%edx, %edx
	mov	$8, %r10d
	syscall
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	popfq
	mov	resident_start + WIRE_CONTROL_OFFSET + 0x50(%rip), %rsp
	jmp	*resident_start + WIRE_CONTROL_OFFSET + 0x40(%rip)
inject_end:

/*
 * A thread that was in the middle of a trampoline when a signal came is sent through a copy of
 * the instructions that are left, and from there to here, with signals blocked. The controller
 * takes over at the entry to the system call; with the controller gone this sets the mask
 * right and goes back into the trampoline.
 */
	.balign 16
finish:
	mov	%rax, %gs:WIRE_BANK_RAX
	mov	%rcx, %gs:WIRE_BANK_RCX
	mov	%rdx, %gs:WIRE_BANK_RDX
	mov	%rsi, %gs:WIRE_BANK_RSI
	mov	%rdi, %gs:WIRE_BANK_RDI
	mov	%r10, %gs:WIRE_BANK_R10
	mov	%r11, %gs:WIRE_BANK_R11
	mov	%gs:WIRE_BANK_SELF, %rsi
	lea	WIRE_BANK_MASK(%rsi), %rsi
	mov	$SYS_rt_sigprocmask, %eax
	mov	$SIG_SETMASK, %edi
	mov	$0, %edx /* flags are the program's */
	mov	$8, %r10d
	syscall
	mov	%gs:WIRE_BANK_RAX, %rax
	mov	%gs:WIRE_BANK_RCX, %rcx
	mov	%gs:WIRE_BANK_RDX, %rdx
	mov	%gs:WIRE_BANK_RSI, %rsi
	mov	%gs:WIRE_BANK_RDI, %rdi
	mov	%gs:WIRE_BANK_R10, %r10
	mov	%gs:WIRE_BANK_R11, %r11
	jmp	*%gs:WIRE_BANK_BACK

/*
 * The first injection, right after exec, from a copy in the slack behind some text: makes the
 * arena and maps it. It uses the program's stack, on which nothing lies below rsp yet.
 */
	.balign 16
boot:
	pushfq
	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	lea	boot_data + 40(%rip), %rdi
	mov	boot_data + 16(%rip), %rsi
	mov	$SYS_memfd_create, %eax
	syscall
	mov	%eax, %r8d
	mov	boot_data + 24(%rip), %rdi
	mov	$WIRE_RESIDENT_SIZE, %esi
	mov	$PROT_CODE, %edx
	mov	$MAP_ARENA, %r10d
	xor	%r9d, %r9d
	mov	$SYS_mmap, %eax
	syscall
	mov	boot_data + 24(%rip), %rdi
	add	$WIRE_CONTROL_OFFSET, %rdi
	mov	boot_data + 32(%rip), %rsi
	mov	$PROT_DATA, %edx
	mov	$WIRE_CONTROL_OFFSET, %r9d
	mov	$SYS_mmap, %eax
	syscall
	mov	%r8d, %edi
	mov	$SYS_close, %eax
	syscall
	mov	$SYS_rt_sigprocmask, %eax
	mov	$SIG_SETMASK, %edi
	lea	boot_data + 8(%rip), %rsi
	xor	%edx, %edx
	mov	$8, %r10d
	syscall
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	popfq
	jmp	*boot_data(%rip)
	.balign 8
boot_data:
	.fill	48, 1, 0
boot_end:
	.section .note.GNU-stack, "", @progbits
