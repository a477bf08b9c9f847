/* Instructions in AT&T's syntax, against objdump: all of this program. */
#include "x86/disassemble.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A line of objdump: "  401000:\t48 89 e5 \tmov    %rsp,%rbp". */
struct row {
	uint64_t address;
	uint8_t bytes[16];
	size_t size;
	char *text; /* without what it says of symbols */
};

static bool read_row(char *line, struct row *row)
{
	char *at = strchr(line, '\t'), *end;

	if (*line != ' ' || !at)
		return false;
	row->address = strtoull(line, NULL, 16);
	for (row->size = 0, at++; *at != ' ' && *at != '\t' && row->size < 16; at++) {
		row->bytes[row->size++] = (uint8_t)strtoul(at, &end, 16);
		at = end;
	}
	at = strchr(at, '\t');
	if (!at)
		return false;
	row->text = at + 1;
	row->text[strcspn(row->text, "\n")] = '\0';
	return !strstr(row->text, "(bad)");
}

/* Takes the names of symbols out, and blanks at the end. */
static void cut_names(char *text)
{
	char *name = strstr(text, " <");
	size_t length;

	if (name)
		*name = '\0';
	for (length = strlen(text); length && text[length - 1] == ' ';)
		text[--length] = '\0';
}

static void test_against_objdump(void **state)
{
	FILE *lines = popen("objdump -d -w /proc/$PPID/exe", "r");
	char *line = NULL, ours[DISASSEMBLE_TEXT_MAX];
	size_t capacity = 0, count = 0;
	bool forms = false;
	struct row row;

	(void)state;
	assert_non_null(lines);
	while (getline(&line, &capacity, lines) > 0) {
		forms |= strstr(line, "<att_forms>:") != NULL;
		if (!read_row(line, &row))
			continue;
		cut_names(row.text);
		assert_int_equal(disassemble(DISASSEMBLE_ATT, row.bytes, row.size,
					     row.address, ours),
				 row.size);
		if (strcmp(ours, row.text) != 0)
			fail_msg("%lx: '%s', and objdump has '%s'", row.address, ours,
				 row.text);
		count++;
	}
	free(line);
	assert_int_equal(pclose(lines), 0);
	assert_true(forms); /* those of att_forms.S */
	assert_true(count > 1000);
}

static void test_no_instruction(void **state)
{
	char text[DISASSEMBLE_TEXT_MAX];

	(void)state;
	assert_int_equal(
		disassemble(DISASSEMBLE_ATT, (const uint8_t *)"\x06", 1, 0, text), 1);
	assert_string_equal(text, ".byte 0x06");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_objdump),
		cmocka_unit_test(test_no_instruction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
