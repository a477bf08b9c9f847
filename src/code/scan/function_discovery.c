#include "code/scan/function_discovery.h"

#include "base/search.h"
#include "code/scan/code_gaps.h"
#include "image/find.h"
#include "x86/length.h"

#include <string.h>

/* Instructions that are looked at in all, before nothing is believed at all. */
enum { STEPS_MAX = 8 << 20 };

struct seed {
	uint64_t address;
	int64_t function; /* as in struct root */
	bool pointer;     /* a relocation leads there, no branch */
	bool sure;
};

struct search {
	const struct scan *scan;
	struct image *image;
	struct gaps gaps;
	struct VECTOR(struct seed) seeds;
	struct VECTOR(uint64_t) work;  /* addresses of roots that are to be explored */
	struct VECTOR(uint64_t) stack; /* branches of the function being explored */
	uint64_t steps;
	struct gap *blamed; /* that an attempt failed for */
};

/* Whether more than a symbol says that the function begins there. */
static bool is_certain(const struct image_function *function)
{
	return function->flags &
	       (IMAGE_FUNCTION_FDE | IMAGE_FUNCTION_EXPORTED | IMAGE_FUNCTION_REFERENCED |
		IMAGE_FUNCTION_IFUNC | IMAGE_FUNCTION_GO | IMAGE_FUNCTION_FOUND);
}

static bool is_in_code(const struct image *image, uint64_t address)
{
	return ranges_meet(image->code.items, image->code.count, address, address + 1);
}

/*
 * Adds a target of certain code.
 */

static void add_seed(struct search *search, uint64_t address, int64_t function,
		     bool pointer, bool sure)
{
	vector_push(&search->seeds, ((struct seed){address, function, pointer, sure}));
}

static void seed_guessed(struct search *search)
{
	const struct image *image = search->image;

	for (size_t i = 0; i < image->functions.count; i++) {
		const struct image_function *function = &image->functions.items[i];

		if ((function->flags & IMAGE_FUNCTION_SIZE_GUESS) &&
		    gap_at(&search->gaps, function->address))
			add_seed(search, function->address, (int64_t)i, false,
				 is_certain(function));
	}
}

/* Whether a call that was walked over is one: it lies in a function that is certain. */
static bool is_sure_call(const struct search *search, uint64_t address)
{
	const struct code_segment *segment =
		code_map_find(&search->scan->map, address, SCAN_CALL_LENGTH);
	const struct image_function *function =
		image_function_around(search->image, address);

	return segment && function && address - function->address < function->size &&
	       is_certain(function) &&
	       bit_test(segment->starts, address - segment->address);
}

static void seed_calls(struct search *search)
{
	const struct code_segment *segment = NULL;
	uint64_t low = UINT64_MAX, high = 0;

	vector_for_each (&search->gaps, gap) {
		if (!gap->named)
			continue;
		low = gap->start < low ? gap->start : low;
		high = gap->end;
	}
	if (high <= low)
		return;
	vector_for_each (&search->scan->calls, call) {
		uint64_t target;

		if (!segment || *call - segment->address >= segment->size)
			segment = code_map_find(&search->scan->map, *call,
						SCAN_CALL_LENGTH);
		if (!segment)
			continue;
		target = *call + SCAN_CALL_LENGTH +
			 length_displacement(
				 segment->bytes + (*call - segment->address) + 1, 4);
		if (target - low < high - low && gap_at(&search->gaps, target) &&
		    is_sure_call(search, *call))
			add_seed(search, target, -1, false, true);
	}
}

/* Functions are aligned, and labels inside of them are mostly not. */
static void seed_pointers(struct search *search)
{
	const struct image *image = search->image;
	const struct gap *gap = search->gaps.items;
	const struct gap *end = gap + search->gaps.count;

	vector_for_each (&image->targets, target) {
		while (gap < end && gap->end <= *target)
			gap++;
		if (gap == end)
			return;
		if (*target >= gap->start && *target % 16 == 0)
			add_seed(search, *target, -1, true, false);
	}
}

/*
 * Begins to explore the code that is executed from a root on.
 */

static void add_root(struct search *search, struct gap *gap, const struct seed *seed)
{
	uint8_t *mark = gap_mark(gap, seed->address);

	if (!(*mark & MARK_ROOT)) {
		*mark |= MARK_ROOT;
		vector_push(&gap->roots, ((struct root){seed->address, seed->function}));
	}
	if ((seed->sure || seed->pointer) && !(*mark & MARK_SURE)) {
		*mark |= MARK_SURE;
		vector_push(&search->work, seed->address);
	}
}

