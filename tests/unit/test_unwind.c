/* Frames by our own reading of call-frame information against libgcc's. */
#include "wire/unwind.h"

#include "base/vector.h"

#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <link.h>
#include <ucontext.h>
#include <unwind.h>

enum { FRAMES_MAX = 256 };

struct frames {
	size_t count;
	uint64_t items[FRAMES_MAX];
};

struct finding {
	uint64_t pc;
	struct unwind_tables *tables;
};

static int find_in_module(struct dl_phdr_info *info, size_t size, void *context)
{
	const struct finding *finding = context;
	const ElfW(Phdr) *header = NULL;
	bool found = false;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_GNU_EH_FRAME)
			header = segment;
		found |= segment->p_type == PT_LOAD &&
			 finding->pc - info->dlpi_addr - segment->p_vaddr <
				 segment->p_memsz;
	}
	for (int i = 0; found && header && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD ||
		    header->p_vaddr - segment->p_vaddr >= segment->p_filesz)
			continue;
		*finding->tables = (struct unwind_tables){
			.header = info->dlpi_addr + header->p_vaddr,
			.start = start,
			.end = start + segment->p_filesz,
			.bytes = (const uint8_t *)(uintptr_t)start};
		return 1;
	}
	return 0;
}

static bool find_tables(void *context, uint64_t pc, struct unwind_tables *ret_tables)
{
	struct finding finding = {pc, ret_tables};

	(void)context;
	return dl_iterate_phdr(find_in_module, &finding) == 1;
}

static bool find_rule(void *context, uint64_t pc, struct unwind_rule *ret_rule)
{
	struct unwind_tables tables;

	return find_tables(context, pc, &tables) &&
	       unwind_find_rule(&tables, pc, ret_rule);
}

__attribute__((no_sanitize("address"))) static bool
read_word(void *context, uint64_t address, uint64_t *ret_word)
{
	(void)context;
	*ret_word = *(const volatile uint64_t *)(uintptr_t)address;
	return true;
}

static bool read_return(void *context, uint64_t address, uint64_t *ret_pc)
{
	struct frames *frames = context;

	read_word(NULL, address, ret_pc);
	if (frames->count < FRAMES_MAX)
		frames->items[frames->count++] = *ret_pc;
	return true;
}

static _Unwind_Reason_Code note(struct _Unwind_Context *unwinding, void *context)
{
	struct frames *frames = context;

	if (frames->count < FRAMES_MAX)
		frames->items[frames->count++] = _Unwind_GetIP(unwinding);
	return _URC_NO_REASON;
}

static struct unwind_place place_of(const ucontext_t *context)
{
	static const int order[UNWIND_REGISTERS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
		REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
	struct unwind_place place = {.pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP],
				     .exact = true};

	for (int i = 0; i < UNWIND_REGISTERS; i++)
		place.registers[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
	return place;
}

/* libgcc's begin with the function itself, have what a handler interrupted, which is no
 * return address, and may end with 0. */
static void hold_against(const struct frames *mine, const struct frames *others)
{
	size_t found = 0, last = others->count;

	while (last && !others->items[last - 1])
		last--;
	for (size_t i = 0; i < last && found < mine->count; i++)
		found += others->items[i] == mine->items[found];
	assert_int_equal(found, mine->count);
	assert_true(mine->items[mine->count - 1] == others->items[last - 1]);
}

/* The callers of this function by both. */
static __attribute__((noinline)) void compare(size_t at_least)
{
	struct frames mine = {0}, others = {0};
	const struct unwind_view view = {&mine, find_rule, read_word, read_return, NULL};
	ucontext_t here;

	getcontext(&here);
	assert_true(unwind_walk(&view, place_of(&here)) == UNWIND_DONE);
	_Unwind_Backtrace(note, &others);
	assert_true(mine.count >= at_least);
	hold_against(&mine, &others);
}

static __attribute__((noinline)) int recurse(int n)
{
	volatile int kept = n;

	if (n)
		kept += recurse(n - 1);
	else
		compare(20);
	return kept;
}

static __attribute__((noinline)) int with_alloca(int n)
{
	volatile char *bytes = alloca((size_t)n * 24 + 8);

	bytes[0] = (char)n;
	if (n)
		return with_alloca(n - 1) + bytes[0];
	compare(4);
	return 0;
}

static __attribute__((noinline)) int realigned(int n)
{
	volatile int __attribute__((aligned(128))) wide[8];

	wide[n % 8] = n;
	if (n)
		return realigned(n - 1) + wide[n % 8];
	compare(4);
	return 0;
}

static int in_callback(const void *left, const void *right)
{
	compare(3);
	return *(const int *)left - *(const int *)right;
}

static void test_frames(void **state)
{
	int numbers[] = {3, 1, 2};

	(void)state;
	assert_int_equal(recurse(20), 210);
	with_alloca(5);
	realigned(5);
	qsort(numbers, 3, sizeof(*numbers), in_callback);
	assert_int_equal(numbers[0], 1);
}

static volatile sig_atomic_t handled;

static void handler(int signal)
{
	(void)signal;
	compare(3);
	handled++;
}

static void test_handlers(void **state)
{
	static char stack[256 << 10];
	const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = handler};

	(void)state;
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	raise(SIGUSR1);
	assert_int_equal(sigaltstack(&other, NULL), 0);
	action.sa_flags = SA_ONSTACK;
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	raise(SIGUSR1);
	assert_int_equal(handled, 2);
	sigaltstack(&(const stack_t){.ss_flags = SS_DISABLE}, NULL);
}

