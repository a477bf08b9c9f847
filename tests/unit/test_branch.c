#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "x86/branch.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define AT 0x400000u

static int memory_fd;

/* What the processor does: 1 if jcc with this condition jumps under these flags. */
static int jumps(const uint8_t *page, unsigned condition, uint64_t flags)
{
	int (*function)(uint64_t flags);
	uint8_t code[] = {
		0x57,
		0x9d, /* push %rdi; popf */
		(uint8_t)(0x70 | condition),
		6, /* jcc 1f */
		0xb8,
		0,
		0,
		0,
		0,
		0xc3, /* mov $0, %eax; ret */
		0xb8,
		1,
		0,
		0,
		0,
		0xc3, /* 1: mov $1, %eax; ret */
	};

	memcpy((void *)(uintptr_t)page, code, sizeof(code));
	memcpy(&function, &page, sizeof(function));
	return function(flags);
}

static void test_conditions_are_the_processors(void **state)
{
	static const uint64_t bits[] = {1, 4, 0x40, 0x80, 0x800};
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	for (unsigned i = 0; i < 16 * 32; i++) {
		uint8_t near[] = {(uint8_t)(0x70 | (i & 15)), 0x10};
		uint8_t far[] = {0x0f, (uint8_t)(0x80 | (i & 15)), 0, 1, 0, 0};
		struct user_regs_struct registers = {.eflags = 2};

		for (unsigned k = 0; k < 5; k++)
			if (i >> (4 + k) & 1)
				registers.eflags |= bits[k];
		int taken = jumps(page, i & 15, registers.eflags);

		assert_true(branch_emulate(near, 2, AT, memory_fd, &registers));
		assert_int_equal(registers.rip, AT + 2 + (taken ? 0x10 : 0));
		assert_true(branch_emulate(far, 6, AT, memory_fd, &registers));
		assert_int_equal(registers.rip, AT + 6 + (taken ? 0x100 : 0));
	}
	munmap(page, 4096);
}

static void test_loops(void **state)
{
	static const struct {
		uint8_t bytes[3];
		uint8_t length;
		uint64_t rcx, flags, rcx_after;
		int taken;
	} rows[] = {
		{{0xe2, 0xf0}, 2, 2, 0, 1, 1}, /* loop */
		{{0xe2, 0xf0}, 2, 1, 0, 0, 0},
		{{0xe1, 0xf0}, 2, 2, 0x40, 1, 1}, /* loope */
		{{0xe1, 0xf0}, 2, 2, 0, 1, 0},
		{{0xe0, 0xf0}, 2, 2, 0, 1, 1}, /* loopne */
		{{0xe0, 0xf0}, 2, 2, 0x40, 1, 0},
		{{0xe3, 0xf0}, 2, 0, 0, 0, 1}, /* jrcxz */
		{{0xe3, 0xf0}, 2, 1ull << 32, 0, 1ull << 32, 0},
		{{0x67, 0xe3, 0xf0}, 3, 1ull << 32, 0, 1ull << 32, 1}, /* jecxz */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct user_regs_struct registers = {.rcx = rows[i].rcx,
						     .eflags = rows[i].flags};
		uint64_t next = AT + rows[i].length;

		assert_true(branch_emulate(rows[i].bytes, rows[i].length, AT, memory_fd,
					   &registers));
		assert_int_equal(registers.rcx, rows[i].rcx_after);
		assert_int_equal(registers.rip, rows[i].taken ? next - 0x10 : next);
	}
}

static void test_calls_and_returns_use_the_stack(void **state)
{
	static const uint8_t call[] = {0xe8, 0, 1, 0, 0}, ret[] = {0xc3};
	static const uint8_t ret_16[] = {0xc2, 16, 0}, jump[] = {0xeb, 0xfe};
	uint64_t stack[4] = {0};
	struct user_regs_struct registers = {.rsp = (uintptr_t)&stack[2]};

	(void)state;
	assert_true(branch_emulate(call, 5, AT, memory_fd, &registers));
	assert_int_equal(registers.rip, AT + 5 + 0x100);
	assert_int_equal(stack[1], AT + 5);
	assert_int_equal(registers.rsp, (uintptr_t)&stack[1]);
	assert_true(branch_emulate(ret, 1, AT, memory_fd, &registers));
	assert_int_equal(registers.rip, AT + 5);
	assert_int_equal(registers.rsp, (uintptr_t)&stack[2]);
	registers.rsp = (uintptr_t)&stack[1];
	assert_true(branch_emulate(ret_16, 3, AT, memory_fd, &registers));
	assert_int_equal(registers.rsp, (uintptr_t)&stack[4]);
	assert_true(branch_emulate(jump, 2, AT, memory_fd, &registers));
	assert_int_equal(registers.rip, AT);
}

static void test_indirect_branches_read_their_operands(void **state)
{
	static const uint8_t by_register[] = {0x41, 0xff, 0xe3}; /* jmp *%r11 */
	static const uint8_t by_memory[] = {0xff, 0x64, 0xcb,
					    0x08};  /* jmp *8(%rbx,%rcx,8) */
	static const uint8_t call[] = {0xff, 0x10}; /* call *(%rax) */
	uint64_t table[4] = {1, 2, 3, 0x1234}, stack[2] = {0};
	struct user_regs_struct registers = {.r11 = 0xabcdef,
					     .rbx = (uintptr_t)table,
					     .rcx = 2,
					     .rax = (uintptr_t)&table[1],
					     .rsp = (uintptr_t)&stack[2]};

	(void)state;
	assert_true(branch_emulate(by_register, 3, AT, memory_fd, &registers));
	assert_int_equal(registers.rip, 0xabcdef);
	assert_true(branch_emulate(by_memory, 4, AT, memory_fd, &registers));
	assert_int_equal(registers.rip, 0x1234);
	assert_true(branch_emulate(call, 2, AT, memory_fd, &registers));
	assert_int_equal(registers.rip, 2);
	assert_int_equal(stack[1], AT + 2);
}

static void test_others_are_left(void **state)
{
	static const uint8_t nop[] = {0x90}, cut[] = {0xe8, 0, 0}, bad[] = {0x06};
	static const uint8_t unreachable[] = {0xff, 0x20}; /* jmp *(%rax) */
	struct user_regs_struct registers = {.rip = 7, .rax = 8}, before = registers;

	(void)state;
	assert_false(branch_emulate(nop, 1, AT, memory_fd, &registers));
	assert_false(branch_emulate(cut, 3, AT, memory_fd, &registers));
	assert_false(branch_emulate(bad, 1, AT, memory_fd, &registers));
	assert_false(branch_emulate(unreachable, 2, AT, memory_fd, &registers));
	assert_memory_equal(&registers, &before, sizeof(before));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conditions_are_the_processors),
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_calls_and_returns_use_the_stack),
		cmocka_unit_test(test_indirect_branches_read_their_operands),
		cmocka_unit_test(test_others_are_left),
	};

	memory_fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
