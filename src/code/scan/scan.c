#include "code/scan/scan.h"

#include "base/array.h"
#include "base/search.h"
#include "code/scan/byte_scan.h"
#include "code/scan/function_discovery.h"
#include "code/scan/gs.h"
#include "code/scan/jump_tables.h"
#include "code/scan/walk.h"

#include <string.h>

enum { ARCH_SET_GS = 0x1001 };

/* The index of the function at `address`, or whose endbr64 lies right before it; -1:
 * none. */
static int64_t function_at(const struct scan *scan, uint64_t address)
{
	int64_t function = code_map_function_at(&scan->map, address);

	if (function != WALK_NO_FUNCTION)
		return function;
	function = code_map_function_at(&scan->map, address - 4);
	return function != WALK_NO_FUNCTION && (scan->traits[function] & SCAN_MARKED)
		       ? function
		       : WALK_NO_FUNCTION;
}

static void add_inner(struct walk *walk, int64_t function, uint64_t address,
		      const struct brief *brief)
{
	vector_push(&walk->scan->inner,
		    ((struct scan_branch){.address = address,
					  .function = (uint32_t)function,
					  .length = brief->length,
					  .width = brief->immediate}));
	walk->scan->traits[function] |= SCAN_INNER;
}

static bool owns_cold(const struct walk *walk, int64_t function)
{
	uint64_t wanted = (uint64_t)walk->cold << 32 | (uint64_t)function;

	vector_for_each (&walk->scan->owners, owner)
		if (*owner == wanted)
			return true;
	return false;
}

/* A jump or conditional branch out of the range walked. */
static void leave_range(struct walk *walk, uint64_t address, const struct brief *brief,
			uint64_t target)
{
	bool conditional =
		brief->kind == BRIEF_CONDITION8 || brief->kind == BRIEF_CONDITION32;
	size_t cold_count = walk->image->cold_parts.count, cold;
	int64_t function;

	if (walk->function != WALK_NO_FUNCTION && cold_count) {
		const struct image_range *parts = walk->image->cold_parts.items;

		cold = ranges_find(parts, cold_count, target);
		if (cold < cold_count && parts[cold].start <= target) {
			vector_push(&walk->scan->owners,
				    (uint64_t)cold << 32 | (uint64_t)walk->function);
			return;
		}
	}
	if (!conditional && walk->function != WALK_NO_FUNCTION)
		return; /* a tail call */
	function = function_at(walk->scan, target);
	if (function == WALK_NO_FUNCTION)
		return;
	if (walk->function == WALK_NO_FUNCTION && owns_cold(walk, function))
		add_inner(walk, function, address, brief);
	else if (conditional)
		walk->scan->traits[function] |= SCAN_CONDITIONAL_TAIL;
}

/* code_map_reach, for what mostly lies in the segment that is walked through. */
static inline void reach_target(const struct walk *walk, uint64_t target)
{
	if (target - walk->segment->address < walk->segment->size)
		segment_reach(walk->segment, target);
	else
		code_map_reach(&walk->scan->map, target);
}

/* Calls with a prefix are not changed. */
static void note_call(struct walk *walk, uint64_t address, const struct brief *brief)
{
	if (brief->length == SCAN_CALL_LENGTH)
		vector_push(&walk->scan->calls, address);
	else
		vector_push(&walk->scan->long_calls, address);
}

static void note_branch(struct walk *walk, uint64_t address, const struct brief *brief)
{
	const uint8_t *bytes = walk->segment->bytes + (address - walk->segment->address);
	uint64_t target =
		address + brief->length + length_distance(bytes + brief->length, brief);

	bool inside = target - walk->start < walk->end - walk->start;

	if (inside)
		bit_set(walk->segment->reached, target - walk->segment->address);
	else
		reach_target(walk, target);
	if (brief->kind == BRIEF_CALL32) {
		note_call(walk, address, brief);
		return;
	}
	if (!inside) {
		if (brief->kind == BRIEF_JUMP32)
			note_call(walk, address, brief);
		else if (brief->kind == BRIEF_JUMP8)
			vector_push(&walk->scan->short_jumps, address);
		leave_range(walk, address, brief, target);
		return;
	}
	if (!length_is_pair(bytes, walk->end - address))
		vector_push(&walk->local, (uint32_t)(target - walk->start));
	if (walk->function != WALK_NO_FUNCTION &&
	    (target == walk->start || target == walk->entry_behind))
		add_inner(walk, walk->function, address, brief);
}

