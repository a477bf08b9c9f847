/*
 * What instructions do with flags: never fewer read than Zydis says, nor more written,
 * over all opcodes and over real libraries; and shifts as the processor has them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "image/contents.h"
#include "image/image.h"
#include "image/open.h"
#include "x86/decode.h"
#include "x86/flags.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bits as in EFLAGS. */
static uint32_t wide(uint8_t flags)
{
	static const uint32_t bits[] = {1, 4, 0x10, 0x40, 0x80, 0x800};
	uint32_t set = 0;

	for (unsigned i = 0; i < 6; i++)
		set |= flags >> i & 1 ? bits[i] : 0;
	return set;
}

static struct {
	size_t all, reads_alike, writes_alike;
} seen;

static void fail_at(const uint8_t *bytes, size_t size, const char *what)
{
	char text[3 * 15 + 1] = "";

	for (size_t i = 0; i < size && i < 15; i++) {
		text[3 * i] = "0123456789abcdef"[bytes[i] >> 4];
		text[3 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
		text[3 * i + 2] = ' ';
	}
	fail_msg("%s: %s", text, what);
}

/* A repeated comparison looks at the zero flag of its own making, which Zydis counts as
 * read. */
static bool is_repeated(const struct brief *brief)
{
	return brief->prefix && !brief->map &&
	       ((brief->opcode & 0xfe) == 0xa6 || (brief->opcode & 0xfe) == 0xae);
}

static void check(const uint8_t *bytes, size_t available)
{
	struct instruction zydis;
	struct flags_effect effect;
	struct brief brief;

	if (!length_decode(bytes, available, &brief) ||
	    !decode_any(bytes, available, 0, &zydis))
		return;
	effect = flags_effect(bytes, &brief);
	assert_int_equal(effect.read & ~FLAGS_ALL, 0);
	assert_int_equal(effect.written & ~FLAGS_ALL, 0);
	if ((zydis.flags_read & ~wide(effect.read)) && !is_repeated(&brief))
		fail_at(bytes, brief.length, "reads more flags");
	if (wide(effect.written) & ~zydis.flags_written)
		fail_at(bytes, brief.length, "writes fewer flags");
	seen.all++;
	seen.reads_alike += zydis.flags_read == wide(effect.read);
	seen.writes_alike += zydis.flags_written == wide(effect.written);
}

/* All ModRM bytes behind an opcode; what follows is `rest`. */
static void check_all_modrm(const uint8_t *start, size_t size, uint8_t rest)
{
	uint8_t bytes[24];

	memset(bytes, rest, sizeof(bytes));
	memcpy(bytes, start, size);
	for (unsigned modrm = 0; modrm < 256; modrm++) {
		bytes[size] = (uint8_t)modrm;
		check(bytes, 15);
	}
}

static void test_all_opcodes(void **state)
{
	static const struct {
		uint8_t bytes[3];
		uint8_t size;
	} prefixes[] =
		{
			{{0}, 0},          {{0x66}, 1},       {{0xf2}, 1},
			{{0xf3}, 1},       {{0x48}, 1},       {{0x4f}, 1},
			{{0x66, 0x48}, 2}, {{0xf3, 0x48}, 2}, {{0xf2, 0x48}, 2},
			{{0xf0}, 1},       {{0x67}, 1},
		},
	  maps[] = {{{0}, 0}, {{0x0f}, 1}, {{0x0f, 0x38}, 2}, {{0x0f, 0x3a}, 2}};

	(void)state;
	for (size_t p = 0; p < sizeof(prefixes) / sizeof(prefixes[0]); p++)
		for (unsigned i = 0; i < 4 * 256; i++) {
			uint8_t bytes[8], size = prefixes[p].size;

			memcpy(bytes, prefixes[p].bytes, size);
			memcpy(bytes + size, maps[i >> 8].bytes, maps[i >> 8].size);
			size = (uint8_t)(size + maps[i >> 8].size);
			bytes[size++] = (uint8_t)i;
			check_all_modrm(bytes, size, i & 1 ? 0 : 0x21);
		}
	assert_true(seen.all > 500000);
}

/* VEX in both forms, and EVEX: maps 0 to 7, all prefixes and lengths. */
static void test_vector_opcodes(void **state)
{
	(void)state;
	seen.all = 0;
	for (unsigned i = 0; i < 8 * 8 * 256; i++) {
		uint8_t pp = i & 7, map = i >> 3 & 7, opcode = (uint8_t)(i >> 6);
		uint8_t two[] = {0xc5, 0xf8 | pp, opcode};
		uint8_t three[] = {0xc4, 0xe0 | map, (uint8_t)(0x78 | pp), opcode};
		uint8_t wider[] = {0xc4, 0xe0 | map, (uint8_t)(0xf8 | pp), opcode};
		uint8_t evex[] = {0x62, 0xf0 | map, 0x7c | (pp & 3), 0x08, opcode};

		if (map == 1)
			check_all_modrm(two, sizeof(two), 0);
		check_all_modrm(three, sizeof(three), 0);
		check_all_modrm(wider, sizeof(wider), 0);
		check_all_modrm(evex, sizeof(evex), 0);
	}
	assert_true(seen.all > 100000);
}

/* What counters depend on: that common instructions are known exactly. */
static void test_common(void **state)
{
	static const struct {
		uint8_t bytes[8];
		uint8_t size, read, written;
	} rows[] = {
		{{0x48, 0x01, 0xd8}, 3, 0, FLAGS_ALL},           /* add */
		{{0x48, 0x11, 0xd8}, 3, FLAGS_CARRY, FLAGS_ALL}, /* adc */
		{{0x48, 0x83, 0xd0, 1}, 4, FLAGS_CARRY, FLAGS_ALL},
		{{0x48, 0x83, 0xc0, 1}, 4, 0, FLAGS_ALL},
		{{0x85, 0xc0}, 2, 0, FLAGS_ALL}, /* test */
		{{0x3c, 0x01}, 2, 0, FLAGS_ALL}, /* cmp */
		{{0xff, 0xc0}, 2, 0, FLAGS_INCREMENT},
		{{0xf7, 0xd0}, 2, 0, 0},         /* not */
		{{0xf7, 0xd8}, 2, 0, FLAGS_ALL}, /* neg */
		{{0xc1, 0xe0, 4}, 3, 0, FLAGS_ALL},
		{{0xc1, 0xe0, 0}, 3, 0, 0},
		{{0xc1, 0xe0, 32}, 3, 0, 0},
		{{0xd1, 0xe0}, 2, 0, FLAGS_ALL},
		{{0xd3, 0xe0}, 2, 0, 0},           /* by cl, perhaps 0 */
		{{0xd1, 0xd0}, 2, FLAGS_CARRY, 0}, /* rcl */
		{{0x89, 0xc3}, 2, 0, 0},
		{{0x8d, 0x43, 0x01}, 3, 0, 0},
		{{0x0f, 0x42, 0xc3}, 3, FLAGS_CARRY, 0}, /* cmovb */
		{{0x0f, 0x97, 0xc0}, 3, FLAGS_CARRY | FLAGS_ZERO, 0},
		{{0x7f, 0x10}, 2, FLAGS_SIGN | FLAGS_OVERFLOW | FLAGS_ZERO, 0},
		{{0x0f, 0x2e, 0xc1}, 3, 0, FLAGS_ALL}, /* ucomiss */
		{{0x0f, 0xaf, 0xc3}, 3, 0, FLAGS_ALL}, /* imul */
		{{0x9f}, 1, FLAGS_ALL & ~FLAGS_OVERFLOW, 0},
		{{0x9c}, 1, FLAGS_ALL, 0}, /* pushf */
		{{0xe1, 0x10}, 2, FLAGS_ZERO, 0},
		{{0xf3, 0xa6}, 2, 0, 0}, /* repe cmpsb: perhaps none */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct flags_effect effect;
		struct brief brief;

		assert_int_equal(length_decode(rows[i].bytes, rows[i].size, &brief),
				 rows[i].size);
		effect = flags_effect(rows[i].bytes, &brief);
		if (effect.read != rows[i].read || effect.written != rows[i].written)
			fail_at(rows[i].bytes, rows[i].size, "another effect");
	}
}

/* rdi: the code of an instruction that changes rax alone; rsi: flags; rdx: rax. */
__asm__(".text\nflags_behind:\n mov %rdx, %rax\n push %rcx\n xor %ecx, %ecx\n push %rsi\n"
	" popf\n call *%rdi\n pushf\n pop %rax\n pop %rcx\n ret\n");
extern uint64_t flags_behind(const void *code, uint64_t flags, uint64_t rax);

/* Shifts: whether flags are lost depends on the count. */
static void check_shift(uint8_t *page, const uint8_t *bytes, size_t size)
{
	const uint64_t all = 0x8d5, defined = 0xc4; /* zero, sign, parity */
	struct flags_effect effect;
	struct brief brief;
	uint32_t written;

	assert_int_equal(length_decode(bytes, size, &brief), size);
	effect = flags_effect(bytes, &brief);
	written = wide(effect.written);
	memcpy(page, bytes, size);
	page[size] = 0xc3;
	for (uint64_t rax = 1, i = 0; i < 5; i++, rax *= 0x123456789abcd) {
		uint64_t clear = flags_behind(page, 2, rax);
		uint64_t set = flags_behind(page, 2 | all, rax);

		if ((clear ^ set) & written & defined)
			fail_at(bytes, size, "keeps flags");
		if ((clear ^ set) & 1 & ~wide(effect.read) & wide(effect.written) &&
		    (bytes[size - 1] & 31) <= 8)
			fail_at(bytes, size, "keeps carry");
	}
}

static void test_shifts_are_the_processors(void **state)
{
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	for (unsigned i = 0; i < 256 * 8; i++) {
		uint8_t modrm = (uint8_t)(0xc0 | (i & 7) << 3), count = (uint8_t)(i >> 3);

		check_shift(page, (const uint8_t[]){0xc0, modrm, count}, 3);
		check_shift(page, (const uint8_t[]){0xc1, modrm, count}, 3);
		check_shift(page, (const uint8_t[]){0x66, 0xc1, modrm, count}, 4);
		check_shift(page, (const uint8_t[]){0x48, 0xc1, modrm, count}, 4);
		check_shift(page, (const uint8_t[]){0x48, 0xd1, modrm}, 3);
		check_shift(page, (const uint8_t[]){0x48, 0xd3, modrm}, 3);
	}
	munmap(page, 4096);
}

static void check_file(const char *path)
{
	struct trm_error *error;
	struct image *image;

	if (access(path, R_OK))
		return;
	error = image_open(path, NULL, &image);
	if (error)
		fail_msg("%s", error->message);
	memset(&seen, 0, sizeof(seen));
	vector_for_each (&image->functions, function) {
		const uint8_t *bytes =
			image_bytes_at(image, function->address, function->size);
		struct brief brief;

		for (size_t at = 0; bytes && at < function->size; at += brief.length) {
			check(bytes + at, function->size - at);
			if (!length_decode(bytes + at, function->size - at, &brief))
				break; /* data: anything goes */
		}
	}
	/* Counters are cheap where flags are known to be dead. */
	assert_true(seen.all > 100);
	assert_true(seen.reads_alike * 1000 >= seen.all * 995);
	assert_true(seen.writes_alike * 100 >= seen.all * 95);
	image_close(image);
}

static void test_real_files(void **state)
{
	static const char *const paths[] = {
		"/proc/self/exe",
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		check_file(paths[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_common),
		cmocka_unit_test(test_all_opcodes),
		cmocka_unit_test(test_vector_opcodes),
		cmocka_unit_test(test_shifts_are_the_processors),
		cmocka_unit_test(test_real_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
