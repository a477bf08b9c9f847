/* Files whose code may set the GS base, and which functions do. */
#include "code/plan/plan_rows.h"
#include "code/plan/request.h"
#include "code/planner/plan_create.h"
#include "elf_builder.h"
#include "image/gs.h"
#include "image/image.h"
#include "plan_image.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static bool may_set(uint32_t flags, const uint8_t *bytes, size_t size)
{
	struct elf_builder builder;
	struct blob code = {0};
	bool may;

	elf_builder_init(&builder, ET_DYN);
	elf_start_segment(&builder, flags);
	blob_bytes(&code, bytes, size);
	elf_add_section(&builder, ".text", SHT_PROGBITS, SHF_ALLOC, &code, 0);
	elf_finish(&builder, true);
	may = image_may_set_gs(builder.file.items, builder.file.count);
	vector_deinit(&code);
	elf_builder_deinit(&builder);
	return may;
}

static void test_instructions(void **state)
{
	static const struct {
		bool may;
		uint8_t size, bytes[12];
	} rows[] = {
		{true, 5, {0xf3, 0x48, 0x0f, 0xae, 0xd8}},       /* wrgsbase %rax */
		{true, 4, {0xf3, 0x0f, 0xae, 0xdf}},             /* wrgsbase %edi */
		{true, 5, {0xf3, 0x49, 0x0f, 0xae, 0xdb}},       /* wrgsbase %r11 */
		{true, 6, {0x66, 0xf3, 0x48, 0x0f, 0xae, 0xd8}}, /* a prefix too many */
		{false, 5, {0xf3, 0x48, 0x0f, 0xae, 0xd0}},      /* wrfsbase %rax */
		{false, 5, {0xf3, 0x48, 0x0f, 0xae, 0xc8}},      /* rdgsbase %rax */
		{false, 4, {0x48, 0x0f, 0xae, 0xd8}},            /* without f3 */
		{false, 3, {0x0f, 0xae, 0xe8}},                  /* lfence */
		{false, 2, {0x0f, 0xae}},                        /* at the very end */
		/* lfence; wrgsbase %rbx */
		{true, 8, {0x0f, 0xae, 0xe8, 0xf3, 0x48, 0x0f, 0xae, 0xdb}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (may_set(PF_R | PF_X, rows[i].bytes, rows[i].size) != rows[i].may)
			fail_msg("row %zu", i);
	assert_false(may_set(PF_R, rows[0].bytes, rows[0].size));
}

static void test_damaged(void **state)
{
	static const uint8_t bytes[100] = {0x7f, 'E', 'L', 'F'};

	(void)state;
	for (size_t size = 0; size <= sizeof(bytes); size++)
		assert_false(image_may_set_gs(bytes, size));
}

enum { TEXT = 0x1000, CODE = 0x100000 };

/* The plan of one function that is all of the bytes. */
static struct plan *make_plan(struct image *image, struct plan_request request,
			      const uint8_t *bytes, size_t size)
{
	struct plan *plan;

	plan_image_init(image, TEXT, bytes, size);
	plan_image_add(image, TEXT, size, "f");
	request.image = image;
	request.code_address = image->end + CODE;
	assert_null(plan_create(&request, &plan));
	return plan;
}

static void test_uses_gs(void **state)
{
	static const struct {
		bool uses;
		uint8_t bytes[20];
	} rows[] = {
		{true, {0xf3, 0x48, 0x0f, 0xae, 0xd8, 0xc3}},  /* wrgsbase %rax */
		{true, {0xf3, 0x0f, 0xae, 0xd9, 0xc3}},        /* wrgsbase %ecx */
		{true, {0x8e, 0xe8, 0xc3}},                    /* mov %eax, %gs */
		{true, {0x0f, 0xa9, 0xc3}},                    /* pop %gs */
		{true, {0x0f, 0xb5, 0x07, 0xc3}},              /* lgs (%rdi), %eax */
		{false, {0xc3, 0x8e, 0xe8, 0xc3}},             /* behind ret */
		{false, {0xff, 0xe0, 0x8e, 0xe8, 0xc3}},       /* behind jmp *%rax */
		{false, {0xf3, 0x48, 0x0f, 0xae, 0xd0, 0xc3}}, /* wrfsbase %rax */
		{false, {0x0f, 0xae, 0xd8, 0xc3}}, /* a fence-like form of ae */
		/* mov $0x1001, %edi; mov $158, %eax; syscall */
		{true, {0xbf, 1, 0x10, 0, 0, 0xb8, 158, 0, 0, 0, 0x0f, 0x05, 0xc3}},
		/* mov $0x1002, %edi: ARCH_SET_FS */
		{false, {0xbf, 2, 0x10, 0, 0, 0xb8, 158, 0, 0, 0, 0x0f, 0x05, 0xc3}},
		/* mov $158, %edi; mov $0x1001, %esi; call: not of syscall(2) */
		{false,
		 {0xbf, 158, 0, 0, 0, 0xbe, 1, 0x10, 0, 0, 0xe8, 0, 0, 0, 0, 0xc3}},
		/* mov $0x1001, %edi; call: a number, where nothing names arch_prctl */
		{false, {0xbf, 1, 0x10, 0, 0, 0xe8, 0, 0, 0, 0, 0xc3}},
		/* From here on 06 is no instruction: not all of it is code. */
		{true, {0x8e, 0xe8, 0x06}},              /* mov %eax, %gs */
		{false, {0xff, 0x23, 0x8e, 0xe8, 0x06}}, /* behind jmp *(%rbx) */
		{false, {0xff, 0x23, 0x8e, 0xe8, 0xc3, 0x06}},
		/* jne 1f; jmp *(%rbx); mov %eax, %gs; 1: ret */
		{false, {0x75, 4, 0xff, 0x23, 0x8e, 0xe8, 0xc3, 0x06}},
		/* jne 1f; jmp *(%rbx); 1: mov %eax, %gs */
		{true, {0x75, 2, 0xff, 0x23, 0x8e, 0xe8, 0xc3, 0x06}},
		/* jne 1f; jmp *(%rbx); data, which reads as mov (%rdi), %gs and
		 * 00 48 c7; 1: movl $8, 0(%rbp) */
		{false,
		 {0x75, 6, 0xff, 0x23, 0x8e, 0x2f, 0, 0x48, 0xc7, 0x45, 0, 8, 0, 0, 0,
		  0xc3, 0x06}},
		/* The same, but the code writes GS: 1: mov %eax, %gs */
		{true,
		 {0x75, 6, 0xff, 0x23, 0x8e, 0x2f, 0, 0x48, 0x8e, 0xe8, 0xc3, 0x06}},
		/* jne 1f; jmp *(%rbx); data; 1: movq $0x62f8e08, 0(%rbp), which reads as
		 * mov (%rdi), %gs behind a zero */
		{false,
		 {0x75, 5, 0xff, 0x23, 0, 0, 0, 0x48, 0xc7, 0x45, 0, 8, 0x8e, 0x2f, 6,
		  0xc3, 0x06}},
		/* The same, but 1 is not led to */
		{false,
		 {0x90, 0x90, 0xff, 0x23, 0, 0, 0, 0x48, 0xc7, 0x45, 0, 8, 0x8e, 0x2f, 6,
		  0xc3, 0x06}},
	};
	struct image image;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan *plan = make_plan(&image, (struct plan_request){0},
					      rows[i].bytes, sizeof(rows[i].bytes));

		if (plan->uses_gs != rows[i].uses)
			fail_msg("row %zu", i);
		plan_destroy(plan);
		plan_image_deinit(&image);
	}
}

/* What may set GS, and only when it is called: hooks that it gets. */
static void test_may_set_gs(void **state)
{
	enum { CALLED = 3, NAMED, BOTH };
	static const struct {
		uint8_t hook, bytes[24];
	} rows[] = {
		/* mov %rdi, %rax; mov %rsi, %rdi; syscall */
		{BOTH, {0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0x0f, 0x05, 0xc3}},
		/* mov $158, %eax; syscall */
		{NAMED, {0xb8, 158, 0, 0, 0, 0x0f, 0x05, 0xc3}},
		/* mov $0x1001, %eax; xchg %edi, %eax; mov $158, %eax; syscall */
		{CALLED,
		 {0xb8, 1, 0x10, 0, 0, 0x97, 0xb8, 158, 0, 0, 0, 0x0f, 0x05, 0xc3}},
		/* mov (%rdi), %rax; mov 8(%rdi), %rdi; syscall */
		{CALLED, {0x48, 0x8b, 0x07, 0x48, 0x8b, 0x7f, 8, 0x0f, 0x05, 0xc3}},
		/* mov (%rdi), %rax; mov $3, %edi; syscall */
		{0, {0x48, 0x8b, 0x07, 0xbf, 3, 0, 0, 0, 0x0f, 0x05, 0xc3}},
		/* push $3; pop %rax; syscall */
		{0, {0x6a, 3, 0x58, 0x90, 0x90, 0x0f, 0x05, 0xc3}},
		/* mov $202, %ecx; 1: mov %ecx, %eax; mov %rbx, %rcx; syscall; test %eax,
		 * %eax; jne 2f; ret; 2: mov $202, %ecx; jmp 1b */
		{0, {0xb9, 202, 0,    0,    0,   0x89, 0xc8, 0x0f, 0x05, 0x85, 0xc0,
		     0x75, 1,   0xc3, 0xb9, 202, 0,    0,    0,    0xeb, 0xf0}},
		/* lea 8(%rip), %rax; jmp *%rax; int3; wrgsbase %rcx; ret */
		{CALLED,
		 {0x48, 0x8d, 0x05, 8, 0, 0, 0, 0xff, 0xe0, 0xcc, 0xf3, 0x48, 0x0f, 0xae,
		  0xd9, 0xc3}},
	};
	struct image image;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan_request request = {
			.hook_gs = CALLED,
			.hook_gs_code = NAMED,
			.hook_gs_call = BOTH,
		};
		struct plan *plan =
			make_plan(&image, request, rows[i].bytes, sizeof(rows[i].bytes));

		if (plan->functions.items[0].hook != rows[i].hook || plan->uses_gs)
			fail_msg("row %zu: hook %u", i, plan->functions.items[0].hook);
		plan_destroy(plan);
		plan_image_deinit(&image);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_uses_gs),
		cmocka_unit_test(test_may_set_gs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