/* mov $ARCH_SET_GS, %edi, or %esi */
static void note_constant(struct walk *walk, const uint8_t *bytes,
			  const struct brief *brief)
{
	const uint8_t *immediate = bytes + brief->length - brief->immediate;

	if ((brief->opcode == 0xbe || brief->opcode == 0xbf) && brief->immediate >= 4)
		walk->names_gs |= length_displacement(immediate, 4) == ARCH_SET_GS;
}

/* Notes the references of an instruction that is not plain. */
static void note_instruction(struct walk *walk, uint64_t address,
			     const struct brief *brief)
{
	const uint8_t *bytes = walk->segment->bytes + (address - walk->segment->address);

	if (brief->relative) {
		uint64_t target = address + brief->length +
				  length_displacement(bytes + brief->relative, 4);

		code_map_reach(&walk->scan->map, target);
		if (brief->map == 0 && brief->opcode == 0x8d)
			vector_push(&walk->tables, target);
	}
	switch (brief->kind) {
	case BRIEF_JUMP8:
	case BRIEF_CONDITION8:
	case BRIEF_JUMP32:
	case BRIEF_CONDITION32:
	case BRIEF_CALL32:
		note_branch(walk, address, brief);
		break;
	case BRIEF_JUMP_INDIRECT:
		walk->indirect = true;
		/* jmp *table(,%index,8) */
		if (brief->modrm == 0x24)
			jump_tables_note(
				walk, length_displacement(bytes + brief->length - 4, 4),
				8);
		break;
	case BRIEF_SYSCALL:
		walk->calls_kernel = true;
		break;
	case BRIEF_CONSTANT:
		note_constant(walk, bytes, brief);
		break;
	case BRIEF_SEGMENT:
		walk->writes_gs = true;
		break;
	default:
		break;
	}
}

/*
 * Code constants of executables at fixed addresses may be addresses of code, such as
 * labels taken in GNU C. No relocation tells.
 */
static void note_immediate(struct walk *walk, uint64_t address, const struct brief *brief)
{
	const uint8_t *end =
		walk->segment->bytes + (address - walk->segment->address) + brief->length;
	uint64_t number;

	if (brief->immediate == sizeof(number)) {
		memcpy(&number, end - sizeof(number), sizeof(number));
		code_map_guess(&walk->scan->map, number);
	} else if (brief->immediate == 4) {
		code_map_guess(&walk->scan->map,
			       (uint32_t)length_displacement(end - 4, 4));
	}
}

static bool is_leaving(uint8_t kind)
{
	/* Compilers end functions in calls that do not return. */
	return kind == BRIEF_JUMP8 || kind == BRIEF_JUMP32 ||
	       kind == BRIEF_JUMP_INDIRECT || kind == BRIEF_STOP ||
	       kind == BRIEF_CALL32 || kind == BRIEF_CALL_INDIRECT;
}

/* Whether each branch inside the range leads to where an instruction was found. */
static bool is_consistent(const struct walk *walk)
{
	size_t start = walk->start - walk->segment->address;

	vector_for_each (&walk->local, offset)
		if (!bit_test(walk->segment->starts, start + *offset))
			return false;
	return true;
}

/* Discards the starts of a range that is not certain as a whole. */
static void forget_starts(const struct walk *walk)
{
	const struct code_segment *segment = walk->segment;

	bits_clear(segment->starts, walk->start - segment->address,
		   walk->end - segment->address);
}

/* Notes a RIP-relative operand, if the class says all about its instruction. */
static bool note_operand(struct walk *walk, uint64_t address, const uint8_t *bytes)
{
	uint32_t class = length_classify(walk->classify, bytes);
	size_t at = (bytes[0] & 0xf0) == 0x40, escape = bytes[at] == 0x0f;
	uint64_t target;

	if ((class & (CLASSIFY_RELATIVE | CLASSIFY_KIND)) != CLASSIFY_RELATIVE)
		return false;
	/* No prefix, or the class would be unknown: opcode, ModRM byte, displacement. */
	target = address + (class & CLASSIFY_LENGTH) +
		 length_displacement(bytes + at + escape + 2, 4);
	reach_target(walk, target);
	if (!escape && bytes[at] == 0x8d)
		vector_push(&walk->tables, target);
	return true;
}

