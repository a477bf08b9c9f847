/*
 * Plans: bytes in, bytes out, with the assembly beside them; and what must hold for every
 * plan of the libraries that this machine has.
 */
#include "code/locate/locate.h"
#include "code/plan/plan_rows.h"
#include "code/plan/position.h"
#include "code/plan/request.h"
#include "code/planner/plan_create.h"
#include "image/contents.h"
#include "image/open.h"
#include "plan_image.h"

#include "code/emit/emit.h"
#include "code/emit/probe.h"
#include "code/scan/scan.h"
#include "x86/decode.h"
#include "x86/length.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

enum { TEXT = 0x1000, CODE = 0x100000 };

static void fail_if_error(struct trm_error *error)
{
	if (!error)
		return;
	print_error("%s\n", error->message);
	trm_error_destroy(error);
	fail();
}

static struct plan *make_plan(struct image *image, const struct plan_request *like)
{
	struct plan_request request = like ? *like : (struct plan_request){0};
	struct plan *plan;

	request.image = image;
	request.code_address = image->end + CODE;
	fail_if_error(plan_create(&request, &plan));
	return plan;
}

/* An image of one function that is all of the bytes but for the padding behind it. */
static void one_function(struct image *image, const uint8_t *bytes, size_t size,
			 size_t padding)
{
	plan_image_init(image, TEXT, bytes, size);
	plan_image_add(image, TEXT, size - padding, "f");
}

static void check_bytes(const void *found, const void *wanted, size_t size)
{
	assert_memory_equal(found, wanted, size);
}

/* A displacement as it lies in code. */
static void check_relative(const uint8_t *bytes, uint64_t end, uint64_t target)
{
	int32_t distance;

	memcpy(&distance, bytes, sizeof(distance));
	assert_int_equal(end + (uint64_t)(int64_t)distance, target);
}

static void test_plain(void **state)
{
	static const uint8_t bytes[] = {
		0x48, 0x83, 0xec, 0x08,             /* sub $8, %rsp */
		0x8b, 0x05, 0x10, 0x00, 0x00, 0x00, /* mov 16(%rip), %eax */
		0xe8, 0xf0, 0xff, 0xff, 0x7e,       /* call far away */
		0xc3,
	};
	static const uint8_t probe[] = {0x65, 0x48, 0x83, 0x04, 0x25, 0, 0, 0, 0, 1};
	struct image image;
	struct plan *plan;

	(void)state;
	one_function(&image, bytes, sizeof(bytes), 0);
	plan = make_plan(&image, NULL);
	assert_int_equal(plan->slot_count, 1);
	assert_int_equal(plan->functions.items[0].displaced, 10);
	assert_int_equal(plan->patches.count, 1);
	assert_int_equal(plan->patches.items[0].address, TEXT);
	assert_int_equal(plan->patches.items[0].size, 5);
	assert_int_equal(plan->patches.items[0].bytes[0], 0xe9);
	check_relative(plan->patches.items[0].bytes + 1, TEXT + 5, plan->code_address);
	assert_int_equal(plan->fixups.count, 1);
	assert_int_equal(plan->fixups.items[0].offset, 5);
	assert_int_equal(plan->fixups.items[0].kind, PLAN_FIXUP_SLOT);
	/* addq $1, %gs:slot; sub $8, %rsp; mov there(%rip), %eax; jmp back */
	assert_int_equal(plan->code.count, sizeof(probe) + 4 + 6 + 5);
	check_bytes(plan->code.items, probe, sizeof(probe));
	check_bytes(plan->code.items + 10, bytes, 6);
	check_relative(plan->code.items + 16, plan->code_address + 20, TEXT + 10 + 16);
	assert_int_equal(plan->code.items[20], 0xe9);
	check_relative(plan->code.items + 21, plan->code_address + 25, TEXT + 10);
	plan_destroy(plan);
	plan_image_deinit(&image);
}

