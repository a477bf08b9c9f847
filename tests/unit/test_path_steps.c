/* Probes of paths, executed by the processor and, instruction by instruction, by
 * path_steps_one: registers, flags and the bank are the same behind them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "code/emit/path_probe.h"
#include "random_graph.h"
#include "session/position/path_steps.h"

#include <asm/prctl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	CODE = 4096,
	BANK = 4096,
	WORDS = 0x100, /* displacement of the function's words */
	TAIL = 0x40,   /* and of what tells that a tail was asked for */
	PATHS = 50,
	ROUNDS = 400,
	STATUS = 0x8d5, /* the status flags */
};

/* What code is entered with, and what it leaves: rax to r15, flags. */
static uint64_t values[17], results[17];
static uint8_t bank[BANK], copy[BANK];
static uint8_t *code;

static const struct plan_path_layout layout = {0x10, 0x18};
static const struct path_words words = {WORDS, &layout};

static void emit(struct emitter *emitter, const char *bytes, size_t size)
{
	emit_bytes(emitter, bytes, size);
}

#define EMIT(bytes) emit(emitter, bytes, sizeof(bytes) - 1)

static void emit_pointer(struct emitter *emitter, const void *pointer)
{
	emit_bytes(emitter, &pointer, sizeof(pointer));
}

/* mov to or from `number` words behind (%rax). */
static void emit_moves(struct emitter *emitter, uint8_t opcode)
{
	for (uint8_t i = 1; i < 16; i++) {
		if (i == 4)
			continue;
		emit_byte(emitter, i < 8 ? 0x48 : 0x4c);
		emit_byte(emitter, opcode);
		emit_byte(emitter, (uint8_t)(0x40 | (i & 7) << 3));
		emit_byte(emitter, (uint8_t)(8 * i));
	}
}

/* Sets registers and flags to `values`. */
static void emit_before(struct emitter *emitter)
{
	EMIT("\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57"); /* push rbx rbp r12-r15 */
	EMIT("\x48\xb8");
	emit_pointer(emitter, values);
	EMIT("\x48\x89\x60\x20");             /* mov %rsp, 32(%rax) */
	EMIT("\xff\xb0\x80\x00\x00\x00\x9d"); /* pushq 128(%rax); popfq */
	emit_moves(emitter, 0x8b);
	EMIT("\x48\x8b\x00"); /* mov (%rax), %rax */
}

/* Writes them to `results`. */
static void emit_behind(struct emitter *emitter)
{
	EMIT("\x48\xa3"); /* movabs %rax, results */
	emit_pointer(emitter, results);
	EMIT("\x48\x89\xe0\x48\xa3"); /* mov %rsp, %rax */
	emit_pointer(emitter, &results[4]);
	EMIT("\x9c\x58\x48\xa3"); /* pushfq; pop %rax */
	emit_pointer(emitter, &results[16]);
	EMIT("\x48\xb8");
	emit_pointer(emitter, results);
	emit_moves(emitter, 0x89);
	EMIT("\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3");
}

/* A probe at random. */
static void emit_probe(struct emitter *emitter, uint64_t *state)
{
	const uint8_t scratches[] = {0, 1, 3, 5, 6, 9, 12, 13, 15, PATH_NO_SCRATCH};
	const uint8_t scratch = scratches[random_below(state, sizeof(scratches))];
	const bool keep = random_below(state, 2);
	const struct path_end end = {
		.increment = (int64_t)random_below(state, 9) - 4,
		.count = PATHS,
		.goes_on = random_below(state, 2),
		.then = (int64_t)random_below(state, 300) - 100,
		.only = random_below(state, 3) ? -1 : (int64_t)random_below(state, PATHS),
		.returns = random_below(state, 2),
	};
	uint32_t branch = 0;

	switch (random_below(state, 5)) {
	case 0:
		path_probe_add(emitter, &words, (int64_t)random_below(state, 600) - 300,
			       keep, scratch);
		break;
	case 1:
		path_probe_end(emitter, &words, &end, keep, scratch);
		break;
	case 2:
		branch = path_probe_begin(emitter, &words, end.then,
					  random_below(state, 2), keep);
		break;
	case 3:
		path_probe_go(emitter, &words, 1 + random_below(state, 100),
			      (int32_t)random_below(state, 3) * 8 - 8);
		break;
	default:
		branch = path_probe_back(emitter, &words);
	}
	if (!branch)
		return;
	/* jmp over what the tail does */
	EMIT("\xeb\x0c");
	int32_t distance = (int32_t)(emitter->count - branch - 4);

	memcpy(emitter->code + branch, &distance, sizeof(distance));
	EMIT("\x65\xc7\x04\x25");
	emit_word32(emitter, TAIL);
	emit_word32(emitter, 1);
}

