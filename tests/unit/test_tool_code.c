/*
 * Code as tools see it, against what objdump shows of the same files.
 */
#include "tool/function_code.h"
#include "x86/insn_class.h"

#include <limits.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

/* A line of objdump. */
struct line {
	uint64_t address, target; /* of a direct branch; else 0 */
};
struct lines VECTOR(struct line);

/* "call   1234 <name>", "bnd jmp 1234 <name+0x5>": the last word before the name. */
static uint64_t read_target(const char *text)
{
	const char *name = strchr(text, '<'), *start = name;
	uint64_t target;
	char *end;

	if (!name || strchr(text, '(') || strchr(text, '#') || name - text < 2)
		return 0;
	for (start = name - 2; start > text && start[-1] != ' '; start--)
		;
	target = strtoull(start, &end, 16);
	return end == name - 1 ? target : 0;
}

static void read_objdump(const char *path, struct lines *lines)
{
	char command[PATH_MAX + 64], text[512];
	FILE *file;

	snprintf(command, sizeof(command),
		 "objdump -d -w --no-show-raw-insn '%s' 2>/dev/null", path);
	file = popen(command, "r");
	assert_non_null(file);
	while (fgets(text, sizeof(text), file)) {
		char *end;
		uint64_t address = strtoull(text, &end, 16);

		if (end == text || end[0] != ':' || end[1] != '\t')
			continue;
		vector_push(lines, ((struct line){address, read_target(end + 2)}));
	}
	pclose(file);
}