/* Tables that a stranger wrote, and a stack of them. */
struct damaged {
	struct unwind_tables tables;
	uint64_t stack[64];
};

static bool find_damaged(void *context, uint64_t pc, struct unwind_rule *ret_rule)
{
	return unwind_find_rule(&((const struct damaged *)context)->tables, pc, ret_rule);
}

static bool read_damaged(void *context, uint64_t address, uint64_t *ret_word)
{
	const struct damaged *damaged = context;

	if (address % 8 || address / 8 >= sizeof(damaged->stack) / 8)
		return false;
	*ret_word = damaged->stack[address / 8];
	return true;
}

static uint64_t next_random(uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return *random >> 20;
}

static void test_damaged(void **state)
{
	struct damaged damaged;
	const struct unwind_view view = {&damaged, find_damaged, read_damaged,
					 read_damaged, NULL};
	struct unwind_tables whole;
	uint64_t random = 1, pc = (uint64_t)(uintptr_t)rand;

	(void)state;
	assert_true(find_tables(NULL, pc, &whole));
	uint64_t size = whole.end - whole.start;
	uint8_t *bytes = memory_allocate(size);

	memcpy(bytes, whole.bytes, size);
	damaged.tables = whole;
	damaged.tables.bytes = bytes;
	for (int turn = 0; turn < 20000; turn++) {
		struct unwind_place place = {.pc = pc + next_random(&random) % 100000};

		/* The header first, so that the rest of it is reached, too. */
		for (int i = 0; i < 64; i++)
			bytes[next_random(&random) % size] =
				(uint8_t)next_random(&random);
		memcpy(bytes + (whole.header - whole.start),
		       whole.bytes + (whole.header - whole.start), 12);
		for (int i = 0; i < 64; i++)
			damaged.stack[i] = pc + next_random(&random) % 100000;
		for (int i = 0; i < UNWIND_REGISTERS; i++)
			place.registers[i] = next_random(&random) % 64 * 8;
		unwind_walk(&view, place);
	}
	free(bytes);
}

/* A stack that a program has made: 0 lies where its first function would return to. */
struct made {
	uint64_t words[8];
	size_t asked; /* rules */
};

static bool find_made(void *context, uint64_t pc, struct unwind_rule *ret_rule)
{
	((struct made *)context)->asked++;
	*ret_rule = (struct unwind_rule){.base = UNWIND_RSP, .offset = 8};
	return pc != 0;
}

static bool read_made(void *context, uint64_t address, uint64_t *ret_word)
{
	const struct made *made = context;

	if (address / 8 >= sizeof(made->words) / sizeof(made->words[0]))
		return false;
	*ret_word = made->words[address / 8];
	return true;
}

static void test_made_stack(void **state)
{
	struct made made = {.words = {7, 7, 7, 0, 7, 7, 7, 7}};
	const struct unwind_view view = {&made, find_made, read_made, read_made, NULL};
	const struct unwind_place place = {.pc = 7, .exact = true};

	(void)state;
	assert_true(unwind_walk(&view, place) == UNWIND_DONE);
	assert_int_equal(made.asked, 4);
	/* Without it the walk goes on as far as there is anything. */
	made.words[3] = 7;
	assert_int_equal(unwind_walk(&view, place), sizeof(made.words));
}

/* pop %rbx was the last instruction, pop %rbp is the next; the rules still say that rbx
 * is where it was. */
static bool find_end_rule(void *context, uint64_t pc, struct unwind_rule *ret_rule)
{
	enum { AT_FRAME = 1 };

	(void)context;
	(void)pc;
	*ret_rule = (struct unwind_rule){
		.base = UNWIND_RSP,
		.offset = 16,
		.registers = {{AT_FRAME, 0, -24}, {AT_FRAME, 0, -16}}};
	return true;
}

/* A copy of a stack, from the stack pointer on. */
static bool read_copy(void *context, uint64_t address, uint64_t *ret_word)
{
	const uint64_t *stack = context;

	if (address < 0x1000 || address > 0x1008)
		return false;
	*ret_word = stack[(address - 0x1000) / 8];
	return true;
}

static void test_end_of_function(void **state)
{
	uint64_t stack[] = {66, 0x4321};
	const struct unwind_view view = {stack, find_end_rule, read_copy, read_copy,
					 NULL};
	struct unwind_place place = {
		.pc = 0x1234,
		.exact = true,
		.registers = {
			[UNWIND_RBX] = 33, [UNWIND_RBP] = 5, [UNWIND_RSP] = 0x1000}};
	bool signal;

	(void)state;
	assert_int_equal(unwind_leave(&view, &place, &signal), UNWIND_LEFT);
	assert_int_equal(place.pc, 0x4321);
	assert_int_equal(place.registers[UNWIND_RBX], 33);
	assert_int_equal(place.registers[UNWIND_RBP], 66);
	assert_int_equal(place.registers[UNWIND_RSP], 0x1010);
	/* What lies above must be there. */
	place.registers[UNWIND_RSP] = 0x0ff8;
	assert_int_equal(unwind_leave(&view, &place, &signal), UNWIND_STUCK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames),          cmocka_unit_test(test_handlers),
		cmocka_unit_test(test_damaged),         cmocka_unit_test(test_made_stack),
		cmocka_unit_test(test_end_of_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
