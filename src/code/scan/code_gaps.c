#include "code/scan/code_gaps.h"

#include "base/array.h"
#include "base/search.h"
#include "x86/length.h"

#include <string.h>

/* The least bytes of a gap into which nothing is known to lead; and how often new
 * functions may split those found before. */
enum { GAP = 16, SPLITS_MAX = 16 };

struct gap *gap_at(const struct gaps *gaps, uint64_t address)
{
	size_t low =
		search_first(gaps->count, middle, gaps->items[middle].end <= address);

	if (low == gaps->count || address < gaps->items[low].start)
		return NULL;
	return &gaps->items[low];
}

bool gap_is_entry(const struct gap *gap, uint64_t address)
{
	static const uint8_t marked[4] = {0xf3, 0x0f, 0x1e, 0xfa};
	const uint8_t *bytes = gap_bytes(gap, address);
	size_t size = gap->end - address;
	struct brief brief;

	if (size >= sizeof(marked) && !memcmp(bytes, marked, sizeof(marked))) {
		bytes += sizeof(marked);
		size -= sizeof(marked);
	}
	/* Undecodable code is noticed when it is explored. */
	return !length_decode(bytes, size, &brief) ||
	       (brief.kind != BRIEF_NOP &&
		(brief.kind != BRIEF_JUMP_INDIRECT || brief.modrm != 0x25));
}

/* Sorted ranges that are gone through in step. */
struct cover {
	const struct image_range *items;
	size_t count, next;
};

struct listing {
	struct gaps *gaps;
	const struct scan *scan;
	const struct image *image;
	struct cover covers[3];
	size_t function, section; /* the next ones */
};

/* The next thing that covers code: the one of all that starts first. */
static struct image_range next_cover(struct listing *listing)
{
	const struct image *image = listing->image;
	size_t count = image->functions.count, *next = &listing->function;
	struct image_range first = {UINT64_MAX, UINT64_MAX};
	struct cover *best = NULL;

	while (*next < count &&
	       (image->functions.items[*next].flags & IMAGE_FUNCTION_SIZE_GUESS))
		++*next;
	if (*next < count) {
		const struct image_function *row = &image->functions.items[*next];

		first = (struct image_range){row->address, row->address + row->size};
	}
	for (size_t i = 0; i < 3; i++) {
		struct cover *cover = &listing->covers[i];

		if (cover->next == cover->count ||
		    cover->items[cover->next].start >= first.start)
			continue;
		best = cover;
		first = best->items[best->next];
	}
	if (best)
		best->next++;
	else
		++*next;
	return first;
}

/* Whether something leads to where a function may begin. */
static bool is_named(const struct gap *gap)
{
	const struct code_segment *segment = gap->segment;
	size_t at = gap->start - segment->address, end = gap->end - segment->address;

	for (; (at = bits_next(segment->reached, at, end)) < end; at++)
		if (gap_is_entry(gap, segment->address + at))
			return true;
	return false;
}

/* Adds a gap. Most gaps are padding: small ones count only if something leads into them.
 */
static void add_gap(struct listing *listing, uint64_t start, uint64_t end)
{
	struct gap gap = {.start = start, .end = end};

	gap.segment = code_map_find(&listing->scan->map, start, end - start);
	if (!gap.segment)
		return;
	gap.named = is_named(&gap);
	if (gap.named || end - start >= GAP)
		vector_push(listing->gaps, gap);
}

/* Adds the parts of [start, end) that are in sections of code. */
static void add_gaps(struct listing *listing, uint64_t start, uint64_t end)
{
	const struct image_ranges *code = &listing->image->code;

	while (listing->section < code->count &&
	       code->items[listing->section].end <= start)
		listing->section++;
	for (size_t i = listing->section; i < code->count && code->items[i].start < end;
	     i++) {
		uint64_t from = code->items[i].start, to = code->items[i].end;

		from = from > start ? from : start;
		to = to < end ? to : end;
		if (from < to)
			add_gap(listing, from, to);
	}
}

void gaps_init(struct gaps *gaps, const struct scan *scan, const struct image *image)
{
	struct listing listing = {
		.gaps = gaps,
		.scan = scan,
		.image = image,
		.covers = {{image->cold_parts.items, image->cold_parts.count, 0},
			   {image->plt.items, image->plt.count, 0},
			   {image->untouchable.items, image->untouchable.count, 0}},
	};
	uint64_t at = 0;

	*gaps = (struct gaps){0};
	while (at != UINT64_MAX) {
		struct image_range cover = next_cover(&listing);

		if (cover.start > at)
			add_gaps(&listing, at, cover.start);
		if (cover.end > at)
			at = cover.end;
	}
	vector_for_each (gaps, gap)
		gap->marks = memory_allocate_zeroed(gap->end - gap->start, 1);
}