static const struct line *find_line(const struct lines *lines, uint64_t address)
{
	size_t low = 0, high = lines->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->items[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < lines->count && lines->items[low].address == address
		       ? &lines->items[low]
		       : NULL;
}

static bool is_direct(const struct trammel_instruction *row)
{
	return row->kind == TRAMMEL_JUMP || row->kind == TRAMMEL_BRANCH ||
	       row->kind == TRAMMEL_CALL;
}

/* objdump's sections are in the order of the file, which is that of addresses. */
static void check_instruction(const struct lines *lines,
			      const struct trammel_instruction *row)
{
	const struct line *line = find_line(lines, row->address);

	assert_non_null(line);
	if (row->pair)
		return;
	if (line + 1 < lines->items + lines->count)
		assert_true(line[1].address >= row->address + row->length);
	if (line + 1 < lines->items + lines->count &&
	    row + 1 < row->block->instructions + row->block->instruction_count)
		assert_int_equal(line[1].address, row[1].address);
	assert_int_equal(row->target, is_direct(row) ? line->target : 0);
	if (!is_direct(row))
		assert_int_equal(row->target, 0);
}

static void check_memory(const struct trammel_instruction *row)
{
	struct insn_class traits;
	unsigned int loads = 0, stores = 0, memories = 0;

	if (row->pair || !insn_class_read(row->bytes, row->length, &traits) ||
	    traits.repeated)
		return;
	for (unsigned int i = 0; i < row->operand_count; i++) {
		const struct trammel_operand *operand = &row->operands[i];

		if (operand->kind != TRAMMEL_OPERAND_MEMORY)
			continue;
		assert_int_equal(operand->memory, memories++);
		loads += operand->reads;
		stores += operand->writes;
	}
	assert_int_equal(memories, row->memory_count);
	assert_int_equal(loads, traits.loads);
	assert_int_equal(stores, traits.stores);
	assert_int_equal(row->op_class, traits.class);
}

static void check_blocks(const struct trammel_code *code)
{
	uint32_t instructions = 0, edges = 0;

	for (uint32_t i = 0; i < code->block_count; i++) {
		const struct trammel_block *block = &code->blocks[i];

		assert_int_equal(block->number, i);
		assert_int_equal(block->address, block->instructions[0].address);
		assert_ptr_equal(block->instructions, code->instructions + instructions);
		instructions += block->instruction_count;
		for (uint32_t j = 0; j < block->edge_count; j++) {
			const struct trammel_edge *edge = &block->edges[j];

			assert_ptr_equal(edge->from, block);
			assert_ptr_equal(edge, code->edges + edges++);
			if (edge->to && edge->kind == TRAMMEL_EDGE_FALL)
				assert_int_equal(edge->to->address,
						 block->address + block->size);
		}
	}
	assert_int_equal(instructions, code->instruction_count);
	assert_int_equal(edges, code->edge_count);
}

/* Returns how many instructions were compared. */
static size_t check_function(const struct lines *lines,
			     const struct trammel_function *function)
{
	const struct trammel_code *code = tool_code_of(function);

	if (!code) {
		assert_non_null(tool_code_trouble(function));
		return 0;
	}
	assert_null(tool_code_trouble(function));
	check_blocks(code);
	for (uint32_t i = 0; i < code->instruction_count; i++) {
		const struct trammel_instruction *row = &code->instructions[i];

		assert_true(row->block->address <= row->address);
		assert_ptr_equal(tool_code_at(code, row->address), row);
		check_instruction(lines, row);
		check_memory(row);
	}
	return code->instruction_count;
}

static void check_file(const char *link, size_t least)
{
	struct tool_module *module;
	char path[PATH_MAX];
	struct lines lines = {0};
	size_t compared = 0;

	if (!realpath(link, path))
		return;
	assert_null(tool_module_open(path, &module));
	read_objdump(path, &lines);
	assert_true(lines.count > least);
	for (uint32_t i = 0; i < module->seen.function_count; i++) {
		compared +=
			check_function(&lines, tool_module_function(&module->seen, i));
		if (i % 256 == 255)
			tool_code_release(module);
	}
	assert_true(compared > least);
	vector_deinit(&lines);
	tool_module_close(module);
}

static void test_objdump(void **state)
{
	(void)state;
	if (system("objdump --version >/dev/null 2>&1") != 0)
		skip();
	check_file("/proc/self/exe", 5000);
	check_file("/bin/ls", 10000);
	check_file("/bin/sh", 10000);
}

/* The C library, with tables, computed gotos and assembly. */
static int find_libc(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	if (!strstr(info->dlpi_name, "/libc.so"))
		return 0;
	snprintf(data, PATH_MAX, "%s", info->dlpi_name);
	return 1;
}

static void test_libc(void **state)
{
	char path[PATH_MAX] = "";

	(void)state;
	if (system("objdump --version >/dev/null 2>&1") != 0 ||
	    !dl_iterate_phdr(find_libc, path))
		skip();
	check_file(path, 200000);
}

/* Switches: each target is a block that an edge of the switch leads to, and all are. */
__attribute__((noinline, used)) int tool_code_switch(int number);
int tool_code_switch(int number)
{
	switch (number) {
	case 0:
		return 17;
	case 1:
		return number * 3 + (int)getpid();
	case 2:
		return getppid();
	case 3:
		return (int)getuid() + 8;
	case 4:
		return (int)getgid() ^ 5;
	case 5:
		return (int)geteuid() * 9;
	default:
		return -1;
	}
}

static const struct trammel_instruction *find_switch(const struct trammel_code *code)
{
	for (uint32_t i = 0; i < code->instruction_count; i++)
		if (code->instructions[i].kind == TRAMMEL_SWITCH)
			return &code->instructions[i];
	return NULL;
}

static void test_switch(void **state)
{
	const struct trammel_function *function;
	const struct trammel_instruction *jump;
	const struct trammel_code *code;
	struct tool_module *module;
	const char *names[] = {"getpid", "getppid", "getuid", "getgid", "geteuid"};
	size_t called = 0;

	(void)state;
	tool_code_switch(2);
	assert_null(tool_module_open("/proc/self/exe", &module));
	function = tool_module_find(&module->seen, "tool_code_switch");
	assert_non_null(function);
	assert_ptr_equal(tool_module_at(&module->seen, function->address + 5), function);
	assert_null(tool_module_find(&module->seen, "no such function"));
	code = tool_code_of(function);
	assert_non_null(code);
	jump = find_switch(code);
	assert_non_null(jump);
	assert_int_equal(jump->target_count, jump->block->edge_count);
	for (uint32_t i = 0; i < jump->target_count; i++)
		assert_int_equal(jump->targets[i], jump->block->edges[i].to->address);
	for (uint32_t i = 0; i < code->instruction_count; i++) {
		const char *name = tool_code_callee_name(&code->instructions[i]);

		for (size_t j = 0; name && j < sizeof(names) / sizeof(*names); j++)
			called += !strcmp(name, names[j]);
	}
	assert_int_equal(called, 5);
	tool_module_close(module);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objdump),
		cmocka_unit_test(test_libc),
		cmocka_unit_test(test_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