/* A call, or a jump out of the gap, of code that is executed. */
static bool follow_target(struct search *search, uint64_t target, bool call)
{
	struct gap *gap = gap_at(&search->gaps, target);
	const struct code_segment *segment;

	if (!is_in_code(search->image, target))
		return false;
	if (gap && !gap->bad) {
		if (gap_is_entry(gap, target))
			add_root(search, gap, &(struct seed){target, -1, false, true});
		return true;
	}
	segment = code_map_find(&search->scan->map, target, 1);
	return call || gap || !segment ||
	       bit_test(segment->starts, target - segment->address) ||
	       ranges_meet(search->image->plt.items, search->image->plt.count, target,
			   target + 1) ||
	       code_map_function_at(&search->scan->map, target) >= 0;
}

/* Zeros are what data and files have most of, and no compiler's code has these two; ports
 * and interrupts are the system's, and so is what halts. */
static bool is_odd(const uint8_t *bytes, const struct brief *brief)
{
	uint8_t first = bytes[0];

	return (first == 0 && bytes[1] == 0) || brief->kind == BRIEF_SEGMENT ||
	       (brief->map == 0 &&
		((first >= 0x6c && first <= 0x6f) || (first >= 0xe4 && first <= 0xe7) ||
		 (first >= 0xec && first <= 0xef) || (first >= 0xfa && first <= 0xfb) ||
		 first == 0xcf));
}

/* Decodes the instruction at `address` and marks its bytes; false if it cannot be one. */
static bool take_instruction(struct search *search, struct gap *gap, uint64_t address,
			     struct brief *ret_brief)
{
	const uint8_t *bytes = gap_bytes(gap, address);
	size_t length = length_decode(bytes, gap->end - address, ret_brief);
	uint8_t *marks = gap_mark(gap, address);

	if (!length || ++search->steps > STEPS_MAX ||
	    (length > 1 && is_odd(bytes, ret_brief)))
		return false;
	for (size_t i = 0; i < length; i++) {
		if (marks[i] & (MARK_START | MARK_INSIDE) || (i && marks[i] & MARK_ROOT))
			return false;
		marks[i] |= i ? MARK_INSIDE : MARK_START;
	}
	return true;
}

static uint64_t target_of(const struct gap *gap, uint64_t address,
			  const struct brief *brief)
{
	const uint8_t *bytes = gap_bytes(gap, address) + brief->length - brief->immediate;
	int32_t wide = (int8_t)*bytes;

	if (brief->immediate == 4)
		memcpy(&wide, bytes, sizeof(wide));
	return address + brief->length + (uint64_t)(int64_t)wide;
}

static bool take_branch(struct search *search, struct gap *gap, uint64_t from,
			uint64_t to, bool jump)
{
	if (to < gap->start || to >= gap->end)
		return follow_target(search, to, false);
	vector_push(&search->stack, to);
	vector_push(&gap->hops, ((struct hop){from, to, jump}));
	return true;
}

/* Finds where execution continues behind the instruction, if in this gap: *at. Its other
 * targets are put on the stack or added to the roots. */
static bool go_on(struct search *search, struct gap *gap, const struct brief *brief,
		  uint64_t *at, bool *ret_ends)
{
	*ret_ends = false;
	switch (brief->kind) {
	case BRIEF_STOP:
		*ret_ends = true;
		return true;
	case BRIEF_JUMP_INDIRECT:
		gap->indirect = *ret_ends = true;
		return true;
	case BRIEF_NOP:
		/* A trap: behind calls that do not return. */
		*ret_ends = *gap_bytes(gap, *at) == 0xcc;
		break;
	case BRIEF_CALL32:
		if (!follow_target(search, target_of(gap, *at, brief), true))
			return false;
		break;
	case BRIEF_JUMP8:
	case BRIEF_JUMP32:
	case BRIEF_CONDITION8:
	case BRIEF_CONDITION32:
		*ret_ends = brief->kind == BRIEF_JUMP8 || brief->kind == BRIEF_JUMP32;
		if (!take_branch(search, gap, *at, target_of(gap, *at, brief), *ret_ends))
			return false;
		break;
	default:
		break;
	}
	*at += brief->length;
	/* Calls may not return. */
	if (!*ret_ends && *at < gap->end && brief->kind != BRIEF_CALL32 &&
	    brief->kind != BRIEF_CALL_INDIRECT)
		*gap_mark(gap, *at) |= MARK_BEHIND;
	return true;
}

/* Follows the code from `at` on until it leaves the gap, or meets code followed before.
 */
static bool explore_from(struct search *search, struct gap *gap, uint64_t at)
{
	struct brief brief;
	bool ends = false;

	while (!ends) {
		if (at == gap->end) /* into a function that is known */
			return code_map_function_at(&search->scan->map, at) >= 0;
		if (*gap_mark(gap, at) & MARK_START)
			return true;
		if (!take_instruction(search, gap, at, &brief) ||
		    !go_on(search, gap, &brief, &at, &ends))
			return false;
	}
	return true;
}

