// build: gcc -O2
// build(O0): gcc -O0 -no-pie
// expect: function=entry0 calls=1000
// expect: function=entry3 calls=1000
// expect-process: program=gs_like_stubs state="exited 0"
/*
 * Numbers behind jumps that look like instructions that write the GS selector, as in the
 * stubs of Mono's compiler: some decode, some do not; behind a trap; and in a function
 * that jumps by a table.
 */
#include "lib/test.h"

unsigned entry0(unsigned number);
unsigned entry1(unsigned number);
unsigned entry2(unsigned number);
unsigned entry3(unsigned number);
extern unsigned (*const stub_word)(unsigned number);

KEPT unsigned stub_target(unsigned number);
KEPT unsigned stub_target(unsigned number)
{
	return number + 1;
}

unsigned (*const stub_word)(unsigned number) = stub_target;

#define STUB(name, body)                                                                 \
	".globl " name "\n.type " name ", @function\n" name ":\n" body ".size " name     \
	", . - " name "\n"

__asm__("	.text\n"
	/* mov %edx, %gs; add $0, %al */
	STUB("entry0", "jmp *stub_word(%rip)\n.long 0x0004ea8e\n")
	/* and 4 bytes that end in the middle of an instruction */
	STUB("entry1", "jmp *stub_word(%rip)\n.long 0x0f04ea8e\n")
	/* pop %gs behind a jump to what is in a register */
	STUB("entry2", "mov stub_word(%rip), %rax\njmp *%rax\n.long 0xa90f\n")
		STUB("entry3", "test %edi, %edi\njns 1f\nud2\n.long 0xea8e\n1: lea "
			       "1(%rdi), %eax\nret\n"));

int main(void)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 1000; i++)
		sum += entry0(i) + entry1(i) + entry2(i) + entry3(i);
	printf("%u\n", sum);
	return 0;
}
