/* `trammel mix`: what instructions are, and sums of functions in annotated.S. */
#include "record/value.h"
#include "x86/insn_class.h"

#include "profile_maker.h"
#include "run_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int annotated(int number);
int annotated_loop(int number);
int annotated_odd(int number);

/* An instruction, and what is to be said of it. */
struct sample {
	const char *bytes;
	uint8_t class, loads, stores;
	uint16_t load_bytes, store_bytes;
	const char *mnemonic;
};

static const struct sample samples[] = {
	{"48 89 c3", INSN_MOVE, 0, 0, 0, 0, "mov"},
	{"8b 03", INSN_MOVE, 1, 0, 4, 0, "mov"},
	{"66 89 03", INSN_MOVE, 0, 1, 0, 2, "mov"},
	{"0f 45 03", INSN_MOVE, 1, 0, 4, 0, "cmovnz"},
	{"48 8d 43 08", INSN_ADDRESS, 0, 0, 0, 0, "lea"},
	{"50", INSN_STACK, 0, 1, 0, 8, "push"},
	{"ff 33", INSN_STACK, 1, 1, 8, 8, "push"},
	{"c9", INSN_STACK, 1, 0, 8, 0, "leave"},
	{"83 03 01", INSN_INTEGER, 1, 1, 4, 4, "add"},
	{"3b 03", INSN_INTEGER, 1, 0, 4, 0, "cmp"},
	{"48 98", INSN_INTEGER, 0, 0, 0, 0, "cdqe"},
	{"0f af c3", INSN_MULTIPLY, 0, 0, 0, 0, "imul"},
	{"f7 33", INSN_MULTIPLY, 1, 0, 4, 0, "div"},
	{"85 c0", INSN_LOGIC, 0, 0, 0, 0, "test"},
	{"0f 95 03", INSN_LOGIC, 0, 1, 0, 1, "setnz"},
	{"f0 ff 03", INSN_ATOMIC, 1, 1, 4, 4, "inc"},
	{"f0 0f b1 13", INSN_ATOMIC, 1, 1, 4, 4, "cmpxchg"},
	{"87 03", INSN_ATOMIC, 1, 1, 4, 4, "xchg"},
	{"87 d8", INSN_MOVE, 0, 0, 0, 0, "xchg"},
	{"75 00", INSN_CONDITION, 0, 0, 0, 0, "jnz"},
	{"eb 00", INSN_JUMP, 0, 0, 0, 0, "jmp"},
	{"ff 23", INSN_JUMP_INDIRECT, 1, 0, 8, 0, "jmp"},
	{"e8 00 00 00 00", INSN_CALL, 0, 1, 0, 8, "call"},
	{"ff d0", INSN_CALL_INDIRECT, 0, 1, 0, 8, "call"},
	{"c3", INSN_RETURN, 1, 0, 8, 0, "ret"},
	{"a4", INSN_STRING, 1, 1, 1, 1, "movsb"},
	{"f3 48 ab", INSN_STRING, 0, 0, 0, 0, "stosq"},
	{"f2 ae", INSN_STRING, 0, 0, 0, 0, "scasb"},
	{"66 0f 6f 03", INSN_VECTOR_MOVE, 1, 0, 16, 0, "movdqa"},
	{"f3 0f 11 03", INSN_VECTOR_MOVE, 0, 1, 0, 4, "movss"},
	{"f2 0f 58 03", INSN_FP_SCALAR, 1, 0, 8, 0, "addsd"},
	{"f2 0f 2a c0", INSN_FP_SCALAR, 0, 0, 0, 0, "cvtsi2sd"},
	{"c4 e2 f1 a9 13", INSN_FP_SCALAR, 1, 0, 8, 0, "vfmadd213sd"},
	{"0f 58 03", INSN_FP_128, 1, 0, 16, 0, "addps"},
	{"c5 ed 58 d9", INSN_FP_256, 0, 0, 0, 0, "vaddpd"},
	{"62 f1 ed 48 58 03", INSN_FP_512, 1, 0, 64, 0, "vaddpd"},
	{"0f fe c1", INSN_VECTOR_64, 0, 0, 0, 0, "paddd"},
	{"66 0f 38 3d c1", INSN_VECTOR_128, 0, 0, 0, 0, "pmaxsd"},
	{"66 0f ef c0", INSN_VECTOR_128, 0, 0, 0, 0, "pxor"},
	{"c5 ed fe d9", INSN_VECTOR_256, 0, 0, 0, 0, "vpaddd"},
	{"62 f3 75 48 25 d0 01", INSN_VECTOR_512, 0, 0, 0, 0, "vpternlogd"},
	{"db 2b", INSN_X87, 1, 0, 10, 0, "fld"},
	{"66 0f 38 dc c8", INSN_CRYPTO, 0, 0, 0, 0, "aesenc"},
	{"f2 0f 38 f0 d0", INSN_CRYPTO, 0, 0, 0, 0, "crc32"},
	{"0f 1f 03", INSN_NOP, 0, 0, 0, 0, "nop"},
	{"f3 0f 1e fa", INSN_NOP, 0, 0, 0, 0, "endbr64"},
	{"0f 18 0b", INSN_OTHER, 0, 0, 0, 0, "prefetcht0"},
	{"0f 05", INSN_SYSTEM, 0, 0, 0, 0, "syscall"},
	{"0f a2", INSN_SYSTEM, 0, 0, 0, 0, "cpuid"},
};