void gaps_deinit(struct gaps *gaps)
{
	vector_for_each (gaps, gap) {
		free(gap->marks);
		vector_deinit(&gap->roots);
		vector_deinit(&gap->hops);
	}
	vector_deinit(gaps);
}

/* Whether nothing but padding lies in [start, end). */
static bool is_padding(const struct gap *gap, uint64_t start, uint64_t end)
{
	struct brief brief;

	while (start < end) {
		if (*gap_bytes(gap, start) == 0) {
			start++;
			continue;
		}
		if (!length_decode(gap_bytes(gap, start), end - start, &brief) ||
		    brief.kind != BRIEF_NOP)
			return false;
		start += brief.length;
	}
	return true;
}

/*
 * The end of the explored code in [start, limit); 0 if it is not contiguous. With `all`
 * nothing else may be in that range.
 */
static uint64_t end_of(const struct gap *gap, uint64_t start, uint64_t limit, bool all)
{
	uint64_t end = start, at = start;

	while (at < limit) {
		uint64_t hole = at;

		while (at < limit && !(*gap_mark(gap, at) & (MARK_START | MARK_INSIDE)))
			at++;
		if (at > hole && (all || at < limit) && !is_padding(gap, hole, at))
			return 0;
		while (at < limit && (*gap_mark(gap, at) & (MARK_START | MARK_INSIDE)))
			end = ++at;
	}
	return end;
}

COMPARE_BY(by_address, struct root, address);

/* The root of the code at `address`: the last one before it, of the first `count`; -1 if
 * there is none. */
static ptrdiff_t root_of(const struct gap *gap, size_t count, uint64_t address)
{
	size_t low =
		search_first(count, middle, gap->roots.items[middle].address <= address);

	return (ptrdiff_t)low - 1;
}

static void sort_roots(struct gap *gap)
{
	if (gap->roots.count)
		qsort(gap->roots.items, gap->roots.count, sizeof(*gap->roots.items),
		      by_address);
}

COMPARE_BY(by_target, struct hop, to);

/* Whether the branches [first, end) to one address are tail calls of a function: they
 * jump over the entry of another root, and no code in front falls through to their
 * target. `roots`: number of sorted roots. */
static bool is_tail_called(const struct gap *gap, size_t roots, const struct hop *first,
			   const struct hop *end)
{
	ptrdiff_t own = root_of(gap, roots, first->to);

	if (*gap_mark(gap, first->to) & (MARK_ROOT | MARK_BEHIND))
		return false;
	for (const struct hop *hop = first; hop < end; hop++)
		if (!hop->jump || root_of(gap, roots, hop->from) == own)
			return false;
	return true;
}

/* Adds functions to which other explored functions jump; false if there is none. */
static bool split_once(struct gap *gap)
{
	const struct hop *end = gap->hops.items + gap->hops.count;
	size_t roots = gap->roots.count;

	for (const struct hop *hop = gap->hops.items, *next; hop < end; hop = next) {
		for (next = hop; next < end && next->to == hop->to;)
			next++;
		if (!is_tail_called(gap, roots, hop, next))
			continue;
		*gap_mark(gap, hop->to) |= MARK_ROOT | MARK_SURE;
		vector_push(&gap->roots, ((struct root){hop->to, -1}));
	}
	sort_roots(gap);
	return gap->roots.count > roots;
}

/* Splits functions until none is added: new functions may split others. */
static void split_gap(struct gap *gap)
{
	int passes = 0;

	sort_roots(gap);
	if (!gap->hops.count)
		return;
	qsort(gap->hops.items, gap->hops.count, sizeof(*gap->hops.items), by_target);
	while (passes++ < SPLITS_MAX && split_once(gap))
		;
}

uint64_t gap_end_of(const struct gap *gap, size_t index, uint64_t *ret_limit)
{
	const struct root *root = &gap->roots.items[index];

	*ret_limit = index + 1 < gap->roots.count ? root[1].address : gap->end;
	return end_of(gap, root->address, *ret_limit, false);
}

bool gap_is_sound(struct gap *gap)
{
	uint64_t limit;

	if (!gap->roots.count)
		return true;
	if (gap->pointed && (gap->indirect || !end_of(gap, gap->start, gap->end, true)))
		return false;
	split_gap(gap);
	for (size_t i = 0; i < gap->roots.count; i++)
		if ((*gap_mark(gap, gap->roots.items[i].address) & MARK_SURE) &&
		    !gap_end_of(gap, i, &limit))
			return false;
	return true;
}
