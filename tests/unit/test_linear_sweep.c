/* Walking two spans at a time finds what walking one after the other finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "code/scan/linear_sweep.h"

#include <string.h>

enum { SIZE = 1 << 14, SPANS = 64 };

static uint8_t bytes[SIZE];
static uint64_t starts[SIZE / 64 + 1], wanted_starts[SIZE / 64 + 1];
static uint64_t wanted_notable[SIZE / 64 + 1];

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Common instructions, and what is none. */
static void fill(uint32_t *seed)
{
	static const char *const rows[] = {
		"\x90",         "\x55",
		"\x48\x89\xe5", "\x0f\x1f\x44\x11\x11",
		"\x06",         "\x48\x8b\x05\x11\x11\x11\x11",
		"\xeb\x11",     "\xe8\x11\x11\x11\x11",
		"\x66\x90",     "\x48\xb8\x11\x11\x11\x11\x11\x11\x11\x11",
		"\xc3",         "\x48\x8d\x04\x25\x11\x11\x11\x11",
		"\xff\xd0",     "\x66\x0f\x38\x00\xc1",
	};

	for (size_t at = 0; at < SIZE;) {
		/* Rarely what does not decode. */
		size_t row = next_random(seed) % (sizeof(rows) / sizeof(*rows));
		size_t length;

		if (row == 4 && next_random(seed) % 16)
			row = 0;
		length = strlen(rows[row]);
		if (length > SIZE - at)
			length = SIZE - at;
		memcpy(bytes + at, rows[row], length);
		at += length;
	}
}

static size_t make_spans(uint32_t *seed, struct sweep_span *spans)
{
	size_t count = 1 + next_random(seed) % SPANS, made = 0, at = 0;

	for (; made < count && at < SIZE; made++) {
		size_t size = 1 + next_random(seed) % (next_random(seed) % 2 ? 12 : 600);

		/* The last one often ends with the segment. */
		if (size > SIZE - at || (made == count - 1 && next_random(seed) % 2))
			size = SIZE - at;
		spans[made] = (struct sweep_span){.start = at, .end = at + size};
		at += size + (next_random(seed) % 2 ? 0 : next_random(seed) % 70);
	}
	return made;
}

/* One instruction after the other, by decoding alone. */
static void walk_plainly(struct sweep_span *span, uint32_t wanted)
{
	struct brief brief;

	span->last = SIZE;
	span->stop = span->start;
	while (span->stop < span->end) {
		if (!length_decode(bytes + span->stop, SIZE - span->stop, &brief) ||
		    brief.length > span->end - span->stop)
			break;
		bit_set(wanted_starts, span->stop);
		if (length_classify_brief(&brief) & wanted)
			bit_set(wanted_notable, span->stop);
		if (brief.kind != BRIEF_NOP)
			span->last = span->stop;
		span->stop += brief.length;
	}
	if (span->last == SIZE)
		span->last = span->stop;
}

static void compare(const struct linear_sweep *lanes, const struct sweep_span *spans,
		    const struct sweep_span *wanted, size_t count)
{
	assert_memory_equal(starts, wanted_starts, sizeof(starts));
	assert_int_equal(lanes->base, spans[0].start & ~(size_t)63);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(spans[i].stop, wanted[i].stop);
		assert_int_equal(spans[i].last, wanted[i].last);
		for (size_t at = spans[i].start; at < spans[i].end; at++)
			assert_int_equal(bit_test(lanes->notable.items, at - lanes->base),
					 bit_test(wanted_notable, at));
	}
}

static void test_lanes(void **state)
{
	struct code_segment segment = {
		.address = 0x1000, .size = SIZE, .bytes = bytes, .starts = starts};
	struct linear_sweep lanes = {.wanted = CLASSIFY_RELATIVE | CLASSIFY_KIND};
	struct sweep_span spans[SPANS], wanted[SPANS];
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 300; round++) {
		size_t count;

		fill(&seed);
		count = make_spans(&seed, spans);
		memcpy(wanted, spans, sizeof(spans));
		memset(starts, 0, sizeof(starts));
		memset(wanted_starts, 0, sizeof(wanted_starts));
		memset(wanted_notable, 0, sizeof(wanted_notable));
		for (size_t i = 0; i < count; i++)
			walk_plainly(&wanted[i], lanes.wanted);
		linear_sweep_walk(&lanes, &segment, spans, count);
		compare(&lanes, spans, wanted, count);
	}
	linear_sweep_deinit(&lanes);
}

/* Ranges of bits are what bits one by one are. */
static void test_bits(void **state)
{
	uint64_t bits[4] = {0};

	(void)state;
	for (size_t from = 0; from < 192; from++) {
		for (size_t to = from; to <= 192; to++) {
			bits_set(bits, from, to);
			for (size_t i = 0; i < 256; i++)
				assert_int_equal(bit_test(bits, i), i >= from && i < to);
			assert_int_equal(bits_any(bits, 0, from), false);
			assert_int_equal(bits_any(bits, to, 256), false);
			assert_int_equal(bits_any(bits, from / 2, to), to > from);
			assert_int_equal(bits_next(bits, from / 2, 256),
					 to > from ? from : 256);
			bits_clear(bits, from, to);
			assert_int_equal(bits_any(bits, 0, 256), false);
			assert_int_equal(bits_next(bits, from, to), to);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
