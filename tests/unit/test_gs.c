/* Files whose code may set the GS base. */
#include "elf_builder.h"
#include "image/image.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
