#include "code/scan/linear_sweep.h"

#include <string.h>

/* A walk through one span. */
struct lane {
	struct sweep_span *span;
	size_t offset,
		limit; /* where it is; from where on a class can no longer be read */
	bool stuck;    /* the bytes there do not decode */
};

struct road {
	const struct code_segment *segment;
	const struct classify_tables *classify;
	const uint8_t *bytes;
	uint64_t *starts, *notable;
	size_t base;
	uint32_t wanted;
	struct sweep_span *next, *end; /* spans that no lane has taken yet */
};

/* The class of the instruction at an offset; 0 if it does not decode. */
static uint32_t look_closer(const struct road *road, size_t offset)
{
	return length_classify_any(road->classify, road->segment->bytes + offset,
				   road->segment->size - offset);
}

/* Notes an instruction; returns the offset behind it. */
static inline size_t step_over(const struct road *road, size_t offset, uint32_t class)
{
	size_t at = offset - road->base;
	uint64_t notable = (class & road->wanted) != 0;

	bit_set(road->starts, offset);
	road->notable[at >> 6] |= notable << (at & 63);
	return offset + (class & CLASSIFY_LENGTH);
}

/* 0: nothing that decodes. */
static inline uint32_t classify_at(const struct road *road, size_t offset)
{
	uint32_t class = length_classify(road->classify, road->bytes + offset);

	return __builtin_expect(class != 0, true) ? class : look_closer(road, offset);
}

/* Goes on with both lanes until one ends, or finds what does not decode. */
static void walk_both(const struct road *shared, struct lane *one, struct lane *other)
{
	const struct road road = *shared;
	size_t left = one->offset, left_limit = one->limit;
	size_t right = other->offset, right_limit = other->limit;
	uint32_t class = 1, first = 1;

	while (left < left_limit && right < right_limit) {
		first = classify_at(&road, left);
		if (!first)
			break;
		left = step_over(&road, left, first);
		class = classify_at(&road, right);
		if (!class)
			break;
		right = step_over(&road, right, class);
	}
	one->offset = left;
	other->offset = right;
	one->stuck = !first;
	other->stuck = !class;
}

static void walk_one(const struct road *road, struct lane *lane)
{
	while (lane->offset < lane->limit && !lane->stuck) {
		uint32_t class = classify_at(road, lane->offset);

		lane->stuck = !class;
		if (class)
			lane->offset = step_over(road, lane->offset, class);
	}
}

/* The last instruction before `offset` that was walked over. */
static size_t one_before(const struct code_segment *segment, size_t offset)
{
	do
		offset--;
	while (!bit_test(segment->starts, offset));
	return offset;
}

/* The rest of the span, too near its end for classes by table; then its results. */
static void end_lane(const struct road *road, struct lane *lane)
{
	const struct code_segment *segment = road->segment;
	struct sweep_span *span = lane->span;
	uint32_t class = 0;
	size_t at;

	while (lane->offset < span->end && !lane->stuck) {
		class = look_closer(road, lane->offset);
		lane->stuck = !class;
		if (class)
			lane->offset = step_over(road, lane->offset, class);
	}
	if (lane->offset > span->end) {
		/* An instruction that extends beyond the span does not count. */
		lane->offset = one_before(segment, span->end);
		bit_clear(segment->starts, lane->offset);
		bit_clear(road->notable, lane->offset - road->base);
	}
	span->stop = span->last = at = lane->offset;
	while (at > span->start) {
		at = one_before(segment, at);
		if (look_closer(road, at) & CLASSIFY_NOP)
			continue;
		span->last = at;
		return;
	}
}

static bool has_ended(const struct lane *lane)
{
	return lane->stuck || lane->offset >= lane->limit;
}

/* Begins the next span; false if there is none. */
static bool begin_lane(struct road *road, struct lane *lane)
{
	size_t size = road->segment->size;
	size_t sure = size < CLASSIFY_BYTES ? 0 : size - CLASSIFY_BYTES + 1;

	if (road->next == road->end)
		return false;
	lane->span = road->next++;
	lane->stuck = false;
	lane->offset = lane->span->start;
	lane->limit = lane->span->end < sure ? lane->span->end : sure;
	return true;
}

static void open_window(struct linear_sweep *lanes, const struct sweep_span *spans,
			size_t count)
{
	size_t words;

	lanes->base = spans[0].start & ~(size_t)63;
	words = bit_words(spans[count - 1].end - lanes->base);
	vector_reserve(&lanes->notable, words);
	memset(lanes->notable.items, 0, words * sizeof(*lanes->notable.items));
}

void linear_sweep_walk(struct linear_sweep *lanes, const struct code_segment *segment,
		       struct sweep_span *spans, size_t count)
{
	struct road road = {.segment = segment,
			    .classify = length_classify_tables(),
			    .bytes = segment->bytes,
			    .starts = segment->starts,
			    .wanted = lanes->wanted,
			    .next = spans,
			    .end = spans + count};
	struct lane one, other;

	if (!count)
		return;
	open_window(lanes, spans, count);
	road.notable = lanes->notable.items;
	road.base = lanes->base;
	if (!begin_lane(&road, &one))
		return;
	while (begin_lane(&road, &other)) {
		walk_both(&road, &one, &other);
		/* Let `one` be the lane that goes on. */
		if (has_ended(&one)) {
			struct lane ended = one;

			one = other;
			other = ended;
		}
		end_lane(&road, &other);
	}
	walk_one(&road, &one);
	end_lane(&road, &one);
}

void linear_sweep_deinit(struct linear_sweep *lanes)
{
	vector_deinit(&lanes->notable);
}
