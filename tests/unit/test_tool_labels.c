/*
 * Labels: which points are marked, with which ids, against objdump; and their files.
 */
#include "tool/cycles.h"
#include "tool/function_code.h"
#include "tool/labels_read.h"
#include "tool/mark.h"
#include "tool/summary.h"

#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

/* What a line of objdump says of an instruction. */
enum access { UNSURE, NEITHER, LOADS, STORES, BOTH };

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(word, *words))
			return true;
	return false;
}

/* By the mnemonic and whether the last operand, the destination in this syntax, is in
 * memory. UNSURE for what is not listed. */
static enum access read_access(const char *mnemonic, const char *operands)
{
	static const char *const moves[] = {"mov",    "movl",   "movq",   "movb",
					    "movw",   "movups", "movaps", "movdqa",
					    "movdqu", NULL};
	static const char *const reads[] = {
		"cmp",    "cmpl",   "cmpq",  "cmpb",  "cmpw",   "test", "testb",
		"movzbl", "movslq", "movsd", "testl", "movzwl", NULL};
	static const char *const changes[] = {"add",  "addl", "addq", "sub", "subl",
					      "subq", "and",  "or",   "orl", "andl",
					      "xor",  "orb",  "andb", NULL};
	bool memory = strchr(operands, '(') != NULL;
	bool stored = memory && operands[strlen(operands) - 1] == ')';

	if (!strncmp(mnemonic, "push", 4) || !strcmp(mnemonic, "call"))
		return memory || strchr(operands, '*') ? UNSURE : STORES;
	if (!strcmp(mnemonic, "ret") || !strncmp(mnemonic, "pop", 3))
		return memory || !strncmp(mnemonic, "popcnt", 6) ? UNSURE : LOADS;
	if (!strncmp(mnemonic, "lea", 3) && strcmp(mnemonic, "leave") != 0)
		return NEITHER;
	/* The last two: memory at a constant address. */
	if (strstr(operands, "%fs:") || strstr(operands, ",%st") ||
	    !strncmp(operands, "0x", 2) || strstr(operands, ",0x"))
		return UNSURE;
	if (is_one_of(mnemonic, moves) && memory)
		return stored ? STORES : LOADS;
	if (is_one_of(mnemonic, reads) && memory && strcmp(mnemonic, "movsd") != 0)
		return LOADS;
	if (is_one_of(mnemonic, changes) && memory)
		return stored ? BOTH : LOADS;
	if (mnemonic[0] == 'j' || is_one_of(mnemonic, moves) ||
	    is_one_of(mnemonic, changes))
		return memory || strchr(operands, '*') ? UNSURE : NEITHER;
	return UNSURE;
}

static bool is_condition(const char *mnemonic)
{
	return (mnemonic[0] == 'j' && strcmp(mnemonic, "jmp") != 0) ||
	       !strncmp(mnemonic, "loop", 4);
}

/* How often an address has a label of a kind. */
struct sets {
	struct table counts[TRAMMEL_KINDS];
};

static uint64_t count_at(const struct sets *sets, enum trammel_kind kind,
			 uint64_t address)
{
	uint64_t count = 0;

	return table_find(&sets->counts[kind], address, &count) ? count : 0;
}

static void check_line(const struct sets *sets, uint64_t address, const char *mnemonic,
		       const char *operands)
{
	enum access access = read_access(mnemonic, operands);
	bool loads = access == LOADS || access == BOTH;
	bool stores = access == STORES || access == BOTH;

	assert_int_equal(count_at(sets, TRAMMEL_KIND_CBR, address),
			 is_condition(mnemonic));
	if (access == UNSURE)
		return;
	assert_int_equal(count_at(sets, TRAMMEL_KIND_LOAD, address), loads);
	assert_int_equal(count_at(sets, TRAMMEL_KIND_STORE, address), stores);
}

/* The functions that have labels, as objdump shows them. Returns how many lines were
 * compared. */