static void test_leaf_is_copied(void **state)
{
	static const uint8_t bytes[] = {
		0x48, 0x89, 0xf8, /* mov %rdi, %rax */
		0x48, 0x01, 0xf0, /* add %rsi, %rax */
		0x48, 0xff, 0xc0, /* inc %rax */
		0xc3,             /* ret */
	};
	static const uint8_t flag[] = {0x65, 0xc6, 0x04, 0x25, 0, 0, 0, 0, 1};
	struct plan_request request = {.probe = PLAN_PROBE_FLAG};
	struct image image;
	struct plan *plan;

	(void)state;
	one_function(&image, bytes, sizeof(bytes), 0);
	plan = make_plan(&image, &request);
	assert_int_equal(plan->slot_size, 1);
	assert_int_equal(plan->functions.items[0].displaced, 6);
	assert_int_equal(plan->code.count, sizeof(flag) + sizeof(bytes));
	check_bytes(plan->code.items, flag, sizeof(flag));
	check_bytes(plan->code.items + sizeof(flag), bytes, sizeof(bytes));
	plan_destroy(plan);
	plan_image_deinit(&image);
}

/* Branches ahead lead to the copies, others to the originals; loops are not copied. */
static void test_branches_are_copied(void **state)
{
	static const uint8_t bytes[] = {
		0x31, 0xc0,                      /* 0: xor %eax, %eax */
		0x48, 0x85, 0xff,                /* 2: test %rdi, %rdi */
		0x74, 0x09,                      /* 5: je 16 */
		0x48, 0x39, 0xf7,                /* 7: cmp %rsi, %rdi */
		0x0f, 0x84, 0,    0, 0x10, 0x00, /* 10: je 0x100010 */
		0xff, 0xc0,                      /* 16: inc %eax */
		0xc3,                            /* 18: ret */
	};
	static const uint8_t loop[] = {
		0x31, 0xc0,       /* xor %eax, %eax */
		0x48, 0x85, 0xff, /* test %rdi, %rdi */
		0xff, 0xc0,       /* 1: inc %eax */
		0x48, 0xff, 0xcf, /* dec %rdi */
		0x75, 0xf9,       /* jne 1b */
		0xc3,
	};
	struct image image;
	struct plan *plan;
	const uint8_t *code;

	(void)state;
	one_function(&image, bytes, sizeof(bytes), 0);
	plan = make_plan(&image, NULL);
	assert_int_equal(plan->functions.items[0].displaced, 5);
	assert_int_equal(plan->functions.items[0].copied, sizeof(bytes));
	code = plan->code.items + PROBE_COUNT_SIZE;
	assert_int_equal(plan->code.count, PROBE_COUNT_SIZE + sizeof(bytes) + 4);
	check_bytes(code, bytes, 5);
	check_bytes(code + 5, "\x0f\x84\x09\0\0\0", 6); /* to the copy of 16 */
	check_bytes(code + 14, "\x0f\x84", 2);
	check_relative(code + 16, plan->code_address + PROBE_COUNT_SIZE + 20,
		       TEXT + 0x100010);
	check_bytes(code + 20, "\xff\xc0\xc3", 3);
	plan_destroy(plan);
	plan_image_deinit(&image);

	one_function(&image, loop, sizeof(loop), 0);
	plan = make_plan(&image, NULL);
	assert_int_equal(plan->functions.items[0].copied, 5);
	assert_int_equal(plan->code.count, PROBE_COUNT_SIZE + 5 + 5);
	plan_destroy(plan);
	plan_image_deinit(&image);
}