static void test_traits(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *sample = &samples[i];
		const char *digits = sample->bytes;
		uint8_t bytes[15];
		uint8_t length = 0;
		struct insn_class traits;
		char *end;

		for (; *digits; digits = end)
			bytes[length++] = (uint8_t)strtoul(digits, &end, 16);
		assert_true(insn_class_read(bytes, length, &traits));
		assert_string_equal(insn_mnemonic_name(traits.mnemonic),
				    sample->mnemonic);
		if (traits.length != length || traits.class != sample->class ||
		    traits.loads != sample->loads || traits.stores != sample->stores ||
		    traits.load_bytes != sample->load_bytes ||
		    traits.store_bytes != sample->store_bytes)
			fail_msg("%s (%s): %u bytes, %s, loads %u (%u), stores %u (%u)",
				 sample->mnemonic, sample->bytes, traits.length,
				 insn_class_name(traits.class), traits.loads,
				 traits.load_bytes, traits.stores, traits.store_bytes);
		assert_int_equal(traits.repeated,
				 sample->class == INSN_STRING && !sample->loads);
		assert_false(insn_class_read(bytes, length - 1u, &traits) &&
			     traits.length >= length);
	}
}

/* The loop called 3 times, 50 rounds, 20 of them by the longer way; two processes. */
static void write_profile(bool same_build)
{
	struct maker maker = begin_profile("a.trm", false);

	add_global(&maker, "run.measure", record_string("blocks"));
	for (uint64_t process = 1; process <= 2; process++) {
		add_image(&maker, process, process == 1 ? "/bin/one" : "/bin/two", 1,
			  "exited 0", NULL);
		add_self(&maker, self.path, 100, same_build);
		add_calls(&maker, self.path, "annotated", address_of("annotated"), 5);
		add_own_block(&maker, "annotated", BLOCK(0, 4, 2, 5));
		add_own_block(&maker, "annotated", BLOCK(10, 11, 3, 5));
	}
	add_calls(&maker, self.path, "annotated_loop", address_of("annotated_loop"), 3);
	add_own_block(&maker, "annotated_loop", BLOCK(0, 2, 1, 3));
	add_own_block(&maker, "annotated_loop", BLOCK(2, 6, 2, 50));
	add_own_block(&maker, "annotated_loop", BLOCK(8, 2, 1, 20));
	add_own_block(&maker, "annotated_loop", BLOCK(10, 4, 2, 50));
	add_own_block(&maker, "annotated_loop", BLOCK(14, 1, 1, 3));
	add_calls(&maker, self.path, "annotated_odd", address_of("annotated_odd"), 1);
	end_profile(&maker);
}

static void check_has(const char *words, const char *const *parts)
{
	char *output, *errors;

	assert_int_equal(run_command(&cmd_mix, words, &output, &errors), 0);
	for (; *parts; parts++)
		if (!strstr(output, *parts))
			fail_msg("mix %s: no '%s' in\n%s", words, *parts, output);
	assert_string_equal(errors, "");
	free(output);
	free(errors);
}

static void test_classes(void **state)
{
	(void)state;
	write_profile(true);
	check_command(&cmd_mix, "a.trm", 0,
		      "276 instructions, 13 loads (104 bytes), 10 stores (80 bytes)\n"
		      "110 conditional branches: taken 87, not taken 23\n"
		      "\n"
		      "  Instructions   Share  Loads  Bytes  Stores  Bytes  Class\n"
		      "           110  39.9 %      0      0       0      0  conditional "
		      "branch\n"
		      "            70  25.4 %      0      0       0      0  integer\n"
		      "            60  21.7 %      0      0       0      0  logic\n"
		      "            13   4.7 %      0      0       0      0  move\n"
		      "            13   4.7 %     13    104       0      0  return\n"
		      "            10   3.6 %      0      0      10     80  call\n"
		      "\n"
		      "Executed without counts of blocks, and left out: 1 function\n",
		      "");
}