static size_t check_objdump(const char *path, const struct tool_module *module,
			    const struct sets *sets)
{
	char command[PATH_MAX + 64], line[512], mnemonic[32], operands[256];
	size_t compared = 0;
	FILE *file;

	snprintf(command, sizeof(command), "objdump -d -w --no-show-raw-insn '%s'", path);
	file = popen(command, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		const struct trammel_function *function;
		uint64_t address;

		operands[0] = '\0';
		if (sscanf(line, " %" SCNx64 ":\t%31s %255s", &address, mnemonic,
			   operands) < 2)
			continue;
		function = tool_module_at(&module->seen, address);
		if (!function || tool_code_trouble(function) ||
		    is_one_of(mnemonic, (const char *const[]){"lock", "rep", "repz",
							      "bnd", "notrack", "data16",
							      "cs", "repnz", NULL}))
			continue;
		check_line(sets, address, mnemonic, operands);
		compared++;
	}
	pclose(file);
	return compared;
}

static void fill_sets(const struct labels *labels, struct sets *sets)
{
	vector_for_each (&labels->modules.items[0].functions, function)
		vector_for_each (&function->items, label)
			++*table_insert(&sets->counts[label->kind], label->address, NULL);
}

/* Ids are each given once, but those of exits that are their entries'. */
static void check_ids(const struct labels *labels)
{
	uint64_t seen = 0;
	struct table ids = {0};

	vector_for_each (&labels->modules, module)
		vector_for_each (&module->functions, function)
			vector_for_each (&function->items, label) {
				bool fresh;

				table_insert(&ids, label->id, &fresh);
				assert_true(label->id < labels->next);
				if (label->kind != TRAMMEL_KIND_EXIT)
					assert_true(fresh);
				seen++;
			}
	assert_true(seen > 100);
	table_deinit(&ids);
}

static char *own_path(void)
{
	return realpath("/proc/self/exe", NULL);
}

static const struct mark_wishes all_kinds = {
	.branches = true,
	.switches = true,
	.blocks = true,
	.loads = true,
	.stores = true,
	.jumps = true,
	.cycles = true,
	.procedures = true,
};

static void test_objdump(void **state)
{
	char *path = own_path();
	struct tool_module *module;
	struct labels labels;
	struct mark_sums sums;
	struct sets sets = {0};

	(void)state;
	if (system("objdump --version >/dev/null 2>&1") != 0)
		skip();
	labels_init(&labels);
	assert_null(tool_module_open(path, &module));
	mark_module(&labels, module, &all_kinds, &sums);
	assert_int_equal(labels.modules.count, 1);
	fill_sets(&labels, &sets);
	assert_true(check_objdump(path, module, &sets) > 5000);
	check_ids(&labels);
	for (size_t i = 0; i < TRAMMEL_KINDS; i++)
		table_deinit(&sets.counts[i]);
	labels_deinit(&labels);
	tool_module_close(module);
	free(path);
}

/* Labels of two files in one, written, read again, and written. */
static void test_cumulative(void **state)
{
	char *path = own_path();
	const struct mark_wishes returns = {
		.procedures = true, .exits = true, .branches = true};
	struct tool_module *own, *shell;
	struct labels labels, again;
	struct text first = {0}, second = {0};
	struct mark_sums sums;
	uint64_t next;

	(void)state;
	labels_init(&labels);
	assert_null(tool_module_open(path, &own));
	assert_null(tool_module_open("/bin/sh", &shell));
	mark_module(&labels, own, &all_kinds, &sums);
	next = labels.next;
	mark_module(&labels, shell, &all_kinds, &sums);
	assert_int_equal(labels.modules.count, 2);
	assert_true(labels.modules.items[1].functions.items[0].items.items[0].id >= next);
	check_ids(&labels);
	labels_write(&labels, &first);
	assert_null(labels_read_memory("first", first.data, first.length, &again));
	labels_write(&again, &second);
	assert_string_equal(first.data, second.data);
	/* The same file again: its labels go. */
	mark_module(&again, shell, &returns, &sums);
	assert_int_equal(again.modules.count, 2);
	assert_int_equal(again.next - labels.next, sums.points);
	labels_deinit(&again);
	labels_deinit(&labels);
	tool_module_close(own);
	tool_module_close(shell);
	text_deinit(&first);
	text_deinit(&second);
	free(path);
}

/* One function, whose points are known. */
__attribute__((noinline, used)) int labels_known(const int *numbers, int which);
int labels_known(const int *numbers, int which)
{
	return which > 3 ? numbers[which] : 0;
}