/* What must not be moved, and what gives no room: each with its reason. */
static void test_reasons(void **state)
{
	static const struct {
		enum plan_reason reason;
		uint8_t size;
		uint8_t bytes[15];
	} rows[] = {
		{PLAN_NOT_MOVABLE, 4, {0x0f, 0x05, 0xc3, 0x90}},       /* syscall */
		{PLAN_NOT_MOVABLE, 4, {0xf3, 0xaa, 0xc3, 0x90}},       /* rep stosb */
		{PLAN_NO_ROOM, 2, {0x0f, 0x0b}},                       /* ud2 */
		{PLAN_NOT_MOVABLE, 3, {0x8e, 0xd8, 0xc3}},             /* mov %eax, %ds */
		{PLAN_NOT_MOVABLE, 3, {0x9d, 0x90, 0xc3}},             /* popf */
		{PLAN_NOT_MOVABLE, 7, {0xc7, 0xf8, 0, 0, 0, 0, 0xc3}}, /* xbegin */
		{PLAN_UNDECODABLE,
		 6,
		 {0x06, 0x90, 0x90, 0x90, 0x90, 0xc3}},                /* push %es */
		{PLAN_UNDECODABLE, 5, {0x90, 0x48, 0x8b, 0x84, 0x24}}, /* cut off */
		{PLAN_NO_ROOM, 1, {0xc3}},
		{PLAN_NO_ROOM, 3, {0x31, 0xc0, 0xc3}},
		/* 1: dec %rdi; nop; jg 1b+3 */
		{PLAN_NO_ROOM, 9, {0x48, 0xff, 0xcf, 0x90, 0x7f, 0xfd, 0x90, 0x90, 0xc3}},
	};
	struct image image;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan *plan;

		one_function(&image, rows[i].bytes, rows[i].size, 0);
		plan = make_plan(&image, NULL);
		if (plan->functions.items[0].reason != rows[i].reason)
			fail_msg("row %zu: %s", i,
				 plan_reason_text(plan->functions.items[0].reason));
		assert_int_equal(plan->patches.count, 0);
		assert_int_equal(plan->slot_count, 0);
		plan_destroy(plan);
		plan_image_deinit(&image);
	}
}

static const uint8_t *original_at(void *context, uint64_t address, size_t size)
{
	return image_bytes_at(context, address, size);
}

static uint8_t hook_f(void *context, const char *name, uint64_t address)
{
	(void)context;
	(void)address;
	return strcmp(name, "f") ? 0 : 7;
}

static bool want_none(void *context, const char *name, uint64_t address)
{
	(void)context;
	(void)address;
	(void)name;
	return false;
}

static void test_hook(void **state)
{
	/* push %rbx; lea 1(%rdi), %eax; inc %eax; then more than is copied */
	static const uint8_t bytes[] = {0x53, 0x8d, 0x47, 0x01, 0xff, 0xc0, 0xe8,
					0,    0,    0,    0,    0x5b, 0xc3};
	static const uint8_t code[] = {
		0x48, 0x8d, 0x64, 0x24, 0x80,             /* lea -128(%rsp), %rsp */
		0x6a, 0x07,                               /* push $7 */
		0x65, 0xff, 0x14, 0x25, 0x28, 0,    0, 0, /* call *%gs:40 */
		0x48, 0x8d, 0xa4, 0x24, 0x88, 0,    0, 0, /* lea 136(%rsp), %rsp */
		0x53, 0x8d, 0x47, 0x01, 0xff, 0xc0,       /* as it was */
	};
	static const struct {
		uint32_t offset;
		enum plan_position_kind kind;
		unsigned stack;
		unsigned original;
	} places[] = {
		{0, PLAN_POSITION_HOOK, 0, 0},       {5, PLAN_POSITION_HOOK, 128, 0},
		{7, PLAN_POSITION_HOOK, 136, 0},     {15, PLAN_POSITION_HOOK, 136, 0},
		{23, PLAN_POSITION_START, 0, 0},     {24, PLAN_POSITION_DISPLACED, 0, 1},
		{27, PLAN_POSITION_DISPLACED, 0, 4}, {29, PLAN_POSITION_BACK, 0, 6},
		{1, PLAN_POSITION_UNKNOWN, 0, 0},    {25, PLAN_POSITION_UNKNOWN, 0, 0},
		{4096, PLAN_POSITION_UNKNOWN, 0, 0},
	};
	struct plan_request request = {
		.hook_of = hook_f, .wanted = want_none, .hook_layout = {.entry = 40}};
	struct image image;
	struct plan *plan;

	(void)state;
	one_function(&image, bytes, sizeof(bytes), 0);
	plan = make_plan(&image, &request);
	assert_int_equal(plan->functions.items[0].reason, PLAN_NOT_WANTED);
	assert_int_equal(plan->functions.items[0].hook, 7);
	assert_int_equal(plan->slot_count, 0);
	assert_int_equal(plan->fixups.count, 0);
	assert_int_equal(plan->code.count, sizeof(code) + 5);
	check_bytes(plan->code.items, code, sizeof(code));
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct plan_position place =
			plan_locate(plan, original_at, &image, places[i].offset);

		assert_int_equal(place.kind, places[i].kind);
		if (place.kind == PLAN_POSITION_UNKNOWN)
			continue;
		assert_int_equal(place.stack, places[i].stack);
		assert_int_equal(place.original, TEXT + places[i].original);
		assert_false(place.inside);
	}
	plan_destroy(plan);
	plan_image_deinit(&image);
}