static void make_values(uint64_t *state)
{
	for (unsigned i = 0; i < 16; i++)
		values[i] = (uint64_t)random_below(state, UINT32_MAX) << 32 |
			    random_below(state, UINT32_MAX);
	values[16] = 0x202 | (random_below(state, 0x1000) & STATUS);
	for (unsigned i = 0; i < BANK; i++)
		bank[i] = (uint8_t)random_below(state, 256);
}

/* Sets the words to what they may be: the sum of a path, or far above all; a function
 * that is away, or not. */
static void make_words(uint64_t *state, uint64_t rsp)
{
	const uint32_t sum =
		random_below(state, 8) ? random_below(state, PATHS) : (uint32_t)PATH_LOST;
	const uint64_t aways[] = {0, rsp, rsp + 16};

	memcpy(bank + WORDS + PATH_WORD, &sum, sizeof(sum));
	memcpy(bank + WORDS + PATH_AWAY, &aways[random_below(state, 3)], sizeof(rsp));
	memset(bank + TAIL, 0, 4);
}

static unsigned long long *registers_of(struct user_regs_struct *r, unsigned number)
{
	unsigned long long *const all[] = {&r->rax, &r->rcx,   &r->rdx, &r->rbx, &r->rsp,
					   &r->rbp, &r->rsi,   &r->rdi, &r->r8,  &r->r9,
					   &r->r10, &r->r11,   &r->r12, &r->r13, &r->r14,
					   &r->r15, &r->eflags};

	return all[number];
}

static void run_steps(uint64_t from, uint64_t to, struct user_regs_struct *registers)
{
	struct path_memory memory = {.bank = copy, .room = BANK, .stack_fd = -1};

	for (unsigned i = 0; i < 17; i++)
		*registers_of(registers, i) = values[i];
	registers->rip = from;
	while (registers->rip != to) {
		assert_in_range(registers->rip, from, to);
		assert_true(path_steps_one((const uint8_t *)registers->rip,
					   to - registers->rip, &memory, registers));
	}
	assert_int_equal(memory.pushed, 0);
}

static void steps_do_what_the_processor_does(void **context)
{
	uint64_t state = 7, tails = 0;

	(void)context;
	code = mmap(NULL, CODE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(code, MAP_FAILED);
	assert_int_equal(syscall(SYS_arch_prctl, ARCH_SET_GS, bank), 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct emitter emitter = {.code = code, .capacity = CODE};
		struct user_regs_struct registers = {0};
		size_t from, to;

		emit_before(&emitter);
		from = emitter.count;
		emit_probe(&emitter, &state);
		to = emitter.count;
		emit_behind(&emitter);
		assert_false(emitter.full);
		make_values(&state);
		/* Where the stack will be: the first call tells. */
		((void (*)(void))(uintptr_t)code)();
		make_values(&state);
		make_words(&state, results[4]);
		memcpy(copy, bank, BANK);
		((void (*)(void))(uintptr_t)code)();
		values[4] = results[4];
		run_steps((uintptr_t)code + from, (uintptr_t)code + to, &registers);
		for (unsigned k = 0; k < 16; k++)
			assert_int_equal(*registers_of(&registers, k), results[k]);
		assert_int_equal(registers.eflags & STATUS, results[16] & STATUS);
		assert_memory_equal(bank, copy, BANK);
		tails += bank[TAIL];
	}
	assert_true(tails > ROUNDS / 20);
	munmap(code, CODE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_do_what_the_processor_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