/* Decodes what a walk up to `stop` has found worth it. */
static void note_instructions(struct walk *walk, size_t stop)
{
	const struct code_segment *segment = walk->segment;
	const uint64_t *notable = walk->lanes.notable.items;
	bool fixed = walk->image->type == IMAGE_EXECUTABLE;
	size_t base = walk->lanes.base, at = walk->start - segment->address - base;
	struct brief brief;

	for (; (at = bits_next(notable, at, stop - base)) < stop - base; at++) {
		size_t offset = base + at, left = segment->size - offset;
		const uint8_t *bytes = segment->bytes + offset;
		uint64_t address = segment->address + offset;

		if (left >= CLASSIFY_BYTES && length_branch(bytes, &brief)) {
			note_branch(walk, address, &brief);
			continue;
		}
		if (left >= CLASSIFY_BYTES && !fixed &&
		    note_operand(walk, address, bytes))
			continue;
		length_decode(bytes, left, &brief);
		note_instruction(walk, address, &brief);
		if (fixed && (brief.kind == BRIEF_PLAIN || brief.kind == BRIEF_CONSTANT))
			note_immediate(walk, address, &brief);
	}
}

/* The kind of an instruction that has been walked over. */
static uint8_t kind_at(const struct code_segment *segment, size_t offset)
{
	struct brief brief;

	length_decode(segment->bytes + offset, segment->size - offset, &brief);
	return brief.kind;
}

/* Puts by a range that may set GS. */
static void suspect_gs(struct walk *walk, uint64_t stop)
{
	bool calls = walk->calls_kernel || walk->names_gs;
	bool is_function = walk->function != WALK_NO_FUNCTION;
	uint32_t flags =
		is_function ? walk->image->functions.items[walk->function].flags : 0;

	/* Go's code has no use for GS, and no stack for a hook. */
	if (!walk->writes_gs && (!calls || (flags & IMAGE_FUNCTION_GO)))
		return;
	vector_push(&walk->suspects, ((struct gs_suspect){
					     .start = walk->start,
					     .end = walk->end,
					     .stop = stop,
					     .cold = (uint32_t)walk->cold,
					     .is_cold = !is_function,
					     .guessed = flags & IMAGE_FUNCTION_SIZE_GUESS,
					     .indirect = walk->indirect,
					     .writes = walk->writes_gs,
					     .calls = calls,
				     }));
}

/* Notes what a walk through a function or cold part has found; returns its SCAN_WHOLE and
 * SCAN_CLOSED. */
static uint8_t note_range(struct walk *walk, const struct sweep_span *span)
{
	const struct code_segment *segment = walk->segment;
	size_t calls = walk->scan->calls.count;
	uint64_t stop = segment->address + span->stop;

	walk->start = segment->address + span->start;
	walk->end = segment->address + span->end;
	walk->entry_behind = walk->start;
	if (walk->function != WALK_NO_FUNCTION &&
	    (walk->scan->traits[walk->function] & SCAN_MARKED))
		walk->entry_behind = walk->start + 4;
	walk->indirect = false;
	walk->calls_kernel = walk->names_gs = walk->writes_gs = false;
	walk->tables.count = walk->local.count = 0;
	note_instructions(walk, span->stop);
	if (!is_consistent(walk))
		stop = walk->start;
	if (stop != walk->end) {
		forget_starts(walk);
		walk->scan->calls.count = calls;
		byte_scan_walk(walk, stop);
	}
	if (walk->indirect)
		jump_tables_read(walk);
	suspect_gs(walk, stop == walk->end ? stop : segment->address + span->stop);
	if (stop != walk->end)
		return 0;
	return span->last < span->stop && is_leaving(kind_at(segment, span->last))
		       ? SCAN_WHOLE | SCAN_CLOSED
		       : SCAN_WHOLE;
}

/* Walks the collected ranges, and notes their contents, in order. */
static void walk_ranges(struct walk *walk)
{
	if (!walk->span_count)
		return;
	linear_sweep_walk(&walk->lanes, walk->segment, walk->spans, walk->span_count);
	for (size_t i = 0; i < walk->span_count; i++) {
		uint8_t traits;

		if (walk->cold_parts)
			walk->cold = walk->owner[i];
		else
			walk->function = (int64_t)walk->owner[i];
		traits = note_range(walk, &walk->spans[i]);
		if (walk->cold_parts)
			walk->scan->part_traits[walk->cold] |= traits;
		else
			walk->scan->traits[walk->function] |= traits;
	}
	walk->span_count = 0;
}