static void test_rows(void **state)
{
	char block[128];

	(void)state;
	write_profile(true);
	check_has("--by function a.trm",
		  (const char *const[]){"           226  81.9 %      3     24       0    "
					"  0  annotated_loop\n"
					"            50  18.1 %     10     80      10    "
					" 80  annotated\n",
					NULL});
	check_has(
		"--by mnemonic a.trm annotated",
		(const char *const[]){"50 instructions, 10 loads",
				      "            10  20.0 %     10     80       0      "
				      "0  ret\n",
				      NULL});
	check_has("--by program --process 2 a.trm",
		  (const char *const[]){
			  "251 instructions, ",
			  "  100.0 %      8     64       5     40  /bin/two\n", NULL});
	check_has(
		"--by program a.trm *ed",
		(const char *const[]){"            25  50.0 %      5     40       5     "
				      "40  /bin/one\n",
				      NULL});
	snprintf(block, sizeof(block),
		 "  0x%llx  annotated\n"
		 "            20  ",
		 (unsigned long long)address_of("annotated") + 10);
	check_has("--by block --sort stores a.trm annotated",
		  (const char *const[]){block, NULL});
}

static void test_json(void **state)
{
	(void)state;
	write_profile(true);
	check_has("--json --by module a.trm",
		  (const char *const[]){
			  "{\"instructions\": 276, \"loads\": 13, \"load.bytes\": 104, "
			  "\"stores\": 10, \"store.bytes\": 80, \"repeated\": 0, "
			  "\"classes\": {\"move\": 13, \"integer\": 70, \"logic\": 60, "
			  "\"conditional branch\": 110, \"call\": 10, \"return\": 13}, "
			  "\"functions.uncounted\": 1, \"blocks.odd\": 0,\n"
			  "\"rows\": [\n",
			  NULL});
	check_has("--json a.trm",
		  (const char *const[]){"\"branches\": 110, \"branches.taken\": 87, "
					"\"branches.passed\": 23",
					NULL});
}

/* Blocks that are not in the file, and files that are not those that were measured. */
static void test_other_code(void **state)
{
	struct maker maker = begin_profile("a.trm", false);

	(void)state;
	add_image(&maker, 1, self.path, 1, "exited 0", NULL);
	add_self(&maker, self.path, 100, true);
	add_calls(&maker, self.path, "annotated", address_of("annotated"), 5);
	add_own_block(&maker, "annotated", BLOCK(0, 4, 3, 5));
	add_own_block(&maker, "annotated", BLOCK(10, 11, 3, 5));
	add_calls(&maker, "/nowhere/gone.so", "lost", 0x100, 1);
	add_block(&maker, "/nowhere/gone.so", "lost", 0x100, BLOCK(0x100, 4, 2, 1));
	end_profile(&maker);
	check_has("a.trm",
		  (const char *const[]){
			  "15 instructions, ",
			  "Not in the module's file now, and left out: 1 block\n",
			  "Code not looked at: cannot read '/nowhere/gone.so': No such "
			  "file or directory\n",
			  NULL});
	write_profile(false);
	check_has("a.trm", (const char *const[]){"0 instructions, ",
						 "is another build than the one", NULL});
}

static void test_refused(void **state)
{
	(void)state;
	write_profile(true);
	check_command(&cmd_mix, "a.trm a b", 2, "",
		      "trammel: a profile is needed, and perhaps a function: trammel mix "
		      "FILE [FUNCTION]\n");
	check_command(&cmd_mix, "a.trm gone*", 2, "",
		      "trammel: no function 'gone*' was executed: trammel report --all "
		      "shows those that were\n");
	check_command(&cmd_mix, "--by clas a.trm", 2, "",
		      "trammel: --by 'clas' is unknown: did you mean 'class'?\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_traits),  cmocka_unit_test(test_classes),
		cmocka_unit_test(test_rows),    cmocka_unit_test(test_json),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_other_code),
	};

	if (annotated(1) != 7 || annotated_loop(5) != 7 || annotated_odd(1))
		return 1;
	return cmocka_run_group_tests(tests, enter_folder_with_self, leave_folder);
}