static const struct label_function *find_function(const struct labels *labels,
						  const char *name)
{
	vector_for_each (&labels->modules.items[0].functions, function)
		if (!strcmp(function->name, name))
			return function;
	return NULL;
}

/* With returns' own ids, or with that of the entry. */
static void check_exits(bool own)
{
	const struct mark_wishes wishes = {
		.procedures = true, .exits = own, .only = "labels_known"};
	char *path = own_path();
	const struct label_function *function;
	struct tool_module *module;
	struct labels labels;
	struct mark_sums sums;

	labels_init(&labels);
	assert_null(tool_module_open(path, &module));
	mark_module(&labels, module, &wishes, &sums);
	function = find_function(&labels, "labels_known");
	assert_non_null(function);
	assert_int_equal(labels.modules.items[0].functions.count, 1);
	assert_int_equal(function->items.items[0].kind, TRAMMEL_KIND_ENTRY);
	assert_true(function->items.count >= 2);
	for (size_t i = 1; i < function->items.count; i++) {
		assert_int_equal(function->items.items[i].kind, TRAMMEL_KIND_EXIT);
		assert_int_equal(function->items.items[i].id,
				 function->items.items[0].id + (own ? i : 0));
	}
	labels_deinit(&labels);
	tool_module_close(module);
	free(path);
}

static void test_exits(void **state)
{
	(void)state;
	labels_known((const int[]){1, 2, 3, 4, 5}, 4);
	check_exits(false);
	check_exits(true);
}

/* Bad files, and the lines that are named. */
static void test_errors(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"", "no file of labels"},
		{"trammel labels", "no file of labels"},
		{"trammel labels 9\n", "line 1: labels of another version"},
		{"trammel labels 1\nfoo 1 entry\n", "line 2: it begins with no known"},
		{"trammel labels 1\ncbr x\n", "line 2: an id"},
		{"trammel labels 1\ncbr 1 before 0x12\n", "line 2: it is of no function"},
		{"trammel labels 1\nfunction 0x1 \"a\"\n", "line 2: it is of no module"},
		{"trammel labels 1\nmodule \"a\n", "line 2: a path in quotes"},
		{"trammel labels 1\nmodule \"a\" zz\n", "line 2: a build id"},
		{"trammel labels 1\nmodule \"a\" -\nfunction 1 \"f\"\nfunction 1 \"f\"\n",
		 "line 4: functions are in the order"},
		{"trammel labels 1\nmodule \"a\" -\nfunction 0x1 \"f\"\ncbr 1 in 0x1\n",
		 "line 4: a place"},
		{"trammel labels 1\nmodule \"a\" -\nfunction 0x1 \"f\"\n"
		 "load 1 before 0x1 operand 4\n",
		 "line 4: the operand"},
		{"trammel labels 1\nmodule \"a\" -\nfunction 0x1 \"f\"\n"
		 "mbr 1 before 0x1 targets args 2\n",
		 "line 4: addresses belong"},
		{"trammel labels 1\nmodule \"a\" -\nfunction 0x1 \"f\"\n"
		 "block 1 before 0x1 args 2 x\n",
		 "line 4: an argument"},
		{"trammel labels 1\nkind cbr \"arg0\"\n", "line 2: no such kind"},
		{"trammel labels 1\nkind mine \"arg0,what\"\n", "line 2: no such kind"},
		{"trammel labels 1\nnext -1\n", "line 2: an id belongs"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct labels labels;
		struct trm_error *error = labels_read_memory(
			"bad", rows[i].text, strlen(rows[i].text), &labels);

		assert_non_null(error);
		if (!strstr(error->message, rows[i].message) ||
		    strchr(error->message, '\n'))
			fail_msg("'%s' is not '%s'", error->message, rows[i].message);
		trm_error_destroy(error);
	}
}