/* Puts a range by: function or cold part number `owner`. It lies behind all that are put
 * by already. */
static void add_range(struct walk *walk, uint64_t start, uint64_t end, size_t owner)
{
	const struct code_segment *segment =
		code_map_find(&walk->scan->map, start, end - start);
	size_t offset;

	if (!segment || start >= end)
		return;
	offset = start - segment->address;
	if (walk->span_count &&
	    (walk->span_count == WALK_SPANS || segment != walk->segment ||
	     offset - walk->spans[0].start > WALK_WINDOW))
		walk_ranges(walk);
	walk->segment = segment;
	walk->owner[walk->span_count] = owner;
	walk->spans[walk->span_count++] =
		(struct sweep_span){.start = offset, .end = end - segment->address};
}

/* The parts of the segment that no function, cold part or stub covers. */
static void walk_gaps(struct walk *walk, const struct code_segment *segment)
{
	const struct image *image = walk->image;
	uint64_t at = segment->address, end = at + segment->size;
	size_t function = 0;

	walk->segment = segment;
	walk->function = WALK_NO_FUNCTION;
	while (at < end) {
		const struct image_function *next = image->functions.items + function;
		size_t cold =
			ranges_find(image->cold_parts.items, image->cold_parts.count, at);
		size_t stub = ranges_find(image->plt.items, image->plt.count, at);
		struct image_range gap = {at, end}, covered = {end, end};

		while (function < image->functions.count &&
		       next->address + next->size <= at)
			next++, function++;
		if (function < image->functions.count)
			covered = (struct image_range){next->address,
						       next->address + next->size};
		if (cold < image->cold_parts.count &&
		    image->cold_parts.items[cold].start < covered.start)
			covered = image->cold_parts.items[cold];
		if (stub < image->plt.count &&
		    image->plt.items[stub].start < covered.start)
			covered = image->plt.items[stub];
		gap.end = covered.start < end ? covered.start : end;
		walk->start = gap.start;
		walk->end = gap.end;
		if (gap.start < gap.end)
			byte_scan_walk(walk, gap.start);
		at = covered.end > at ? covered.end : end;
	}
}

/* Marks the entries of functions with all of these flags. */
static void mark_entries(struct scan *scan, const struct image *image, uint32_t flags)
{
	static const uint8_t endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};

	for (size_t i = 0; i < image->functions.count; i++) {
		const struct image_function *function = &image->functions.items[i];
		const struct code_segment *segment;

		if ((function->flags & flags) != flags)
			continue;
		segment = code_map_find(&scan->map, function->address, 4);
		if (segment && function->size >= 4 &&
		    !memcmp(segment->bytes + (function->address - segment->address),
			    endbr64, 4))
			scan->traits[i] |= SCAN_MARKED;
	}
}

/* Functions that no frame, relocation or export knows must be led to by something that
 * was seen so far: a wrong symbol would have us patch the middle of an instruction. */
static void doubt_functions(struct scan *scan, const struct image *image)
{
	const uint32_t known = IMAGE_FUNCTION_FDE | IMAGE_FUNCTION_EXPORTED |
			       IMAGE_FUNCTION_REFERENCED | IMAGE_FUNCTION_IFUNC |
			       IMAGE_FUNCTION_GO | IMAGE_FUNCTION_FOUND;

	for (size_t i = 0; i < image->functions.count; i++) {
		const struct image_function *function = &image->functions.items[i];

		if (!(function->flags & known) &&
		    !code_map_is_reached(&scan->map, function->address, 1))
			scan->traits[i] |= SCAN_DOUBTFUL;
	}
}

COMPARE_BY_TWO(by_function, struct scan_branch, function, address);

/*
 * Whether a function that only a symbol knows begins in the middle of an instruction of
 * an earlier one: the symbol is wrong then. `covered` is where the earlier ones end,
 * which have been walked.
 */
static bool is_astray(const struct scan *scan, const struct image_function *function,
		      uint64_t covered)
{
	const struct code_segment *segment =
		code_map_find(&scan->map, function->address, 1);

	return !(function->flags & IMAGE_FUNCTION_FDE) && function->address < covered &&
	       segment &&
	       !bit_test(segment->starts, function->address - segment->address);
}