/* Goroutines' stacks are small: nothing is pushed there that the program does not. */
static void test_goroutine_stacks(void **state)
{
	/* push %rbp; mov %rsp, %rbp; pushf; sub $64, %rsp; then room for an island: a
	 * short jump would leave the pushf where it is */
	static const uint8_t reads[] = {0x55, 0x48, 0x89, 0xe5, 0x9c, 0x48, 0x83,
					0xec, 0x40, 0xc3, 0xcc, 0xcc, 0xcc, 0xcc,
					0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc};
	struct plan_request request = {.hook_of = hook_f, .hook_layout = {.entry = 40}};
	struct image image;
	struct plan *plan;

	(void)state;
	one_function(&image, reads, sizeof(reads), 10);
	for (size_t i = 0; i < 4; i++) {
		bool go = i & 1;

		request.probe = i & 2 ? PLAN_PROBE_FLAG : PLAN_PROBE_COUNT;
		image.functions.items[0].flags =
			go ? IMAGE_FUNCTION_GO : IMAGE_FUNCTION_FDE;
		plan = make_plan(&image, &request);
		assert_int_equal(plan->functions.items[0].reason,
				 i == 1 ? PLAN_NO_STACK : PLAN_INSTRUMENTED);
		assert_int_equal(plan->functions.items[0].hook, go ? 0 : 7);
		plan_destroy(plan);
	}
	plan_image_deinit(&image);
}

/* What may fault below a changed stack stays at its place in Go functions. */
static void test_deep_faults(void **state)
{
	static const struct {
		const char *code;
		size_t size;
		bool deep_entry, deep_copy; /* under the jump; in what would be copied */
	} rows[] = {
		/* push %rbp; mov (%rax), %rcx; mov %rcx, 8(%rsp); ret */
		{"\x55\x48\x8b\x08\x48\x89\x4c\x24\x08\xc3", 10, true, true},
		/* sub $8, %rsp; mov %rbp, (%rsp); mov (%rax), %ecx; leave; ret */
		{"\x48\x83\xec\x08\x48\x89\x2c\x24\x8b\x08\xc9\xc3", 12, false, true},
		/* mov (%rax), %rcx; push %rcx; lea 8(%rax), %rbx; pop %rax; ret */
		{"\x48\x8b\x08\x51\x48\x8d\x58\x08\x58\xc3", 10, false, false},
		/* push %rbp; cmp 16(%r14), %rsp; mov %fs:-8, %rcx; pop %rbp; ret */
		{"\x55\x49\x3b\x66\x10\x64\x48\x8b\x0c\x25\xf8\xff\xff\xff\x5d\xc3", 16,
		 false, false},
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		const struct plan_function *function;
		struct image image;
		struct plan *plan;
		bool go = i & 1;

		one_function(&image, (const uint8_t *)rows[i / 2].code, rows[i / 2].size,
			     0);
		if (go)
			image.functions.items[0].flags = IMAGE_FUNCTION_GO;
		plan = make_plan(&image, NULL);
		function = &plan->functions.items[0];
		if (go && rows[i / 2].deep_entry)
			assert_int_equal(function->reason, PLAN_NOT_MOVABLE);
		else
			assert_int_equal(function->reason, PLAN_INSTRUMENTED);
		if (go && rows[i / 2].deep_copy)
			assert_int_equal(function->copied, function->displaced);
		else
			assert_int_equal(function->copied, rows[i / 2].size);
		plan_destroy(plan);
		plan_image_deinit(&image);
	}
}