static bool explore_root(struct search *search, struct gap *gap, uint64_t root)
{
	search->stack.count = 0;
	vector_push(&search->stack, root);
	while (search->stack.count)
		if (!explore_from(search, gap,
				  search->stack.items[--search->stack.count]))
			return false;
	return true;
}

static void forget_marks(struct search *search)
{
	search->work.count = 0;
	vector_for_each (&search->gaps, gap) {
		if (gap->roots.count) {
			memset(gap->marks, 0, gap->end - gap->start);
			search->steps += (gap->end - gap->start) / 64;
		}
		gap->roots.count = gap->hops.count = 0;
		gap->indirect = gap->pointed = false;
	}
}

static void plant_roots(struct search *search)
{
	vector_for_each (&search->seeds, seed) {
		struct gap *gap = gap_at(&search->gaps, seed->address);

		if (gap->bad || (seed->pointer && gap->distrust) ||
		    (seed->function < 0 && !gap_is_entry(gap, seed->address)))
			continue;
		gap->pointed |=
			seed->pointer && !(*gap_mark(gap, seed->address) & MARK_ROOT);
		add_root(search, gap, seed);
	}
}

/* Explores all that is known, and what follows. False: a gap is to blame. */
static bool attempt_gaps(struct search *search)
{
	forget_marks(search);
	plant_roots(search);
	while (search->work.count) {
		uint64_t root = search->work.items[--search->work.count];

		search->blamed = gap_at(&search->gaps, root);
		if (!explore_root(search, search->blamed, root))
			return false;
	}
	vector_for_each (&search->gaps, gap) {
		search->blamed = gap;
		if (!gap_is_sound(gap))
			return false;
	}
	return true;
}

/* Explores all gaps. A gap that is not sound is left alone, and the search starts again:
 * conclusions from it may be wrong, too. */
static bool search_all(struct search *search)
{
	while (!attempt_gaps(search)) {
		if (search->steps > STEPS_MAX)
			return false;
		search->blamed->bad = !search->blamed->pointed;
		search->blamed->distrust = true;
	}
	return true;
}

static void take_functions(const struct search *search, const struct gap *gap,
			   struct discovery *found)
{
	for (size_t i = 0; i < gap->roots.count; i++) {
		const struct root *root = &gap->roots.items[i];
		uint64_t limit, end = gap_end_of(gap, i, &limit), size;

		if (root->function < 0) {
			vector_push(found, ((struct image_function){
						   .address = root->address,
						   .size = end - root->address,
						   .flags = IMAGE_FUNCTION_FOUND}));
			continue;
		}
		if (gap->indirect || !(*gap_mark(gap, root->address) & MARK_SURE))
			end = limit;
		size = search->image->functions.items[root->function].size;
		if (end - root->address < size)
			size = end - root->address;
		search->image->functions.items[root->function].size = size;
	}
}

void discovery_find(const struct scan *scan, struct image *image,
		    struct discovery *ret_found)
{
	struct search search = {.scan = scan, .image = image};

	*ret_found = (struct discovery){0};
	gaps_init(&search.gaps, scan, image);
	seed_guessed(&search);
	seed_calls(&search);
	seed_pointers(&search);
	if (search.seeds.count && search_all(&search))
		vector_for_each (&search.gaps, gap)
			take_functions(&search, gap, ret_found);
	gaps_deinit(&search.gaps);
	vector_deinit(&search.seeds);
	vector_deinit(&search.work);
	vector_deinit(&search.stack);
}

size_t discovery_moved(const struct image *image, const struct discovery *found,
		       size_t index)
{
	uint64_t address = image->functions.items[index].address;
	size_t low = search_first(found->count, middle,
				  found->items[middle].address < address);

	return index + low;
}

/* From the back, so that each moves once. */
static void merge_functions(struct scan *scan, struct image *image,
			    const struct discovery *found)
{
	size_t old = image->functions.count, rest = found->count, at = old + rest;
	uint8_t *traits = memory_allocate_zeroed(at, 1);

	vector_reserve(&image->functions, at);
	image->functions.count = at;
	while (at) {
		struct image_function *items = image->functions.items;

		at--;
		if (rest &&
		    (!old || found->items[rest - 1].address > items[old - 1].address)) {
			items[at] = found->items[--rest];
			continue;
		}
		items[at] = items[--old];
		traits[at] = scan->traits[old];
	}
	free(scan->traits);
	scan->traits = traits;
}

void discovery_add(struct scan *scan, struct image *image, const struct discovery *found)
{
	vector_for_each (&scan->inner, branch)
		branch->function =
			(uint32_t)discovery_moved(image, found, branch->function);
	vector_for_each (&scan->tables, table)
		if (table->function >= 0)
			table->function = (int64_t)discovery_moved(
				image, found, (size_t)table->function);
	merge_functions(scan, image, found);
	code_map_index(&scan->map, image);
}

void discovery_complete(struct image *image)
{
	struct scan scan;

	scan_init(&scan, image, false);
	scan_deinit(&scan);
}