/* Walks functions with any of the flags, or with none of them. */
static void walk_functions(struct walk *walk, uint32_t flags, bool any)
{
	struct scan *scan = walk->scan;
	const struct image *image = walk->image;

	uint64_t covered = 0;

	for (size_t i = 0; i < image->functions.count; i++) {
		const struct image_function *function = &image->functions.items[i];
		uint64_t end = function->address + function->size;

		bool chosen = ((function->flags & flags) != 0) == any;

		if (chosen && function->address < covered)
			walk_ranges(walk);
		if (chosen && is_astray(scan, function, covered)) {
			scan->traits[i] |= SCAN_DOUBTFUL;
			continue;
		}
		if (chosen)
			add_range(walk, function->address, end, i);
		if (end > covered)
			covered = end;
	}
	walk_ranges(walk);
}

/* Adds the functions that no table knows; the walk is between two functions. */
static void add_unlisted(struct walk *walk, struct image *image)
{
	struct discovery found;

	discovery_find(walk->scan, image, &found);
	if (found.count) {
		vector_for_each (&walk->scan->owners, owner)
			*owner += discovery_moved(image, &found, (uint32_t)*owner) -
				  (uint32_t)*owner;
		discovery_add(walk->scan, image, &found);
		mark_entries(walk->scan, image, IMAGE_FUNCTION_FOUND);
	}
	vector_deinit(&found);
}

static void walk_cold_parts(const struct image *image, struct walk *walk)
{
	uint64_t covered = 0;

	walk->function = WALK_NO_FUNCTION;
	walk->cold_parts = true;
	for (size_t i = 0; i < image->cold_parts.count; i++) {
		const struct image_range *part = &image->cold_parts.items[i];

		if (part->start < covered)
			walk_ranges(walk);
		add_range(walk, part->start, part->end, i);
		if (part->end > covered)
			covered = part->end;
	}
	walk_ranges(walk);
}

void scan_init(struct scan *scan, struct image *image, bool exposed)
{
	const uint32_t late = IMAGE_FUNCTION_SIZE_GUESS | IMAGE_FUNCTION_FOUND;

	struct walk walk = {.scan = scan,
			    .image = image,
			    .classify = length_classify_tables(),
			    .lanes.wanted = CLASSIFY_RELATIVE | CLASSIFY_KIND,
			    .table_budget = 64u << 20};
	bool sure;

	*scan = (struct scan){0};
	if (image->type == IMAGE_EXECUTABLE)
		walk.lanes.wanted |= CLASSIFY_WORD;
	code_map_init(&scan->map, image, exposed);
	scan->traits = memory_allocate_zeroed(image->functions.count, 1);
	scan->part_traits = memory_allocate_zeroed(image->cold_parts.count, 1);
	mark_entries(scan, image, 0);
	walk_functions(&walk, late, false);
	add_unlisted(&walk, image);
	walk_functions(&walk, late, true);
	walk_cold_parts(image, &walk);
	for (size_t i = 0; i < scan->map.count; i++)
		walk_gaps(&walk, &scan->map.segments[i]);
	if (image->type == IMAGE_EXECUTABLE)
		jump_tables_read_pointers(scan, image);
	doubt_functions(scan, image);
	if (exposed) {
		jump_tables_sort(scan);
		jump_tables_expose(scan, image);
	}
	vector_for_each (&image->targets, target)
		code_map_reach(&scan->map, *target);
	sure = gs_judge(&walk, exposed);
	if (scan->inner.count)
		qsort(scan->inner.items, scan->inner.count, sizeof(*scan->inner.items),
		      by_function);
	vector_deinit(&walk.tables);
	vector_deinit(&walk.local);
	vector_deinit(&walk.suspects);
	linear_sweep_deinit(&walk.lanes);
	if (!sure) {
		scan_deinit(scan);
		scan_init(scan, image, true);
	}
}

void scan_deinit(struct scan *scan)
{
	code_map_deinit(&scan->map);
	free(scan->traits);
	free(scan->part_traits);
	vector_deinit(&scan->owners);
	vector_deinit(&scan->inner);
	vector_deinit(&scan->doubts);
	vector_deinit(&scan->tables);
	vector_deinit(&scan->calls);
	vector_deinit(&scan->long_calls);
	vector_deinit(&scan->short_jumps);
	*scan = (struct scan){0};
}

const struct scan_branch *scan_inner_of(const struct scan *scan, uint32_t function)
{
	size_t low = search_first(scan->inner.count, middle,
				  scan->inner.items[middle].function < function);

	return scan->inner.items + low;
}