/* Any bytes, any functions: no crash, patches that do not overlap. */
static void test_random_bytes(void **state)
{
	uint8_t bytes[4096];
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct image image;
		struct plan *plan;
		uint64_t at = 0;

		for (size_t i = 0; i < sizeof(bytes); i++) {
			seed = seed * 1664525 + 1013904223;
			bytes[i] = (uint8_t)(seed >> 24);
		}
		plan_image_init(&image, TEXT, bytes, sizeof(bytes));
		while (at < sizeof(bytes)) {
			uint64_t size = 1 + bytes[at] % 64;

			if (size > sizeof(bytes) - at)
				size = sizeof(bytes) - at;
			plan_image_add(&image, TEXT + at, size, NULL);
			at += size + bytes[at] / 64;
		}
		plan = make_plan(&image, NULL);
		for (size_t i = 1; i < plan->patches.count; i++)
			assert_true(plan->patches.items[i - 1].address +
					    plan->patches.items[i - 1].size <=
				    plan->patches.items[i].address);
		for (uint32_t i = 0; i < plan->code.count; i++)
			plan_locate(plan, original_at, &image, i);
		plan_destroy(plan);
		plan_image_deinit(&image);
	}
}

/* The class by table is the class by decoding; CLASSIFY_KIND may be set without need. */
static void check_class(const struct classify_tables *tables, const uint8_t *bytes,
			size_t available)
{
	uint32_t wanted = 0, classes[2] = {0};
	struct brief brief;

	if (length_decode(bytes, available, &brief))
		wanted = length_classify_brief(&brief);
	if (available >= CLASSIFY_BYTES)
		classes[0] = length_classify(tables, bytes);
	classes[1] = length_classify_any(tables, bytes, available);
	assert_int_equal(classes[1] != 0, wanted != 0);
	for (int i = 0; i < 2; i++) {
		uint32_t class = classes[i];

		if (!class)
			continue;
		/* Only its user knows how far it may go. */
		if (!wanted && (class & CLASSIFY_LENGTH) > available)
			continue;
		if ((class | CLASSIFY_KIND) != (wanted | CLASSIFY_KIND) ||
		    (wanted & ~class))
			fail_msg("%02x %02x %02x %02x: %#x, not %#x", bytes[0], bytes[1],
				 bytes[2], bytes[3], class, wanted);
	}
}

/* What the tables of common instructions say, Zydis says. */
static void check_decoding(const uint8_t *bytes, size_t available)
{
	struct instruction mine, other;
	bool good = decode_any(bytes, available, TEXT, &other);

	assert_int_equal(decode_instruction(bytes, available, TEXT, &mine), good);
	if (!good)
		return;
	if (mine.length != other.length || mine.kind != other.kind ||
	    mine.displacement != other.displacement || mine.modrm != other.modrm ||
	    mine.condition != other.condition || mine.on_stack != other.on_stack ||
	    mine.fixed != other.fixed || mine.target != other.target ||
	    mine.flags_read != other.flags_read ||
	    mine.flags_written != other.flags_written)
		fail_msg("%02x %02x %02x %02x: not as Zydis has it", bytes[0], bytes[1],
			 bytes[2], bytes[3]);
}

/* Every opcode with every ModRM byte, behind prefixes. */
static void test_classes(void **state)
{
	static const char *const prefixes[] = {
		"",     "\x40",     "\x41",     "\x48",         "\x4f",
		"\x66", "\x66\x48", "\x48\x66", "\x66\x66\x2e", "\x66\x66\x66\x66",
		"\x64", "\x64\x48", "\xf2",     "\xf3\x48",     "\x67",
		"\xf0", "\xc5",     "\x48\x48",
	};
	static const uint8_t sibs[] = {0x24, 0x25, 0xfd, 0x00};
	const struct classify_tables *tables = length_classify_tables();
	uint8_t bytes[24];

	(void)state;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		for (uint32_t j = 0; j < 1u << 19; j++) {
			size_t at = strlen(prefixes[i]);

			memset(bytes, 0x11, sizeof(bytes));
			memcpy(bytes, prefixes[i], at);
			if (j >> 18)
				bytes[at++] = 0x0f;
			bytes[at++] = (uint8_t)(j >> 10);
			bytes[at++] = (uint8_t)(j >> 2);
			bytes[at++] = sibs[j & 3];
			check_class(tables, bytes, sizeof(bytes));
			check_class(tables, bytes, at);
			if ((j & 3) < 2)
				check_decoding(bytes, sizeof(bytes));
		}
	}
}