static void test_kinds(void **state)
{
	static const char text[] = "trammel labels 1\n"
				   "kind alloc \"arg0,ret,rdi\"\n"
				   "alloc 4 start args -17 \"a \\\"b\\\"\"\n"
				   "module \"/a b\" 12ab\n"
				   "function 0x10 \"f\"\n"
				   "mbr 7 before 0x12 targets 0x13 0x14 args 5\n"
				   "alloc 9 edge 0x10 0x0\n"
				   "next 20\n";
	struct labels labels;
	struct text again = {0};

	(void)state;
	assert_null(labels_read_memory("kinds", text, strlen(text), &labels));
	assert_int_equal(labels.kinds.count, TRAMMEL_KINDS + 1);
	assert_string_equal(labels.kinds.items[TRAMMEL_KINDS].routine, "_record_alloc");
	assert_int_equal(labels.kinds.items[TRAMMEL_KINDS].value_count, 3);
	assert_int_equal(labels.moments.items[0].arguments.items[0].number, -17);
	assert_string_equal(labels.moments.items[0].arguments.items[1].text, "a \"b\"");
	labels_write(&labels, &again);
	assert_string_equal(again.data, text);
	labels_deinit(&labels);
	text_deinit(&again);
}

/* A block by hand: the third instruction waits for the load, and the fifth one for room.
 */
static void test_cycles(void **state)
{
	static const struct trammel_operand memory = {
		.kind = TRAMMEL_OPERAND_MEMORY, .reads = true, .base = TRAMMEL_RDI};
	struct trammel_instruction rows[7] = {
		{.mnemonic = "mov",
		 .op_class = TRAMMEL_CLASS_MOVE,
		 .operands = &memory,
		 .operand_count = 1,
		 .reads = 1u << TRAMMEL_RDI,
		 .writes = 1u << TRAMMEL_RAX},
		{.mnemonic = "inc",
		 .op_class = TRAMMEL_CLASS_INTEGER,
		 .reads = 1u << TRAMMEL_RCX,
		 .writes = 1u << TRAMMEL_RCX},
		{.mnemonic = "add",
		 .op_class = TRAMMEL_CLASS_INTEGER,
		 .reads = 1u << TRAMMEL_RAX,
		 .writes = 1u << TRAMMEL_RAX},
		{.mnemonic = "nop", .op_class = TRAMMEL_CLASS_NOP},
		{.mnemonic = "nop", .op_class = TRAMMEL_CLASS_NOP},
		{.mnemonic = "nop", .op_class = TRAMMEL_CLASS_NOP},
		{.mnemonic = "nop", .op_class = TRAMMEL_CLASS_NOP},
	};
	const struct trammel_block block = {.instructions = rows, .instruction_count = 7};
	static const uint32_t expected[] = {0, 0, 5, 5, 5, 5, 6};
	uint32_t cycles[7];

	(void)state;
	cycles_schedule(&block, cycles);
	assert_memory_equal(cycles, expected, sizeof(expected));
}

/* All formats have every id; a file of another build is refused. */
static void test_summary(void **state)
{
	const struct mark_wishes wishes = {.blocks = true, .only = "labels_known"};
	char *path = own_path(), line[32];
	struct tool_module *module;
	struct trm_error *error;
	struct labels labels;
	struct mark_sums sums;

	(void)state;
	labels_init(&labels);
	assert_null(tool_module_open(path, &module));
	mark_module(&labels, module, &wishes, &sums);
	assert_true(sums.points >= 1);
	for (int format = SUMMARY_TEXT; format <= SUMMARY_DOT; format++) {
		struct text text = {0};

		assert_null(
			summary_write(&labels, NULL, (enum summary_format)format, &text));
		assert_non_null(strstr(text.data, "labels_known"));
		for (uint64_t id = 1; id < labels.next; id++) {
			snprintf(line, sizeof(line),
				 format == SUMMARY_TEXT   ? "block    %" PRIu64 "  "
				 : format == SUMMARY_JSON ? "\"id\": %" PRIu64 ","
							  : "block %" PRIu64 "\"",
				 id);
			assert_non_null(strstr(text.data, line));
		}
		text_deinit(&text);
	}
	labels.modules.items[0].build_id[0] ^= 1;
	error = summary_write(&labels, NULL, SUMMARY_TEXT, &(struct text){0});
	assert_non_null(error);
	assert_non_null(strstr(error->message, "another build"));
	trm_error_destroy(error);
	labels_deinit(&labels);
	tool_module_close(module);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objdump), cmocka_unit_test(test_cumulative),
		cmocka_unit_test(test_exits),   cmocka_unit_test(test_errors),
		cmocka_unit_test(test_kinds),   cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_summary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
