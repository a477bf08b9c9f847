/* Instructions of many forms, for the test of their text. They are never run. */
	.text
	.globl att_forms
	.type att_forms, @function
att_forms:
	add	$0x10, %rsp
	and	$-16, %rsp
	addl	$1, 0x14(%r12)
	cmpb	$0x2f, 0(%r13)
	cmpw	$0x656c, 4(%rbx)
	movq	$-1, (%rax)
	mov	$-1, %eax
	movabs	$0x123456789abcdef0, %rax
	movabs	0x123456789abcdef0, %rax
	movzbl	%al, %eax
	movzwl	(%rdi), %eax
	movsbq	(%rdi), %rax
	movslq	%edi, %rdi
	cltq
	cqto
	lea	0(,%rax,8), %rdx
	lea	0(%rax,%rax), %rdx
	mov	%fs:0x28, %rax
	mov	%fs:-8, %rax
	mov	att_forms(%rip), %rax
	call	att_forms
	call	*%rax
	notrack jmp *%rax
	jmp	*8(%rax)
	ja	att_forms
	jrcxz	1f
1:	sete	(%rax)
	cmovg	%ecx, %esi
	shr	%eax
	shll	%cl, (%rdi)
	sarq	$3, 8(%rdi)
	shld	$4, %rax, %rbx
	imul	$0x18, %rax, %rax
	bt	$3, %rax
	btsl	$3, (%rax)
	lock cmpxchg %edx, (%rdi)
	lock decl (%rdi)
	xchg	%ax, %ax
	xchg	%rax, (%rdi)
	nop
	nopl	0(%rax)
	nopw	%cs:0(%rax,%rax)
	.byte	0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
	rep stosq
	rep movsb
	repz cmpsb
	repnz scasb
	lodsl
	enter	$0x10, $0
	leave
	pushf
	push	$-1
	push	8(%rax)
	bswap	%edx
	endbr64
	pause
	rdtsc
	syscall
	ud2
	int3
	repz ret
	/* x87 */
	flds	(%rdi)
	fldl	(%rdi)
	fldt	(%rdi)
	filds	(%rdi)
	fildll	(%rdi)
	fistpll	(%rdi)
	fld	%st(0)
	fxch	%st(1)
	faddp	%st, %st(1)
	fsubp	%st, %st(1)
	fsubrp	%st, %st(1)
	fdivrp	%st, %st(1)
	fsub	%st(2), %st
	fucomi	%st(1), %st
	fnstcw	(%rdi)
	fcmovbe	%st(1), %st
	/* vectors */
	cvtsi2sd %rax, %xmm0
	cvtsi2sdl (%rdi), %xmm0
	movq	%xmm0, %rax
	movd	%xmm0, %eax
	cmpltsd	%xmm1, %xmm0
	pshufd	$0x1b, %xmm0, %xmm1
	pclmulqdq $0x11, %xmm1, %xmm0
	pblendvb %xmm0, %xmm5, %xmm6
	crc32l	%eax, %ecx
	vaddps	(%rdi,%rax,4), %ymm1, %ymm2
	vcmpneq_oqpd %ymm1, %ymm2, %ymm3
	vgatherdps %ymm1, (%rdi,%ymm2,4), %ymm3
	vpcmpeqb %zmm2, %zmm0, %k0
	vpcmpltub %ymm30, %ymm27, %k5
	vpaddd	(%rdi){1to16}, %zmm1, %zmm2
	vmovdqu64 %zmm1, (%rdi){%k1}
	vmovups	(%rsi), %zmm17{%k1}{z}
	kmovd	%k1, %eax
	andn	%rax, %rbx, %rcx
	pext	%rax, %rbx, %rcx
	ret
	.size att_forms, . - att_forms
	.section .note.GNU-stack, "", @progbits