/* The table decoder and Zydis agree on every function of a real file. */
static void compare_lengths(struct image *image)
{
	const struct classify_tables *tables = length_classify_tables();

	vector_for_each (&image->functions, function) {
		const uint8_t *bytes =
			image_bytes_at(image, function->address, function->size);

		for (size_t at = 0; bytes && at < function->size;) {
			size_t left = function->size - at, length;
			struct instruction instruction;
			struct brief brief;

			length = length_decode(bytes + at, left, &brief);
			check_class(tables, bytes + at, left);
			if (!decode_instruction(bytes + at, left, function->address + at,
						&instruction))
				break; /* data: anything goes */
			if (length != instruction.length && length)
				fail_msg("%#lx: %zu bytes, not %d",
					 (unsigned long)(function->address + at), length,
					 instruction.length);
			assert_true((brief.relative != 0) ==
					    (instruction.displacement != 0) ||
				    !length);
			at += instruction.length;
		}
	}
}

/* Each patch lies in a function or in padding, and nothing leads into its middle. */
static void check_patches(struct image *image, const struct plan *plan)
{
	uint64_t end = 0;
	struct scan scan;

	scan_init(&scan, image, false);
	vector_for_each (&plan->patches, patch) {
		const struct plan_function *function =
			&plan->functions.items[patch->function];
		bool entry = patch->address == function->address ||
			     patch->address == function->address + 4;

		assert_true(patch->address >= end);
		end = patch->address + patch->size;
		assert_non_null(code_map_find(&scan.map, patch->address, patch->size));
		assert_true(function->reason == PLAN_INSTRUMENTED);
		if (entry)
			assert_false(code_map_is_reached(&scan.map, patch->address + 1,
							 patch->size - 1u));
	}
	scan_deinit(&scan);
}

/* A trampoline decodes from its start to an instruction that leaves, each one located. */
static void check_trampoline(const struct image *image, const struct plan *plan,
			     uint32_t index)
{
	const struct plan_function *function = &plan->functions.items[index];
	uint32_t at = function->trampoline;
	struct instruction instruction;
	bool done = false;

	while (!done) {
		struct plan_position place =
			plan_locate(plan, original_at, (void *)(uintptr_t)image, at);

		if (place.kind == PLAN_POSITION_UNKNOWN || place.function != index)
			fail_msg("%#lx: unknown place", (unsigned long)function->address);
		assert_true(at < plan->code.count);
		assert_true(decode_instruction(plan->code.items + at,
					       plan->code.count - at,
					       plan->code_address + at, &instruction));
		assert_false(instruction.fixed);
		/* The short jump inside the expansion of a loop goes on in the
		 * trampoline. */
		done = instruction_leaves(&instruction) &&
		       !(place.inside && instruction.length == 2 &&
			 plan->code.items[at] == 0xeb);
		place = plan_locate(plan, original_at, (void *)(uintptr_t)image, at + 1);
		if (instruction.length > 1)
			assert_int_equal(place.kind, PLAN_POSITION_UNKNOWN);
		at += instruction.length;
	}
}

static void check_file(const char *path)
{
	struct image *image;
	struct plan *plan;
	size_t good = 0;

	if (access(path, R_OK))
		return;
	fail_if_error(image_open(path, NULL, &image));
	plan = make_plan(image, NULL);
	compare_lengths(image);
	check_patches(image, plan);
	assert_int_equal(plan->functions.count, image->functions.count);
	for (uint32_t i = 0; i < plan->functions.count; i++) {
		if (plan->functions.items[i].reason)
			continue;
		assert_int_equal(plan->functions.items[i].slot, good++);
		check_trampoline(image, plan, i);
	}
	assert_int_equal(good, plan->slot_count);
	/* Compilers leave hardly a function without room. */
	assert_true(good * 100 >= plan->functions.count * 98);
	assert_false(plan->uses_gs);
	plan_destroy(plan);
	image_close(image);
}

static void test_real_files(void **state)
{
	static const char *const paths[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib64/ld-linux-x86-64.so.2",
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/bin/python3",
		"/usr/bin/lua5.4",
		"/usr/bin/gzip",
		"/usr/bin/busybox",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		check_file(paths[i]);
}

static bool want_third(void *context, const char *name, uint64_t address)
{
	(void)context;
	(void)name;
	return (address - TEXT) / 16 % 3 == 2;
}

/* Trampolines are found among functions that have none. */
static void test_few_wanted(void **state)
{
	enum { FUNCTIONS = 12, SIZE = 16 };
	static const uint8_t code[SIZE] = {0x48, 0x83, 0xec, 0x08, 0x31, 0xc0,
					   0x48, 0x83, 0xc4, 0x08, 0xc3};
	uint8_t bytes[FUNCTIONS * SIZE];
	struct image image;
	struct plan *plan;

	(void)state;
	for (size_t i = 0; i < FUNCTIONS; i++)
		memcpy(bytes + i * SIZE, code, SIZE);
	plan_image_init(&image, TEXT, bytes, sizeof(bytes));
	for (size_t i = 0; i < FUNCTIONS; i++)
		plan_image_add(&image, TEXT + i * SIZE, 11, "f");
	for (enum plan_depth depth = PLAN_ENTRIES; depth <= PLAN_EDGES; depth++) {
		plan = make_plan(&image, &(const struct plan_request){
						 .depth = depth, .wanted = want_third});
		for (uint32_t i = 2; i < FUNCTIONS; i += 3) {
			struct plan_position place =
				plan_locate(plan, original_at, &image,
					    plan->functions.items[i].trampoline);

			assert_int_equal(plan->functions.items[i].reason,
					 PLAN_INSTRUMENTED);
			assert_int_not_equal(place.kind, PLAN_POSITION_UNKNOWN);
			assert_int_equal(place.function, i);
		}
		plan_destroy(plan);
	}
	plan_image_deinit(&image);
}

/* The blocks of a function in front of bytes that are no code, but would be a jump to an
 * offset of it; 0: it is not relocated whole. */
static uint32_t blocks_beside(uint8_t offset, bool frame)
{
	uint8_t bytes[] = {
		0x48, 0x83, 0xec, 0x08, /* sub $8, %rsp */
		0x31, 0xc0,             /* xor %eax, %eax */
		0x48, 0x83, 0xc4, 0x08, /* add $8, %rsp */
		0xc3, 0x06, 0xeb, (uint8_t)(offset - 14),
	};
	struct image image;
	struct plan *plan;
	uint32_t blocks;

	one_function(&image, bytes, sizeof(bytes), 3);
	if (!frame)
		image.functions.items[0].flags =
			IMAGE_FUNCTION_SYMBOL | IMAGE_FUNCTION_REFERENCED;
	plan = make_plan(&image, &(const struct plan_request){.depth = PLAN_BLOCKS});
	blocks = plan->functions.items[0].map_row_count
			 ? plan->functions.items[0].block_count
			 : 0;
	plan_destroy(plan);
	plan_image_deinit(&image);
	return blocks;
}

/* What only might be a jump leads to an instruction, or it is none; but where nothing
 * says that the function's bytes are all code. */
static void test_jumps_in_data(void **state)
{
	(void)state;
	assert_int_equal(blocks_beside(6, true), 2);
	assert_int_equal(blocks_beside(7, true), 1);
	assert_int_equal(blocks_beside(6, false), 2);
	assert_int_equal(blocks_beside(7, false), 0);
}

/* An operand that is an address has 31 bits: a jump through a table that lies higher
 * would read elsewhere, since the processor extends its sign. */
static enum plan_reason reason_of_address(uint64_t target)
{
	uint8_t code[16];
	struct emitter emitter = {
		.code = code, .capacity = sizeof(code), .address = 0x7fffff00};

	emit_absolute(&emitter, target);
	assert_int_equal(emitter.count, 4);
	return emitter.reason;
}

static void test_absolute(void **state)
{
	(void)state;
	assert_int_equal(reason_of_address(0x7fffffff), 0);
	assert_int_equal(reason_of_address(0x80000000), PLAN_OUT_OF_REACH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jumps_in_data),
		cmocka_unit_test(test_absolute),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_branches_are_copied),
		cmocka_unit_test(test_leaf_is_copied),
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_hook),
		cmocka_unit_test(test_goroutine_stacks),
		cmocka_unit_test(test_deep_faults),
		cmocka_unit_test(test_random_bytes),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_few_wanted),
		cmocka_unit_test(test_real_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
